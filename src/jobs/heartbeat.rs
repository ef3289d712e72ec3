//! The heartbeat and what follows from a gap in it: an outage is nobody's fault, so its time is added to every clock.
//! But first comes the question whether the clock can be believed: a wrong one would move every deadline for good.

use std::time::Instant;

use chrono::TimeDelta;

use super::Readiness;
use crate::clock::Clock;
use crate::store::{Conn, Database, Stamp, dialect, heartbeats, new_token};
use crate::tables::{self, Refused};
use crate::when;

/// How often a process says that it is alive.
pub const BEAT: TimeDelta = TimeDelta::minutes(1);

/// A longer gap is an outage. Twice the beat, so that one late beat is none.
pub const OUTAGE: TimeDelta = TimeDelta::minutes(2);

/// The longest gap that is credited without asking the operator.
pub const ASKS_AFTER: TimeDelta = TimeDelta::hours(1);

/// How far two clocks may be apart.
pub const TOLERANCE: TimeDelta = TimeDelta::seconds(5);

/// The clock that this process's own is compared with.
#[derive(Clone, Debug, Default)]
pub enum Reference {
    /// The database's. SQLite has none, and one process.
    #[default]
    Database,
    /// Another one, for tests.
    Clock(Clock),
}

/// Beats when it is time to, and is asked before every sweep of the timers: so nothing may fire after an
/// outage (of the process, the database, or a computer asleep) before its time was given back.
#[derive(Debug)]
pub struct Heartbeat {
    /// The process's name among the heartbeats.
    name: String,
    /// The last beat, by the clock and by the time that has really passed.
    last: Option<(Stamp, Instant)>,
    /// Whether the database has failed since.
    doubted: bool,
    reference: Reference,
    /// Whether a gap of any length is credited without asking.
    trusting: bool,
    readiness: Readiness,
}

impl Heartbeat {
    /// The heartbeat of a process that begins. It says in `readiness` why it leaves the deadlines alone, while it does.
    pub fn new(readiness: Readiness) -> Heartbeat {
        Heartbeat {
            name: new_token(),
            last: None,
            doubted: false,
            reference: Reference::Database,
            trusting: false,
            readiness,
        }
    }

    /// The same, compared with another clock.
    pub fn compared_with(self, reference: Reference) -> Heartbeat {
        Heartbeat { reference, ..self }
    }

    /// The same, for a server that nobody operates: a gap of any length is credited without asking.
    pub fn trusting(self) -> Heartbeat {
        Heartbeat { trusting: true, ..self }
    }

    /// Beats if this process's last beat is [`BEAT`] old, and credits the outage before it, if there was one. Returns
    /// whether timers may fire: not while this process's clock is wrong, or may be; then [`Readiness`] says why, and
    /// nothing is written. The beat comes after the credit: a process killed between them finds the credit made.
    pub fn keep(&mut self, db: &Database, clock: &Clock) -> Result<bool, Refused> {
        let now = clock.now();
        let fresh = self.last.is_some_and(|(last, _)| now >= last && now - last < BEAT);
        if fresh && !self.doubted && self.runs_evenly(now) && self.readiness.reason().is_none() {
            return Ok(true);
        }
        let reason = match self.wrong_clock(db, clock)? {
            Some(reason) => Some(reason),
            None => self.bridge_gap(db, now)?,
        };
        let ready = reason.is_none();
        let words = reason.clone();
        if self.readiness.set(reason) {
            match words {
                Some(reason) => tracing::error!(reason, "No deadline fires, no clock is moved and no letter leaves."),
                None => tracing::info!("The clock is right; deadlines fire again."),
            }
        }
        if ready {
            db.write(|conn: &mut Conn| heartbeats::beat(conn, &self.name, now))?;
            self.last = Some((now, Instant::now()));
            self.doubted = false;
        }
        Ok(ready)
    }

    /// The database failed: how long it was away is to be looked up before any timer fires again.
    pub fn doubt(&mut self) {
        self.doubted = true;
    }

    /// Whether the clock has gone on since the last beat as time itself has.
    fn runs_evenly(&self, now: Stamp) -> bool {
        self.last.is_some_and(|(last, then)| {
            let passed = TimeDelta::from_std(then.elapsed()).unwrap_or(TimeDelta::MAX);
            (now - last - passed).abs() <= TOLERANCE
        })
    }

    /// Why this process's clock is not believed.
    fn wrong_clock(&self, db: &Database, clock: &Clock) -> Result<Option<String>, Refused> {
        let before = clock.now();
        let reference = match &self.reference {
            Reference::Database => dialect::clock(&mut *db.connection()?)?,
            Reference::Clock(other) => Some(other.now()),
        };
        let after = clock.now();
        let Some(right) = reference else { return Ok(None) };
        // The question took a while; at some moment in it the other clock was read.
        let (off, side) = if right < before { (before - right, "ahead of") } else { (right - after, "behind") };
        Ok((off > TOLERANCE).then(|| {
            format!(
                "the clock of this computer is {} {side} the database's; set it right (most systems do so by themselves \
                 with NTP). Until then other servers look after the deadlines",
                when::span(off.num_seconds())
            )
        }))
    }

    /// Credits the gap since the last sign of life; returns why it does not, if the operator has to decide.
    fn bridge_gap(&self, db: &Database, now: Stamp) -> Result<Option<String>, Refused> {
        tables::finish_credits(db, now)?;
        let Some(alive) = db.read(tables::last_alive)? else { return Ok(None) };
        let gap = now - alive;
        if gap < -TOLERANCE {
            return Ok(Some(format!(
                "the database last saw a server at {alive} UTC, which is {} from now by this computer's clock. Set the \
                 clock right. If it is right, type `stardate clocks show`",
                when::span(-gap.num_seconds())
            )));
        }
        if gap <= OUTAGE {
            return Ok(None);
        }
        // While this process was there all the time and its clock ran evenly, the gap is what it looks like.
        if gap > ASKS_AFTER && !self.trusting && !self.runs_evenly(now) {
            return Ok(Some(format!(
                "the database last saw a server at {alive} UTC, {} ago by this computer's clock. If that is so, type \
                 `stardate clocks credit`: it moves every deadline by that time. If the clock is wrong, set it right. \
                 `stardate clocks show` tells more",
                when::span(gap.num_seconds())
            )));
        }
        tables::credit_outage(db, now, alive)?;
        Ok(None)
    }
}
