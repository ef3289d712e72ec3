//! Imperial Conflict: scenario files, whole random games and figures.

mod scenarios;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use stardate::games::imperial_conflict::ImperialConflict;
use stardate::rules::{Content, DataFault, Engine, Game, Meta, engine};

static GAME: LazyLock<Arc<dyn Game>> = LazyLock::new(|| {
    let engine = engine(ImperialConflict::new());
    engine.load(&engine.embedded()).expect("the stock maps are good")
});

/// The game with its stock maps, loaded once.
pub fn game() -> &'static dyn Game {
    GAME.as_ref()
}

/// The engine, which loads its own files only once: checking the outlines of a map takes a while unoptimized.
pub struct Once(Arc<dyn Engine>);

impl Once {
    /// The engine of the game.
    pub fn engine() -> Arc<dyn Engine> {
        Arc::new(Once(engine(ImperialConflict::new())))
    }
}

impl Engine for Once {
    fn meta(&self) -> &Meta {
        self.0.meta()
    }

    fn embedded(&self) -> Content {
        self.0.embedded()
    }

    fn load(&self, files: &Content) -> Result<Arc<dyn Game>, Vec<DataFault>> {
        if *files == self.embedded() { Ok(Arc::clone(&GAME)) } else { self.0.load(files) }
    }
}

/// Options of a table.
pub fn options(map: &str, placement: &str) -> BTreeMap<String, String> {
    [("map", map), ("placement", placement)].map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}
