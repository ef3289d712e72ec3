//! All SQL, and nothing else. One query text serves SQLite and PostgreSQL; what differs is in `dialect`.
//!
//! Times are UTC in whole seconds ([`Stamp`]) and come from the caller's clock. Ids are made by [`new_id`].

pub mod backup;
mod batch;
mod connection;
pub mod contents;
pub mod credits;
mod database;
pub mod departures;
pub mod dialect;
mod dialer;
mod files;
pub mod forms_done;
pub mod game_tables;
pub mod heartbeats;
mod id;
pub mod known_browsers;
mod letter_kind;
mod line;
pub mod loadouts;
pub mod mail_tokens;
pub mod messages;
mod migrate;
pub mod notes;
pub mod outbox;
pub mod phases;
pub mod plots;
mod pool;
mod probe;
pub mod reports;
pub mod results;
pub mod schema;
pub mod seats;
pub mod sessions;
pub mod settings;
pub mod standings;
pub mod table_log;
mod ticket;
pub mod timers;
mod trouble;
pub mod users;
pub mod word;
mod work;
pub mod writes;

pub use connection::{Conn, ConnectFault, MultiBackend};
pub use database::{Database, Retry};
pub use id::{IdText, PhaseNo, TableId, UserId, new_id, new_id_after, new_token};
pub use letter_kind::LetterKind;
pub use migrate::MIGRATIONS;
pub use pool::Pooled;
pub use probe::Health;
pub use ticket::{Ledger, Stored};
pub use trouble::{Trouble, Wait, trouble};

/// A moment in UTC, in whole seconds.
pub type Stamp = chrono::NaiveDateTime;
