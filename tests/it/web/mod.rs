//! The site over HTTP: a server in this process on a database of its own, and browsers that keep cookies.

#![allow(dead_code, unused_imports, reason = "each test uses its part of the kit")]

mod browser;
mod shell;

pub use browser::{Answer, Browser, Site};
