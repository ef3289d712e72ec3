//! Tables: one match of a game between players.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::{former_keys, game_tables, results, seats, users};
use super::word::word_enum;
use super::{Conn, MultiBackend, PhaseNo, Stamp, TableId, UserId};

word_enum! {
    /// How far a table has come.
    pub enum Status in "game_tables.status" {
        /// Waits for players.
        Open = "open",
        /// Is being played.
        Running = "running",
        /// Has been played to its end.
        Over = "over",
        /// Was given up before it started.
        Cancelled = "cancelled",
    }
}

/// A table's row. `options` and `setup` are JSON texts.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = game_tables)]
#[diesel(check_for_backend(MultiBackend))]
pub struct TableRow {
    /// Id.
    pub id: TableId,
    /// Counts every change; the guard of all of them, see [`bump`].
    pub version: i64,
    /// Id of the game.
    pub game: String,
    /// Title for people.
    pub title: String,
    /// How far it has come.
    pub status: Status,
    /// Who made it.
    pub creator_id: UserId,
    /// How many seats it has.
    pub seat_count: i32,
    /// Answers to the game's table fields, as JSON.
    pub options: String,
    /// What a player has for one clock, in seconds.
    pub time_limit_s: i64,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// Whether only invited people may join.
    pub invite_only: bool,
    /// Secret part of the invitation link.
    pub invite_key: String,
    /// Most drops among the last games a joining player may have; none: no rule of its own.
    pub max_drops: Option<i32>,
    /// How many time-outs count as a default plot before a seat is dropped.
    pub passes_allowed: i32,
    /// Content the table keeps.
    pub content_hash: String,
    /// Edition of the rules at the start.
    pub edition: i32,
    /// Shape of the stored states.
    pub format: i32,
    /// 32 bytes; secret until the table is over.
    pub dice_secret: Vec<u8>,
    /// SHA-256 of the secret, open from the start.
    pub dice_hash: String,
    /// Number of the open (or last) phase; 0 before the start.
    pub phase_no: PhaseNo,
    /// The [`crate::rules::Setup`] it started from, as JSON.
    pub setup: Option<String>,
    /// Packed state after the last phase.
    pub final_state: Option<Vec<u8>>,
    /// How it ended, in words.
    pub outcome: Option<String>,
    /// When it was made.
    pub created_at: Stamp,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// When it ended or was cancelled.
    pub ended_at: Option<Stamp>,
    /// Least score a joining player may have; none: no rule of its own.
    pub min_score: Option<i32>,
    /// Whether messages to one seat alone are allowed.
    pub private_talk: bool,
    /// Whether it is one person's practice against bots.
    pub practice: bool,
    /// Whether everybody may see it once it is over, though it is private until then.
    pub open_when_over: bool,
}

