//! The facts of a position by name, as scenario files expect them.

use std::collections::BTreeMap;

use super::board::Board;
use super::data::Kind;
use super::handle::Handle;
use super::state::SEATS;
use super::view::Place;

/// All facts.
pub fn facts(board: Board<'_>) -> BTreeMap<String, String> {
    let state = board.state;
    let mut facts = BTreeMap::new();
    let mut add = |key: String, value: String| {
        facts.insert(key, value);
    };
    add("turn".to_owned(), state.turn.to_string());
    add("phase".to_owned(), state.stage.phase().key().to_owned());
    add("map".to_owned(), state.map.clone());
    for seat in SEATS {
        let side = state.side(seat);
        let group: Vec<String> = side.group.iter().map(|(id, count)| format!("{count} {id}")).collect();
        add(format!("cp.{seat}"), side.cp.to_string());
        add(format!("cheq.{seat}"), yes_no(side.cheq));
        add(format!("group.{seat}"), group.join(", "));
        add(format!("group_size.{seat}"), side.group_size().to_string());
    }
    for (planet, control) in board.map.planets.iter().zip(&state.control) {
        let control = control.map_or_else(|| "nobody".to_owned(), |seat| seat.to_string());
        add(format!("control.{}", planet.id), control);
    }
    if let Some(outcome) = state.outcome() {
        add("outcome".to_owned(), outcome.key());
    }
    for (handle, piece) in &state.pieces {
        add(format!("{handle}.type"), piece.type_id.clone());
        let items: Vec<&str> = piece.items.iter().map(|item| item.type_id.as_str()).collect();
        let place = piece.place.map_or_else(|| "removed".to_owned(), |place| place_id(board, place));
        add(format!("{handle}.place"), place);
        // Those of a removed piece are the items that went with it.
        add(format!("{handle}.items"), items.join(" "));
        if piece.place.is_some() {
            for (key, value) in figures(board, *handle) {
                add(key, value);
            }
        }
    }
    facts
}

fn yes_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn place_id(board: Board<'_>, place: Place) -> String {
    match place {
        Place::Region(region) => board.map.regions[region].id.clone(),
        Place::Planet(planet) => board.map.planets[planet].id.clone(),
        Place::Aboard(ship) => ship.to_string(),
    }
}

fn figures(board: Board<'_>, handle: Handle) -> Vec<(String, String)> {
    let piece = board.piece(handle);
    let kind = board.type_of(handle).kind;
    let toughness = board.toughness(handle);
    let damaged = kind != Kind::Q && toughness > 0 && piece.damage * 2 >= toughness;
    let mut facts = vec![
        (format!("{handle}.damage"), piece.damage.to_string()),
        (format!("{handle}.left"), board.left(handle).to_string()),
        (format!("{handle}.actions"), board.actions(handle).to_string()),
        (format!("{handle}.hit"), yes_no(piece.hit)),
        (format!("{handle}.damaged"), yes_no(damaged)),
    ];
    if kind == Kind::Ship {
        let crew: Vec<String> = board.crew(handle).map(|member| member.to_string()).collect();
        facts.push((format!("{handle}.crew"), crew.join(" ")));
    }
    facts
}
