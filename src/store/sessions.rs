//! Signed-in browsers. Only the hash of a session's token is stored.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::{sessions, users};
use super::users::User;
use super::{Conn, Stamp, UserId};

/// A signed-in browser.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions)]
pub struct Session {
    /// The hash of the token in the browser's cookie.
    pub id: String,
    /// Who is signed in.
    pub user_id: UserId,
    /// The secret that this browser's forms carry.
    pub csrf: String,
    /// When it was signed in.
    pub created_at: Stamp,
    /// When it was last seen, to the hour or so.
    pub seen_at: Stamp,
    /// When it ends unless it is used before.
    pub expires_at: Stamp,
    /// What the browser called itself.
    pub agent: String,
}

/// Stores a new session.
pub fn insert(conn: &mut Conn, session: &Session) -> QueryResult<()> {
    diesel::insert_into(sessions::table).values(session).kept().execute(conn).map(drop)
}

/// Ends those of an account's sessions that were not seen for longest, down to `most`.
pub fn trim(conn: &mut Conn, user_id: UserId, most: i64) -> QueryResult<()> {
    let old: Vec<String> = sessions::table
        .filter(sessions::user_id.eq(user_id))
        .order((sessions::seen_at.desc(), sessions::created_at.desc(), sessions::id))
        // SQLite takes an offset only with a limit.
        .limit(1000)
        .offset(most)
        .select(sessions::id)
        .load(conn)?;
    diesel::delete(sessions::table.filter(sessions::id.eq_any(old))).execute(conn).map(drop)
}

/// The session with this id and its account, if it hasn't ended.
pub fn find(conn: &mut Conn, id: &str, now: Stamp) -> QueryResult<Option<(Session, User)>> {
    sessions::table
        .inner_join(users::table)
        .filter(sessions::id.eq(id))
        .filter(sessions::expires_at.gt(now))
        .filter(users::deleted_at.is_null())
        .select((Session::as_select(), User::as_select()))
        .first(conn)
        .optional()
}

/// Whether a session is there and belongs to this account.
pub fn is_of(conn: &mut Conn, id: &str, user_id: UserId) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(sessions::table.find(id).filter(sessions::user_id.eq(user_id)))).get_result(conn)
}

/// An account's sessions that haven't ended, the last seen first.
pub fn list(conn: &mut Conn, user_id: UserId, now: Stamp) -> QueryResult<Vec<Session>> {
    sessions::table
        .filter(sessions::user_id.eq(user_id))
        .filter(sessions::expires_at.gt(now))
        .order((sessions::seen_at.desc(), sessions::id))
        .select(Session::as_select())
        .load(conn)
}

/// Notes that a session was used and when it ends now.
pub fn touch(conn: &mut Conn, id: &str, now: Stamp, expires_at: Stamp) -> QueryResult<()> {
    diesel::update(sessions::table.find(id))
        .set((sessions::seen_at.eq(now), sessions::expires_at.eq(expires_at)))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Ends one session.
pub fn delete(conn: &mut Conn, id: &str) -> QueryResult<()> {
    diesel::delete(sessions::table.find(id)).execute(conn).map(drop)
}

/// Ends all sessions of an account but the one kept; returns how many.
pub fn delete_all(conn: &mut Conn, user_id: UserId, keep: Option<&str>) -> QueryResult<usize> {
    diesel::delete(
        sessions::table.filter(sessions::user_id.eq(user_id)).filter(sessions::id.ne(keep.unwrap_or_default())),
    )
    .execute(conn)
}

/// Removes ended sessions; returns how many.
pub fn purge(conn: &mut Conn, now: Stamp) -> QueryResult<usize> {
    diesel::delete(sessions::table.filter(sessions::expires_at.le(now))).execute(conn)
}
