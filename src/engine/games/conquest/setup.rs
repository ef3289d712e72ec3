//! The beginning of a game: what is chosen, and the first state.

use std::collections::BTreeMap;

use super::data::{Data, GameMap};
use super::doctrine::Doctrine;
use super::group::ControlGroup;
use super::handle::Handle;
use super::state::{Piece, SEATS, Side, Stage, State};
use super::view::Place;
use crate::rules::{Fate, Field, FieldChoice, FieldKind, Seat, SeatSetup, Setup, StockLoadout};

/// Key of the table's choice of a map.
pub const MAP: &str = "map";

/// Key of a player's choice of a Control Group.
pub const GROUP: &str = "group";

/// What is chosen when a table is made.
pub fn table_fields(data: &Data) -> Vec<Field> {
    let maps = data.maps.iter().map(|map| FieldChoice {
        value: map.id.clone(),
        label: map.name.clone(),
        summary: map.summary.clone(),
    });
    vec![Field {
        key: MAP,
        label: "Map",
        help: "How many planets are in the Neutral Zone between the two homes.",
        kind: FieldKind::Choice(maps.collect()),
    }]
}

/// What each player chooses.
pub fn seat_fields() -> Vec<Field> {
    vec![Field {
        key: GROUP,
        label: "Control Group",
        help: "The pieces you bring. Your opponent learns only how many are left.",
        kind: FieldKind::Loadout,
    }]
}

/// The stock Control Groups.
pub fn stock_loadouts(data: &Data) -> Vec<StockLoadout> {
    let groups = data.groups.iter();
    groups
        .map(|stock| StockLoadout {
            id: stock.id.clone(),
            name: stock.name.clone(),
            summary: stock.summary.clone(),
            text: stock.group.to_string(),
        })
        .collect()
}

/// The state before the first turn.
pub fn first_state(data: &Data, setup: &Setup) -> Result<State, Vec<String>> {
    let mut faults = Vec::new();
    let map = chosen_map(data, setup).map_err(|fault| faults.push(fault)).ok();
    if setup.seats.len() != SEATS.len() {
        faults.push(format!("ConQuest is for two players; {} are seated.", setup.seats.len()));
    }
    let mut groups = Vec::new();
    for (seat, answers) in SEATS.into_iter().zip(&setup.seats) {
        match chosen_group(data, answers) {
            Ok(group) => groups.push(group),
            Err(found) => faults.extend(found.into_iter().map(|fault| format!("Control Group of {seat}: {fault}"))),
        }
    }
    match (map, groups.as_slice(), faults.is_empty()) {
        (Some(map), [a, b], true) => Ok(state(map, [a, b])),
        _ => Err(faults),
    }
}

fn chosen_map<'d>(data: &'d Data, setup: &Setup) -> Result<&'d GameMap, String> {
    let Some(id) = setup.options.get(MAP) else {
        return data.maps.first().ok_or_else(|| "There is no map to play on.".to_owned());
    };
    data.map(id).ok_or_else(|| {
        let known: Vec<&str> = data.maps.iter().map(|map| map.id.as_str()).collect();
        format!("There is no map “{id}”; the maps are {}.", known.join(", "))
    })
}

/// A stock group by its id, or a text of the player's own.
fn chosen_group(data: &Data, answers: &SeatSetup) -> Result<ControlGroup, Vec<String>> {
    let Some(text) = answers.get(GROUP).map(|text| text.trim()).filter(|text| !text.is_empty()) else {
        return Err(vec!["none is chosen; pick a stock group or one of your own.".to_owned()]);
    };
    if let Some(stock) = data.group(text) {
        return Ok(stock.group.clone());
    }
    ControlGroup::parse(data, text).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

fn state(map: &GameMap, groups: [&ControlGroup; 2]) -> State {
    let mut pieces = BTreeMap::new();
    let sides = SEATS.map(|seat| {
        let group = groups[seat.index()];
        let home = Place::Planet(map.home_planet(seat));
        pieces.insert(Handle::q(seat), Piece::new(&group.q, home));
        fresh_side(map.start_cp, group.pieces.iter().cloned().collect())
    });
    State {
        map: map.id.clone(),
        turn: 1,
        stage: Stage::Start,
        due: Vec::new(),
        sides,
        control: first_control(map),
        pieces,
    }
}

/// A side before anything was deployed.
pub fn fresh_side(cp: i32, group: BTreeMap<String, u32>) -> Side {
    Side { cp, group, next: 1, doctrine: Doctrine::default(), cheq: false, fate: Fate::Active }
}

/// Home planets belong to their owners, the others to nobody.
pub fn first_control(map: &GameMap) -> Vec<Option<Seat>> {
    map.planets.iter().map(|planet| planet.home).collect()
}
