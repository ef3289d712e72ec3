//! Times as people read them: relative to now, and on the clock of their zone. Used by letters and pages.

use chrono::{Datelike, Offset, TimeZone};
use chrono_tz::Tz;

use crate::store::Stamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How far `then` lies from `now`: “in 22 h”, “in 3 days”, “5 min ago”, “now”.
///
/// Rounded down, so that nobody is promised time that isn't there; below two days in hours, below two
/// hours in minutes.
pub fn relative(now: Stamp, then: Stamp) -> String {
    let seconds = (then - now).num_seconds();
    match seconds {
        0 => "now".to_owned(),
        1..MINUTE => "in less than a minute".to_owned(),
        MINUTE.. => format!("in {}", rough(seconds)),
        _ if -seconds < MINUTE => "just now".to_owned(),
        _ => format!("{} ago", rough(-seconds)),
    }
}

fn rough(seconds: i64) -> String {
    match seconds {
        ..MINUTE => "less than a minute".to_owned(),
        MINUTE..7_200 => format!("{} min", seconds / MINUTE),
        7_200..172_800 => format!("{} h", seconds / HOUR),
        _ => format!("{} days", seconds / DAY),
    }
}

/// A length of time in full: “3 days”, “24 h”, “90 min”, “1 day 6 h”. For time limits and extensions.
pub fn span(seconds: i64) -> String {
    let (days, hours, minutes) = (seconds / DAY, seconds % DAY / HOUR, seconds % HOUR / MINUTE);
    let mut words = Vec::new();
    match days {
        0 => {}
        // A day alone is read more easily as the hours that people bargain in.
        1 if hours == 0 && minutes == 0 => return "24 h".to_owned(),
        1 => words.push("1 day".to_owned()),
        _ => words.push(format!("{days} days")),
    }
    if hours > 0 {
        words.push(format!("{hours} h"));
    }
    if minutes > 0 {
        words.push(format!("{minutes} min"));
    }
    if words.is_empty() { rough(seconds) } else { words.join(" ") }
}

/// A time limit in words as the form for new tables offers it: exact, in hours up to five days.
pub fn limit(seconds: i64) -> String {
    let unit = |count: i64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    match seconds {
        s if s % 86_400 == 0 && s > 5 * 86_400 => unit(s / 86_400, "day", "days"),
        s if s % 3600 == 0 => unit(s / 3600, "hour", "hours"),
        s if s % 60 == 0 => unit(s / 60, "minute", "minutes"),
        s => unit(s, "second", "seconds"),
    }
}

/// A moment on the clock of a zone: “Mon 30 Nov, 14:00 CET”.
///
/// The abbreviation tells the two passes of an hour apart that the end of summer time repeats.
pub fn in_zone(then: Stamp, zone: Tz) -> String {
    let local = zone.from_utc_datetime(&then);
    format!("{} {}", local.format("%a %-d %b, %H:%M"), zone_name(&local))
}

/// The same with the year: “Mon 30 Nov 2026, 14:00 CET”. For histories and records.
pub fn in_zone_with_year(then: Stamp, zone: Tz) -> String {
    let local = zone.from_utc_datetime(&then);
    format!("{} {}", local.format("%a %-d %b %Y, %H:%M"), zone_name(&local))
}

/// A moment in a zone and in UTC: “Mon 30 Nov, 14:00 CET (13:00 UTC)”; once only where the two are the same.
pub fn in_zone_and_utc(then: Stamp, zone: Tz) -> String {
    let local = zone.from_utc_datetime(&then);
    if local.offset().fix().local_minus_utc() == 0 {
        return in_zone(then, Tz::UTC);
    }
    let same_day = local.date_naive().num_days_from_ce() == then.date().num_days_from_ce();
    let utc = if same_day { then.format("%H:%M UTC") } else { then.format("%a %-d %b, %H:%M UTC") };
    format!("{} ({utc})", in_zone(then, zone))
}

