//! The record of a table: one text from which the whole game can be played again.
//!
//! It holds the data files, the set-up, the dice commitment and secret, how the seats were dealt, every step
//! with its plots, leavers, throws and report, and the SHA-256 of the state after each. Everything here works
//! on the text alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::rules::{Content, Dice, Engine, Game, Leaving, ReportEntry, Seat, Setup, StateFault, StepJson, Throw};

use crate::tables::pages::history::SET_UP;
use crate::tables::{Outcome, words};

/// First word of every record, with the version of its shape.
pub const FORMAT: &str = "stardate record 1";

/// Most bytes of a record that are read. The longest game there can be has a fifth of it.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// A whole table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: String,
    /// The table's id as in addresses.
    pub table: String,
    /// Its title.
    pub title: String,
    /// Id of the game.
    pub game: String,
    /// Whether it counted for the score.
    pub ranked: bool,
    /// Time limit in seconds.
    pub time_limit_s: i64,
    /// Time-outs that counted as a default plot before a seat was dropped.
    pub passes_allowed: i32,
    /// Names of the players in seat order, as they were when the record was written.
    pub players: Vec<String>,
    /// When it started, UTC.
    pub started_at: String,
    /// When it ended, UTC.
    pub ended_at: String,
    /// The dice.
    pub dice: DiceRecord,
    /// How the seats were dealt.
    pub seating: Seating,
    /// Options and what each seat brought.
    pub setup: Setup,
    /// What the set-up led to.
    pub opening: Opening,
    /// Every phase in order.
    pub steps: Vec<StepRecord>,
    /// What each seat's part came to, in seat order.
    pub results: Vec<ResultRecord>,
    /// How it ended, in words.
    pub outcome: String,
    /// The data files, by path.
    pub content: Content,
}

/// The dice of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiceRecord {
    /// SHA-256 of the secret, shown from the start.
    pub hash: String,
    /// The secret in hexadecimal.
    pub secret: String,
}

/// How the seats were dealt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seating {
    /// For each seat in order: which player got it, counted from 0 in the order of sitting down.
    pub order: Vec<usize>,
    /// The dice thrown for it.
    pub throws: Vec<Throw>,
}

/// What the set-up led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// Edition of the rules.
    pub edition: i32,
    /// The dice thrown.
    pub throws: Vec<Throw>,
    /// What happened.
    pub report: Vec<ReportEntry>,
    /// SHA-256 of the state in hexadecimal.
    pub state_sha256: String,
}

/// A phase from its opening to its close.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Number, counted from 1; also the number of its dice stream.
    pub no: i32,
    /// Short name in the game.
    pub key: String,
    /// Name for people.
    pub name: String,
    /// Turn, counted from 1.
    pub turn: i32,
    /// Edition of the rules that closed it.
    pub edition: i32,
    /// When it opened, UTC.
    pub opened_at: String,
    /// When its clock would have run out, UTC.
    pub deadline_at: Option<String>,
    /// When it closed, UTC.
    pub closed_at: String,
    /// `plots`, `time`, `resigned` or `dropped`.
    pub closed_by: String,
    /// The plots that were in, by seat.
    pub plots: BTreeMap<Seat, PlotRecord>,
    /// Who left; then the plots were not carried out.
    pub leavers: Vec<(Seat, Leaving)>,
    /// The dice thrown.
    pub throws: Vec<Throw>,
    /// What happened.
    pub report: Vec<ReportEntry>,
    /// SHA-256 of the state afterwards, in hexadecimal.
    pub state_sha256: String,
}

/// A plot as it was in when its phase closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlotRecord {
    /// Orders in notation.
    pub body: String,
    /// `hand`, `draft` or `default`.
    pub source: String,
    /// What made the seal unguessable.
    pub salt: String,
    /// The salted hash published when it was handed in.
    pub seal: String,
    /// When it was handed in, UTC.
    pub handed_in_at: String,
}

/// What a seat's part came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultRecord {
    /// Whose.
    pub seat: Seat,
    /// `won`, `lost`, `drew`, `resigned` or `dropped`.
    pub result: String,
    /// What it did to the score.
    pub score_change: i32,
    /// Why it did nothing to the score, though the table is ranked: `repeat`, `walkover` or `loss`. Old records have
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
    /// Whether the seat does not count as an opponent in the win. The server decides that by the winner's other tables.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

