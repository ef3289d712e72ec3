//! Stardate: a play-by-email turn server for slow games.

pub mod clock;
pub mod games;
pub mod rules;
pub mod store;
