//! Map files: one map each.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::{Defined, check_handle, check_id, id_field};
use crate::games::conquest::data::{GameMap, Planet, Region};
use crate::rules::datafile::{At, DataFile, Fields, line_of};
use crate::rules::nearest::did_you_mean;
use crate::rules::{DataFault, Seat};

/// Reads one map file and puts the map among those read before.
pub(super) fn load_into(
    maps: &mut BTreeMap<String, Defined<GameMap>>,
    path: &str,
    text: &str,
    faults: &mut Vec<DataFault>,
) {
    let (mut file, table) = DataFile::open(path, text);
    if let Some(map) = table.and_then(|table| read_map(&table, &mut file)) {
        let (map, at) = (map.value, map.at);
        let same = maps
            .values()
            .find(|other| other.value.id == map.id || other.value.name.to_lowercase() == map.name.to_lowercase());
        if let Some(other) = same {
            let message = format!(
                "map “{}”: the map in {}, line {} has the same id or name; choose others",
                map.id, other.path, other.line
            );
            file.fault(at, message);
        } else {
            let line = line_of(text, at);
            maps.insert(map.id.clone(), Defined { value: map, path: path.to_owned(), line });
        }
    }
    faults.extend(file.into_faults());
}

fn read_map(table: &DeTable, file: &mut DataFile) -> Option<At<GameMap>> {
    let mut fields = Fields::of(table, 0, "map");
    let id = id_field(&mut fields, file, "map");
    let name = fields.text(file, "name", 60);
    let summary = fields.text(file, "summary", 300);
    let start_cp = fields.number(file, "start_cp", 0, 99);
    let q_income = fields.number(file, "q_income", 0, 20);
    let mut names = Names::default();
    let region_tables = fields.tables(file, "region");
    let regions: Vec<Region> = region_tables.iter().filter_map(|table| read_region(*table, file, &mut names)).collect();
    if region_tables.len() != 3 {
        let message = format!(
            "{}: a map has exactly three regions ([[region]]): the home of A, the Neutral Zone, the home of B; \
             this one has {}",
            fields.owner(),
            region_tables.len()
        );
        file.fault(fields.place("region"), message);
    }
    let planet_tables = fields.tables(file, "planet");
    let mut planets = Vec::new();
    for table in &planet_tables {
        if let Some(planet) = read_planet(*table, file, &mut names, &regions) {
            planets.push(planet);
        }
    }
    let whole = regions.len() == 3 && planets.len() == planet_tables.len();
    let homes = whole && check_planets(&fields, file, &regions, &planets);
    let map = GameMap {
        id: id.map(|id| id.value.to_owned()).unwrap_or_default(),
        name: name.map(|name| name.value.to_owned()).unwrap_or_default(),
        summary: summary.map(|summary| summary.value.to_owned()).unwrap_or_default(),
        start_cp: start_cp.unwrap_or_default(),
        q_income: q_income.unwrap_or_default(),
        regions,
        planets: planets.into_iter().map(|planet| planet.value).collect(),
    };
    fields.finish(file);
    let read = name.is_some() && summary.is_some() && start_cp.is_some() && q_income.is_some() && homes;
    id.filter(|_| read).map(|id| At { value: map, at: id.at })
}

/// Ids and names of the places read so far: orders may use either, so no two may be equal.
#[derive(Default)]
struct Names {
    taken: Vec<String>,
}

impl Names {
    fn add(&mut self, fields: &Fields, file: &mut DataFile, id: &str, name: &str) {
        for (key, word) in [("id", id), ("name", name)] {
            let word = word.to_lowercase();
            if let Err(message) = check_handle(&word) {
                fields.fault(file, key, message);
            } else if self.taken.contains(&word) {
                fields.fault(file, key, format!("another place of the map is called “{word}” already; choose another"));
            }
        }
        self.taken.push(id.to_lowercase());
        self.taken.push(name.to_lowercase());
    }
}

fn read_region(table: At<&DeTable>, file: &mut DataFile, names: &mut Names) -> Option<Region> {
    let mut fields = Fields::of(table.value, table.at, "region");
    let id = id_field(&mut fields, file, "region");
    let name = fields.text(file, "name", 60);
    let region = id.zip(name).map(|(id, name)| {
        names.add(&fields, file, id.value, name.value);
        Region { id: id.value.to_owned(), name: name.value.to_owned() }
    });
    fields.finish(file);
    region
}

fn read_planet(table: At<&DeTable>, file: &mut DataFile, names: &mut Names, regions: &[Region]) -> Option<At<Planet>> {
    let mut fields = Fields::of(table.value, table.at, "planet");
    let id = id_field(&mut fields, file, "planet");
    let name = fields.text(file, "name", 60);
    let region = fields.text(file, "region", 60);
    let income = fields.number(file, "income", 0, 20);
    let home_text = fields.optional_text(file, "home", 1);
    let home = home_text.and_then(|home| home.value.parse::<Seat>().ok()).filter(|seat| *seat <= Seat::B);
    if home_text.is_some() && home.is_none() {
        fields.fault(file, "home", "it must be \"A\" or \"B\"");
    }
    if let (Some(id), Some(name)) = (id, name) {
        names.add(&fields, file, id.value, name.value);
    }
    let at = fields.at();
    let index = region.and_then(|region| {
        let index = regions.iter().position(|known| known.id == region.value);
        if index.is_none() {
            let hint = did_you_mean(region.value, regions.iter().map(|known| known.id.as_str()));
            let message = format!("there is no region “{}” on this map{hint}", region.value);
            fields.fault(file, "region", message);
        }
        index
    });
    fields.finish(file);
    let (id, name, income, region) = (id?, name?, income?, index?);
    check_id(id.value).ok()?;
    Some(At { value: Planet { id: id.value.to_owned(), name: name.value.to_owned(), region, income, home }, at })
}

fn check_planets(fields: &Fields, file: &mut DataFile, regions: &[Region], planets: &[At<Planet>]) -> bool {
    let mut fine = true;
    for (seat, home_region) in [(Seat::A, 0), (Seat::B, 2)] {
        let homes: Vec<&At<Planet>> = planets.iter().filter(|planet| planet.value.home == Some(seat)).collect();
        if homes.len() != 1 {
            let message = format!(
                "{}: exactly one planet must have home = \"{seat}\"; {} have it",
                fields.owner(),
                if homes.is_empty() { "none".to_owned() } else { homes.len().to_string() }
            );
            file.fault(homes.get(1).map_or(fields.place("planet"), |planet| planet.at), message);
            fine = false;
        }
        for home in homes {
            if home.value.region != home_region {
                let message = format!(
                    "planet “{}”, field “home”: the home planet of {seat} must lie in the region “{}”",
                    home.value.id, regions[home_region].id
                );
                file.fault(home.at, message);
                fine = false;
            }
        }
    }
    if !planets.iter().any(|planet| planet.value.region == 1) {
        let message = format!("{}: the Neutral Zone needs at least one planet", fields.owner());
        file.fault(fields.place("planet"), message);
        fine = false;
    }
    fine
}
