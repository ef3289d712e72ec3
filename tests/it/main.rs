//! Every integration test, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]

mod accounts;
mod arrows;
mod bots;
mod browser;
mod config;
mod conformance;
mod demo;
mod dice;
mod harness;
mod imperial;
mod kill;
mod mail;
mod migrations;
mod purity;
mod race;
mod scenarios;
mod smtp;
mod starting;
mod store;
mod tables;
mod web;
