//! Players: record, score, leaderboard and the joining rule by drops.

use std::collections::BTreeMap;

use crate::store::game_tables::{self, TableRow};
use crate::store::results::{self, ResultRow};
use crate::store::{Conn, Stamp, seats, users};

use super::{Ctx, JoinFigures, Outcome, Refused, access, score};

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

/// Most lines of the leaderboard.
const MOST_RANKED: usize = 200;
/// Most finished tables on a player's page.
const MOST_PAST: i64 = 100;

/// The page of the player with this name. `viewer` decides which tables are listed.
pub fn profile(conn: &mut Conn, ctx: &Ctx, name: &str, viewer: Option<i64>) -> Result<Profile, Refused> {
    let user = users::find_by_name(conn, name)?
        .filter(users::User::is_active)
        .ok_or_else(|| Refused::NoPlayer(name.to_owned()))?;
    let results = results::of_user(conn, user.id, MOST_PAST)?;
    let mut pending = Vec::new();
    let mut past = Vec::new();
    for result in results {
        let Some(outcome) = Outcome::from_key(&result.row.result) else { continue };
        let Some(row) = visible_row(conn, result.row.table_id, viewer)? else { continue };
        let (table_id, score_change) = (result.row.table_id, result.row.score_change);
        match result.row.booked_at {
            None if result.row.ranked => pending.push(Pending { table_id, title: result.title, outcome, score_change }),
            None => {}
            Some(at) => past.push(profile_table(conn, ctx, &row, user.id, Some(&result.row), at)?),
        }
    }
    let mut running = Vec::new();
    for row in game_tables::of_user(conn, user.id, game_tables::RUNNING, MOST_PAST)? {
        let Some(row) = visible_row(conn, row.id, viewer)? else { continue };
        let result = results::of_table(conn, row.id)?.into_iter().find(|result| result.user_id == user.id);
        running.push(profile_table(
            conn,
            ctx,
            &row,
            user.id,
            result.as_ref(),
            row.started_at.unwrap_or(row.created_at),
        )?);
    }
    Ok(Profile {
        user_id: user.id,
        since: user.created_at,
        score: i64::from(score::START) + results::booked_change(conn, user.id)?,
        ranked: tallies(results::counts(conn, user.id, true)?),
        unranked: tallies(results::counts(conn, user.id, false)?),
        pending,
        running,
        past,
        joining: join_rule(conn, ctx, user.id)?,
        name: user.name,
    })
}

/// The table, if the viewer may see it.
fn visible_row(conn: &mut Conn, table_id: i64, viewer: Option<i64>) -> Result<Option<TableRow>, Refused> {
    let Some(row) = game_tables::find(conn, table_id)? else { return Ok(None) };
    Ok(access::may_see(conn, &row, viewer, None)?.then_some(row))
}

fn profile_table(
    conn: &mut Conn,
    ctx: &Ctx,
    row: &TableRow,
    user_id: i64,
    result: Option<&ResultRow>,
    at: Stamp,
) -> Result<ProfileTable, Refused> {
    let seated = seats::of_table(conn, row.id)?;
    Ok(ProfileTable {
        table_id: row.id,
        title: row.title.clone(),
        game_name: ctx.games.name(&row.game),
        opponents: seated.into_iter().filter(|other| other.row.user_id != user_id).map(|other| other.name).collect(),
        ranked: row.ranked,
        outcome: result.and_then(|result| Outcome::from_key(&result.result)),
        score_change: result.map_or(0, |result| result.score_change),
        at,
    })
}

fn tallies(counts: Vec<(String, i64)>) -> Tallies {
    let mut tallies = Tallies::default();
    for (result, count) in counts {
        tallies.add(&result, count);
    }
    tallies
}

impl Tallies {
    fn add(&mut self, result: &str, count: i64) {
        match Outcome::from_key(result) {
            Some(Outcome::Won) => self.wins += count,
            Some(Outcome::Lost) => self.losses += count,
            Some(Outcome::Resigned) => {
                self.losses += count;
                self.resignations += count;
            }
            Some(Outcome::Dropped) => self.drops += count,
            Some(Outcome::Drew) => self.draws += count,
            None => {}
        }
    }

    /// All results counted here.
    pub fn games(&self) -> i64 {
        self.wins + self.losses + self.drops + self.draws
    }
}

/// The best players with at least one booked ranked game, of one game or of all, at most 200. Equal scores are
/// put in the order of wins, then of names.
pub fn leaderboard(conn: &mut Conn, game: Option<&str>) -> Result<Vec<LeaderboardRow>, Refused> {
    let mut by_player: BTreeMap<i64, (i64, Tallies)> = BTreeMap::new();
    for tally in results::tallies(conn, game)? {
        let (score, tallies) = by_player.entry(tally.user_id).or_insert((i64::from(score::START), Tallies::default()));
        *score += tally.change.unwrap_or(0);
        tallies.add(&tally.result, tally.count);
    }
    let ids: Vec<i64> = by_player.keys().copied().collect();
    let mut names: BTreeMap<i64, String> = BTreeMap::new();
    // In portions: a database takes only so many values in one question.
    for portion in ids.chunks(500) {
        names.extend(users::names(conn, portion)?);
    }
    let mut rows: Vec<LeaderboardRow> = by_player
        .into_iter()
        .filter_map(|(user_id, (score, tallies))| {
            Some(LeaderboardRow { place: 0, user_id, name: names.remove(&user_id)?, score, tallies })
        })
        .collect();
    rows.sort_by(|one, other| {
        (other.score, other.tallies.wins).cmp(&(one.score, one.tallies.wins)).then_with(|| one.name.cmp(&other.name))
    });
    rows.truncate(MOST_RANKED);
    let mut place = 0;
    let mut last = None;
    for (index, row) in rows.iter_mut().enumerate() {
        if last != Some(row.score) {
            place = index + 1;
            last = Some(row.score);
        }
        row.place = place;
    }
    Ok(rows)
}

/// Where this player stands under the server's joining rule.
pub fn join_rule(conn: &mut Conn, ctx: &Ctx, user_id: i64) -> Result<JoinStanding, Refused> {
    let figures = ctx.join;
    let last = results::last_ranked(conn, user_id, i64::from(figures.window))?;
    let drops = last.iter().filter(|result| Outcome::from_key(result) == Some(Outcome::Dropped)).count();
    let drops = u32::try_from(drops).unwrap_or(u32::MAX);
    let games = u32::try_from(last.len()).unwrap_or(u32::MAX);
    let held = u32::try_from(game_tables::held(conn, user_id)?).unwrap_or(u32::MAX);
    let applies = figures.drops > 0 && drops >= figures.drops;
    let sentence = if applies { rule_words(figures, drops, games, held) } else { String::new() };
    Ok(JoinStanding {
        drops,
        games,
        held,
        may_hold: applies.then_some(figures.running),
        may_join: !applies || held < figures.running,
        sentence,
    })
}

fn rule_words(figures: JoinFigures, drops: u32, games: u32, held: u32) -> String {
    let may_hold = match figures.running {
        0 => "no game".to_owned(),
        1 => "one game at a time".to_owned(),
        many => format!("{many} games at a time"),
    };
    format!(
        "You were dropped from {drops} of your last {games} ranked games. With {} or more drops among the last {} a \
         player may hold {may_hold}, waiting tables included; you hold {held}. Play your games to their end: as they \
         finish, older drops fall out of the last {} and the rule no longer applies.",
        figures.drops, figures.window, figures.window
    )
}
