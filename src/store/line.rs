//! A connection and what others may know of it while a thread uses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Conn;

/// What others may know of a connection while a thread uses it.
#[derive(Debug, Default)]
pub struct Line {
    /// Since when the database owes an answer; see [`mark`].
    since: AtomicU64,
    /// Whether it is lent and counted as such; false once it lies idle, has ended, or was written off. Changed only
    /// while the shelf is locked.
    pub(super) lent: AtomicBool,
}

impl Line {
    /// The database was asked.
    pub(super) fn asked(&self) {
        self.since.store(mark(), Ordering::SeqCst);
    }

    /// The database has answered.
    pub(super) fn answered(&self) {
        self.since.store(0, Ordering::SeqCst);
    }

    /// How long the database has owed an answer.
    pub(super) fn waits(&self) -> Option<Duration> {
        since(&self.since)
    }
}

/// A moment as a number that an atomic can hold: milliseconds since the first one asked for, from 1 on; 0 means none.
pub(super) fn mark() -> u64 {
    u64::try_from(first().elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
}

/// How long ago the moment in `at` was; `None` when there is none in it.
pub(super) fn since(at: &AtomicU64) -> Option<Duration> {
    match at.load(Ordering::SeqCst) {
        0 => None,
        then => Some(Duration::from_millis(mark().saturating_sub(then))),
    }
}

fn first() -> Instant {
    static FIRST: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    *FIRST
}

/// A connection and what others may know of it.
pub(super) struct Open {
    pub(super) conn: Conn,
    pub(super) line: Arc<Line>,
}
