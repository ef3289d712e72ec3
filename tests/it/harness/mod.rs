//! What tests stand on: fresh databases of both kinds, the real server as a process, and visitors to it.

#![allow(dead_code, reason = "each test uses its part of it")]

mod databases;

pub use databases::{Backend, Fresh, on_both};
