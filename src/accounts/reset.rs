//! A new password by letter.

use chrono::TimeDelta;
use diesel::QueryResult;

use super::link::{self, LinkRefusal};
use super::password::{self, HashedPassword};
use super::sign_up;
use crate::mail::{self, Letter, Recipient, Site, canonical_address};
use crate::store::mail_tokens::Purpose;
use crate::store::users::{self, User};
use crate::store::{Conn, Stamp};

/// How long the link works: much longer than the longest wait for another letter, so that whoever keeps asking for
/// letters in somebody's name leaves them a link that works.
const VALID: TimeDelta = TimeDelta::days(1);

/// Sends the link to set a new password, if the address has an account; says nothing about whether it has.
/// A sign-up that was never confirmed gets its first link again, because that is what it lacks. Soon after a letter no
/// other one is sent: the first one still works.
pub fn request_reset(conn: &mut Conn, site: &Site, now: Stamp, email: &str) -> QueryResult<()> {
    let Some(user) = users::find_by_email(conn, &canonical_address(email))? else { return Ok(()) };
    if user.confirmed_at.is_none() {
        return sign_up::resend(conn, site, now, email);
    }
    let Some(to) = Recipient::of(&user) else { return Ok(()) };
    if link::enough(conn, now, Purpose::Reset, user.id, &to.address)? {
        return Ok(());
    }
    let (token, expires) = link::make(conn, now, Purpose::Reset, user.id, &to.address, VALID)?;
    let letter = Letter::Reset { url: site.url(&format!("/reset/{token}")), expires };
    mail::queue(conn, site, now, &to, &letter, &format!("reset:{}", link::hashed(&token)))
}

/// Sets a new password by the link that was sent, and signs the player out everywhere.
pub fn finish_reset(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    token: &str,
    hashed: &HashedPassword,
) -> Result<User, LinkRefusal> {
    let (link, user) = link::take(conn, now, Purpose::Reset, token)?;
    // Sent to an address the account has left since.
    if user.email.as_deref() != Some(link.email.as_str()) {
        return Err(LinkRefusal::Stale);
    }
    password::store_new::<LinkRefusal>(conn, site, now, &user, hashed, None)?;
    Ok(user)
}
