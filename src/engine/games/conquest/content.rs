//! The data files built into the binary.

use crate::rules::Content;

/// All files of `config/games/conquest/`, by their path below it.
pub fn embedded() -> Content {
    FILES.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../config/games/conquest/", $path)))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "game.toml",
    "groups/closed-hand.toml",
    "groups/free-traders.toml",
    "groups/house-of-war.toml",
    "groups/long-watch.toml",
    "groups/one-will.toml",
    "maps/elemental-rim.toml",
    "maps/preceptor-nebula.toml",
    "pieces/alien.toml",
    "pieces/borg.toml",
    "pieces/federation.toml",
    "pieces/klingon.toml",
    "pieces/q.toml",
    "pieces/romulan.toml",
];
