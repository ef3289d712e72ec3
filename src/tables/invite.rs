//! Invitations by name, by mail address and by link.

use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// Invites somebody to an open table by letter: `whom` is a player's name or a mail address. Whether an
/// address has an account is never told. Seated players and the creator may invite.
pub fn invite(conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: i64, user_id: i64, whom: &str) -> Result<(), Refused> {
    let _ = (conn, ctx, now, table_id, user_id, whom);
    Err(Refused::NoTable)
}

/// The table an invitation link belongs to.
pub fn by_invite_key(conn: &mut Conn, key: &str) -> Result<i64, Refused> {
    let _ = (conn, key);
    Err(Refused::NoTable)
}
