//! One table as its page shows it: the lobby, the running game, the end.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::rules::{Game, Seat, SeatSetup};
use crate::store::game_tables::Status;
use crate::store::seats::{self, Seated};
use crate::store::{Conn, PhaseNo, Stamp, TableId, UserId, game_tables, phases, plots, results, table_log};

use crate::tables::access::{self, Table};
use crate::tables::fair::NotCounted;
use crate::tables::lobby::host;
use crate::tables::play::open;
use crate::tables::talk::{conversation, notes};
use crate::tables::{Ctx, Note, Outcome, Refused, Talk, words};

/// What everybody who may see a table sees of it, and the viewer's own part.
#[derive(Clone, Debug)]
pub struct TablePage {
    /// The table itself.
    pub table: TableInfo,
    /// Its game, with the content it has kept.
    pub game: GameKept,
    /// Its seats: in seat order once dealt, before that in the order of sitting down.
    pub seats: Vec<SeatShown>,
    /// The viewer's user id, if they are signed in.
    pub viewer: Option<UserId>,
    /// The viewer's seat letter, once dealt.
    pub my_seat: Option<Seat>,
    /// Whether the viewer sits here, dealt or not.
    pub seated: bool,
    /// Whether the viewer made the table, or has it from whoever did.
    pub is_creator: bool,
    /// How many players it takes for the creator to start it.
    pub least_players: usize,
    /// The viewer's answers when sitting down, loadout as text.
    pub my_setup: Option<SeatSetup>,
    /// The open phase while the table is running.
    pub phase: Option<PhaseNow>,
    /// What happened apart from play, oldest first.
    pub log: Vec<LogEntry>,
    /// The latest of the table's talk, as the viewer may read it.
    pub talk: Talk,
    /// The viewer's own notes, if they are signed in.
    pub note: Option<Note>,
}

/// The game of a table, with the content the table has kept.
#[derive(Clone)]
pub struct GameKept(pub Arc<dyn Game>);

impl Deref for GameKept {
    type Target = dyn Game;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for GameKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.meta().id, self.content_hash())
    }
}

/// A table's terms and standing.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// Id.
    pub table_id: TableId,
    /// Title for people.
    pub title: String,
    /// Id of the game.
    pub game: String,
    /// The game's name for people.
    pub game_name: String,
    /// `open`, `running`, `over` or `cancelled`: see `store::game_tables`.
    pub status: Status,
    /// Name of the player who made it.
    pub creator: String,
    /// The game's options as label and choice, for people.
    pub options: Vec<(String, String)>,
    /// The same as the form of a new table sends them.
    pub answers: BTreeMap<String, String>,
    /// How many seats there are.
    pub seat_count: usize,
    /// Time limit in seconds.
    pub time_limit_s: i64,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// Whether only invited people may join.
    pub invite_only: bool,
    /// Whether it is one person's practice against bots.
    pub practice: bool,
    /// Secret part of the invitation link; only for seated players and the creator while the table is open.
    pub invite_key: Option<String>,
    /// The table's own joining rule: most drops among the last games.
    pub max_drops: Option<i32>,
    /// The table's own joining rule: least score.
    pub min_score: Option<i32>,
    /// Whether messages to one seat alone are allowed.
    pub private_talk: bool,
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
    pub user_id: UserId,
    /// The player's name.
    pub name: String,
    /// Whether a program plays it.
    pub bot: bool,
    /// Short name of that program within its game.
    pub bot_id: Option<String>,
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
    /// Why it books nothing, though the table is ranked.
    pub not_counted: Option<NotCounted>,
    /// Whether the seat does not count as an opponent in the win at this table.
    pub left_out: bool,
}

