//! Forms that have made a table: one that is sent twice makes one.

use diesel::prelude::*;

use super::dialect::{Both, Keep};
use super::schema::forms_done;
use super::{Conn, Stamp, TableId};

/// Notes that a form makes a table; false when it has made one before.
pub fn note(conn: &mut Conn, id: &str, table_id: TableId, now: Stamp) -> QueryResult<bool> {
    let row = (forms_done::id.eq(id), forms_done::table_id.eq(table_id), forms_done::at.eq(now));
    let noted = Both(diesel::insert_into(forms_done::table).values(row).on_conflict(forms_done::id).do_nothing());
    Ok(noted.kept().execute(conn)? > 0)
}

/// The table that a form has made.
pub fn find(conn: &mut Conn, id: &str) -> QueryResult<Option<TableId>> {
    forms_done::table.find(id).select(forms_done::table_id).first(conn).optional()
}

/// Forgets forms sent before `before`; returns how many.
pub fn purge(conn: &mut Conn, before: Stamp) -> QueryResult<usize> {
    diesel::delete(forms_done::table.filter(forms_done::at.lt(before))).execute(conn)
}
