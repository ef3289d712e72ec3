//! Whose record waits for them after they deleted their account, by the keyed hash of their address.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::departures;
use super::{Conn, Stamp, UserId};

/// Keeps the way back to the record of a deleted account.
pub fn insert(conn: &mut Conn, user_id: UserId, address_hash: &str, until: Stamp) -> QueryResult<()> {
    diesel::insert_into(departures::table)
        .values((
            departures::user_id.eq(user_id),
            departures::address_hash.eq(address_hash),
            departures::until.eq(until),
        ))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// The deleted accounts of this address whose records still wait, the latest first.
pub fn of(conn: &mut Conn, address_hash: &str, now: Stamp) -> QueryResult<Vec<UserId>> {
    departures::table
        .filter(departures::address_hash.eq(address_hash))
        .filter(departures::until.gt(now))
        .order((departures::until.desc(), departures::user_id.desc()))
        .select(departures::user_id)
        .load(conn)
}

/// Takes a record away from those that wait: true for the one who does it, and only then.
pub fn take(conn: &mut Conn, user_id: UserId) -> QueryResult<bool> {
    Ok(diesel::delete(departures::table.find(user_id)).execute(conn)? == 1)
}

/// Forgets whose time is over; returns how many.
pub fn purge(conn: &mut Conn, now: Stamp) -> QueryResult<usize> {
    diesel::delete(departures::table.filter(departures::until.le(now))).execute(conn)
}
