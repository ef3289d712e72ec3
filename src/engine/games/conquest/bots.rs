//! The bots of ConQuest. They read the view of their seat and ask its desk, and nothing else.

mod cadet;
mod commander;
mod fights;
mod fleet;

use std::sync::Arc;

use crate::rules::Bot;

/// All bots, the weakest first.
pub fn all() -> Vec<Arc<dyn Bot>> {
    vec![Arc::new(cadet::Cadet), Arc::new(commander::Commander)]
}
