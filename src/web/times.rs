//! Moments and lengths of time as people read them.

use chrono::{Datelike, TimeZone};
use chrono_tz::Tz;

use crate::store::Stamp;

/// A moment in a zone, seen from now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zoned {
    /// `Mon 30 Nov, 18:05`, with the year when it is another one.
    pub date: String,
    /// `in 22 h`, `3 days ago`, `just now`.
    pub relative: String,
    /// For the `datetime` attribute.
    pub iso: String,
    /// Abbreviation or offset of the zone at that moment: `CET`.
    pub zone: String,
    /// Less than six hours ahead: worth a warning colour.
    pub soon: bool,
    /// Not ahead any more.
    pub past: bool,
}

impl Zoned {
    /// `at` in `zone`, seen from `now`.
    pub fn new(at: Stamp, now: Stamp, zone: Tz) -> Zoned {
        let local = zone.from_utc_datetime(&at);
        let here = zone.from_utc_datetime(&now);
        let format = if local.year() == here.year() { "%a %-d %b, %H:%M" } else { "%a %-d %b %Y, %H:%M" };
        let left = (at - now).num_seconds();
        Zoned {
            date: local.format(format).to_string(),
            relative: relative(left),
            iso: at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            zone: local.format("%Z").to_string(),
            soon: left > 0 && left < 6 * 3600,
            past: left <= 0,
        }
    }
}

/// A distance from now in words, with the precision one needs: never more than two units.
pub fn relative(seconds: i64) -> String {
    match seconds {
        0 => "now".to_owned(),
        1.. => format!("in {}", coarse(seconds)),
        -59..=-1 => "just now".to_owned(),
        _ => format!("{} ago", coarse(-seconds)),
    }
}

/// The length as one reads it on a clock running down: rounded down, so that nobody counts on time that isn't left.
fn coarse(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        ..60 => "less than a minute".to_owned(),
        60..3600 => format!("{minutes} min"),
        3600..36_000 if minutes % 60 >= 1 => format!("{hours} h {} min", minutes % 60),
        3600..172_800 => format!("{hours} h"),
        172_800..864_000 if hours % 24 >= 1 => format!("{days} days {} h", hours % 24),
        _ => format!("{days} days"),
    }
}

/// A time limit in words: exact, in the largest unit that fits.
pub fn limit(seconds: i64) -> String {
    let unit = |count: i64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    match seconds {
        s if s % 86_400 == 0 && s > 5 * 86_400 => unit(s / 86_400, "day", "days"),
        s if s % 3600 == 0 => unit(s / 3600, "hour", "hours"),
        s if s % 60 == 0 => unit(s / 60, "minute", "minutes"),
        s => unit(s, "second", "seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(text: &str) -> Stamp {
        text.parse().unwrap()
    }

    #[test]
    fn distances_are_short_and_never_promise_too_much() {
        for (seconds, words) in [
            (0, "now"),
            (59, "in less than a minute"),
            (3599, "in 59 min"),
            (3600, "in 1 h"),
            (5400, "in 1 h 30 min"),
            (79_200, "in 22 h"),
            (86_400, "in 24 h"),
            (172_800, "in 2 days"),
            (180_000, "in 2 days 2 h"),
            (1_000_000, "in 11 days"),
            (-5, "just now"),
            (-7200, "2 h ago"),
        ] {
            assert_eq!(relative(seconds), words);
        }
    }

    #[test]
    fn limits_are_exact() {
        for (seconds, words) in [
            (300, "5 minutes"),
            (3600, "1 hour"),
            (86_400, "24 hours"),
            (172_800, "48 hours"),
            (604_800, "7 days"),
            (5400, "90 minutes"),
        ] {
            assert_eq!(limit(seconds), words);
        }
    }

    #[test]
    fn dates_follow_the_zone_through_daylight_saving() {
        let berlin = chrono_tz::Europe::Berlin;
        let now = stamp("2026-10-24T12:00:00");
        // The hour between 2 and 3 comes twice on this night; the zone's name tells them apart.
        let first = Zoned::new(stamp("2026-10-25T00:30:00"), now, berlin);
        let second = Zoned::new(stamp("2026-10-25T01:30:00"), now, berlin);
        assert_eq!((first.date.as_str(), first.zone.as_str()), ("Sun 25 Oct, 02:30", "CEST"));
        assert_eq!((second.date.as_str(), second.zone.as_str()), ("Sun 25 Oct, 02:30", "CET"));
        assert_eq!(second.iso, "2026-10-25T01:30:00Z");
        assert_eq!(Zoned::new(stamp("2027-01-01T00:00:00"), now, berlin).date, "Fri 1 Jan 2027, 01:00");
    }
}
