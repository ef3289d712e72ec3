//! Lists of tables: those that wait for players, and one's own.

use crate::rules::Seat;
use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// A table that waits for players.
#[derive(Clone, Debug)]
pub struct OpenTable {
    /// Id.
    pub table_id: i64,
    /// Title for people.
    pub title: String,
    /// Id of the game.
    pub game: String,
    /// The game's name for people.
    pub game_name: String,
    /// Name of the player who made it.
    pub creator: String,
    /// Names of those who sit there, in the order of sitting down.
    pub players: Vec<String>,
    /// How many seats there are.
    pub seat_count: usize,
    /// The game's options as label and choice, for people.
    pub options: Vec<(String, String)>,
    /// Time limit in seconds.
    pub time_limit_s: i64,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// Whether only invited people may join.
    pub invite_only: bool,
    /// Time-outs that count as a default plot before a seat is dropped.
    pub passes_allowed: i32,
    /// The table's own joining rule.
    pub max_drops: Option<i32>,
    /// When it was made.
    pub created_at: Stamp,
    /// Whether the viewer sits there.
    pub mine: bool,
}

/// One of a player's tables.
#[derive(Clone, Debug)]
pub struct MyTable {
    /// Id.
    pub table_id: i64,
    /// Title for people.
    pub title: String,
    /// Id of the game.
    pub game: String,
    /// The game's name for people.
    pub game_name: String,
    /// `open` or `running`.
    pub status: String,
    /// The player's seat, once dealt.
    pub seat: Option<Seat>,
    /// Names of the others, in seat order.
    pub opponents: Vec<String>,
    /// How many seats there are.
    pub seat_count: usize,
    /// The open phase, `Turn 3, Deploy`, while running.
    pub phase: Option<String>,
    /// Deadline of the open phase.
    pub deadline: Option<Stamp>,
    /// What is due from the player in the open phase.
    pub due: WhatIsDue,
}

/// What is due from a player at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhatIsDue {
    /// Orders, and nothing is handed in.
    Orders,
    /// Orders, and a draft is saved.
    OrdersWithDraft,
    /// Orders may be given, and the phase does not wait for them.
    Optional,
    /// The plot is in; others are waited for.
    HandedIn,
    /// Nothing in this phase; others are waited for.
    Nothing,
    /// The table waits for players.
    Players,
    /// The player's part is over; others play on.
    Out,
}

/// Tables that wait for players, newest first; those of the viewer and those they are invited to included.
pub fn open_tables(conn: &mut Conn, ctx: &Ctx, viewer: Option<i64>) -> Result<Vec<OpenTable>, Refused> {
    let _ = (conn, ctx, viewer);
    Err(Refused::NoTable)
}

/// A player's open and running tables: those that owe orders first, by the time left for them.
pub fn my_tables(conn: &mut Conn, ctx: &Ctx, user_id: i64) -> Result<Vec<MyTable>, Refused> {
    let _ = (conn, ctx, user_id);
    Err(Refused::NoTable)
}
