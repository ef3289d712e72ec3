//! Sitting down at a table, leaving it before it starts, and calling it off.

use crate::rules::SeatSetup;
use crate::store::seats::{self, SeatRow};
use crate::store::{Conn, Stamp, game_tables, new_id, table_log};

use super::access::{self, Table};
use super::advance::json;
use super::create::seat_answers;
use super::players::join_rule;
use super::start::start;
use super::{Ctx, Refused, letters};

/// Sits the player down; the table starts when it is full (then `true`). `setup`: answers to the game's seat
/// fields; a loadout is a stock id, `saved:` and the id of one of the player's own, or a text. `key`: the
/// secret of an invitation link.
pub fn join(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table_id: i64,
    user_id: i64,
    setup: &SeatSetup,
    key: Option<&str>,
) -> Result<bool, Refused> {
    let table = access::lock(conn, ctx, table_id)?;
    if !access::may_see(conn, &table.row, Some(user_id), key)? {
        return Err(Refused::NoTable);
    }
    let taken = seats::of_table(conn, table_id)?;
    if taken.iter().any(|seated| seated.row.user_id == user_id) {
        return Err(Refused::AlreadySeated);
    }
    table.must_wait()?;
    must_be_invited(conn, &table, user_id, key)?;
    must_be_free_to_join(conn, ctx, user_id, table.row.max_drops)?;
    let mut faults = Vec::new();
    let setup = seat_answers(conn, &*table.game, user_id, setup, &mut faults)?;
    if !faults.is_empty() {
        return Err(Refused::Form(faults));
    }
    sit_down(conn, now, table_id, user_id, &setup)?;
    let (sitting, wanted) = (taken.len() + 1, usize::try_from(table.row.seat_count).unwrap_or(0));
    table_log::add(conn, now, table_id, "joined", &format!("A player sat down: {sitting} of {wanted}."))?;
    if sitting < wanted {
        return Ok(false);
    }
    start(conn, ctx, now, table)?;
    Ok(true)
}

fn must_be_invited(conn: &mut Conn, table: &Table, user_id: i64, key: Option<&str>) -> Result<(), Refused> {
    let welcome = !table.row.invite_only
        || table.row.creator_id == user_id
        || access::has_key(&table.row, key)
        || access::is_invited(conn, table.row.id, user_id)?;
    if welcome { Ok(()) } else { Err(Refused::NotInvited) }
}

/// Refuses a player whom the server's joining rule, or the table's own, keeps away.
pub fn must_be_free_to_join(conn: &mut Conn, ctx: &Ctx, user_id: i64, max_drops: Option<i32>) -> Result<(), Refused> {
    let standing = join_rule(conn, ctx, user_id)?;
    if !standing.may_join {
        return Err(Refused::TooManyDrops(standing.sentence));
    }
    match max_drops {
        Some(most) if i64::from(standing.drops) > i64::from(most) => Err(Refused::TooManyDrops(format!(
            "This table asks for at most {most} drops among the last {} ranked games; you have {} in {}. Drops \
             count less as you finish further games at other tables.",
            ctx.join.window, standing.drops, standing.games
        ))),
        _ => Ok(()),
    }
}

/// Adds a seat for a player, with loadouts already copied into the set-up.
pub fn sit_down(conn: &mut Conn, now: Stamp, table_id: i64, user_id: i64, setup: &SeatSetup) -> Result<(), Refused> {
    let row = SeatRow {
        id: new_id(now),
        table_id,
        user_id,
        seat: None,
        setup: json(setup),
        joined_at: now,
        passes_used: 0,
        seen_phase_no: 0,
        seen_at: Some(now),
    };
    seats::insert(conn, &row)?;
    Ok(())
}

/// Takes the player from a table that has not started.
pub fn leave_before_start(conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: i64, user_id: i64) -> Result<(), Refused> {
    let table = access::lock(conn, ctx, table_id)?;
    let Some(seat) = seats::of_user(conn, table_id, user_id)? else {
        let known = access::may_see(conn, &table.row, Some(user_id), None)?;
        return Err(if known { Refused::NoSeat } else { Refused::NoTable });
    };
    table.must_wait()?;
    if table.row.creator_id == user_id {
        return Err(Refused::CreatorStays);
    }
    seats::delete(conn, seat.id)?;
    let left = seats::of_table(conn, table_id)?.len();
    table_log::add(conn, now, table_id, "left", &format!("A player left: {left} of {} remain.", table.row.seat_count))?;
    Ok(())
}

/// Calls a table off before it starts; only its creator may.
pub fn cancel(conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: i64, user_id: i64) -> Result<(), Refused> {
    let table = access::lock(conn, ctx, table_id)?;
    if table.row.creator_id != user_id {
        let known = access::may_see(conn, &table.row, Some(user_id), None)?;
        return Err(if known { Refused::NotCreator } else { Refused::NoTable });
    }
    table.must_wait()?;
    let why = "The player who made the table called it off before it began.";
    game_tables::cancel(conn, table_id, why, now)?;
    table_log::add(conn, now, table_id, "cancelled", why)?;
    let seated = seats::of_table(conn, table_id)?;
    letters::cancelled(conn, ctx, now, &table, &seated, why)
}
