//! The orders and their notation.

use std::fmt;

use super::cards::SET;
use super::data::Code;

/// One order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Exchange these three cards.
    Exchange([Code; SET]),
    /// Place armies on an own country.
    Deploy {
        /// How many, at least 1.
        armies: u32,
        /// Where.
        country: Code,
    },
    /// Attack, one roll or many.
    Attack {
        /// From where.
        from: Code,
        /// On what.
        to: Code,
        /// Dice to roll; `None`: as many as allowed.
        dice: Option<u32>,
        /// Roll on until captured or until at most so many armies are left; `None`: one roll.
        until: Option<u32>,
    },
    /// Move further armies into the country captured last.
    Occupy(u32),
    /// Move armies between own countries; the turn ends.
    Fortify {
        /// How many, at least 1.
        armies: u32,
        /// From where.
        from: Code,
        /// To where.
        to: Code,
    },
    /// End the turn.
    End,
    /// Take back the last deployment or occupation.
    Undo,
    /// Give up.
    Resign,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Exchange([a, b, c]) => write!(f, "exchange {a} {b} {c}"),
            Order::Deploy { armies, country } => write!(f, "deploy {armies} {country}"),
            Order::Attack { from, to, dice, until } => {
                write!(f, "attack {from} {to}")?;
                if let Some(dice) = dice {
                    write!(f, " {dice}")?;
                }
                if let Some(until) = until {
                    write!(f, " until {until}")?;
                }
                Ok(())
            }
            Order::Occupy(armies) => write!(f, "occupy {armies}"),
            Order::Fortify { armies, from, to } => write!(f, "fortify {armies} {from} {to}"),
            Order::End => f.write_str("end"),
            Order::Undo => f.write_str("undo"),
            Order::Resign => f.write_str("resign"),
        }
    }
}
