//! Every integration test, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]

mod accounts;
mod arrows;
mod backup;
mod browser;
mod config;
mod demo;
mod fuzz;
mod harness;
mod kill;
mod letters_enough;
mod logging;
mod mail;
mod migrations;
mod race;
mod records;
mod scenario_cli;
#[path = "../shared/mod.rs"]
mod shared;
mod smtp;
mod starting;
mod store;
mod tables;
mod trouble;
mod web;
