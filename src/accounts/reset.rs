//! A new password by letter.

use chrono::TimeDelta;
use diesel::QueryResult;

use super::link::{self, LinkRefusal};
use super::password::{self, HashedPassword};
use super::sign_up;
use crate::mail::{self, Letter, Recipient, Site};
use crate::store::mail_tokens::Purpose;
use crate::store::users::{self, User};
use crate::store::{Conn, Stamp};

/// How long the link works.
const VALID: TimeDelta = TimeDelta::hours(1);

/// Sends the link to set a new password, if the address has an account; says nothing about whether it has.
/// A sign-up that was never confirmed gets its first link again, because that is what it lacks.
pub fn request_reset(conn: &mut Conn, site: &Site, now: Stamp, email: &str) -> QueryResult<()> {
    let Some(user) = users::find_by_email(conn, email)? else { return Ok(()) };
    if user.confirmed_at.is_none() {
        return sign_up::resend(conn, site, now, email);
    }
    let Some(to) = Recipient::of(&user) else { return Ok(()) };
    if link::sent_just_now(conn, now, Purpose::Reset, user.id)? {
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
