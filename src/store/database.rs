//! The database of one server process: reads, write transactions, and work for somebody who waits for it.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chrono::Timelike;
use diesel::connection::TransactionManager;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error as QueryError};
use parking_lot::{Mutex, MutexGuard};

use super::batch::{Batch, Ended, Entered, Member};
use super::dialer::{Address, Dialer, address};
use super::line::Line;
use super::pool::{Pool, Pooled};
use super::probe::{Health, Probe};
use super::ticket::Ticket;
use super::trouble::{Wait, held_elsewhere};
use super::work::{self, Hands};
use super::{Conn, ConnectFault, Stamp, dialect, files, new_token, writes};

/// How long an answer of the database is waited for, unless the settings say otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a write is run again after PostgreSQL reported a serialization failure or a deadlock.
const WRITE_TRIES: usize = 4;

/// After so long a writer looks whether the commit it waits for is still going to be made by another one.
const BEFORE_HELPING: Duration = Duration::from_millis(20);

/// The pause before the database is asked again what became of a write.
const BEFORE_ASKING_AGAIN: Duration = Duration::from_millis(250);

/// The database of one server process: a pool, threads that work on it, and on SQLite the lock that makes writers take
/// turns. Clones share all of it.
#[derive(Clone)]
pub struct Database {
    pub(super) shared: Arc<Shared>,
    /// The work that this clone was lent to; none where nobody waits for it with a limit.
    pub(super) ticket: Option<Arc<Ticket>>,
}

pub(super) struct Shared {
    pub(super) pool: Pool,
    pub(super) hands: Hands,
    pub(super) probe: Probe,
    /// Whose turn it is to write on SQLite, with the transaction that the last writer left open for the next.
    writer: Option<Mutex<Option<Batch>>>,
    /// Writers that wait for that turn.
    waiting: AtomicUsize,
    patience_ms: AtomicU64,
    /// The file of SQLite and its lock, held as long as the process uses it.
    file: Option<(PathBuf, File)>,
}

impl Database {
    /// Opens the database at `url` with at most `connections` connections for readers; on SQLite one more is for the
    /// writer. Creates a SQLite file that does not exist yet, never its folder. Does not migrate.
    pub fn open(url: &str, connections: u32) -> Result<Database, ConnectFault> {
        Database::open_patient(url, connections, PATIENCE)
    }

    /// The same with a limit on how long an answer of the database is waited for; see [`Database::run`].
    pub fn open_patient(url: &str, connections: u32, patience: Duration) -> Result<Database, ConnectFault> {
        let address = address(url)?;
        let file = match &address {
            Address::Sqlite(path) => {
                let lock = files::lock_process(path)?;
                files::refuse_half_replaced(path)?;
                Some((files::true_path(path), lock))
            }
            Address::Postgres(_) => None,
        };
        Database::connect(address, connections, file, patience)
    }

    /// Opens a database beside the server process that may use it, for short work from the command line: the
    /// database itself makes writers of several processes take turns. Refuses a SQLite file that does not exist.
    pub fn open_beside(url: &str) -> Result<Database, ConnectFault> {
        let address = address(url)?;
        match &address {
            Address::Sqlite(path) if !path.is_file() => {
                Err(ConnectFault::Unreachable(format!("there is no file {}", path.display())))
            }
            _ => Database::connect(address, 1, None, PATIENCE),
        }
    }

    fn connect(
        address: Address,
        connections: u32,
        file: Option<(PathBuf, File)>,
        patience: Duration,
    ) -> Result<Database, ConnectFault> {
        let unreachable = |error: &dyn std::error::Error| ConnectFault::Unreachable(error.to_string());
        let sqlite = matches!(address, Address::Sqlite(_));
        let size = usize::try_from(connections.max(1)).unwrap_or(usize::MAX);
        let probe = Probe::new(Dialer { address: address.clone(), patience });
        let dialer = Dialer { address, patience };
        let first = dialer.open().map_err(|error| unreachable(&error))?;
        let hands = Hands::new(size).map_err(|error| unreachable(&error))?;
        let shared = Shared {
            pool: Pool::new(dialer, size + usize::from(sqlite), first),
            hands,
            probe,
            writer: sqlite.then(|| Mutex::new(None)),
            waiting: AtomicUsize::new(0),
            patience_ms: AtomicU64::new(0),
            file,
        };
        let db = Database { shared: Arc::new(shared), ticket: None };
        db.set_patience(patience);
        Ok(db)
    }

