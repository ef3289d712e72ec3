//! The games of this server with their content.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Refused;
use super::sights::Sights;
use crate::rules::{Content, DataFault, Engine, Game};
use crate::store::{Conn, contents};

/// The data files of a game that have faults; the server does not start with them.
#[derive(Debug, thiserror::Error)]
#[error("the data files of {game} have faults:\n{}", faults.iter().map(|fault| format!("  {fault}")).collect::<Vec<_>>().join("\n"))]
pub struct GameFault {
    /// Id of the game.
    pub game: &'static str,
    /// All faults found.
    pub faults: Vec<DataFault>,
}

/// The games of this server: each with the content for new tables, and those that running tables have kept.
pub struct Games {
    engines: Vec<Arc<dyn Engine>>,
    current: Vec<Arc<dyn Game>>,
    kept: Mutex<BTreeMap<String, Arc<dyn Game>>>,
    sights: Sights,
}

impl Games {
    /// Loads every game. `files` are read from a folder at start, by game: each replaces or adds to the
    /// file of the same path that is built in.
    pub fn load(engines: Vec<Arc<dyn Engine>>, files: &BTreeMap<String, Content>) -> Result<Games, GameFault> {
        let mut current = Vec::with_capacity(engines.len());
        let mut kept = BTreeMap::new();
        for engine in &engines {
            let id = engine.meta().id;
            let mut content = engine.embedded();
            content.extend(files.get(id).cloned().unwrap_or_default());
            let game = engine.load(&content).map_err(|faults| GameFault { game: id, faults })?;
            kept.insert(game.content_hash().to_owned(), Arc::clone(&game));
            current.push(game);
        }
        Ok(Games { engines, current, kept: Mutex::new(kept), sights: Sights::new() })
    }

    /// What seats see at their tables, as far as it has been worked out lately.
    pub fn sights(&self) -> &Sights {
        &self.sights
    }

    /// All games with the content for new tables.
    pub fn all(&self) -> &[Arc<dyn Game>] {
        &self.current
    }

    /// The engines, for replaying records.
    pub fn engines(&self) -> &[Arc<dyn Engine>] {
        &self.engines
    }

    /// A game with the content for new tables.
    pub fn current(&self, id: &str) -> Option<Arc<dyn Game>> {
        self.current.iter().find(|game| game.meta().id == id).map(Arc::clone)
    }

    /// A game's name for people; its id when this server no longer knows the game.
    pub fn name(&self, id: &str) -> String {
        self.current.iter().find(|game| game.meta().id == id).map_or(id, |game| game.meta().name).to_owned()
    }

    /// A game with the content that a table has kept.
    pub fn kept(&self, conn: &mut Conn, id: &str, content_hash: &str) -> Result<Arc<dyn Game>, Refused> {
        if let Some(game) = self.kept.lock().get(content_hash) {
            return Ok(Arc::clone(game));
        }
        let engine = self
            .engines
            .iter()
            .find(|engine| engine.meta().id == id)
            .ok_or_else(|| Refused::Broken(format!("this server no longer has the game “{id}”")))?;
        let body = contents::body(conn, content_hash)?
            .ok_or_else(|| Refused::Broken("the data files this table has kept are missing".to_owned()))?;
        let files: Content = serde_json::from_str(&body)
            .map_err(|error| Refused::Broken(format!("the data files this table has kept are unreadable: {error}")))?;
        let game = engine.load(&files).map_err(|faults| {
            Refused::Broken(format!(
                "the data files this table has kept: {}",
                GameFault { game: engine.meta().id, faults }
            ))
        })?;
        self.kept.lock().insert(content_hash.to_owned(), Arc::clone(&game));
        Ok(game)
    }
}
