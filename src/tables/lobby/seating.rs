//! Sitting down at a table, leaving it before it starts, and calling it off.

use crate::rules::SeatSetup;
use crate::store::seats::{self, SeatRow};
use crate::store::{Conn, PhaseNo, Stamp, TableId, UserId, new_id_after, results, table_log};

use super::answers::seat_answers;
use super::calling_off::call_off;
use super::start::start;
use super::{host, unjoined};
use crate::tables::access::{self, Table};
use crate::tables::packed::json;
use crate::tables::pages::players::join_rule;
use crate::tables::{At, Ctx, Refused, fair, score, words};

/// Sits the player down; the table starts when it is full (then `true`). `setup`: answers to the game's seat
/// fields; a loadout is a stock id, `saved:` and the id of one of the player's own, or a text. `key`: the
/// secret of an invitation link.
pub fn join(conn: &mut Conn, ctx: &Ctx, at: At, setup: &SeatSetup, key: Option<&str>) -> Result<bool, Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let table = access::lock(conn, ctx, table_id)?;
    if !access::may_see(conn, &table.row, Some(user_id), key)? {
        return Err(Refused::NoTable);
    }
    let taken = seats::of_table(conn, table_id)?;
    if taken.iter().any(|seated| seated.row.user_id == user_id) {
        return Err(Refused::AlreadySeated);
    }
    table.must_wait()?;
    may_join(conn, ctx, now, &table, user_id, key)?;
    let mut faults = Vec::new();
    let setup = seat_answers(conn, &*table.game, user_id, setup, &mut faults)?;
    if !faults.is_empty() {
        return Err(Refused::Form(faults));
    }
    sit_down(conn, now, table_id, user_id, &setup)?;
    let (sitting, wanted) = (taken.len() + 1, usize::try_from(table.row.seat_count).unwrap_or(0));
    table_log::add(conn, now, table_id, "joined", &format!("A player sat down: {sitting} of {wanted}."))?;
    if sitting < wanted {
        unjoined::wait_anew(conn, ctx, now, table_id)?;
        return Ok(false);
    }
    start(conn, ctx, now, table, "All seats are taken.")?;
    Ok(true)
}

/// What keeps this player from sitting down at a table that waits, as sentences; `None`: nothing does. For the
/// page that offers the seat.
pub fn what_keeps_away(conn: &mut Conn, ctx: &Ctx, at: At, key: Option<&str>) -> Result<Option<String>, Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let table = access::visible(conn, ctx, table_id, Some(user_id), key)?;
    match may_join(conn, ctx, now, &table, user_id, key) {
        Ok(()) => Ok(None),
        Err(refused @ (Refused::NotInvited | Refused::TooManyDrops(_) | Refused::TooLow(_) | Refused::Removed)) => {
            Ok(Some(refused.to_string()))
        }
        Err(other) => Err(other),
    }
}

/// Refuses whom the table does not want, and whom a joining rule keeps away: the server's or the table's own.
fn may_join(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    user_id: UserId,
    key: Option<&str>,
) -> Result<(), Refused> {
    must_be_invited(conn, table, user_id, key)?;
    if seats::was_removed(conn, table.row.id, user_id)? {
        return Err(Refused::Removed);
    }
    must_be_free_to_join(conn, ctx, now, user_id)?;
    must_have_few_drops(conn, ctx, now, table, user_id)?;
    must_have_the_score(conn, table, user_id)
}

fn must_be_invited(conn: &mut Conn, table: &Table, user_id: UserId, key: Option<&str>) -> Result<(), Refused> {
    let welcome = !table.row.invite_only
        || table.row.creator_id == user_id
        || access::has_key(&table.row, key)
        || access::is_invited(conn, table.row.id, user_id)?;
    if welcome { Ok(()) } else { Err(Refused::NotInvited) }
}

