//! The records of many players at once: the leaderboard, and what others see of a player beforehand. Each is
//! one query, however many players there are.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Nullable, Text, Timestamp};

use super::results::{NotCounted, Outcome};
use super::{Conn, Stamp, TableId, UserId};

/// Who may stand on a leaderboard, as a condition on `users u`: people with an account, no
/// bots.
const LISTED: &str = "u.deleted_at IS NULL AND u.bot IS NULL";

/// The booked ranked results by player, with the place that equal scores share. `$1` is the game, or `%`.
const RECORDS: &str = "SELECT r.person_id AS user_id, u.name AS name, \
    CAST(COUNT(*) AS BIGINT) AS games, CAST(SUM(r.score_change) AS BIGINT) AS change, \
    CAST(SUM(CASE WHEN r.result = 'won' THEN 1 ELSE 0 END) AS BIGINT) AS wins, \
    CAST(SUM(CASE WHEN r.result IN ('lost', 'resigned') THEN 1 ELSE 0 END) AS BIGINT) AS losses, \
    CAST(SUM(CASE WHEN r.result = 'resigned' THEN 1 ELSE 0 END) AS BIGINT) AS resignations, \
    CAST(SUM(CASE WHEN r.result = 'dropped' THEN 1 ELSE 0 END) AS BIGINT) AS drops, \
    CAST(SUM(CASE WHEN r.result = 'drew' THEN 1 ELSE 0 END) AS BIGINT) AS draws \
    FROM results r JOIN game_tables t ON t.id = r.table_id JOIN users u ON u.id = r.person_id \
    WHERE r.ranked AND r.booked_at IS NOT NULL AND r.not_counted IS NULL AND t.game LIKE $1";

/// One player's line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct RecordRow {
    /// Place, counted from 1; equal scores share it.
    #[diesel(sql_type = BigInt)]
    pub place: i64,
    /// How many players are listed in all.
    #[diesel(sql_type = BigInt)]
    pub listed: i64,
    /// Player.
    #[diesel(sql_type = BigInt)]
    pub user_id: UserId,
    /// Name.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Booked ranked results.
    #[diesel(sql_type = BigInt)]
    pub games: i64,
    /// Sum of their changes.
    #[diesel(sql_type = BigInt)]
    pub change: i64,
    /// Won.
    #[diesel(sql_type = BigInt)]
    pub wins: i64,
    /// Lost, resignations included.
    #[diesel(sql_type = BigInt)]
    pub losses: i64,
    /// Of the losses: resigned.
    #[diesel(sql_type = BigInt)]
    pub resignations: i64,
    /// Dropped.
    #[diesel(sql_type = BigInt)]
    pub drops: i64,
    /// Tied.
    #[diesel(sql_type = BigInt)]
    pub draws: i64,
}

/// All listed players with their places, as a query that may be narrowed further. `$2`: least number of games.
fn ranked_records() -> String {
    format!(
        "SELECT p.* FROM (SELECT s.*, RANK() OVER (ORDER BY s.change DESC) AS place, COUNT(*) OVER () AS listed \
         FROM ({RECORDS} AND {LISTED} GROUP BY r.person_id, u.name HAVING COUNT(*) >= $2) s) p"
    )
}

/// What a game is asked for by: ids of games hold no wildcards, and this one stands for every game.
fn pattern(game: Option<&str>) -> String {
    game.unwrap_or("%").to_owned()
}

/// A part of the leaderboard, best first: players with at least `least_games` booked ranked results of this
/// game, or of all.
pub fn leaderboard(
    conn: &mut Conn,
    game: Option<&str>,
    least_games: i64,
    limit: i64,
    offset: i64,
) -> QueryResult<Vec<RecordRow>> {
    let query =
        format!("{} ORDER BY p.place, p.wins DESC, LOWER(p.name), p.user_id LIMIT $3 OFFSET $4", ranked_records());
    sql_query(query)
        .bind::<Text, _>(pattern(game))
        .bind::<BigInt, _>(least_games)
        .bind::<BigInt, _>(limit)
        .bind::<BigInt, _>(offset)
        .load(conn)
}

