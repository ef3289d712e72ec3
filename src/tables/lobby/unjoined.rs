//! Tables that nobody joins: after a while they are closed, so that the list of open tables is one of tables
//! that can still be played.

use chrono::TimeDelta;

use crate::store::timers::{self, TimerKind, TimerRow};
use crate::store::{Conn, Database, PhaseNo, Stamp, TableId, game_tables, seats};
use crate::when;

use super::calling_off::call_off;
use crate::tables::access::{self, Table};
use crate::tables::play::woken::Woken;
use crate::tables::{Ctx, Refused, run};

/// Lets the wait for somebody to join begin again: the table was made, or somebody has joined.
pub fn wait_anew(conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: TableId) -> Result<(), Refused> {
    match ctx.unjoined {
        Some(wait) => timers::set(conn, now, table_id, TimerKind::Unjoined, PhaseNo(0), now + wait)?,
        None => timers::clear(conn, table_id, TimerKind::Unjoined)?,
    }
    Ok(())
}

/// Lets tables wait that do not yet, because the settings wanted none closed when they were made; from now on, so that
/// their people have the whole time. Returns how many.
pub fn wait_for_all(db: &Database, ctx: &Ctx, now: Stamp) -> Result<usize, Refused> {
    if ctx.unjoined.is_none() {
        return Ok(0);
    }
    let waiting = db.read(|conn| {
        let mut waiting = Vec::new();
        for table_id in game_tables::open_ids(conn)? {
            if !timers::of_table(conn, table_id)?.iter().any(|timer| timer.kind == TimerKind::Unjoined) {
                waiting.push(table_id);
            }
        }
        diesel::QueryResult::Ok(waiting)
    })?;
    let mut begun = 0;
    for table_id in waiting {
        let done = run(db, |conn| {
            let table = access::lock(conn, ctx, table_id)?;
            let open = table.row.status == game_tables::Status::Open;
            if open {
                wait_anew(conn, ctx, now, table_id)?;
            }
            Ok(open)
        });
        match done {
            Ok(open) => begun += usize::from(open),
            // One table that cannot be read must not hold up the others.
            Err(error @ Refused::Database(_)) => return Err(error),
            Err(error) => tracing::error!(table.id = %table_id, %error, "A waiting table was left as it is."),
        }
    }
    Ok(begun)
}

/// Closes a table that has waited too long. The timer may be earlier than the settings want it by now, never
/// the other way round: then it is put right, and nothing else is done.
pub fn wake(conn: &mut Conn, ctx: &Ctx, now: Stamp, table: &Table, timer: &TimerRow) -> Result<Woken, Refused> {
    let table_id = table.row.id;
    let Some(wait) = ctx.unjoined else {
        timers::clear(conn, table_id, TimerKind::Unjoined)?;
        return Ok(Woken::Nothing);
    };
    let seated = seats::of_table(conn, table_id)?;
    let joined = seated.iter().filter(|seated| seated.bot.is_none()).map(|seated| seated.row.joined_at).max();
    let since = joined.map_or(table.row.created_at, |joined| joined.max(table.row.created_at));
    if timer.due_at < since + wait {
        timers::set(conn, now, table_id, TimerKind::Unjoined, PhaseNo(0), since + wait)?;
        return Ok(Woken::Nothing);
    }
    let why = format!("Nobody joined for {}, so the table was closed.", when::span(wait.num_seconds()));
    call_off(conn, ctx, now, table, &why, None)?;
    tracing::info!(table.id = %table_id, "A table that nobody joined was closed.");
    Ok(Woken::Closed)
}

/// Lets a waiting table wait longer; false when it waits for ever.
pub fn credit(conn: &mut Conn, now: Stamp, table_id: TableId, gap: TimeDelta) -> Result<bool, Refused> {
    let timer = timers::of_table(conn, table_id)?.into_iter().find(|timer| timer.kind == TimerKind::Unjoined);
    let Some(timer) = timer else { return Ok(false) };
    timers::set(conn, now, table_id, TimerKind::Unjoined, PhaseNo(0), timer.due_at + gap)?;
    Ok(true)
}
