//! The site over HTTP: a server in this process on a database of its own, and browsers that keep cookies.

#![allow(dead_code, unused_imports, reason = "each test uses its part of the kit")]

mod accounts;
mod atlas;
mod board;
mod browser;
mod burden;
mod crawl;
mod held;
mod letters;
mod limits;
mod loadouts;
mod lobby;
mod people;
mod practice;
mod routes;
mod secrets;
mod settings;
mod shell;
mod snapshots;
mod standings;
mod tables;
mod talk;

pub use browser::{Answer, Browser, PASSWORD, Site};
pub use tables::make as make_table;
