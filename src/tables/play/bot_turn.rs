//! A bot's turn: the timer of a table whose bots are due asks one of them and hands in what it orders.

use crate::rules::bot::ask;
use crate::rules::{Dice, Fate, Leaving, Seat};
use crate::store::seats::Seated;
use crate::store::timers::{self, TimerKind, TimerRow};
use crate::store::{Conn, PhaseNo, Stamp, plots, table_log};

use super::advance::close;
use super::bots::{bot_of, bots_due};
use super::plot::hand_in;
use super::running::{Closing, Play};
use super::woken::Woken;
use crate::tables::{Act, Ctx, Refused, words};

/// Once only programs are left in play at a table with so many phases, they give up one after the other: nobody
/// waits for the end of such a game, and it must have one.
const MOST_PHASES_ALONE: PhaseNo = PhaseNo(3000);

/// Has one bot that is due hand in its orders. One seat and one phase a timer: however long a turn of many steps
/// is, other tables come in between.
pub fn wake(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: Play, timer: &TimerRow) -> Result<Woken, Refused> {
    let table_id = play.table.row.id;
    timers::clear(conn, table_id, TimerKind::Bot)?;
    let Some((seat, seated)) = bots_due(&play).next() else { return Ok(Woken::Nothing) };
    if play.is_overdue(now) {
        // The deadline's own timer is due as well and does what is to be done.
        return Ok(Woken::Nothing);
    }
    if play.phase.no >= MOST_PHASES_ALONE && !people_play(&play)? {
        table_log::add(conn, now, table_id, "resigned", &format!("Seat {seat} resigned: only bots were left."))?;
        close(conn, ctx, now, play, Closing::Leave(vec![(seat, Leaving::Resigned)]))?;
        return Ok(Woken::Moved);
    }
    let user_id = seated.row.user_id;
    let text = orders(&play, seat, seated, timer)?;
    if bots_due(&play).count() > 1 {
        // For the bots that are due besides; if this was the last one awaited the next phase sets its own.
        timers::set(conn, now, table_id, TimerKind::Bot, play.phase.no, now)?;
    }
    let base = plots::draft(conn, table_id, play.phase.no, words::number(seat))?.map(|draft| draft.version);
    let act = Act { table: table_id, user: user_id, phase: play.phase.no, base, received: now };
    hand_in(conn, ctx, now, &act, &text)?;
    Ok(Woken::Moved)
}

/// What the bot orders. One that answers nonsense, is no longer known, or failed the last time does the plainest
/// thing instead, so that a table never waits for it in vain.
fn orders(play: &Play, seat: Seat, seated: &Seated, timer: &TimerRow) -> Result<String, Refused> {
    let game = &*play.table.game;
    let table_id = play.table.row.id;
    let id = seated.bot.as_deref().and_then(|key| key.split_once('/')).map_or("", |(_, id)| id);
    match bot_of(game, id) {
        Some(bot) if timer.attempts == 0 => {
            // Dice of its own: the table's are nobody's to look at.
            let mut secret = [0u8; 32];
            getrandom::fill(&mut secret)
                .map_err(|error| Refused::Broken(format!("the operating system gives no random bytes: {error}")))?;
            let text = ask(game, &*bot, &play.state, seat, &mut Dice::for_phase(&secret, 0))?;
            let faults = game.examine(&play.state, seat, &text)?.faults;
            let Some(fault) = faults.first() else { return Ok(text) };
            tracing::warn!(table.id = %table_id, bot = id, %fault, text, "A bot gave orders that are not legal.");
        }
        Some(_) => tracing::warn!(table.id = %table_id, bot = id, "A bot failed; the default orders are used instead."),
        None => {
            tracing::warn!(table.id = %table_id, bot = id, "A bot is no longer known; the default orders are used.")
        }
    }
    Ok(game.default_plot(&play.state, seat)?)
}

/// Whether a person is still in play.
fn people_play(play: &Play) -> Result<bool, Refused> {
    let fates = play.table.game.fates(&play.state)?;
    Ok(play.seats.iter().any(|seated| {
        let seat = seated.row.seat.map(words::seat);
        seated.bot.is_none() && seat.is_some_and(|seat| fates.get(seat.index()) == Some(&Fate::Active))
    }))
}
