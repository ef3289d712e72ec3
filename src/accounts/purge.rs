//! Removing what is no longer needed.

use chrono::TimeDelta;
use diesel::QueryResult;

use crate::store::{Conn, Stamp, mail_tokens, outbox, sessions, users};

/// Sign-ups never confirmed keep their name this long.
const UNCONFIRMED: TimeDelta = TimeDelta::days(7);

/// Letters that have left are kept this long: longer than any clock runs, because a drop asks whether the
/// player was told of the deadline.
const LETTERS: TimeDelta = TimeDelta::days(60);

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Sessions that had ended.
    pub sessions: usize,
    /// Links that had stopped working.
    pub links: usize,
    /// Sign-ups never confirmed.
    pub sign_ups: usize,
    /// Letters that left long ago.
    pub letters: usize,
}

/// Removes ended sessions, dead links, sign-ups never confirmed and old letters.
pub fn purge(conn: &mut Conn, now: Stamp) -> QueryResult<Purged> {
    Ok(Purged {
        sessions: sessions::purge(conn, now)?,
        links: mail_tokens::purge(conn, now)?,
        sign_ups: users::purge_unconfirmed(conn, now - UNCONFIRMED)?,
        letters: outbox::purge(conn, now - LETTERS)?,
    })
}
