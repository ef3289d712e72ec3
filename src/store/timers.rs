//! Timers: deadlines, reminders and whatever else is due by itself, as rows found by their time.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::timers;
use super::word::word_enum;
use super::{Conn, MultiBackend, PhaseNo, Stamp, TableId, new_id};

word_enum! {
    /// What a timer is for.
    pub enum TimerKind in "timers.kind" {
        /// A phase's clock runs out.
        Deadline = "deadline",
        /// A quarter of the time is left.
        Reminder = "reminder",
        /// A table that waits has waited too long for somebody to join.
        Unjoined = "unjoined",
        /// A seat played by a program is due.
        Bot = "bot",
    }
}

/// A timer's row; at most one of each kind a table.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = timers)]
#[diesel(check_for_backend(MultiBackend))]
pub struct TimerRow {
    /// Id.
    pub id: i64,
    /// Table.
    pub table_id: TableId,
    /// What it is for.
    pub kind: TimerKind,
    /// Phase it was set for; 0 before the start.
    pub phase_no: PhaseNo,
    /// When it is to fire.
    pub due_at: Stamp,
    /// How often firing it has failed.
    pub attempts: i32,
    /// Why it failed the last time.
    pub last_error: Option<String>,
}

/// Sets a timer in place of the table's earlier one of the same kind.
pub fn set(
    conn: &mut Conn,
    now: Stamp,
    table_id: TableId,
    kind: TimerKind,
    phase_no: PhaseNo,
    due_at: Stamp,
) -> QueryResult<()> {
    clear(conn, table_id, kind)?;
    let row = TimerRow { id: new_id(now), table_id, kind, phase_no, due_at, attempts: 0, last_error: None };
    diesel::insert_into(timers::table).values(row).kept().execute(conn)?;
    Ok(())
}

/// Moves the table's timer of this kind, if it has one, on to another phase. It fires when it would have.
pub fn carry(conn: &mut Conn, table_id: TableId, kind: TimerKind, phase_no: PhaseNo) -> QueryResult<()> {
    diesel::update(timers::table.filter(timers::table_id.eq(table_id)).filter(timers::kind.eq(kind)))
        .set(timers::phase_no.eq(phase_no))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Removes the table's timer of this kind.
pub fn clear(conn: &mut Conn, table_id: TableId, kind: TimerKind) -> QueryResult<()> {
    diesel::delete(timers::table.filter(timers::table_id.eq(table_id)).filter(timers::kind.eq(kind))).execute(conn)?;
    Ok(())
}

/// Removes all timers of a table.
pub fn clear_all(conn: &mut Conn, table_id: TableId) -> QueryResult<()> {
    diesel::delete(timers::table.filter(timers::table_id.eq(table_id))).execute(conn)?;
    Ok(())
}

/// Timers due at `now`, the longest overdue first.
pub fn due(conn: &mut Conn, now: Stamp, limit: i64) -> QueryResult<Vec<TimerRow>> {
    timers::table
        .filter(timers::due_at.le(now))
        .order((timers::due_at, timers::id))
        .limit(limit)
        .select(TimerRow::as_select())
        .load(conn)
}

/// When the next timer is due.
pub fn next(conn: &mut Conn) -> QueryResult<Option<Stamp>> {
    timers::table.select(diesel::dsl::min(timers::due_at)).get_result(conn)
}

/// One timer.
pub fn find(conn: &mut Conn, id: i64) -> QueryResult<Option<TimerRow>> {
    timers::table.find(id).select(TimerRow::as_select()).first(conn).optional()
}

/// Keeps the error of a timer that failed and puts it off. A timer set again in the meantime is left alone.
pub fn put_off(conn: &mut Conn, id: i64, attempts: i32, error: &str, due_at: Stamp) -> QueryResult<()> {
    diesel::update(timers::table.find(id))
        .set((timers::attempts.eq(attempts), timers::last_error.eq(error), timers::due_at.eq(due_at)))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Timers whose last firing failed: what an operator has to look at.
pub fn failing(conn: &mut Conn) -> QueryResult<Vec<TimerRow>> {
    timers::table
        .filter(timers::attempts.gt(0))
        .order((timers::attempts.desc(), timers::id))
        .select(TimerRow::as_select())
        .load(conn)
}

/// All timers of a table.
pub fn of_table(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<TimerRow>> {
    timers::table.filter(timers::table_id.eq(table_id)).order(timers::kind).select(TimerRow::as_select()).load(conn)
}
