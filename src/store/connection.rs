//! Connections to either database, chosen by the address's scheme, and the write transaction.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use diesel::connection::{SimpleConnection, TransactionManager};
use diesel::prelude::*;
use diesel::r2d2::{self, R2D2Connection};
use diesel::result::{DatabaseErrorKind, Error as QueryError};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use parking_lot::{Mutex, MutexGuard};

use super::dialect;

/// The migrations, the same for both databases.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

/// How often a write is run again after PostgreSQL reported a serialization failure or a deadlock.
const WRITE_TRIES: usize = 4;

/// A connection to either database.
#[derive(diesel::MultiConnection)]
pub enum Conn {
    /// PostgreSQL: as many server processes as you like.
    Postgres(PgConnection),
    /// SQLite: one server process.
    Sqlite(SqliteConnection),
}

/// Why no connection could be had. Never shows the password of an address.
#[derive(Debug, thiserror::Error)]
pub enum ConnectFault {
    /// The scheme is neither of the two.
    #[error("database.url: “{0}” is no database this server knows; it starts with sqlite: or postgres:")]
    Scheme(String),
    /// The folder of the SQLite file does not exist.
    #[error("database.url: the folder {0} of the SQLite file does not exist; make it first")]
    Folder(PathBuf),
    /// Another process has the SQLite file.
    #[error("the database {0} is in use by another Stardate process; SQLite serves one process, PostgreSQL many")]
    InUse(PathBuf),
    /// The lock file can't be made.
    #[error("the lock file {path} cannot be opened: {reason}")]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The database answered with a refusal or not at all.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// The database has migrations that this binary does not know.
    #[error(
        "the database is of a newer version of Stardate (it has the migration {0}, which this binary does not know); \
         run that version, this one left it untouched"
    )]
    Newer(String),
    /// A migration is missing and was not asked for.
    #[error("the database lacks {0} migration(s); run `stardate migrate` once before starting the servers")]
    Behind(usize),
    /// A migration failed.
    #[error("a migration failed: {0}")]
    Migration(String),
}

#[derive(Clone, Debug)]
enum Address {
    Postgres(String),
    Sqlite(PathBuf),
}

fn address(url: &str) -> Result<Address, ConnectFault> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Address::Postgres(url.to_owned()));
    }
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:"));
    match path {
        Some(path) if !path.is_empty() => Ok(Address::Sqlite(PathBuf::from(path))),
        _ => Err(ConnectFault::Scheme(url.split_once(':').map_or(url, |(scheme, _)| scheme).to_owned())),
    }
}

/// Makes connections for the pool. Written by hand because the derived one tries each database in turn
/// and hides what went wrong.
#[derive(Debug)]
pub struct Manager {
    address: Address,
}

impl Manager {
    fn open(&self) -> ConnectionResult<Conn> {
        match &self.address {
            Address::Postgres(url) => Ok(Conn::Postgres(PgConnection::establish(url)?)),
            Address::Sqlite(path) => {
                let mut inner = SqliteConnection::establish(&path.to_string_lossy())?;
                // The timeout comes first: switching to WAL needs the write lock.
                inner
                    .batch_execute(
                        "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                         PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;",
                    )
                    .map_err(ConnectionError::CouldntSetupConfiguration)?;
                Ok(Conn::Sqlite(inner))
            }
        }
    }
}

impl r2d2::ManageConnection for Manager {
    type Connection = Conn;
    type Error = r2d2::Error;

    fn connect(&self) -> Result<Conn, r2d2::Error> {
        self.open().map_err(r2d2::Error::ConnectionError)
    }

    fn is_valid(&self, conn: &mut Conn) -> Result<(), r2d2::Error> {
        conn.ping().map_err(r2d2::Error::QueryError)
    }

    // A panic inside a read or a write leaves its transaction open; such a connection must not be used again.
    fn has_broken(&self, conn: &mut Conn) -> bool {
        std::thread::panicking() || conn.is_broken()
    }
}

/// A connection borrowed from the pool.
pub type Pooled = r2d2::PooledConnection<Manager>;

/// The database of one server process: a pool, and on SQLite the lock that makes writers take turns.
#[derive(Clone)]
pub struct Database {
    pool: r2d2::Pool<Manager>,
    writer: Option<Arc<Mutex<()>>>,
    // Held as long as the process uses the file.
    _process_lock: Option<Arc<File>>,
}

