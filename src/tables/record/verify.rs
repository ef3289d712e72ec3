//! Checks a record without trusting the server that wrote it.

use crate::store::PhaseNo;
use std::sync::Arc;

use crate::rules::{Dice, Engine, Leaving, Throw};

use super::format::{Record, RecordFault, ResultRecord, replay};
use crate::tables::fair::NotCounted;
use crate::tables::lobby::start::deal;
use crate::tables::play::seal::seal;
use crate::tables::{Outcome, score, words};

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Whether it holds.
    pub holds: bool,
    /// What was checked and what was found, in words.
    pub words: String,
}

impl Check {
    fn new(faults: &[String], good: String) -> Check {
        match faults {
            [] => Check { holds: true, words: good },
            faults => Check { holds: false, words: faults.join(" ") },
        }
    }
}

/// Re-checks the dice commitment, the dealing of seats, every throw, every seal and the score, and plays the
/// game again. All checks are listed whether they hold or not; an error only when the text is no record.
pub fn verify(text: &str, engines: &[Arc<dyn Engine>]) -> Result<Vec<Check>, RecordFault> {
    let record = Record::from_text(text)?;
    let Some(secret) = record.secret() else {
        let words = "The dice secret in the record is not 32 bytes in hexadecimal, so nothing can be checked.";
        return Ok(vec![Check { holds: false, words: words.to_owned() }]);
    };
    Ok(vec![
        commitment(&record, &secret),
        seating(&record, &secret),
        throws(&record, &secret),
        seals(&record),
        scores(&record),
        played_again(&record, text, engines),
        times(&record),
    ])
}

fn commitment(record: &Record, secret: &[u8; 32]) -> Check {
    let hash = Dice::commitment(secret);
    if hash == record.dice.hash {
        Check { holds: true, words: format!("The dice secret has the SHA-256 shown from the start: {hash}.") }
    } else {
        Check {
            holds: false,
            words: format!(
                "The dice secret has the SHA-256 {hash}, but {} was shown from the start.",
                record.dice.hash
            ),
        }
    }
}

fn seating(record: &Record, secret: &[u8; 32]) -> Check {
    let dealt = deal(secret, record.seating.order.len());
    let holds = dealt.order == record.seating.order && dealt.throws == record.seating.throws;
    let words = if holds {
        "The seats were dealt as the dice secret says."
    } else {
        "The seats were not dealt as the dice secret says."
    };
    Check { holds, words: words.to_owned() }
}

/// Whether these throws are what the secret gives for this stream, one after the other.
fn thrown(secret: &[u8; 32], stream: u32, throws: &[Throw]) -> bool {
    let mut dice = Dice::for_phase(secret, stream);
    throws.iter().all(|throw| throw.low < throw.high && dice.roll(&throw.purpose, throw.low, throw.high) == throw.value)
}

fn throws(record: &Record, secret: &[u8; 32]) -> Check {
    let mut faults = Vec::new();
    let mut count = record.opening.throws.len();
    if !thrown(secret, 0, &record.opening.throws) {
        faults.push("Throws of the set-up do not come from the dice secret.".to_owned());
    }
    for step in &record.steps {
        count += step.throws.len();
        let stream = u32::try_from(step.no).ok();
        if !stream.is_some_and(|stream| thrown(secret, stream, &step.throws)) {
            let name = words::phase_name(step.turn, &step.name);
            faults.push(format!("Throws of phase {} ({name}) do not come from the dice secret.", step.no));
        }
    }
    Check::new(&faults, format!("All {count} throws of {} phases come from the dice secret.", record.steps.len()))
}

