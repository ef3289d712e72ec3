//! One piece of work on the database, and what a request has stored by it.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use diesel::QueryResult;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::line::{Line, mark, since};
use super::trouble::Wait;

tokio::task_local! {
    static LEDGER: Arc<Ledger>;
}

/// What one request has stored. Error pages ask it before they say that nothing was changed.
#[derive(Debug, Default)]
pub struct Ledger {
    stored: AtomicUsize,
    pub(super) not_known: Mutex<Option<String>>,
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
pub(super) const OPEN: u8 = 0;
/// A COMMIT is on the way: it can't be taken back.
const COMMITTING: u8 = 1;
/// The work was given up before its COMMIT: it must not store anything.
pub(super) const GIVEN_UP: u8 = 2;

/// One piece of work, seen from the thread that does it and from whoever waits for it.
pub(super) struct Ticket {
    pub(super) state: AtomicU8,
    pub(super) left: AtomicBool,
    /// Since when it has been waiting for a turn, a connection or a lock of this process; see [`mark`].
    turn: AtomicU64,
    /// The connection it uses.
    pub(super) line: Mutex<Option<Arc<Line>>>,
    /// Its place among the threads at work.
    pub(super) place: Mutex<Option<OwnedSemaphorePermit>>,
    pub(super) ledger: Option<Arc<Ledger>>,
}

impl Ticket {
    pub(super) fn new(place: OwnedSemaphorePermit) -> Ticket {
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
    pub(super) fn ends(&self) {
        *self.line.lock() = None;
        self.turn.store(0, Ordering::SeqCst);
        *self.place.lock() = None;
    }

    pub(super) fn waited(&self) -> Duration {
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
