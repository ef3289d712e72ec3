//! One table as its page shows it: the lobby, the running game, the end.

use crate::rules::{Seat, SeatSetup};
use crate::store::{Conn, Stamp};

use super::{Ctx, Outcome, Refused};

/// What everybody who may see a table sees of it, and the viewer's own part.
#[derive(Clone, Debug)]
pub struct TablePage {
    /// The table itself.
    pub table: TableInfo,
    /// Its seats: in seat order once dealt, before that in the order of sitting down.
    pub seats: Vec<SeatShown>,
    /// The viewer's user id, if they are signed in.
    pub viewer: Option<i64>,
    /// The viewer's seat letter, once dealt.
    pub my_seat: Option<Seat>,
    /// Whether the viewer sits here, dealt or not.
    pub seated: bool,
    /// Whether the viewer made the table.
    pub is_creator: bool,
    /// The viewer's answers when sitting down, loadout as text.
    pub my_setup: Option<SeatSetup>,
    /// The open phase while the table is running.
    pub phase: Option<PhaseNow>,
    /// What happened besides play, oldest first.
    pub log: Vec<LogEntry>,
}

/// A table's terms and standing.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// Id.
    pub table_id: i64,
    /// Title for people.
    pub title: String,
    /// Id of the game.
    pub game: String,
    /// The game's name for people.
    pub game_name: String,
    /// `open`, `running`, `over` or `cancelled`: see `store::game_tables`.
    pub status: String,
    /// Name of the player who made it.
    pub creator: String,
    /// The game's options as label and choice, for people.
    pub options: Vec<(String, String)>,
    /// How many seats there are.
    pub seat_count: usize,
    /// Time limit in seconds.
    pub time_limit_s: i64,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// Whether only invited people may join.
    pub invite_only: bool,
    /// Secret part of the invitation link; only for seated players and the creator while the table is open.
    pub invite_key: Option<String>,
    /// The table's own joining rule: most drops among the last games.
    pub max_drops: Option<i32>,
    /// Time-outs that count as a default plot before a seat is dropped.
    pub passes_allowed: i32,
    /// SHA-256 of the dice secret.
    pub dice_hash: String,
    /// The dice secret in hexadecimal, once the table is over.
    pub dice_secret: Option<String>,
    /// How it ended, in words.
    pub outcome: Option<String>,
    /// When it was made.
    pub created_at: Stamp,
    /// When it started.
    pub started_at: Option<Stamp>,
    /// When it ended or was cancelled.
    pub ended_at: Option<Stamp>,
}

/// A seat as everybody sees it. Of the orders of others nothing but “in” or “not in” is told.
#[derive(Clone, Debug)]
pub struct SeatShown {
    /// The seat, once dealt.
    pub seat: Option<Seat>,
    /// The player.
    pub user_id: i64,
    /// The player's name.
    pub name: String,
    /// Whether it owes orders in the open phase.
    pub due: bool,
    /// Whether the phase waits for them.
    pub required: bool,
    /// Whether its plot for the open phase is in.
    pub handed_in: bool,
    /// Time-outs that counted as a default plot so far.
    pub passes_used: i32,
    /// What its part in the game has come to, once decided.
    pub result: Option<ResultShown>,
}

/// A decided result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultShown {
    /// What it came to.
    pub outcome: Outcome,
    /// What it does to the score; 0 at unranked tables.
    pub score_change: i32,
    /// Whether it is booked; pending otherwise.
    pub booked: bool,
}

/// The open phase.
#[derive(Clone, Debug)]
pub struct PhaseNow {
    /// Number, counted from 1.
    pub no: i32,
    /// Short name in the game.
    pub key: String,
    /// `Turn 3, Deploy`.
    pub name: String,
    /// Turn, counted from 1.
    pub turn: u32,
    /// Whether plots are secret until it resolves.
    pub simultaneous: bool,
    /// When it opened.
    pub opened_at: Stamp,
    /// When its clock runs out.
    pub deadline: Stamp,
    /// Seals of the plots that are in.
    pub seals: Vec<(Seat, String)>,
}

/// An entry of the table's log.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// When.
    pub at: Stamp,
    /// Short name: `made`, `joined`, `started`, `extended`, `credited` …
    pub kind: String,
    /// A sentence.
    pub text: String,
}

/// The page of a table. `viewer`: who looks, if signed in. `key`: the secret of an invitation link, if the
/// viewer came by one. Tables that are none of the viewer's business are [`Refused::NoTable`].
pub fn table_page(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: i64,
    viewer: Option<i64>,
    key: Option<&str>,
) -> Result<TablePage, Refused> {
    let _ = (conn, ctx, table_id, viewer, key);
    Err(Refused::NoTable)
}
