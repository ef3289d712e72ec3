//! What people write down for themselves at a table.

use diesel::prelude::*;

use super::dialect::Both;
use super::dialect::Keep;
use super::schema::notes;
use super::{Conn, MultiBackend, Stamp, TableId, UserId};

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = notes)]
#[diesel(check_for_backend(MultiBackend))]
pub struct NoteRow {
    /// Table.
    pub table_id: TableId,
    /// Whose.
    pub user_id: UserId,
    /// The text; empty when it was emptied.
    pub body: String,
    /// Counts every change, from 1 on.
    pub version: i64,
    /// When it was changed last.
    pub updated_at: Stamp,
}

/// The note of this person at this table.
pub fn find(conn: &mut Conn, table_id: TableId, user_id: UserId) -> QueryResult<Option<NoteRow>> {
    notes::table.find((table_id, user_id)).select(NoteRow::as_select()).first(conn).optional()
}

/// Stores a note over version `row.version - 1`, or as the first one; false: it is at another version by now.
pub fn put(conn: &mut Conn, row: &NoteRow) -> QueryResult<bool> {
    if row.version == 1 {
        let insert = diesel::insert_into(notes::table)
            .values(row.clone())
            .on_conflict((notes::table_id, notes::user_id))
            .do_nothing();
        return Ok(Both(insert).kept().execute(conn)? == 1);
    }
    let before = notes::table.find((row.table_id, row.user_id)).filter(notes::version.eq(row.version - 1));
    let changed = diesel::update(before)
        .set((notes::body.eq(&row.body), notes::version.eq(row.version), notes::updated_at.eq(row.updated_at)))
        .kept()
        .execute(conn)?;
    Ok(changed == 1)
}
