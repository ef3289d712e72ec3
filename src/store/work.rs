//! Work on the database for somebody who will not wait for ever.
//!
//! A blocked call into the client library of a database cannot be interrupted. So work runs on threads of its own, and
//! whoever asked waits for the result only as long as the database answers within the patience of this process. Work
//! that is given up can store nothing any more, unless its COMMIT is on the way already: [`Ledger`] tells which.
//! Threads that hang are replaced, but only so many of them.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use diesel::QueryResult;
use diesel::result::Error as QueryError;
use parking_lot::Mutex;
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::Database;
use super::pool::{Line, Pool, mark, since};
use super::trouble::Wait;

/// Hanging threads that are replaced by others; more than these are counted as at work.
const SPARE: usize = 16;

/// Writers of SQLite that may wait for their turn at once.
const WRITERS: usize = 64;

/// How often it is looked whether work still moves.
const LOOK: Duration = Duration::from_millis(200);

tokio::task_local! {
    static LEDGER: Arc<Ledger>;
}

/// What one request has stored. Error pages ask it before they say that nothing was changed.
#[derive(Debug, Default)]
pub struct Ledger {
    stored: AtomicUsize,
    not_known: Mutex<Option<String>>,
}

/// What a [`Ledger`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Nothing, and nothing will be.
    Nothing,
    /// At least one transaction.
    Something,
    /// The answer to a COMMIT is missing: this write may be stored or not. [`super::writes::find`] tells once it is known.
    NotKnown(String),
}

impl Ledger {
    /// Runs `work` so that every write in it is noted here.
    pub async fn keep<F: Future>(self: Arc<Ledger>, work: F) -> F::Output {
        LEDGER.scope(self, work).await
    }

    /// What was stored so far.
    pub fn stored(&self) -> Stored {
        match (&*self.not_known.lock(), self.stored.load(Ordering::SeqCst)) {
            (Some(id), _) => Stored::NotKnown(id.clone()),
            (None, 0) => Stored::Nothing,
            (None, _) => Stored::Something,
        }
    }
}

/// Nobody has given the work up, and no COMMIT is on the way.
const OPEN: u8 = 0;
/// A COMMIT is on the way: it can't be taken back.
const COMMITTING: u8 = 1;
/// The work was given up before its COMMIT: it must not store anything.
const GIVEN_UP: u8 = 2;

/// One piece of work, seen from the thread that does it and from whoever waits for it.
pub(super) struct Ticket {
    state: AtomicU8,
    left: AtomicBool,
    /// Since when it has been waiting for a turn, a connection or a lock of this process; see [`mark`].
    turn: AtomicU64,
    /// The connection it uses.
    line: Mutex<Option<Arc<Line>>>,
    /// Its place among the threads at work.
    place: Mutex<Option<OwnedSemaphorePermit>>,
    ledger: Option<Arc<Ledger>>,
}

impl Ticket {
    fn new(place: OwnedSemaphorePermit) -> Ticket {
        Ticket {
            state: AtomicU8::new(OPEN),
            left: AtomicBool::new(false),
            turn: AtomicU64::new(0),
            line: Mutex::new(None),
            place: Mutex::new(Some(place)),
            ledger: LEDGER.try_with(Arc::clone).ok(),
        }
    }

    /// It waits for something that others of this process have.
    pub(super) fn waits_for_a_turn(&self) {
        *self.line.lock() = None;
        self.turn.store(mark(), Ordering::SeqCst);
    }

    /// It has this connection and waits for what the database says on it.
    pub(super) fn waits_for(&self, line: &Arc<Line>) {
        *self.line.lock() = Some(Arc::clone(line));
        self.turn.store(0, Ordering::SeqCst);
    }

    /// It has given this connection back.
    pub(super) fn is_done_with(&self, line: &Arc<Line>) {
        let mut mine = self.line.lock();
        if mine.as_ref().is_some_and(|mine| Arc::ptr_eq(mine, line)) {
            *mine = None;
        }
    }

    /// It waits for nobody any more and leaves its place to others.
    fn ends(&self) {
        *self.line.lock() = None;
        self.turn.store(0, Ordering::SeqCst);
        *self.place.lock() = None;
    }

    fn waited(&self) -> Duration {
        let turn = since(&self.turn);
        turn.or_else(|| self.line.lock().as_ref().and_then(|line| line.waits())).unwrap_or_default()
    }

    /// Refuses to begin anything for work that was given up.
    pub(super) fn goes_on(&self) -> QueryResult<()> {
        if self.left.load(Ordering::SeqCst) { Err(Wait::Silent(Duration::ZERO).into()) } else { Ok(()) }
    }

    /// Whether a request wants to know what became of its writes.
    pub(super) fn is_of_a_request(&self) -> bool {
        self.ledger.is_some()
    }

    /// The COMMIT of write `id` goes out now; an error when the work was given up, and then it must not.
    pub(super) fn commits(&self, id: Option<&str>) -> QueryResult<()> {
        if let (Some(ledger), Some(id)) = (&self.ledger, id) {
            *ledger.not_known.lock() = Some(id.to_owned());
        }
        if self.state.compare_exchange(OPEN, COMMITTING, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            return Ok(());
        }
        if let Some(ledger) = &self.ledger {
            *ledger.not_known.lock() = None;
        }
        Err(Wait::Silent(Duration::ZERO).into())
    }

    /// What became of the COMMIT is known.
    pub(super) fn committed(&self, stored: bool) {
        if let Some(ledger) = &self.ledger {
            ledger.stored.fetch_add(usize::from(stored), Ordering::SeqCst);
            *ledger.not_known.lock() = None;
        }
        self.state.store(OPEN, Ordering::SeqCst);
    }

    /// Leaves its place among the threads at work to another while it waits in line with other writers.
    pub(super) fn steps_aside(&self, line: &Arc<Semaphore>) -> QueryResult<()> {
        self.waits_for_a_turn();
        match Arc::clone(line).try_acquire_owned() {
            Ok(place) => {
                *self.place.lock() = Some(place);
                Ok(())
            }
            Err(_) => Err(Wait::Busy("too many writers wait already".to_owned()).into()),
        }
    }
}

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

/// Gives work up: it begins nothing any more and stores nothing, unless its COMMIT is on the way. Then its id.
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
