//! Seats: places at a table, `A`, `B`, `C` …

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A place at a table. Shown and stored as one capital letter; at most 26 of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seat(u8);

impl Seat {
    /// The first seat.
    pub const A: Seat = Seat(0);
    /// The second seat.
    pub const B: Seat = Seat(1);

    /// The seat with this number, counted from 0; `None` from 26 on.
    pub fn from_index(index: usize) -> Option<Seat> {
        u8::try_from(index).ok().filter(|index| *index < 26).map(Seat)
    }

    /// The number of this seat, counted from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The letter of this seat.
    pub fn letter(self) -> char {
        char::from(b'A' + self.0)
    }

    /// The first `count` seats in order.
    pub fn first(count: usize) -> impl Iterator<Item = Seat> {
        (0..count).filter_map(Seat::from_index)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A text that is no seat letter.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("“{0}” is not a seat: a seat is one letter from A to Z")]
pub struct NoSeat(String);

impl FromStr for Seat {
    type Err = NoSeat;

    fn from_str(text: &str) -> Result<Seat, NoSeat> {
        match text.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => Ok(Seat(letter.to_ascii_uppercase() - b'A')),
            _ => Err(NoSeat(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Seat {
    type Error = NoSeat;

    fn try_from(text: String) -> Result<Seat, NoSeat> {
        text.parse()
    }
}

impl From<Seat> for String {
    fn from(seat: Seat) -> String {
        seat.to_string()
    }
}
