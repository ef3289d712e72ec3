//! Carrying out orders, one after the other, up to the first that cannot be: I2.2, attacks I4.1 to I4.10.

use std::collections::BTreeMap;

use super::cards::{MATCH_BONUS, SET, TOO_MANY, worth};
use super::data::GameMap;
use super::edition::Policy;
use super::event::Event;
use super::legal::{ATTACK_DICE, Action, Sight};
use super::order::Order;
use super::placement;
use super::setup::place;
use super::state::{Occupy, Stage, State, Undo};
use super::turn::{Report, end_turn, leave, settle, start_if_placed, tell_all, tell_one};
use crate::rules::{Dice, Fate, Leaving, Seat};

/// Everybody's starting armies are placed, then the first turn begins. A plot that is missing or cannot be
/// carried out is replaced by an even spread.
pub fn resolve_placement(map: &GameMap, state: &mut State, plots: &BTreeMap<Seat, Vec<Order>>, report: &mut Report) {
    let Stage::Placement { left, .. } = &state.stage else { return };
    let left = left.clone();
    for seat in state.active() {
        let armies = left[seat.index()];
        let own = |country: usize| state.holdings[country].owner == seat;
        let plot = plots.get(&seat).and_then(|orders| placement::read(map, own, armies, orders));
        let placed = plot.or_else(|| placement::read(map, own, armies, &[])).unwrap_or_default();
        report.push(place(map, state, seat, placed));
    }
    if let Stage::Placement { left, .. } = &mut state.stage {
        left.fill(0);
    }
    start_if_placed(map, state, report);
}

/// Carries out the orders of the player whose turn it is.
pub fn resolve_turn(
    map: &GameMap,
    state: &mut State,
    orders: &[Order],
    policy: &'static Policy,
    dice: &mut Dice,
    report: &mut Report,
) {
    let Some(turn) = state.turn() else { return };
    let (seat, turn_no) = (turn.seat, state.turn_no);
    let mut stopped: Option<&str> = None;
    for order in orders {
        let allowed = match (stopped, sight(map, state, policy)) {
            (Some(reason), _) => Err(reason.to_owned()),
            (None, Some(sight)) => sight.allow(order),
            (None, None) => Err("It is nobody's turn.".to_owned()),
        };
        match allowed {
            Ok(action) => carry_out(map, state, action, dice, report),
            Err(reason) => {
                tell_one(report, seat, Event::NotDone { seat, order: order.to_string(), reason });
                stopped = stopped.or(Some("An order before it was not carried out."));
                continue;
            }
        }
        if matches!(state.stage, Stage::Over { .. }) {
            stopped = Some("The game is over.");
        } else if state.turn_no != turn_no {
            stopped = Some("The turn has ended.");
        }
    }
    if let Stage::Turn(turn) = &mut state.stage
        && state.turn_no == turn_no
    {
        turn.running = true;
    }
}

/// What decides about orders now; `None` when it is nobody's turn.
fn sight<'a>(map: &'a GameMap, state: &'a State, policy: &'static Policy) -> Option<Sight<'a>> {
    let turn = state.turn()?;
    Some(Sight { map, holdings: &state.holdings, hand: &state.hands[turn.seat.index()], turn, policy })
}

/// Carries out what was allowed.
fn carry_out(map: &GameMap, state: &mut State, action: Action, dice: &mut Dice, report: &mut Report) {
    let Some(turn) = state.turn_mut() else { return };
    let (seat, captured) = (turn.seat, turn.captured);
    if !matches!(action, Action::Occupy { .. } | Action::Undo) {
        turn.occupy = None;
    }
    match action {
        Action::Exchange(cards) => exchange(map, state, cards, report),
        Action::Deploy { armies, country } => deploy(map, state, armies, country, report),
        Action::Attack { way, dice: most, until } => attack(map, state, way, most, until, dice, report),
        Action::Occupy { armies, way } => occupy(map, state, armies, way, report),
        Action::Fortify { armies, way } => {
            move_armies(state, way, armies);
            let (from, to) = named(map, way);
            tell_all(report, Event::Fortified { seat, armies, from, to });
            end_turn(map, state, seat, captured, dice, report);
        }
        Action::End => end_turn(map, state, seat, captured, dice, report),
        Action::Undo => undo(map, state, report),
        Action::Resign => leave(map, state, &[(seat, Leaving::Resigned)], dice, report),
    }
}

fn named(map: &GameMap, way: Occupy) -> (String, String) {
    (map.name_of(way.from).to_owned(), map.name_of(way.to).to_owned())
}

fn move_armies(state: &mut State, way: Occupy, armies: u32) {
    state.holdings[way.from].armies -= armies;
    state.holdings[way.to].armies += armies;
}

fn exchange(map: &GameMap, state: &mut State, cards: [usize; SET], report: &mut Report) {
    let nth = state.exchanges + 1;
    let armies = worth(nth);
    let Some(turn) = state.turn_mut() else { return };
    let seat = turn.seat;
    turn.left += armies;
    turn.undo.clear();
    state.exchanges = nth;
    state.hands[seat.index()].retain(|card| !cards.contains(card));
    state.discard.extend(cards);
    let mut bonus = Vec::new();
    for country in cards {
        if state.holdings[country].owner == seat {
            state.holdings[country].armies += MATCH_BONUS;
            bonus.push(map.name_of(country).to_owned());
        }
    }
    let cards = cards.map(|card| (map.name_of(card).to_owned(), map.symbol(card))).to_vec();
    tell_all(report, Event::Exchanged { seat, cards, nth, armies, bonus });
}

