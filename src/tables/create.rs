//! Making a table.

use std::collections::BTreeMap;

use crate::rules::SeatSetup;
use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// A new table as its form describes it.
#[derive(Clone, Debug, Default)]
pub struct NewTable {
    /// Id of the game.
    pub game: String,
    /// Title; empty: one is made of the game and the player's name.
    pub title: String,
    /// Answers to the game's table fields; what is missing gets the first choice.
    pub options: BTreeMap<String, String>,
    /// How many seats; `None`: the least the game allows.
    pub seats: Option<usize>,
    /// The creator's answers to the game's seat fields, see [`super::join`].
    pub setup: SeatSetup,
    /// Time limit in seconds, from [`super::SHORTEST_LIMIT_S`] to [`super::LONGEST_LIMIT_S`].
    pub time_limit_s: i64,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// Whether only invited people may join.
    pub invite_only: bool,
    /// Time-outs that count as a default plot before a seat is dropped, 0 to 20.
    pub passes_allowed: i32,
    /// Most drops among the last games a joining player may have, if there is such a rule.
    pub max_drops: Option<i32>,
}

/// Makes a table at which the creator sits down. Gives its id. Faults of the form are told all at once, with
/// the field names `game`, `title`, `seats`, `time_limit`, `passes_allowed`, `max_drops` or the game's keys.
pub fn create(conn: &mut Conn, ctx: &Ctx, now: Stamp, user_id: i64, new: &NewTable) -> Result<i64, Refused> {
    let _ = (conn, ctx, now, user_id, new);
    Err(Refused::NoTable)
}
