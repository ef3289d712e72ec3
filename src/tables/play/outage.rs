//! Time during which the server was away is not counted against anybody.

use chrono::TimeDelta;

use crate::store::game_tables::TableRow;
use crate::store::timers::{self, REMINDER};
use crate::store::{Conn, Database, Stamp, game_tables, phases, table_log};
use crate::when;

use super::clock::{self, Running};
use super::open;
use crate::tables::lobby::unjoined;
use crate::tables::{Ctx, Refused, run};

/// A gap between heartbeats up to this long is no outage.
const LONGEST_GAP_S: i64 = 120;
/// Kind of the log entry that says until when a table's clock has been credited.
const CREDITED: &str = "credited";

/// What was credited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credited {
    /// How many tables had their clocks moved.
    pub tables: usize,
}

/// Moves every running clock by the time since `last_seen_alive`, if that is more than two minutes. To be
/// called at the start with the last heartbeat, before any timer fires. Running it again, after a crash in the
/// middle for example, credits nothing twice: each table's log says until when it has been credited.
pub fn credit_outage(db: &Database, _ctx: &Ctx, now: Stamp, last_seen_alive: Stamp) -> Result<Credited, Refused> {
    let mut credited = Credited::default();
    if now - last_seen_alive <= TimeDelta::seconds(LONGEST_GAP_S) {
        return Ok(credited);
    }
    let tables = game_tables::running_ids(&mut *db.connection()?)?;
    for table_id in tables {
        if run(db, |conn| credit(conn, now, table_id, last_seen_alive))? {
            credited.tables += 1;
        }
    }
    // The connection goes back before a write takes one: the pool may have no other.
    let waiting = db.read(game_tables::open_ids)?;
    for table_id in waiting {
        run(db, |conn| credit_wait(conn, now, table_id, last_seen_alive))?;
    }
    tracing::warn!(
        tables = credited.tables,
        away_s = (now - last_seen_alive).num_seconds(),
        "The server was away; the time was added to every running clock."
    );
    Ok(credited)
}

/// Gives a waiting table the time back during which nobody could join it.
fn credit_wait(conn: &mut Conn, now: Stamp, table_id: i64, last_seen_alive: Stamp) -> Result<(), Refused> {
    let Some(row) = game_tables::find(conn, table_id)? else { return Ok(()) };
    if !game_tables::bump(conn, row.id, row.version)? {
        return Err(Refused::Conflict);
    }
    let from = uncredited_from(conn, &row, last_seen_alive, row.created_at)?;
    if row.status != game_tables::OPEN || from >= now || !unjoined::credit(conn, now, table_id, now - from)? {
        return Ok(());
    }
    let away = when::span((now - from).num_seconds());
    let text = format!("The server was away for {away}. The table waits for players by as much longer.");
    table_log::add(conn, now, table_id, CREDITED, &text)?;
    Ok(())
}

/// From when on the time away has not been given back yet, for something that began at `began`.
fn uncredited_from(conn: &mut Conn, row: &TableRow, last_seen_alive: Stamp, began: Stamp) -> Result<Stamp, Refused> {
    let credited_until = table_log::last(conn, row.id, CREDITED)?;
    Ok(last_seen_alive.max(began).max(credited_until.unwrap_or(last_seen_alive)))
}

fn credit(conn: &mut Conn, now: Stamp, table_id: i64, last_seen_alive: Stamp) -> Result<bool, Refused> {
    // The game is not loaded: a table whose data cannot be read keeps its time all the same.
    let Some(row) = game_tables::find(conn, table_id)? else { return Ok(false) };
    if !game_tables::bump(conn, row.id, row.version)? {
        return Err(Refused::Conflict);
    }
    if row.status != game_tables::RUNNING {
        return Ok(false);
    }
    let Some(mut phase) = phases::find(conn, table_id, row.phase_no)? else { return Ok(false) };
    let from = uncredited_from(conn, &row, last_seen_alive, phase.opened_at)?;
    if from >= now {
        return Ok(false);
    }
    let gap = now - from;
    let before = open::running(&phase)?;
    let after = Running { started: before.started + gap, deadline: before.deadline + gap };
    open::move_clock(conn, now, &mut phase, after)?;
    if clock::reminder(after) <= now {
        // A moved deadline warns again, at once if a quarter of the time or less is left.
        timers::set(conn, now, table_id, REMINDER, phase.no, now)?;
    }
    let text = format!("The server was away for {}. The deadline was moved by as much.", when::span(gap.num_seconds()));
    table_log::add(conn, now, table_id, CREDITED, &text)?;
    Ok(true)
}
