//! Seats: who sits at a table, and who is invited to it.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::{invitations, removals, seats, users};
use super::{Conn, MultiBackend, PhaseNo, Stamp, TableId, UserId};

/// A seat's row. `seat` is empty until the seats are dealt; `setup` is JSON.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = seats)]
#[diesel(check_for_backend(MultiBackend))]
pub struct SeatRow {
    /// Id; those of a table sort in the order of sitting down.
    pub id: i64,
    /// Table.
    pub table_id: TableId,
    /// Player.
    pub user_id: UserId,
    /// Number of the seat, counted from 0.
    pub seat: Option<i32>,
    /// The player's answers to the game's seat fields, loadouts copied in as text.
    pub setup: String,
    /// When the player sat down.
    pub joined_at: Stamp,
    /// Time-outs that counted as a default plot so far.
    pub passes_used: i32,
    /// Last phase the player has seen.
    pub seen_phase_no: PhaseNo,
    /// When the player last looked at the table.
    pub seen_at: Option<Stamp>,
}

/// A seat with its player's name.
#[derive(Clone, Debug)]
pub struct Seated {
    /// The seat.
    pub row: SeatRow,
    /// The player's name as shown.
    pub name: String,
    /// The bot that plays it, as `game/bot`; `None` for a person.
    pub bot: Option<String>,
}

