//! The people who play.

use std::collections::BTreeMap;
use std::fmt;

use chrono_tz::Tz;
use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::{loadouts, mutes, notes, users};
use super::{Conn, Stamp, UserId};

/// The name of every account that was deleted. No player's name has a blank.
pub const FORMER: &str = "former player";

/// An account. Addresses and names are unique whatever the case of their letters.
#[derive(Clone, PartialEq, Eq, Queryable, Selectable, Identifiable)]
#[diesel(table_name = users)]
pub struct User {
    /// The id.
    pub id: UserId,
    /// The name as the player wrote it; “former player” after the account was deleted.
    pub name: String,
    /// The name in lower case.
    pub name_key: String,
    /// The address; `None` once deleted, or when the sign-up named an address that another account has.
    pub email: Option<String>,
    /// The address in lower case, by which the account is found; `None` also while a newer sign-up waits for the same
    /// address.
    pub email_key: Option<String>,
    /// The argon2id hash of the password; empty once deleted.
    pub password_hash: String,
    /// The IANA name of the player's time zone.
    pub zone: String,
    /// When the address was confirmed; nobody signs in before.
    pub confirmed_at: Option<Stamp>,
    /// When the account was made.
    pub created_at: Stamp,
    /// When the account was deleted.
    pub deleted_at: Option<Stamp>,
    /// Wants to hear when orders are due.
    pub wants_due: bool,
    /// Wants to hear how phases were resolved while no orders are due.
    pub wants_resolved: bool,
    /// Wants to be reminded before a deadline.
    pub wants_reminders: bool,
    /// Wants to hear of a table's start, end and call-off, and of invitations.
    pub wants_news: bool,
    /// The secret of the links that stop letters.
    pub unsubscribe_key: String,
    /// Why letters to the address don't arrive, in words for the player.
    pub mail_fault: Option<String>,
    /// The bot it stands for, as `game/bot`; `None` for people.
    pub bot: Option<String>,
    /// Wants letters about what is said at a table and carried by no other letter.
    pub wants_talk: bool,
}

// By hand: addresses and hashes have no place in logs.
impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

impl User {
    /// The player's time zone; UTC if the stored name is no longer known.
    pub fn tz(&self) -> Tz {
        self.zone.parse().unwrap_or(Tz::UTC)
    }

    /// Whether this account can play: confirmed and not deleted.
    pub fn is_active(&self) -> bool {
        self.confirmed_at.is_some() && self.deleted_at.is_none()
    }
}

/// The form of names and addresses that look-ups compare.
pub fn key(text: &str) -> String {
    text.trim().to_lowercase()
}

/// A new account, not confirmed yet.
#[derive(Insertable)]
#[diesel(table_name = users)]
pub struct NewUser<'a> {
    /// The id.
    pub id: UserId,
    /// The name.
    pub name: &'a str,
    /// [`key`] of the name.
    pub name_key: &'a str,
    /// The address, unless another account has it.
    pub email: Option<&'a str>,
    /// [`key`] of the address.
    pub email_key: Option<&'a str>,
    /// The password's hash.
    pub password_hash: &'a str,
    /// The IANA name of the zone.
    pub zone: &'a str,
    /// Now.
    pub created_at: Stamp,
    /// A fresh token.
    pub unsubscribe_key: &'a str,
}

/// Stores a new account.
pub fn insert(conn: &mut Conn, user: &NewUser<'_>) -> QueryResult<()> {
    diesel::insert_into(users::table).values(user).kept().execute(conn).map(drop)
}

/// The account with this id.
pub fn find(conn: &mut Conn, user_id: UserId) -> QueryResult<Option<User>> {
    users::table.find(user_id).select(User::as_select()).first(conn).optional()
}

/// The account with this name, whatever the case.
pub fn find_by_name(conn: &mut Conn, name: &str) -> QueryResult<Option<User>> {
    users::table.filter(users::name_key.eq(key(name))).select(User::as_select()).first(conn).optional()
}

/// The account with this address, whatever the case; it may be unconfirmed.
pub fn find_by_email(conn: &mut Conn, email: &str) -> QueryResult<Option<User>> {
    users::table.filter(users::email_key.eq(key(email))).select(User::as_select()).first(conn).optional()
}

/// The account whose letters this key stops.
pub fn find_by_unsubscribe_key(conn: &mut Conn, unsubscribe_key: &str) -> QueryResult<Option<User>> {
    users::table.filter(users::unsubscribe_key.eq(unsubscribe_key)).select(User::as_select()).first(conn).optional()
}

/// The accounts with these ids, by id.
pub fn find_all(conn: &mut Conn, user_ids: &[UserId]) -> QueryResult<BTreeMap<UserId, User>> {
    let rows: Vec<User> = users::table.filter(users::id.eq_any(user_ids)).select(User::as_select()).load(conn)?;
    Ok(rows.into_iter().map(|user| (user.id, user)).collect())
}

/// The names of these accounts, by id.
pub fn names(conn: &mut Conn, user_ids: &[UserId]) -> QueryResult<BTreeMap<UserId, String>> {
    let rows: Vec<(UserId, String)> =
        users::table.filter(users::id.eq_any(user_ids)).select((users::id, users::name)).load(conn)?;
    Ok(rows.into_iter().collect())
}

/// Makes the account one of a bot, which can play and never sign in.
pub fn mark_as_bot(conn: &mut Conn, user_id: UserId, bot: &str, now: Stamp) -> QueryResult<()> {
    diesel::update(users::table.find(user_id))
        .set((users::bot.eq(Some(bot)), users::confirmed_at.eq(Some(now))))
        .kept()
        .execute(conn)
        .map(drop)
}

