//! Words about tables that pages, letters and the log share.

use std::collections::BTreeMap;

use crate::rules::{FieldKind, Game, Seat};
use crate::store::game_tables::{Status, TableRow};
use crate::store::phases::ClosedBy;
use crate::store::plots::{PlotRow, PlotSource};

/// `Turn 3, Deploy`.
pub fn phase_name(turn: impl std::fmt::Display, name: &str) -> String {
    format!("Turn {turn}, {name}")
}

/// A status as half a sentence.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Open => "it waits for players",
        Status::Running => "it has started",
        Status::Over => "it is over",
        Status::Cancelled => "it was called off",
    }
}

/// A table's answers to the game's table fields.
pub fn answers(row: &TableRow) -> BTreeMap<String, String> {
    serde_json::from_str(&row.options).unwrap_or_default()
}

/// The options of a table as label and choice, for people.
pub fn options(game: &dyn Game, row: &TableRow) -> Vec<(String, String)> {
    let chosen = answers(row);
    game.table_fields()
        .into_iter()
        .filter_map(|field| {
            let value = chosen.get(field.key)?;
            let label = match field.kind {
                FieldKind::Choice(choices) => choices.into_iter().find(|choice| choice.value == *value)?.label,
                FieldKind::Loadout => return None,
            };
            Some((field.label.to_owned(), label))
        })
        .collect()
}

/// What closed a phase, in words.
pub fn closed_by(closed_by: ClosedBy) -> &'static str {
    match closed_by {
        ClosedBy::Plots => "All orders were in.",
        ClosedBy::Time => "The time ran out.",
        ClosedBy::Resigned => "A player resigned.",
        ClosedBy::Dropped => "A player ran out of time and was dropped.",
    }
}

/// What the clock did to plots of a closed phase, a sentence each: the game itself knows no clock.
pub fn clock_lines(plots: &[PlotRow]) -> Vec<String> {
    plots
        .iter()
        .filter_map(|plot| {
            let seat = seat(plot.seat);
            match plot.source {
                PlotSource::Draft => Some(format!("Seat {seat} ran out of time; its saved draft was handed in.")),
                PlotSource::Default => {
                    Some(format!("Seat {seat} ran out of time; the default orders were carried out for it."))
                }
                PlotSource::Hand => None,
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

/// How many drops a table allows those who join, as part of a sentence. A drop counts for a while only:
/// [`super::fair::counting_drops`].
pub fn drops(most: i32) -> String {
    match most {
        0 => "no drop that still counts".to_owned(),
        1 => "at most one drop that still counts".to_owned(),
        _ => format!("at most {most} drops that still count"),
    }
}
