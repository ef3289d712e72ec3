//! Players: their pages, and the joining rule by drops.

use crate::store::game_tables::{self, TableRow};
use crate::store::results::{self, ResultRow};
use crate::store::{Conn, Stamp, TableId, UserId, seats, standings as records, users};

use super::standings::{self, Reputation, ScoreStep};
use crate::tables::fair::{self, NotCounted};
use crate::tables::play::bots::{self, BotOf};
use crate::tables::{Ctx, JoinFigures, Outcome, Refused, access};

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

/// A player's page, without the finished tables, which are told page by page ([`past_tables`]).
#[derive(Clone, Debug)]
pub struct Profile {
    /// Id.
    pub user_id: UserId,
    /// Name.
    pub name: String,
    /// The bot, where a program plays under this name.
    pub bot: Option<BotOf>,
    /// Since when they are here.
    pub since: Stamp,
    /// 100 plus all booked changes.
    pub score: i64,
    /// Ranked record.
    pub ranked: Tallies,
    /// Unranked record, shown apart.
    pub unranked: Tallies,
    /// The ranked record by game, the game most played first.
    pub by_game: Vec<GameRecord>,
    /// How the score came about, oldest first.
    pub steps: Vec<ScoreStep>,
    /// What others see before they sit down with this player.
    pub reputation: Reputation,
    /// Changes that will be booked when their tables end.
    pub pending: Vec<Pending>,
    /// Tables being played that the viewer may see.
    pub running: Vec<ProfileTable>,
    /// Standing under the joining rule.
    pub joining: JoinStanding,
}

/// A player's booked ranked record at one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Id of the game.
    pub game: String,
    /// The game's name for people.
    pub game_name: String,
    /// What its games came to.
    pub tallies: Tallies,
    /// What they did to the score, all together.
    pub change: i64,
}

/// A result that is decided and not booked.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Id and title of the table; `None`: a private table that is none of the viewer's business.
    pub table: Option<(TableId, String)>,
    /// What it came to.
    pub outcome: Outcome,
    /// What it will do to the score.
    pub score_change: i32,
}

/// A table on a player's page.
#[derive(Clone, Debug)]
pub struct ProfileTable {
    /// Table.
    pub table_id: TableId,
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
    /// Why it books nothing, though the table is ranked.
    pub not_counted: Option<NotCounted>,
    /// When it started or, finished ones, ended.
    pub at: Stamp,
}

/// A part of a player's finished tables.
#[derive(Clone, Debug)]
pub struct PastTables {
    /// Newest first.
    pub rows: Vec<ProfileTable>,
    /// How many there are in all.
    pub total: i64,
}

/// Where a player stands under the joining rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinStanding {
    /// Drops among the last `games` ranked games that count, pending ones included.
    pub drops: u32,
    /// How many ranked games were looked at.
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

/// Most running tables on a player's page.
const MOST_RUNNING: i64 = 100;

/// The page of the player with this name. `viewer` decides which tables are listed.
pub fn profile(conn: &mut Conn, ctx: &Ctx, now: Stamp, name: &str, viewer: Option<UserId>) -> Result<Profile, Refused> {
    let user = users::find_by_name(conn, name)?
        .filter(users::User::is_active)
        .ok_or_else(|| Refused::NoPlayer(name.to_owned()))?;
    let reputation = standings::reputation(conn, ctx, now, user.id)?;
    Ok(Profile {
        user_id: user.id,
        bot: user.bot.as_deref().and_then(|key| bots::of_account(ctx, key)),
        since: user.created_at,
        score: reputation.score,
        ranked: tallies(results::ranked_counts(conn, user.id)?),
        unranked: tallies(results::unranked_counts(conn, user.id, viewer)?),
        by_game: by_game(conn, ctx, user.id)?,
        steps: standings::score_steps(conn, user.id)?,
        reputation,
        pending: pending(conn, user.id, viewer)?,
        running: running(conn, ctx, user.id, viewer)?,
        joining: join_rule(conn, ctx, now, user.id)?,
        name: user.name,
    })
}

fn by_game(conn: &mut Conn, ctx: &Ctx, user_id: UserId) -> Result<Vec<GameRecord>, Refused> {
    let record = |row: records::GameRecordRow| GameRecord {
        game_name: ctx.games.name(&row.game),
        game: row.game,
        tallies: Tallies {
            wins: row.wins,
            losses: row.losses,
            drops: row.drops,
            draws: row.draws,
            ..Tallies::default()
        },
        change: row.change,
    };
    Ok(records::by_game(conn, user_id)?.into_iter().map(record).collect())
}

