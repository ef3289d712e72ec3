//! Loadouts that players keep: Control Groups of their own.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::loadouts;
use super::{Conn, MultiBackend, Stamp, UserId};

/// A saved loadout.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = loadouts)]
#[diesel(check_for_backend(MultiBackend))]
pub struct LoadoutRow {
    /// Id.
    pub id: i64,
    /// Whose.
    pub user_id: UserId,
    /// Id of the game.
    pub game: String,
    /// The player's name for it.
    pub name: String,
    /// Content in the game's loadout notation.
    pub body: String,
    /// When it was last saved.
    pub updated_at: Stamp,
}

/// A player's loadouts for a game, by name.
pub fn of_user(conn: &mut Conn, user_id: UserId, game: &str) -> QueryResult<Vec<LoadoutRow>> {
    loadouts::table
        .filter(loadouts::user_id.eq(user_id))
        .filter(loadouts::game.eq(game))
        .order((loadouts::name, loadouts::id))
        .select(LoadoutRow::as_select())
        .load(conn)
}

/// One loadout, if it is this player's.
pub fn find(conn: &mut Conn, user_id: UserId, id: i64) -> QueryResult<Option<LoadoutRow>> {
    loadouts::table
        .filter(loadouts::id.eq(id))
        .filter(loadouts::user_id.eq(user_id))
        .select(LoadoutRow::as_select())
        .first(conn)
        .optional()
}

/// Adds a loadout.
pub fn insert(conn: &mut Conn, row: &LoadoutRow) -> QueryResult<()> {
    diesel::insert_into(loadouts::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// Changes a loadout of this player; false when there is none.
pub fn update(conn: &mut Conn, user_id: UserId, id: i64, name: &str, body: &str, now: Stamp) -> QueryResult<bool> {
    let mine = loadouts::table.filter(loadouts::id.eq(id)).filter(loadouts::user_id.eq(user_id));
    let hit = diesel::update(mine)
        .set((loadouts::name.eq(name), loadouts::body.eq(body), loadouts::updated_at.eq(now)))
        .kept()
        .execute(conn)?;
    Ok(hit == 1)
}

/// Deletes a loadout of this player; false when there is none.
pub fn delete(conn: &mut Conn, user_id: UserId, id: i64) -> QueryResult<bool> {
    let mine = loadouts::table.filter(loadouts::id.eq(id)).filter(loadouts::user_id.eq(user_id));
    Ok(diesel::delete(mine).execute(conn)? == 1)
}
