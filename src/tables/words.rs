//! Words about tables that pages, letters and the log share.

use crate::rules::Seat;
use crate::store::game_tables;
use crate::store::plots::PlotRow;

/// `Turn 3, Deploy`.
pub fn phase_name(turn: impl std::fmt::Display, name: &str) -> String {
    format!("Turn {turn}, {name}")
}

/// A status as half a sentence.
pub fn status(status: &str) -> &'static str {
    match status {
        game_tables::OPEN => "it waits for players",
        game_tables::RUNNING => "it has started",
        game_tables::OVER => "it is over",
        _ => "it was called off",
    }
}

/// What closed a phase, in words.
pub fn closed_by(key: &str) -> String {
    match key {
        "plots" => "All orders were in.",
        "time" => "The time ran out.",
        "resigned" => "A player resigned.",
        "dropped" => "A player ran out of time and was dropped.",
        other => other,
    }
    .to_owned()
}

/// What the clock did to plots of a closed phase, a sentence each: the game itself knows no clock.
pub fn clock_lines(plots: &[PlotRow]) -> Vec<String> {
    plots
        .iter()
        .filter_map(|plot| {
            let seat = seat(plot.seat);
            match plot.source.as_str() {
                "draft" => Some(format!("Seat {seat} ran out of time; its saved draft was handed in.")),
                "default" => Some(format!("Seat {seat} ran out of time; the default orders were carried out for it.")),
                _ => None,
            }
        })
        .collect()
}

/// The seat with this stored number.
pub fn seat(number: i32) -> Seat {
    usize::try_from(number).ok().and_then(Seat::from_index).expect("stored seats are numbers of seats")
}

/// The stored number of a seat.
pub fn number(seat: Seat) -> i32 {
    i32::try_from(seat.index()).expect("there are at most 26 seats")
}

/// `1 point`, `3 points`.
pub fn points(count: i32) -> String {
    match count.abs() {
        1 => "1 point".to_owned(),
        many => format!("{many} points"),
    }
}
