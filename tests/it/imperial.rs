//! Imperial Conflict: bots, dice and recorded games.

mod bots;
mod dice;
mod secrets;

use std::sync::{Arc, LazyLock};

use stardate::games::imperial_conflict::ImperialConflict;
use stardate::rules::{Game, engine};

static GAME: LazyLock<Arc<dyn Game>> = LazyLock::new(|| {
    let engine = engine(ImperialConflict::new());
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
