//! What the server does by itself: run due timers, send letters, keep house. Loops sleep until something is
//! due and are woken when something new comes in; a scheduler beats the time for the safety sweep and upkeep.
//! A failed run is logged and tried again, it never ends a loop.

use std::sync::Arc;

use tokio::sync::Notify;

pub mod loops;
pub mod outbox;
pub mod timers;

/// Wakes the loops before their time. Whoever sets a timer or queues a letter calls this after the commit.
#[derive(Clone, Debug, Default)]
pub struct Wakers {
    /// Wakes the loop that runs due timers.
    pub timers: Arc<Notify>,
    /// Wakes the loop that sends letters.
    pub outbox: Arc<Notify>,
}

impl Wakers {
    /// Wakes both loops.
    pub fn wake(&self) {
        self.timers.notify_one();
        self.outbox.notify_one();
    }
}
