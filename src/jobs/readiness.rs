//! Why this process does not do everything it is there for, for the health check.

use std::sync::Arc;

use parking_lot::Mutex;

/// Whether the process is ready. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<Option<String>>>);

impl Readiness {
    /// Why it is not ready, as a sentence for the operator; `None` when it is.
    pub fn reason(&self) -> Option<String> {
        self.0.lock().clone()
    }

    /// Sets or clears the reason; whether that changed anything.
    pub fn set(&self, reason: Option<String>) -> bool {
        let mut now = self.0.lock();
        let changed = *now != reason;
        *now = reason;
        changed
    }
}
