//! The file of a SQLite database: its lock, and where it really is.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::schema::settings;
use super::{Conn, ConnectFault, new_token};

/// Ending of the lock file.
const LOCK: &str = ".lock";

/// Ending of the copy of a backup that is about to become the database.
pub(super) const RESTORING: &str = ".restoring";

/// The file whose name is this one's with an ending.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Refuses a database that a restore has left half done, and one that was replaced while the log of the old one stayed:
/// SQLite would play that log into it.
pub(super) fn refuse_half_replaced(database: &Path) -> Result<(), ConnectFault> {
    let database = true_path(database);
    let stage = beside(&database, RESTORING);
    if stage.exists() {
        return Err(ConnectFault::HalfRestored { database, stage });
    }
    let log = beside(&database, "-wal");
    let log_holds_something = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if log_holds_something && (is_written_without_log(&database) || is_of_another_run(&database)) {
        return Err(ConnectFault::StrangeLog { database, log });
    }
    Ok(())
}

/// Bytes 18 and 19 of the file say how it is written: 2 with a log, as this server does it; 1 without, as a backup is.
fn is_written_without_log(database: &Path) -> bool {
    let mut header = [0; 20];
    let read = File::open(database).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[18..] == [1, 1]
}

/// Whether the file is of another run of the server than the last one, which has written its name into the lock file.
fn is_of_another_run(database: &Path) -> bool {
    let last = std::fs::read_to_string(beside(database, LOCK)).unwrap_or_default();
    !last.is_empty() && run_without_log(database).is_some_and(|run| run != last)
}

/// Name of the row in which a run leaves its name.
const RUN: &str = "run";

/// The run whose name is in the file itself, whatever its log says. `None`: in none, or it cannot be read that way.
fn run_without_log(database: &Path) -> Option<String> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./".contains(byte);
    let bytes = database.as_os_str().as_encoded_bytes().iter();
    let path: String =
        bytes.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect();
    let mut conn = SqliteConnection::establish(&format!("file:{path}?immutable=1")).ok()?;
    settings::table.find(RUN).select(settings::value).first(&mut conn).ok()
}

/// Gives this run of the server a name, in the database file itself and in the lock file. So a database file that is
/// put in its place while this run's log remains is recognised at the next start.
pub(super) fn name_run(conn: &mut Conn, database: &Path, mut lock: &File) -> QueryResult<()> {
    let run = new_token();
    // Empty while it is not certain: then nothing is recognised, and nothing mistaken.
    let mut written = lock.set_len(0);
    super::settings::set(conn, RUN, &run)?;
    conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
    if run_without_log(database).as_deref() == Some(run.as_str()) {
        written = written.and_then(|()| lock.rewind()).and_then(|()| lock.write_all(run.as_bytes()));
    }
    if let Err(error) = written {
        tracing::warn!(%error, "The lock file cannot be written; a strange log would not be recognised.");
    }
    Ok(())
}

/// Takes the lock that keeps a second process from the file; it is held as long as the file that is returned.
pub(super) fn lock_process(database: &Path) -> Result<File, ConnectFault> {
    let folder = match database.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(ConnectFault::Folder(folder.to_owned()));
    }
    // By its true name: a second process must not get past the lock by a symbolic link.
    let path = beside(&true_path(database), LOCK);
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
pub(super) fn true_path(database: &Path) -> PathBuf {
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
