//! Signing up and confirming the address.

use chrono::TimeDelta;
use chrono_tz::Tz;
use diesel::QueryResult;
use diesel::result::Error as QueryError;

use super::departure::{self, Arrival};
use super::link::{self, LinkRefusal};
use super::name::{BadName, check_name};
use super::password::{BadPassword, HashedPassword};
use super::settings::NoZone;
use crate::mail::{self, BadAddress, Letter, Recipient, Site, canonical_address, check_address};
use crate::store::mail_tokens::Purpose;
use crate::store::users::{self, NewUser, User, key};
use crate::store::{Conn, Retry, Stamp, UserId, new_id, new_token};
use crate::when;

/// How long the link of a sign-up works.
const VALID: TimeDelta = TimeDelta::hours(48);

/// At most one letter “you have an account already” to an address in this time, in seconds: six hours.
const ALREADY_EVERY_S: i64 = 6 * 3600;

/// The sign-up form as it came.
#[derive(Clone, Copy, Debug)]
pub struct SignUpForm<'a> {
    /// The name to play under.
    pub name: &'a str,
    /// The address.
    pub email: &'a str,
    /// The password.
    pub password: &'a str,
    /// The IANA name of the time zone; UTC if empty.
    pub zone: &'a str,
}

/// What is wrong with one field of the form.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SignUpFault {
    /// The name.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The address.
    #[error(transparent)]
    Email(#[from] BadAddress),
    /// The password.
    #[error(transparent)]
    Password(#[from] BadPassword),
    /// The time zone.
    #[error(transparent)]
    Zone(#[from] NoZone),
}

impl SignUpFault {
    /// The field it is about: `name`, `email`, `password` or `zone`.
    pub fn field(&self) -> &'static str {
        match self {
            SignUpFault::Name(_) => "name",
            SignUpFault::Email(_) => "email",
            SignUpFault::Password(_) => "password",
            SignUpFault::Zone(_) => "zone",
        }
    }
}

/// A sign-up whose fields are right by themselves, with the password hashed.
#[derive(Clone, Debug)]
pub struct SignUp {
    name: String,
    email: String,
    password: HashedPassword,
    zone: Tz,
}

impl SignUp {
    /// The name to play under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address, in the form in which it is stored.
    pub fn email(&self) -> &str {
        &self.email
    }

    /// Checks a form by itself; returns all its faults at once. Hashes the password, so it is slow and stays
    /// out of transactions.
    pub fn check(form: &SignUpForm<'_>) -> Result<SignUp, Vec<SignUpFault>> {
        let name = check_name(form.name).map_err(SignUpFault::from);
        let email = check_address(form.email).map_err(SignUpFault::from);
        let password = HashedPassword::new(form.password, &[form.name, form.email]).map_err(SignUpFault::from);
        let zone = match form.zone.trim() {
            "" => Ok(Tz::UTC),
            text => when::zone(text).ok_or_else(|| NoZone(text.to_owned()).into()),
        };
        match (name, email, password, zone) {
            (Ok(name), Ok(email), Ok(password), Ok(zone)) => Ok(SignUp { name, email, password, zone }),
            (name, email, password, zone) => {
                let faults = [name.err(), email.err(), password.err(), zone.err()];
                Err(faults.into_iter().flatten().collect())
            }
        }
    }
}

/// Why a right form did not lead to an account.
#[derive(Debug, thiserror::Error)]
pub enum SignUpRefusal {
    /// Somebody has the name.
    #[error("The name “{0}” is taken; choose another one.")]
    NameTaken(String),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for SignUpRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, SignUpRefusal::Database(error) if super::again::worth_another_try(error))
    }
}

/// Makes an account that waits for its address to be confirmed, and sends the letter with the link. Returns its id.
///
/// If the address belongs to a confirmed account, that one gets a letter, and the new account is made
/// without an address: it can never be used, but from outside everything looks the same, also when somebody
/// tries the name again. Several sign-ups may name the same address: whoever opens a link first has it, so nobody can
/// keep somebody else from signing up. An address that has had many letters today gets none for now; it can be asked
/// for later.
pub fn sign_up(conn: &mut Conn, site: &Site, now: Stamp, form: &SignUp) -> Result<UserId, SignUpRefusal> {
    if users::find_by_name(conn, &form.name)?.is_some() {
        return Err(SignUpRefusal::NameTaken(form.name.clone()));
    }
    let user_id = insert(conn, now, form, false)?;
    match claim(conn, user_id, &form.email)? {
        Some(holder) => tell_holder(conn, site, now, &holder)?,
        None if link::enough(conn, now, Purpose::Confirm, user_id, &form.email)? => {}
        None => send_link(conn, site, now, user_id)?,
    }
    Ok(user_id)
}

