//! What every page rests on: the shell round a request, the visitor, posted forms, cookies, limits, errors, the page frame.

pub mod assets;
pub mod body;
pub mod cookies;
pub mod device;
pub mod edge;
pub mod error;
pub mod fields;
pub mod forms;
pub mod forwarded;
pub mod hashing;
pub mod health;
pub mod limits;
pub mod page;
pub mod pager;
pub mod posted;
pub mod refused;
pub mod route;
pub mod seen;
pub mod session;
pub mod shell;
pub mod stored;
pub mod times;
pub mod visitor;