/// The accounts of a bot, the oldest first.
pub fn bots(conn: &mut Conn, bot: &str) -> QueryResult<Vec<UserId>> {
    users::table.filter(users::bot.eq(bot)).order((users::created_at, users::id)).select(users::id).load(conn)
}

/// Marks the address as confirmed at `now`; what was wrong with an earlier one is forgotten.
pub fn confirm(conn: &mut Conn, user_id: UserId, now: Stamp) -> QueryResult<()> {
    diesel::update(users::table.find(user_id))
        .set((users::confirmed_at.eq(Some(now)), users::mail_fault.eq(None::<String>)))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Takes the address from an account that never confirmed it.
pub fn clear_email(conn: &mut Conn, user_id: UserId) -> QueryResult<()> {
    diesel::update(users::table.find(user_id))
        .set((users::email.eq(None::<String>), users::email_key.eq(None::<String>)))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Lets another account have the address of one that never confirmed it. The links sent for it still work; the address
/// no longer leads to it.
pub fn release_email(conn: &mut Conn, user_id: UserId) -> QueryResult<()> {
    diesel::update(users::table.find(user_id)).set(users::email_key.eq(None::<String>)).kept().execute(conn).map(drop)
}

/// Gives the account a new, checked address.
pub fn set_email(conn: &mut Conn, user_id: UserId, email: &str) -> QueryResult<()> {
    diesel::update(users::table.find(user_id))
        .set((
            users::email.eq(Some(email)),
            users::email_key.eq(Some(key(email))),
            users::mail_fault.eq(None::<String>),
        ))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Stores the hash of a new password.
pub fn set_password(conn: &mut Conn, user_id: UserId, password_hash: &str) -> QueryResult<()> {
    diesel::update(users::table.find(user_id))
        .set(users::password_hash.eq(password_hash))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Stores the time zone.
pub fn set_zone(conn: &mut Conn, user_id: UserId, zone: Tz) -> QueryResult<()> {
    diesel::update(users::table.find(user_id)).set(users::zone.eq(zone.name())).kept().execute(conn).map(drop)
}

/// Which letters about tables a player wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Orders are due.
    pub due: bool,
    /// A phase was resolved.
    pub resolved: bool,
    /// A deadline is near.
    pub reminders: bool,
    /// A table started, ended or was called off; an invitation.
    pub news: bool,
    /// Something was said at a table, and no other letter carries it.
    pub talk: bool,
}

/// Stores which letters a player wants.
pub fn set_wants(conn: &mut Conn, user_id: UserId, wants: Wants) -> QueryResult<()> {
    diesel::update(users::table.find(user_id))
        .set((
            users::wants_due.eq(wants.due),
            users::wants_resolved.eq(wants.resolved),
            users::wants_reminders.eq(wants.reminders),
            users::wants_news.eq(wants.news),
            users::wants_talk.eq(wants.talk),
        ))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Stores or clears why letters don't arrive.
pub fn set_mail_fault(conn: &mut Conn, user_id: UserId, fault: Option<&str>) -> QueryResult<()> {
    diesel::update(users::table.find(user_id)).set(users::mail_fault.eq(fault)).kept().execute(conn).map(drop)
}

/// Forgets why letters didn't arrive, because one has. Writes nothing when there was nothing.
pub fn clear_mail_fault(conn: &mut Conn, user_id: UserId) -> QueryResult<()> {
    diesel::update(users::table.find(user_id).filter(users::mail_fault.is_not_null()))
        .set(users::mail_fault.eq(None::<String>))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Turns the account into a “former player”: no address, no password, no saved load-outs, no private notes, a
/// name key that nobody can sign up with.
pub fn erase(conn: &mut Conn, user_id: UserId, now: Stamp) -> QueryResult<()> {
    diesel::delete(loadouts::table.filter(loadouts::user_id.eq(user_id))).execute(conn)?;
    diesel::delete(notes::table.filter(notes::user_id.eq(user_id))).execute(conn)?;
    diesel::delete(mutes::table.filter(mutes::user_id.eq(user_id))).execute(conn)?;
    diesel::update(users::table.find(user_id))
        .set((
            users::name.eq(FORMER),
            users::name_key.eq(format!("{FORMER} {user_id}")),
            users::email.eq(None::<String>),
            users::email_key.eq(None::<String>),
            users::password_hash.eq(""),
            users::deleted_at.eq(Some(now)),
            users::mail_fault.eq(None::<String>),
        ))
        .kept()
        .execute(conn)
        .map(drop)
}

/// Removes accounts made before `before` that never confirmed an address; returns their number.
pub fn purge_unconfirmed(conn: &mut Conn, before: Stamp) -> QueryResult<usize> {
    diesel::delete(
        users::table
            .filter(users::confirmed_at.is_null())
            .filter(users::deleted_at.is_null())
            .filter(users::created_at.lt(before)),
    )
    .execute(conn)
}

/// Counts one more booking for these players, and so keeps everybody else from booking a win of theirs until this
/// transaction ends. In the order of ids, so that two who book do not wait for each other.
pub fn bump_bookings(conn: &mut Conn, user_ids: &[UserId]) -> QueryResult<()> {
    let mut sorted = user_ids.to_vec();
    sorted.sort_unstable();
    for user_id in sorted {
        diesel::update(users::table.find(user_id)).set(users::bookings.eq(users::bookings + 1)).kept().execute(conn)?;
    }
    Ok(())
}