/// The seats of a table: by number once dealt, before that in the order of sitting down.
pub fn of_table(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<Seated>> {
    let rows: Vec<(SeatRow, String, Option<String>)> = seats::table
        .inner_join(users::table)
        .filter(seats::table_id.eq(table_id))
        .order((seats::seat, seats::id))
        .select((SeatRow::as_select(), users::name, users::bot))
        .load(conn)?;
    Ok(rows.into_iter().map(|(row, name, bot)| Seated { row, name, bot }).collect())
}

/// Who sits at these tables: table, player and name, in the order of [`of_table`].
pub fn of_tables(conn: &mut Conn, table_ids: &[TableId]) -> QueryResult<Vec<(TableId, UserId, String)>> {
    seats::table
        .inner_join(users::table)
        .filter(seats::table_id.eq_any(table_ids))
        .order((seats::table_id, seats::seat, seats::id))
        .select((seats::table_id, seats::user_id, users::name))
        .load(conn)
}

/// The seat this user has at the table.
pub fn of_user(conn: &mut Conn, table_id: TableId, user_id: UserId) -> QueryResult<Option<SeatRow>> {
    seats::table
        .filter(seats::table_id.eq(table_id))
        .filter(seats::user_id.eq(user_id))
        .select(SeatRow::as_select())
        .first(conn)
        .optional()
}

/// The last id at a table; 0 where nobody sits.
pub fn last_id(conn: &mut Conn, table_id: TableId) -> QueryResult<i64> {
    let last: Option<i64> =
        seats::table.filter(seats::table_id.eq(table_id)).select(diesel::dsl::max(seats::id)).first(conn)?;
    Ok(last.unwrap_or(0))
}

/// Adds a seat.
pub fn insert(conn: &mut Conn, row: &SeatRow) -> QueryResult<()> {
    diesel::insert_into(seats::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// Takes a player from a table that has not started.
pub fn delete(conn: &mut Conn, id: i64) -> QueryResult<()> {
    diesel::delete(seats::table.find(id)).execute(conn)?;
    Ok(())
}

/// Gives a player the seat the dice have dealt.
pub fn deal(conn: &mut Conn, id: i64, seat: i32) -> QueryResult<()> {
    diesel::update(seats::table.find(id)).set(seats::seat.eq(seat)).kept().execute(conn)?;
    Ok(())
}

/// Counts one more time-out that passed as a default plot.
pub fn use_pass(conn: &mut Conn, id: i64) -> QueryResult<()> {
    diesel::update(seats::table.find(id)).set(seats::passes_used.eq(seats::passes_used + 1)).kept().execute(conn)?;
    Ok(())
}

/// Notes that the player has looked at the table while this phase was open.
pub fn mark_seen(conn: &mut Conn, id: i64, phase_no: PhaseNo, now: Stamp) -> QueryResult<()> {
    diesel::update(seats::table.find(id))
        .set((seats::seen_phase_no.eq(phase_no), seats::seen_at.eq(now)))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// An invitation to a table, to a user or to an address.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = invitations)]
#[diesel(check_for_backend(MultiBackend))]
pub struct InvitationRow {
    /// Id.
    pub id: i64,
    /// Table.
    pub table_id: TableId,
    /// Who is invited, when invited by name.
    pub user_id: Option<UserId>,
    /// Who is invited, when invited by address: the lowered address.
    pub email_key: Option<String>,
    /// Who invited.
    pub invited_by: UserId,
    /// When.
    pub created_at: Stamp,
}

/// Adds an invitation.
pub fn invite(conn: &mut Conn, row: &InvitationRow) -> QueryResult<()> {
    diesel::insert_into(invitations::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// Takes this player's invitations to a table back.
pub fn uninvite(conn: &mut Conn, table_id: TableId, user_id: UserId, email_key: Option<&str>) -> QueryResult<()> {
    let of_table = || invitations::table.filter(invitations::table_id.eq(table_id));
    diesel::delete(of_table().filter(invitations::user_id.eq(user_id))).execute(conn)?;
    if let Some(key) = email_key {
        diesel::delete(of_table().filter(invitations::email_key.eq(key))).execute(conn)?;
    }
    Ok(())
}

/// Notes that a player was taken from a table before its start.
pub fn remove(conn: &mut Conn, table_id: TableId, user_id: UserId, now: Stamp) -> QueryResult<()> {
    readmit(conn, table_id, user_id)?;
    diesel::insert_into(removals::table)
        .values((removals::table_id.eq(table_id), removals::user_id.eq(user_id), removals::removed_at.eq(now)))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// Lets a player who was taken from a table sit down again.
pub fn readmit(conn: &mut Conn, table_id: TableId, user_id: UserId) -> QueryResult<()> {
    diesel::delete(removals::table.find((table_id, user_id))).execute(conn)?;
    Ok(())
}

/// Whether this player was taken from the table and not invited since.
pub fn was_removed(conn: &mut Conn, table_id: TableId, user_id: UserId) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(removals::table.find((table_id, user_id)))).get_result(conn)
}

/// The invitations to a table, oldest first.
pub fn invitations(conn: &mut Conn, table_id: TableId) -> QueryResult<Vec<InvitationRow>> {
    invitations::table
        .filter(invitations::table_id.eq(table_id))
        .order(invitations::id)
        .select(InvitationRow::as_select())
        .load(conn)
}

/// How many invitations to this user by name, or to this address, were made after `since`.
pub fn invited_since(
    conn: &mut Conn,
    user_id: Option<UserId>,
    email_key: Option<&str>,
    since: Stamp,
) -> QueryResult<i64> {
    let lately = || invitations::table.filter(invitations::created_at.gt(since));
    match (user_id, email_key) {
        (Some(user_id), _) => lately().filter(invitations::user_id.eq(user_id)).count().get_result(conn),
        (None, Some(key)) => lately().filter(invitations::email_key.eq(key)).count().get_result(conn),
        (None, None) => Ok(0),
    }
}

/// Tables this user is invited to by name or by their address.
pub fn invited_tables(conn: &mut Conn, user_id: UserId, email_key: Option<&str>) -> QueryResult<Vec<TableId>> {
    let mut found: Vec<TableId> =
        invitations::table.filter(invitations::user_id.eq(user_id)).select(invitations::table_id).load(conn)?;
    if let Some(key) = email_key {
        let by_address: Vec<TableId> =
            invitations::table.filter(invitations::email_key.eq(key)).select(invitations::table_id).load(conn)?;
        found.extend(by_address);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
