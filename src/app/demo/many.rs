//! The demo's tables for more than two: one against bots, one that waits for players, one that is over. The
//! people's orders are what the game's strongest bot would order in their place.

use std::sync::Arc;

use chrono::TimeDelta;

use super::seed::{ADA, BEN, CLEO, DAN, Seeding};
use crate::rules::{FieldKind, Game};
use crate::store::timers::{self, TimerKind};
use crate::store::{Stamp, TableId, UserId};
use crate::tables::{self, Act, At, BotShown, NewTable, Refused};

/// Time between two steps of the past.
const STEP: TimeDelta = TimeDelta::minutes(7);
/// How long the tables have been played.
const PAST: TimeDelta = TimeDelta::hours(20);
/// How long ago the open phase was opened.
const LATELY: TimeDelta = TimeDelta::hours(2);
/// After so many turns it is enough, as soon as it is Ada's.
const TURNS: u32 = 7;
/// A table takes at most so many steps here; beyond it something is wrong.
const MOST_STEPS: u32 = 500;

/// Tables of one game for more than two.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Many {
    /// Ada's turn, against bots.
    pub(super) due: Option<TableId>,
    /// Waits for players.
    pub(super) open: Option<TableId>,
    /// Over.
    pub(super) finished: Option<TableId>,
}

/// Makes the tables of the first game that is for more than two and has bots, if there is one.
pub(super) fn tables_for_many(seeding: &Seeding<'_>) -> Result<Many, Refused> {
    let games = seeding.ctx.games.all();
    let fitting = games.iter().find(|game| *game.meta().seats.end() > 2 && !tables::bots_of(&***game).is_empty());
    let Some(game) = fitting else { return Ok(Many::default()) };
    let bots = tables::bots_of(&**game);
    Ok(Many {
        due: Some(against_bots(seeding, game, &bots)?),
        open: Some(waiting(seeding, game)?),
        finished: Some(finished(seeding, game)?),
    })
}

/// A new table; `choice`: which answer of every option.
fn make(
    seeding: &Seeding<'_>,
    game: &Arc<dyn Game>,
    at: Stamp,
    creator: usize,
    choice: usize,
    terms: NewTable,
) -> Result<TableId, Refused> {
    let fields = game.table_fields();
    let options = fields.iter().enumerate().filter_map(|(nth, field)| match &field.kind {
        // Only the first option changes from table to table: it says where one plays.
        FieldKind::Choice(choices) => {
            let nth = if nth == 0 { choice % choices.len().max(1) } else { 0 };
            Some((field.key.to_owned(), choices.get(nth)?.value.clone()))
        }
        FieldKind::Loadout => None,
    });
    let new = NewTable { game: game.meta().id.to_owned(), options: options.collect(), ..terms };
    seeding.run(|conn, ctx| tables::create(conn, ctx, at, seeding.players[creator], &new))
}

fn against_bots(seeding: &Seeding<'_>, game: &Arc<dyn Game>, bots: &[BotShown]) -> Result<TableId, Refused> {
    let from = seeding.now - PAST;
    let weakest = bots.first().map_or("", |bot| bot.id);
    for title in ["An evening against the staff", "The staff wants revenge", "The staff, once more"] {
        let terms =
            NewTable { title: title.to_owned(), seats: Some(3), time_limit_s: 120 * 3600, ..NewTable::default() };
        let table_id = make(seeding, game, from, ADA, 0, terms)?;
        let ada = seeding.players[ADA];
        seeding.run(|conn, ctx| tables::add_bots(conn, ctx, At::new(from, table_id, ada), weakest, 2))?;
        play(seeding, table_id, from, |turn, due| turn >= TURNS && due == Some(ada))?;
        if seeding.page(table_id)?.phase.is_some() {
            return Ok(table_id);
        }
    }
    Err(Refused::Broken("every game against bots was over too early".to_owned()))
}

