//! What tests stand on: fresh databases of both kinds, the real server as a process, and visitors to it.

#![allow(dead_code, unused_imports, reason = "each test uses its part of it")]

pub mod bots;
pub mod browser;
mod databases;
pub mod letters;
pub mod play;
pub mod proxy;
mod server;
pub mod visitor;

pub use databases::{Backend, Fresh, on_both};
pub use proxy::{Proxy, Wire};
pub use server::{Launch, PATIENCE, Server};
pub use visitor::{Form, Gone, PASSWORD, Page, Visitor};
