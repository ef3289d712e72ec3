//! The luck report of a table that is over: each player's dice against what fair dice give on average.

use crate::rules::luck::luck as count;
use crate::rules::{Seat, Throw};
use crate::store::{Conn, phases};

use crate::tables::Refused;
use crate::tables::access::Table;

/// The dice of one seat over a whole game.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatLuck {
    /// Whose.
    pub seat: Seat,
    /// How many throws.
    pub dice: u64,
    /// What they showed together.
    pub sum: f64,
    /// What so many fair dice show together on average.
    pub expected: f64,
    /// The standard error of that sum: the root of the dice's variance. Two games of three stay within one of it,
    /// nineteen of twenty within two.
    pub standard_error: f64,
}

impl SeatLuck {
    /// How far the dice were above the average, in standard errors; below zero for bad luck.
    pub fn deviation(&self) -> f64 {
        if self.standard_error > 0.0 { (self.sum - self.expected) / self.standard_error } else { 0.0 }
    }
}

/// The luck of the seats that threw dice, in seat order; empty while the table is not over, because the throws of
/// a running game may still tell what a seat must not know.
pub fn of_table(conn: &mut Conn, table: &Table) -> Result<Vec<SeatLuck>, Refused> {
    if !table.is_over() {
        return Ok(Vec::new());
    }
    let mut throws: Vec<Throw> = Vec::new();
    for text in phases::throws(conn, table.row.id)? {
        let of_phase: Vec<Throw> = serde_json::from_str(&text)
            .map_err(|error| Refused::Broken(format!("stored throws cannot be read: {error}")))?;
        throws.extend(of_phase);
    }
    let figures = count(&throws).into_iter().map(|(seat, luck)| SeatLuck {
        seat,
        dice: luck.dice,
        sum: float(luck.sum),
        expected: float(luck.expected_twice) / 2.0,
        standard_error: (float(luck.variance_12) / 12.0).sqrt(),
    });
    Ok(figures.collect())
}

#[expect(clippy::cast_precision_loss, reason = "sums of a game's dice are far below where a float skips whole numbers")]
fn float(whole: i128) -> f64 {
    whole as f64
}
