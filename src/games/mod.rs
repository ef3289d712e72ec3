//! The games, one folder each. Pure: they know the contract in `rules` and nothing of the server.

pub mod conquest;
