//! Time during which no server was there is not counted against anybody.
//!
//! An outage is a row, and so is what it did to each table. Tables are moved in batches, and a process that is killed
//! in the middle goes on where it stopped, so no table is moved twice. The last credit can be taken back.

use std::collections::BTreeSet;

use chrono::TimeDelta;

use crate::store::credits::{self, Credit, CreditMark};
use crate::store::game_tables::Status;
use crate::store::timers::{self, TimerKind};
use crate::store::{Conn, Database, PhaseNo, Stamp, TableId, game_tables, heartbeats, phases, table_log};
use crate::when;

use super::clock::{self, Running};
use super::open;
use crate::tables::lobby::unjoined;
use crate::tables::{Refused, run};

/// A gap between heartbeats up to this long is no outage.
const LONGEST_GAP_S: i64 = 120;
/// Kind of the log entry of a table whose clock was moved.
const CREDITED: &str = "credited";
/// Kind of the log entry of a table whose clock was moved back.
const TAKEN_BACK: &str = "taken-back";
/// Tables moved in one transaction.
const BATCH: usize = 100;
/// Tables between two lines in the log.
const TOLD_EVERY: usize = 2000;
/// The time that a table has at least after a credit was taken back.
const LEAST_LEFT: TimeDelta = TimeDelta::hours(1);

/// What was credited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credited {
    /// How many tables had their clocks moved.
    pub tables: usize,
}

/// When there last was a server, as far as the database knows: the last heartbeat, or the end of what was given back
/// already. `None` on a new database.
pub fn last_alive(conn: &mut Conn) -> Result<Option<Stamp>, Refused> {
    Ok(heartbeats::last(conn)?.max(credits::credited_until(conn)?))
}

/// How many tables an outage that ends now would move: running ones, and ones that wait for players.
pub fn tables_to_credit(conn: &mut Conn) -> Result<usize, Refused> {
    Ok(game_tables::running_ids(conn)?.len() + game_tables::open_ids(conn)?.len())
}

/// Moves every running clock by the time since `last_seen_alive`, if that is more than two minutes; first it finishes
/// what an interrupted process has left. To be called before any timer fires. Running it again, after a crash in the
/// middle for example, credits nothing twice.
pub fn credit_outage(db: &Database, now: Stamp, last_seen_alive: Stamp) -> Result<Credited, Refused> {
    let mut credited = finish_credits(db, now)?;
    let until = db.read(credits::credited_until)?;
    let from = until.map_or(last_seen_alive, |until| last_seen_alive.max(until));
    if now - from > TimeDelta::seconds(LONGEST_GAP_S) {
        let credit = db.write(|conn| -> Result<Credit, Refused> {
            credits::forget_before(conn, from)?;
            Ok(credits::begin(conn, from, now)?)
        })?;
        credited.tables += carry_out(db, now, &credit)?;
    }
    Ok(credited)
}

/// Finishes credits that were interrupted.
pub fn finish_credits(db: &Database, now: Stamp) -> Result<Credited, Refused> {
    let mut credited = Credited::default();
    for credit in db.read(credits::interrupted)? {
        credited.tables += carry_out(db, now, &credit)?;
    }
    Ok(credited)
}

/// Gives every table what a credit owes it and has not given yet.
fn carry_out(db: &Database, now: Stamp, credit: &Credit) -> Result<usize, Refused> {
    let tables = db.read(|conn| -> Result<Vec<TableId>, Refused> {
        let done: BTreeSet<TableId> = credits::marked(conn, credit.from_at)?.into_iter().collect();
        let all = game_tables::running_ids(conn)?.into_iter().chain(game_tables::open_ids(conn)?);
        Ok(all.filter(|id| !done.contains(id)).collect())
    })?;
    let away_s = (credit.until_at - credit.from_at).num_seconds();
    let moved = in_batches(db, &tables, "Adding the outage to the clocks", |conn, table_id| {
        credit_table(conn, now, credit, *table_id)
    })?;
    db.write(|conn| credits::set_state(conn, credit.from_at, credits::DONE))?;
    tracing::warn!(tables = moved, away_s, "The server was away; the time was added to every running clock.");
    Ok(moved)
}

/// Does something to each of `items` in transactions of a bounded size, and tells how far it is. Returns how many of
/// them it was done to.
fn in_batches<T: std::fmt::Debug>(
    db: &Database,
    items: &[T],
    what: &str,
    mut each: impl FnMut(&mut Conn, &T) -> Result<bool, Refused>,
) -> Result<usize, Refused> {
    let (mut moved, mut told) = (0, TOLD_EVERY);
    let mut batch = |part: &[T]| {
        run(db, |conn| {
            let mut moved = 0;
            for item in part {
                moved += usize::from(each(conn, item)?);
            }
            Ok(moved)
        })
    };
    for (number, part) in items.chunks(BATCH).enumerate() {
        match batch(part) {
            Ok(count) => moved += count,
            Err(error @ Refused::Database(_)) => return Err(error),
            // Somebody is at one of these tables, or one cannot be read; one by one it holds up no other.
            Err(_) => {
                for item in part.chunks(1) {
                    match batch(item) {
                        Ok(count) => moved += count,
                        Err(error @ Refused::Database(_)) => return Err(error),
                        Err(error) => tracing::error!(%error, ?item, "The clock of a table could not be moved."),
                    }
                }
            }
        }
        let done = number * BATCH + part.len();
        if items.len() > TOLD_EVERY && done >= told {
            tracing::info!(done, of = items.len(), "{what}.");
            told += TOLD_EVERY;
        }
    }
    Ok(moved)
}