impl Database {
    /// Opens the database at `url` with at most `connections` connections. Creates a SQLite file that does
    /// not exist yet, never its folder. Does not migrate.
    pub fn open(url: &str, connections: u32) -> Result<Database, ConnectFault> {
        let address = address(url)?;
        let process_lock = match &address {
            Address::Sqlite(path) => Some(Arc::new(lock_process(path)?)),
            Address::Postgres(_) => None,
        };
        Database::connect(address, connections, process_lock)
    }

    /// Opens a database beside the server process that may use it, for short work from the command line: the
    /// database itself makes writers of several processes take turns. Refuses a SQLite file that does not exist.
    pub fn open_beside(url: &str) -> Result<Database, ConnectFault> {
        let address = address(url)?;
        match &address {
            Address::Sqlite(path) if !path.is_file() => {
                Err(ConnectFault::Unreachable(format!("there is no file {}", path.display())))
            }
            _ => Database::connect(address, 1, None),
        }
    }

    fn connect(address: Address, connections: u32, process_lock: Option<Arc<File>>) -> Result<Database, ConnectFault> {
        let sqlite = matches!(address, Address::Sqlite(_));
        let manager = Manager { address };
        // One connection by hand first: a pool would try a bad address again and again until its time-out.
        manager.open().map_err(|error| ConnectFault::Unreachable(error.to_string()))?;
        let pool = r2d2::Pool::builder()
            .max_size(connections.max(1))
            .min_idle(Some(1))
            .test_on_check_out(!sqlite)
            .connection_timeout(Duration::from_secs(5))
            .build(manager)
            .map_err(|error| ConnectFault::Unreachable(error.to_string()))?;
        Ok(Database { pool, writer: sqlite.then(|| Arc::new(Mutex::new(()))), _process_lock: process_lock })
    }

    /// Whether this is SQLite, which serves one process and migrates itself at the start.
    pub fn is_sqlite(&self) -> bool {
        self.writer.is_some()
    }

    /// Runs one read: all of `work` sees the database at one moment, however many statements it takes and
    /// whatever is written meanwhile. It writes nothing; PostgreSQL refuses if it tries.
    pub fn read<T, E: From<QueryError>>(&self, work: impl FnOnce(&mut Conn) -> Result<T, E>) -> Result<T, E> {
        let mut conn = self.connection()?;
        dialect::begin_read(&mut conn)?;
        finish(&mut conn, work)
    }

    /// A connection as it is, for a single statement; [`Database::read`] is for several.
    pub fn connection(&self) -> QueryResult<Pooled> {
        self.pool.get().map_err(|error| QueryError::QueryBuilderError(Box::new(error)))
    }

    /// Runs one write transaction: all of `work` is stored, or nothing of it. Serialization failures are
    /// run again a few times, so `work` may be called more than once and must have no effect outside.
    pub fn write<T, E>(&self, mut work: impl FnMut(&mut Conn) -> Result<T, E>) -> Result<T, E>
    where
        E: From<QueryError> + Retry,
    {
        let mut tries = 1;
        loop {
            let mut conn = self.connection()?;
            let result = self.write_once(&mut conn, &mut work);
            match result {
                Err(error) if tries < WRITE_TRIES && error.may_retry() => tries += 1,
                other => return other,
            }
        }
    }

    fn write_once<T, E: From<QueryError>>(
        &self,
        conn: &mut Conn,
        work: &mut impl FnMut(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        // SQLite's own waiting is unfair: single writers starve for seconds. This lock is handed on in order.
        let turn = self.writer.as_ref().map(|writer| writer.lock());
        let result = transaction(conn, work);
        if let Some(turn) = turn {
            MutexGuard::unlock_fair(turn);
        }
        result
    }

    /// Brings the database to this binary's version; gives the names of what ran.
    pub fn migrate(&self) -> Result<Vec<String>, ConnectFault> {
        self.alone_with_migrations(|conn| {
            refuse_newer(conn)?;
            let ran = match conn {
                Conn::Postgres(inner) => names(inner.run_pending_migrations(MIGRATIONS)),
                Conn::Sqlite(inner) => names(inner.run_pending_migrations(MIGRATIONS)),
            };
            ran.map_err(|error| ConnectFault::Migration(error.to_string()))
        })
    }

    /// Checks that the database is of exactly this binary's version.
    pub fn check_version(&self) -> Result<(), ConnectFault> {
        self.alone_with_migrations(|conn| {
            refuse_newer(conn)?;
            let missing = match conn {
                Conn::Postgres(inner) => inner.pending_migrations(MIGRATIONS).map(|list| list.len()),
                Conn::Sqlite(inner) => inner.pending_migrations(MIGRATIONS).map(|list| list.len()),
            };
            match missing.map_err(|error| ConnectFault::Migration(error.to_string()))? {
                0 => Ok(()),
                count => Err(ConnectFault::Behind(count)),
            }
        })
    }

    /// Looks at or runs migrations while no other process does: started several times at once they would make the
    /// same tables, and all but one fail. The others wait, and then find nothing left to do.
    fn alone_with_migrations<T>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T, ConnectFault>,
    ) -> Result<T, ConnectFault> {
        let failed = |error: QueryError| ConnectFault::Migration(error.to_string());
        let mut conn = self.connection().map_err(|error| ConnectFault::Unreachable(error.to_string()))?;
        dialect::hold_migrations(&mut conn).map_err(failed)?;
        let done = work(&mut conn);
        // A connection that was lost on the way has given the lock back; the first fault is the one to tell.
        let released = dialect::release_migrations(&mut conn).map_err(failed);
        done.and_then(|done| released.map(|()| done))
    }
}

