//! The rules in brief, and the maps as they are at the start.

use std::any::Any;

use askama::Template;

use super::map::MapArt;
use super::{ImperialBoard, SYMBOLS};
use crate::games::imperial_conflict::data::{Data, GameMap};
use crate::web::boards::{Catalogue, DrawFault};

#[derive(Template)]
#[template(path = "boards/imperial_conflict/gallery.html")]
struct GalleryPart {
    symbols: &'static str,
    maps: Vec<MapShown>,
}

/// A map with its continents.
struct MapShown {
    id: String,
    name: String,
    players: String,
    art: MapArt,
    /// Place of each country's continent, in the order of the countries.
    lands: Vec<(usize, String)>,
    /// Name, bonus and number of countries.
    continents: Vec<(String, u32, usize)>,
}

impl Catalogue for ImperialBoard {
    fn rules(&self) -> &'static str {
        include_str!("../../../../templates/boards/imperial_conflict/rules.html")
    }

    fn gallery(&self, data: &dyn Any) -> Result<String, DrawFault> {
        let Some(data) = data.downcast_ref::<Data>() else { return Ok(String::new()) };
        Ok(GalleryPart { symbols: SYMBOLS, maps: data.maps.iter().map(shown).collect() }.render()?)
    }
}

fn shown(map: &GameMap) -> MapShown {
    MapShown {
        id: map.id.clone(),
        name: map.name.clone(),
        players: format!("{} to {} players", map.least_players, map.most_players),
        art: MapArt::new(map),
        lands: map.countries.iter().map(|country| (country.continent % 6, country.name.clone())).collect(),
        continents: map
            .continents
            .iter()
            .enumerate()
            .map(|(at, continent)| (continent.name.clone(), continent.bonus, map.members(at).count()))
            .collect(),
    }
}
