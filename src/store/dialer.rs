//! Opens connections, each with its limits on waiting.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diesel::connection::{InstrumentationEvent, SimpleConnection};
use diesel::prelude::*;

use super::line::{Line, Open};
use super::{Conn, ConnectFault};

/// The longest SQLite waits for another program's write lock.
const LONGEST_BUSY: Duration = Duration::from_secs(5);

/// How long a connection of ours to PostgreSQL may sit in an open transaction without asking for anything. Nothing of
/// ours does that for more than moments; one whose way to us was lost would hold its locks for ever.
const IDLE_IN_TRANSACTION_S: u64 = 60;

/// Where a database is.
#[derive(Clone, Debug)]
pub(super) enum Address {
    Postgres(String),
    Sqlite(PathBuf),
}

/// Reads the address of a database.
pub(super) fn address(url: &str) -> Result<Address, ConnectFault> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Address::Postgres(url.to_owned()));
    }
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:"));
    match path {
        Some(path) if !path.is_empty() => Ok(Address::Sqlite(PathBuf::from(path))),
        _ => Err(ConnectFault::Scheme(url.split_once(':').map_or(url, |(scheme, _)| scheme).to_owned())),
    }
}

/// Opens connections.
#[derive(Debug)]
pub(super) struct Dialer {
    pub(super) address: Address,
    /// How long an answer is waited for.
    pub(super) patience: Duration,
}

impl Dialer {
    /// How long a lock is waited for that another program or another process has: less than for an answer, so that
    /// a busy database is told from one that hangs.
    pub(super) fn lock_patience(&self) -> Duration {
        LONGEST_BUSY.min(self.patience / 2)
    }

    /// Opens a connection. It notes in its line when the database was asked and when it has answered.
    pub(super) fn open(&self) -> ConnectionResult<Open> {
        let line = Arc::new(Line::default());
        let locks_ms = self.lock_patience().as_millis();
        let mut conn = match &self.address {
            Address::Postgres(url) => {
                let mut inner = PgConnection::establish(&patient(url, self.patience))?;
                inner
                    .batch_execute(&format!(
                        "SET lock_timeout = {locks_ms}; \
                         SET idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION_S}s';"
                    ))
                    .map_err(ConnectionError::CouldntSetupConfiguration)?;
                Conn::Postgres(inner)
            }
            Address::Sqlite(path) => {
                let mut inner = SqliteConnection::establish(&path.to_string_lossy())?;
                // The timeout comes first: switching to WAL needs the write lock.
                inner
                    .batch_execute(&format!(
                        "PRAGMA busy_timeout = {locks_ms}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                         PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;"
                    ))
                    .map_err(ConnectionError::CouldntSetupConfiguration)?;
                Conn::Sqlite(inner)
            }
        };
        let noting = Arc::clone(&line);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| match event {
            InstrumentationEvent::StartQuery { .. } => noting.asked(),
            InstrumentationEvent::FinishQuery { .. } => noting.answered(),
            _ => {}
        });
        Ok(Open { conn, line })
    }
}

/// The address of PostgreSQL with limits on waiting for the network, unless it has some of its own.
fn patient(url: &str, patience: Duration) -> String {
    let whole_s = patience.as_secs().max(2);
    let wanted = [
        ("connect_timeout", whole_s.to_string()),
        ("keepalives_idle", "30".to_owned()),
        ("keepalives_interval", "5".to_owned()),
        ("keepalives_count", "3".to_owned()),
        ("tcp_user_timeout", patience.as_millis().max(2000).to_string()),
    ];
    let mut url = url.to_owned();
    for (name, value) in wanted {
        if !url.contains(&format!("{name}=")) {
            let joint = if url.contains('?') { '&' } else { '?' };
            url.push_str(&format!("{joint}{name}={value}"));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_own_limits_stay() {
        let url = patient("postgres://a@b/c?connect_timeout=3", Duration::from_secs(10));
        assert!(url.starts_with("postgres://a@b/c?connect_timeout=3&keepalives_idle=30&"), "{url}");
        assert!(url.ends_with("&tcp_user_timeout=10000"), "{url}");
        assert_eq!(patient("postgres://a@b/c", Duration::from_secs(10)).matches('?').count(), 1);
    }
}
