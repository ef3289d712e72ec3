//! Outages that were added to the clocks of tables, and what that did to each of them.

use diesel::prelude::*;

use super::dialect::Both;
use super::dialect::Keep;
use super::schema::{credit_marks, credits};
use super::{Conn, MultiBackend, PhaseNo, Stamp, TableId};

/// Under way, or interrupted.
pub const RUNNING: &str = "running";
/// Given to every table.
pub const DONE: &str = "done";
/// Being taken back, or interrupted in that.
pub const UNDOING: &str = "undoing";
/// Taken back from every table.
pub const UNDONE: &str = "undone";

/// An outage.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = credits)]
#[diesel(check_for_backend(MultiBackend))]
pub struct Credit {
    /// The last sign of life before it; its id, so that processes that find the same outage work on the same credit.
    pub from_at: Stamp,
    /// Its end.
    pub until_at: Stamp,
    /// [`RUNNING`], [`DONE`], [`UNDOING`] or [`UNDONE`].
    pub state: String,
}

/// What a credit did to one table.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = credit_marks)]
#[diesel(check_for_backend(MultiBackend))]
pub struct CreditMark {
    /// Which credit.
    pub from_at: Stamp,
    /// Table.
    pub table_id: TableId,
    /// The phase whose clock was moved; 0: the wait for players.
    pub phase_no: PhaseNo,
    /// By how many seconds; 0: by nothing.
    pub gap_s: i64,
    /// Whether it was taken back.
    pub undone: bool,
}

/// Begins a credit, or finds the one that another process has begun for the same outage.
pub fn begin(conn: &mut Conn, from_at: Stamp, until_at: Stamp) -> QueryResult<Credit> {
    let row = Credit { from_at, until_at, state: RUNNING.to_owned() };
    let insert = diesel::insert_into(credits::table).values(row).on_conflict(credits::from_at).do_nothing();
    Both(insert).kept().execute(conn)?;
    credits::table.find(from_at).select(Credit::as_select()).first(conn)
}

/// The credit that ends last; that is the one begun last.
pub fn last(conn: &mut Conn) -> QueryResult<Option<Credit>> {
    credits::table.order(credits::until_at.desc()).select(Credit::as_select()).first(conn).optional()
}

/// Until when time has been added and not taken back.
pub fn credited_until(conn: &mut Conn) -> QueryResult<Option<Stamp>> {
    credits::table
        .filter(credits::state.eq_any([RUNNING, DONE]))
        .select(diesel::dsl::max(credits::until_at))
        .first(conn)
}

/// Credits that were interrupted, the earliest first.
pub fn interrupted(conn: &mut Conn) -> QueryResult<Vec<Credit>> {
    credits::table.filter(credits::state.eq(RUNNING)).order(credits::from_at).select(Credit::as_select()).load(conn)
}

/// Sets the state of a credit.
pub fn set_state(conn: &mut Conn, from_at: Stamp, state: &str) -> QueryResult<()> {
    diesel::update(credits::table.find(from_at)).set(credits::state.eq(state)).kept().execute(conn)?;
    Ok(())
}

/// Notes what a credit does to a table; false when that has been noted before, and then it must not be done again.
pub fn mark(conn: &mut Conn, mark: CreditMark) -> QueryResult<bool> {
    let insert = diesel::insert_into(credit_marks::table)
        .values(mark)
        .on_conflict((credit_marks::from_at, credit_marks::table_id))
        .do_nothing();
    Ok(Both(insert).kept().execute(conn)? == 1)
}

/// The tables that a credit has come to.
pub fn marked(conn: &mut Conn, from_at: Stamp) -> QueryResult<Vec<TableId>> {
    credit_marks::table.filter(credit_marks::from_at.eq(from_at)).select(credit_marks::table_id).load(conn)
}

/// How many tables a credit has moved and not moved back.
pub fn count_moved(conn: &mut Conn, from_at: Stamp) -> QueryResult<i64> {
    moved(from_at).count().get_result(conn)
}

/// What a credit has moved and not moved back.
pub fn still_moved(conn: &mut Conn, from_at: Stamp) -> QueryResult<Vec<CreditMark>> {
    moved(from_at).order(credit_marks::table_id).select(CreditMark::as_select()).load(conn)
}

#[diesel::dsl::auto_type(no_type_alias)]
fn moved(from_at: Stamp) -> _ {
    credit_marks::table
        .filter(credit_marks::from_at.eq(from_at))
        .filter(credit_marks::gap_s.gt(0_i64))
        .filter(credit_marks::undone.eq(false))
}

/// Notes that a table was moved back; false when it was before.
pub fn unmark(conn: &mut Conn, mark: &CreditMark) -> QueryResult<bool> {
    let still = credit_marks::table.find((mark.from_at, mark.table_id)).filter(credit_marks::undone.eq(false));
    Ok(diesel::update(still).set(credit_marks::undone.eq(true)).kept().execute(conn)? == 1)
}

/// Forgets what earlier credits did, and those that were taken back; only the last one can be taken back.
pub fn forget_before(conn: &mut Conn, from_at: Stamp) -> QueryResult<()> {
    diesel::delete(credit_marks::table.filter(credit_marks::from_at.lt(from_at))).execute(conn)?;
    diesel::delete(credits::table.filter(credits::state.eq(UNDONE))).execute(conn)?;
    Ok(())
}
