//! Whether a player can have known of a deadline. Nobody is dropped by a clock they had no notice of.

use super::open;
use super::running::Play;
use crate::store::plots::{self, DueRow};
use crate::store::{Conn, UserId, outbox, users};
use crate::tables::Refused;

/// Whether the player of a seat has had notice of the open phase's deadline, so that they are dropped when it passes.
/// They have when
///
/// 1. the deadline was put off for them before at this table, in whichever phase: that happens once for each player
///    and table, or a letter that never arrives would double every clock;
/// 2. they opened a page that shows this deadline, their turn or the list of their tables, or handed in, saved or took
///    back orders under this clock;
/// 3. a mail server accepted a letter that names this deadline;
/// 4. they have turned off the letters that say orders are due. Anyone who does not want to be told looks in.
///
/// In every other case they have not: no letter arrived, and they were not here.
pub fn has_had_notice(conn: &mut Conn, play: &Play, due: &DueRow, user_id: UserId) -> Result<bool, Refused> {
    let table_id = play.table.row.id;
    let deadline = open::running(&play.phase)?.deadline;
    Ok(plots::was_extended(conn, table_id, due.seat)?
        || due.seen_at.is_some()
        || outbox::told_of_deadline(conn, user_id, table_id, deadline)?
        || users::find(conn, user_id)?.is_some_and(|user| !user.wants_due))
}
