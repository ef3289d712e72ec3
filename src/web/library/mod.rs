//! Pages to look things up in: players, standings, pieces, loadouts, how it works, letters in a folder.

pub mod about;
pub mod chart;
pub mod letters;
pub mod loadouts;
pub mod pieces;
pub mod players;
pub mod reputation;
pub mod rules;
pub mod standings;