fn deploy(map: &GameMap, state: &mut State, armies: u32, country: usize, report: &mut Report) {
    let Some(turn) = state.turn_mut() else { return };
    turn.left = turn.left.saturating_sub(armies);
    turn.undo.push(Undo::Deploy { armies, country });
    let (seat, left) = (turn.seat, turn.left);
    state.holdings[country].armies += armies;
    tell_all(report, Event::Deployed { seat, armies, country: map.name_of(country).to_owned(), left });
}

fn occupy(map: &GameMap, state: &mut State, armies: u32, way: Occupy, report: &mut Report) {
    let Some(turn) = state.turn_mut() else { return };
    turn.occupy = None;
    turn.undo.push(Undo::Occupy { armies, way });
    let seat = turn.seat;
    move_armies(state, way, armies);
    let (from, to) = named(map, way);
    if armies > 0 {
        tell_all(report, Event::Occupied { seat, armies, from, to });
    }
}

fn undo(map: &GameMap, state: &mut State, report: &mut Report) {
    let Some(turn) = state.turn_mut() else { return };
    let seat = turn.seat;
    let Some(step) = turn.undo.pop() else { return };
    match step {
        Undo::Deploy { armies, country } => {
            turn.left += armies;
            state.holdings[country].armies -= armies;
            let country = map.name_of(country).to_owned();
            tell_all(report, Event::TookBackDeployment { seat, armies, country });
        }
        Undo::Occupy { armies, way } => {
            turn.occupy = Some(way);
            move_armies(state, Occupy { from: way.to, to: way.from }, armies);
            if armies > 0 {
                let (to, from) = named(map, way);
                tell_all(report, Event::TookBackOccupation { seat, armies, from, to });
            }
        }
    }
}

fn attack(
    map: &GameMap,
    state: &mut State,
    way: Occupy,
    most_dice: u32,
    until: Option<u32>,
    dice: &mut Dice,
    report: &mut Report,
) {
    let Some(turn) = state.turn_mut() else { return };
    turn.attacked = true;
    turn.undo.clear();
    let seat = turn.seat;
    let against = state.holdings[way.to].owner;
    let (from, to) = named(map, way);
    let sides = [
        (seat, format!("{seat} attacks {to} from {from}")),
        (against, format!("{against} defends {to} against {from}")),
    ];
    loop {
        let attackers = state.holdings[way.from].armies;
        let rolling = most_dice.min(ATTACK_DICE).min(attackers - 1);
        let rolled = roll(&sides, rolling, state.holdings[way.to].armies.min(2), dice);
        state.holdings[way.from].armies -= rolled.attacker_lost;
        state.holdings[way.to].armies -= rolled.defender_lost;
        let (attackers, defenders) = (state.holdings[way.from].armies, state.holdings[way.to].armies);
        tell_all(
            report,
            Event::Rolled {
                seat,
                against,
                from: from.clone(),
                to: to.clone(),
                attack: rolled.attack,
                defence: rolled.defence,
                attacker_lost: rolled.attacker_lost,
                defender_lost: rolled.defender_lost,
                attackers,
                defenders,
            },
        );
        if defenders == 0 {
            // A roll that captures has lost no die: see `roll`.
            capture(map, state, seat, against, way, rolling, report);
            return;
        }
        if attackers < 2 || until.is_none_or(|until| attackers <= until) {
            return;
        }
    }
}

/// One roll, highest dice first.
struct Roll {
    attack: Vec<i64>,
    defence: Vec<i64>,
    attacker_lost: u32,
    defender_lost: u32,
}

/// Throws the dice of attacker and defender and compares them: highest against highest, second against second, ties to the defender.
/// A defender is beaten to the last army only by winning every comparison, because it rolls as many dice as
/// it has armies up to two; so a capture never costs the attacker a die of the same roll.
fn roll(sides: &[(Seat, String); 2], attacking: u32, defending: u32, dice: &mut Dice) -> Roll {
    let mut throw = |(seat, purpose): &(Seat, String), count: u32| {
        let mut thrown: Vec<i64> = (0..count).map(|_| dice.roll_for(*seat, purpose, 1, 6)).collect();
        thrown.sort_unstable_by(|one, other| other.cmp(one));
        thrown
    };
    let attack = throw(&sides[0], attacking);
    let defence = throw(&sides[1], defending);
    let compared = attack.len().min(defence.len());
    let won = attack.iter().zip(&defence).filter(|(attacker, defender)| attacker > defender).count();
    let lost = |dice: usize| u32::try_from(dice).expect("at most two comparisons");
    Roll { attack, defence, attacker_lost: lost(compared - won), defender_lost: lost(won) }
}

fn capture(map: &GameMap, state: &mut State, seat: Seat, loser: Seat, way: Occupy, armies: u32, report: &mut Report) {
    if let Some(turn) = state.turn_mut() {
        turn.captured = true;
        turn.occupy = Some(way);
    }
    state.holdings[way.to].owner = seat;
    move_armies(state, way, armies);
    let (from, to) = named(map, way);
    tell_all(report, Event::Captured { seat, against: loser, from, to, armies });
    if state.countries_of(loser) > 0 {
        return;
    }
    let had_left = !state.is_active(loser);
    if !had_left {
        state.fates[loser.index()] = Fate::Lost;
    }
    let cards = std::mem::take(&mut state.hands[loser.index()]);
    tell_all(report, Event::Eliminated { seat, loser, had_left, cards: cards.len() });
    if !cards.is_empty() {
        let named = cards.iter().map(|card| (map.name_of(*card).to_owned(), map.symbol(*card))).collect();
        tell_one(report, seat, Event::TookCards { seat, from: loser, cards: named });
    }
    let hand = &mut state.hands[seat.index()];
    hand.extend(cards);
    hand.sort_unstable();
    let held = hand.len();
    if !settle(state, report) && held >= TOO_MANY {
        tell_all(report, Event::MustExchange { seat, cards: held });
    }
}
