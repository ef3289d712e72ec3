//! Secret links in letters.

use chrono::TimeDelta;
use data_encoding::HEXLOWER;
use diesel::QueryResult;
use diesel::result::Error as QueryError;
use sha2::{Digest, Sha256};

use crate::store::mail_tokens::{self, MailToken, Purpose};
use crate::store::users::{self, User};
use crate::store::{Conn, Retry, Stamp, new_token};

/// Why a link did nothing.
#[derive(Debug, thiserror::Error)]
pub enum LinkRefusal {
    /// Used, too old, replaced by a newer one, or never sent: all the same from outside.
    #[error("This link no longer works: it was used before, is too old, or a newer one was sent since.")]
    Stale,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for LinkRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, LinkRefusal::Database(error) if super::worth_another_try(error))
    }
}

/// What a link would do, for the page that asks before it is done. Opening a link changes nothing, because
/// mail scanners open links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The account's name.
    pub name: String,
    /// The address the link was sent to.
    pub email: String,
}

/// What the link with this token would do; `None` if it no longer works.
pub fn look(conn: &mut Conn, now: Stamp, purpose: Purpose, token: &str) -> QueryResult<Option<Pending>> {
    let Some(found) = mail_tokens::find(conn, &hashed(token), purpose, now)? else { return Ok(None) };
    let user = users::find(conn, found.user_id)?;
    Ok(user.map(|user| Pending { name: user.name, email: found.email }))
}

/// Makes a token for an account and an address; earlier ones of the purpose stop working.
pub(super) fn make(
    conn: &mut Conn,
    now: Stamp,
    purpose: Purpose,
    user_id: i64,
    email: &str,
    valid: TimeDelta,
) -> QueryResult<(String, Stamp)> {
    mail_tokens::revoke(conn, user_id, purpose)?;
    let token = new_token();
    let expires_at = now + valid;
    let row = MailToken { id: hashed(&token), user_id, email: email.to_owned(), created_at: now, expires_at };
    mail_tokens::insert(conn, &row, purpose)?;
    Ok((token, expires_at))
}

/// Uses a token up and gives its account.
pub(super) fn take(
    conn: &mut Conn,
    now: Stamp,
    purpose: Purpose,
    token: &str,
) -> Result<(MailToken, User), LinkRefusal> {
    let found = mail_tokens::take(conn, &hashed(token), purpose, now)?.ok_or(LinkRefusal::Stale)?;
    let user = users::find(conn, found.user_id)?.filter(|user| user.deleted_at.is_none());
    Ok((found, user.ok_or(LinkRefusal::Stale)?))
}

/// Whether a letter of this purpose went out so recently that another one would only be a nuisance.
pub(super) fn sent_just_now(conn: &mut Conn, now: Stamp, purpose: Purpose, user_id: i64) -> QueryResult<bool> {
    let newest = mail_tokens::newest(conn, user_id, purpose, now)?;
    Ok(newest.is_some_and(|token| now - token.created_at < TimeDelta::seconds(60)))
}

/// What is stored of a secret: whoever reads the database can't use it.
pub(super) fn hashed(token: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(token.as_bytes()))
}
