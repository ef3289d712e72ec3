//! Browsers that have signed in to an account before. What others try in the account's name doesn't stop them.

use diesel::QueryResult;

use super::{link, session};
use crate::store::{Conn, Stamp, UserId, known_browsers};

/// So many browsers are known to one account; beyond that the one not used for longest is forgotten.
const MOST: i64 = 20;

/// A browser as it signs in.
#[derive(Clone)]
pub struct Browser {
    /// The browser's own secret, from its long-lived cookie; the same for all accounts it is used for.
    pub key: String,
    /// What it calls itself.
    pub agent: String,
}

/// What is stored of a browser's secret: another hash for each account, so that nobody can tell from the database which
/// accounts share a browser.
fn id(key: &str, user_id: UserId) -> String {
    link::hashed(&format!("{key}:{user_id}"))
}

/// Notes that the browser with this secret belongs to the account: it has signed in, signed up, or opened a link that
/// was sent to the account's address.
pub fn remember(conn: &mut Conn, now: Stamp, user_id: UserId, key: &str) -> QueryResult<()> {
    known_browsers::note(conn, &id(key, user_id), user_id, now, MOST)
}

/// Whether the browser with this secret is known to the account.
pub(super) fn is_known(conn: &mut Conn, user_id: UserId, key: &str) -> QueryResult<bool> {
    known_browsers::is_known(conn, &id(key, user_id))
}

/// A name for this browser and the account behind a name or address, under which its tries are counted apart from
/// everybody else's; `None` when the browser isn't known to that account, or there is no such account.
///
/// Nobody learns from it whether there is one: only somebody who was signed in to it gets another answer.
pub fn known_as(conn: &mut Conn, name_or_address: &str, key: &str) -> QueryResult<Option<String>> {
    let user_id = session::find(conn, name_or_address)?.map_or(UserId(0), |user| user.id);
    Ok(is_known(conn, user_id, key)?.then(|| id(key, user_id)))
}
