//! The server's clock: UTC in whole seconds, passed to everything that needs to know the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::store::Stamp;

/// Where the time comes from.
#[derive(Clone, Debug)]
pub enum Clock {
    /// The computer's clock.
    System,
    /// A clock moved by hand, for tests and simulation. Clones show the same time.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A manual clock that starts at `start`.
    pub fn manual(start: Stamp) -> Clock {
        Clock::Manual(Arc::new(AtomicI64::new(start.and_utc().timestamp())))
    }

    /// Now, in UTC, cut to whole seconds.
    pub fn now(&self) -> Stamp {
        let seconds = match self {
            Clock::System => chrono::Utc::now().timestamp(),
            Clock::Manual(seconds) => seconds.load(Ordering::SeqCst),
        };
        chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default().naive_utc()
    }

    /// Moves a manual clock forward; the computer's clock is left alone.
    pub fn advance(&self, by: chrono::TimeDelta) {
        if let Clock::Manual(seconds) = self {
            seconds.fetch_add(by.num_seconds(), Ordering::SeqCst);
        }
    }
}