/// The name of the zone at that moment. Zones without a customary abbreviation only have a number: “+03”.
pub fn zone_name(local: &chrono::DateTime<Tz>) -> String {
    let name = local.format("%Z").to_string();
    if name.starts_with(['+', '-']) { format!("UTC{name}") } else { name }
}

/// Reads a zone by its IANA name, such as “Europe/Berlin”, whatever the case of its letters.
pub fn zone(name: &str) -> Option<Tz> {
    let name = name.trim();
    chrono_tz::TZ_VARIANTS.iter().copied().find(|zone| zone.name().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Stamp {
        Stamp::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap()
    }

    #[test]
    fn relative_times_round_down() {
        let now = at("2026-11-29 12:00:00");
        let later = |seconds| relative(now, now + chrono::TimeDelta::seconds(seconds));
        assert_eq!(later(0), "now");
        assert_eq!(later(59), "in less than a minute");
        assert_eq!(later(60), "in 1 min");
        assert_eq!(later(7_199), "in 119 min");
        assert_eq!(later(7_200), "in 2 h");
        assert_eq!(later(22 * HOUR + 3_599), "in 22 h");
        assert_eq!(later(2 * DAY - 1), "in 47 h");
        assert_eq!(later(3 * DAY), "in 3 days");
        assert_eq!(later(-30), "just now");
        assert_eq!(later(-5 * MINUTE), "5 min ago");
        assert_eq!(later(-50 * HOUR), "2 days ago");
    }

    #[test]
    fn spans_leave_nothing_out() {
        assert_eq!(span(300), "5 min");
        assert_eq!(span(5_400), "1 h 30 min");
        assert_eq!(span(DAY), "24 h");
        assert_eq!(span(DAY + 6 * HOUR), "1 day 6 h");
        assert_eq!(span(3 * DAY), "3 days");
        assert_eq!(span(20), "less than a minute");
    }

    #[test]
    fn the_end_of_summer_time_repeats_an_hour_with_another_name() {
        let berlin = chrono_tz::Europe::Berlin;
        assert_eq!(in_zone(at("2026-10-25 00:30:00"), berlin), "Sun 25 Oct, 02:30 CEST");
        assert_eq!(in_zone(at("2026-10-25 01:30:00"), berlin), "Sun 25 Oct, 02:30 CET");
    }

    #[test]
    fn the_start_of_summer_time_skips_an_hour() {
        let york = chrono_tz::America::New_York;
        assert_eq!(in_zone(at("2026-03-08 06:59:00"), york), "Sun 8 Mar, 01:59 EST");
        assert_eq!(in_zone(at("2026-03-08 07:00:00"), york), "Sun 8 Mar, 03:00 EDT");
    }

    #[test]
    fn utc_stands_beside_the_zone() {
        let then = at("2026-11-30 13:00:00");
        assert_eq!(in_zone_and_utc(then, chrono_tz::Europe::Berlin), "Mon 30 Nov, 14:00 CET (13:00 UTC)");
        assert_eq!(in_zone_and_utc(then, Tz::UTC), "Mon 30 Nov, 13:00 UTC");
        // London has UTC's time in winter: one clock is enough.
        assert_eq!(in_zone_and_utc(then, chrono_tz::Europe::London), "Mon 30 Nov, 13:00 UTC");
        assert_eq!(
            in_zone_and_utc(then, chrono_tz::Pacific::Auckland),
            "Tue 1 Dec, 02:00 NZDT (Mon 30 Nov, 13:00 UTC)"
        );
        assert_eq!(in_zone(then, chrono_tz::America::Sao_Paulo), "Mon 30 Nov, 10:00 UTC-03");
        assert_eq!(in_zone_with_year(then, Tz::UTC), "Mon 30 Nov 2026, 13:00 UTC");
    }

    #[test]
    fn zones_are_read_by_name() {
        assert_eq!(zone(" europe/berlin "), Some(chrono_tz::Europe::Berlin));
        assert_eq!(zone("Mars/Olympus"), None);
    }
}
