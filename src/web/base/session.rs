//! The session of a request.

use super::me::Me;
use crate::accounts;
use crate::store::{Database, Stamp, plots};

/// The player and the form secret behind a session cookie; notes now and then that the session is in use.
pub fn find(db: &Database, now: Stamp, token: &str) -> diesel::QueryResult<Option<(Me, String)>> {
    let found = db.read(|conn| {
        let Some(signed) = accounts::session(conn, now, token)? else { return Ok(None) };
        let due = plots::count_due(conn, signed.user.id)?;
        Ok::<_, diesel::result::Error>(Some((signed, due)))
    })?;
    let Some((signed, due)) = found else { return Ok(None) };
    if signed.touch_due {
        // Not worth waiting for: the next request tries again.
        if let Err(error) = db.try_write(|conn| accounts::touch(conn, now, &signed.session.id)) {
            tracing::debug!(%error, "That a session is in use is noted later.");
        }
    }
    let me = Me {
        user_id: signed.user.id,
        zone: signed.user.tz(),
        session_id: signed.session.id,
        due: usize::try_from(due).unwrap_or_default(),
        mail_fault: signed.user.mail_fault,
        name: signed.user.name,
    };
    Ok(Some((me, signed.session.csrf)))
}
