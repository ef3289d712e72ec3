//! Imperial Conflict: dice and secrets.

mod dice;
mod secrets;

use std::sync::{Arc, LazyLock};

use stardate_engine::games;
use stardate_engine::rules::{Engine, Game};

static GAME: LazyLock<Arc<dyn Game>> = LazyLock::new(|| {
    let engine = engine_of("imperial-conflict");
    engine.load(&engine.embedded()).expect("the stock maps are good")
});

/// The game with its stock maps, loaded once.
fn game() -> &'static dyn Game {
    GAME.as_ref()
}

/// The secret of a test's table.
fn secret(seed: u64) -> [u8; 32] {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    secret
}

/// A game of this program.
fn engine_of(id: &str) -> Arc<dyn Engine> {
    games::all().into_iter().find(|engine| engine.meta().id == id).expect("it is listed")
}
