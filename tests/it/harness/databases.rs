//! A database of its own for every test, thrown away afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use stardate::store::{Conn, Database};

/// Where a PostgreSQL for tests is; `tests/run` starts one and sets it.
const POSTGRES_URL: &str = "STARDATE_TEST_POSTGRES_URL";

/// The two databases the server works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// An empty database.
pub struct Fresh {
    /// Address as the settings take it.
    pub url: String,
    pub backend: Backend,
    _folder: Option<tempfile::TempDir>,
    drop_at: Option<(String, String)>,
}

impl Fresh {
    /// An empty database; `None` when it is PostgreSQL's turn and none is there. Then the test is skipped on
    /// a developer's machine and fails under CI.
    pub fn of(backend: Backend) -> Option<Fresh> {
        match backend {
            Backend::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                let url = format!("sqlite:{}", folder.path().join("test.db").display());
                Some(Fresh { url, backend, _folder: Some(folder), drop_at: None })
            }
            Backend::Postgres => {
                let Ok(base) = std::env::var(POSTGRES_URL) else {
                    assert!(std::env::var_os("CI").is_none(), "{POSTGRES_URL} is not set; run tests/run");
                    eprintln!("Skipped on PostgreSQL: {POSTGRES_URL} is not set; tests/run sets it.");
                    return None;
                };
                static COUNT: AtomicU32 = AtomicU32::new(0);
                let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
                let mut conn = PgConnection::establish(&base).expect("the PostgreSQL of the tests answers");
                // template0 may be copied by many at once, template1 by one.
                conn.batch_execute(&format!("CREATE DATABASE {name} TEMPLATE template0")).unwrap();
                let (server, _) = base.rsplit_once('/').expect("the address ends in a database's name");
                Some(Fresh { url: format!("{server}/{name}"), backend, _folder: None, drop_at: Some((base, name)) })
            }
        }
    }

    /// A connection past the server's own ways, for looking at what it stores while it runs.
    pub fn peek(&self) -> Conn {
        match self.backend {
            Backend::Sqlite => {
                let path = self.url.strip_prefix("sqlite:").expect("that is how it was made");
                let mut inner = SqliteConnection::establish(path).unwrap();
                inner.batch_execute("PRAGMA busy_timeout = 20000").unwrap();
                Conn::Sqlite(inner)
            }
            Backend::Postgres => Conn::Postgres(PgConnection::establish(&self.url).unwrap()),
        }
    }

    /// Opens and migrates it.
    pub fn open(&self) -> Database {
        let db = Database::open(&self.url, 8).unwrap();
        db.migrate().unwrap();
        db
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let Some((base, name)) = &self.drop_at else { return };
        let dropped = PgConnection::establish(base).map_err(|error| error.to_string()).and_then(|mut conn| {
            conn.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).map_err(|error| error.to_string())
        });
        if let Err(error) = dropped {
            eprintln!("{name} was not dropped: {error}");
        }
    }
}

/// Runs a test on an empty database of each kind.
pub fn on_both(test: impl Fn(&Fresh)) {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if let Some(fresh) = Fresh::of(backend) {
            eprintln!("On {backend:?}:");
            test(&fresh);
        }
    }
}
