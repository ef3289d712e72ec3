//! Writes of SQLite that share a commit.
//!
//! The disk is waited for once a commit, not once a write: writers that wait in line run one after the other in one
//! transaction, each under a savepoint of its own, and the last of them commits for all. A write that fails is undone
//! alone. Nobody is answered before the commit that holds their write.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::TransactionManager;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error as QueryError};
use parking_lot::{Condvar, Mutex};

use super::Conn;
use super::line::Line;
use super::pool::Pooled;

/// Most writes that share a commit.
const MOST: usize = 64;

/// How old a transaction may be when another write joins it.
const LONGEST: Duration = Duration::from_millis(8);

type Transactions = <Conn as Connection>::TransactionManager;

/// How the transaction of a write ended.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    /// It is stored.
    Stored,
    /// The database refused the commit: nothing is stored.
    Refused(DatabaseErrorKind, String),
    /// The answer to the commit is missing.
    Unknown(String),
    /// The transaction broke before its commit through no fault of this write, which may be run again.
    Broken,
}

/// A write that waits for the commit it shares.
#[derive(Default)]
pub(super) struct Member {
    ended: Mutex<Option<Ended>>,
    told: Condvar,
}

impl Member {
    /// How it ended, if that is known within `patience`.
    pub(super) fn wait(&self, patience: Duration) -> Option<Ended> {
        let mut ended = self.ended.lock();
        if ended.is_none() {
            self.told.wait_for(&mut ended, patience);
        }
        ended.clone()
    }

    fn tell(&self, how: Ended) {
        *self.ended.lock() = Some(how);
        self.told.notify_all();
    }
}

/// What one write came to inside the transaction.
pub(super) enum Entered<T, E> {
    /// Its changes are there and wait for the commit.
    Done(T),
    /// It was undone, and the others were not.
    Undone(E),
    /// It was undone because its work panicked.
    Panicked(Box<dyn std::any::Any + Send>),
    /// The transaction itself broke: all of it is lost.
    Broken(QueryError),
}

/// A transaction that several writes share.
pub(super) struct Batch {
    conn: Pooled,
    members: Vec<Arc<Member>>,
    began: Instant,
}

impl Batch {
    /// A transaction that has begun on this connection.
    pub(super) fn new(conn: Pooled) -> Batch {
        Batch { conn, members: Vec::new(), began: Instant::now() }
    }

    /// The connection, as those who wait for it may see it.
    pub(super) fn line(&self) -> Arc<Line> {
        self.conn.line()
    }

    /// Whether anything waits for the commit.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether another write may join.
    pub(super) fn has_room(&self) -> bool {
        self.members.len() < MOST && self.began.elapsed() < LONGEST
    }

    /// Runs one write under a savepoint.
    pub(super) fn enter<T, E>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T, E>) -> Entered<T, E> {
        let conn = &mut *self.conn;
        if let Err(error) = Transactions::begin_transaction(conn) {
            return Entered::Broken(error);
        }
        let done = catch_unwind(AssertUnwindSafe(|| work(conn)));
        let ended = match done {
            Ok(Ok(_)) => Transactions::commit_transaction(conn),
            _ => Transactions::rollback_transaction(conn),
        };
        match (ended, done) {
            (Err(error), _) => Entered::Broken(error),
            (Ok(()), Ok(Ok(done))) => Entered::Done(done),
            (Ok(()), Ok(Err(why))) => Entered::Undone(why),
            (Ok(()), Err(panic)) => Entered::Panicked(panic),
        }
    }

    /// A place among those who are told how the transaction ends.
    pub(super) fn join(&mut self) -> Arc<Member> {
        let member = Arc::new(Member::default());
        self.members.push(Arc::clone(&member));
        member
    }

    /// Commits, and tells everybody. `refused` says whether an error means that nothing is stored.
    pub(super) fn commit(mut self, refused: impl Fn(&QueryError) -> bool) {
        let how = match Transactions::commit_transaction(&mut *self.conn) {
            Ok(()) => Ended::Stored,
            Err(error) if refused(&error) => match error {
                QueryError::DatabaseError(kind, details) => Ended::Refused(kind, details.message().to_owned()),
                other => Ended::Refused(DatabaseErrorKind::Unknown, other.to_string()),
            },
            Err(error) => {
                self.conn.discard();
                let how = Ended::Unknown(error.to_string());
                self.members.iter().for_each(|member| member.tell(how.clone()));
                return;
            }
        };
        // Given back before anybody goes on: the next writer is to find it.
        drop(self.conn);
        self.members.iter().for_each(|member| member.tell(how.clone()));
    }

    /// Ends a transaction that nobody waits for, or that is lost.
    pub(super) fn give_up(mut self) {
        if let Err(error) = Transactions::rollback_transaction(&mut *self.conn) {
            tracing::warn!(%error, "A rollback failed; the connection is given up.");
        }
        drop(self.conn);
        self.members.iter().for_each(|member| member.tell(Ended::Broken));
    }
}