/// One player's line of the same leaderboard; `None` when they are not listed.
pub fn leaderboard_line(
    conn: &mut Conn,
    game: Option<&str>,
    least_games: i64,
    user_id: UserId,
) -> QueryResult<Option<RecordRow>> {
    let query = format!("{} WHERE p.user_id = $3", ranked_records());
    sql_query(query)
        .bind::<Text, _>(pattern(game))
        .bind::<BigInt, _>(least_games)
        .bind::<BigInt, _>(user_id)
        .get_result(conn)
        .optional()
}

/// A player's record at one game.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct GameRecordRow {
    /// Id of the game.
    #[diesel(sql_type = Text)]
    pub game: String,
    /// Booked results.
    #[diesel(sql_type = BigInt)]
    pub games: i64,
    /// Sum of their changes.
    #[diesel(sql_type = BigInt)]
    pub change: i64,
    /// Won.
    #[diesel(sql_type = BigInt)]
    pub wins: i64,
    /// Lost, resignations included.
    #[diesel(sql_type = BigInt)]
    pub losses: i64,
    /// Dropped.
    #[diesel(sql_type = BigInt)]
    pub drops: i64,
    /// Tied.
    #[diesel(sql_type = BigInt)]
    pub draws: i64,
}

/// A player's booked ranked results by game, the game most played first.
pub fn by_game(conn: &mut Conn, user_id: UserId) -> QueryResult<Vec<GameRecordRow>> {
    let query = "SELECT t.game AS game, CAST(COUNT(*) AS BIGINT) AS games, \
        CAST(SUM(r.score_change) AS BIGINT) AS change, \
        CAST(SUM(CASE WHEN r.result = 'won' THEN 1 ELSE 0 END) AS BIGINT) AS wins, \
        CAST(SUM(CASE WHEN r.result IN ('lost', 'resigned') THEN 1 ELSE 0 END) AS BIGINT) AS losses, \
        CAST(SUM(CASE WHEN r.result = 'dropped' THEN 1 ELSE 0 END) AS BIGINT) AS drops, \
        CAST(SUM(CASE WHEN r.result = 'drew' THEN 1 ELSE 0 END) AS BIGINT) AS draws \
        FROM results r JOIN game_tables t ON t.id = r.table_id \
        WHERE r.ranked AND r.booked_at IS NOT NULL AND r.not_counted IS NULL AND r.person_id = $1 GROUP BY t.game ORDER BY games DESC, t.game";
    sql_query(query).bind::<BigInt, _>(user_id).load(conn)
}

/// A result of one of several players.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct FormRow {
    /// Player.
    #[diesel(sql_type = BigInt)]
    pub user_id: UserId,
    /// What it was.
    #[diesel(sql_type = Text)]
    pub result: Outcome,
}

/// The last booked ranked results of these players, at most `most` each, newest first, of one game or of all.
pub fn last_results(conn: &mut Conn, user_ids: &[UserId], game: Option<&str>, most: i64) -> QueryResult<Vec<FormRow>> {
    if user_ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT f.user_id, f.result FROM (SELECT r.person_id AS user_id, r.result AS result, ROW_NUMBER() OVER \
         (PARTITION BY r.person_id ORDER BY r.booked_at DESC, r.sealed_at DESC, r.table_id DESC) AS nth FROM results r \
         JOIN game_tables t ON t.id = r.table_id WHERE r.ranked AND r.booked_at IS NOT NULL AND r.not_counted IS NULL \
         AND t.game LIKE $1 AND r.person_id IN ({})) f WHERE f.nth <= $2 ORDER BY f.user_id, f.nth",
        list(user_ids)
    );
    sql_query(query).bind::<Text, _>(pattern(game)).bind::<BigInt, _>(most).load(conn)
}

/// The sum of a player's booked changes.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct ChangeRow {
    /// Player.
    #[diesel(sql_type = BigInt)]
    pub user_id: UserId,
    /// Sum of all booked changes.
    #[diesel(sql_type = BigInt)]
    pub change: i64,
    /// Ranked results of theirs that are decided, booked or not.
    #[diesel(sql_type = BigInt)]
    pub games: i64,
}

/// The sums of these players. Players without a result are left out.
pub fn changes(conn: &mut Conn, user_ids: &[UserId]) -> QueryResult<Vec<ChangeRow>> {
    if user_ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT r.person_id AS user_id, CAST(COUNT(*) AS BIGINT) AS games, \
         CAST(SUM(CASE WHEN r.booked_at IS NULL THEN 0 ELSE r.score_change END) AS BIGINT) AS change \
         FROM results r WHERE r.ranked AND r.person_id IN ({}) GROUP BY r.person_id",
        list(user_ids)
    );
    sql_query(query).load(conn)
}

