//! Whether the database answers, asked apart from everything else: on a connection and a thread of its own, so that a
//! server whose every thread hangs can still say so.

use std::sync::Arc;
use std::time::Duration;

use diesel::QueryResult;
use diesel::connection::SimpleConnection;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::dialer::Dialer;
use super::trouble::{held_elsewhere, trouble};
use super::{Conn, Trouble, dialect};

/// How the database is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answers.
    Well,
    /// It can be read; another program keeps everybody else from writing.
    Busy,
    /// It takes what it is sent and does not answer.
    Silent,
    /// There is no connection to it, or it answers with a fault.
    Away(String),
}

/// The line that only the health check uses.
pub(super) struct Probe {
    line: Arc<Mutex<Option<Conn>>>,
    dialer: Arc<Dialer>,
    /// The answer that is waited for. At most one thread waits for it, however many ask.
    asked: Mutex<Option<watch::Receiver<Option<Health>>>>,
}

impl Probe {
    pub(super) fn new(dialer: Dialer) -> Probe {
        Probe { line: Arc::default(), dialer: Arc::new(dialer), asked: Mutex::default() }
    }

    /// What it finds; [`Health::Silent`] when the database does not say so within `limit`.
    pub(super) async fn health(&self, limit: Duration) -> Health {
        let mut answer = self.ask();
        let said = tokio::time::timeout(limit, answer.wait_for(Option::is_some)).await;
        match said {
            Ok(Ok(health)) => health.clone().unwrap_or(Health::Silent),
            Ok(Err(_)) => Health::Away("the health check ended in the middle".to_owned()),
            Err(_) => Health::Silent,
        }
    }

    fn ask(&self) -> watch::Receiver<Option<Health>> {
        let mut asked = self.asked.lock();
        // Still under way: its sender is there and has said nothing.
        if let Some(answer) = asked.as_ref().filter(|answer| answer.borrow().is_none() && answer.has_changed().is_ok())
        {
            return answer.clone();
        }
        let (sender, answer) = watch::channel(None);
        *asked = Some(answer.clone());
        let (line, dialer) = (Arc::clone(&self.line), Arc::clone(&self.dialer));
        std::thread::spawn(move || {
            let health = look(&mut line.lock(), &dialer);
            // Nobody is there any more when the database did not answer in time.
            let _ = sender.send(Some(health));
        });
        answer
    }
}

fn look(line: &mut Option<Conn>, dialer: &Dialer) -> Health {
    let mut conn = match line.take() {
        Some(conn) => conn,
        None => match dialer.open() {
            Ok(open) => open.conn,
            Err(error) => return Health::Away(error.to_string()),
        },
    };
    match answers(&mut conn, dialer.lock_patience()) {
        Ok(()) => {
            *line = Some(conn);
            Health::Well
        }
        Err(error) if held_elsewhere(&error) || trouble(&error) == Some(Trouble::Busy) => Health::Busy,
        Err(error) => Health::Away(error.to_string()),
    }
}

/// Asks for the write lock of SQLite too, and releases it at once.
fn answers(conn: &mut Conn, locks: Duration) -> QueryResult<()> {
    dialect::wait_for_locks(conn, locks.min(Duration::from_secs(1)))?;
    match conn {
        Conn::Postgres(inner) => inner.batch_execute("SELECT 1"),
        Conn::Sqlite(inner) => inner.batch_execute("BEGIN IMMEDIATE; ROLLBACK"),
    }
}
