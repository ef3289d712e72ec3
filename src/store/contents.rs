//! The data files that tables keep, one row per different content.

use diesel::prelude::*;

use super::Conn;
use super::dialect::{Both, Keep};
use super::schema::contents;

/// Keeps a content under its hash; one that is there already is left as it is.
pub fn keep(conn: &mut Conn, hash: &str, game: &str, body: &str) -> QueryResult<()> {
    let row = (contents::hash.eq(hash), contents::game.eq(game), contents::body.eq(body));
    Both(diesel::insert_into(contents::table).values(row).on_conflict(contents::hash).do_nothing())
        .kept()
        .execute(conn)?;
    Ok(())
}

/// The body of a content, as [`keep`] stored it.
pub fn body(conn: &mut Conn, hash: &str) -> QueryResult<Option<String>> {
    contents::table.find(hash).select(contents::body).first(conn).optional()
}
