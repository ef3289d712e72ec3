//! The score of all games, rules I8.1 to I8.8. It is 100 plus the sum of booked changes.

use crate::rules::Fate;
use crate::store::results::Outcome;

/// Everybody's score before their first game.
pub const START: i32 = 100;

impl Outcome {
    /// The outcome of a decided fate; `None` while the seat is in play.
    pub fn of(fate: Fate) -> Option<Outcome> {
        match fate {
            Fate::Active => None,
            Fate::Won => Some(Outcome::Won),
            Fate::Lost => Some(Outcome::Lost),
            Fate::Drew => Some(Outcome::Drew),
            Fate::Resigned => Some(Outcome::Resigned),
            Fate::Dropped => Some(Outcome::Dropped),
        }
    }

    /// As a predicate for people: “was dropped”.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Won => "won",
            Outcome::Lost => "lost",
            Outcome::Drew => "drew",
            Outcome::Resigned => "resigned",
            Outcome::Dropped => "was dropped",
        }
    }
}

/// The change of score (I8.2 to I8.4) at a ranked table of `seats` seats. `others_active`: how many other seats were still in
/// play at the moment the fate was sealed; it matters to a resignation only.
pub fn change(outcome: Outcome, seats: usize, others_active: usize) -> i32 {
    match outcome {
        Outcome::Won => match seats {
            0..=2 => 1,
            3 => 2,
            4 => 4,
            5 => 5,
            _ => 7,
        },
        Outcome::Lost => -1,
        Outcome::Drew => 0,
        Outcome::Resigned if others_active <= 1 => -1,
        Outcome::Resigned => -2,
        Outcome::Dropped => -3,
    }
}

/// What a win is worth at a ranked table of this many seats.
pub fn win_change(seats: usize) -> i32 {
    change(Outcome::Won, seats, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_rules() {
        let wins: Vec<i32> = (2..=6).map(|seats| change(Outcome::Won, seats, 0)).collect();
        assert_eq!(wins, [1, 2, 4, 5, 7]);
        assert_eq!(change(Outcome::Lost, 4, 2), -1);
        assert_eq!(change(Outcome::Dropped, 2, 1), -3);
        assert_eq!(change(Outcome::Drew, 2, 0), 0);
        // Scenario 9: four players; the third to give up leaves one other and pays one.
        assert_eq!([3, 2, 1].map(|others| change(Outcome::Resigned, 4, others)), [-2, -2, -1]);
    }
}
