//! Handles: how orders and reports name a piece in play, `A7`, `B3`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::rules::Seat;

/// The name of a ship, a person or a Q for the whole game: the letter of the side that brought it and a
/// number in order of coming into play. The Q has number 0. Items have no handle; their bearer is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Handle {
    /// The side it belongs to.
    pub seat: Seat,
    /// Its number on that side.
    pub no: u32,
}

impl Handle {
    /// The Q of a side.
    pub fn q(seat: Seat) -> Handle {
        Handle { seat, no: 0 }
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.seat, self.no)
    }
}

/// A text that is no handle.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a piece: a piece is A or B and a number, such as A7")]
pub struct NoHandle(String);

impl FromStr for Handle {
    type Err = NoHandle;

    fn from_str(text: &str) -> Result<Handle, NoHandle> {
        let refuse = || NoHandle(text.to_owned());
        let mut letters = text.chars();
        let seat = match letters.next() {
            Some('a' | 'A') => Seat::A,
            Some('b' | 'B') => Seat::B,
            _ => return Err(refuse()),
        };
        let digits = letters.as_str();
        if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(refuse());
        }
        Ok(Handle { seat, no: digits.parse().map_err(|_| refuse())? })
    }
}

impl TryFrom<String> for Handle {
    type Error = NoHandle;

    fn try_from(text: String) -> Result<Handle, NoHandle> {
        text.parse()
    }
}

impl From<Handle> for String {
    fn from(handle: Handle) -> String {
        handle.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_read_as_they_are_written() {
        for text in ["A0", "B12", "A999999"] {
            assert_eq!(text.parse::<Handle>().unwrap().to_string(), text);
        }
        assert_eq!("b3".parse(), Ok(Handle { seat: Seat::B, no: 3 }));
        for text in ["", "A", "C1", "A-1", "A+1", "1", "A1234567", "Ä1", "A1b"] {
            assert!(text.parse::<Handle>().is_err(), "{text}");
        }
    }
}
