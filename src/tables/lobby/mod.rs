//! Bringing players to a table: making one, inviting, sitting down, practising, starting, closing what nobody joins.

pub mod answers;
pub mod calling_off;
pub mod create;
pub mod host;
pub mod invite;
pub mod loadouts;
pub mod practice;
pub mod seating;
pub mod start;
pub mod unjoined;
