//! The heartbeat and what follows from a gap in it: an outage is nobody's fault, so the time is given back.

use chrono::TimeDelta;

use crate::clock::Clock;
use crate::store::{Conn, Database, Stamp, heartbeats};
use crate::tables::{self, Ctx, Refused};

/// How often a process says that it is alive.
pub const BEAT: TimeDelta = TimeDelta::minutes(1);

/// A longer gap is an outage. Twice the beat, so that one late beat is none.
pub const OUTAGE: TimeDelta = TimeDelta::minutes(2);

/// Beats when it is time to, and is asked before every sweep of the timers: so nothing may fire after an
/// outage (of the process, the database, or a computer asleep) before its time was given back.
#[derive(Debug, Default)]
pub struct Heartbeat {
    last: Option<Stamp>,
}

impl Heartbeat {
    /// Beats if this process's last beat is [`BEAT`] old, and credits the outage before it, if there was one.
    /// The beat comes after the credit: a process killed between them credits again, and `credit_outage`
    /// sees to it that no time is given twice.
    pub fn keep(&mut self, db: &Database, ctx: &Ctx, clock: &Clock) -> Result<(), Refused> {
        let now = clock.now();
        if self.last.is_some_and(|last| now >= last && now - last < BEAT) {
            return Ok(());
        }
        let alive = heartbeats::last(&mut *db.connection()?)?;
        if let Some(alive) = alive.filter(|alive| now - *alive > OUTAGE) {
            tables::credit_outage(db, ctx, now, alive)?;
        }
        db.write(|conn: &mut Conn| heartbeats::beat(conn, now))?;
        self.last = Some(now);
        Ok(())
    }

    /// The database failed: how long it was away is to be looked up before any timer fires again.
    pub fn doubt(&mut self) {
        self.last = None;
    }
}