/// The open phase.
#[derive(Clone, Debug)]
pub struct PhaseNow {
    /// Number, counted from 1.
    pub no: PhaseNo,
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
    table_id: TableId,
    viewer: Option<UserId>,
    key: Option<&str>,
) -> Result<TablePage, Refused> {
    let table = access::visible(conn, ctx, table_id, viewer, key)?;
    let seated = seats::of_table(conn, table_id)?;
    let mine = seated.iter().find(|seated| Some(seated.row.user_id) == viewer);
    let is_creator = viewer == Some(table.row.creator_id);
    let my_setup = match mine {
        Some(mine) => Some(
            serde_json::from_str(&mine.row.setup)
                .map_err(|error| Refused::Broken(format!("a stored set-up cannot be read: {error}")))?,
        ),
        None => None,
    };
    let phase = phase_now(conn, &table)?;
    let log = table_log::of_table(conn, table_id)?;
    let note = match viewer {
        Some(user_id) => Some(notes::note(conn, table_id, user_id)?),
        None => None,
    };
    Ok(TablePage {
        talk: conversation::latest(conn, &table, &seated, viewer)?,
        note,
        seats: seats_shown(conn, &table, &seated)?,
        viewer,
        my_seat: mine.and_then(|mine| mine.row.seat).map(words::seat),
        seated: mine.is_some(),
        is_creator,
        least_players: host::least_players(&table)?,
        my_setup,
        phase,
        log: log.into_iter().map(|row| LogEntry { at: row.at, kind: row.kind, text: row.detail }).collect(),
        table: info(conn, &table, is_creator || mine.is_some())?,
        game: GameKept(Arc::clone(&table.game)),
    })
}

fn info(conn: &mut Conn, table: &Table, insider: bool) -> Result<TableInfo, Refused> {
    let row = &table.row;
    let may_invite = insider && row.status == game_tables::Status::Open;
    Ok(TableInfo {
        table_id: row.id,
        title: row.title.clone(),
        game: row.game.clone(),
        game_name: table.game.meta().name.to_owned(),
        status: row.status,
        creator: game_tables::creator_name(conn, row)?,
        options: words::options(&*table.game, row),
        answers: words::answers(row),
        seat_count: usize::try_from(row.seat_count).unwrap_or(0),
        time_limit_s: row.time_limit_s,
        ranked: row.ranked,
        invite_only: row.invite_only,
        practice: row.practice,
        invite_key: may_invite.then(|| row.invite_key.clone()),
        max_drops: row.max_drops,
        min_score: row.min_score,
        private_talk: row.private_talk,
        passes_allowed: row.passes_allowed,
        dice_hash: row.dice_hash.clone(),
        dice_secret: table.is_over().then(|| data_encoding::HEXLOWER.encode(&row.dice_secret)),
        outcome: row.outcome.clone(),
        created_at: row.created_at,
        started_at: row.started_at,
        ended_at: row.ended_at,
    })
}

fn seats_shown(conn: &mut Conn, table: &Table, seated: &[Seated]) -> Result<Vec<SeatShown>, Refused> {
    let running = table.row.status == game_tables::Status::Running;
    let (id, no) = (table.row.id, table.row.phase_no);
    let dues = if running { plots::dues(conn, id, no)? } else { Vec::new() };
    let handed_in = if running { plots::seats_in(conn, id, no)? } else { Vec::new() };
    let results = results::of_table(conn, id)?;
    Ok(seated
        .iter()
        .map(|Seated { row, name, bot }| {
            let due = dues.iter().find(|due| Some(due.seat) == row.seat);
            let result = results.iter().find(|result| Some(result.seat) == row.seat);
            SeatShown {
                seat: row.seat.map(words::seat),
                user_id: row.user_id,
                name: name.clone(),
                bot: bot.is_some(),
                bot_id: bot.as_deref().and_then(|key| key.split_once('/')).map(|(_, id)| id.to_owned()),
                due: due.is_some(),
                required: due.is_some_and(|due| due.required),
                handed_in: row.seat.is_some_and(|seat| handed_in.contains(&seat)),
                passes_used: row.passes_used,
                result: result.map(|result| ResultShown {
                    outcome: result.result,
                    score_change: result.score_change,
                    booked: result.booked_at.is_some(),
                    not_counted: result.not_counted,
                    left_out: result.ranked && !result.counted && result.result != Outcome::Won,
                }),
            }
        })
        .collect())
}

/// The open phase of a running table.
pub fn phase_now(conn: &mut Conn, table: &Table) -> Result<Option<PhaseNow>, Refused> {
    if table.row.status != game_tables::Status::Running {
        return Ok(None);
    }
    let (id, no) = (table.row.id, table.row.phase_no);
    let Some(row) = phases::find(conn, id, no)? else { return Ok(None) };
    let deadline = open::running(&row)?.deadline;
    let seals = plots::of_phase(conn, id, no)?.into_iter().map(|plot| (words::seat(plot.seat), plot.seal)).collect();
    Ok(Some(PhaseNow {
        no,
        name: words::phase_name(row.turn, &row.name),
        key: row.key,
        turn: u32::try_from(row.turn).unwrap_or(0),
        simultaneous: row.simultaneous,
        opened_at: row.opened_at,
        deadline,
        seals,
    }))
}
