//! Imperial Conflict: one recorded game for each way a table can end.

use std::collections::BTreeMap;

use stardate::games;
use stardate::rules::bot::ask;
use stardate::rules::{Dice, Fate, Leaving, Seat, Setup};
use stardate::tables::record::{Record, replay};
use stardate::tables::verify::verify;

use super::{Chooser, Script, play, read, secret, write_once};

const GAME: &str = "imperial-conflict";

/// Who leaves before a step is played, by what has happened so far.
type Exits = fn(steps: usize, fates: &[Fate], due: Seat) -> Vec<(Seat, Leaving)>;

struct Ending {
    name: &'static str,
    seats: usize,
    placement: &'static str,
    seed: u64,
    exits: Exits,
}

fn others(fates: &[Fate], seat: Seat) -> Vec<Seat> {
    Seat::first(fates.len()).filter(|other| *other != seat && fates[other.index()] == Fate::Active).collect()
}

/// Every way a table can end.
fn endings() -> Vec<Ending> {
    use Fate::{Dropped, Lost, Resigned};
    vec![
        Ending { name: "conquest", seats: 2, placement: "plotted", seed: 1, exits: |_, _, _| Vec::new() },
        Ending {
            name: "others-resigned",
            seats: 3,
            placement: "random",
            seed: 2,
            // Out of turn both times.
            exits: |steps, fates, due| match (steps, others(fates, due).as_slice()) {
                (6 | 12, [.., last]) => vec![(*last, Leaving::Resigned)],
                _ => Vec::new(),
            },
        },
        Ending {
            name: "others-dropped",
            seats: 4,
            placement: "random",
            seed: 3,
            exits: |steps, _, due| if steps % 5 == 4 { vec![(due, Leaving::Dropped)] } else { Vec::new() },
        },
        Ending {
            name: "mixed",
            seats: 4,
            placement: "random",
            seed: 4,
            // Once somebody is beaten, one resigns and the next is dropped.
            exits: |_, fates, due| {
                let beaten = fates.contains(&Lost);
                match (beaten, fates.contains(&Resigned), others(fates, due).as_slice()) {
                    (true, false, [first, ..]) => vec![(*first, Leaving::Resigned)],
                    (true, true, _) if !fates.contains(&Dropped) => vec![(due, Leaving::Dropped)],
                    _ => Vec::new(),
                }
            },
        },
        Ending {
            name: "nobody-left",
            seats: 3,
            placement: "plotted",
            seed: 5,
            exits: |_, _, _| Seat::first(3).map(|seat| (seat, Leaving::Dropped)).collect(),
        },
    ]
}

#[test]
fn recorded_games_of_every_ending_replay_byte_for_byte() {
    let engines = games::all();
    for ending in endings() {
        write_once(GAME, ending.name, || played(&ending));
        let text = read(GAME, ending.name);
        let replayed = replay(&text, &engines).unwrap_or_else(|fault| panic!("{}: {fault}", ending.name));
        let record = Record::from_text(&text).unwrap();
        assert_eq!(record.to_text(), text, "{}: reading and writing changes nothing", ending.name);
        assert_eq!(replayed.positions.len(), record.steps.len() + 1);
        for check in verify(&text, &engines).unwrap() {
            assert!(check.holds, "{}: {}", ending.name, check.words);
        }
        let results: Vec<&str> = record.results.iter().map(|result| result.result.as_str()).collect();
        let count = |result: &str| results.iter().filter(|found| **found == result).count();
        let won = count("won");
        match ending.name {
            "conquest" => assert_eq!((won, count("lost")), (1, 1), "{results:?}"),
            "others-resigned" => assert_eq!((won, count("resigned")), (1, 2), "{results:?}"),
            "others-dropped" => assert_eq!((won, count("dropped")), (1, 3), "{results:?}"),
            "mixed" => {
                assert_eq!((won, count("lost"), count("resigned"), count("dropped")), (1, 1, 1, 1), "{results:?}")
            }
            _ => assert_eq!((won, count("dropped")), (0, 3), "{results:?}"),
        }
    }
}

#[test]
fn a_record_from_before_throws_said_whose_they_are_replays_all_the_same() {
    let engines = games::all();
    let text = read(GAME, "others-resigned");
    let record = Record::from_text(&text).unwrap();
    let changed = |change: fn(&mut Option<Seat>)| {
        let mut changed = record.clone();
        for throw in changed.steps.iter_mut().flat_map(|step| &mut step.throws).filter(|throw| throw.by.is_some()) {
            change(&mut throw.by);
        }
        assert_ne!(changed, record, "there are dice of players in it");
        changed.to_text()
    };
    let old = changed(|by| *by = None);
    assert!(!old.contains("\"by\""));
    replay(&old, &engines).unwrap();
    assert!(verify(&old, &engines).unwrap().iter().all(|check| check.holds));
    let wrong = changed(|by| *by = Seat::from_index(9));
    let told = replay(&wrong, &engines).unwrap_err().to_string();
    assert!(told.contains("the dice thrown differ"), "{told}");
}

/// A game among bots on the smaller map, as a table would record it.
fn played(ending: &Ending) -> Record {
    let options =
        [("map", "sector"), ("placement", ending.placement)].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let setup = Setup { options: options.into(), seats: vec![BTreeMap::new(); ending.seats] };
    let mut dice = Dice::for_phase(&secret(ending.seed), u32::MAX);
    let plot: Chooser = Box::new(move |game, state, seat| {
        let bots = game.bots();
        Some(ask(game, &*bots[seat.index() % bots.len()], state, seat, &mut dice).unwrap())
    });
    let keep = |path: &str| path.ends_with("sector.toml");
    let edition = |_| 2;
    play(
        Script { game: GAME, table: "imperial0001", name: ending.name, seed: ending.seed, setup, edition, keep },
        ending.exits,
        plot,
    )
}
