//! The clock's figures, decided without a database.

use chrono::TimeDelta;

use crate::store::Stamp;

/// Shortest time limit: five minutes.
pub const SHORTEST_LIMIT_S: i64 = 5 * 60;
/// Longest time limit: fourteen days.
pub const LONGEST_LIMIT_S: i64 = 14 * 24 * 3600;
/// A deadline's timer fires this much later, so that a plot received in the last second is stored first: the
/// receipt time decides, not the moment at which the server comes round to it.
pub const RECEIPT_GRACE_S: i64 = 2;
/// Longest automatic extension: a day.
const LONGEST_EXTENSION_S: i64 = 24 * 3600;

/// A running clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// When it began.
    pub started: Stamp,
    /// When it runs out.
    pub deadline: Stamp,
}

/// A clock that begins to run now, with the whole limit.
pub fn fresh(now: Stamp, limit_s: i64) -> Running {
    Running { started: now, deadline: now + TimeDelta::seconds(limit_s) }
}

/// When the timer of this deadline fires.
pub fn fires(deadline: Stamp) -> Stamp {
    deadline + TimeDelta::seconds(RECEIPT_GRACE_S)
}

/// When a quarter of the time is left.
pub fn reminder(running: Running) -> Stamp {
    let whole = (running.deadline - running.started).num_seconds();
    running.deadline - TimeDelta::seconds(whole / 4)
}

/// The deadline after the one automatic extension, given when the clock has run out unseen.
pub fn extended(now: Stamp, limit_s: i64) -> Stamp {
    now + TimeDelta::seconds(limit_s.min(LONGEST_EXTENSION_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Stamp {
        chrono::DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap().naive_utc()
    }

    #[test]
    fn the_reminder_comes_when_a_quarter_is_left() {
        assert_eq!(reminder(Running { started: at(0), deadline: at(400) }), at(300));
        assert_eq!(reminder(fresh(at(40), 100)), at(115));
        assert_eq!(extended(at(0), 300), at(300));
        assert_eq!(extended(at(0), 14 * 24 * 3600), at(24 * 3600));
    }
}
