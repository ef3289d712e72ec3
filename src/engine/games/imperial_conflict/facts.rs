//! The facts of a state by name, for the expectations of scenario files.

use std::collections::BTreeMap;

use super::cards::worth;
use super::data::{Data, GameMap};
use super::state::{Stage, State};
use super::view::PhaseKey;
use crate::rules::{Fate, Seat};

/// All facts; described in `tests/scenarios/README.md`.
pub fn facts(data: &Data, state: &State) -> BTreeMap<String, String> {
    let map = state.map(data);
    let mut facts = BTreeMap::new();
    let mut fact = |name: String, value: String| {
        facts.insert(name, value);
    };
    fact("map".to_owned(), state.map.clone());
    fact("turn".to_owned(), state.turn_no.to_string());
    fact("phase".to_owned(), PhaseKey::of(state).key().to_owned());
    fact("order".to_owned(), state.order.iter().map(Seat::to_string).collect::<Vec<_>>().join(" "));
    fact("exchanges".to_owned(), state.exchanges.to_string());
    fact("worth".to_owned(), worth(state.exchanges + 1).to_string());
    fact("deck".to_owned(), codes(map, &state.deck));
    fact("discard".to_owned(), codes(map, &state.discard));
    for seat in Seat::first(state.seats()) {
        let held = state.holdings.iter().filter(|holding| holding.owner == seat);
        fact(format!("countries.{seat}"), held.clone().count().to_string());
        fact(format!("armies.{seat}"), held.map(|holding| holding.armies).sum::<u32>().to_string());
        fact(format!("cards.{seat}"), codes(map, &state.hands[seat.index()]));
        fact(format!("card_count.{seat}"), state.hands[seat.index()].len().to_string());
        fact(format!("income.{seat}"), state.reinforcements(map, seat).total.to_string());
        fact(format!("fate.{seat}"), fate_word(state.fates[seat.index()]).to_owned());
    }
    for (country, holding) in map.countries.iter().zip(&state.holdings) {
        fact(country.code.to_string(), format!("{}{}", holding.owner, holding.armies));
    }
    match &state.stage {
        Stage::Placement { left, .. } => {
            for (seat, left) in Seat::first(state.seats()).zip(left) {
                fact(format!("to_place.{seat}"), left.to_string());
            }
        }
        Stage::Turn(turn) => {
            fact("seat".to_owned(), turn.seat.to_string());
            fact("left".to_owned(), turn.left.to_string());
            fact("captured".to_owned(), yes_no(turn.captured));
            fact("attacked".to_owned(), yes_no(turn.attacked));
            let code = |country: usize| map.countries[country].code;
            let occupy = turn.occupy.map_or("no".to_owned(), |way| format!("{} {}", code(way.from), code(way.to)));
            fact("occupy".to_owned(), occupy);
        }
        Stage::Over { winner } => {
            let outcome = winner.map_or("nobody".to_owned(), |winner| winner.to_string());
            fact("outcome".to_owned(), outcome);
        }
    }
    facts
}

fn codes(map: &GameMap, cards: &[usize]) -> String {
    cards.iter().map(|card| map.countries[*card].code.to_string()).collect::<Vec<_>>().join(" ")
}

fn yes_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// A fate as scenario files write it.
pub fn fate_word(fate: Fate) -> &'static str {
    match fate {
        Fate::Active => "active",
        Fate::Won => "won",
        Fate::Lost => "lost",
        Fate::Drew => "drew",
        Fate::Resigned => "resigned",
        Fate::Dropped => "dropped",
    }
}
