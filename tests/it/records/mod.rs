//! Recorded whole games. They replay byte for byte, whatever edition of the rules they were played by.
//!
//! The files are in `tests/records/<game>/`. Games of an old edition are never written again. When a change of the
//! rules counts the edition up, further games are recorded under new names with
//! `STARDATE_WRITE_RECORDS=1 cargo test --test it records::`, and the new files are read like any change.

mod conquest;
mod imperial;

use std::collections::BTreeMap;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use stardate::games;
use stardate::rules::{Content, Dice, Fate, Game, Leaving, Seat, Setup};
use stardate::tables::record::{
    DiceRecord, FORMAT, Opening, PlotRecord, Record, ResultRecord, Seating, StepRecord, sha256,
};

const MOMENT: &str = "2026-01-05T12:00:00";

/// Who leaves before a step is played, by what has happened so far.
type Exits = fn(steps: usize, fates: &[Fate], due: Seat) -> Vec<(Seat, Leaving)>;

/// What a seat that is due hands in; `None`: nothing.
type Chooser = Box<dyn FnMut(&dyn Game, &str, Seat) -> Option<String>>;

/// What a recorded game starts from.
struct Script {
    game: &'static str,
    table: &'static str,
    name: &'static str,
    seed: u64,
    setup: Setup,
    /// The edition of the rules by the number of the phase; 0 is the beginning.
    edition: fn(i32) -> u32,
    /// Which data files the table keeps.
    keep: fn(&str) -> bool,
}

/// The secret of a table.
fn secret(seed: u64) -> [u8; 32] {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    secret
}

fn path(game: &str, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/records/{game}/{name}.json"))
}

fn read(game: &str, name: &str) -> String {
    std::fs::read_to_string(path(game, name)).unwrap()
}

/// Plays and writes a game down if it was asked to and is not there yet: one that is there is never written again.
fn write_once(game: &str, name: &str, played: impl FnOnce() -> Record) {
    let path = path(game, name);
    if std::env::var_os("STARDATE_WRITE_RECORDS").is_none() || path.exists() {
        return;
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, played().to_text()).unwrap();
}

/// Plays a game to its end, as a table would record it.
fn play(script: Script, exits: Exits, mut choose: Chooser) -> Record {
    let engine = games::all().into_iter().find(|engine| engine.meta().id == script.game).unwrap();
    let content: Content = engine.embedded().into_iter().filter(|(path, _)| (script.keep)(path)).collect();
    let game = engine.load(&content).unwrap();
    let secret = secret(script.seed);
    let mut dice = Dice::for_phase(&secret, 0);
    let first = game.setup(&script.setup, (script.edition)(0), &mut dice).unwrap();
    let edition = i32::try_from((script.edition)(0)).unwrap();
    let opening =
        Opening { edition, throws: dice.throws().to_vec(), report: first.report, state_sha256: sha256(&first.state) };
    let mut state = first.state;
    let mut steps: Vec<StepRecord> = Vec::new();
    let mut scores = BTreeMap::new();
    while let Some(phase) = game.phase(&state).unwrap() {
        let no = i32::try_from(steps.len() + 1).unwrap();
        assert!(no < 3_000, "{} does not end", script.name);
        let fates = game.fates(&state).unwrap();
        let leavers = exits(steps.len(), &fates, phase.due[0].seat);
        let mut plots = BTreeMap::new();
        for due in phase.due.iter().filter(|_| leavers.is_empty()) {
            let Some(text) = choose(&*game, &state, due.seat) else { continue };
            let body = game.examine(&state, due.seat, &text).unwrap().canonical();
            plots.insert(due.seat, plot(script.table, no, due.seat, &body));
        }
        let bodies = plots.iter().map(|(seat, plot): (&Seat, &PlotRecord)| (*seat, plot.body.clone())).collect();
        let edition = (script.edition)(no);
        let mut dice = Dice::for_phase(&secret, u32::try_from(no).unwrap());
        let after = match leavers.is_empty() {
            true => game.resolve(&state, &bodies, edition, &mut dice).unwrap(),
            false => game.leave(&state, &leavers, edition, &mut dice).unwrap(),
        };
        score(&mut scores, &fates, &game.fates(&after.state).unwrap());
        steps.push(StepRecord {
            no,
            key: phase.key,
            name: phase.name,
            turn: i32::try_from(phase.turn).unwrap(),
            edition: i32::try_from(edition).unwrap(),
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
    finish(script, &*game, content, opening, steps, &fates, &scores)
}

fn closed_by(leavers: &[(Seat, Leaving)]) -> &'static str {
    match leavers.first() {
        None => "plots",
        Some((_, Leaving::Dropped)) => "dropped",
        Some((_, Leaving::Resigned)) => "resigned",
    }
}

fn plot(table: &str, no: i32, seat: Seat, body: &str) -> PlotRecord {
    let salt = format!("{no:016x}{:016x}", seat.index());
    let seal = Sha256::digest(format!("stardate plot v1\n{table}\n{no}\n{seat}\n{salt}\n{body}").as_bytes());
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

fn finish(
    script: Script,
    game: &dyn Game,
    content: Content,
    opening: Opening,
    steps: Vec<StepRecord>,
    fates: &[Fate],
    scores: &BTreeMap<usize, i32>,
) -> Record {
    let secret = &secret(script.seed);
    let mut dice = Dice::for_seating(secret);
    let mut order: Vec<usize> = (0..fates.len()).collect();
    dice.shuffle("seats", &mut order);
    let word = |fate: Fate| match fate {
        Fate::Won => "won",
        Fate::Lost => "lost",
        Fate::Resigned => "resigned",
        Fate::Dropped => "dropped",
        Fate::Drew => "drew",
        Fate::Active => panic!("the game is over"),
    };
    let results: Vec<ResultRecord> = Seat::first(fates.len())
        .map(|seat| ResultRecord {
            seat,
            result: word(fates[seat.index()]).to_owned(),
            score_change: scores[&seat.index()],
            not_counted: None,
            left_out: false,
        })
        .collect();
    let outcome: Vec<String> = results.iter().map(|result| format!("{} {}", result.seat, result.result)).collect();
    Record {
        format: FORMAT.to_owned(),
        table: script.table.to_owned(),
        title: format!("A game that ends: {}", script.name),
        game: game.meta().id.to_owned(),
        ranked: true,
        time_limit_s: 86_400,
        passes_allowed: 0,
        players: Seat::first(fates.len()).map(|seat| format!("Player {seat}")).collect(),
        started_at: MOMENT.to_owned(),
        ended_at: MOMENT.to_owned(),
        dice: DiceRecord { hash: Dice::commitment(secret), secret: data_encoding::HEXLOWER.encode(secret) },
        seating: Seating { order, throws: dice.throws().to_vec() },
        setup: script.setup,
        opening,
        steps,
        results,
        outcome: outcome.join(", "),
        content,
    }
}