    /// Whether this is SQLite, which serves one process and migrates itself at the start.
    pub fn is_sqlite(&self) -> bool {
        self.shared.writer.is_some()
    }

    /// Gives this run of the server a name in the file of SQLite, so that a strange log is recognised at the next start.
    /// After migrating.
    pub fn name_run(&self) -> QueryResult<()> {
        match &self.shared.file {
            Some((path, lock)) => files::name_run(&mut *self.connection()?, path, lock),
            None => Ok(()),
        }
    }

    /// Changes how long an answer of the database is waited for, for work under way too. A server that was told to stop
    /// has little of it.
    pub fn set_patience(&self, patience: Duration) {
        let whole_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        self.shared.patience_ms.store(whole_ms, Ordering::SeqCst);
    }

    /// How long an answer of the database is waited for now: a quarter while it is known to hang.
    pub fn patience(&self) -> Duration {
        let whole = Duration::from_millis(self.shared.patience_ms.load(Ordering::SeqCst));
        if self.shared.hands.some_hang() { whole / 4 } else { whole }
    }

    /// Runs `work` on a thread for such work and waits for its result, as long as the database answers: each single
    /// answer may take as long as the patience allows, and so may each wait for a thread, a connection or the writer's
    /// turn. Work that is given up stores nothing any more. What it had stored before, and whether a COMMIT was on the
    /// way, says the [`Ledger`](super::Ledger) of the request.
    ///
    /// # Errors
    /// What `work` says, or a [`Wait`].
    pub async fn run<T, E>(&self, work: impl FnOnce(&Database) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<QueryError> + Send + 'static,
    {
        work::run(self, work).await
    }

    /// How the database is; [`Health::Silent`] when it does not say so within `limit`.
    pub async fn health(&self, limit: Duration) -> Health {
        self.shared.probe.health(limit).await
    }

    /// Runs one read: all of `work` sees the database at one moment, however many statements it takes and
    /// whatever is written meanwhile. It writes nothing; PostgreSQL refuses if it tries.
    pub fn read<T, E: From<QueryError>>(&self, work: impl FnOnce(&mut Conn) -> Result<T, E>) -> Result<T, E> {
        let mut conn = self.connection()?;
        dialect::begin_read(&mut conn)?;
        end_transaction(&mut conn, work)
    }

    /// A connection as it is, for a single statement; [`Database::read`] is for several.
    pub fn connection(&self) -> QueryResult<Pooled> {
        if let Some(ticket) = &self.ticket {
            ticket.goes_on()?;
        }
        self.shared.pool.get(self.patience(), self.ticket.as_ref())
    }

    /// Runs one write transaction: all of `work` is stored, or nothing of it. Serialization failures are
    /// run again a few times, so `work` may be called more than once and must have no effect outside.
    pub fn write<T, E>(&self, mut work: impl FnMut(&mut Conn) -> Result<T, E>) -> Result<T, E>
    where
        E: From<QueryError> + Retry,
    {
        let mut tries = 1;
        loop {
            let result = self.write_once(&mut work);
            match result {
                Err(error) if tries < WRITE_TRIES && error.may_retry() => tries += 1,
                other => return other,
            }
        }
    }

    fn write_once<T, E: From<QueryError>>(&self, work: &mut impl FnMut(&mut Conn) -> Result<T, E>) -> Result<T, E> {
        // SQLite's own waiting is unfair: single writers starve for seconds. This lock is handed on in order. It comes
        // before the connection, so that writers in line keep none from the readers.
        match &self.shared.writer {
            Some(writer) => self.write_in_batch(writer, work),
            None => self.transaction(work),
        }
    }

    /// Runs a write in the transaction that the writer before has left open, or in a new one, and waits for its commit.
    fn write_in_batch<T, E: From<QueryError>>(
        &self,
        writer: &Mutex<Option<Batch>>,
        work: &mut impl FnMut(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut turn = self.take_turn(writer)?;
        let mut batch = match turn.take() {
            Some(batch) => batch,
            None => self.begin_batch()?,
        };
        let line = batch.line();
        let id = self.ticket.as_ref().filter(|ticket| ticket.is_of_a_request()).map(|_| new_token());
        let entered = match self.joins(&line) {
            Ok(()) => batch.enter(|conn| {
                let done = work(conn)?;
                self.announce(conn, id.as_deref())?;
                Ok::<T, E>(done)
            }),
            Err(given_up) => Entered::Undone(E::from(given_up)),
        };
        if let Entered::Broken(error) = entered {
            tracing::warn!(%error, "A transaction broke; its writes are run again.");
            batch.give_up();
            MutexGuard::unlock_fair(turn);
            return self.outcome(&line, id, Ended::Broken, None);
        }
        let member = matches!(entered, Entered::Done(_)).then(|| batch.join());
        if batch.is_empty() {
            batch.give_up();
        } else if batch.has_room() && self.shared.waiting.load(Ordering::SeqCst) > 0 {
            *turn = Some(batch);
        } else {
            batch.commit(|error| self.was_refused(error));
        }
        MutexGuard::unlock_fair(turn);
        match (entered, member) {
            (Entered::Done(done), Some(member)) => {
                let ended = self.wait_for_commit(writer, &member);
                self.outcome(&line, id, ended, Some(done))
            }
            (Entered::Undone(why), _) => {
                self.leaves(&line);
                Err(why)
            }
            (Entered::Panicked(panic), _) => {
                self.leaves(&line);
                std::panic::resume_unwind(panic)
            }
            _ => Err(QueryError::BrokenTransactionManager.into()),
        }
    }

    fn begin_batch(&self) -> QueryResult<Batch> {
        let mut conn = self.connection()?;
        dialect::begin(&mut conn)?;
        Ok(Batch::new(conn))
    }

    /// This work uses a connection that another one may have borrowed.
    fn joins(&self, line: &Arc<Line>) -> QueryResult<()> {
        let Some(ticket) = &self.ticket else { return Ok(()) };
        ticket.goes_on()?;
        ticket.waits_for(line);
        Ok(())
    }

    fn leaves(&self, line: &Arc<Line>) {
        if let Some(ticket) = &self.ticket {
            ticket.is_done_with(line);
        }
    }

    /// From here on this write counts as on its way to the disk; an error when it was given up.
    fn announce(&self, conn: &mut Conn, id: Option<&str>) -> QueryResult<()> {
        let Some(ticket) = &self.ticket else { return Ok(()) };
        if let Some(id) = id {
            writes::note(conn, id, now())?;
        }
        ticket.commits(id)
    }

    /// Waits for the commit. The writer who was to make it may have gone away instead; then it is made here.
    fn wait_for_commit(&self, writer: &Mutex<Option<Batch>>, member: &Member) -> Ended {
        loop {
            if let Some(ended) = member.wait(BEFORE_HELPING) {
                return ended;
            }
            if let Some(mut turn) = writer.try_lock() {
                if let Some(batch) = turn.take() {
                    batch.commit(|error| self.was_refused(error));
                }
                MutexGuard::unlock_fair(turn);
            }
        }
    }

    /// What a write came to, by how its transaction ended; where the answer to the commit is missing the database is
    /// asked.
    fn outcome<T, E: From<QueryError>>(
        &self,
        line: &Arc<Line>,
        id: Option<String>,
        ended: Ended,
        done: Option<T>,
    ) -> Result<T, E> {
        self.leaves(line);
        let known = |stored: bool| {
            if let Some(ticket) = &self.ticket {
                ticket.committed(stored);
            }
        };
        let error = match (ended, done) {
            (Ended::Stored, Some(done)) => {
                known(true);
                return Ok(done);
            }
            (Ended::Refused(kind, why), _) => {
                known(false);
                QueryError::DatabaseError(kind, Box::new(why))
            }
            (Ended::Unknown(error), done) => {
                let error = QueryError::DatabaseError(DatabaseErrorKind::Unknown, Box::new(error));
                match (self.ticket.as_ref(), done) {
                    (Some(ticket), Some(done)) => {
                        self.ask_about(ticket, id.unwrap_or_default(), error)?;
                        return Ok(done);
                    }
                    _ => error,
                }
            }
            (Ended::Broken | Ended::Stored, _) => {
                known(false);
                let why = "the transaction broke before its commit".to_owned();
                QueryError::DatabaseError(DatabaseErrorKind::SerializationFailure, Box::new(why))
            }
        };
        Err(error.into())
    }

    /// The turn to write. `waiting` counts those who wait for it: whoever has it leaves the transaction open for them.
    fn take_turn<'a>(&self, writer: &'a Mutex<Option<Batch>>) -> QueryResult<MutexGuard<'a, Option<Batch>>> {
        if let Some(turn) = writer.try_lock() {
            return Ok(turn);
        }
        let _waiting = Waiting::among(&self.shared.waiting);
        let Some(ticket) = &self.ticket else { return Ok(writer.lock()) };
        ticket.steps_aside(self.shared.hands.writers())?;
        writer
            .try_lock_for(self.patience())
            .ok_or_else(|| Wait::Busy("other writers do not come to an end".to_owned()).into())
    }

