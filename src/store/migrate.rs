//! Bringing a database to this binary's version, and refusing one of another.

use diesel::result::Error as QueryError;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::{Conn, ConnectFault, Database, dialect};

/// The migrations, the same for both databases.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

impl Database {
    /// Brings the database to this binary's version; returns the names of what ran.
    pub fn migrate(&self) -> Result<Vec<String>, ConnectFault> {
        self.alone_with_migrations(|conn| {
            refuse_newer(conn)?;
            let ran = match conn {
                Conn::Postgres(inner) => names(inner.run_pending_migrations(MIGRATIONS)),
                Conn::Sqlite(inner) => names(inner.run_pending_migrations(MIGRATIONS)),
            };
            ran.map_err(|error| ConnectFault::Migration(error.to_string()))
        })
    }

    /// Checks that the database is of exactly this binary's version.
    pub fn check_version(&self) -> Result<(), ConnectFault> {
        self.alone_with_migrations(|conn| {
            refuse_newer(conn)?;
            let missing = match conn {
                Conn::Postgres(inner) => inner.pending_migrations(MIGRATIONS).map(|list| list.len()),
                Conn::Sqlite(inner) => inner.pending_migrations(MIGRATIONS).map(|list| list.len()),
            };
            match missing.map_err(|error| ConnectFault::Migration(error.to_string()))? {
                0 => Ok(()),
                count => Err(ConnectFault::Behind(count)),
            }
        })
    }

    /// Looks at or runs migrations while no other process does: started several times at once they would make the
    /// same tables, and all but one fail. The others wait, and then find nothing left to do.
    fn alone_with_migrations<T>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T, ConnectFault>,
    ) -> Result<T, ConnectFault> {
        let failed = |error: QueryError| ConnectFault::Migration(error.to_string());
        let mut conn = self.connection().map_err(|error| ConnectFault::Unreachable(error.to_string()))?;
        dialect::hold_migrations(&mut conn).map_err(failed)?;
        let done = work(&mut conn);
        // A connection that was lost on the way has given the lock back; the first fault is the one to tell.
        let released = dialect::release_migrations(&mut conn)
            .and_then(|()| dialect::wait_for_locks(&mut conn, self.shared.pool.lock_patience()))
            .map_err(failed);
        done.and_then(|done| released.map(|()| done))
    }
}

/// Refuses a database with a migration that this binary does not know.
pub(super) fn refuse_newer(conn: &mut Conn) -> Result<(), ConnectFault> {
    let newer = match conn {
        Conn::Postgres(inner) => newest_unknown(inner),
        Conn::Sqlite(inner) => newest_unknown(inner),
    };
    match newer.map_err(|error| ConnectFault::Migration(error.to_string()))? {
        Some(name) => Err(ConnectFault::Newer(name)),
        None => Ok(()),
    }
}

type MigrationResult<T> = diesel::migration::Result<T>;

fn names(ran: MigrationResult<Vec<diesel::migration::MigrationVersion<'_>>>) -> MigrationResult<Vec<String>> {
    Ok(ran?.iter().map(ToString::to_string).collect())
}

fn newest_unknown<C, DB>(conn: &mut C) -> MigrationResult<Option<String>>
where
    DB: diesel::backend::Backend,
    C: MigrationHarness<DB>,
    EmbeddedMigrations: diesel::migration::MigrationSource<DB>,
{
    let known: Vec<String> = diesel::migration::MigrationSource::<DB>::migrations(&MIGRATIONS)?
        .iter()
        .map(|migration| migration.name().version().to_string())
        .collect();
    let applied = conn.applied_migrations()?;
    Ok(applied.iter().map(ToString::to_string).find(|version| !known.contains(version)))
}
