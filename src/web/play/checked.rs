//! Checks of records: each finished table once, a few at a time, and never while a connection is held.

use crate::store::TableId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};

use crate::tables::verify::Check;
use crate::web::PageError;

/// Records that are written or checked at the same time. Playing a long game again keeps a core busy for seconds.
const AT_ONCE: usize = 2;
/// Visitors who may wait for that; whoever comes then is asked to come again.
const MOST_WAITING: usize = 20;
/// Tables whose checks are remembered.
const MOST_KEPT: usize = 2000;

/// What checking a record came to: the checks, or why it could not even be read.
pub type Outcome = Arc<Result<Vec<Check>, String>>;

/// The checks of this process. A finished table never changes and neither does the program, so what was found once
/// stays true until the next start.
pub struct Checked {
    kept: Mutex<BTreeMap<TableId, Arc<OnceCell<Outcome>>>>,
    turns: Semaphore,
    waiting: AtomicUsize,
    done: AtomicUsize,
}

impl Default for Checked {
    fn default() -> Checked {
        Checked {
            kept: Mutex::default(),
            turns: Semaphore::new(AT_ONCE),
            waiting: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        }
    }
}

impl Checked {
    /// How many records have been checked.
    pub fn count(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Waits for a turn to do something as dear as writing or checking a record.
    ///
    /// # Errors
    /// When too many wait already.
    pub async fn turn(&self) -> Result<SemaphorePermit<'_>, PageError> {
        let busy = || PageError::Unavailable("too many records are asked for at once".to_owned());
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let _place = Place::take(&self.waiting).ok_or_else(busy)?;
        self.turns.acquire().await.map_err(|_| busy())
    }

    /// Where the checks of a table are kept, or will be: whoever comes while they are made waits for them.
    pub fn of(&self, table_id: TableId) -> Arc<OnceCell<Outcome>> {
        let mut kept = self.kept.lock();
        if kept.len() >= MOST_KEPT && !kept.contains_key(&table_id) {
            // The oldest table: ids grow with time.
            kept.pop_first();
        }
        Arc::clone(kept.entry(table_id).or_default())
    }

    /// Counts a check that was made.
    pub fn count_one(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

/// A place among those who wait; given back also when the visitor goes away.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Option<Place<'a>> {
        let place = Place(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