    fn transaction<T, E: From<QueryError>>(&self, work: &mut impl FnMut(&mut Conn) -> Result<T, E>) -> Result<T, E> {
        let mut conn = self.connection()?;
        dialect::begin(&mut conn)?;
        match work(&mut conn) {
            Ok(done) => {
                self.commit(conn)?;
                Ok(done)
            }
            Err(why) => {
                roll_back(&mut conn);
                Err(why)
            }
        }
    }

    /// Commits, so that afterwards it is known whether the write was stored; where the answer is lost the database is
    /// asked.
    fn commit(&self, mut conn: Pooled) -> QueryResult<()> {
        let Some(ticket) = &self.ticket else { return Transactions::commit_transaction(&mut *conn) };
        let id = ticket.is_of_a_request().then(new_token);
        if let Some(id) = &id {
            writes::note(&mut conn, id, now())?;
        }
        if let Err(given_up) = ticket.commits(id.as_deref()) {
            roll_back(&mut conn);
            return Err(given_up);
        }
        let Err(error) = Transactions::commit_transaction(&mut *conn) else {
            ticket.committed(true);
            return Ok(());
        };
        if self.was_refused(&error) {
            ticket.committed(false);
            return Err(error);
        }
        conn.discard();
        self.ask_about(ticket, id.unwrap_or_default(), error)
    }

