//! Results: what a seat's part in a game has come to, first come, once.

use diesel::prelude::*;

use super::dialect::Keep;
use super::game_tables::{NOBODY, TableRow, seen_by};
use super::schema::{game_tables, results};
use super::word::word_enum;
use super::{Conn, MultiBackend, Stamp, TableId, UserId};

word_enum! {
    /// What a seat's part in a game has come to, as it is booked.
    pub enum Outcome in "results.result" {
        /// Won.
        Won = "won",
        /// Beaten.
        Lost = "lost",
        /// Tied.
        Drew = "drew",
        /// Gave up.
        Resigned = "resigned",
        /// Let the clock run out.
        Dropped = "dropped",
    }
}

word_enum! {
    /// Why a ranked result books nothing.
    pub enum NotCounted in "results.not_counted" {
        /// The winner has won against each of the opponents twice within thirty days.
        Repeat = "repeat",
        /// All others left early, and the winner has won so over one of them within ninety days.
        Walkover = "walkover",
        /// A loss at a table whose win does not count.
        Loss = "loss",
    }
}

/// A result. It is pending until `booked_at` is set, when the table ends.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = results)]
#[diesel(check_for_backend(MultiBackend))]
pub struct ResultRow {
    /// Table.
    pub table_id: TableId,
    /// Seat, counted from 0.
    pub seat: i32,
    /// Player.
    pub user_id: UserId,
    /// What the seat's part has come to.
    pub result: Outcome,
    /// What it does to the score; 0 at unranked tables.
    pub score_change: i32,
    /// Whether it counts.
    pub ranked: bool,
    /// When the fate was sealed.
    pub sealed_at: Stamp,
    /// When it was booked.
    pub booked_at: Option<Stamp>,
    /// Whose record it is in: the player's own account, or the one they signed up with again after deleting it.
    pub person_id: UserId,
    /// Of a winner: whether the win counts. Of the others: whether they count as its opponents.
    pub counted: bool,
    /// Whether it is a win by walkover.
    pub walkover: bool,
    /// Why it books nothing: `repeat`, `walkover` or `loss`.
    pub not_counted: Option<NotCounted>,
}

/// Adds a result. The primary key makes a second one for the same seat an error.
pub fn insert(conn: &mut Conn, row: &ResultRow) -> QueryResult<()> {
    diesel::insert_into(results::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// Stores what is to be booked of a result, and why.
pub fn settle(conn: &mut Conn, row: &ResultRow) -> QueryResult<()> {
    diesel::update(results::table.find((row.table_id, row.seat)))
        .set((
            results::score_change.eq(row.score_change),
            results::counted.eq(row.counted),
            results::walkover.eq(row.walkover),
            results::not_counted.eq(&row.not_counted),
        ))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// The counted wins of this person since then, one entry an opponent who counted in it: over whom, when it was booked,
/// and whether it was a walkover.
pub fn counted_wins(conn: &mut Conn, person_id: UserId, since: Stamp) -> QueryResult<Vec<(UserId, Stamp, bool)>> {
    let (won, lost) = diesel::alias!(results as won, results as lost);
    let rows: Vec<(UserId, Option<Stamp>, bool)> = won
        .inner_join(lost.on(lost.field(results::table_id).eq(won.field(results::table_id))))
        .filter(won.field(results::person_id).eq(person_id))
        .filter(won.field(results::result).eq("won"))
        .filter(won.field(results::ranked).eq(true))
        .filter(won.field(results::counted).eq(true))
        .filter(won.field(results::booked_at).gt(since))
        .filter(lost.field(results::seat).ne(won.field(results::seat)))
        .filter(lost.field(results::counted).eq(true))
        .select((lost.field(results::person_id), won.field(results::booked_at), won.field(results::walkover)))
        .load(conn)?;
    Ok(rows.into_iter().filter_map(|(over, at, walkover)| Some((over, at?, walkover))).collect())
}

/// Hands the record of one account to another.
pub fn hand_over(conn: &mut Conn, from: UserId, to: UserId) -> QueryResult<()> {
    diesel::update(results::table.filter(results::person_id.eq(from)))
        .set(results::person_id.eq(to))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Books all results of a table.
pub fn book(conn: &mut Conn, table_id: TableId, now: Stamp) -> QueryResult<()> {
    diesel::update(results::table.filter(results::table_id.eq(table_id)).filter(results::booked_at.is_null()))
        .set(results::booked_at.eq(now))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// The results of a table, in seat order.
pub fn of_table(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<ResultRow>> {
    results::table.filter(results::table_id.eq(table_id)).order(results::seat).select(ResultRow::as_select()).load(conn)
}

/// A player's results at tables that others still play, newest first, with the titles of the tables.
pub fn pending(conn: &mut Conn, user_id: UserId) -> QueryResult<Vec<(ResultRow, String)>> {
    results::table
        .inner_join(game_tables::table)
        .filter(results::user_id.eq(user_id))
        .filter(results::booked_at.is_null())
        .order((results::sealed_at.desc(), results::table_id.desc()))
        .select((ResultRow::as_select(), game_tables::title))
        .load(conn)
}

/// A player's results at these tables.
pub fn of_user_at(conn: &mut Conn, user_id: UserId, table_ids: &[TableId]) -> QueryResult<Vec<ResultRow>> {
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
    user_id: UserId,
    viewer: Option<UserId>,
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
pub fn past_count(conn: &mut Conn, user_id: UserId, viewer: Option<UserId>) -> QueryResult<i64> {
    results::table
        .inner_join(game_tables::table)
        .filter(results::user_id.eq(user_id))
        .filter(results::booked_at.is_not_null())
        .filter(seen_by(viewer.unwrap_or(NOBODY)))
        .count()
        .get_result(conn)
}

/// A booked change of a score: at which table, when, and by how much.
pub type Change = (TableId, Option<Stamp>, i32);

/// All booked changes of a player's score, oldest first.
pub fn changes(conn: &mut Conn, user_id: UserId) -> QueryResult<Vec<Change>> {
    results::table
        .filter(results::person_id.eq(user_id))
        .filter(results::ranked.eq(true))
        .filter(results::booked_at.is_not_null())
        .filter(results::not_counted.is_null())
        .order((results::booked_at, results::sealed_at, results::table_id))
        .select((results::table_id, results::booked_at, results::score_change))
        .load(conn)
}

/// The sum of a player's booked changes.
pub fn booked_change(conn: &mut Conn, user_id: UserId) -> QueryResult<i64> {
    let sum: Option<i64> = results::table
        .filter(results::person_id.eq(user_id))
        .filter(results::ranked.eq(true))
        .filter(results::booked_at.is_not_null())
        .select(diesel::dsl::sum(results::score_change))
        .get_result(conn)?;
    Ok(sum.unwrap_or(0))
}

/// Counts of a player's booked ranked results by kind, those that count. The score comes of all of them, so they are open, whoever
/// may see the tables.
pub fn ranked_counts(conn: &mut Conn, user_id: UserId) -> QueryResult<Vec<(Outcome, i64)>> {
    results::table
        .filter(results::person_id.eq(user_id))
        .filter(results::ranked.eq(true))
        .filter(results::booked_at.is_not_null())
        .filter(results::not_counted.is_null())
        .group_by(results::result)
        .select((results::result, diesel::dsl::count_star()))
        .load(conn)
}

/// Counts of a player's unranked results at tables that `viewer` may see, by kind, practice apart.
pub fn unranked_counts(conn: &mut Conn, user_id: UserId, viewer: Option<UserId>) -> QueryResult<Vec<(Outcome, i64)>> {
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
