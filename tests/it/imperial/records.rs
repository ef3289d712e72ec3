//! Recorded whole games, one for each way a table can end. They replay byte for byte.
//!
//! The files are in `tests/records/imperial-conflict/`. When a change of the rules counts up their edition, the
//! games are played anew with `STARDATE_WRITE_RECORDS=1 cargo test --test it imperial::records`, and the new files
//! are read like any change.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use stardate::games;
use stardate::rules::bot::ask;
use stardate::rules::{Content, Dice, Fate, Game, Leaving, Seat, Setup};
use stardate::tables::record::{
    DiceRecord, FORMAT, Opening, PlotRecord, Record, ResultRecord, Seating, StepRecord, replay, sha256,
};
use stardate::tables::verify::verify;

use super::{engine_of, secret};

const TABLE: &str = "imperial0001";
const MOMENT: &str = "2026-01-05T12:00:00";

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

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/records/imperial-conflict/{name}.json"))
}

#[test]
fn recorded_games_of_every_ending_replay_byte_for_byte() {
    let engines = games::all();
    for ending in endings() {
        if std::env::var_os("STARDATE_WRITE_RECORDS").is_some() {
            write(&ending);
        }
        let text = std::fs::read_to_string(path(ending.name)).unwrap();
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
    let text = std::fs::read_to_string(path("others-resigned")).unwrap();
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

fn write(ending: &Ending) {
    let path = path(ending.name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, play(ending).to_text()).unwrap();
}

/// A game among bots on the smaller map, as a table would record it.
fn play(ending: &Ending) -> Record {
    let engine = engine_of("imperial-conflict");
    let content: Content = engine.embedded().into_iter().filter(|(path, _)| path.ends_with("sector.toml")).collect();
    let game = engine.load(&content).unwrap();
    let bots = game.bots();
    let secret = secret(ending.seed);
    let mut chooser = Dice::for_phase(&secret, u32::MAX);
    let options =
        [("map", "sector"), ("placement", ending.placement)].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let setup = Setup { options: options.into(), seats: vec![BTreeMap::new(); ending.seats] };
    let mut dice = Dice::for_phase(&secret, 0);
    let first = game.setup(&setup, &mut dice).unwrap();
    let edition = i32::try_from(game.meta().edition).unwrap();
    let opening =
        Opening { edition, throws: dice.throws().to_vec(), report: first.report, state_sha256: sha256(&first.state) };
    let mut state = first.state;
    let mut steps: Vec<StepRecord> = Vec::new();
    let mut scores = BTreeMap::new();
    while let Some(phase) = game.phase(&state).unwrap() {
        let no = i32::try_from(steps.len() + 1).unwrap();
        assert!(no < 3_000, "{} does not end", ending.name);
        let fates = game.fates(&state).unwrap();
        let leavers = (ending.exits)(steps.len(), &fates, phase.due[0].seat);
        let mut plots = BTreeMap::new();
        for due in phase.due.iter().filter(|_| leavers.is_empty()) {
            let bot = &bots[due.seat.index() % bots.len()];
            let text = ask(&*game, &**bot, &state, due.seat, &mut chooser).unwrap();
            let body = game.examine(&state, due.seat, &text).unwrap().canonical();
            plots.insert(due.seat, plot(no, due.seat, &body));
        }
        let bodies = plots.iter().map(|(seat, plot): (&Seat, &PlotRecord)| (*seat, plot.body.clone())).collect();
        let mut dice = Dice::for_phase(&secret, u32::try_from(no).unwrap());
        let after = match leavers.is_empty() {
            true => game.resolve(&state, &bodies, &mut dice).unwrap(),
            false => game.leave(&state, &leavers, &mut dice).unwrap(),
        };
        score(&mut scores, &fates, &game.fates(&after.state).unwrap());
        steps.push(StepRecord {
            no,
            key: phase.key,
            name: phase.name,
            turn: i32::try_from(phase.turn).unwrap(),
            edition,
            opened_at: MOMENT.to_owned(),
            deadline_at: None,
            closed_at: MOMENT.to_owned(),
            closed_by: closed_by(&leavers).to_owned(),
            plots,
            leavers,
            throws: dice.throws().to_vec(),
            report: after.report,
            state_sha256: sha256(&after.state),
        });
        state = after.state;
    }
    let fates = game.fates(&state).unwrap();
    finish(ending, &*game, &secret, content, setup, opening, steps, &fates, &scores)
}

fn closed_by(leavers: &[(Seat, Leaving)]) -> &'static str {
    match leavers.first() {
        None => "plots",
        Some((_, Leaving::Dropped)) => "dropped",
        Some((_, Leaving::Resigned)) => "resigned",
    }
}

fn plot(no: i32, seat: Seat, body: &str) -> PlotRecord {
    let salt = format!("{no:016x}{:016x}", seat.index());
    let seal = Sha256::digest(format!("stardate plot v1\n{TABLE}\n{no}\n{seat}\n{salt}\n{body}").as_bytes());
    PlotRecord {
        body: body.to_owned(),
        source: "hand".to_owned(),
        salt,
        seal: data_encoding::HEXLOWER.encode(&seal),
        handed_in_at: MOMENT.to_owned(),
    }
}

/// Notes the score of fates sealed by a step, by the table of the rules.
fn score(scores: &mut BTreeMap<usize, i32>, before: &[Fate], after: &[Fate]) {
    let active = before.iter().filter(|fate| **fate == Fate::Active).count();
    for (seat, fate) in after.iter().enumerate().filter(|(seat, _)| before[*seat] == Fate::Active) {
        let change = match fate {
            Fate::Active => continue,
            Fate::Won => [1, 1, 1, 2, 4, 5, 7][after.len()],
            Fate::Lost => -1,
            Fate::Drew => 0,
            Fate::Resigned => {
                if active > 2 {
                    -2
                } else {
                    -1
                }
            }
            Fate::Dropped => -3,
        };
        scores.insert(seat, change);
    }
}

#[allow(clippy::too_many_arguments, reason = "everything a record is made of")]
fn finish(
    ending: &Ending,
    game: &dyn Game,
    secret: &[u8; 32],
    content: Content,
    setup: Setup,
    opening: Opening,
    steps: Vec<StepRecord>,
    fates: &[Fate],
    scores: &BTreeMap<usize, i32>,
) -> Record {
    let mut dice = Dice::for_seating(secret);
    let mut order: Vec<usize> = (0..fates.len()).collect();
    dice.shuffle("seats", &mut order);
    let word = |fate: Fate| match fate {
        Fate::Won => "won",
        Fate::Lost => "lost",
        Fate::Resigned => "resigned",
        Fate::Dropped => "dropped",
        Fate::Drew | Fate::Active => panic!("not in this game"),
    };
    let results: Vec<ResultRecord> = Seat::first(fates.len())
        .map(|seat| ResultRecord {
            seat,
            result: word(fates[seat.index()]).to_owned(),
            score_change: scores[&seat.index()],
        })
        .collect();
    let outcome: Vec<String> = results.iter().map(|result| format!("{} {}", result.seat, result.result)).collect();
    Record {
        format: FORMAT.to_owned(),
        table: TABLE.to_owned(),
        title: format!("A game that ends: {}", ending.name),
        game: game.meta().id.to_owned(),
        ranked: true,
        time_limit_s: 86_400,
        passes_allowed: 0,
        players: Seat::first(fates.len()).map(|seat| format!("Player {seat}")).collect(),
        started_at: MOMENT.to_owned(),
        ended_at: MOMENT.to_owned(),
        dice: DiceRecord { hash: Dice::commitment(secret), secret: data_encoding::HEXLOWER.encode(secret) },
        seating: Seating { order, throws: dice.throws().to_vec() },
        setup,
        opening,
        steps,
        results,
        outcome: outcome.join(", "),
        content,
    }
}
