//! Phases: one row each, with the packed state it opened with and what closed it.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::{opening_reports, phases};
use super::word::word_enum;
use super::{Conn, MultiBackend, PhaseNo, Stamp, TableId};

/// A phase's row. `leavers`, `report` and `throws` are JSON texts, set when it closes.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = phases)]
#[diesel(check_for_backend(MultiBackend))]
pub struct PhaseRow {
    /// Table.
    pub table_id: TableId,
    /// Number, counted from 1.
    pub no: PhaseNo,
    /// Short name in the game.
    pub key: String,
    /// Name for people, without the turn.
    pub name: String,
    /// Turn, counted from 1.
    pub turn: i32,
    /// Whether plots are secret until it resolves.
    pub simultaneous: bool,
    /// Packed state it opened with.
    pub state: Vec<u8>,
    /// When it opened.
    pub opened_at: Stamp,
    /// When its clock began to run; earlier than `opened_at` under an inherited clock.
    pub clock_started_at: Stamp,
    /// When its clock runs out.
    pub deadline_at: Option<Stamp>,
    /// Edition of the rules; of the one that closed it once closed.
    pub edition: i32,
    /// When it closed.
    pub closed_at: Option<Stamp>,
    /// What closed it.
    pub closed_by: Option<ClosedBy>,
    /// Who left, as JSON.
    pub leavers: Option<String>,
    /// What closing it led to, as JSON.
    pub report: Option<String>,
    /// The dice thrown, as JSON.
    pub throws: Option<String>,
}

word_enum! {
    /// What closed a phase.
    pub enum ClosedBy in "phases.closed_by" {
        /// All orders that were waited for were in.
        Plots = "plots",
        /// The time ran out.
        Time = "time",
        /// A player gave up.
        Resigned = "resigned",
        /// A player ran out of time for good.
        Dropped = "dropped",
    }
}

/// A phase without its state: what lists need.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = phases)]
#[diesel(check_for_backend(MultiBackend))]
pub struct PhaseHead {
    /// Number, counted from 1.
    pub no: PhaseNo,
    /// Short name in the game.
    pub key: String,
    /// Name for people, without the turn.
    pub name: String,
    /// Turn, counted from 1.
    pub turn: i32,
    /// When it opened.
    pub opened_at: Stamp,
    /// When its clock runs out.
    pub deadline_at: Option<Stamp>,
    /// When it closed.
    pub closed_at: Option<Stamp>,
    /// What closed it.
    pub closed_by: Option<ClosedBy>,
}

