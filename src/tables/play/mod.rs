//! A table that is being played: orders, clocks, closing a phase and opening the next, leaving, outages.

pub mod act;
pub mod advance;
pub mod book;
pub mod bot_turn;
pub mod bots;
pub mod clock;
pub mod deadline;
pub mod lines;
pub mod notice;
pub mod open;
pub mod outage;
pub mod plot;
pub mod resign;
pub mod running;
pub mod seal;
pub mod submit;
pub mod woken;