fn waiting(seeding: &Seeding<'_>, game: &Arc<dyn Game>) -> Result<TableId, Refused> {
    let terms = NewTable {
        title: "Four friends, four fronts".to_owned(),
        seats: Some(4),
        time_limit_s: 48 * 3600,
        ranked: true,
        ..NewTable::default()
    };
    let table_id = make(seeding, game, seeding.now - TimeDelta::hours(6), CLEO, 1, terms)?;
    join(seeding, table_id, BEN, seeding.now - TimeDelta::hours(4))?;
    say(
        seeding,
        table_id,
        CLEO,
        seeding.now - TimeDelta::hours(3),
        "Two seats are free. I only want the quiet corner.",
    )?;
    say(seeding, table_id, BEN, seeding.now - TimeDelta::hours(2), "There is none, but you may look for it.")?;
    Ok(table_id)
}

/// Three play for a while, then two of them give up.
fn finished(seeding: &Seeding<'_>, game: &Arc<dyn Game>) -> Result<TableId, Refused> {
    let from = seeding.now - TimeDelta::days(4);
    let terms = NewTable {
        title: "The war of the three houses".to_owned(),
        seats: Some(3),
        time_limit_s: 72 * 3600,
        ranked: true,
        ..NewTable::default()
    };
    let table_id = make(seeding, game, from, DAN, 0, terms)?;
    join(seeding, table_id, ADA, from + STEP)?;
    join(seeding, table_id, BEN, from + STEP * 2)?;
    let mut at = play(seeding, table_id, from + STEP * 3, |turn, _| turn >= 2 * TURNS)?;
    for player in [DAN, BEN] {
        if seeding.page(table_id)?.phase.is_some() {
            at += STEP;
            match seeding.run(|conn, ctx| {
                tables::resign(conn, ctx, at, &Act::in_any_phase(table_id, seeding.players[player], at))
            }) {
                Ok(()) | Err(Refused::AlreadyOut) => {}
                Err(other) => return Err(other),
            }
        }
    }
    say(seeding, table_id, DAN, at + STEP, "That was that. Now for the luck report: who has to thank the dice?")?;
    say(seeding, table_id, ADA, at + STEP * 2, "Well fought, both of you. Again next week?")?;
    Ok(table_id)
}

fn say(seeding: &Seeding<'_>, table_id: TableId, player: usize, at: Stamp, text: &str) -> Result<(), Refused> {
    let at = at.min(seeding.now);
    seeding.run(|conn, ctx| tables::say(conn, ctx, At::new(at, table_id, seeding.players[player]), None, text))
}

fn join(seeding: &Seeding<'_>, table_id: TableId, player: usize, at: Stamp) -> Result<(), Refused> {
    let setup = crate::rules::SeatSetup::new();
    seeding
        .run(|conn, ctx| tables::join(conn, ctx, At::new(at, table_id, seeding.players[player]), &setup, None))
        .map(drop)
}

/// Plays until the game is over or `enough` says so of the turn and whose it is. Returns the time it stopped at.
fn play(
    seeding: &Seeding<'_>,
    table_id: TableId,
    from: Stamp,
    enough: impl Fn(u32, Option<UserId>) -> bool,
) -> Result<Stamp, Refused> {
    let mut at = from;
    for step in 0..MOST_STEPS {
        let page = seeding.page(table_id)?;
        let Some(phase) = &page.phase else { return Ok(at) };
        let due = page.seats.iter().find(|seat| seat.due && !seat.handed_in);
        if enough(phase.turn, due.map(|seat| seat.user_id)) {
            return Ok(at);
        }
        let bot = timers::of_table(&mut *seeding.db.connection()?, table_id)?
            .into_iter()
            .find(|it| it.kind == TimerKind::Bot);
        if let Some(timer) = bot {
            seeding.run(|conn, ctx| tables::wake(conn, ctx, at, &timer).map(drop))?;
        } else if let Some(seat) = due {
            at = (at + STEP).min(seeding.now - LATELY);
            let (user_id, seed) = (seat.user_id, [step.to_le_bytes()[0]; 32]);
            seeding.run(|conn, ctx| {
                tables::mark_seen(conn, at, table_id, user_id, phase.no)?;
                let Some(text) = tables::suggest(conn, ctx, table_id, user_id, &seed)? else { return Ok(()) };
                let act = Act { table: table_id, user: user_id, phase: phase.no, base: None, received: at };
                tables::hand_in(conn, ctx, at, &act, &text).map(drop)
            })?;
        }
    }
    Err(Refused::Broken(format!("a game was not over after {MOST_STEPS} steps")))
}