/// Gives one table its time back; true when that moved something. The game is not loaded: a table whose data cannot be
/// read keeps its time all the same.
fn credit_table(conn: &mut Conn, now: Stamp, credit: &Credit, table_id: TableId) -> Result<bool, Refused> {
    let Some(row) = game_tables::find(conn, table_id)? else { return Ok(false) };
    let phase = match row.status {
        Status::Running => phases::find(conn, table_id, row.phase_no)?,
        _ => None,
    };
    let waits = row.status == Status::Open;
    let began = phase.as_ref().map_or(row.created_at, |phase| phase.opened_at);
    let gap = (credit.until_at - credit.from_at.max(began)).max(TimeDelta::zero());
    let gap_s = if waits || phase.is_some() { gap.num_seconds() } else { 0 };
    let phase_no = phase.as_ref().map_or(PhaseNo(0), |phase| phase.no);
    let mark = CreditMark { from_at: credit.from_at, table_id, phase_no, gap_s, undone: false };
    if !credits::mark(conn, mark)? || gap_s == 0 {
        return Ok(false);
    }
    if !game_tables::bump(conn, row.id, row.version)? {
        return Err(Refused::Conflict);
    }
    let away = when::span(gap_s);
    let Some(mut phase) = phase else {
        if unjoined::credit(conn, now, table_id, gap)? {
            let text = format!("The server was away for {away}. The table waits that much longer for players.");
            table_log::add(conn, now, table_id, CREDITED, &text)?;
        }
        return Ok(false);
    };
    let before = open::running(&phase)?;
    let after = Running { started: before.started + gap, deadline: before.deadline + gap };
    open::move_clock(conn, now, &mut phase, after)?;
    if clock::reminder(after) <= now {
        // A moved deadline warns again, at once if a quarter of the time or less is left.
        timers::set(conn, now, table_id, TimerKind::Reminder, phase.no, now)?;
    }
    let text = format!("The server was away for {away}. The deadline was moved by as much.");
    table_log::add(conn, now, table_id, CREDITED, &text)?;
    Ok(true)
}

/// Takes the last credit back, because the clock that it was made by was wrong: every clock that still runs as it was
/// moved is moved back, but nobody has less than an hour afterwards, or less than they had. Heartbeats of the future are
/// forgotten. `None`: there is no credit, or it was taken back already.
pub fn undo_credit(db: &Database, now: Stamp) -> Result<Option<Credited>, Refused> {
    let credit = db.read(credits::last)?;
    let Some(credit) = credit.filter(|credit| credit.state != credits::UNDONE) else { return Ok(None) };
    let marks = db.write(|conn| -> Result<Vec<CreditMark>, Refused> {
        credits::set_state(conn, credit.from_at, credits::UNDOING)?;
        heartbeats::forget_after(conn, now)?;
        heartbeats::beat(conn, OPERATOR, now)?;
        Ok(credits::still_moved(conn, credit.from_at)?)
    })?;
    let tables = in_batches(db, &marks, "Taking back the last credit", |conn, mark| take_back(conn, now, mark))?;
    db.write(|conn| credits::set_state(conn, credit.from_at, credits::UNDONE))?;
    Ok(Some(Credited { tables }))
}

/// The name under which the operator's commands beat, so that what they have dealt with is no gap any more.
pub const OPERATOR: &str = "operator";

fn take_back(conn: &mut Conn, now: Stamp, mark: &CreditMark) -> Result<bool, Refused> {
    let Some(row) = game_tables::find(conn, mark.table_id)? else { return Ok(false) };
    if !credits::unmark(conn, mark)? {
        return Ok(false);
    }
    if !game_tables::bump(conn, row.id, row.version)? {
        return Err(Refused::Conflict);
    }
    let gap = TimeDelta::seconds(mark.gap_s);
    let text = format!("{} that had been added to the clock by mistake were taken back.", when::span(mark.gap_s));
    match row.status {
        Status::Open if mark.phase_no == PhaseNo(0) => {
            unjoined::credit(conn, now, row.id, -gap)?;
        }
        Status::Running if mark.phase_no == row.phase_no => {
            let Some(mut phase) = phases::find(conn, row.id, row.phase_no)? else { return Ok(false) };
            let before = open::running(&phase)?;
            let least = before.deadline.min(now + LEAST_LEFT.min(TimeDelta::seconds(row.time_limit_s)));
            let after = Running { started: before.started - gap, deadline: (before.deadline - gap).max(least) };
            open::move_clock(conn, now, &mut phase, after)?;
        }
        // It has gone on since; its clock is another one now.
        _ => return Ok(false),
    }
    table_log::add(conn, now, row.id, TAKEN_BACK, &text)?;
    Ok(true)
}
