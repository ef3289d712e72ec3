//! What the tests of the server and those of the engine share.

pub mod fuzz;
pub mod long;