fn refuse_newer(conn: &mut Conn) -> Result<(), ConnectFault> {
    let newer = match conn {
        Conn::Postgres(inner) => newest_unknown(inner),
        Conn::Sqlite(inner) => newest_unknown(inner),
    };
    match newer.map_err(|error| ConnectFault::Migration(error.to_string()))? {
        Some(name) => Err(ConnectFault::Newer(name)),
        None => Ok(()),
    }
}

type MigrationResult<T> = diesel::migration::Result<T>;

fn names(ran: MigrationResult<Vec<diesel::migration::MigrationVersion<'_>>>) -> MigrationResult<Vec<String>> {
    Ok(ran?.iter().map(ToString::to_string).collect())
}

fn newest_unknown<C, DB>(conn: &mut C) -> MigrationResult<Option<String>>
where
    DB: diesel::backend::Backend,
    C: MigrationHarness<DB>,
    EmbeddedMigrations: diesel::migration::MigrationSource<DB>,
{
    let known: Vec<String> = diesel::migration::MigrationSource::<DB>::migrations(&MIGRATIONS)?
        .iter()
        .map(|migration| migration.name().version().to_string())
        .collect();
    let applied = conn.applied_migrations()?;
    Ok(applied.iter().map(ToString::to_string).find(|version| !known.contains(version)))
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

fn transaction<T, E: From<QueryError>>(
    conn: &mut Conn,
    work: &mut impl FnMut(&mut Conn) -> Result<T, E>,
) -> Result<T, E> {
    dialect::begin(conn)?;
    finish(conn, work)
}

/// Does the work of a transaction that has begun, and ends it.
fn finish<T, E: From<QueryError>>(conn: &mut Conn, work: impl FnOnce(&mut Conn) -> Result<T, E>) -> Result<T, E> {
    type Transactions = <Conn as Connection>::TransactionManager;
    match work(conn) {
        Ok(done) => {
            Transactions::commit_transaction(conn)?;
            Ok(done)
        }
        Err(why) => {
            if let Err(error) = Transactions::rollback_transaction(conn) {
                tracing::warn!(%error, "A rollback failed; the connection is given up.");
            }
            Err(why)
        }
    }
}

fn lock_process(database: &Path) -> Result<File, ConnectFault> {
    let folder = match database.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(ConnectFault::Folder(folder.to_owned()));
    }
    // By its true name: a second process must not get past the lock by a symbolic link.
    let mut path = true_path(database).into_os_string();
    path.push(".lock");
    let path = PathBuf::from(path);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|reason| ConnectFault::Lock { path: path.clone(), reason })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(ConnectFault::InUse(database.to_owned())),
        Err(std::fs::TryLockError::Error(reason)) => Err(ConnectFault::Lock { path, reason }),
    }
}

/// Where a database file really is, followed through symbolic links, whether it exists yet or not.
fn true_path(database: &Path) -> PathBuf {
    if let Ok(path) = std::fs::canonicalize(database) {
        return path;
    }
    let target = std::fs::read_link(database).ok();
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A link to a file that does not exist yet: SQLite makes the file it points to.
    let file = target.map_or_else(|| database.to_owned(), |target| folder.join(target));
    match (file.parent().and_then(|folder| std::fs::canonicalize(folder).ok()), file.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => std::path::absolute(&file).unwrap_or(file),
    }
}
