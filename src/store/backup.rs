//! Backups of a SQLite database, made and brought back. PostgreSQL has programs of its own for that.
//!
//! A SQLite database may be two files: beside the file itself lies its write-ahead log (`-wal`) while it is in use, or
//! after a process was killed. A backup laid over the file beside a log of the old one would be overwritten by that log
//! at the next start, in silence. So restoring is a command.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text, Timestamp};

use super::dialer::{Address, address};
use super::{Conn, ConnectFault, Stamp, files, migrate};

/// What a SQLite file begins with.
const HEADER: &[u8] = b"SQLite format 3\0";

/// Why there is no backup, or why it was not brought back.
#[derive(Debug, thiserror::Error)]
pub enum BackupFault {
    /// The settings name PostgreSQL.
    #[error("database.url names PostgreSQL; use pg_dump for backups and pg_restore or psql to bring one back")]
    Postgres,
    /// The database can't be opened.
    #[error(transparent)]
    Connect(#[from] ConnectFault),
    /// The file to write is there already.
    #[error("{0} already exists; name a file that does not")]
    Exists(PathBuf),
    /// The backup is the database itself.
    #[error("{0} is the database itself; name a backup of it")]
    Itself(PathBuf),
    /// The file is something else.
    #[error("{0} is not an SQLite database. Nothing was changed")]
    NotADatabase(PathBuf),
    /// A database of another program.
    #[error("{0} is an SQLite database, but not one of Stardate's. Nothing was changed")]
    Foreign(PathBuf),
    /// The backup is damaged.
    #[error("{path} is damaged: {why}. Nothing was changed")]
    Damaged {
        /// The backup.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// A file can't be used.
    #[error("{path} cannot be {what}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The database refused.
    #[error("the database refused: {0}")]
    Query(#[from] diesel::result::Error),
}

/// What was brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Where the database is.
    pub database: PathBuf,
    /// Where the files lie that were there before.
    pub aside: Option<PathBuf>,
    /// When the backup last saw a server.
    pub last_alive: Option<Stamp>,
}

/// Writes a copy of the database at `url` to the new file `to`, as it is at one moment; servers may go on meanwhile.
pub fn backup(url: &str, to: &Path) -> Result<(), BackupFault> {
    let from = sqlite_path(url)?;
    if to.exists() {
        return Err(BackupFault::Exists(to.to_owned()));
    }
    if !from.is_file() {
        return Err(ConnectFault::Unreachable(format!("there is no file {}", from.display())).into());
    }
    let mut conn = open(&from)?;
    diesel::sql_query("PRAGMA busy_timeout = 5000").execute(&mut conn)?;
    diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(to.to_string_lossy()).execute(&mut conn)?;
    sync(to)
}

/// Puts the backup `from` in the place of the database at `url`. It is checked first; the old files are kept aside.
/// Refused while a server uses the database. A process killed in the middle leaves the old database or the new one,
/// and a file that keeps servers from starting until this has been run again.
pub fn restore(url: &str, from: &Path, now: Stamp) -> Result<Restored, BackupFault> {
    let database = files::true_path(&sqlite_path(url)?);
    if files::true_path(from) == database {
        return Err(BackupFault::Itself(from.to_owned()));
    }
    check_header(from)?;
    let _lock = files::lock_process(&database)?;
    let stage = files::beside(&database, files::RESTORING);
    stage_copy(from, &stage)?;
    let last_alive = match check(from, &stage) {
        Ok(last_alive) => last_alive,
        Err(fault) => {
            remove(&stage)?;
            return Err(fault);
        }
    };
    sync(&stage)?;
    let aside = keep_aside(&database, now)?;
    // The old log goes before the new file comes: never does it lie beside a file that is not its own. The old files
    // are complete where they were kept.
    for end in ["-wal", "-shm"] {
        remove(&files::beside(&database, end))?;
    }
    std::fs::rename(&stage, &database).map_err(failed(&database, "replaced"))?;
    sync_folder(&database)?;
    Ok(Restored { database, aside, last_alive })
}

fn sqlite_path(url: &str) -> Result<PathBuf, BackupFault> {
    match address(url)? {
        Address::Sqlite(path) => Ok(path),
        Address::Postgres(_) => Err(BackupFault::Postgres),
    }
}

fn open(path: &Path) -> Result<SqliteConnection, BackupFault> {
    let opened = SqliteConnection::establish(&path.to_string_lossy());
    opened.map_err(|error| ConnectFault::Unreachable(error.to_string()).into())
}

fn failed<'a>(path: &'a Path, what: &'static str) -> impl Fn(std::io::Error) -> BackupFault + 'a {
    move |reason| BackupFault::File { path: path.to_owned(), what, reason }
}

fn check_header(path: &Path) -> Result<(), BackupFault> {
    let mut begins = [0; HEADER.len()];
    let mut file = File::open(path).map_err(failed(path, "read"))?;
    match file.read_exact(&mut begins) {
        Ok(()) if begins == HEADER => Ok(()),
        _ => Err(BackupFault::NotADatabase(path.to_owned())),
    }
}

/// Copies the backup beside the database, with the log that belongs to it if it has one.
fn stage_copy(from: &Path, stage: &Path) -> Result<(), BackupFault> {
    for end in ["-wal", "-shm", "-journal"] {
        remove(&files::beside(stage, end))?;
    }
    std::fs::copy(from, stage).map_err(failed(stage, "written"))?;
    let log = files::beside(from, "-wal");
    if log.is_file() {
        let to = files::beside(stage, "-wal");
        std::fs::copy(&log, &to).map_err(failed(&to, "written"))?;
    }
    Ok(())
}

#[derive(QueryableByName)]
struct Said {
    #[diesel(sql_type = Text, column_name = integrity_check)]
    text: String,
}

#[derive(QueryableByName)]
struct Beat {
    #[diesel(sql_type = Nullable<Timestamp>)]
    at: Option<Stamp>,
}

/// Checks the copy, and folds its log into it. Returns when it last saw a server.
fn check(from: &Path, stage: &Path) -> Result<Option<Stamp>, BackupFault> {
    let mut conn = open(stage)?;
    let damaged = |why: String| BackupFault::Damaged { path: from.to_owned(), why };
    let folded = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut conn);
    folded.map_err(|error| damaged(error.to_string()))?;
    let said: Vec<Said> =
        diesel::sql_query("PRAGMA integrity_check").load(&mut conn).map_err(|error| damaged(error.to_string()))?;
    if let Some(fault) = said.first().filter(|said| said.text != "ok") {
        return Err(damaged(fault.text.clone()));
    }
    let foreign = |_| BackupFault::Foreign(from.to_owned());
    diesel::sql_query("SELECT id FROM game_tables LIMIT 1").execute(&mut conn).map_err(foreign)?;
    let beat: Beat =
        diesel::sql_query("SELECT MAX(at) AS at FROM heartbeats").get_result(&mut conn).map_err(foreign)?;
    let mut conn = Conn::Sqlite(conn);
    migrate::refuse_newer(&mut conn)?;
    Ok(beat.at)
}

/// Keeps the files of the database under other names, without taking them away yet.
fn keep_aside(database: &Path, now: Stamp) -> Result<Option<PathBuf>, BackupFault> {
    if !database.exists() {
        return Ok(None);
    }
    let stamp = now.format("%Y%m%dT%H%M%S");
    let free = |count: u32| {
        let number = if count == 0 { String::new() } else { format!("-{count}") };
        files::beside(database, &format!(".before-restore-{stamp}{number}"))
    };
    let aside = (0..).map(free).find(|path| !path.exists()).unwrap_or_else(|| free(0));
    for end in ["", "-wal"] {
        let (old, kept) = (files::beside(database, end), files::beside(&aside, end));
        if old.exists() && std::fs::hard_link(&old, &kept).is_err() {
            // Not every file system has links.
            std::fs::copy(&old, &kept).map_err(failed(&kept, "written"))?;
            sync(&kept)?;
        }
    }
    Ok(Some(aside))
}

fn remove(path: &Path) -> Result<(), BackupFault> {
    match std::fs::remove_file(path) {
        Err(reason) if reason.kind() != std::io::ErrorKind::NotFound => {
            Err(BackupFault::File { path: path.to_owned(), what: "removed", reason })
        }
        _ => Ok(()),
    }
}

fn sync(path: &Path) -> Result<(), BackupFault> {
    File::options().write(true).open(path).and_then(|file| file.sync_all()).map_err(failed(path, "written to the disk"))
}

fn sync_folder(path: &Path) -> Result<(), BackupFault> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed(folder, "written to the disk"))
}
