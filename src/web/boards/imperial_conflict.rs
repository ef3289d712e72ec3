//! Imperial Conflict drawn: the countries with their owners and armies.

use std::any::Any;
use std::fmt::Write as _;

use super::{Board, Catalogue, DrawFault, Drawing, Sitting, Sort};
use crate::games::imperial_conflict::view::View;

const GAME: &str = "imperial-conflict";

/// The board of Imperial Conflict.
pub struct ImperialBoard;

impl Board for ImperialBoard {
    fn game(&self) -> &'static str {
        GAME
    }

    fn draw(&self, sitting: &Sitting) -> Result<Drawing, DrawFault> {
        let view: View = serde_json::from_str(sitting.view)
            .map_err(|error| DrawFault::View { game: GAME, reason: error.to_string() })?;
        let mut list = String::from("<ul>");
        for country in &view.countries {
            let name = country.name.replace('&', "&amp;").replace('<', "&lt;");
            let _ = write!(list, "<li>{} {name}: {} of {}</li>", country.code, country.armies, country.owner);
        }
        list.push_str("</ul>");
        Ok(Drawing {
            symbols: "",
            legend: "",
            figures: String::new(),
            board: String::new(),
            list,
            sheet: String::new(),
            reserve: String::new(),
        })
    }
}

impl Catalogue for ImperialBoard {
    fn sorts(&self, _: &dyn Any) -> Vec<Sort> {
        Vec::new()
    }

    fn loadout_size(&self, _: &dyn Any) -> u32 {
        0
    }

    fn loadout_name(&self) -> &'static str {
        "loadout"
    }

    fn rules(&self) -> &'static str {
        "<p>Place your armies, attack your neighbours, move once. Whoever is left, or holds every country, wins.</p>"
    }
}
