//! The sweep of due timers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::TimeDelta;

use super::loops::with_causes;
use crate::clock::Clock;
use crate::store::timers::{self, TimerRow};
use crate::store::{Conn, Database, Stamp, trouble};
use crate::tables::{self, Ctx, Refused, Woken};

/// Most timers one sweep carries out.
pub const SWEEP: i64 = 50;

/// The longest a failing timer is put off: six hours.
const LONGEST_BACKOFF_S: i64 = 6 * 3600;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Timers carried out.
    pub done: usize,
    /// Timers that failed and were put off.
    pub failed: usize,
    /// Whether more may be due at once.
    pub more: bool,
}

/// Carries out up to [`SWEEP`] due timers, each in a transaction of its own and at the time of that transaction. A table
/// that fails, or whose game panics, keeps its error and is put off for longer each time; it never stops the others.
/// Returns an error only when the database fails as a whole.
pub fn run_due(db: &Database, ctx: &Ctx, clock: &Clock) -> Result<Swept, Refused> {
    let due = timers::due(&mut *db.connection()?, clock.now(), SWEEP)?;
    let mut swept = Swept { more: due.len() >= usize::try_from(SWEEP).unwrap_or(usize::MAX), ..Swept::default() };
    for timer in due {
        let woken =
            catch_unwind(AssertUnwindSafe(|| tables::run(db, |conn| tables::wake(conn, ctx, clock.now(), &timer))));
        let error = match woken {
            Ok(Ok(woken)) => {
                swept.done += 1;
                log(&timer, &woken);
                continue;
            }
            // Somebody is busy with this table; the next sweep finds what is left to do.
            Ok(Err(Refused::Conflict)) => {
                swept.more = true;
                continue;
            }
            // Not the timer's fault: it stays due, and the loop tries again soon.
            Ok(Err(Refused::Database(error))) if trouble(&error).is_some() => return Err(error.into()),
            Ok(Err(error)) => with_causes(&error),
            Err(panic) => format!("the game failed: {}", panic_words(&*panic)),
        };
        swept.failed += 1;
        put_off(db, clock.now(), &timer, &error)?;
    }
    Ok(swept)
}

/// When the next timer is due.
pub fn next_due(conn: &mut Conn) -> Result<Option<Stamp>, Refused> {
    Ok(timers::next(conn)?)
}

fn log(timer: &TimerRow, woken: &Woken) {
    let (table_id, phase_no, kind) = (timer.table_id, timer.phase_no, timer.kind);
    match woken {
        Woken::Nothing => {}
        // A line for each small step of a bot would hide the others.
        Woken::Moved => tracing::debug!(table.id = %table_id, phase.no = phase_no.0, "A bot handed in."),
        woken => {
            tracing::info!(table.id = %table_id, phase.no = phase_no.0, timer.kind = %kind, ?woken, "A timer fired.");
        }
    }
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".to_owned())
}

fn put_off(db: &Database, now: Stamp, timer: &TimerRow, error: &str) -> Result<(), Refused> {
    let attempts = timer.attempts.saturating_add(1);
    let backoff = (60_i64 << attempts.clamp(0, 10)).min(LONGEST_BACKOFF_S);
    tracing::error!(
        table.id = %timer.table_id,
        timer.kind = %timer.kind,
        attempts,
        error,
        backoff_s = backoff,
        "A timer failed and was put off."
    );
    db.write(|conn| Ok(timers::put_off(conn, timer.id, attempts, error, now + TimeDelta::seconds(backoff))?))
}
