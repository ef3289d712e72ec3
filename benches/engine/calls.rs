//! What each call into a game costs, on every position of some games that bots have played.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use stardate::games;
use stardate::games::imperial_conflict::odds;
use stardate::rules::{Dice, Game, Seat, SeatSetup, Setup};

/// How long each call is measured at least.
const LONG_ENOUGH: Duration = Duration::from_millis(400);

/// Games whose positions are measured on.
const GAMES: u8 = 3;

/// Steps each is played at most.
const STEPS: u32 = 300;

/// A phase of a game: its state and what was handed in.
struct Position {
    state: String,
    step: u32,
    plots: BTreeMap<Seat, String>,
}

/// Measures every game, and the table of odds.
pub fn measure() {
    for engine in games::all() {
        let game = engine.load(&engine.embedded()).expect("the stock content is good");
        let positions: Vec<Position> = (0..GAMES).flat_map(|seed| play(&*game, seed)).collect();
        let bytes: usize = positions.iter().map(|position| position.state.len()).sum();
        let name = game.meta().name;
        println!("{name}, {} positions, {} bytes of state each:", positions.len(), bytes / positions.len().max(1));
        calls(&*game, &positions);
    }
    let took = per_call(&[()], |()| drop(black_box(odds::odds(black_box(40), black_box(30)))));
    println!("The odds of 40 armies against 30: {took:.1} µs");
}

fn calls(game: &dyn Game, positions: &[Position]) {
    let first = |position: &Position| position.plots.keys().next().copied();
    let told = |what: &str, call: &dyn Fn(&Position)| {
        println!("  {what:<44} {:>8.1} µs", per_call(positions, call));
    };
    told("whose orders are due (phase)", &|it| drop(black_box(game.phase(&it.state))));
    told("what a player sees (view)", &|it| drop(black_box(game.view(&it.state, first(it)))));
    told("what everybody sees (view)", &|it| drop(black_box(game.view(&it.state, None))));
    told("a desk to write orders at (desk)", &|it| {
        if let Some(seat) = first(it) {
            drop(black_box(game.desk(&it.state, seat)));
        }
    });
    told("what may be ordered (offers)", &|it| {
        if let Some(seat) = first(it) {
            drop(black_box(game.offers(&it.state, seat)));
        }
    });
    told("a plot read and checked (examine)", &|it| {
        if let Some((seat, text)) = it.plots.iter().next() {
            drop(black_box(game.examine(&it.state, *seat, text)));
        }
    });
    told("a step (resolve)", &|it| drop(black_box(resolve(game, it))));
}

fn resolve(game: &dyn Game, position: &Position) -> String {
    let mut dice = Dice::for_phase(&[0; 32], position.step);
    let edition = game.meta().edition;
    game.resolve(&position.state, &position.plots, edition, &mut dice).expect("a state of this game").state
}

/// The time of one call, on average, in microseconds.
fn per_call<T>(on: &[T], call: impl Fn(&T)) -> f64 {
    on.iter().for_each(&call);
    let (start, mut calls) = (Instant::now(), 0_usize);
    while start.elapsed() < LONG_ENOUGH {
        on.iter().for_each(&call);
        calls += on.len();
    }
    start.elapsed().as_secs_f64() * 1e6 / calls as f64
}

/// The positions of a game of two of the strongest bots.
fn play(game: &dyn Game, seed: u8) -> Vec<Position> {
    let secret = [seed; 32];
    let mut chooser = Dice::for_seating(&secret);
    let bot = game.bots().into_iter().max_by_key(|bot| bot.strength()).expect("the game has bots");
    let setup = Setup { options: first_choices(game.table_fields()), seats: vec![seat_setup(game); 2] };
    let start = game.setup(&setup, game.meta().edition, &mut Dice::for_phase(&secret, 0));
    let mut state = start.expect("the answers are right").state;
    let mut positions = Vec::new();
    for step in 1..=STEPS {
        let Some(phase) = game.phase(&state).expect("a state of this game") else { break };
        let mut plots = BTreeMap::new();
        for due in &phase.due {
            let view = game.view(&state, Some(due.seat)).expect("a state of this game");
            let desk = game.desk(&state, due.seat).expect("a state of this game");
            plots.insert(due.seat, desk.examine(&bot.plot(&view, &*desk, &mut chooser)).canonical());
        }
        let position = Position { state, step, plots };
        state = resolve(game, &position);
        positions.push(position);
    }
    positions
}

fn seat_setup(game: &dyn Game) -> SeatSetup {
    let mut answers = first_choices(game.seat_fields());
    for field in game.seat_fields() {
        if let (stardate::rules::FieldKind::Loadout, Some(stock)) =
            (&field.kind, game.stock_loadouts().into_iter().next())
        {
            answers.insert(field.key.to_owned(), stock.text);
        }
    }
    answers
}

/// The first choice of every field that has choices.
fn first_choices(fields: Vec<stardate::rules::Field>) -> BTreeMap<String, String> {
    let first = |field: stardate::rules::Field| match field.kind {
        stardate::rules::FieldKind::Choice(choices) => Some((field.key.to_owned(), choices.into_iter().next()?.value)),
        stardate::rules::FieldKind::Loadout => None,
    };
    fields.into_iter().filter_map(first).collect()
}
