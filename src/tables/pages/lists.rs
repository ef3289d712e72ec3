//! Lists of tables: those that wait for players, and one's own.

use std::collections::BTreeMap;

use crate::rules::Seat;
use crate::store::game_tables::Status;
use crate::store::game_tables::{self, TableRow};
use crate::store::{Conn, PhaseNo, Stamp, TableId, UserId, messages, phases, plots, results, seats, users};

use super::standings::{Reputation, reputations};
use crate::tables::{Ctx, Refused, access, words};

/// A table that waits for players.
#[derive(Clone, Debug)]
pub struct OpenTable {
    /// Id.
    pub table_id: TableId,
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
    /// What is known about each of them, in the same order.
    pub reputations: Vec<Reputation>,
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
    /// The table's own joining rule: most drops among the last games.
    pub max_drops: Option<i32>,
    /// The table's own joining rule: least score.
    pub min_score: Option<i32>,
    /// Whether messages to one seat alone are allowed.
    pub private_talk: bool,
    /// When it was made.
    pub created_at: Stamp,
    /// Whether the viewer sits there.
    pub mine: bool,
    /// Whether the viewer was invited, by name or by their address.
    pub invited: bool,
}

/// One of a player's tables.
#[derive(Clone, Debug)]
pub struct MyTable {
    /// Id.
    pub table_id: TableId,
    /// Title for people.
    pub title: String,
    /// Id of the game.
    pub game: String,
    /// The game's name for people.
    pub game_name: String,
    /// `open` or `running`.
    pub status: Status,
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
    /// Number of the open phase, where the player owes orders in it and no page has shown them its deadline yet. A page
    /// that shows it notes so ([`crate::tables::mark_seen`]).
    pub unseen_phase: Option<PhaseNo>,
    /// Messages at the table that the player has not read.
    pub unread: i64,
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

/// Most tables in the list of open ones.
const MOST_LISTED: i64 = 200;

/// Tables that wait for players, newest first; those of the viewer and those they are invited to included.
pub fn open_tables(conn: &mut Conn, ctx: &Ctx, now: Stamp, viewer: Option<UserId>) -> Result<Vec<OpenTable>, Refused> {
    let mut rows = game_tables::open(conn, MOST_LISTED)?;
    let mut invited = Vec::new();
    if let Some(user_id) = viewer {
        rows.extend(game_tables::of_user(conn, user_id, game_tables::Status::Open, MOST_LISTED)?);
        let email_key = users::find(conn, user_id)?.and_then(|user| user.email_key);
        invited = seats::invited_tables(conn, user_id, email_key.as_deref())?;
        for table_id in &invited {
            rows.extend(game_tables::find(conn, *table_id)?.filter(|row| row.status == game_tables::Status::Open));
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse((row.created_at, row.id)));
    rows.dedup_by_key(|row| row.id);
    let ids: Vec<TableId> = rows.iter().map(|row| row.id).collect();
    let seated = seats::of_tables(conn, &ids)?;
    let sitting: Vec<UserId> = seated.iter().map(|(_, user_id, _)| *user_id).collect();
    let known = reputations(conn, ctx, now, &sitting)?;
    let mut tables = Vec::with_capacity(rows.len());
    for row in rows {
        // One table whose data can't be read must not hide the others.
        let table_id = row.id;
        match open_table(conn, ctx, viewer, row, &seated, &known) {
            Ok(table) => tables.push(OpenTable { invited: invited.contains(&table_id), ..table }),
            Err(Refused::Broken(why)) => tracing::error!(table.id = %table_id, why, "A table cannot be listed."),
            Err(other) => return Err(other),
        }
    }
    Ok(tables)
}

/// `seated`: who sits at all tables of the list, as table, player and name.
fn open_table(
    conn: &mut Conn,
    ctx: &Ctx,
    viewer: Option<UserId>,
    row: TableRow,
    seated: &[(TableId, UserId, String)],
    known: &BTreeMap<UserId, Reputation>,
) -> Result<OpenTable, Refused> {
    let table = access::with_game(conn, ctx, row)?;
    let row = &table.row;
    let table_id = row.id;
    let seated: Vec<_> = seated.iter().filter(|(of, _, _)| *of == table_id).collect();
    Ok(OpenTable {
        table_id,
        title: row.title.clone(),
        game: row.game.clone(),
        game_name: table.game.meta().name.to_owned(),
        creator: game_tables::creator_name(conn, row)?,
        mine: seated.iter().any(|(_, user_id, _)| Some(*user_id) == viewer),
        reputations: seated.iter().filter_map(|(_, user_id, _)| known.get(user_id).copied()).collect(),
        players: seated.into_iter().map(|(_, _, name)| name.clone()).collect(),
        seat_count: usize::try_from(row.seat_count).unwrap_or(0),
        options: words::options(&*table.game, &table.row),
        time_limit_s: row.time_limit_s,
        ranked: row.ranked,
        invite_only: row.invite_only,
        passes_allowed: row.passes_allowed,
        max_drops: row.max_drops,
        min_score: row.min_score,
        private_talk: row.private_talk,
        created_at: row.created_at,
        invited: false,
    })
}

/// A table being played, for those who want to watch.
#[derive(Clone, Debug)]
pub struct RunningTable {
    /// Id.
    pub table_id: TableId,
    /// Title for people.
    pub title: String,
    /// The game's name for people.
    pub game_name: String,
    /// Names of the players, in seat order.
    pub players: Vec<String>,
    /// The open phase, `Turn 3, Deploy`.
    pub phase: String,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// When it started.
    pub started_at: Stamp,
}

/// A part of the tables being played.
#[derive(Clone, Debug)]
pub struct RunningTables {
    /// The latest to start first.
    pub rows: Vec<RunningTable>,
    /// How many there are in all.
    pub total: i64,
}

/// Tables being played that everybody may watch: `a_page` of them from page `page` (counted from 1) on.
pub fn running_tables(conn: &mut Conn, ctx: &Ctx, page: i64, a_page: i64) -> Result<RunningTables, Refused> {
    let offset = (page.max(1) - 1).saturating_mul(a_page);
    let tables = game_tables::running_public(conn, a_page, offset)?;
    let ids: Vec<TableId> = tables.iter().map(|table| table.id).collect();
    let seated = seats::of_tables(conn, &ids)?;
    let open = phases::open_of(conn, &ids)?;
    let row = |table: TableRow| RunningTable {
        game_name: ctx.games.name(&table.game),
        players: seated.iter().filter(|(of, _, _)| *of == table.id).map(|(_, _, name)| name.clone()).collect(),
        phase: open
            .iter()
            .find(|(of, _, _)| *of == table.id)
            .map(|(_, turn, name)| words::phase_name(turn, name))
            .unwrap_or_default(),
        ranked: table.ranked,
        started_at: table.started_at.unwrap_or(table.created_at),
        table_id: table.id,
        title: table.title,
    };
    Ok(RunningTables { rows: tables.into_iter().map(row).collect(), total: game_tables::running_public_count(conn)? })
}

/// A player's open and running tables: those that owe orders first, by the time left for them.
pub fn my_tables(conn: &mut Conn, ctx: &Ctx, user_id: UserId) -> Result<Vec<MyTable>, Refused> {
    let mut rows = game_tables::of_user(conn, user_id, game_tables::Status::Running, i64::MAX)?;
    rows.extend(game_tables::of_user(conn, user_id, game_tables::Status::Open, i64::MAX)?);
    let ids: Vec<TableId> = rows.iter().map(|row| row.id).collect();
    let unread = messages::unheard_counts(conn, user_id, &ids)?;
    let mut tables = Vec::with_capacity(rows.len());
    for row in rows {
        let unread = unread.get(&row.id).copied().unwrap_or(0);
        tables.push(MyTable { unread, ..my_table(conn, ctx, user_id, row)? });
    }
    tables.sort_by_key(|table| {
        let rank = match table.due {
            // A draft does not make the time longer.
            WhatIsDue::OrdersWithDraft => WhatIsDue::Orders,
            other => other,
        };
        (rank, table.deadline, table.table_id)
    });
    Ok(tables)
}

fn my_table(conn: &mut Conn, ctx: &Ctx, user_id: UserId, row: TableRow) -> Result<MyTable, Refused> {
    let seated = seats::of_table(conn, row.id)?;
    let number = seated.iter().find(|seated| seated.row.user_id == user_id).and_then(|seated| seated.row.seat);
    let phase =
        if row.status == game_tables::Status::Running { phases::find(conn, row.id, row.phase_no)? } else { None };
    let (due, seen) = what_is_due(conn, &row, number)?;
    Ok(MyTable {
        table_id: row.id,
        due,
        unseen_phase: (!seen).then_some(row.phase_no),
        unread: 0,
        seat: number.map(words::seat),
        opponents: seated
            .into_iter()
            .filter(|seated| seated.row.user_id != user_id)
            .map(|seated| seated.name)
            .collect(),
        seat_count: usize::try_from(row.seat_count).unwrap_or(0),
        deadline: phase.as_ref().and_then(|phase| phase.deadline_at),
        phase: phase.map(|phase| words::phase_name(phase.turn, &phase.name)),
        game_name: ctx.games.name(&row.game),
        title: row.title,
        game: row.game,
        status: row.status,
    })
}

/// What is due from a seat, and whether its player has seen the deadline; true where nothing is due.
fn what_is_due(conn: &mut Conn, row: &TableRow, seat: Option<i32>) -> Result<(WhatIsDue, bool), Refused> {
    let Some(seat) = seat.filter(|_| row.status == game_tables::Status::Running) else {
        return Ok((WhatIsDue::Players, true));
    };
    if results::of_table(conn, row.id)?.iter().any(|result| result.seat == seat) {
        return Ok((WhatIsDue::Out, true));
    }
    let dues = plots::dues(conn, row.id, row.phase_no)?;
    let Some(due) = dues.iter().find(|due| due.seat == seat) else { return Ok((WhatIsDue::Nothing, true)) };
    if plots::seats_in(conn, row.id, row.phase_no)?.contains(&seat) {
        return Ok((WhatIsDue::HandedIn, true));
    }
    let draft = plots::draft(conn, row.id, row.phase_no, seat)?;
    let what = match (due.required, draft) {
        (false, _) => WhatIsDue::Optional,
        (true, Some(_)) => WhatIsDue::OrdersWithDraft,
        (true, None) => WhatIsDue::Orders,
    };
    Ok((what, due.seen_at.is_some()))
}
