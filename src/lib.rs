//! Stardate: a play-by-email turn server for slow games.

pub mod games;
pub mod rules;
