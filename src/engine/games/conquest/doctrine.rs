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
    /// Lose the fewest pieces, then the fewest unique and Q-carrying ones, then the least cost: C9.7.
    Default,
    /// As the default, but with pieces that are spared or soak damage up: C9.9 to C9.11.
    Own {
        /// Pieces of which as few as possible are lost.
        spare: Vec<Handle>,
        /// Pieces to which damage goes rather than to others.
        soak: Vec<Handle>,
    },
}
