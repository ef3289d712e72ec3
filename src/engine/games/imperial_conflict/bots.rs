//! The bots of this game. They read the view of their seat and nothing else.

mod chances;
mod general;
mod ground;
mod recruit;

use std::sync::Arc;

use crate::rules::Bot;

/// All bots, the weakest first.
pub fn all() -> Vec<Arc<dyn Bot>> {
    vec![Arc::new(recruit::Recruit), Arc::new(general::General::default())]
}
