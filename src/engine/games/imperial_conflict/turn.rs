//! Turns beginning and ending (I3.1, I2.5), seats leaving, and the end of the game (I7.4 to I7.7).

use super::data::GameMap;
use super::event::{Draw, Event};
use super::setup::place_by_dice;
use super::state::{Stage, State, Turn};
use crate::rules::{Audience, Dice, Entry, Fate, Leaving, Seat};

/// A report while it grows.
pub type Report = Vec<Entry<Event>>;

/// Adds an entry everybody may read.
pub fn tell_all(report: &mut Report, event: Event) {
    report.push(Entry { audience: Audience::All, event });
}

/// Adds an entry for one seat.
pub fn tell_one(report: &mut Report, seat: Seat, event: Event) {
    report.push(Entry { audience: Audience::Only(vec![seat]), event });
}

/// Begins the turn of a seat: its reinforcements are counted once, now.
pub fn begin_turn(map: &GameMap, state: &mut State, seat: Seat, turn_no: u32, report: &mut Report) {
    let armies = state.reinforcements(map, seat);
    let continents = armies.continents.iter().map(|it| (map.continents[*it].name.clone(), map.continents[*it].bonus));
    tell_all(
        report,
        Event::TurnBegins {
            turn: turn_no,
            seat,
            countries: armies.countries,
            base: armies.base,
            continents: continents.collect(),
            total: armies.total,
        },
    );
    state.turn_no = turn_no;
    state.stage = Stage::Turn(Turn::begin(seat, armies.total));
}

/// Ends the turn of a seat: a card for having captured something, then the next active seat begins.
pub fn end_turn(map: &GameMap, state: &mut State, seat: Seat, captured: bool, dice: &mut Dice, report: &mut Report) {
    let (draw, card) = if captured { draw_card(state, dice) } else { (Draw::None, None) };
    tell_all(report, Event::TurnEnded { seat, draw });
    if let Some(card) = card {
        let hand = &mut state.hands[seat.index()];
        hand.push(card);
        hand.sort_unstable();
        let event = Event::Drew { seat, card: map.name_of(card).to_owned(), symbol: map.symbol(card) };
        tell_one(report, seat, event);
    }
    pass_on(map, state, seat, report);
}

/// Takes the next card; an empty deck is made again from the exchanged cards first.
fn draw_card(state: &mut State, dice: &mut Dice) -> (Draw, Option<usize>) {
    let mut draw = Draw::Card;
    if state.deck.is_empty() {
        if state.discard.is_empty() {
            return (Draw::Exhausted, None);
        }
        state.deck = std::mem::take(&mut state.discard);
        dice.shuffle_hidden("reshuffling the exchanged cards", &mut state.deck);
        draw = Draw::Reshuffled;
    }
    (draw, Some(state.deck.remove(0)))
}

/// The turn passes to the next active seat in order of play.
fn pass_on(map: &GameMap, state: &mut State, from: Seat, report: &mut Report) {
    let place = state.order.iter().position(|seat| *seat == from).expect("every seat is in the order of play");
    let after =
        state.order[place + 1..].iter().chain(&state.order[..place]).copied().find(|seat| state.is_active(*seat));
    if let Some(next) = after {
        begin_turn(map, state, next, state.turn_no + 1, report);
    }
}

/// Ends the game when at most one active seat is left. `conquest`: because everybody else was beaten just now.
pub fn settle(state: &mut State, report: &mut Report) -> bool {
    let active = state.active();
    let winner = match active.as_slice() {
        [] => None,
        [last] => Some(*last),
        _ => return false,
    };
    if let Some(winner) = winner {
        state.fates[winner.index()] = Fate::Won;
    }
    let conquest = winner.is_some_and(|winner| state.holdings.iter().all(|holding| holding.owner == winner));
    tell_all(report, Event::Over { winner, conquest });
    state.stage = Stage::Over { winner };
    true
}

/// Takes seats out of the game, all at once. Their armies stay and defend, their cards stay with them.
pub fn leave(map: &GameMap, state: &mut State, leavers: &[(Seat, Leaving)], dice: &mut Dice, report: &mut Report) {
    let mut gone = Vec::new();
    for (seat, how) in leavers {
        if !state.is_active(*seat) {
            continue;
        }
        state.fates[seat.index()] = match how {
            Leaving::Resigned => Fate::Resigned,
            Leaving::Dropped => Fate::Dropped,
        };
        tell_all(report, Event::Left { seat: *seat, how: *how });
        gone.push(*seat);
    }
    if gone.is_empty() || matches!(state.stage, Stage::Over { .. }) || settle(state, report) {
        return;
    }
    match &mut state.stage {
        Stage::Placement { left, running } => {
            *running = true;
            let armies: Vec<u32> = gone.iter().map(|seat| std::mem::take(&mut left[seat.index()])).collect();
            for (seat, armies) in gone.into_iter().zip(armies) {
                report.push(place_by_dice(map, state, seat, armies, dice));
            }
            start_if_placed(map, state, report);
        }
        Stage::Turn(turn) if gone.contains(&turn.seat) => {
            let seat = turn.seat;
            pass_on(map, state, seat, report);
        }
        Stage::Turn(turn) => turn.running = true,
        Stage::Over { .. } => {}
    }
}

/// The first turn begins once all starting armies stand.
pub fn start_if_placed(map: &GameMap, state: &mut State, report: &mut Report) {
    let placed = matches!(&state.stage, Stage::Placement { left, .. } if left.iter().all(|armies| *armies == 0));
    let first = state.order.iter().copied().find(|seat| state.is_active(*seat));
    if let (true, Some(first)) = (placed, first) {
        begin_turn(map, state, first, 1, report);
    }
}
