//! Standings: the leaderboard, and what others see of a player before they sit down with them.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use crate::store::standings::{self, RecordRow};
use crate::store::{Conn, Stamp, TableId, UserId};

use crate::tables::fair::{self, Played};
use crate::tables::{Ctx, Outcome, Refused, Tallies, score};

/// Lines on one page of the leaderboard.
pub const LINES_A_PAGE: i64 = 50;
/// Results that make up a player's recent form.
const FORM: i64 = 8;
/// Answers from which a pace is told.
const LEAST_ANSWERS: usize = 10;
/// Answers looked at, at most.
const MOST_ANSWERS: i64 = 100;
/// Tables looked at for them, those sat down at last.
const TABLES_FOR_PACE: i64 = 12;
/// Players asked about at once: a database takes only so long a question.
const AT_ONCE: usize = 400;

/// A line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderboardRow {
    /// Place, counted from 1; equal scores share it.
    pub place: i64,
    /// Player.
    pub user_id: UserId,
    /// Name.
    pub name: String,
    /// 100 plus the booked changes counted here.
    pub score: i64,
    /// The record counted here.
    pub tallies: Tallies,
    /// The last results counted here, oldest first.
    pub form: Vec<Outcome>,
}

/// One page of a leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaderboard {
    /// Its lines, best first.
    pub rows: Vec<LeaderboardRow>,
    /// How many players are listed on all pages.
    pub listed: i64,
    /// Where the viewer stands; `None` for somebody not signed in.
    pub own: Option<OwnPlace>,
}

/// Where somebody is on a leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnPlace {
    /// Among the listed players.
    Listed(LeaderboardRow),
    /// So many games played, so many more to be listed.
    NotYet {
        /// Booked ranked games so far.
        games: i64,
        /// How many are missing.
        missing: i64,
    },
}

/// A page (counted from 1) of the leaderboard of one game or of all: players with at least `least_games` booked
/// ranked games. Equal scores share a place, and stand in the order of wins, then of names.
pub fn leaderboard(
    conn: &mut Conn,
    game: Option<&str>,
    least_games: i64,
    page: i64,
    viewer: Option<UserId>,
) -> Result<Leaderboard, Refused> {
    // A minimum of none would list everybody who never played.
    let least = least_games.max(1);
    let offset = (page.max(1) - 1).saturating_mul(LINES_A_PAGE);
    let mut lines = standings::leaderboard(conn, game, least, LINES_A_PAGE, offset)?;
    let listed = lines.first().map_or(0, |line| line.listed);
    let own = match viewer {
        Some(user_id) => Some(standings::leaderboard_line(conn, game, least, user_id)?),
        None => None,
    };
    lines.extend(own.iter().flatten().cloned());
    let mut rows = with_form(conn, game, lines)?;
    let own = match (own, viewer) {
        (Some(Some(_)), _) => rows.pop().map(OwnPlace::Listed),
        (Some(None), Some(user_id)) => {
            let games = standings::leaderboard_line(conn, game, 1, user_id)?.map_or(0, |line| line.games);
            Some(OwnPlace::NotYet { games, missing: (least - games).max(0) })
        }
        _ => None,
    };
    Ok(Leaderboard { rows, listed, own })
}

fn with_form(conn: &mut Conn, game: Option<&str>, lines: Vec<RecordRow>) -> Result<Vec<LeaderboardRow>, Refused> {
    let ids: Vec<UserId> = lines.iter().map(|line| line.user_id).collect();
    let mut form: BTreeMap<UserId, Vec<Outcome>> = BTreeMap::new();
    for row in standings::last_results(conn, &ids, game, FORM)? {
        form.entry(row.user_id).or_default().push(row.result);
    }
    let row = |line: RecordRow| {
        let mut form = form.get(&line.user_id).cloned().unwrap_or_default();
        form.reverse();
        LeaderboardRow {
            place: line.place,
            user_id: line.user_id,
            score: i64::from(score::START) + line.change,
            tallies: Tallies {
                wins: line.wins,
                losses: line.losses,
                resignations: line.resignations,
                drops: line.drops,
                draws: line.draws,
            },
            name: line.name,
            form,
        }
    };
    Ok(lines.into_iter().map(row).collect())
}

/// What others see of a player before they sit down with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reputation {
    /// 100 plus all booked changes.
    pub score: i64,
    /// Ranked games looked at for the drops, pending ones included: the joining rule's window, or more where an older
    /// drop still counts.
    pub games: u32,
    /// Drops among them that count ([`fair::counting_drops`]).
    pub drops: u32,
    /// Of the drops: those at tables that others still play.
    pub pending_drops: u32,
    /// How many seconds the player takes to answer, as the median; `None` as long as too few answers are known.
    pub pace_s: Option<i64>,
}

impl Reputation {
    /// Somebody of whom nothing is known yet.
    const NEW: Reputation =
        Reputation { score: score::START as i64, games: 0, drops: 0, pending_drops: 0, pace_s: None };

    /// Drops in a hundred of the games looked at, rounded.
    pub fn drop_percentage(&self) -> u32 {
        (self.drops * 200 + self.games).checked_div(self.games * 2).unwrap_or(0)
    }
}