/// Whether time at the table only went forward: from the start over each phase and its plots to the end. Whoever had
/// moved a clock into the past would have taken somebody's time.
fn times(record: &Record) -> Check {
    let mut faults = Vec::new();
    let mut before: (&str, String) = (&record.started_at, "the table started".to_owned());
    for (index, step) in record.steps.iter().enumerate() {
        let mut expect = |earlier: (&str, &str), later: (&str, &str)| {
            if later.0 < earlier.0 {
                let (no, (then, what), (now, that)) = (step.no, earlier, later);
                faults.push(format!("In phase {no} time runs backwards: {what} at {then}, and {that} at {now}."));
            }
        };
        expect((before.0, &before.1), (&step.opened_at, "the phase opened"));
        expect((&step.opened_at, "the phase opened"), (&step.closed_at, "it closed"));
        for (seat, plot) in &step.plots {
            let at = plot.handed_in_at.as_str();
            let handed_in = format!("the plot of seat {seat} was handed in");
            expect((at, &handed_in), (&step.closed_at, "the phase closed"));
            // A plot in hand when somebody else left goes on into the next phase.
            let came_along = index.checked_sub(1).and_then(|index| record.steps.get(index)).is_some_and(|last| {
                !last.leavers.is_empty() && last.plots.get(seat).is_some_and(|plot| plot.handed_in_at == at)
            });
            if !came_along {
                expect((&step.opened_at, "the phase opened"), (at, &handed_in));
            }
        }
        before = (&step.closed_at, format!("phase {} closed", step.no));
    }
    if record.ended_at.as_str() < before.0 {
        faults.push(format!(
            "Time runs backwards: {} at {}, and the table ended at {}.",
            before.1, before.0, record.ended_at
        ));
    }
    Check::new(&faults, format!("Time only went forward, from {} to {} UTC.", record.started_at, record.ended_at))
}

fn seals(record: &Record) -> Check {
    let mut faults = Vec::new();
    let mut count = 0;
    for step in &record.steps {
        for (seat, plot) in &step.plots {
            count += 1;
            if seal(&record.table, PhaseNo(step.no), *seat, &plot.salt, &plot.body) != plot.seal {
                faults.push(format!("The plot of seat {seat} in phase {} does not match its seal.", step.no));
            }
        }
    }
    Check::new(&faults, format!("All {count} plots match the seals that were shown when they were handed in."))
}

fn scores(record: &Record) -> Check {
    let mut faults = Vec::new();
    for (seat, leaving) in record.steps.iter().flat_map(|step| &step.leavers) {
        let recorded = record.results.iter().find(|result| result.seat == *seat);
        let expected = match leaving {
            Leaving::Resigned => Outcome::Resigned,
            Leaving::Dropped => Outcome::Dropped,
        };
        if recorded.and_then(|result| Outcome::from_word(&result.result)) != Some(expected) {
            faults.push(format!("Seat {seat} left, but that is not its result."));
        }
    }
    for result in &record.results {
        let Some(outcome) = Outcome::from_word(&result.result) else {
            faults.push(format!("Seat {} has no valid result.", result.seat));
            continue;
        };
        if !is_right(record, result, outcome) {
            faults.push(format!(
                "The score of seat {} changed by {}, which does not follow from its result.",
                result.seat, result.score_change
            ));
        }
    }
    let mut good = "Each seat has one result, and its score changed as the result says.".to_owned();
    for result in &record.results {
        match result.not_counted.as_deref().map(NotCounted::from_word) {
            Some(Some(why)) => {
                good.push_str(&format!(" The result of seat {} is not counted. {}", result.seat, why.words()))
            }
            Some(None) => {
                faults.push(format!("The record does not say why the result of seat {} is not counted.", result.seat))
            }
            None => {}
        }
    }
    Check::new(&faults, good)
}

/// Whether a result may change the score by so much. Which opponents count in a win only the server knows, which has the
/// winner's other tables; what follows from it is checked.
fn is_right(record: &Record, result: &ResultRecord, outcome: Outcome) -> bool {
    if !record.ranked {
        return result.score_change == 0 && result.not_counted.is_none();
    }
    let won = |result: &ResultRecord| Outcome::from_word(&result.result) == Some(Outcome::Won);
    let counting = record.results.iter().filter(|other| !won(other) && !other.left_out).count();
    let uncounted = record.results.iter().any(|other| won(other) && other.not_counted.is_some());
    match outcome {
        Outcome::Won if uncounted => result.score_change == 0,
        Outcome::Won => result.score_change == score::win_change(counting + 1) && counting > 0,
        Outcome::Lost if uncounted => result.score_change == 0 && result.not_counted.is_some(),
        // A resignation costs one point or two, by how many others were in play.
        _ => {
            let seats = record.players.len();
            let possible = [score::change(outcome, seats, 1), score::change(outcome, seats, seats)];
            possible.contains(&result.score_change) && result.not_counted.is_none()
        }
    }
}

fn played_again(record: &Record, text: &str, engines: &[Arc<dyn Engine>]) -> Check {
    match replay(text, engines) {
        Ok(_) => Check {
            holds: true,
            words: format!(
                "Played again from the set-up with these plots and dice, all {} phases led to the same reports, the \
                 same positions and the same result.",
                record.steps.len()
            ),
        },
        Err(fault) => Check { holds: false, words: format!("It could not be played again as recorded: {fault}.") },
    }
}
