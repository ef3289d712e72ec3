//! The record of a finished table: its text, and the check that it is true.

mod format;
pub mod verify;

pub use format::*;