/// A ranked result with one of its opponents.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct PlayedRow {
    /// Player.
    #[diesel(sql_type = BigInt)]
    pub user_id: UserId,
    /// Table.
    #[diesel(sql_type = BigInt)]
    pub table_id: TableId,
    /// `won`, `lost`, `drew`, `resigned` or `dropped`.
    #[diesel(sql_type = Text)]
    pub result: Outcome,
    /// Why it books nothing.
    #[diesel(sql_type = Nullable<Text>)]
    pub not_counted: Option<NotCounted>,
    /// When it was booked; `None` while others still play at the table.
    #[diesel(sql_type = Nullable<Timestamp>)]
    pub booked_at: Option<Stamp>,
    /// When it was decided.
    #[diesel(sql_type = Timestamp)]
    pub sealed_at: Stamp,
    /// The opponent, by the record they are in.
    #[diesel(sql_type = BigInt)]
    pub opponent: UserId,
}

/// The ranked results of these players decided after `since`, pending ones included, newest first for each of them:
/// a row for each opponent.
pub fn played(conn: &mut Conn, user_ids: &[UserId], since: Stamp) -> QueryResult<Vec<PlayedRow>> {
    if user_ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT r.person_id AS user_id, r.table_id AS table_id, r.result AS result, r.sealed_at AS sealed_at, \
         r.not_counted AS not_counted, r.booked_at AS booked_at, \
         COALESCE(o.person_id, s.user_id) AS opponent FROM results r \
         JOIN seats s ON s.table_id = r.table_id AND s.seat <> r.seat \
         LEFT JOIN results o ON o.table_id = s.table_id AND o.seat = s.seat \
         WHERE r.ranked AND r.sealed_at > $1 AND r.person_id IN ({}) \
         ORDER BY r.person_id, r.sealed_at DESC, r.table_id DESC",
        list(user_ids)
    );
    sql_query(query).bind::<Timestamp, _>(since).load(conn)
}

/// How long a player took to answer once.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct AnswerRow {
    /// Player.
    #[diesel(sql_type = BigInt)]
    pub user_id: UserId,
    /// When the clock began to run.
    #[diesel(sql_type = Timestamp)]
    pub asked_at: Stamp,
    /// When the first plot under this clock was in.
    #[diesel(sql_type = Timestamp)]
    pub answered_at: Stamp,
}

/// The last answers of these players, at most `most` each, from the `tables` tables each of them sat down at
/// last. Many small steps under one clock are one answer: the first. Only closed phases count, so that nothing
/// is told about an open one; default orders are no answer.
pub fn answers(conn: &mut Conn, user_ids: &[UserId], tables: i64, most: i64) -> QueryResult<Vec<AnswerRow>> {
    if user_ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT a.user_id, a.asked_at, a.answered_at FROM (SELECT s.user_id AS user_id, \
         h.clock_started_at AS asked_at, MIN(p.handed_in_at) AS answered_at, ROW_NUMBER() OVER \
         (PARTITION BY s.user_id ORDER BY MIN(p.handed_in_at) DESC) AS nth \
         FROM (SELECT q.user_id, q.table_id, q.seat, ROW_NUMBER() OVER \
         (PARTITION BY q.user_id ORDER BY q.joined_at DESC, q.id DESC) AS nth FROM seats q \
         WHERE q.seat IS NOT NULL AND q.user_id IN ({})) s \
         JOIN plots p ON p.table_id = s.table_id AND p.seat = s.seat \
         JOIN phases h ON h.table_id = p.table_id AND h.no = p.phase_no \
         WHERE s.nth <= $1 AND h.closed_at IS NOT NULL AND p.source <> 'default' AND p.handed_in_at >= h.opened_at \
         GROUP BY s.user_id, s.table_id, h.clock_started_at) a WHERE a.nth <= $2",
        list(user_ids)
    );
    sql_query(query).bind::<BigInt, _>(tables).bind::<BigInt, _>(most).load(conn)
}

/// Ids as the inside of an `IN (…)`: numbers, which need no quoting.
fn list(ids: &[UserId]) -> String {
    ids.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(", ")
}
