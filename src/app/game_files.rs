//! The operator's own data files, read once at the start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::rules::{Content, Engine};

/// Why the folder of `games.folder` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GameFilesFault {
    /// A file or folder that cannot be read.
    #[error("games.folder: {path} cannot be read: {reason}")]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A folder in it whose name is no game's.
    #[error("games.folder: {path} does not belong to a game; there is {known}")]
    UnknownGame {
        /// Which one.
        path: PathBuf,
        /// The names of the games.
        known: String,
    },
}

/// The `.toml` files below `folder/<game>/` by game and path. Other files are left alone, a folder that is
/// named like no game is refused, because its files would silently count for nothing.
pub fn read(
    folder: &Path,
    engines: &[std::sync::Arc<dyn Engine>],
) -> Result<BTreeMap<String, Content>, GameFilesFault> {
    let mut games = BTreeMap::new();
    for path in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !engines.iter().any(|engine| engine.meta().id == name) {
            let known: Vec<&str> = engines.iter().map(|engine| engine.meta().id).collect();
            return Err(GameFilesFault::UnknownGame { path, known: known.join(", ") });
        }
        let mut content = Content::new();
        add_files(&path, "", &mut content)?;
        games.insert(name, content);
    }
    Ok(games)
}

fn add_files(folder: &Path, prefix: &str, content: &mut Content) -> Result<(), GameFilesFault> {
    for path in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            add_files(&path, &format!("{prefix}{name}/"), content)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path)
                .map_err(|reason| GameFilesFault::Unreadable { path: path.clone(), reason })?;
            content.insert(format!("{prefix}{name}"), text);
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, GameFilesFault> {
    let unreadable = |reason| GameFilesFault::Unreadable { path: folder.to_owned(), reason };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    Ok(paths)
}
