//! Heartbeats: when each server process last said that it is alive. An outage is a time in which none of them did.

use chrono::TimeDelta;
use diesel::prelude::*;

use super::dialect::{Both, Keep};
use super::schema::heartbeats;
use super::{Conn, Stamp};

/// How long the row of a process that has ended is kept.
const KEPT: TimeDelta = TimeDelta::days(1);

/// When any process was last alive; `None` on a new database.
pub fn last(conn: &mut Conn) -> QueryResult<Option<Stamp>> {
    heartbeats::table.select(diesel::dsl::max(heartbeats::at)).first(conn)
}

/// Notes that the process `name` is alive at `now`, and forgets processes that ended long before.
pub fn beat(conn: &mut Conn, name: &str, now: Stamp) -> QueryResult<()> {
    let upsert = diesel::insert_into(heartbeats::table)
        .values((heartbeats::name.eq(name), heartbeats::at.eq(now)))
        .on_conflict(heartbeats::name)
        .do_update()
        .set(heartbeats::at.eq(now));
    Both(upsert).kept().execute(conn)?;
    diesel::delete(heartbeats::table.filter(heartbeats::at.lt(now - KEPT))).execute(conn)?;
    Ok(())
}

/// Forgets heartbeats that lie in the future: a wrong clock made them.
pub fn forget_after(conn: &mut Conn, now: Stamp) -> QueryResult<usize> {
    diesel::delete(heartbeats::table.filter(heartbeats::at.gt(now))).execute(conn)
}
