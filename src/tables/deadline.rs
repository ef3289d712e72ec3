//! What happens when a timer fires.

use crate::store::timers::TimerRow;
use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// What a timer has led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Nothing: the timer was gone, moved or out of date.
    Nothing,
    /// Reminders were queued for this many seats.
    Reminded(usize),
    /// A player had no notice of the deadline: it was put off, once.
    Extended,
    /// The phase was resolved with drafts and default plots in the place of missing ones.
    Resolved,
    /// This many seats were dropped.
    Dropped(usize),
}

/// Carries out a timer that is due. The timer and everything it is about are looked at anew.
pub fn wake(conn: &mut Conn, ctx: &Ctx, now: Stamp, timer: &TimerRow) -> Result<Woken, Refused> {
    let _ = (conn, ctx, now, timer);
    Err(Refused::NoTable)
}
