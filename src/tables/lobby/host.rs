//! What the player who made a table may do with it before it starts: start it early, take somebody from a
//! seat, and leave it to somebody else.

use crate::store::seats::{self, Seated};
use crate::store::{Conn, Stamp, TableId, UserId, game_tables, new_token, table_log, users};

use super::start::start;
use crate::tables::access::{self, Table};
use crate::tables::{At, Ctx, Refused, letters};

/// The fewest players any game is played by.
const LEAST_PLAYERS: usize = 2;

/// The locked table, if this player made it and it still waits.
pub fn own_table(conn: &mut Conn, ctx: &Ctx, table_id: TableId, user_id: UserId) -> Result<Table, Refused> {
    let table = access::lock(conn, ctx, table_id)?;
    if table.row.creator_id != user_id {
        let known = access::may_see(conn, &table.row, Some(user_id), None)?;
        return Err(if known { Refused::NotCreator } else { Refused::NoTable });
    }
    table.must_wait()?;
    Ok(table)
}

/// The fewest players this table can start with: two, or more if the game with its options needs more.
pub fn least_players(table: &Table) -> Result<usize, Refused> {
    let options = serde_json::from_str(&table.row.options)
        .map_err(|error| Refused::Broken(format!("stored options cannot be read: {error}")))?;
    Ok((*table.game.seats(&options).start()).max(LEAST_PLAYERS))
}

/// Starts a table before it is full. Its free seats are closed: what a win is worth goes by the number of those
/// who sit there. `seated`: how many the player saw when deciding; with another number by now nothing is done.
pub fn start_now(conn: &mut Conn, ctx: &Ctx, at: At, seated: usize) -> Result<(), Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let mut table = own_table(conn, ctx, table_id, user_id)?;
    let sitting = seats::of_table(conn, table_id)?.len();
    if sitting != seated {
        return Err(Refused::SeatsChanged { sitting });
    }
    let least = least_players(&table)?;
    if sitting < least {
        return Err(Refused::TooFew { sitting, least });
    }
    let why = format!(
        "The host started the table with {sitting} of {} seats taken; the other seats were closed.",
        table.row.seat_count
    );
    table.row.seat_count = i32::try_from(sitting).unwrap_or(i32::MAX);
    game_tables::set_seat_count(conn, table_id, table.row.seat_count)?;
    start(conn, ctx, now, table, &why)
}

/// Takes a player from a seat of a table that waits. They are told, and sit down again only when the host invites them
/// again; the link of a private table is changed. A bot just goes. Returns whether it was a person.
pub fn remove(conn: &mut Conn, ctx: &Ctx, at: At, removed_id: UserId) -> Result<bool, Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let table = own_table(conn, ctx, table_id, user_id)?;
    if removed_id == user_id {
        return Err(Refused::OwnSeat);
    }
    let seat = seats::of_user(conn, table_id, removed_id)?.ok_or(Refused::NotSeated)?;
    let removed = users::find(conn, removed_id)?.ok_or(Refused::NotSeated)?;
    seats::delete(conn, seat.id)?;
    let left = seats::of_table(conn, table_id)?.len();
    let remain = format!("{left} of {} remain", table.row.seat_count);
    if removed.bot.is_some() {
        table_log::add(conn, now, table_id, "left", &format!("A bot was removed: {remain}."))?;
        return Ok(false);
    }
    seats::uninvite(conn, table_id, removed_id, removed.email_key.as_deref())?;
    seats::remove(conn, table_id, removed_id, now)?;
    if table.row.invite_only {
        // The removed player knows the old one, and would see by it, signed out, what they may no longer see.
        game_tables::change_invite_key(conn, &table.row, &new_token())?;
    }
    let text = format!("The host removed a player: {remain}.");
    table_log::add(conn, now, table_id, "removed", &text)?;
    letters::removed(conn, ctx, now, &table, removed_id)?;
    Ok(true)
}

/// Who takes a table over when the player who made it goes: whoever sat down first of the other people.
pub fn heir(conn: &mut Conn, table: &Table) -> Result<Option<UserId>, Refused> {
    let seated = seats::of_table(conn, table.row.id)?;
    let others = seated.iter().filter(|seated| seated.row.user_id != table.row.creator_id && seated.bot.is_none());
    Ok(others.min_by_key(|seated: &&Seated| seated.row.id).map(|seated| seated.row.user_id))
}

/// Makes `heir` the one who may start, invite, take from seats and call off.
pub fn hand_on(conn: &mut Conn, ctx: &Ctx, now: Stamp, table: &Table, heir: UserId) -> Result<(), Refused> {
    let table_id = table.row.id;
    game_tables::set_creator(conn, table_id, heir)?;
    let text = "The host left the table. The player who sat down next is now the host.";
    table_log::add(conn, now, table_id, "handed-on", text)?;
    letters::handed_on(conn, ctx, now, table, heir)
}
