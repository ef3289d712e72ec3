//! The games, one folder each. Pure: they know the contract in `rules` and nothing of the server.

use std::sync::Arc;

use crate::rules::{Engine, engine};

pub mod conquest;
pub mod imperial_conflict;

/// Every game the server knows: the one list.
pub fn all() -> Vec<Arc<dyn Engine>> {
    vec![engine(conquest::ConQuest::new()), engine(imperial_conflict::ImperialConflict::new())]
}
