//! Every integration test, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]

mod accounts;
mod arrows;
mod browser;
mod config;
mod demo;
mod harness;
mod imperial;
mod kill;
mod letters_enough;
mod logging;
mod mail;
mod migrations;
mod race;
mod scenario_cli;
mod smtp;
mod starting;
mod store;
mod tables;
mod web;
