//! Giving up.

use crate::rules::{Dice, Fate, Leaving, Seat};
use crate::store::{Conn, Stamp, TableId, UserId, game_tables, seats, table_log};

use super::advance::close;
use super::deadline::settle;
use super::running::{Closing, Play};
use crate::tables::access;
use crate::tables::lobby::host;
use crate::tables::lobby::seating::{cancel, leave_before_start};
use crate::tables::{Act, At, Ctx, Outcome, Refused, score, words};

/// What resigning would cost now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResignPreview {
    /// What it would do to the score; 0 at unranked tables.
    pub score_change: i32,
    /// Whether the table counts for the score.
    pub ranked: bool,
    /// How many others are still in play.
    pub others_active: usize,
    /// Whether the game would end with it.
    pub ends_game: bool,
    /// All of it in sentences.
    pub text: String,
}

/// What resigning would cost this player now.
pub fn resign_preview(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    user_id: UserId,
) -> Result<ResignPreview, Refused> {
    let table = access::visible(conn, ctx, table_id, Some(user_id), None)?;
    let (play, seat) = active_seat(conn, table, user_id)?;
    let game = &play.table.game;
    let fates = game.fates(&play.state)?;
    let others_active =
        fates.iter().enumerate().filter(|(index, fate)| *index != seat.index() && **fate == Fate::Active).count();
    // Looked at with dice of their own: what a resignation leads to is not decided by luck.
    let after =
        game.leave(&play.state, &[(seat, Leaving::Resigned)], game.meta().edition, &mut Dice::for_phase(&[0; 32], 0))?;
    let ends_game = game.phase(&after.state)?.is_none();
    let ranked = play.table.row.ranked;
    let score_change = if ranked { score::change(Outcome::Resigned, play.seats.len(), others_active) } else { 0 };
    let cost = if ranked {
        format!("Resigning now costs you {} and counts as a loss.", words::points(score_change))
    } else {
        "This table is not ranked, so your score does not change.".to_owned()
    };
    let end = if ends_game { "That ends the game." } else { "The others play on." };
    Ok(ResignPreview { score_change, ranked, others_active, ends_game, text: format!("{cost} {end}") })
}

/// Resigns from a running game, also while nothing is due. Once the clock of a phase has run out it is too late:
/// what that leads to comes first.
///
/// It is about no one phase ([`Act::in_any_phase`]): whoever has made up their mind resigns from the one that is open.
pub fn resign(conn: &mut Conn, ctx: &Ctx, now: Stamp, act: &Act) -> Result<(), Refused> {
    let table = access::lock(conn, ctx, act.table)?;
    if !access::may_see(conn, &table.row, Some(act.user), None)? {
        return Err(Refused::NoTable);
    }
    let (play, seat) = active_seat(conn, table, act.user)?;
    if let Some(deadline) = play.phase.deadline_at.filter(|deadline| *deadline <= act.received) {
        return Err(Refused::TooLate { deadline });
    }
    leave(conn, ctx, now, play, seat)
}

fn leave(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: Play, seat: Seat) -> Result<(), Refused> {
    table_log::add(conn, now, play.table.row.id, "resigned", &format!("Seat {seat} resigned."))?;
    close(conn, ctx, now, play, Closing::Leave(vec![(seat, Leaving::Resigned)]))
}

/// The open phase and the player's seat, if the seat is still in play.
fn active_seat(conn: &mut Conn, table: access::Table, user_id: UserId) -> Result<(Play, Seat), Refused> {
    let row = seats::of_user(conn, table.row.id, user_id)?.ok_or(Refused::NoSeat)?;
    let play = Play::load(conn, table)?;
    let seat = row.seat.map(words::seat).ok_or(Refused::NoSeat)?;
    match play.table.game.fates(&play.state)?.get(seat.index()) {
        Some(Fate::Active) => Ok((play, seat)),
        _ => Err(Refused::AlreadyOut),
    }
}

/// Takes a player whose account is being deleted from all tables: resigns running games and leaves open ones. Those
/// the player made are handed on, or called off where no other person sits. Run it in the transaction that deletes
/// the account, before it.
pub fn give_up_all(conn: &mut Conn, ctx: &Ctx, now: Stamp, user_id: UserId) -> Result<(), Refused> {
    for table_id in game_tables::open_of_creator(conn, user_id)? {
        let table = access::lock(conn, ctx, table_id)?;
        if host::heir(conn, &table)?.is_none() {
            cancel(conn, ctx, At::new(now, table_id, user_id))?;
        }
    }
    for row in game_tables::of_user(conn, user_id, game_tables::Status::Open, i64::MAX)? {
        leave_before_start(conn, ctx, At::new(now, row.id, user_id))?;
    }
    for row in game_tables::of_user(conn, user_id, game_tables::Status::Running, i64::MAX)? {
        let table = access::lock(conn, ctx, row.id)?;
        match active_seat(conn, table, user_id) {
            // A clock that has run out comes first: deleting the account is no way round a drop.
            Ok((play, _)) if play.is_overdue(now) => {
                settle(conn, ctx, now, play)?;
                let table = access::lock(conn, ctx, row.id)?;
                resign_if_active(conn, ctx, now, table, user_id)?;
            }
            Ok((play, seat)) => leave(conn, ctx, now, play, seat)?,
            Err(Refused::AlreadyOut | Refused::NotRunning(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

fn resign_if_active(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: access::Table,
    user_id: UserId,
) -> Result<(), Refused> {
    match active_seat(conn, table, user_id) {
        Ok((play, seat)) => leave(conn, ctx, now, play, seat),
        Err(Refused::AlreadyOut | Refused::NotRunning(_)) => Ok(()),
        Err(other) => Err(other),
    }
}
