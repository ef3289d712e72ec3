//! Reading and locking a table, and who may look at it.

use std::sync::Arc;

use crate::rules::{Game, Seat};
use crate::store::game_tables::{self, Status, TableRow};
use crate::store::{Conn, TableId, UserId, seats, users};

use super::{Ctx, Refused, words};

/// A table with its game as it keeps it.
pub struct Table {
    /// The row.
    pub row: TableRow,
    /// The game with the content the table has kept.
    pub game: Arc<dyn Game>,
}

impl Table {
    /// The dice secret.
    pub fn secret(&self) -> Result<[u8; 32], Refused> {
        let secret: Result<[u8; 32], _> = self.row.dice_secret.as_slice().try_into();
        secret.map_err(|_| Refused::Broken("the dice secret has not 32 bytes".to_owned()))
    }

    /// Edition of the rules as this binary has them.
    pub fn edition(&self) -> i32 {
        i32::try_from(self.game.meta().edition).unwrap_or(i32::MAX)
    }

    /// Whether the table has been played to its end.
    pub fn is_over(&self) -> bool {
        self.row.status == Status::Over
    }

    /// Refuses unless the table is being played.
    pub fn must_run(&self) -> Result<(), Refused> {
        match self.row.status {
            Status::Running => Ok(()),
            other => Err(Refused::NotRunning(words::status(other))),
        }
    }

    /// Refuses unless the table waits for players.
    pub fn must_wait(&self) -> Result<(), Refused> {
        match self.row.status {
            Status::Open => Ok(()),
            other => Err(Refused::NotOpen(words::status(other))),
        }
    }
}

/// The table of a row with its game.
pub fn with_game(conn: &mut Conn, ctx: &Ctx, row: TableRow) -> Result<Table, Refused> {
    let game = ctx.games.kept(conn, &row.game, &row.content_hash)?;
    let format = i32::try_from(game.meta().format).unwrap_or(i32::MAX);
    if format != row.format {
        return Err(Refused::Broken(format!(
            "its states have format {}, this version of {} reads format {format}",
            row.format,
            game.meta().name
        )));
    }
    Ok(Table { row, game })
}

/// The table for reading.
pub fn find(conn: &mut Conn, ctx: &Ctx, table_id: TableId) -> Result<Table, Refused> {
    let row = game_tables::find(conn, table_id)?.ok_or(Refused::NoTable)?;
    with_game(conn, ctx, row)
}

/// The table for changing: from here to the end of the transaction nobody else changes it.
pub fn lock(conn: &mut Conn, ctx: &Ctx, table_id: TableId) -> Result<Table, Refused> {
    let mut row = game_tables::find(conn, table_id)?.ok_or(Refused::NoTable)?;
    if !game_tables::bump(conn, row.id, row.version)? {
        return Err(Refused::Conflict);
    }
    row.version += 1;
    with_game(conn, ctx, row)
}

/// The table for reading, if this viewer may see it: everybody may see tables that are not invite-only; those
/// are for their players, for who made them, for invited people and for who has the link, until they are over
/// ([`is_opened`]).
pub fn visible(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    viewer: Option<UserId>,
    key: Option<&str>,
) -> Result<Table, Refused> {
    let table = find(conn, ctx, table_id)?;
    if may_see(conn, &table.row, viewer, key)? { Ok(table) } else { Err(Refused::NoTable) }
}

/// Whether this viewer may see the table.
pub fn may_see(conn: &mut Conn, row: &TableRow, viewer: Option<UserId>, key: Option<&str>) -> Result<bool, Refused> {
    if !row.invite_only || is_opened(row) {
        return Ok(true);
    }
    may_see_private(conn, row, viewer, key)
}

/// Whether a private table is open to everybody by now: a ranked one is, once it is over, so that anyone can look at how
/// a score was won. Its talk stays with those who could see it before.
pub fn is_opened(row: &TableRow) -> bool {
    row.open_when_over && row.status == game_tables::Status::Over
}

/// Whether this viewer may see the table as one that is private.
fn may_see_private(
    conn: &mut Conn,
    row: &TableRow,
    viewer: Option<UserId>,
    key: Option<&str>,
) -> Result<bool, Refused> {
    let Some(user_id) = viewer else { return Ok(has_key(row, key)) };
    if row.creator_id == user_id || seats::of_user(conn, row.id, user_id)?.is_some() {
        return Ok(true);
    }
    // Neither the link nor an invitation by another player opens the table to anyone who was taken from a seat there.
    let asked = has_key(row, key) || is_invited(conn, row.id, user_id)?;
    Ok(asked && !seats::was_removed(conn, row.id, user_id)?)
}

/// Whether this viewer may read what was said at the table to everybody.
pub fn may_hear(conn: &mut Conn, row: &TableRow, viewer: Option<UserId>) -> Result<bool, Refused> {
    // Before it is over, whoever sees a private table hears it too, also by its link.
    if row.invite_only && is_opened(row) { may_see_private(conn, row, viewer, None) } else { Ok(true) }
}

/// Whether this is the secret of the table's invitation link.
pub fn has_key(row: &TableRow, key: Option<&str>) -> bool {
    use subtle::ConstantTimeEq;
    key.is_some_and(|key| key.as_bytes().ct_eq(row.invite_key.as_bytes()).into())
}

/// Whether this player is invited, by name or by their address.
pub fn is_invited(conn: &mut Conn, table_id: TableId, user_id: UserId) -> Result<bool, Refused> {
    let email_key = users::find(conn, user_id)?.and_then(|user| user.email_key);
    Ok(seats::invited_tables(conn, user_id, email_key.as_deref())?.contains(&table_id))
}

/// The seat this player has been dealt.
pub fn seat_of(conn: &mut Conn, table_id: TableId, user_id: UserId) -> Result<Option<Seat>, Refused> {
    Ok(seats::of_user(conn, table_id, user_id)?.and_then(|row| row.seat).map(words::seat))
}