/// The reputation of each of these players.
pub fn reputations(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    user_ids: &[UserId],
) -> Result<BTreeMap<UserId, Reputation>, Refused> {
    let mut all: BTreeMap<UserId, Reputation> = user_ids.iter().map(|id| (*id, Reputation::NEW)).collect();
    let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    let ids: Vec<UserId> = all.keys().copied().collect();
    for ids in ids.chunks(AT_ONCE) {
        for row in standings::changes(conn, ids)? {
            let Some(of) = all.get_mut(&row.user_id) else { continue };
            of.score += row.change;
            of.games = count(row.games).min(ctx.join.window);
        }
        for (user_id, played) in played(conn, ids, now)? {
            let Some(of) = all.get_mut(&user_id) else { continue };
            let window = usize::try_from(ctx.join.window).unwrap_or(usize::MAX);
            let drops = fair::counting_drops(&played.results, window, now);
            let pending = drops.iter().filter(|index| played.pending.contains(index)).count();
            of.drops = u32::try_from(drops.len()).unwrap_or(u32::MAX);
            of.pending_drops = u32::try_from(pending).unwrap_or(u32::MAX);
            // A drop may count for more games than that, where they were against the same few opponents.
            let looked_at = drops.last().map_or(0, |oldest| oldest + 1);
            of.games = of.games.max(u32::try_from(looked_at).unwrap_or(u32::MAX));
        }
        for (user_id, pace_s) in paces(conn, ids)? {
            if let Some(of) = all.get_mut(&user_id) {
                of.pace_s = Some(pace_s);
            }
        }
    }
    Ok(all)
}

/// The reputation of one player: score, drops in the last games of the joining rule's window, and pace.
pub fn reputation(conn: &mut Conn, ctx: &Ctx, now: Stamp, user_id: UserId) -> Result<Reputation, Refused> {
    Ok(reputations(conn, ctx, now, &[user_id])?.remove(&user_id).unwrap_or(Reputation::NEW))
}

/// What a player has played lately, newest first.
#[derive(Default)]
struct Lately {
    results: Vec<Played>,
    /// Which of them are at tables that others still play.
    pending: Vec<usize>,
}

/// What these players have played in the days for which a drop counts.
fn played(conn: &mut Conn, user_ids: &[UserId], now: Stamp) -> Result<BTreeMap<UserId, Lately>, Refused> {
    let mut all: BTreeMap<UserId, Lately> = BTreeMap::new();
    let mut before = None;
    for row in standings::played(conn, user_ids, now - TimeDelta::days(fair::DROP_DAYS))? {
        let of = all.entry(row.user_id).or_default();
        if before.replace((row.user_id, row.table_id)) != Some((row.user_id, row.table_id)) {
            if row.booked_at.is_none() {
                of.pending.push(of.results.len());
            }
            let not_counted = row.not_counted.is_some();
            of.results.push(Played { at: row.sealed_at, outcome: row.result, not_counted, opponents: Vec::new() });
        }
        if let Some(result) = of.results.last_mut() {
            result.opponents.push(row.opponent);
        }
    }
    Ok(all)
}

/// The median answer of those players who have given enough of them, in seconds.
fn paces(conn: &mut Conn, user_ids: &[UserId]) -> Result<BTreeMap<UserId, i64>, Refused> {
    let mut answers: BTreeMap<UserId, Vec<i64>> = BTreeMap::new();
    for row in standings::answers(conn, user_ids, TABLES_FOR_PACE, MOST_ANSWERS)? {
        answers.entry(row.user_id).or_default().push((row.answered_at - row.asked_at).num_seconds().max(0));
    }
    answers.retain(|_, took| took.len() >= LEAST_ANSWERS);
    Ok(answers.into_iter().map(|(user_id, took)| (user_id, median(took))).collect())
}

/// The middle of some numbers; of an even count the lower of the two middle ones.
fn median(mut numbers: Vec<i64>) -> i64 {
    numbers.sort_unstable();
    numbers.get(numbers.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}

/// A score after one of the games that changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreStep {
    /// The table.
    pub table_id: TableId,
    /// When it was booked.
    pub at: Stamp,
    /// By how much.
    pub change: i32,
    /// The score afterwards.
    pub score: i64,
}

/// How a player's score came about, oldest first.
pub fn score_steps(conn: &mut Conn, user_id: UserId) -> Result<Vec<ScoreStep>, Refused> {
    let mut score = i64::from(score::START);
    let step = |(table_id, at, change): (TableId, Option<Stamp>, i32)| {
        score += i64::from(change);
        Some(ScoreStep { table_id, at: at?, change, score })
    };
    Ok(crate::store::results::changes(conn, user_id)?.into_iter().filter_map(step).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median(vec![]), 0);
        assert_eq!(median(vec![9]), 9);
        assert_eq!(median(vec![9, 1, 5]), 5);
        assert_eq!(median(vec![9, 1, 5, 7]), 5);
    }

    #[test]
    fn drops_in_a_hundred_are_rounded() {
        let of = |drops, games| Reputation { drops, games, ..Reputation::NEW }.drop_percentage();
        assert_eq!((of(0, 0), of(0, 7), of(1, 20), of(1, 3), of(2, 3), of(1, 200)), (0, 0, 5, 33, 67, 1));
    }
}
