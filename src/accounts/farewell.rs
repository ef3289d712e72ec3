//! Deleting an account.

use diesel::result::Error as QueryError;

use super::departure;
use crate::mail::{self, Letter, Recipient, Site};
use crate::store::{Conn, Stamp, UserId, known_browsers, mail_tokens, outbox, sessions, users};

/// Deletes an account in the caller's transaction; call [`super::check_password`] before it.
///
/// `leave_tables` takes the player away from tables first: running games count as resigned, seats at tables
/// that have not started become free. Then the name becomes “former player”, the address is free again, all
/// browsers are signed out and forgotten, and no letter that waits is sent; one last letter says that it is done. Score
/// and drops wait for a year for anyone who signs up with the address again.
pub fn delete_account<E: From<QueryError>>(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    user_id: UserId,
    leave_tables: impl FnOnce(&mut Conn, UserId) -> Result<(), E>,
) -> Result<(), E> {
    leave_tables(conn, user_id)?;
    let Some(user) = users::find(conn, user_id)?.filter(|user| user.deleted_at.is_none()) else { return Ok(()) };
    outbox::drop_for_user(conn, user_id, now)?;
    sessions::delete_all(conn, user_id, None)?;
    known_browsers::forget_all(conn, user_id)?;
    mail_tokens::revoke_all(conn, user_id)?;
    departure::keep(conn, now, &user)?;
    users::erase(conn, user_id, now)?;
    if let Some(to) = Recipient::of(&user) {
        // Not bound to the account, which has no address any more.
        let to = Recipient { user_id: None, unsubscribe_key: None, ..to };
        mail::queue(conn, site, now, &to, &Letter::AccountDeleted, &format!("account-deleted:{user_id}"))?;
    }
    Ok(())
}
