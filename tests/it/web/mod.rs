//! The site over HTTP: a server in this process on a database of its own, and browsers that keep cookies.

mod browser;
mod shell;

pub use browser::{Answer, Browser, Site};
