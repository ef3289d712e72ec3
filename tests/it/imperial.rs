//! Imperial Conflict: recorded games.

mod records;

use std::sync::Arc;

use stardate::games;
use stardate::rules::Engine;

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
