//! Who owes orders in a phase, what is handed in and what is saved as a draft.

use diesel::prelude::*;

use super::dialect::Keep;
use super::game_tables::Status;
use super::schema::{drafts, dues, game_tables, phases, plots, seats};
use super::word::word_enum;
use super::{Conn, MultiBackend, PhaseNo, Stamp, TableId, UserId};

/// A seat that owes orders in a phase.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = dues)]
#[diesel(check_for_backend(MultiBackend))]
pub struct DueRow {
    /// Table.
    pub table_id: TableId,
    /// Phase.
    pub phase_no: PhaseNo,
    /// Seat, counted from 0.
    pub seat: i32,
    /// Whether the phase waits for it.
    pub required: bool,
    /// Whether the deadline of this phase was put off for its sake; see [`was_extended`].
    pub extended: bool,
    /// When its player first opened the page of this phase.
    pub seen_at: Option<Stamp>,
}

word_enum! {
    /// Where a plot came from.
    pub enum PlotSource in "plots.source" {
        /// The player handed it in.
        Hand = "hand",
        /// The clock handed in what the player had saved.
        Draft = "draft",
        /// The clock handed in the game's default orders.
        Default = "default",
    }
}

/// A plot handed in.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = plots)]
#[diesel(check_for_backend(MultiBackend))]
pub struct PlotRow {
    /// Table.
    pub table_id: TableId,
    /// Phase.
    pub phase_no: PhaseNo,
    /// Seat, counted from 0.
    pub seat: i32,
    /// Orders in canonical notation.
    pub body: String,
    /// Where it came from.
    pub source: PlotSource,
    /// Counts every change a seat makes to its orders in a phase, drafts included.
    pub version: i64,
    /// What makes the seal unguessable; secret until the phase has resolved.
    pub salt: String,
    /// The salted hash, open at once.
    pub seal: String,
    /// When it was handed in.
    pub handed_in_at: Stamp,
}

/// Orders saved and not handed in.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = drafts)]
#[diesel(check_for_backend(MultiBackend))]
pub struct DraftRow {
    /// Table.
    pub table_id: TableId,
    /// Phase.
    pub phase_no: PhaseNo,
    /// Seat, counted from 0.
    pub seat: i32,
    /// The text as saved, legal or not.
    pub body: String,
    /// As [`PlotRow::version`].
    pub version: i64,
    /// When it was saved.
    pub saved_at: Stamp,
}

