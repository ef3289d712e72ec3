//! Players: record, score, leaderboard and the joining rule by drops.

use crate::store::{Conn, Stamp};

use super::{Ctx, Outcome, Refused};

/// Counts of booked results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
    /// Won.
    pub wins: i64,
    /// Lost, resignations included.
    pub losses: i64,
    /// Of the losses: resigned.
    pub resignations: i64,
    /// Dropped.
    pub drops: i64,
    /// Tied.
    pub draws: i64,
}

/// A player's page.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Id.
    pub user_id: i64,
    /// Name.
    pub name: String,
    /// Since when they are here.
    pub since: Stamp,
    /// 100 plus all booked changes.
    pub score: i64,
    /// Ranked record.
    pub ranked: Tallies,
    /// Unranked record, shown apart.
    pub unranked: Tallies,
    /// Changes that will be booked when their tables end.
    pub pending: Vec<Pending>,
    /// Tables being played that everybody may see.
    pub running: Vec<ProfileTable>,
    /// Finished tables, newest first.
    pub past: Vec<ProfileTable>,
    /// Standing under the joining rule.
    pub joining: JoinStanding,
}

/// A result that is decided and not booked.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Table.
    pub table_id: i64,
    /// Its title.
    pub title: String,
    /// What it came to.
    pub outcome: Outcome,
    /// What it will do to the score.
    pub score_change: i32,
}

/// A table on a player's page.
#[derive(Clone, Debug)]
pub struct ProfileTable {
    /// Table.
    pub table_id: i64,
    /// Its title.
    pub title: String,
    /// The game's name for people.
    pub game_name: String,
    /// Names of the others.
    pub opponents: Vec<String>,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// What it came to for this player, once decided.
    pub outcome: Option<Outcome>,
    /// What it did to the score.
    pub score_change: i32,
    /// When it started or, finished ones, ended.
    pub at: Stamp,
}

/// Where a player stands under the joining rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinStanding {
    /// Drops among the last `games` ranked games, pending ones included.
    pub drops: u32,
    /// How many ranked games were looked at: at most the rule's window.
    pub games: u32,
    /// Games the player holds: running ones and those waiting to start.
    pub held: u32,
    /// How many they may hold; `None`: any number.
    pub may_hold: Option<u32>,
    /// Whether one more may be joined now.
    pub may_join: bool,
    /// The rule with its figures and how to get clear of it, as sentences; empty when it does not apply.
    pub sentence: String,
}

/// A line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderboardRow {
    /// Place, counted from 1; equal scores share it.
    pub place: usize,
    /// Player.
    pub user_id: i64,
    /// Name.
    pub name: String,
    /// 100 plus the booked changes counted here.
    pub score: i64,
    /// The record counted here.
    pub tallies: Tallies,
}

/// The page of the player with this name. `viewer` decides which tables are listed.
pub fn profile(conn: &mut Conn, ctx: &Ctx, name: &str, viewer: Option<i64>) -> Result<Profile, Refused> {
    let _ = (conn, ctx, name, viewer);
    Err(Refused::NoTable)
}

/// The best players with at least one booked ranked game, of one game or of all, at most 200.
pub fn leaderboard(conn: &mut Conn, game: Option<&str>) -> Result<Vec<LeaderboardRow>, Refused> {
    let _ = (conn, game);
    Err(Refused::NoTable)
}

/// Where this player stands under the server's joining rule.
pub fn join_rule(conn: &mut Conn, ctx: &Ctx, user_id: i64) -> Result<JoinStanding, Refused> {
    let _ = (conn, ctx, user_id);
    Err(Refused::NoTable)
}
