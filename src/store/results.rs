//! Results: what a seat's part in a game has come to, first come, once.

use diesel::prelude::*;

use super::game_tables::{NOBODY, TableRow, seen_by};
use super::schema::{game_tables, results};
use super::{Conn, MultiBackend, Stamp};

/// A result. It is pending until `booked_at` is set, when the table ends.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = results)]
#[diesel(check_for_backend(MultiBackend))]
pub struct ResultRow {
    /// Table.
    pub table_id: i64,
    /// Seat, counted from 0.
    pub seat: i32,
    /// Player.
    pub user_id: i64,
    /// `won`, `lost`, `drew`, `resigned` or `dropped`.
    pub result: String,
    /// What it does to the score; 0 at unranked tables.
    pub score_change: i32,
    /// Whether it counts.
    pub ranked: bool,
    /// When the fate was sealed.
    pub sealed_at: Stamp,
    /// When it was booked.
    pub booked_at: Option<Stamp>,
}

/// Adds a result. The primary key makes a second one for the same seat an error.
pub fn insert(conn: &mut Conn, row: &ResultRow) -> QueryResult<()> {
    diesel::insert_into(results::table).values(row.clone()).execute(conn)?;
    Ok(())
}

/// Books all results of a table.
pub fn book(conn: &mut Conn, table_id: i64, now: Stamp) -> QueryResult<()> {
    diesel::update(results::table.filter(results::table_id.eq(table_id)).filter(results::booked_at.is_null()))
        .set(results::booked_at.eq(now))
        .execute(conn)?;
    Ok(())
}

/// The results of a table, in seat order.
pub fn of_table(conn: &mut Conn, table_id: i64) -> QueryResult<Vec<ResultRow>> {
    results::table.filter(results::table_id.eq(table_id)).order(results::seat).select(ResultRow::as_select()).load(conn)
}

/// A player's results at tables that others still play, newest first, with the titles of the tables.
pub fn pending(conn: &mut Conn, user_id: i64) -> QueryResult<Vec<(ResultRow, String)>> {
    results::table
        .inner_join(game_tables::table)
        .filter(results::user_id.eq(user_id))
        .filter(results::booked_at.is_null())
        .order((results::sealed_at.desc(), results::table_id.desc()))
        .select((ResultRow::as_select(), game_tables::title))
        .load(conn)
}

/// A player's results at these tables.
pub fn of_user_at(conn: &mut Conn, user_id: i64, table_ids: &[i64]) -> QueryResult<Vec<ResultRow>> {
    results::table
        .filter(results::user_id.eq(user_id))
        .filter(results::table_id.eq_any(table_ids))
        .select(ResultRow::as_select())
        .load(conn)
}

/// A player's booked results with their tables, newest first; only of tables that `viewer` may see: those that
/// are not private, and private ones they sit at or have made.
pub fn past(
    conn: &mut Conn,
    user_id: i64,
    viewer: Option<i64>,
    limit: i64,
    offset: i64,
) -> QueryResult<Vec<(ResultRow, TableRow)>> {
    results::table
        .inner_join(game_tables::table)
        .filter(results::user_id.eq(user_id))
        .filter(results::booked_at.is_not_null())
        .filter(seen_by(viewer.unwrap_or(NOBODY)))
        .order((results::booked_at.desc(), results::sealed_at.desc(), results::table_id.desc()))
        .limit(limit)
        .offset(offset)
        .select((ResultRow::as_select(), TableRow::as_select()))
        .load(conn)
}

/// How many results [`past`] has in all.
pub fn past_count(conn: &mut Conn, user_id: i64, viewer: Option<i64>) -> QueryResult<i64> {
    results::table
        .inner_join(game_tables::table)
        .filter(results::user_id.eq(user_id))
        .filter(results::booked_at.is_not_null())
        .filter(seen_by(viewer.unwrap_or(NOBODY)))
        .count()
        .get_result(conn)
}

/// A booked change of a score: at which table, when, and by how much.
pub type Change = (i64, Option<Stamp>, i32);

/// All booked changes of a player's score, oldest first.
pub fn changes(conn: &mut Conn, user_id: i64) -> QueryResult<Vec<Change>> {
    results::table
        .filter(results::user_id.eq(user_id))
        .filter(results::ranked.eq(true))
        .filter(results::booked_at.is_not_null())
        .order((results::booked_at, results::sealed_at, results::table_id))
        .select((results::table_id, results::booked_at, results::score_change))
        .load(conn)
}

/// The kinds of a player's last `limit` ranked results, pending ones included, newest first.
pub fn last_ranked(conn: &mut Conn, user_id: i64, limit: i64) -> QueryResult<Vec<String>> {
    results::table
        .filter(results::user_id.eq(user_id))
        .filter(results::ranked.eq(true))
        .order((results::sealed_at.desc(), results::table_id.desc()))
        .limit(limit)
        .select(results::result)
        .load(conn)
}

/// The sum of a player's booked changes.
pub fn booked_change(conn: &mut Conn, user_id: i64) -> QueryResult<i64> {
    let sum: Option<i64> = results::table
        .filter(results::user_id.eq(user_id))
        .filter(results::ranked.eq(true))
        .filter(results::booked_at.is_not_null())
        .select(diesel::dsl::sum(results::score_change))
        .get_result(conn)?;
    Ok(sum.unwrap_or(0))
}

/// Counts of a player's booked ranked results by kind. The score comes of all of them, so they are open, whoever
/// may see the tables.
pub fn ranked_counts(conn: &mut Conn, user_id: i64) -> QueryResult<Vec<(String, i64)>> {
    results::table
        .filter(results::user_id.eq(user_id))
        .filter(results::ranked.eq(true))
        .filter(results::booked_at.is_not_null())
        .group_by(results::result)
        .select((results::result, diesel::dsl::count_star()))
        .load(conn)
}

/// Counts of a player's unranked results at tables that `viewer` may see, by kind, practice apart.
pub fn unranked_counts(conn: &mut Conn, user_id: i64, viewer: Option<i64>) -> QueryResult<Vec<(String, i64)>> {
    results::table
        .inner_join(game_tables::table)
        .filter(results::user_id.eq(user_id))
        .filter(results::ranked.eq(false))
        .filter(results::booked_at.is_not_null())
        .filter(game_tables::practice.eq(false))
        .filter(seen_by(viewer.unwrap_or(NOBODY)))
        .group_by(results::result)
        .select((results::result, diesel::dsl::count_star()))
        .load(conn)
}
