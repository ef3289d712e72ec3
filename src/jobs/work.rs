//! What the jobs work with, and what wakes them.

use std::sync::Arc;

use tokio::sync::Notify;

use super::readiness::Readiness;
use crate::clock::Clock;
use crate::mail::{SENDERS, Transport};
use crate::store::Database;
use crate::tables::{Ctx, Marks};

/// Wakes the loops before their time. Anyone who sets a timer or queues a letter calls this after the commit.
#[derive(Clone, Debug, Default)]
pub struct Wakers {
    /// Wakes the loop that runs due timers.
    pub timers: Arc<Notify>,
    /// Wakes the loops that send letters.
    pub outbox: Bell,
}

/// Wakes all senders of letters; each has a loop of its own.
#[derive(Clone, Debug, Default)]
pub struct Bell(pub(super) Arc<[Arc<Notify>; SENDERS]>);

impl Bell {
    /// Makes every sender look whether something is due.
    pub fn ring(&self) {
        self.0.iter().for_each(|sender| sender.notify_one());
    }
}

impl Wakers {
    /// Wakes all loops.
    pub fn wake(&self) {
        self.timers.notify_one();
        self.outbox.ring();
    }
}

/// What the jobs work with.
#[derive(Clone)]
pub struct Work {
    /// The database.
    pub db: Database,
    /// The clock.
    pub clock: Clock,
    /// What use cases need.
    pub ctx: Ctx,
    /// Wakes the loops.
    pub wakers: Wakers,
    /// The way out for letters.
    pub transport: Arc<Transport>,
    /// What players have seen and what is not noted yet.
    pub marks: Marks,
    /// Why the loops do nothing just now, if they don't; the heartbeat says so.
    pub readiness: Readiness,
}
