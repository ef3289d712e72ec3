//! Sitting down at a table, leaving it before it starts, and calling it off.

use crate::rules::SeatSetup;
use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// Sits the player down; the table starts when it is full (then `true`). `setup`: answers to the game's seat
/// fields; a loadout is a stock id, `saved:` and the id of one of the player's own, or a text. `key`: the
/// secret of an invitation link.
pub fn join(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table_id: i64,
    user_id: i64,
    setup: &SeatSetup,
    key: Option<&str>,
) -> Result<bool, Refused> {
    let _ = (conn, ctx, now, table_id, user_id, setup, key);
    Err(Refused::NoTable)
}

/// Takes the player from a table that has not started.
pub fn leave_before_start(conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: i64, user_id: i64) -> Result<(), Refused> {
    let _ = (conn, ctx, now, table_id, user_id);
    Err(Refused::NoTable)
}

/// Calls a table off before it starts; only its creator may.
pub fn cancel(conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: i64, user_id: i64) -> Result<(), Refused> {
    let _ = (conn, ctx, now, table_id, user_id);
    Err(Refused::NoTable)
}
