//! The one file with a word per database.

use std::time::Duration;

use diesel::QueryResult;
use diesel::connection::SimpleConnection;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

use super::{Conn, MultiBackend, Stamp};

/// A query that both databases understand and the combined backend has no type for: `on_conflict`, `union`.
/// Wrap it and run it on a [`Conn`] like any other.
pub struct Both<Q>(pub Q);

impl<Q> QueryFragment<MultiBackend> for Both<Q>
where
    Q: QueryFragment<diesel::pg::Pg> + QueryFragment<diesel::sqlite::Sqlite>,
{
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, MultiBackend>) -> QueryResult<()> {
        MultiBackend::walk_variant_ast(&self.0, pass)
    }
}

impl<Q: QueryId> QueryId for Both<Q> {
    type QueryId = Q::QueryId;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q: Query> Query for Both<Q> {
    type SqlType = Q::SqlType;
}

impl<Q> diesel::query_dsl::RunQueryDsl<Conn> for Both<Q> {}

/// A change whose statement is prepared once for each connection. Left to itself, diesel prepares every UPDATE anew, and
/// every INSERT that leaves a column out, because their text may differ from one time to the next; here the statement is
/// looked up by its text. Not for lists of varying length: each length would be kept.
pub struct Kept<Q>(Q);

/// Makes a change [`Kept`].
pub trait Keep: Sized {
    /// The change, to be prepared once.
    fn kept(self) -> Kept<Self> {
        Kept(self)
    }
}

impl<Q: QueryFragment<MultiBackend>> Keep for Q {}

impl<Q: QueryFragment<MultiBackend>> QueryFragment<MultiBackend> for Kept<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, MultiBackend>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &MultiBackend) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Q> QueryId for Kept<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> diesel::query_dsl::RunQueryDsl<Conn> for Kept<Q> {}

/// How a read that takes several statements begins: all of them see the database at one moment.
pub(super) fn begin_read(conn: &mut Conn) -> QueryResult<()> {
    use diesel::connection::AnsiTransactionManager as Manager;
    match conn {
        Conn::Postgres(inner) => {
            Manager::begin_transaction_sql(inner, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        }
        // With a write-ahead log the first read fixes the moment.
        Conn::Sqlite(inner) => Manager::begin_transaction_sql(inner, "BEGIN DEFERRED"),
    }
}

/// How a write transaction begins. A deferred one on SQLite fails at once when two readers both turn writer.
pub(super) fn begin(conn: &mut Conn) -> QueryResult<()> {
    use diesel::connection::AnsiTransactionManager as Manager;
    match conn {
        Conn::Postgres(inner) => Manager::begin_transaction_sql(inner, "BEGIN"),
        Conn::Sqlite(inner) => Manager::begin_transaction_sql(inner, "BEGIN IMMEDIATE"),
    }
}

/// How long a write that is not worth waiting for waits for a row that another one holds on PostgreSQL.
const AT_ONCE: Duration = Duration::from_millis(20);

/// The same for a write that fails where somebody else holds a lock, instead of waiting. Whatever comes of it, the
/// connection is to [`wait_for_locks`] as before afterwards.
pub(super) fn begin_at_once(conn: &mut Conn) -> QueryResult<()> {
    wait_for_locks(conn, AT_ONCE)?;
    begin(conn)
}

/// How long statements of this connection wait for a lock that somebody else holds.
pub(super) fn wait_for_locks(conn: &mut Conn, patience: Duration) -> QueryResult<()> {
    let whole_ms = patience.as_millis();
    match conn {
        Conn::Postgres(inner) => inner.batch_execute(&format!("SET lock_timeout = {whole_ms}")),
        Conn::Sqlite(inner) => inner.batch_execute(&format!("PRAGMA busy_timeout = {whole_ms}")),
    }
}

/// The time by the database's own clock; `None` on SQLite, which has none of its own.
pub fn clock(conn: &mut Conn) -> QueryResult<Option<Stamp>> {
    use diesel::RunQueryDsl;
    use diesel::dsl::sql;
    use diesel::sql_types::Timestamp;
    let now = sql::<Timestamp>("date_trunc('second', clock_timestamp() AT TIME ZONE 'UTC')");
    match conn {
        Conn::Postgres(inner) => diesel::select(now).get_result(inner).map(Some),
        Conn::Sqlite(_) => Ok(None),
    }
}

/// The number of the lock that a process holds on PostgreSQL while it looks at the migrations or runs them. Any number
/// would do that no other program uses in the same database.
const MIGRATIONS_LOCK: i64 = 0x7374_6172_6461_7465;

/// Waits until no other process is at the migrations, for as long as that takes. On SQLite the lock file has seen to
/// that.
pub fn hold_migrations(conn: &mut Conn) -> QueryResult<()> {
    match conn {
        Conn::Postgres(inner) => {
            inner.batch_execute(&format!("SET lock_timeout = 0; SELECT pg_advisory_lock({MIGRATIONS_LOCK})"))
        }
        Conn::Sqlite(_) => Ok(()),
    }
}

/// Lets the next process at the migrations.
pub fn release_migrations(conn: &mut Conn) -> QueryResult<()> {
    match conn {
        Conn::Postgres(inner) => inner.batch_execute(&format!("SELECT pg_advisory_unlock({MIGRATIONS_LOCK})")),
        Conn::Sqlite(_) => Ok(()),
    }
}