/// Adds an open phase.
pub fn insert(conn: &mut Conn, row: &PhaseRow) -> QueryResult<()> {
    diesel::insert_into(phases::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// How a phase was closed.
#[derive(Clone, Debug, AsChangeset)]
#[diesel(table_name = phases)]
pub struct Closed {
    /// Edition of the rules that closed it.
    pub edition: i32,
    /// When.
    pub closed_at: Option<Stamp>,
    /// What closed it.
    pub closed_by: Option<ClosedBy>,
    /// Who left, as JSON.
    pub leavers: Option<String>,
    /// What it led to, as JSON.
    pub report: Option<String>,
    /// The dice thrown, as JSON.
    pub throws: Option<String>,
}

/// Closes an open phase; false when it was closed already.
pub fn close(conn: &mut Conn, table_id: TableId, no: PhaseNo, closed: &Closed) -> QueryResult<bool> {
    let open = phases::table
        .filter(phases::table_id.eq(table_id))
        .filter(phases::no.eq(no))
        .filter(phases::closed_at.is_null());
    Ok(diesel::update(open).set(closed.clone()).kept().execute(conn)? == 1)
}

/// One phase.
pub fn find(conn: &mut Conn, table_id: TableId, no: PhaseNo) -> QueryResult<Option<PhaseRow>> {
    phases::table.find((table_id, no)).select(PhaseRow::as_select()).first(conn).optional()
}

/// All phases of a table in order, without their states.
pub fn heads(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<PhaseHead>> {
    phases::table.filter(phases::table_id.eq(table_id)).order(phases::no).select(PhaseHead::as_select()).load(conn)
}

/// All phases of a table in order.
pub fn all(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<PhaseRow>> {
    phases::table.filter(phases::table_id.eq(table_id)).order(phases::no).select(PhaseRow::as_select()).load(conn)
}

/// What a closed phase has led to.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = phases)]
#[diesel(check_for_backend(MultiBackend))]
pub struct PhaseReport {
    /// Number, counted from 1.
    pub no: PhaseNo,
    /// Name for people, without the turn.
    pub name: String,
    /// Turn, counted from 1.
    pub turn: i32,
    /// Whether plots were secret until it resolved.
    pub simultaneous: bool,
    /// What happened, as JSON.
    pub report: Option<String>,
}

/// The reports of the closed phases from number `from` on, before number `until`.
pub fn reports(conn: &mut Conn, table_id: TableId, from: PhaseNo, until: PhaseNo) -> QueryResult<Vec<PhaseReport>> {
    phases::table
        .filter(phases::table_id.eq(table_id))
        .filter(phases::no.ge(from))
        .filter(phases::no.lt(until))
        .filter(phases::closed_at.is_not_null())
        .order(phases::no)
        .select(PhaseReport::as_select())
        .load(conn)
}

/// The throws of the closed phases of a table in order, a JSON list each.
pub fn throws(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<String>> {
    let texts: Vec<Option<String>> = phases::table
        .filter(phases::table_id.eq(table_id))
        .filter(phases::throws.is_not_null())
        .order(phases::no)
        .select(phases::throws)
        .load(conn)?;
    Ok(texts.into_iter().flatten().collect())
}

/// Where a phase is in the game.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = phases)]
#[diesel(check_for_backend(MultiBackend))]
pub struct Place {
    /// Turn, counted from 1.
    pub turn: i32,
    /// Whether plots are secret until it resolves.
    pub simultaneous: bool,
}

/// The place of one phase.
pub fn place(conn: &mut Conn, table_id: TableId, no: PhaseNo) -> QueryResult<Option<Place>> {
    phases::table.find((table_id, no)).select(Place::as_select()).first(conn).optional()
}

/// The number of the first phase of a turn in which one player acts after the other.
pub fn first_step(conn: &mut Conn, table_id: TableId, turn: i32) -> QueryResult<Option<PhaseNo>> {
    phases::table
        .filter(phases::table_id.eq(table_id))
        .filter(phases::turn.eq(turn))
        .filter(phases::simultaneous.eq(false))
        .select(diesel::dsl::min(phases::no))
        .get_result(conn)
}

/// The report of a closed phase.
pub fn report_of(conn: &mut Conn, table_id: TableId, no: PhaseNo) -> QueryResult<Option<String>> {
    let report: Option<Option<String>> =
        phases::table.find((table_id, no)).select(phases::report).first(conn).optional()?;
    Ok(report.flatten())
}

/// Number of the first phase of a turn.
pub fn first_of_turn(conn: &mut Conn, table_id: TableId, turn: i32) -> QueryResult<Option<PhaseNo>> {
    phases::table
        .filter(phases::table_id.eq(table_id))
        .filter(phases::turn.eq(turn))
        .select(diesel::dsl::min(phases::no))
        .get_result(conn)
}

/// The open phases of these tables: table, turn and name.
pub fn open_of(conn: &mut Conn, table_ids: &[TableId]) -> QueryResult<Vec<(TableId, i32, String)>> {
    phases::table
        .filter(phases::table_id.eq_any(table_ids))
        .filter(phases::closed_at.is_null())
        .select((phases::table_id, phases::turn, phases::name))
        .load(conn)
}

/// Moves the clock of an open phase.
pub fn set_clock(conn: &mut Conn, table_id: TableId, no: PhaseNo, started: Stamp, deadline: Stamp) -> QueryResult<()> {
    diesel::update(phases::table.find((table_id, no)))
        .set((phases::clock_started_at.eq(started), phases::deadline_at.eq(deadline)))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// The report of the set-up. All three texts are JSON.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = opening_reports)]
#[diesel(check_for_backend(MultiBackend))]
pub struct OpeningRow {
    /// Table.
    pub table_id: TableId,
    /// What happened in the set-up.
    pub report: String,
    /// The dice thrown in it.
    pub throws: String,
    /// How the seats were dealt.
    pub seating: String,
}

/// Stores the report of the set-up.
pub fn insert_opening(conn: &mut Conn, row: &OpeningRow) -> QueryResult<()> {
    diesel::insert_into(opening_reports::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// The report of the set-up.
pub fn opening(conn: &mut Conn, table_id: TableId) -> QueryResult<Option<OpeningRow>> {
    opening_reports::table.find(table_id).select(OpeningRow::as_select()).first(conn).optional()
}
