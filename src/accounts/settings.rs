//! What players set about themselves: time zone and which letters they get.

use chrono_tz::Tz;
use diesel::QueryResult;
use diesel::result::Error as QueryError;

use crate::store::users::{self, User, Wants};
use crate::store::{Conn, Retry, UserId};
use crate::when;

/// A text that names no time zone.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("“{0}” is not a time zone; write it as continent and city, such as Europe/Berlin.")]
pub struct NoZone(pub String);

/// Why the zone was not set.
#[derive(Debug, thiserror::Error)]
pub enum ZoneRefusal {
    /// No such zone.
    #[error(transparent)]
    NoZone(#[from] NoZone),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for ZoneRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, ZoneRefusal::Database(error) if error.may_retry())
    }
}

/// Sets the zone that times are shown in, by its IANA name.
pub fn set_zone(conn: &mut Conn, user_id: UserId, name: &str) -> Result<Tz, ZoneRefusal> {
    let zone = when::zone(name).ok_or_else(|| NoZone(name.trim().to_owned()))?;
    users::set_zone(conn, user_id, zone)?;
    Ok(zone)
}

/// Sets which letters about tables a player gets.
pub fn set_wants(conn: &mut Conn, user_id: UserId, wants: Wants) -> QueryResult<()> {
    users::set_wants(conn, user_id, wants)
}

/// The account whose letters the key of an unsubscribe link stops, for the page that asks.
pub fn unsubscribable(conn: &mut Conn, unsubscribe_key: &str) -> QueryResult<Option<User>> {
    Ok(users::find_by_unsubscribe_key(conn, unsubscribe_key)?.filter(|user| user.deleted_at.is_none()))
}

/// Stops all letters about tables for the account of this key, which needs no sign-in (RFC 8058); returns the
/// account. Letters about the account itself still come, and the settings turn the others on again.
pub fn unsubscribe(conn: &mut Conn, unsubscribe_key: &str) -> QueryResult<Option<User>> {
    let Some(user) = unsubscribable(conn, unsubscribe_key)? else { return Ok(None) };
    users::set_wants(conn, user.id, Wants { due: false, resolved: false, reminders: false, news: false, talk: false })?;
    Ok(Some(user))
}
