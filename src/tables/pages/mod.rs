//! What pages show, read at one moment: tables, turns, history, lists, players, standings.

pub mod beforehand;
pub mod history;
pub mod lists;
pub mod luck;
pub mod marks;
pub mod players;
pub mod since;
pub mod standings;
pub mod table;
pub mod turn;
