//! Calling a table off before it starts.

use crate::store::{Conn, Stamp, UserId, game_tables, seats, table_log, timers};

use crate::tables::access::Table;
use crate::tables::{Ctx, Refused, letters};

/// Calls a table off and tells those who sat there, except the one who did it.
pub fn call_off(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    why: &str,
    by: Option<UserId>,
) -> Result<(), Refused> {
    let table_id = table.row.id;
    game_tables::cancel(conn, table_id, why, now)?;
    timers::clear_all(conn, table_id)?;
    table_log::add(conn, now, table_id, "cancelled", why)?;
    let mut told: Vec<UserId> = seats::of_table(conn, table_id)?.iter().map(|seated| seated.row.user_id).collect();
    told.push(table.row.creator_id);
    told.sort_unstable();
    told.dedup();
    told.retain(|user_id| Some(*user_id) != by);
    letters::cancelled(conn, ctx, now, table, &told, why)
}