fn pending(conn: &mut Conn, user_id: UserId, viewer: Option<UserId>) -> Result<Vec<Pending>, Refused> {
    let mut pending = Vec::new();
    for (row, title) in results::pending(conn, user_id)? {
        if !row.ranked {
            continue;
        }
        let outcome = row.result;
        let table = match game_tables::find(conn, row.table_id)? {
            Some(table) if access::may_see(conn, &table, viewer, None)? => Some((row.table_id, title)),
            _ => None,
        };
        pending.push(Pending { table, outcome, score_change: row.score_change });
    }
    Ok(pending)
}

fn running(conn: &mut Conn, ctx: &Ctx, user_id: UserId, viewer: Option<UserId>) -> Result<Vec<ProfileTable>, Refused> {
    let tables = game_tables::running_seen(conn, user_id, viewer, MOST_RUNNING)?;
    let ids: Vec<TableId> = tables.iter().map(|table| table.id).collect();
    let decided = results::of_user_at(conn, user_id, &ids)?;
    let seated = seats::of_tables(conn, &ids)?;
    let line = |table: &TableRow| {
        let result = decided.iter().find(|result| result.table_id == table.id);
        profile_table(ctx, table, user_id, &seated, result, table.started_at.unwrap_or(table.created_at))
    };
    Ok(tables.iter().map(line).collect())
}

/// A player's finished tables, newest first, `a_page` of them from page `page` (counted from 1) on.
pub fn past_tables(
    conn: &mut Conn,
    ctx: &Ctx,
    user_id: UserId,
    viewer: Option<UserId>,
    page: i64,
    a_page: i64,
) -> Result<PastTables, Refused> {
    let offset = (page.max(1) - 1).saturating_mul(a_page);
    let past = results::past(conn, user_id, viewer, a_page, offset)?;
    let ids: Vec<TableId> = past.iter().map(|(_, table)| table.id).collect();
    let seated = seats::of_tables(conn, &ids)?;
    let line = |(result, table): &(ResultRow, TableRow)| {
        profile_table(ctx, table, user_id, &seated, Some(result), result.booked_at.unwrap_or(result.sealed_at))
    };
    Ok(PastTables { rows: past.iter().map(line).collect(), total: results::past_count(conn, user_id, viewer)? })
}

/// `seated`: who sits at these and perhaps other tables, as table, player and name.
fn profile_table(
    ctx: &Ctx,
    row: &TableRow,
    user_id: UserId,
    seated: &[(TableId, UserId, String)],
    result: Option<&ResultRow>,
    at: Stamp,
) -> ProfileTable {
    let others = seated.iter().filter(|(table_id, other, _)| *table_id == row.id && *other != user_id);
    ProfileTable {
        table_id: row.id,
        title: row.title.clone(),
        game_name: ctx.games.name(&row.game),
        opponents: others.map(|(_, _, name)| name.clone()).collect(),
        ranked: row.ranked,
        outcome: result.map(|result| result.result),
        score_change: result.map_or(0, |result| result.score_change),
        not_counted: result.and_then(|result| result.not_counted),
        at,
    }
}

fn tallies(counts: Vec<(Outcome, i64)>) -> Tallies {
    let mut tallies = Tallies::default();
    for (result, count) in counts {
        tallies.add(result, count);
    }
    tallies
}

impl Tallies {
    fn add(&mut self, result: Outcome, count: i64) {
        match result {
            Outcome::Won => self.wins += count,
            Outcome::Lost => self.losses += count,
            Outcome::Resigned => {
                self.losses += count;
                self.resignations += count;
            }
            Outcome::Dropped => self.drops += count,
            Outcome::Drew => self.draws += count,
        }
    }

    /// All results counted here.
    pub fn games(&self) -> i64 {
        self.wins + self.losses + self.drops + self.draws
    }
}

/// Where this player stands under the server's joining rule.
pub fn join_rule(conn: &mut Conn, ctx: &Ctx, now: Stamp, user_id: UserId) -> Result<JoinStanding, Refused> {
    let figures = ctx.join;
    let Reputation { drops, games, .. } = standings::reputation(conn, ctx, now, user_id)?;
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
    let drops = match drops {
        1 => "1 drop that still counts".to_owned(),
        _ => format!("{drops} drops that still count"),
    };
    format!(
        "You have {drops}, in your last {games} ranked games. With {} or more you may play \
         {may_hold}, counting tables that wait for players; you have {held}. A drop stops counting after {} days, or \
         once you have finished {} ranked games after it against {} different opponents.",
        figures.drops,
        fair::DROP_DAYS,
        figures.window,
        fair::DROP_OPPONENTS
    )
}
