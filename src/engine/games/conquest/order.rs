//! The orders of ConQuest and how they are written.

use std::fmt;

use super::handle::Handle;

/// One order. Its `Display` is the canonical notation, which the parser reads back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Bring copies of a type from the Control Group into play; an item goes on a piece.
    Deploy {
        /// Id of the type.
        what: String,
        /// How many, at least 1.
        count: u32,
        /// The bearer of an item.
        on: Option<Handle>,
    },
    /// Attack an enemy piece.
    Attack {
        /// The attacker.
        who: Handle,
        /// The piece attacked.
        target: Handle,
    },
    /// Defend against the group this attacker belongs to.
    Defend {
        /// The defender.
        who: Handle,
        /// Any attacker of the group.
        against: Handle,
    },
    /// Assign one amount of damage.
    Damage {
        /// The amount dealt.
        amount: i32,
        /// The own piece that takes it.
        to: Handle,
    },
    /// Leave a standing order for damage.
    Doctrine(DoctrineOrder),
    /// Move a ship.
    Move {
        /// The ship.
        ship: Handle,
        /// Id of the region.
        to: String,
    },
    /// Beam people and Q from where they stand.
    Beam {
        /// Who, at least one.
        who: Vec<Handle>,
        /// Where to.
        to: BeamEnd,
    },
    /// Do nothing; stands alone.
    Pass,
}

/// A part of a standing order for damage. Several in one plot make one doctrine together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoctrineOrder {
    /// As few of these as possible are lost.
    Spare(Vec<Handle>),
    /// Damage goes to these rather than to others.
    Soak(Vec<Handle>),
    /// Fewest pieces, then least cost.
    Default,
    /// Ask me.
    Ask,
}

/// Where a beam goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BeamEnd {
    /// Down to a planet, by its id.
    Planet(String),
    /// Aboard a ship.
    Ship(Handle),
}

impl Order {
    /// The word the order begins with.
    pub fn verb(&self) -> &'static str {
        match self {
            Order::Deploy { .. } => "deploy",
            Order::Attack { .. } => "attack",
            Order::Defend { .. } => "defend",
            Order::Damage { .. } => "damage",
            Order::Doctrine(_) => "doctrine",
            Order::Move { .. } => "move",
            Order::Beam { .. } => "beam",
            Order::Pass => "pass",
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Deploy { what, count, on } => {
                write!(f, "deploy {what}")?;
                if *count != 1 {
                    write!(f, " x{count}")?;
                }
                match on {
                    Some(bearer) => write!(f, " on {bearer}"),
                    None => Ok(()),
                }
            }
            Order::Attack { who, target } => write!(f, "attack {who} {target}"),
            Order::Defend { who, against } => write!(f, "defend {who} against {against}"),
            Order::Damage { amount, to } => write!(f, "damage {amount} {to}"),
            Order::Doctrine(doctrine) => write!(f, "doctrine {doctrine}"),
            Order::Move { ship, to } => write!(f, "move {ship} {to}"),
            Order::Beam { who, to } => {
                write!(f, "beam{}", Handles(who))?;
                match to {
                    BeamEnd::Planet(planet) => write!(f, " to {planet}"),
                    BeamEnd::Ship(ship) => write!(f, " to {ship}"),
                }
            }
            Order::Pass => write!(f, "pass"),
        }
    }
}

impl fmt::Display for DoctrineOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DoctrineOrder::Spare(pieces) => write!(f, "spare{}", Handles(pieces)),
            DoctrineOrder::Soak(pieces) => write!(f, "soak{}", Handles(pieces)),
            DoctrineOrder::Default => write!(f, "default"),
            DoctrineOrder::Ask => write!(f, "ask"),
        }
    }
}

/// Handles, each after a space.
struct Handles<'a>(&'a [Handle]);

impl fmt::Display for Handles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|handle| write!(f, " {handle}"))
    }
}
