//! What became of the writes of requests: the answer to “was it stored?” when the answer to a COMMIT was lost.
//!
//! The row of a write is added last in its own transaction, so it is there exactly when the write is. Anyone who needs to
//! know for certain adds a row that says “not stored” under the same id: the database lets only one of the two in, and
//! makes the second wait until the first is decided.

use diesel::prelude::*;

use super::dialect::Both;
use super::dialect::Keep;
use super::schema::writes;
use super::{Conn, Stamp};

/// Notes, inside the write's own transaction, that it was stored.
pub(super) fn note(conn: &mut Conn, id: &str, at: Stamp) -> QueryResult<()> {
    let row = (writes::id.eq(id), writes::stored.eq(true), writes::at.eq(at));
    diesel::insert_into(writes::table).values(row).kept().execute(conn)?;
    Ok(())
}

/// Whether the write was stored; if it was not, it never will be from now on. Inside a transaction.
pub(super) fn settle(conn: &mut Conn, id: &str, at: Stamp) -> QueryResult<bool> {
    let never = diesel::insert_into(writes::table)
        .values((writes::id.eq(id), writes::stored.eq(false), writes::at.eq(at)))
        .on_conflict(writes::id)
        .do_nothing();
    if Both(never).kept().execute(conn)? == 1 {
        return Ok(false);
    }
    writes::table.find(id).select(writes::stored).first(conn)
}

/// What is known of a write: that it was stored, that it never will be, or (`None`) nothing yet.
pub fn find(conn: &mut Conn, id: &str) -> QueryResult<Option<bool>> {
    writes::table.find(id).select(writes::stored).first(conn).optional()
}

/// Forgets writes older than `before`; nobody asks for them any more.
pub fn purge(conn: &mut Conn, before: Stamp) -> QueryResult<usize> {
    diesel::delete(writes::table.filter(writes::at.lt(before))).execute(conn)
}
