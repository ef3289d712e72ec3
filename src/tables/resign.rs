//! Giving up.

use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// What resigning would cost now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResignPreview {
    /// What it would do to the score; 0 at unranked tables.
    pub score_change: i32,
    /// Whether the table counts for the score.
    pub ranked: bool,
    /// How many others are still in play.
    pub others_active: usize,
    /// Whether the game would end with it.
    pub ends_game: bool,
    /// All of it in sentences.
    pub text: String,
}

/// What resigning would cost this player now.
pub fn resign_preview(conn: &mut Conn, ctx: &Ctx, table_id: i64, user_id: i64) -> Result<ResignPreview, Refused> {
    let _ = (conn, ctx, table_id, user_id);
    Err(Refused::NoTable)
}

/// Resigns from a running game, also while nothing is due.
pub fn resign(conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: i64, user_id: i64) -> Result<(), Refused> {
    let _ = (conn, ctx, now, table_id, user_id);
    Err(Refused::NoTable)
}

/// Takes a player whose account is being deleted from all tables: resigns running games, leaves open ones and
/// calls off those the player made. Run it in the transaction that deletes the account, before it.
pub fn give_up_all(conn: &mut Conn, ctx: &Ctx, now: Stamp, user_id: i64) -> Result<(), Refused> {
    let _ = (conn, ctx, now, user_id);
    Err(Refused::NoTable)
}