    /// Asks what became of a write whose COMMIT was not answered with `error` in its place.
    fn ask_about(&self, ticket: &Ticket, id: String, error: QueryError) -> QueryResult<()> {
        tracing::warn!(%error, write = id, "The answer to a COMMIT was lost; the database is asked what became of it.");
        match self.settle(&id) {
            Some(stored) => {
                ticket.committed(stored);
                tracing::info!(write = id, stored, "What became of the write is known.");
                if stored { Ok(()) } else { Err(error) }
            }
            None => Err(Wait::NotKnown(id).into()),
        }
    }

    /// Whether the database answered a COMMIT with a refusal: then it is certain that nothing was stored. A fault of the
    /// disk under SQLite is none.
    fn was_refused(&self, error: &QueryError) -> bool {
        match error {
            QueryError::DatabaseError(DatabaseErrorKind::ClosedConnection, _)
            | QueryError::DatabaseError(DatabaseErrorKind::UnableToSendCommand, _) => false,
            QueryError::DatabaseError(DatabaseErrorKind::Unknown, _) => !self.is_sqlite() || held_elsewhere(error),
            QueryError::DatabaseError(..) => true,
            _ => false,
        }
    }

    /// Asks what became of a write until there is an answer, for about as long as an answer is waited for. `None`: there
    /// is none yet.
    fn settle(&self, id: &str) -> Option<bool> {
        let until = Instant::now() + self.patience();
        while !id.is_empty() && Instant::now() < until {
            let asked = self.shared.pool.get(BEFORE_ASKING_AGAIN, self.ticket.as_ref()).and_then(|mut conn| {
                dialect::begin(&mut conn)?;
                let stored = writes::settle(&mut conn, id, now())?;
                Transactions::commit_transaction(&mut *conn)?;
                Ok(stored)
            });
            match asked {
                Ok(stored) => return Some(stored),
                Err(error) => tracing::warn!(%error, write = id, "The database could not say what became of a write."),
            }
            std::thread::sleep(BEFORE_ASKING_AGAIN);
        }
        None
    }

