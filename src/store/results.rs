//! Results: what a seat's part in a game has come to, first come, once.

use diesel::prelude::*;

use super::schema::{game_tables, results, users};
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

/// A result with the title and game of its table.
#[derive(Clone, Debug)]
pub struct PastResult {
    /// The result.
    pub row: ResultRow,
    /// Title of the table.
    pub title: String,
    /// Id of the game.
    pub game: String,
}

/// A player's results, newest first.
pub fn of_user(conn: &mut Conn, user_id: i64, limit: i64) -> QueryResult<Vec<PastResult>> {
    let rows: Vec<(ResultRow, String, String)> = results::table
        .inner_join(game_tables::table)
        .filter(results::user_id.eq(user_id))
        .order((results::sealed_at.desc(), results::table_id.desc()))
        .limit(limit)
        .select((ResultRow::as_select(), game_tables::title, game_tables::game))
        .load(conn)?;
    Ok(rows.into_iter().map(|(row, title, game)| PastResult { row, title, game }).collect())
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

/// Counts of a player's booked results by kind, ranked or unranked ones.
pub fn counts(conn: &mut Conn, user_id: i64, ranked: bool) -> QueryResult<Vec<(String, i64)>> {
    results::table
        .filter(results::user_id.eq(user_id))
        .filter(results::ranked.eq(ranked))
        .filter(results::booked_at.is_not_null())
        .group_by(results::result)
        .select((results::result, diesel::dsl::count_star()))
        .load(conn)
}

/// One player's booked ranked results of one kind.
#[derive(Clone, Debug, Queryable)]
pub struct Tally {
    /// Player.
    pub user_id: i64,
    /// Kind of result.
    pub result: String,
    /// How many.
    pub count: i64,
    /// Sum of their changes.
    pub change: Option<i64>,
}

/// The booked ranked results of everybody with an account, by player and kind, of one game or of all.
pub fn tallies(conn: &mut Conn, game: Option<&str>) -> QueryResult<Vec<Tally>> {
    results::table
        .inner_join(game_tables::table)
        .inner_join(users::table)
        .filter(results::ranked.eq(true))
        .filter(results::booked_at.is_not_null())
        .filter(users::deleted_at.is_null())
        // Ids of games hold no wildcards; this one stands for every game.
        .filter(game_tables::game.like(game.unwrap_or("%").to_owned()))
        .group_by((results::user_id, results::result))
        .select((results::user_id, results::result, diesel::dsl::count_star(), diesel::dsl::sum(results::score_change)))
        .load(conn)
}
