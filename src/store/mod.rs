//! All SQL, and nothing else. One query text serves SQLite and PostgreSQL; what differs is in `dialect`.
//!
//! Times are UTC in whole seconds ([`Stamp`]) and come from the caller's clock. Ids are made by [`new_id`].

mod connection;
pub mod contents;
pub mod departures;
pub mod dialect;
pub mod game_tables;
pub mod heartbeats;
mod id;
pub mod known_browsers;
pub mod loadouts;
pub mod mail_tokens;
pub mod messages;
pub mod notes;
pub mod outbox;
pub mod phases;
pub mod plots;
pub mod reports;
pub mod results;
pub mod schema;
pub mod seats;
pub mod sessions;
pub mod settings;
pub mod standings;
pub mod table_log;
pub mod timers;
pub mod users;

pub use connection::{Conn, ConnectFault, Database, MIGRATIONS, MultiBackend, Pooled, Retry};
pub use id::{IdText, new_id, new_id_after, new_token};

/// A moment in UTC, in whole seconds.
pub type Stamp = chrono::NaiveDateTime;
