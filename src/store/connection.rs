//! Connections to either database, chosen by the address's scheme.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diesel::connection::{InstrumentationEvent, SimpleConnection};
use diesel::prelude::*;

use super::pool::{Line, Open};

/// The longest SQLite waits for another program's write lock.
const LONGEST_BUSY: Duration = Duration::from_secs(5);

/// How long a connection of ours to PostgreSQL may sit in an open transaction without asking for anything. Nothing of
/// ours does that for more than moments; one whose way to us was lost would hold its locks for ever.
const IDLE_IN_TRANSACTION_S: u64 = 60;

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
    /// A restore was interrupted.
    #[error(
        "a restore of the database {database} was interrupted. Run `stardate restore` again; or, to go on with the \
         database as it is, remove the file {stage}"
    )]
    HalfRestored {
        /// The database.
        database: PathBuf,
        /// What the restore has left.
        stage: PathBuf,
    },
    /// The write-ahead log is of another database.
    #[error(
        "the write-ahead log {log} does not belong to the database {database}: a backup seems to have been copied over \
         it while the log of the old database stayed, and that log would overwrite it. To put a backup in place run \
         `stardate restore BACKUP`; if the database is the one you want as it is, move the log away"
    )]
    StrangeLog {
        /// The database.
        database: PathBuf,
        /// The log.
        log: PathBuf,
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

/// Where a database is.
#[derive(Clone, Debug)]
pub(super) enum Address {
    Postgres(String),
    Sqlite(PathBuf),
}

/// Reads the address of a database.
pub(super) fn address(url: &str) -> Result<Address, ConnectFault> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Address::Postgres(url.to_owned()));
    }
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:"));
    match path {
        Some(path) if !path.is_empty() => Ok(Address::Sqlite(PathBuf::from(path))),
        _ => Err(ConnectFault::Scheme(url.split_once(':').map_or(url, |(scheme, _)| scheme).to_owned())),
    }
}

/// Opens connections.
#[derive(Debug)]
pub(super) struct Dialer {
    pub(super) address: Address,
    /// How long an answer is waited for.
    pub(super) patience: Duration,
}

impl Dialer {
    /// How long a lock is waited for that another program or another process has: less than for an answer, so that
    /// a busy database is told from one that hangs.
    pub(super) fn lock_patience(&self) -> Duration {
        LONGEST_BUSY.min(self.patience / 2)
    }

    /// Opens a connection. It notes in its line when the database was asked and when it has answered.
    pub(super) fn open(&self) -> ConnectionResult<Open> {
        let line = Arc::new(Line::default());
        let locks_ms = self.lock_patience().as_millis();
        let mut conn = match &self.address {
            Address::Postgres(url) => {
                let mut inner = PgConnection::establish(&patient(url, self.patience))?;
                inner
                    .batch_execute(&format!(
                        "SET lock_timeout = {locks_ms}; \
                         SET idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION_S}s';"
                    ))
                    .map_err(ConnectionError::CouldntSetupConfiguration)?;
                Conn::Postgres(inner)
            }
            Address::Sqlite(path) => {
                let mut inner = SqliteConnection::establish(&path.to_string_lossy())?;
                // The timeout comes first: switching to WAL needs the write lock.
                inner
                    .batch_execute(&format!(
                        "PRAGMA busy_timeout = {locks_ms}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                         PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;"
                    ))
                    .map_err(ConnectionError::CouldntSetupConfiguration)?;
                Conn::Sqlite(inner)
            }
        };
        let noting = Arc::clone(&line);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| match event {
            InstrumentationEvent::StartQuery { .. } => noting.asked(),
            InstrumentationEvent::FinishQuery { .. } => noting.answered(),
            _ => {}
        });
        Ok(Open { conn, line })
    }
}

/// The address of PostgreSQL with limits on waiting for the network, unless it has some of its own.
fn patient(url: &str, patience: Duration) -> String {
    let whole_s = patience.as_secs().max(2);
    let wanted = [
        ("connect_timeout", whole_s.to_string()),
        ("keepalives_idle", "30".to_owned()),
        ("keepalives_interval", "5".to_owned()),
        ("keepalives_count", "3".to_owned()),
        ("tcp_user_timeout", patience.as_millis().max(2000).to_string()),
    ];
    let mut url = url.to_owned();
    for (name, value) in wanted {
        if !url.contains(&format!("{name}=")) {
            let joint = if url.contains('?') { '&' } else { '?' };
            url.push_str(&format!("{joint}{name}={value}"));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_own_limits_stay() {
        let url = patient("postgres://a@b/c?connect_timeout=3", Duration::from_secs(10));
        assert!(url.starts_with("postgres://a@b/c?connect_timeout=3&keepalives_idle=30&"), "{url}");
        assert!(url.ends_with("&tcp_user_timeout=10000"), "{url}");
        assert_eq!(patient("postgres://a@b/c", Duration::from_secs(10)).matches('?').count(), 1);
    }
}
