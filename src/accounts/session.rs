//! Signing in and out.

use chrono::TimeDelta;
use diesel::QueryResult;
use diesel::result::Error as QueryError;

use super::known::{self, Browser};
use super::{link, password};
use crate::mail::canonical_address;
use crate::store::sessions::{self, Session};
use crate::store::users::{self, User};
use crate::store::{Conn, Database, Retry, Stamp, UserId, new_token};

/// How long a browser stays signed in without being used.
const VALID: TimeDelta = TimeDelta::days(30);

/// So many browsers stay signed in to one account; a further one signs out the one not seen for longest.
const MOST: i64 = 50;

/// A session's use is written down at most this often: a page view need not write.
const TOUCH_EVERY: TimeDelta = TimeDelta::hours(1);

/// Longest description of a browser kept.
const AGENT_CHARS: usize = 160;

/// A browser that has just signed in.
pub struct SignedIn {
    /// The secret for the browser's cookie; it is not stored.
    pub token: String,
    /// The session.
    pub session: Session,
    /// Who it is.
    pub user: User,
}

/// A browser that is signed in.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The session.
    pub session: Session,
    /// Who it is.
    pub user: User,
    /// Whether [`touch`] should be called for this use.
    pub touch_due: bool,
}

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInRefusal {
    /// Unknown name or address, or another password: the same answer for all.
    #[error("This name or address and this password do not match. Check both, or ask for a new password.")]
    Wrong,
    /// The password was right, and the address isn't confirmed. Said only to anyone who knows the password.
    #[error("Confirm your address first: open the link in the letter we sent you, or ask for another letter.")]
    Unconfirmed,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for SignInRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, SignInRefusal::Database(error) if error.may_retry())
    }
}

/// The account of a name or an address.
pub(super) fn find(conn: &mut Conn, name_or_address: &str) -> QueryResult<Option<User>> {
    if name_or_address.contains('@') {
        users::find_by_email(conn, &canonical_address(name_or_address))
    } else {
        users::find_by_name(conn, name_or_address)
    }
}

/// Signs in by name or address. The browser is known to the account from then on.
pub fn sign_in(
    db: &Database,
    now: Stamp,
    name_or_address: &str,
    password: &str,
    browser: &Browser,
) -> Result<SignedIn, SignInRefusal> {
    let user = db.read(|conn| find(conn, name_or_address))?;
    // The connection is back in the pool: the next line takes tens of milliseconds.
    if !password::is_password_of(user.as_ref(), password) {
        return Err(SignInRefusal::Wrong);
    }
    let user = user.ok_or(SignInRefusal::Wrong)?;
    if user.confirmed_at.is_none() {
        return Err(SignInRefusal::Unconfirmed);
    }
    let token = new_token();
    let session = Session {
        id: link::hashed(&token),
        user_id: user.id,
        csrf: new_token(),
        created_at: now,
        seen_at: now,
        expires_at: now + VALID,
        agent: browser.agent.chars().filter(|c| !c.is_control()).take(AGENT_CHARS).collect(),
    };
    db.write(|conn| {
        // The password may have been changed, or the account deleted, while the hash was computed.
        let still = users::find(conn, user.id)?.is_some_and(|fresh| fresh.password_hash == user.password_hash);
        if !still {
            return Err(SignInRefusal::Wrong);
        }
        known::remember(conn, now, user.id, &browser.key)?;
        sessions::insert(conn, &session)?;
        Ok(sessions::trim(conn, user.id, MOST)?)
    })?;
    Ok(SignedIn { token, session, user })
}

/// Who is signed in with this cookie; `None` if nobody is any more. Writes nothing.
pub fn session(conn: &mut Conn, now: Stamp, token: &str) -> QueryResult<Option<Signed>> {
    let found = sessions::find(conn, &link::hashed(token), now)?;
    Ok(found.map(|(session, user)| Signed { touch_due: now - session.seen_at >= TOUCH_EVERY, session, user }))
}

/// Whether this session is still there and the player's. Asked in the transaction of what the player does: they may have
/// signed out everywhere, or deleted the account, while the request was under way.
pub fn is_signed_in(conn: &mut Conn, session_id: &str, user_id: UserId) -> QueryResult<bool> {
    sessions::is_of(conn, session_id, user_id)
}

/// Notes that a session is in use, which keeps it alive for another thirty days.
pub fn touch(conn: &mut Conn, now: Stamp, session_id: &str) -> QueryResult<()> {
    sessions::touch(conn, session_id, now, now + VALID)
}

/// Signs one browser out.
pub fn sign_out(conn: &mut Conn, session_id: &str) -> QueryResult<()> {
    sessions::delete(conn, session_id)
}

/// Signs a player out of all browsers but the one to keep; returns how many.
pub fn sign_out_everywhere(conn: &mut Conn, user_id: UserId, keep: Option<&str>) -> QueryResult<usize> {
    sessions::delete_all(conn, user_id, keep)
}
