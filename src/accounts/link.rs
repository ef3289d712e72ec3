//! Secret links in letters.

use chrono::TimeDelta;
use data_encoding::HEXLOWER;
use diesel::QueryResult;
use diesel::result::Error as QueryError;
use sha2::{Digest, Sha256};

use crate::store::mail_tokens::{self, MailToken, Purpose};
use crate::store::users::{self, User};
use crate::store::{Conn, Retry, Stamp, UserId, new_token};

/// Why a link did nothing.
#[derive(Debug, thiserror::Error)]
pub enum LinkRefusal {
    /// Used, too old, replaced by a newer one, or never sent: all the same from outside.
    #[error("This link no longer works: it was used before, is too old, or is no longer needed.")]
    Stale,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for LinkRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, LinkRefusal::Database(error) if super::again::worth_another_try(error))
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

/// Makes a token for an account and an address. Earlier ones to the same address go on working until one of them is
/// used; those of the purpose that went to another address stop.
pub(super) fn make(
    conn: &mut Conn,
    now: Stamp,
    purpose: Purpose,
    user_id: UserId,
    email: &str,
    valid: TimeDelta,
) -> QueryResult<(String, Stamp)> {
    mail_tokens::revoke_elsewhere(conn, user_id, purpose, email)?;
    let token = new_token();
    let expires_at = now + valid;
    let row = MailToken { id: hashed(&token), user_id, email: email.to_owned(), created_at: now, expires_at };
    mail_tokens::insert(conn, &row, purpose)?;
    Ok((token, expires_at))
}

/// Uses a token up, with all others of its purpose for the account, and returns the account.
pub(super) fn take(
    conn: &mut Conn,
    now: Stamp,
    purpose: Purpose,
    token: &str,
) -> Result<(MailToken, User), LinkRefusal> {
    let found = mail_tokens::take(conn, &hashed(token), purpose, now)?.ok_or(LinkRefusal::Stale)?;
    mail_tokens::revoke(conn, found.user_id, purpose)?;
    let user = users::find(conn, found.user_id)?.filter(|user| user.deleted_at.is_none());
    Ok((found, user.ok_or(LinkRefusal::Stale)?))
}

/// How long after the first, second … letter to an address the next one may follow, for the same account; the last
/// figure holds for all further ones. Shorter than any link works, so that a letter which is not sent leaves one with a
/// link that works.
const GAPS_MIN: [i64; 5] = [1, 5, 30, 120, 360];

/// So many letters a day may go to an address for different accounts before they are spread out as well.
const FREELY: usize = 6;

/// Minutes between letters to an address for different accounts, once there were [`FREELY`] of them.
const SPREAD_MIN: i64 = 120;

/// Whether enough letters of this purpose have gone to the address for now: whoever asks, nobody's mailbox is flooded.
/// For the account's own holder nothing is lost, because the letters that went before still work.
pub(super) fn enough(conn: &mut Conn, now: Stamp, purpose: Purpose, user_id: UserId, email: &str) -> QueryResult<bool> {
    let sent = mail_tokens::sent_to(conn, email, purpose, now, now - TimeDelta::days(1))?;
    let within = |at: Stamp, minutes: i64| now - at < TimeDelta::minutes(minutes);
    let own: Vec<Stamp> = sent.iter().filter(|(user, _)| *user == user_id).map(|(_, at)| *at).collect();
    let gap = GAPS_MIN[own.len().clamp(1, GAPS_MIN.len()) - 1];
    let own_enough = own.first().is_some_and(|newest| within(*newest, gap));
    let all_enough = sent.len() >= FREELY && sent.first().is_some_and(|(_, newest)| within(*newest, SPREAD_MIN));
    Ok(own_enough || all_enough)
}

/// What is stored of a secret: whoever reads the database can't use it.
pub(super) fn hashed(token: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(token.as_bytes()))
}
