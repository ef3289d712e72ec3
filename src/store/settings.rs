//! Small facts about the installation itself, by name.

use diesel::prelude::*;

use super::Conn;
use super::dialect::{Both, Keep};
use super::schema::settings;

/// The value kept under `name`.
pub fn get(conn: &mut Conn, name: &str) -> QueryResult<Option<String>> {
    settings::table.find(name).select(settings::value).first(conn).optional()
}

/// Keeps `value` under `name`, in place of an earlier one.
pub fn set(conn: &mut Conn, name: &str, value: &str) -> QueryResult<()> {
    let upsert = diesel::insert_into(settings::table)
        .values((settings::name.eq(name), settings::value.eq(value)))
        .on_conflict(settings::name)
        .do_update()
        .set(settings::value.eq(value));
    Both(upsert).kept().execute(conn)?;
    Ok(())
}

/// Keeps `value` under `name` unless a value is kept there already.
pub fn keep_first(conn: &mut Conn, name: &str, value: &str) -> QueryResult<()> {
    let insert = diesel::insert_into(settings::table)
        .values((settings::name.eq(name), settings::value.eq(value)))
        .on_conflict(settings::name)
        .do_nothing();
    Both(insert).kept().execute(conn)?;
    Ok(())
}
