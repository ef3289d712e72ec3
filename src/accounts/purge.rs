//! Removing what is no longer needed.

use chrono::TimeDelta;
use diesel::QueryResult;

use crate::store::{Conn, Stamp, departures, forms_done, known_browsers, mail_tokens, outbox, sessions, users};

/// Sign-ups never confirmed keep their name this long.
const UNCONFIRMED: TimeDelta = TimeDelta::days(7);

/// Letters that have left are kept this long: longer than any clock runs, because a drop asks whether the
/// player was told of the deadline.
const LETTERS: TimeDelta = TimeDelta::days(60);

/// A browser is known to an account this long after it was last used to sign in: as long as browsers keep the cookie.
const KNOWN: TimeDelta = TimeDelta::days(400);

/// A form that is sent again is recognised this long after it was first sent.
const FORMS: TimeDelta = TimeDelta::days(7);

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Sessions that had ended.
    pub sessions: usize,
    /// Browsers not used to sign in for more than a year.
    pub browsers: usize,
    /// Forms that were sent long ago.
    pub forms: usize,
    /// Links that had stopped working.
    pub links: usize,
    /// Sign-ups never confirmed.
    pub sign_ups: usize,
    /// Letters that left long ago.
    pub letters: usize,
    /// Records of deleted accounts that nobody came back for.
    pub departures: usize,
}

/// Removes ended sessions, dead links, sign-ups never confirmed and old letters.
pub fn purge(conn: &mut Conn, now: Stamp) -> QueryResult<Purged> {
    Ok(Purged {
        sessions: sessions::purge(conn, now)?,
        browsers: known_browsers::purge(conn, now - KNOWN)?,
        forms: forms_done::purge(conn, now - FORMS)?,
        links: mail_tokens::purge(conn, now)?,
        sign_ups: users::purge_unconfirmed(conn, now - UNCONFIRMED)?,
        letters: outbox::purge(conn, now - LETTERS)?,
        departures: departures::purge(conn, now)?,
    })
}
