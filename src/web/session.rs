//! The session of a request.

use diesel::QueryResult;
use diesel::prelude::*;

use super::Me;
use crate::store::schema::{sessions, users};
use crate::store::{Conn, Stamp};

/// The player and the form secret behind a session cookie.
pub fn find(conn: &mut Conn, now: Stamp, token: &str) -> QueryResult<Option<(Me, String)>> {
    let row: Option<(i64, String, String, String, Option<String>)> = sessions::table
        .inner_join(users::table)
        .filter(sessions::id.eq(token))
        .filter(sessions::expires_at.gt(now))
        .select((users::id, users::name, users::zone, sessions::csrf, users::mail_fault))
        .first(conn)
        .optional()?;
    Ok(row.map(|(user_id, name, zone, csrf, mail_fault)| {
        let zone = zone.parse().unwrap_or(chrono_tz::Tz::UTC);
        (Me { user_id, name, zone, session_id: token.to_owned(), due: 0, mail_fault }, csrf)
    }))
}