    /// Runs a write that is not worth waiting for, if nobody else is writing just now; `None` if somebody is. For notes
    /// made while a page is read: they never hold it up, and a page that fails afterwards may still say that nothing
    /// was changed.
    pub fn try_write<T>(&self, work: impl FnOnce(&mut Conn) -> QueryResult<T>) -> QueryResult<Option<T>> {
        let turn = match self.shared.writer.as_ref().map(Mutex::try_lock) {
            // Somebody writes, or has left a transaction open for the next writer.
            Some(None) => return Ok(None),
            Some(Some(turn)) if turn.is_some() => return Ok(None),
            Some(turn) => turn,
            None => None,
        };
        let mut conn = self.connection()?;
        let done = match dialect::begin_at_once(&mut conn) {
            Ok(()) => end_transaction(&mut conn, work),
            Err(error) => Err(error),
        };
        dialect::wait_for_locks(&mut conn, self.shared.pool.lock_patience())?;
        drop(conn);
        if let Some(turn) = turn {
            MutexGuard::unlock_fair(turn);
        }
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if held_elsewhere(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// One of those who wait for the turn to write, until this is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn among(waiting: &'a AtomicUsize) -> Waiting<'a> {
        waiting.fetch_add(1, Ordering::SeqCst);
        Waiting(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

type Transactions = <Conn as Connection>::TransactionManager;

/// Does the work of a transaction that has begun, and ends it.
fn end_transaction<T, E: From<QueryError>>(
    conn: &mut Conn,
    work: impl FnOnce(&mut Conn) -> Result<T, E>,
) -> Result<T, E> {
    match work(conn) {
        Ok(done) => {
            Transactions::commit_transaction(conn)?;
            Ok(done)
        }
        Err(why) => {
            roll_back(conn);
            Err(why)
        }
    }
}

fn roll_back(conn: &mut Conn) {
    if let Err(error) = Transactions::rollback_transaction(conn) {
        tracing::warn!(%error, "A rollback failed; the connection is given up.");
    }
}

/// The time by the computer's clock. Only for how long a write is remembered, which is no time of the game.
fn now() -> Stamp {
    let now = chrono::Utc::now().naive_utc();
    now.with_nanosecond(0).unwrap_or(now)
}

/// Whether an error of a write is worth running the write again.
pub trait Retry {
    /// True for serialization failures and deadlocks, which nobody is to blame for.
    fn may_retry(&self) -> bool;
}

impl Retry for QueryError {
    fn may_retry(&self) -> bool {
        match self {
            QueryError::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => true,
            QueryError::DatabaseError(_, details) => details.message().contains("deadlock detected"),
            _ => false,
        }
    }
}
