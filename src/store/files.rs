//! The file of a SQLite database: its lock, and where it really is.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::ConnectFault;

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