/// Adds a table.
pub fn insert(conn: &mut Conn, row: &TableRow) -> QueryResult<()> {
    diesel::insert_into(game_tables::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// The table with this id.
pub fn find(conn: &mut Conn, id: TableId) -> QueryResult<Option<TableRow>> {
    game_tables::table.find(id).select(TableRow::as_select()).first(conn).optional()
}

/// The table with this invitation key.
pub fn find_by_invite(conn: &mut Conn, key: &str) -> QueryResult<Option<TableRow>> {
    game_tables::table.filter(game_tables::invite_key.eq(key)).select(TableRow::as_select()).first(conn).optional()
}

/// The table that had this invitation key before it was changed.
pub fn find_by_former_key(conn: &mut Conn, key: &str) -> QueryResult<Option<TableRow>> {
    former_keys::table
        .inner_join(game_tables::table)
        .filter(former_keys::invite_key.eq(key))
        .select(TableRow::as_select())
        .first(conn)
        .optional()
}

/// Gives a table a new invitation key; the old one is kept as a former one.
pub fn change_invite_key(conn: &mut Conn, row: &TableRow, key: &str) -> QueryResult<()> {
    diesel::insert_into(former_keys::table)
        .values((former_keys::invite_key.eq(&row.invite_key), former_keys::table_id.eq(row.id)))
        .kept()
        .execute(conn)?;
    diesel::update(game_tables::table.find(row.id)).set(game_tables::invite_key.eq(key)).kept().execute(conn)?;
    Ok(())
}

/// The guarded bump: true when the table still was at `version`, and then nobody else changes it until this
/// transaction ends. False: somebody was faster.
pub fn bump(conn: &mut Conn, id: TableId, version: i64) -> QueryResult<bool> {
    let hit =
        diesel::update(game_tables::table.filter(game_tables::id.eq(id)).filter(game_tables::version.eq(version)))
            .set(game_tables::version.eq(version + 1))
            .kept()
            .execute(conn)?;
    Ok(hit == 1)
}

/// Marks the table as started from this set-up, with its first phase open.
pub fn start(conn: &mut Conn, id: TableId, setup: &str, edition: i32, now: Stamp) -> QueryResult<()> {
    diesel::update(game_tables::table.find(id))
        .set((
            game_tables::status.eq(Status::Running),
            game_tables::setup.eq(setup),
            game_tables::edition.eq(edition),
            game_tables::started_at.eq(now),
        ))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Closes the seats that are still free: the table has as many as are taken.
pub fn set_seat_count(conn: &mut Conn, id: TableId, seat_count: i32) -> QueryResult<()> {
    diesel::update(game_tables::table.find(id)).set(game_tables::seat_count.eq(seat_count)).kept().execute(conn)?;
    Ok(())
}

/// The table no longer counts for the score.
pub fn set_unranked(conn: &mut Conn, id: TableId) -> QueryResult<()> {
    diesel::update(game_tables::table.find(id))
        .set((game_tables::ranked.eq(false), game_tables::open_when_over.eq(false)))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Hands a table that waits on to another player.
pub fn set_creator(conn: &mut Conn, id: TableId, user_id: UserId) -> QueryResult<()> {
    diesel::update(game_tables::table.find(id)).set(game_tables::creator_id.eq(user_id)).kept().execute(conn)?;
    Ok(())
}

/// Sets the number of the open phase.
pub fn set_phase(conn: &mut Conn, id: TableId, phase_no: PhaseNo) -> QueryResult<()> {
    diesel::update(game_tables::table.find(id)).set(game_tables::phase_no.eq(phase_no)).kept().execute(conn)?;
    Ok(())
}

/// Ends the table with this packed state.
pub fn finish(conn: &mut Conn, id: TableId, final_state: &[u8], outcome: &str, now: Stamp) -> QueryResult<()> {
    diesel::update(game_tables::table.find(id))
        .set((
            game_tables::status.eq(Status::Over),
            game_tables::final_state.eq(final_state),
            game_tables::outcome.eq(outcome),
            game_tables::ended_at.eq(now),
        ))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Gives the table up before its start.
pub fn cancel(conn: &mut Conn, id: TableId, why: &str, now: Stamp) -> QueryResult<()> {
    diesel::update(game_tables::table.find(id))
        .set((game_tables::status.eq(Status::Cancelled), game_tables::outcome.eq(why), game_tables::ended_at.eq(now)))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Tables waiting for players that everybody may join, newest first.
pub fn open(conn: &mut Conn, limit: i64) -> QueryResult<Vec<TableRow>> {
    game_tables::table
        .filter(game_tables::status.eq(Status::Open))
        .filter(game_tables::invite_only.eq(false))
        .order((game_tables::created_at.desc(), game_tables::id.desc()))
        .limit(limit)
        .select(TableRow::as_select())
        .load(conn)
}

/// No user has this id.
pub const NOBODY: UserId = UserId(0);

/// The condition that everybody may see a table, by now if it was private and ranked, or that `viewer` sits at it or has made it.
/// [`NOBODY`] stands for somebody who is not signed in.
#[diesel::dsl::auto_type(no_type_alias)]
pub fn seen_by(viewer: UserId) -> _ {
    let sits =
        diesel::dsl::exists(seats::table.filter(seats::table_id.eq(game_tables::id)).filter(seats::user_id.eq(viewer)));
    let opened = game_tables::open_when_over.eq(true).and(game_tables::status.eq("over"));
    game_tables::invite_only.eq(false).or(game_tables::creator_id.eq(viewer)).or(sits).or(opened)
}

/// Tables being played that everybody may see, the latest to start first.
pub fn running_public(conn: &mut Conn, limit: i64, offset: i64) -> QueryResult<Vec<TableRow>> {
    game_tables::table
        .filter(game_tables::status.eq(Status::Running))
        .filter(game_tables::invite_only.eq(false))
        .order((game_tables::started_at.desc(), game_tables::id.desc()))
        .limit(limit)
        .offset(offset)
        .select(TableRow::as_select())
        .load(conn)
}

/// How many tables [`running_public`] has in all.
pub fn running_public_count(conn: &mut Conn) -> QueryResult<i64> {
    game_tables::table
        .filter(game_tables::status.eq(Status::Running))
        .filter(game_tables::invite_only.eq(false))
        .count()
        .get_result(conn)
}

/// Running tables at which the user has a seat and which `viewer` may see, newest first.
pub fn running_seen(
    conn: &mut Conn,
    user_id: UserId,
    viewer: Option<UserId>,
    limit: i64,
) -> QueryResult<Vec<TableRow>> {
    let sits = diesel::dsl::exists(
        seats::table.filter(seats::table_id.eq(game_tables::id)).filter(seats::user_id.eq(user_id)),
    );
    game_tables::table
        .filter(game_tables::status.eq(Status::Running))
        .filter(sits)
        .filter(seen_by(viewer.unwrap_or(NOBODY)))
        .order((game_tables::started_at.desc(), game_tables::id.desc()))
        .limit(limit)
        .select(TableRow::as_select())
        .load(conn)
}

/// Ids of all tables that wait for players, oldest first.
pub fn open_ids(conn: &mut Conn) -> QueryResult<Vec<TableId>> {
    game_tables::table
        .filter(game_tables::status.eq(Status::Open))
        .order(game_tables::id)
        .select(game_tables::id)
        .load(conn)
}

/// Ids of all running tables, oldest first.
pub fn running_ids(conn: &mut Conn) -> QueryResult<Vec<TableId>> {
    game_tables::table
        .filter(game_tables::status.eq(Status::Running))
        .order(game_tables::id)
        .select(game_tables::id)
        .load(conn)
}

/// Tables of this status at which the user has a seat, newest first.
pub fn of_user(conn: &mut Conn, user_id: UserId, status: Status, limit: i64) -> QueryResult<Vec<TableRow>> {
    game_tables::table
        .inner_join(seats::table)
        .filter(seats::user_id.eq(user_id))
        .filter(game_tables::status.eq(status))
        .order((game_tables::created_at.desc(), game_tables::id.desc()))
        .limit(limit)
        .select(TableRow::as_select())
        .load(conn)
}

/// Open tables the user made, whether or not they sit there.
pub fn open_of_creator(conn: &mut Conn, user_id: UserId) -> QueryResult<Vec<TableId>> {
    game_tables::table
        .filter(game_tables::creator_id.eq(user_id))
        .filter(game_tables::status.eq(Status::Open))
        .select(game_tables::id)
        .load(conn)
}

/// How many games of practice the user has running.
pub fn practices(conn: &mut Conn, user_id: UserId) -> QueryResult<i64> {
    game_tables::table
        .filter(game_tables::creator_id.eq(user_id))
        .filter(game_tables::practice.eq(true))
        .filter(game_tables::status.eq(Status::Running))
        .count()
        .get_result(conn)
}

/// How many games the user holds: seats at open tables, and at running ones where nothing is decided for them yet.
/// Practice against bots keeps nobody waiting and is not counted.
pub fn held(conn: &mut Conn, user_id: UserId) -> QueryResult<i64> {
    let decided = diesel::dsl::exists(
        results::table.filter(results::table_id.eq(game_tables::id)).filter(results::user_id.eq(user_id)),
    );
    game_tables::table
        .inner_join(seats::table)
        .filter(seats::user_id.eq(user_id))
        .filter(game_tables::practice.eq(false))
        .filter(game_tables::status.eq_any([Status::Open, Status::Running]))
        .filter(diesel::dsl::not(decided))
        .count()
        .get_result(conn)
}

/// The name of the user who made the table, as shown to people.
pub fn creator_name(conn: &mut Conn, row: &TableRow) -> QueryResult<String> {
    users::table.find(row.creator_id).select(users::name).first(conn)
}