/// A game played again from its record.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The table's title.
    pub title: String,
    /// The game's name for people.
    pub game_name: String,
    /// The opening and every step in order.
    pub positions: Vec<ReplayedPosition>,
    /// What each seat's part came to, in words.
    pub result: Vec<String>,
}

/// A position reached in a replay.
#[derive(Clone, Debug)]
pub struct ReplayedPosition {
    /// Number of the step; 0 is the set-up.
    pub no: i32,
    /// `Turn 3, Deploy`; `Set-up` for the opening.
    pub name: String,
    /// What happened, as everybody may read it now.
    pub report: Vec<String>,
    /// The position afterwards as text.
    pub position: String,
    /// The state afterwards as JSON.
    pub state: String,
    /// Its SHA-256 in hexadecimal.
    pub state_sha256: String,
}

/// Why a record could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordFault {
    /// It is no record of this shape.
    #[error("this program cannot read the record: {0}")]
    Unreadable(String),
    /// The game is not known here.
    #[error("this program does not know the game “{0}”")]
    NoGame(String),
    /// The data files in it have faults.
    #[error("the data files in the record are wrong: {0}")]
    Content(String),
    /// A state or event in it is not one of this game.
    #[error(transparent)]
    State(#[from] StateFault),
    /// Playing it again led elsewhere.
    #[error("playing it again gave something else:\n{}", .0.iter().map(|what| format!("  {what}")).collect::<Vec<_>>().join("\n"))]
    Differs(Vec<String>),
}

impl Record {
    /// The text that [`replay`] and verification read.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record is always JSON");
        text.push('\n');
        text
    }

    /// Reads a record.
    pub fn from_text(text: &str) -> Result<Record, RecordFault> {
        if text.len() > MOST_BYTES {
            let message = format!("it has {} bytes, and at most {MOST_BYTES} are read", text.len());
            return Err(RecordFault::Unreadable(message));
        }
        let record: Record = serde_json::from_str(text).map_err(|error| RecordFault::Unreadable(error.to_string()))?;
        if record.format != FORMAT {
            return Err(RecordFault::Unreadable(format!("it has the format “{}”, not “{FORMAT}”", record.format)));
        }
        Ok(record)
    }

    /// The dice secret; `None` when it is not 32 bytes in hexadecimal.
    pub fn secret(&self) -> Option<[u8; 32]> {
        data_encoding::HEXLOWER_PERMISSIVE.decode(self.dice.secret.as_bytes()).ok()?.try_into().ok()
    }

    /// The game with the data files of the record.
    pub fn game(&self, engines: &[Arc<dyn Engine>]) -> Result<Arc<dyn Game>, RecordFault> {
        let engine = engines
            .iter()
            .find(|engine| engine.meta().id == self.game)
            .ok_or_else(|| RecordFault::NoGame(self.game.clone()))?;
        engine.load(&self.content).map_err(|faults| {
            RecordFault::Content(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })
    }
}

/// SHA-256 of a state in hexadecimal.
pub fn sha256(state: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(state.as_bytes()))
}

/// Plays a recorded game again and compares every throw, report, position and the result.
pub fn replay(text: &str, engines: &[Arc<dyn Engine>]) -> Result<Replayed, RecordFault> {
    let record = Record::from_text(text)?;
    let game = record.game(engines)?;
    let secret = record
        .secret()
        .ok_or_else(|| RecordFault::Unreadable("its dice secret is not 32 bytes in hexadecimal".to_owned()))?;
    Replay { record: &record, game: &*game, secret, differs: Vec::new(), positions: Vec::new() }.run()
}

/// An edition as the rules take it; what no edition can be counts as the first.
fn edition_of(recorded: i32) -> u32 {
    u32::try_from(recorded).unwrap_or(1)
}

/// A replay in progress.
struct Replay<'a> {
    record: &'a Record,
    game: &'a dyn Game,
    secret: [u8; 32],
    differs: Vec<String>,
    positions: Vec<ReplayedPosition>,
}

