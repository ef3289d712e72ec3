//! Moving an account to another address, which is checked by a letter to it.

use chrono::TimeDelta;
use diesel::result::Error as QueryError;

use super::departure::{self, Arrival};
use super::link::{self, LinkRefusal};
use super::password::{self, PasswordRefusal};
use super::sign_up;
use crate::mail::{self, BadAddress, Letter, Recipient, Site, check_address};
use crate::store::mail_tokens::{self, Purpose};
use crate::store::users::{self, User, key};
use crate::store::{Conn, Database, Retry, Stamp, UserId, new_id};

/// How long the link works.
const VALID: TimeDelta = TimeDelta::hours(24);

/// Why no letter went to a new address.
#[derive(Debug, thiserror::Error)]
pub enum AddressRefusal {
    /// The password typed is not the account's.
    #[error("This is not your password.")]
    WrongPassword,
    /// Not of the form of an address.
    #[error(transparent)]
    Bad(#[from] BadAddress),
    /// It is the address the account has.
    #[error("Your letters already go to this address.")]
    Same,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for AddressRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, AddressRefusal::Database(error) if super::again::worth_another_try(error))
    }
}

impl From<PasswordRefusal> for AddressRefusal {
    fn from(refusal: PasswordRefusal) -> AddressRefusal {
        match refusal {
            PasswordRefusal::Database(error) => AddressRefusal::Database(error),
            PasswordRefusal::Wrong | PasswordRefusal::Bad(_) => AddressRefusal::WrongPassword,
        }
    }
}

/// Sends the link that moves the account to `email`. If another account has that address, its holder is told
/// by letter, and the answer is the same. Soon after a letter no other one is sent: the first one still works.
pub fn request_address(
    db: &Database,
    site: &Site,
    now: Stamp,
    user_id: UserId,
    password: &str,
    email: &str,
) -> Result<(), AddressRefusal> {
    let email = check_address(email)?;
    let user = password::check_password(db, user_id, password)?;
    if user.email.as_deref().map(key) == Some(key(&email)) && user.mail_fault.is_none() {
        return Err(AddressRefusal::Same);
    }
    db.write(|conn| {
        let holder = users::find_by_email(conn, &email)?;
        if let Some(holder) = holder.filter(|holder| holder.id != user.id && holder.confirmed_at.is_some()) {
            return Ok(sign_up::tell_holder(conn, site, now, &holder)?);
        }
        // Links to other addresses that were asked for before stop, whether or not another letter is sent now.
        mail_tokens::revoke_elsewhere(conn, user.id, Purpose::Change, &email)?;
        if link::enough(conn, now, Purpose::Change, user.id, &email)? {
            return Ok(());
        }
        let (token, expires) = link::make(conn, now, Purpose::Change, user.id, &email, VALID)?;
        let letter = Letter::ChangeAddress { url: site.url(&format!("/settings/address/{token}")), expires };
        let to = Recipient {
            user_id: Some(user.id),
            name: user.name.clone(),
            address: email.clone(),
            zone: user.tz(),
            unsubscribe_key: None,
        };
        Ok(mail::queue(conn, site, now, &to, &letter, &format!("change-address:{}", link::hashed(&token)))?)
    })
}

/// Moves the account to the address the link was sent to, and tells the old one.
pub fn confirm_address(conn: &mut Conn, site: &Site, now: Stamp, token: &str) -> Result<User, LinkRefusal> {
    let (link, user) = link::take(conn, now, Purpose::Change, token)?;
    match users::find_by_email(conn, &link.email)? {
        Some(holder) if holder.id == user.id => {}
        // Confirmed by somebody else since the letter was sent.
        Some(holder) if holder.confirmed_at.is_some() => return Err(LinkRefusal::Stale),
        Some(pending) => users::release_email(conn, pending.id)?,
        None => {}
    }
    users::set_email(conn, user.id, &link.email)?;
    departure::take_back(conn, now, user.id, &link.email, Arrival::Moved)?;
    // Links that wait at the old address must not open the account any more.
    mail_tokens::revoke_all(conn, user.id)?;
    if let Some(old) = Recipient::of(&user).filter(|old| key(&old.address) != key(&link.email)) {
        // No account: the letter must go to the old address, not follow the player to the new one.
        let to = Recipient { user_id: None, unsubscribe_key: None, ..old };
        let letter = Letter::AddressChanged { contact_url: site.url("/") };
        mail::queue(conn, site, now, &to, &letter, &format!("address-changed:{}:{}", user.id, new_id(now)))?;
    }
    Ok(User { email_key: Some(key(&link.email)), email: Some(link.email), ..user })
}
