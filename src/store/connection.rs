//! Connections to either database, chosen by the address's scheme.

use std::path::PathBuf;

use diesel::prelude::*;

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
    #[error("database.url: “{0}” is not a database this server knows; it must start with sqlite: or postgres:")]
    Scheme(String),
    /// The folder of the SQLite file does not exist.
    #[error("database.url: the folder {0} of the SQLite file does not exist; create it first")]
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