impl Replay<'_> {
    fn run(mut self) -> Result<Replayed, RecordFault> {
        let opening = &self.record.opening;
        let mut dice = Dice::for_phase(&self.secret, 0);
        let first = self
            .game
            .setup(&self.record.setup, edition_of(opening.edition), &mut dice)
            .map_err(|faults| RecordFault::Differs(vec![format!("the set-up is refused: {}", faults.join(" "))]))?;
        self.compare(SET_UP, opening.edition, (&opening.throws, dice.throws()), (&opening.report, &first.report));
        self.position(0, SET_UP.to_owned(), &first, &opening.state_sha256)?;
        let mut state = first.state;
        for step in &self.record.steps {
            let name = words::phase_name(step.turn, &step.name);
            if self.game.phase(&state)?.is_none() {
                self.differs.push(format!("the game is over before phase {} ({name})", step.no));
                break;
            }
            let after = self.play(step, &name, &state)?;
            self.position(step.no, name, &after, &step.state_sha256)?;
            state = after.state;
        }
        if self.game.phase(&state)?.is_some() {
            self.differs.push("the game is not over after the last phase".to_owned());
        }
        let result = self.results(&state)?;
        if !self.differs.is_empty() {
            return Err(RecordFault::Differs(self.differs));
        }
        Ok(Replayed {
            title: self.record.title.clone(),
            game_name: self.game.meta().name.to_owned(),
            positions: self.positions,
            result,
        })
    }

    fn play(&mut self, step: &StepRecord, name: &str, state: &str) -> Result<StepJson, RecordFault> {
        let stream = u32::try_from(step.no).map_err(|_| RecordFault::Unreadable("a step has no number".to_owned()))?;
        let mut dice = Dice::for_phase(&self.secret, stream);
        let after = if step.leavers.is_empty() {
            let bodies = step.plots.iter().map(|(seat, plot)| (*seat, plot.body.clone())).collect();
            self.game.resolve(state, &bodies, edition_of(step.edition), &mut dice)?
        } else {
            self.game.leave(state, &step.leavers, edition_of(step.edition), &mut dice)?
        };
        self.compare(name, step.edition, (&step.throws, dice.throws()), (&step.report, &after.report));
        Ok(after)
    }

    fn compare(
        &mut self,
        name: &str,
        edition: i32,
        (throws, thrown): (&[Throw], &[Throw]),
        (report, told): (&[ReportEntry], &[ReportEntry]),
    ) {
        // Older editions are played by their own rules; a newer one this program cannot know.
        let here = self.game.meta().edition;
        let why = if i64::from(edition) <= i64::from(here) {
            String::new()
        } else {
            format!(" (it was played by edition {edition} of the rules, this program knows them up to edition {here})")
        };
        let same = throws.len() == thrown.len()
            && thrown.iter().zip(throws).all(|(throw, recorded)| throw.is_as_recorded(recorded));
        if !same {
            self.differs.push(format!("{name}: the dice thrown differ{why}"));
        }
        if report != told {
            self.differs.push(format!("{name}: the report differs{why}"));
        }
    }

    fn position(&mut self, no: i32, name: String, step: &StepJson, recorded: &str) -> Result<(), RecordFault> {
        let state_sha256 = sha256(&step.state);
        if state_sha256 != recorded {
            self.differs.push(format!("{name}: the position afterwards differs"));
        }
        let mut report = Vec::with_capacity(step.report.len());
        for entry in &step.report {
            report.extend(self.game.tell(entry, None, true)?);
        }
        let position = self.game.position(&step.state, None)?;
        self.positions.push(ReplayedPosition { no, name, report, position, state: step.state.clone(), state_sha256 });
        Ok(())
    }

    fn results(&mut self, state: &str) -> Result<Vec<String>, RecordFault> {
        let mut sentences = Vec::new();
        for (seat, fate) in Seat::first(26).zip(self.game.fates(state)?) {
            let left = self.record.steps.iter().flat_map(|step| &step.leavers).find(|(leaver, _)| *leaver == seat);
            let outcome = match left {
                Some((_, Leaving::Resigned)) => Some(Outcome::Resigned),
                Some((_, Leaving::Dropped)) => Some(Outcome::Dropped),
                None => Outcome::of(fate),
            };
            let recorded = self.record.results.iter().find(|result| result.seat == seat);
            if outcome.map(Outcome::word) != recorded.map(|result| result.result.as_str()) {
                self.differs.push(format!("the result of seat {seat} differs"));
            }
            let name = self.record.players.get(seat.index()).map_or("", String::as_str);
            sentences.push(format!("{seat} ({name}) {}", outcome.map_or("has no result", Outcome::words)));
        }
        Ok(sentences)
    }
}
