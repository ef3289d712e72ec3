//! Moments and lengths of time as people read them.

use chrono::{Datelike, TimeZone};
use chrono_tz::Tz;

use crate::store::Stamp;
use crate::when;

/// A moment in a zone, seen from now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zoned {
    /// `Mon 30 Nov, 18:05`, with the year when it is another one.
    pub date: String,
    /// `30 Nov`, with the year when it is another one.
    pub day: String,
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
        let day = if local.year() == here.year() { "%-d %b" } else { "%-d %b %Y" };
        let left = (at - now).num_seconds();
        Zoned {
            date: local.format(format).to_string(),
            day: local.format(day).to_string(),
            relative: when::relative(now, at),
            iso: at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            zone: when::zone_name(&local),
            soon: left > 0 && left < 6 * 3600,
            past: left <= 0,
        }
    }
}

pub use crate::when::limit;

/// A length of time as one would say it: `40 min`, `6 h`, `3 days`; rounded to the nearest.
pub fn about(seconds: i64) -> String {
    let rounded = |unit: i64| (seconds + unit / 2) / unit;
    match seconds {
        ..90 => "a minute".to_owned(),
        90..5400 => format!("{} min", rounded(60)),
        5400..172_800 => format!("{} h", rounded(3600)),
        _ => format!("{} days", rounded(86_400)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(text: &str) -> Stamp {
        text.parse().unwrap()
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
    fn lengths_are_rounded_as_one_says_them() {
        let lengths =
            [(5, "a minute"), (100, "2 min"), (5399, "90 min"), (5400, "2 h"), (21_000, "6 h"), (200_000, "2 days")];
        for (seconds, words) in lengths {
            assert_eq!(about(seconds), words);
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