/// Gives an account that waits an address, unless a confirmed account has it: that one is returned. Another sign-up
/// that named the address keeps its link; the address itself leads to the newest.
pub(super) fn claim(conn: &mut Conn, user_id: UserId, email: &str) -> QueryResult<Option<User>> {
    match users::find_by_email(conn, email)? {
        Some(holder) if holder.confirmed_at.is_some() => return Ok(Some(holder)),
        Some(pending) if pending.id != user_id => users::release_email(conn, pending.id)?,
        _ => {}
    }
    users::set_email(conn, user_id, email)?;
    Ok(None)
}

/// Makes a confirmed account without a letter: for demonstrations and simulations, where nobody reads mail.
pub fn enroll(conn: &mut Conn, now: Stamp, form: &SignUp) -> Result<UserId, SignUpRefusal> {
    if users::find_by_name(conn, &form.name)?.is_some() {
        return Err(SignUpRefusal::NameTaken(form.name.clone()));
    }
    let user_id = insert(conn, now, form, true)?;
    users::confirm(conn, user_id, now)?;
    departure::take_back(conn, now, user_id, &form.email, Arrival::New)?;
    Ok(user_id)
}

/// Sends the link of a sign-up again. Says nothing about whether there was one. Soon after a letter no other one is
/// sent: the first one still works.
pub fn resend(conn: &mut Conn, site: &Site, now: Stamp, email: &str) -> QueryResult<()> {
    let email = canonical_address(email);
    match users::find_by_email(conn, &email)? {
        Some(user) if user.confirmed_at.is_none() && !link::enough(conn, now, Purpose::Confirm, user.id, &email)? => {
            send_link(conn, site, now, user.id)
        }
        _ => Ok(()),
    }
}

/// Confirms the address that the link was sent to; returns the account, which may sign in from now on.
pub fn confirm(conn: &mut Conn, now: Stamp, token: &str) -> Result<User, LinkRefusal> {
    let (link, user) = link::take(conn, now, Purpose::Confirm, token)?;
    if user.email.as_deref() != Some(link.email.as_str()) {
        return Err(LinkRefusal::Stale);
    }
    // Of several sign-ups with this address one was confirmed before.
    if claim(conn, user.id, &link.email)?.is_some() {
        return Err(LinkRefusal::Stale);
    }
    users::confirm(conn, user.id, now)?;
    departure::take_back(conn, now, user.id, &link.email, Arrival::New)?;
    Ok(User { confirmed_at: Some(now), ..user })
}

/// Tells the holder of an address that somebody wanted to use it, at most once in a while.
pub(super) fn tell_holder(conn: &mut Conn, site: &Site, now: Stamp, holder: &User) -> QueryResult<()> {
    let Some(to) = Recipient::of(holder) else { return Ok(()) };
    let letter = Letter::AlreadyRegistered { sign_in_url: site.url("/sign-in"), reset_url: site.url("/reset") };
    let window = now.and_utc().timestamp() / ALREADY_EVERY_S;
    mail::queue(conn, site, now, &to, &letter, &format!("already-registered:{}:{window}", holder.id))
}

fn insert(conn: &mut Conn, now: Stamp, form: &SignUp, with_email: bool) -> QueryResult<UserId> {
    let id = UserId(new_id(now));
    let email_key = key(&form.email);
    let user = NewUser {
        id,
        name: &form.name,
        name_key: &key(&form.name),
        email: with_email.then_some(form.email.as_str()),
        email_key: with_email.then_some(email_key.as_str()),
        password_hash: form.password.as_str(),
        zone: form.zone.name(),
        created_at: now,
        unsubscribe_key: &new_token(),
    };
    users::insert(conn, &user)?;
    Ok(id)
}

/// Sends the link that confirms the address of an account.
pub(super) fn send_link(conn: &mut Conn, site: &Site, now: Stamp, user_id: UserId) -> QueryResult<()> {
    let Some(user) = users::find(conn, user_id)? else { return Ok(()) };
    let Some(to) = Recipient::of(&user) else { return Ok(()) };
    let (token, expires) = link::make(conn, now, Purpose::Confirm, user_id, &to.address, VALID)?;
    let letter = Letter::Confirm { url: site.url(&format!("/confirm/{token}")), expires };
    mail::queue(conn, site, now, &to, &letter, &format!("confirm:{}", link::hashed(&token)))
}
