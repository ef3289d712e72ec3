//! Bots play legal games to their end, and the stronger one is stronger.

use std::collections::BTreeMap;

use stardate::rules::bot::ask;
use stardate::rules::{Bot, Dice, Fate, Seat, Setup};

use super::{game, secret};

/// Steps after which a game would be endless.
const MOST_STEPS: u32 = 8_000;

/// Plays one game; the fates, and the texts of all orders.
fn play(seats: &[&dyn Bot], options: &BTreeMap<String, String>, seed: u64) -> (Vec<Fate>, String) {
    let game = game();
    let secret = secret(seed);
    let mut chooser = Dice::for_seating(&secret);
    let setup = Setup { options: options.clone(), seats: vec![BTreeMap::new(); seats.len()] };
    let mut state = game.setup(&setup, &mut Dice::for_phase(&secret, 0)).unwrap().state;
    let mut orders = String::new();
    for step in 1.. {
        let Some(phase) = game.phase(&state).unwrap() else { break };
        assert!(step < MOST_STEPS, "an endless game, seed {seed}");
        let mut plots = BTreeMap::new();
        for due in phase.due {
            let text = ask(game, seats[due.seat.index()], &state, due.seat, &mut chooser).unwrap();
            let examined = game.examine(&state, due.seat, &text).unwrap();
            assert!(examined.faults.is_empty(), "seed {seed}: {text}{:?}", examined.faults);
            orders.push_str(&text);
            plots.insert(due.seat, examined.canonical());
        }
        state = game.resolve(&state, &plots, &mut Dice::for_phase(&secret, step)).unwrap().state;
    }
    (game.fates(&state).unwrap(), orders)
}

fn bots() -> [std::sync::Arc<dyn Bot>; 2] {
    game().bots().try_into().ok().expect("there are two bots")
}

/// Measured over 500 games the stronger bot wins 96 %; 70 % are asked for. Of these few it must win 75 %.
#[test]
fn the_stronger_bot_wins_clearly() {
    let [weak, strong] = bots();
    assert!(weak.strength() < strong.strength());
    const GAMES: u64 = 24;
    let mut won = 0;
    for seed in 0..GAMES {
        let stronger = if seed % 2 == 0 { Seat::A } else { Seat::B };
        let seats = if seed % 2 == 0 { [&*strong, &*weak] } else { [&*weak, &*strong] };
        let (fates, _) = play(&seats, &BTreeMap::new(), seed);
        won += u64::from(fates[stronger.index()] == Fate::Won);
    }
    assert!(won * 4 >= GAMES * 3, "the stronger bot won {won} of {GAMES} games");
}

#[test]
fn bots_play_tables_of_every_size_on_every_map_to_the_end() {
    let [weak, strong] = bots();
    for (map, placement, count) in [("world", "plotted", 6), ("sector", "random", 4), ("world", "random", 3)] {
        let options = [("map", map), ("placement", placement)];
        let options = options.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let seats: Vec<&dyn Bot> = (0..count).map(|at| if at % 2 == 0 { &*weak } else { &*strong }).collect();
        let (fates, orders) = play(&seats, &options, 7);
        assert_eq!(fates.iter().filter(|fate| **fate == Fate::Won).count(), 1, "{fates:?}");
        assert_eq!(orders, play(&seats, &options, 7).1, "a bot's choices come from its own dice alone");
    }
}
