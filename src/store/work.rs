//! Work on the database for somebody who will not wait for ever.
//!
//! A blocked call into the client library of a database cannot be interrupted. So work runs on threads of its own, and
//! whoever asked waits for the result only as long as the database answers within the patience of this process. Work
//! that is given up can store nothing any more, unless its COMMIT is on the way already: [`Ledger`] tells which.
//! Threads that hang are replaced, but only so many of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use diesel::result::Error as QueryError;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, oneshot};

use super::Database;
use super::pool::Pool;
use super::ticket::{GIVEN_UP, OPEN, Ticket};
use super::trouble::Wait;

/// Hanging threads that are replaced by others; more than these are counted as at work.
const SPARE: usize = 16;

/// Writers of SQLite that may wait for their turn at once.
const WRITERS: usize = 64;

/// How often it is looked whether work still moves.
const LOOK: Duration = Duration::from_millis(200);

/// The threads that work on the database.
pub(super) struct Hands {
    runtime: Option<Runtime>,
    places: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    writers: Arc<Semaphore>,
}

impl Hands {
    /// As many threads as there are connections, and some for those that hang or wait in line.
    pub(super) fn new(connections: usize) -> std::io::Result<Hands> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .thread_name("database")
            .max_blocking_threads(connections + SPARE + WRITERS)
            .build()?;
        let count = |places| Arc::new(Semaphore::new(places));
        Ok(Hands {
            runtime: Some(runtime),
            places: count(connections.max(1)),
            spare: count(SPARE),
            writers: count(WRITERS),
        })
    }

    /// Where writers of SQLite wait for their turn.
    pub(super) fn writers(&self) -> &Arc<Semaphore> {
        &self.writers
    }

    /// Whether threads hang just now.
    pub(super) fn some_hang(&self) -> bool {
        self.spare.available_permits() < SPARE
    }

    fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn_blocking(work);
        }
    }
}

impl Drop for Hands {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Never waits for a thread that hangs.
            runtime.shutdown_background();
        }
    }
}

/// Ends the waiting when the work has ended, a panic included.
struct End(Arc<Ticket>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.ends();
    }
}

/// Goes on watching work whose asker went away: it is finished, unless the database hangs.
struct Watched {
    ticket: Arc<Ticket>,
    db: Database,
    done: bool,
}

impl Drop for Watched {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (ticket, db) = (Arc::clone(&self.ticket), self.db.clone());
            runtime.spawn(async move {
                if stalls(&ticket, &db).await {
                    give_up(&ticket, &db);
                }
            });
        }
    }
}

/// Runs `work` on a thread of its own; see [`Database::run`].
pub(super) async fn run<T, E>(
    db: &Database,
    work: impl FnOnce(&Database) -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<QueryError> + Send + 'static,
{
    let place = Arc::clone(&db.hands().places).acquire_owned();
    let Ok(Ok(place)) = tokio::time::timeout(db.patience(), place).await else {
        return Err(QueryError::from(Wait::Busy("all threads are at work".to_owned())).into());
    };
    let ticket = Arc::new(Ticket::new(place));
    let (sender, mut result) = oneshot::channel();
    let (end, desk) = (End(Arc::clone(&ticket)), db.with_ticket(&ticket));
    db.hands().spawn(move || {
        let done = work(&desk);
        drop(end);
        // Nobody takes it when the work was given up.
        let _ = sender.send(done);
    });
    let mut watched = Watched { ticket, db: db.clone(), done: false };
    let done = tokio::select! {
        biased;
        done = &mut result => Some(done),
        stalled = stalls(&watched.ticket, db) => if stalled { None } else { Some(result.await) },
    };
    watched.done = true;
    match done {
        Some(done) => done.unwrap_or_else(|_| Err(QueryError::from(Wait::Panicked).into())),
        None => {
            let waited = watched.ticket.waited();
            let error = give_up(&watched.ticket, db).map_or(Wait::Silent(waited), Wait::NotKnown);
            Err(QueryError::from(error).into())
        }
    }
}

/// True when the work has waited for the database for longer than the patience allows; false when it has ended.
async fn stalls(ticket: &Ticket, db: &Database) -> bool {
    loop {
        tokio::time::sleep(LOOK.min(db.patience())).await;
        if ticket.waited() >= db.patience() {
            return true;
        }
        if ticket.place.lock().is_none() {
            return false;
        }
    }
}

/// Abandons work: it begins nothing more and stores nothing, unless its COMMIT is on the way. Returns its id then.
fn give_up(ticket: &Ticket, db: &Database) -> Option<String> {
    ticket.left.store(true, Ordering::SeqCst);
    let stopped = ticket.state.compare_exchange(OPEN, GIVEN_UP, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    // Its thread and its connection are replaced, as long as not too many hang.
    if let Ok(spare) = Arc::clone(&db.hands().spare).try_acquire_owned() {
        let mut place = ticket.place.lock();
        if place.is_some() {
            *place = Some(spare);
            if let Some(line) = ticket.line.lock().as_ref() {
                db.pool().write_off(line);
            }
        }
    }
    if stopped {
        return None;
    }
    let known = ticket.ledger.as_ref().and_then(|ledger| ledger.not_known.lock().clone());
    Some(known.unwrap_or_default())
}

/// What [`run`] needs of a database.
impl Database {
    fn with_ticket(&self, ticket: &Arc<Ticket>) -> Database {
        Database { ticket: Some(Arc::clone(ticket)), ..self.clone() }
    }

    fn pool(&self) -> &Pool {
        &self.shared.pool
    }

    fn hands(&self) -> &Hands {
        &self.shared.hands
    }
}
