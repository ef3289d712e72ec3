//! Seating bots, and tables for practice: one person against bots, begun at once.

use std::collections::BTreeMap;

use crate::rules::{FieldKind, Game, SeatSetup};
use crate::store::seats::{self, Seated};
use crate::store::{Conn, Stamp, TableId, UserId, game_tables, table_log};

use super::answers::seat_answers;
use super::seating::sit_down;
use super::start::start;
use super::{create, host};
use crate::tables::access::Table;
use crate::tables::play::bots;
use crate::tables::{At, Ctx, FieldFault, LONGEST_LIMIT_S, NewTable, Refused};

/// A table for practice as its form describes it.
#[derive(Clone, Debug, Default)]
pub struct NewPractice {
    /// Id of the game.
    pub game: String,
    /// Answers to the game's table fields; what is missing gets the first choice.
    pub options: BTreeMap<String, String>,
    /// The player's answers to the game's seat fields, see [`crate::tables::join`].
    pub setup: SeatSetup,
    /// Short name of the bot to play against; empty: the game's weakest.
    pub bot: String,
    /// Against how many; `None`: as few as the game allows.
    pub bots: Option<usize>,
    /// See [`NewTable::once`].
    pub once: Option<String>,
}

/// Makes a table of one person and bots and starts it. It is private and not ranked, and its clock is the longest
/// there is: nobody waits. Returns its id. Faults of the form are reported all at once, with the field names `bots`,
/// `bot` or the game's keys; empty for the whole. The same form sent again gives the table that it has made.
pub fn practise(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    user_id: UserId,
    new: &NewPractice,
) -> Result<TableId, Refused> {
    let game = ctx.games.current(&new.game).ok_or_else(|| Refused::NoGame(new.game.clone()))?;
    if let Some(made) = create::already(conn, new.once.as_deref())? {
        return Ok(made);
    }
    let offered = bots::bots_of(&*game);
    let weakest = offered.first().ok_or_else(|| Refused::NoBot(String::new()))?;
    let bot = if new.bot.is_empty() { weakest.id } else { new.bot.as_str() };
    if !offered.iter().any(|known| known.id == bot) {
        let message = "There is no such bot. Choose one of those listed.".to_owned();
        return Err(Refused::Form(vec![FieldFault { field: "bot".to_owned(), message }]));
    }
    let table = NewTable {
        game: new.game.clone(),
        title: format!("Practice: {}", game.meta().name),
        options: new.options.clone(),
        seats: new.bots.map(|bots| bots.saturating_add(1)),
        setup: new.setup.clone(),
        time_limit_s: LONGEST_LIMIT_S,
        ranked: false,
        invite_only: true,
        practice: true,
        once: new.once.clone(),
        ..NewTable::default()
    };
    let table_id = create::create(conn, ctx, now, user_id, &table).map_err(about_bots)?;
    let table = host::own_table(conn, ctx, table_id, user_id)?;
    let free = usize::try_from(table.row.seat_count).unwrap_or(0).saturating_sub(1);
    seat_bots(conn, now, &table, bot, free)?;
    start(conn, ctx, now, table, "This is a practice table with bots.")?;
    Ok(table_id)
}

/// A fault of the number of seats as one of the number of bots, which is what the form asks for.
fn about_bots(refused: Refused) -> Refused {
    let Refused::Form(faults) = refused else { return refused };
    Refused::Form(
        faults
            .into_iter()
            .map(|fault| match fault.field.as_str() {
                "seats" => FieldFault {
                    field: "bots".to_owned(),
                    message: format!("{} You are one of them, the others are bots.", fault.message),
                },
                _ => fault,
            })
            .collect(),
    )
}

/// Gives bots free seats of a table that waits; only its creator may. A table with bots is not ranked: one that
/// is becomes so as long as nobody else has sat down for the score. The table starts when it is full (then `true`).
pub fn add_bots(conn: &mut Conn, ctx: &Ctx, at: At, bot: &str, count: usize) -> Result<bool, Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let mut table = host::own_table(conn, ctx, table_id, user_id)?;
    let sitting = seats::of_table(conn, table_id)?;
    let wanted = usize::try_from(table.row.seat_count).unwrap_or(0);
    let free = wanted.saturating_sub(sitting.len());
    if count == 0 || count > free {
        return Err(Refused::NoFreeSeats { free });
    }
    if table.row.ranked {
        if sitting.iter().any(|seated| seated.row.user_id != user_id) {
            return Err(Refused::RankedTable);
        }
        game_tables::set_unranked(conn, table_id)?;
        table.row.ranked = false;
        let text = "Bots were seated, so the table is no longer ranked.";
        table_log::add(conn, now, table_id, "unranked", text)?;
    }
    seat_bots(conn, now, &table, bot, count)?;
    let text = match count {
        1 => format!("A bot was seated: {} of {wanted}.", sitting.len() + 1),
        _ => format!("{count} bots were seated: {} of {wanted}.", sitting.len() + count),
    };
    table_log::add(conn, now, table_id, "joined", &text)?;
    if count < free {
        return Ok(false);
    }
    start(conn, ctx, now, table, "All seats are taken.")?;
    Ok(true)
}

fn seat_bots(conn: &mut Conn, now: Stamp, table: &Table, bot: &str, count: usize) -> Result<(), Refused> {
    let game = &*table.game;
    let known = bots::bot_of(game, bot).ok_or_else(|| Refused::NoBot(bot.to_owned()))?;
    for _ in 0..count {
        let taken: Vec<Seated> = seats::of_table(conn, table.row.id)?;
        let user_id = bots::account(conn, now, game, &*known, &taken)?;
        let mut faults = Vec::new();
        let setup = seat_answers(conn, game, user_id, &any_loadouts(game)?, &mut faults)?;
        if let Some(fault) = faults.into_iter().next() {
            return Err(Refused::Broken(format!("a bot cannot sit down: {}", fault.message)));
        }
        sit_down(conn, now, table.row.id, user_id, &setup)?;
    }
    Ok(())
}

/// What a bot brings: any of the ready-made loadouts, so that no two games are alike.
fn any_loadouts(game: &dyn Game) -> Result<SeatSetup, Refused> {
    let stock = game.stock_loadouts();
    let fields = game.seat_fields();
    let mut setup = SeatSetup::new();
    for field in fields.iter().filter(|field| matches!(field.kind, FieldKind::Loadout) && !stock.is_empty()) {
        let mut byte = [0u8; 1];
        getrandom::fill(&mut byte)
            .map_err(|error| Refused::Broken(format!("the operating system gives no random bytes: {error}")))?;
        setup.insert(field.key.to_owned(), stock[usize::from(byte[0]) % stock.len()].id.clone());
    }
    Ok(setup)
}
