//! Whole games among bots: how long the engine takes for one, and by how much the stronger bot is stronger.
//!
//! Plays 200 games of Imperial Conflict with six bots, and of every game 500 between its two
//! bots. The time is the processor time of one thread spent in the engine: reading states, building views,
//! examining and resolving orders. The bots' own thinking is shown apart.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use stardate::games;
use stardate::rules::{Bot, Dice, Fate, FieldKind, Game, Seat, SeatSetup, Setup};

/// Steps after which a game is given up as endless.
const MOST_STEPS: u32 = 20_000;

/// Games of six that are timed.
const TIMED: u64 = 200;

/// Games between the two bots of a game.
const DUELS: u64 = 500;

struct Played {
    engine: Duration,
    thinking: Duration,
    steps: u32,
    turns: u32,
    fates: Vec<Fate>,
}

/// Plays the games among bots.
pub fn measure() {
    for engine in games::all() {
        let game = engine.load(&engine.embedded()).expect("the stock content is good");
        let bots = game.bots();
        if game.meta().seats.contains(&6) {
            six(&*game, &bots);
        }
        duels(&*game, &bots);
    }
}

fn six(game: &dyn Game, bots: &[Arc<dyn Bot>]) {
    let seats: Vec<&dyn Bot> = (0..6).map(|seat| bots[seat % bots.len()].as_ref()).collect();
    let setup = Setup { options: BTreeMap::new(), seats: vec![SeatSetup::new(); 6] };
    let games: Vec<Played> = (0..TIMED).map(|seed| play(game, &seats, &setup, seed)).collect();
    let unfinished = games.iter().filter(|played| played.fates.contains(&Fate::Active)).count();
    let sum =
        |figure: fn(&Played) -> u32| games.iter().map(figure).sum::<u32>() / u32::try_from(games.len()).expect("few");
    let name = game.meta().name;
    println!("{name}, {TIMED} games of six bots, {unfinished} unfinished:");
    let (engine, thinking) = (sorted(&games, |played| played.engine), sorted(&games, |played| played.thinking));
    println!("  in the engine: median {:.1} ms, worst {:.1} ms", median(&engine), millis(engine[engine.len() - 1]));
    println!("  the bots thought: median {:.1} ms", median(&thinking));
    println!("  on average: {} steps, {} turns", sum(|played| played.steps), sum(|played| played.turns));
}

/// The stronger bot against the weaker. Both bring the same as often, and sit first as often.
fn duels(game: &dyn Game, bots: &[Arc<dyn Bot>]) {
    let [weak, .., strong] = bots else { return };
    let (mut won, mut tied, mut slowest) = (0, 0, Duration::ZERO);
    let mut steps = 0;
    for nth in 0..DUELS {
        let first = nth % 2 == 0;
        let (seats, stronger) = if first { ([&**strong, &**weak], Seat::A) } else { ([&**weak, &**strong], Seat::B) };
        let played = play(game, &seats, &setup(game, nth / 2), 10_000 + nth);
        won += u32::from(played.fates[stronger.index()] == Fate::Won);
        tied += u32::from(!played.fates.contains(&Fate::Won));
        slowest = slowest.max(played.thinking / played.steps.max(1));
        steps += played.steps;
    }
    let share = f64::from(won) * 100.0 / DUELS as f64;
    println!("{}, {DUELS} games of {} against {}:", game.meta().name, strong.name(), weak.name());
    println!("  won {won} ({share:.1} %), tied or unfinished {tied}; {} steps on average", u64::from(steps) / DUELS);
    println!("  a plot took the bots {:.2} ms on average in the slowest game", millis(slowest));
}

/// Every choice of options and loadouts in turn.
fn setup(game: &dyn Game, nth: u64) -> Setup {
    let mut rest = usize::try_from(nth).expect("a small number");
    let mut answers = |fields: Vec<stardate::rules::Field>| -> SeatSetup {
        let answer = |field: stardate::rules::Field| {
            let values: Vec<String> = match field.kind {
                FieldKind::Choice(choices) => choices.into_iter().map(|choice| choice.value).collect(),
                FieldKind::Loadout => game.stock_loadouts().into_iter().map(|stock| stock.text).collect(),
            };
            let value = values[rest % values.len()].clone();
            rest /= values.len();
            (field.key.to_owned(), value)
        };
        fields.into_iter().map(answer).collect()
    };
    let options = answers(game.table_fields());
    let seats = (0..2).map(|_| answers(game.seat_fields())).collect();
    Setup { options, seats }
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

fn sorted(games: &[Played], figure: fn(&Played) -> Duration) -> Vec<Duration> {
    let mut times: Vec<Duration> = games.iter().map(figure).collect();
    times.sort();
    times
}

fn median(times: &[Duration]) -> f64 {
    millis(times[times.len() / 2])
}

fn play(game: &dyn Game, seats: &[&dyn Bot], setup: &Setup, seed: u64) -> Played {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    let mut chooser = Dice::for_seating(&secret);
    let mut played = Played { engine: Duration::ZERO, thinking: Duration::ZERO, steps: 0, turns: 0, fates: Vec::new() };
    let start = processor_time();
    let mut state =
        game.setup(setup, game.meta().edition, &mut Dice::for_phase(&secret, 0)).expect("the answers are right").state;
    played.engine += processor_time() - start;
    while played.steps < MOST_STEPS {
        let start = processor_time();
        let Some(phase) = game.phase(&state).expect("a state of this game") else { break };
        played.engine += processor_time() - start;
        played.steps += 1;
        played.turns = phase.turn;
        let mut plots = BTreeMap::new();
        for due in &phase.due {
            let start = processor_time();
            let view = game.view(&state, Some(due.seat)).expect("a state of this game");
            let desk = game.desk(&state, due.seat).expect("a state of this game");
            let seen = processor_time();
            let text = seats[due.seat.index()].plot(&view, &*desk, &mut chooser);
            let thought = processor_time();
            let examined = desk.examine(&text);
            assert!(examined.faults.is_empty(), "{text}{:?}", examined.faults);
            plots.insert(due.seat, examined.canonical());
            played.engine += (seen - start) + (processor_time() - thought);
            played.thinking += thought - seen;
        }
        let start = processor_time();
        let mut dice = Dice::for_phase(&secret, played.steps);
        state = game.resolve(&state, &plots, game.meta().edition, &mut dice).expect("a state of this game").state;
        played.engine += processor_time() - start;
    }
    played.fates = game.fates(&state).expect("a state of this game");
    played
}
