//! The connections of one process, lent one by one.
//!
//! Each connection knows since when it has been waiting for the database, so that whoever waits for the work that uses
//! it can tell a database that hangs from work that takes its time. A connection whose work was given up is written
//! off: another may be opened in its place, and it is thrown away when its thread comes back with it.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use diesel::QueryResult;
use diesel::r2d2::R2D2Connection;
use parking_lot::{Condvar, Mutex};

use super::Conn;
use super::dialer::Dialer;
use super::line::{Line, Open};
use super::ticket::Ticket;
use super::trouble::Wait;

struct Inner {
    dialer: Dialer,
    size: usize,
    shelf: Mutex<Shelf>,
    freed: Condvar,
}

#[derive(Default)]
struct Shelf {
    idle: Vec<Open>,
    /// Lent or being opened; those written off are not counted.
    out: usize,
}

/// The pool. Clones share it.
#[derive(Clone)]
pub(super) struct Pool(Arc<Inner>);

/// A connection borrowed from the pool; it goes back when this is dropped, unless its transaction is still open or a
/// panic is under way.
pub struct Pooled {
    open: Option<Open>,
    pool: Pool,
    /// The work that uses it, as far as somebody waits for it with a limit.
    ticket: Option<Arc<Ticket>>,
}

impl Pool {
    /// A pool of at most `size` connections that starts with this one.
    pub(super) fn new(dialer: Dialer, size: usize, first: Open) -> Pool {
        let shelf = Mutex::new(Shelf { idle: vec![first], out: 0 });
        Pool(Arc::new(Inner { dialer, size: size.max(1), shelf, freed: Condvar::new() }))
    }

    /// Borrows a connection: one that lies idle and still answers, or a new one, or the first that is given back within
    /// `patience`.
    pub(super) fn get(&self, patience: Duration, ticket: Option<&Arc<Ticket>>) -> QueryResult<Pooled> {
        if let Some(ticket) = ticket {
            ticket.waits_for_a_turn();
        }
        let until = Instant::now() + patience;
        let mut shelf = self.0.shelf.lock();
        loop {
            if let Some(open) = shelf.idle.pop() {
                shelf.out += 1;
                open.line.lent.store(true, Ordering::SeqCst);
                drop(shelf);
                let mut pooled = Pooled::new(self, open, ticket);
                if pooled.answers() {
                    return Ok(pooled);
                }
                pooled.discard();
                shelf = self.0.shelf.lock();
                continue;
            }
            if shelf.out < self.0.size {
                shelf.out += 1;
                drop(shelf);
                return self.dial(ticket);
            }
            if self.0.freed.wait_until(&mut shelf, until).timed_out() && shelf.idle.is_empty() {
                return Err(Wait::Busy("all connections are in use".to_owned()).into());
            }
        }
    }

    fn dial(&self, ticket: Option<&Arc<Ticket>>) -> QueryResult<Pooled> {
        match self.0.dialer.open() {
            Ok(open) => {
                open.line.lent.store(true, Ordering::SeqCst);
                Ok(Pooled::new(self, open, ticket))
            }
            Err(error) => {
                let mut shelf = self.0.shelf.lock();
                shelf.out = shelf.out.saturating_sub(1);
                drop(shelf);
                self.0.freed.notify_one();
                Err(Wait::Away(error.to_string()).into())
            }
        }
    }

    /// How long its connections wait for a lock that somebody else holds.
    pub(super) fn lock_patience(&self) -> Duration {
        self.0.dialer.lock_patience()
    }

    /// Writes off a connection that is lent: another may be opened instead.
    pub(super) fn write_off(&self, line: &Line) {
        let mut shelf = self.0.shelf.lock();
        if line.lent.swap(false, Ordering::SeqCst) {
            shelf.out = shelf.out.saturating_sub(1);
            drop(shelf);
            self.0.freed.notify_one();
        }
    }
}

impl Pooled {
    fn new(pool: &Pool, open: Open, ticket: Option<&Arc<Ticket>>) -> Pooled {
        if let Some(ticket) = ticket {
            ticket.waits_for(&open.line);
        }
        Pooled { open: Some(open), pool: pool.clone(), ticket: ticket.cloned() }
    }

    /// Whoever waits for the work must not take the next one's waiting on this connection for its own.
    fn leaves(&self, line: &Arc<Line>) {
        if let Some(ticket) = &self.ticket {
            ticket.is_done_with(line);
        }
    }

    /// A SQLite file does not go away; a connection to PostgreSQL may have ended while it lay idle.
    fn answers(&mut self) -> bool {
        match &mut **self {
            Conn::Postgres(inner) => inner.ping().is_ok(),
            Conn::Sqlite(_) => true,
        }
    }

    /// What others may know of it.
    pub(super) fn line(&self) -> Arc<Line> {
        Arc::clone(&self.open.as_ref().expect("it is taken out only when this is dropped or discarded").line)
    }

    /// Ends the connection instead of giving it back.
    pub(super) fn discard(mut self) {
        if let Some(open) = self.open.take() {
            self.leaves(&open.line);
            self.pool.write_off(&open.line);
        }
    }
}

impl Deref for Pooled {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.open.as_ref().expect("it is taken out only when this is dropped or discarded").conn
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.open.as_mut().expect("it is taken out only when this is dropped or discarded").conn
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        self.leaves(&open.line);
        if std::thread::panicking() || open.conn.is_broken() {
            self.pool.write_off(&open.line);
            return;
        }
        let mut shelf = self.pool.0.shelf.lock();
        // One that was written off has lost its place in the count already, and ends here.
        if open.line.lent.swap(false, Ordering::SeqCst) {
            open.line.answered();
            shelf.out = shelf.out.saturating_sub(1);
            shelf.idle.push(open);
            drop(shelf);
            self.pool.0.freed.notify_one();
        }
    }
}
