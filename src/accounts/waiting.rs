//! A sign-up that waits for its address to be confirmed, as the browser sees it that signed up: a slip in the address
//! is corrected there, because no letter can reach the one who made it.

use diesel::QueryResult;
use diesel::result::Error as QueryError;

use super::sign_up::{self, SignUp, claim};
use super::{known, link, password};
use crate::mail::{BadAddress, Site, check_address};
use crate::store::mail_tokens::{self, Purpose};
use crate::store::users::{self, User, key};
use crate::store::{Conn, Database, Retry, Stamp, UserId};

/// A sign-up that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The account.
    pub user_id: UserId,
    /// The name it was made with.
    pub name: String,
}

/// Why an address was not corrected.
#[derive(Debug, thiserror::Error)]
pub enum CorrectRefusal {
    /// Not of the form of an address.
    #[error(transparent)]
    Bad(#[from] BadAddress),
    /// The sign-up is confirmed, was forgotten after a week, or was made in another browser.
    #[error("This sign-up is over: it was confirmed, or it is more than a week old.")]
    Over,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for CorrectRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, CorrectRefusal::Database(error) if super::again::worth_another_try(error))
    }
}

/// The sign-up of this account, if it still waits and was made in the browser with this secret.
pub fn waiting(conn: &mut Conn, user_id: UserId, browser_key: &str) -> QueryResult<Option<Waiting>> {
    let user = mine(conn, user_id, browser_key)?;
    Ok(user.map(|user| Waiting { user_id: user.id, name: user.name }))
}

fn mine(conn: &mut Conn, user_id: UserId, browser_key: &str) -> QueryResult<Option<User>> {
    if !known::is_known(conn, user_id, browser_key)? {
        return Ok(None);
    }
    Ok(users::find(conn, user_id)?.filter(|user| user.confirmed_at.is_none() && user.deleted_at.is_none()))
}

/// Gives a sign-up that waits another address and sends the link there; the link sent before stops working. The same
/// address again sends the letter again. The answer is the same whether the address has an account or not.
pub fn correct_address(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    waiting: (UserId, &str),
    email: &str,
) -> Result<(), CorrectRefusal> {
    let (user_id, browser_key) = waiting;
    let email = check_address(email)?;
    let user = mine(conn, user_id, browser_key)?.ok_or(CorrectRefusal::Over)?;
    Ok(send_to(conn, site, now, &user, &email)?)
}

/// Whether a sign-up whose name is taken is one that was sent before: by the same name and password, and not confirmed
/// yet. Then its address counts from now on, and its account is returned. So nobody is told that their own name is
/// taken who presses the button twice, or goes back to correct a slip.
pub fn sign_up_again(
    db: &Database,
    site: &Site,
    now: Stamp,
    form: &SignUp,
    password: &str,
) -> QueryResult<Option<UserId>> {
    let waits = |user: &User| user.confirmed_at.is_none() && user.deleted_at.is_none();
    let user = db.read(|conn| users::find_by_name(conn, form.name()))?.filter(waits);
    let Some(user) = user.filter(|user| password::is_password_of(Some(user), password)) else { return Ok(None) };
    db.write(|conn| {
        // It may have been confirmed while the hash was computed.
        let Some(fresh) = users::find(conn, user.id)?.filter(waits) else { return Ok(None) };
        send_to(conn, site, now, &fresh, form.email())?;
        Ok::<_, QueryError>(Some(fresh.id))
    })
}

fn send_to(conn: &mut Conn, site: &Site, now: Stamp, user: &User, email: &str) -> QueryResult<()> {
    if user.email.as_deref().map(key) != Some(key(email)) {
        mail_tokens::revoke_all(conn, user.id)?;
        users::clear_email(conn, user.id)?;
    }
    match claim(conn, user.id, email)? {
        Some(holder) => sign_up::tell_holder(conn, site, now, &holder)?,
        None if link::enough(conn, now, Purpose::Confirm, user.id, email)? => {}
        None => sign_up::send_link(conn, site, now, user.id)?,
    }
    Ok(())
}
