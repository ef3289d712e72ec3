//! The heartbeat: when a server process last said that it is alive. One row for all processes of a database,
//! because an outage is a time in which none of them ran.

use diesel::prelude::*;

use super::dialect::Both;
use super::schema::heartbeats;
use super::{Conn, Stamp};

/// The one row.
const SERVER: &str = "server";

/// When a process was last alive; `None` on a new database.
pub fn last(conn: &mut Conn) -> QueryResult<Option<Stamp>> {
    heartbeats::table.find(SERVER).select(heartbeats::at).first(conn).optional()
}

/// Notes that a process is alive at `now`.
pub fn beat(conn: &mut Conn, now: Stamp) -> QueryResult<()> {
    let row = (heartbeats::name.eq(SERVER), heartbeats::at.eq(now));
    let upsert = diesel::insert_into(heartbeats::table)
        .values(row)
        .on_conflict(heartbeats::name)
        .do_update()
        .set(heartbeats::at.eq(now));
    Both(upsert).execute(conn)?;
    Ok(())
}
