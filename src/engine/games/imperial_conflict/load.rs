//! Reads and checks the maps. A map file that passes can be played and drawn; every fault is reported with its
//! file, its line and a reason.

mod draft;
mod figures;
mod geometry;
mod graph;
mod links;
mod seams;
mod shapes;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::draft::Draft;
use self::shapes::Shape;
use super::data::{Continent, Country, Data, GameMap, SeaLink};
use super::names::plain;
use crate::rules::datafile::DataFile;
use crate::rules::{Content, DataFault};

/// The map a table is offered first.
const STOCK_MAP: &str = "world";
/// Longest map file, in bytes: a page carries the outlines, and pages stay small.
const MAX_BYTES: usize = 70_000;
const UNKNOWN_FILE: &str = "this file is not one of the game's; it has maps, one in each file maps/….toml";

/// Reads every `maps/*.toml` of a content, one map each. An empty file counts as not there.
///
/// # Errors
/// All faults of all files; a file whose fields cannot be read adds those and hides what else is in it.
pub fn load(files: &Content) -> Result<Data, Vec<DataFault>> {
    let mut faults = Vec::new();
    let mut found: BTreeMap<String, (GameMap, &str)> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(_, text)| !text.trim().is_empty()) {
        match path.split_once('/') {
            Some(("maps", name)) if name.ends_with(".toml") => match read_map(path, text) {
                Ok(map) => {
                    if let Some((_, other)) = found.get(&map.id) {
                        let message =
                            format!("the map id “{}” is already used by {other}; give one of them another", map.id);
                        faults.push(whole_file(path, message));
                    }
                    found.insert(map.id.clone(), (map, path));
                }
                Err(mut more) => faults.append(&mut more),
            },
            _ => faults.push(whole_file(path, UNKNOWN_FILE.to_owned())),
        }
    }
    if faults.is_empty() && found.is_empty() {
        faults.push(whole_file("maps", format!("there is no map; add at least one file like maps/{STOCK_MAP}.toml")));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut maps: Vec<GameMap> = found.into_values().map(|(map, _)| map).collect();
    maps.sort_by(|one, other| (one.id != STOCK_MAP, &one.name).cmp(&(other.id != STOCK_MAP, &other.name)));
    Ok(Data { maps })
}

fn whole_file(path: &str, message: String) -> DataFault {
    DataFault { file: path.to_owned(), line: None, message }
}

fn read_map(path: &str, text: &str) -> Result<GameMap, Vec<DataFault>> {
    let (mut file, table) = DataFile::open(path, text);
    let draft = table.as_ref().and_then(|table| draft::read(&mut file, table));
    let Some(draft) = draft else { return Err(file.into_faults()) };
    if text.len() > MAX_BYTES {
        file.fault(
            0,
            format!("the file has {} bytes; at most {MAX_BYTES} are allowed, so simplify outlines", text.len()),
        );
    }
    figures::check(&mut file, &draft);
    let adjacent = graph::check(&mut file, &draft);
    let shapes = shapes::check(&mut file, &draft);
    let touching = shapes::check_borders(&mut file, &draft, &shapes);
    links::check(&mut file, &draft, &shapes, &adjacent, &touching);
    let faults = file.into_faults();
    if faults.is_empty() { Ok(finish(&draft, shapes.into_iter().flatten().collect())) } else { Err(faults) }
}

/// Makes the map of a draft without faults.
fn finish(draft: &Draft, shapes: Vec<Shape>) -> GameMap {
    let seams = seams::between(draft, &shapes);
    let country_at = |code: &str| draft.country(code).expect("neighbours and links were checked");
    let continents = draft
        .continents
        .iter()
        .map(|it| Continent {
            id: it.id.value.to_owned(),
            name: it.name.value.to_owned(),
            bonus: it.bonus,
            colour: it.colour.map(str::to_owned),
            label: it.label.map(|label| label.value),
        })
        .collect();
    let countries = draft
        .countries
        .iter()
        .zip(shapes)
        .map(|(it, shape)| {
            let mut neighbours: Vec<usize> = it.neighbours.iter().map(|code| country_at(code.value)).collect();
            neighbours.sort_unstable();
            Country {
                code: it.code.value.parse().expect("codes were checked"),
                name: it.name.value.to_owned(),
                plain_name: plain(it.name.value.split_whitespace()),
                continent: draft.continent(it.continent.value).expect("continents were checked"),
                neighbours,
                label: it.label.value,
                rings: shape.rings,
            }
        })
        .collect();
    let link = |it: &draft::LinkDraft| SeaLink {
        from: country_at(it.from.value),
        to: country_at(it.to.value),
        paths: it.paths.clone(),
    };
    GameMap {
        id: draft.id.to_owned(),
        name: draft.name.to_owned(),
        least_players: draft.players.0,
        most_players: draft.players.1,
        view_box: draft.view_box,
        continents,
        countries,
        links: draft.links.iter().map(link).collect(),
        seams,
    }
}
