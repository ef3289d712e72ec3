//! Housekeeping: what has expired and what nobody will ask for again is deleted.

use chrono::TimeDelta;
use diesel::QueryResult;

use crate::store::{Conn, Database, Stamp, mail_tokens, outbox, sessions};

/// How long letters stay after they were sent or given up, for the operator to look at.
const LETTERS_KEPT_DAYS: i64 = 30;

/// How many rows of each kind were deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Expired sessions.
    pub sessions: usize,
    /// Expired links of letters.
    pub mail_tokens: usize,
    /// Letters finished long ago.
    pub letters: usize,
}

/// Deletes what has expired at `now`.
pub fn purge(db: &Database, now: Stamp) -> QueryResult<Purged> {
    let before = now - TimeDelta::days(LETTERS_KEPT_DAYS);
    db.write(|conn: &mut Conn| {
        Ok(Purged {
            sessions: sessions::purge(conn, now)?,
            mail_tokens: mail_tokens::purge(conn, now)?,
            letters: outbox::purge(conn, before)?,
        })
    })
}