/// Refuses a player whom the server's joining rule keeps away.
pub fn must_be_free_to_join(conn: &mut Conn, ctx: &Ctx, now: Stamp, user_id: UserId) -> Result<(), Refused> {
    let standing = join_rule(conn, ctx, now, user_id)?;
    if standing.may_join { Ok(()) } else { Err(Refused::TooManyDrops(standing.sentence)) }
}

fn must_have_few_drops(conn: &mut Conn, ctx: &Ctx, now: Stamp, table: &Table, user_id: UserId) -> Result<(), Refused> {
    let Some(most) = table.row.max_drops else { return Ok(()) };
    let standing = join_rule(conn, ctx, now, user_id)?;
    if i64::from(standing.drops) <= i64::from(most) {
        return Ok(());
    }
    Err(Refused::TooManyDrops(format!(
        "This table is for players with {}; you have {}. A drop stops counting after {} days, or once you have finished \
         {} ranked games after it against {} different opponents.",
        words::drops(most),
        standing.drops,
        fair::DROP_DAYS,
        ctx.join.window,
        fair::DROP_OPPONENTS
    )))
}

fn must_have_the_score(conn: &mut Conn, table: &Table, user_id: UserId) -> Result<(), Refused> {
    let Some(least) = table.row.min_score else { return Ok(()) };
    let score = i64::from(score::START) + results::booked_change(conn, user_id)?;
    if score >= i64::from(least) {
        return Ok(());
    }
    Err(Refused::TooLow(format!(
        "This table asks for a score of at least {least}; yours is {score}. Everybody starts at {}, and each ranked \
         game you win at another table adds to it when that game is over.",
        score::START
    )))
}

/// Adds a seat for a player, with loadouts already copied into the set-up.
pub fn sit_down(
    conn: &mut Conn,
    now: Stamp,
    table_id: TableId,
    user_id: UserId,
    setup: &SeatSetup,
) -> Result<(), Refused> {
    let row = SeatRow {
        // Who sat down first also counts within a second: it says who looks after the table next.
        id: new_id_after(now, seats::last_id(conn, table_id)?),
        table_id,
        user_id,
        seat: None,
        setup: json(setup),
        joined_at: now,
        passes_used: 0,
        seen_phase_no: PhaseNo(0),
        seen_at: Some(now),
    };
    seats::insert(conn, &row)?;
    Ok(())
}

/// Takes the player from a table that has not started. A table left by the player who made it is handed on to
/// whoever sat down first after them; with nobody else there it can only be called off.
pub fn leave_before_start(conn: &mut Conn, ctx: &Ctx, at: At) -> Result<(), Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let table = access::lock(conn, ctx, table_id)?;
    let Some(seat) = seats::of_user(conn, table_id, user_id)? else {
        let known = access::may_see(conn, &table.row, Some(user_id), None)?;
        return Err(if known { Refused::NoSeat } else { Refused::NoTable });
    };
    table.must_wait()?;
    let heir = match table.row.creator_id == user_id {
        true => match host::heir(conn, &table)? {
            Some(heir) => Some(heir),
            None if seats::of_table(conn, table_id)?.len() > 1 => return Err(Refused::OnlyBotsStay),
            None => return Err(Refused::CreatorStays),
        },
        false => None,
    };
    seats::delete(conn, seat.id)?;
    let left = seats::of_table(conn, table_id)?.len();
    table_log::add(conn, now, table_id, "left", &format!("A player left: {left} of {} remain.", table.row.seat_count))?;
    match heir {
        Some(heir) => host::hand_on(conn, ctx, now, &table, heir),
        None => Ok(()),
    }
}

/// Calls a table off before it starts; only its creator may.
pub fn cancel(conn: &mut Conn, ctx: &Ctx, at: At) -> Result<(), Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let table = access::lock(conn, ctx, table_id)?;
    if table.row.creator_id != user_id {
        let known = access::may_see(conn, &table.row, Some(user_id), None)?;
        return Err(if known { Refused::NotCreator } else { Refused::NoTable });
    }
    table.must_wait()?;
    call_off(conn, ctx, now, &table, "The player who made the table called it off before it began.", Some(user_id))
}
