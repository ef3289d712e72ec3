//! Loading a game's own files once for many scenarios.

use std::sync::{Arc, OnceLock};

use crate::rules::{Content, DataFault, Engine, Game, Meta};

/// The same engine, which remembers the game it loaded from the files built into it. For whoever loads them
/// again and again, as scenario files do.
pub fn load_once(engine: Arc<dyn Engine>) -> Arc<dyn Engine> {
    Arc::new(Once { embedded: engine.embedded(), engine, game: OnceLock::new() })
}

struct Once {
    engine: Arc<dyn Engine>,
    embedded: Content,
    game: OnceLock<Arc<dyn Game>>,
}

impl Engine for Once {
    fn meta(&self) -> &Meta {
        self.engine.meta()
    }

    fn embedded(&self) -> Content {
        self.embedded.clone()
    }

    fn load(&self, files: &Content) -> Result<Arc<dyn Game>, Vec<DataFault>> {
        if *files != self.embedded {
            return self.engine.load(files);
        }
        if let Some(game) = self.game.get() {
            return Ok(Arc::clone(game));
        }
        let game = self.engine.load(files)?;
        Ok(Arc::clone(self.game.get_or_init(|| game)))
    }
}
