//! Stardate: a play-by-email turn server for slow games.

pub mod accounts;
pub mod app;
pub mod clock;
pub mod config;
pub mod jobs;
pub mod mail;
pub mod scenario_cli;
pub mod store;
pub mod tables;
pub mod web;
pub mod when;

pub use stardate_engine::{games, rules};
