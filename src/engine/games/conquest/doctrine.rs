//! Doctrine: a player's standing order for how damage is assigned, so that no Damage sub-phase waits.

use serde::{Deserialize, Serialize};

use super::handle::Handle;

/// A standing order for damage. It stands until the player leaves another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doctrine {
    /// The player is asked whenever there is a choice. Every game starts with it.
    #[default]
    Ask,
    /// Lose the fewest pieces, then the least cost, unique and Q-carrying pieces last.
    Default,
    /// As the default, but with pieces that take as little or as much as possible.
    Own {
        /// Pieces to which as little damage as possible goes.
        spare: Vec<Handle>,
        /// Pieces to which as much damage as possible goes.
        soak: Vec<Handle>,
    },
}
