//! The log of a table: what happened to it apart from play.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::table_log;
use super::{Conn, MultiBackend, Stamp, TableId, new_id};

/// An entry of a table's log.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = table_log)]
#[diesel(check_for_backend(MultiBackend))]
pub struct LogRow {
    /// Id, in order of time.
    pub id: i64,
    /// Table.
    pub table_id: TableId,
    /// When.
    pub at: Stamp,
    /// Short name: `made`, `joined`, `extended`, `credited` …
    pub kind: String,
    /// A sentence for the table's people. Names no player, so that a deleted account leaves no trace in it.
    pub detail: String,
}

/// Adds an entry.
pub fn add(conn: &mut Conn, now: Stamp, table_id: TableId, kind: &str, detail: &str) -> QueryResult<()> {
    let last: Option<i64> = table_log::table
        .filter(table_log::table_id.eq(table_id))
        .select(diesel::dsl::max(table_log::id))
        .get_result(conn)?;
    // Ids of one second are in no order; within a table they follow each other.
    let id = last.map_or(new_id(now), |last| new_id(now).max(last + 1));
    let row = LogRow { id, table_id, at: now, kind: kind.to_owned(), detail: detail.to_owned() };
    diesel::insert_into(table_log::table).values(row).kept().execute(conn)?;
    Ok(())
}

/// The entries of a table, oldest first.
pub fn of_table(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<LogRow>> {
    table_log::table
        .filter(table_log::table_id.eq(table_id))
        .order(table_log::id)
        .select(LogRow::as_select())
        .load(conn)
}

/// When the table last got an entry of this kind.
pub fn last(conn: &mut Conn, table_id: TableId, kind: &str) -> QueryResult<Option<Stamp>> {
    table_log::table
        .filter(table_log::table_id.eq(table_id))
        .filter(table_log::kind.eq(kind))
        .select(diesel::dsl::max(table_log::at))
        .get_result(conn)
}