/// Adds a due seat.
pub fn insert_due(conn: &mut Conn, row: &DueRow) -> QueryResult<()> {
    diesel::insert_into(dues::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// The seats due in a phase, in seat order.
pub fn dues(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo) -> QueryResult<Vec<DueRow>> {
    dues::table
        .filter(dues::table_id.eq(table_id))
        .filter(dues::phase_no.eq(phase_no))
        .order(dues::seat)
        .select(DueRow::as_select())
        .load(conn)
}

/// Who was due in each phase of a table: numbers of phase and seat, in order.
pub fn dues_of_table(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<(PhaseNo, i32)>> {
    dues::table
        .filter(dues::table_id.eq(table_id))
        .order((dues::phase_no, dues::seat))
        .select((dues::phase_no, dues::seat))
        .load(conn)
}

/// The last phase before `before` in which this seat was due.
pub fn last_due(conn: &mut Conn, table_id: TableId, seat: i32, before: PhaseNo) -> QueryResult<Option<PhaseNo>> {
    dues::table
        .filter(dues::table_id.eq(table_id))
        .filter(dues::seat.eq(seat))
        .filter(dues::phase_no.lt(before))
        .select(diesel::dsl::max(dues::phase_no))
        .get_result(conn)
}

/// The phases from `from` to `to`, both included, in which this seat was or is due; the last one first.
pub fn phases_due(
    conn: &mut Conn,
    table_id: TableId,
    seat: i32,
    from: PhaseNo,
    to: PhaseNo,
) -> QueryResult<Vec<PhaseNo>> {
    dues::table
        .filter(dues::table_id.eq(table_id))
        .filter(dues::seat.eq(seat))
        .filter(dues::phase_no.between(from, to))
        .order(dues::phase_no.desc())
        .select(dues::phase_no)
        .load(conn)
}

/// In how many turns this seat has handed in orders, by hand or as a draft at the deadline.
pub fn turns_handed_in(conn: &mut Conn, table_id: TableId, seat: i32) -> QueryResult<i64> {
    let turns: Vec<i32> = plots::table
        .inner_join(phases::table.on(phases::table_id.eq(plots::table_id).and(phases::no.eq(plots::phase_no))))
        .filter(plots::table_id.eq(table_id))
        .filter(plots::seat.eq(seat))
        .filter(plots::source.ne("default"))
        .select(phases::turn)
        .distinct()
        .load(conn)?;
    Ok(i64::try_from(turns.len()).unwrap_or(i64::MAX))
}

/// Notes that the player has opened the page of this phase; the first time counts.
pub fn mark_seen(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo, seat: i32, now: Stamp) -> QueryResult<()> {
    diesel::update(dues::table.find((table_id, phase_no, seat)).filter(dues::seen_at.is_null()))
        .set(dues::seen_at.eq(now))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Whether a deadline of this table was put off for the seat's sake before, in whichever phase.
pub fn was_extended(conn: &mut Conn, table_id: TableId, seat: i32) -> QueryResult<bool> {
    let extended =
        dues::table.filter(dues::table_id.eq(table_id)).filter(dues::seat.eq(seat)).filter(dues::extended.eq(true));
    diesel::select(diesel::dsl::exists(extended)).get_result(conn)
}

/// Notes that the seat has had its automatic extension.
pub fn mark_extended(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo, seat: i32) -> QueryResult<()> {
    diesel::update(dues::table.find((table_id, phase_no, seat))).set(dues::extended.eq(true)).kept().execute(conn)?;
    Ok(())
}

/// The plots of a phase, in seat order.
pub fn of_phase(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo) -> QueryResult<Vec<PlotRow>> {
    plots::table
        .filter(plots::table_id.eq(table_id))
        .filter(plots::phase_no.eq(phase_no))
        .order(plots::seat)
        .select(PlotRow::as_select())
        .load(conn)
}

/// All plots of a table, by phase and seat.
pub fn of_table(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<PlotRow>> {
    plots::table
        .filter(plots::table_id.eq(table_id))
        .order((plots::phase_no, plots::seat))
        .select(PlotRow::as_select())
        .load(conn)
}

/// The plots of the phases from `from` on, before `until`, that the clock handed in, by phase and seat.
pub fn not_by_hand(conn: &mut Conn, table_id: TableId, from: PhaseNo, until: PhaseNo) -> QueryResult<Vec<PlotRow>> {
    plots::table
        .filter(plots::table_id.eq(table_id))
        .filter(plots::phase_no.ge(from))
        .filter(plots::phase_no.lt(until))
        .filter(plots::source.ne(PlotSource::Hand))
        .order((plots::phase_no, plots::seat))
        .select(PlotRow::as_select())
        .load(conn)
}

/// The seats whose plots for a phase are in; nothing else about them.
pub fn seats_in(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo) -> QueryResult<Vec<i32>> {
    plots::table
        .filter(plots::table_id.eq(table_id))
        .filter(plots::phase_no.eq(phase_no))
        .order(plots::seat)
        .select(plots::seat)
        .load(conn)
}

/// The plot of one seat.
pub fn find(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo, seat: i32) -> QueryResult<Option<PlotRow>> {
    plots::table.find((table_id, phase_no, seat)).select(PlotRow::as_select()).first(conn).optional()
}

/// Stores a plot in place of the seat's earlier one.
pub fn put(conn: &mut Conn, row: &PlotRow) -> QueryResult<()> {
    delete(conn, row.table_id, row.phase_no, row.seat)?;
    diesel::insert_into(plots::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// Takes a plot back.
pub fn delete(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo, seat: i32) -> QueryResult<()> {
    diesel::delete(plots::table.find((table_id, phase_no, seat))).execute(conn)?;
    Ok(())
}

/// The draft of one seat.
pub fn draft(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo, seat: i32) -> QueryResult<Option<DraftRow>> {
    drafts::table.find((table_id, phase_no, seat)).select(DraftRow::as_select()).first(conn).optional()
}

/// Stores a draft in place of the seat's earlier one.
pub fn put_draft(conn: &mut Conn, row: &DraftRow) -> QueryResult<()> {
    delete_draft(conn, row.table_id, row.phase_no, row.seat)?;
    diesel::insert_into(drafts::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// Throws a draft away.
pub fn delete_draft(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo, seat: i32) -> QueryResult<()> {
    diesel::delete(drafts::table.find((table_id, phase_no, seat))).execute(conn)?;
    Ok(())
}

/// At how many running tables this player owes required orders and has handed nothing in.
pub fn count_due(conn: &mut Conn, user_id: UserId) -> QueryResult<i64> {
    let handed_in = diesel::dsl::exists(
        plots::table
            .filter(plots::table_id.eq(dues::table_id))
            .filter(plots::phase_no.eq(dues::phase_no))
            .filter(plots::seat.eq(dues::seat)),
    );
    dues::table
        .inner_join(game_tables::table.on(game_tables::id.eq(dues::table_id)))
        .inner_join(seats::table.on(seats::table_id.eq(dues::table_id).and(seats::seat.eq(dues::seat.nullable()))))
        .filter(game_tables::status.eq(Status::Running))
        .filter(dues::phase_no.eq(game_tables::phase_no))
        .filter(dues::required.eq(true))
        .filter(seats::user_id.eq(user_id))
        .filter(diesel::dsl::not(handed_in))
        .count()
        .get_result(conn)
}
