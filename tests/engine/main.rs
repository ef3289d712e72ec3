//! Tests of the engine as whoever uses it sees it: without server, database or pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]

mod bots;
mod conformance;
mod dice;
mod fuzz;
mod imperial;
mod purity;
mod rules_text;
mod scenarios;
#[path = "../shared/mod.rs"]
mod shared;
mod two_worlds;
