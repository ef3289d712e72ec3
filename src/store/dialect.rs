//! The one file with a word per database.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

use super::{Conn, MultiBackend};

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
