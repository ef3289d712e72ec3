//! The engine: what a game is (`rules`) and the games themselves (`games`).
//!
//! A package of its own, so that rules build, test and lint without the server, and so that the compiler keeps
//! them pure: nothing that knows a clock, a database or a page can be imported here.

pub mod games;
pub mod rules;
