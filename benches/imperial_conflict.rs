//! Whole games of Imperial Conflict among bots: how long the engine takes for one, and which bot is stronger.
//!
//! `cargo bench` plays 200 games of six and 500 of two. Counted is the processor time spent in the engine, on
//! one thread: reading states, building views, examining and resolving orders. The bots' own thinking is shown
//! apart.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use stardate::games::imperial_conflict::ImperialConflict;
use stardate::rules::{Bot, Dice, Fate, Game, Seat, Setup, engine};

/// Steps after which a game is given up as endless.
const MOST_STEPS: u32 = 20_000;

struct Played {
    seed: u64,
    engine: Duration,
    thinking: Duration,
    steps: u32,
    turns: u32,
    winner: Option<Seat>,
}

fn main() {
    let engine = engine(ImperialConflict::new());
    let game = engine.load(&engine.embedded()).expect("the stock maps are good");
    let bots = game.bots();
    six(&*game, &bots);
    two(&*game, &bots);
}

fn six(game: &dyn Game, bots: &[Arc<dyn Bot>]) {
    let seats: Vec<&dyn Bot> = (0..6).map(|seat| bots[seat % bots.len()].as_ref()).collect();
    let mut games: Vec<Played> = (0..200).map(|seed| play(game, &seats, seed)).collect();
    let unfinished = games.iter().filter(|played| played.winner.is_none()).count();
    let steps: u32 = games.iter().map(|played| played.steps).sum();
    let turns: u32 = games.iter().map(|played| played.turns).sum();
    games.sort_by_key(|played| played.engine);
    let middle = &games[games.len() / 2];
    let worst = &games[games.len() - 1];
    println!(
        "six bots, 200 games: median {:.1} ms in the engine, worst {:.1} ms; {} steps and {} turns a game on average, \
         {unfinished} unfinished",
        millis(middle.engine),
        millis(worst.engine),
        steps / 200,
        turns / 200
    );
    games.sort_by_key(|played| played.thinking);
    let endless: Vec<u64> = games.iter().filter(|played| played.winner.is_none()).map(|played| played.seed).collect();
    println!("  endless: {endless:?}");
    println!("  the bots thought for {:.1} ms (median)", millis(games[games.len() / 2].thinking));
}

fn two(game: &dyn Game, bots: &[Arc<dyn Bot>]) {
    let (weak, strong) = (bots[0].as_ref(), bots[bots.len() - 1].as_ref());
    let mut won = 0;
    for seed in 0..500 {
        // Who sits first changes from game to game.
        let (seats, stronger) = if seed % 2 == 0 { ([strong, weak], Seat::A) } else { ([weak, strong], Seat::B) };
        won += u32::from(play(game, &seats, 10_000 + seed).winner == Some(stronger));
    }
    println!("{} against {}, 500 games of two: won {:.1} %", strong.name(), weak.name(), f64::from(won) / 5.0);
}

/// Time this thread has run. Where the system does not tell, time that has passed.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split_whitespace().next().and_then(|first| first.parse().ok()));
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn play(game: &dyn Game, seats: &[&dyn Bot], seed: u64) -> Played {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    let mut chooser = Dice::for_seating(&secret);
    let setup = Setup { options: BTreeMap::new(), seats: vec![BTreeMap::new(); seats.len()] };
    let mut played =
        Played { seed, engine: Duration::ZERO, thinking: Duration::ZERO, steps: 0, turns: 0, winner: None };
    let start = processor_time();
    let mut state = game.setup(&setup, &mut Dice::for_phase(&secret, 0)).expect("the options are right").state;
    played.engine += processor_time() - start;
    while played.steps < MOST_STEPS {
        played.steps += 1;
        let start = processor_time();
        let Some(phase) = game.phase(&state).expect("a state of this game") else { break };
        let seat = phase.due[0].seat;
        let view = game.view(&state, Some(seat)).expect("a state of this game");
        let desk = game.desk(&state, seat).expect("a state of this game");
        played.engine += processor_time() - start;
        let start = processor_time();
        let text = seats[seat.index()].plot(&view, &*desk, &mut chooser);
        played.thinking += processor_time() - start;
        let start = processor_time();
        let examined = desk.examine(&text);
        assert!(examined.faults.is_empty(), "{text}{:?}", examined.faults);
        let plots = BTreeMap::from([(seat, examined.canonical())]);
        let mut dice = Dice::for_phase(&secret, played.steps);
        state = game.resolve(&state, &plots, &mut dice).expect("a state of this game").state;
        played.engine += processor_time() - start;
        played.turns = phase.turn;
    }
    let fates = game.fates(&state).expect("a state of this game");
    played.winner = fates.iter().position(|fate| *fate == Fate::Won).and_then(Seat::from_index);
    played
}
