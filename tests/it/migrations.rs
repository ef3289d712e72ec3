//! The migrations run up, down and up on both databases and leave the same tables, which are those of the
//! schema the code is compiled against.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_migrations::MigrationHarness;
use stardate::store::{Conn, Database, MIGRATIONS};

use crate::harness::{Backend, Fresh, on_both};

const SCHEMA: &str = include_str!("../../src/store/schema.rs");

/// Column name → type and whether it may be empty, by table.
type Tables = BTreeMap<String, BTreeMap<String, (String, bool)>>;

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    nullable: String,
}

const OF_SQLITE: &str = "SELECT m.name AS table_name, p.name AS column_name, p.type AS kind, \
    CASE p.\"notnull\" WHEN 0 THEN 'YES' ELSE 'NO' END AS nullable \
    FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'";

const OF_POSTGRES: &str = "SELECT CAST(table_name AS TEXT) AS table_name, CAST(column_name AS TEXT) AS column_name, \
    CAST(data_type AS TEXT) AS kind, CAST(is_nullable AS TEXT) AS nullable \
    FROM information_schema.columns WHERE table_schema = 'public'";

fn tables(db: &Database) -> Tables {
    let mut conn = db.connection().unwrap();
    let query = if db.is_sqlite() { OF_SQLITE } else { OF_POSTGRES };
    let mut tables = Tables::new();
    for column in diesel::sql_query(query).load::<Column>(&mut *conn).unwrap() {
        if column.table_name == "__diesel_schema_migrations" {
            continue;
        }
        let kind = match column.kind.to_uppercase().as_str() {
            "TIMESTAMP WITHOUT TIME ZONE" => "TIMESTAMP".to_owned(),
            other => other.to_owned(),
        };
        tables.entry(column.table_name).or_default().insert(column.column_name, (kind, column.nullable == "YES"));
    }
    tables
}

/// The tables as the `table!` macros of the code have them.
fn tables_of_the_code() -> Tables {
    let mut tables = Tables::new();
    let mut table = String::new();
    for line in SCHEMA.lines().map(str::trim) {
        if let Some((name, _)) = line.split_once(" (").filter(|_| line.ends_with(") {")) {
            table = name.to_owned();
        } else if let Some((column, kind)) = line.split_once(" -> ").filter(|_| line.ends_with(',')) {
            let kind = kind.trim_end_matches(',');
            let inner = kind.strip_prefix("Nullable<").and_then(|kind| kind.strip_suffix('>'));
            let sql = match inner.unwrap_or(kind) {
                "BigInt" => "BIGINT",
                "Integer" => "INTEGER",
                "Text" => "TEXT",
                "Bool" => "BOOLEAN",
                "Binary" => "BYTEA",
                "Timestamp" => "TIMESTAMP",
                other => panic!("{table}.{column} is {other}, which no migration should use"),
            };
            tables.entry(table.clone()).or_default().insert(column.to_owned(), (sql.to_owned(), inner.is_some()));
        }
    }
    tables
}

fn down(db: &Database) {
    let mut conn = db.connection().unwrap();
    match &mut *conn {
        Conn::Postgres(inner) => drop(inner.revert_all_migrations(MIGRATIONS).unwrap()),
        Conn::Sqlite(inner) => drop(inner.revert_all_migrations(MIGRATIONS).unwrap()),
    }
}

#[test]
fn up_down_and_up_again_gives_the_tables_of_the_code() {
    let code = tables_of_the_code();
    assert!(code.len() > 15, "the reader of schema.rs found only {} tables", code.len());
    on_both(|fresh| {
        let db = fresh.open();
        assert_eq!(tables(&db), code, "after the first run up");
        down(&db);
        assert_eq!(tables(&db), Tables::new(), "something was left after the run down");
        db.migrate().unwrap();
        assert_eq!(tables(&db), code, "after the second run up");
        assert_eq!(db.migrate().unwrap(), Vec::<String>::new(), "a run with nothing to do does nothing");
    });
}

#[derive(QueryableByName)]
struct Index {
    #[diesel(sql_type = Text)]
    name: String,
}

#[test]
fn both_databases_have_the_same_named_indexes() {
    let of = |fresh: &Fresh| -> BTreeSet<String> {
        let db = fresh.open();
        let query = if db.is_sqlite() {
            "SELECT name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'"
        } else {
            // Those behind primary keys and UNIQUE have names of the database's own making.
            "SELECT CAST(c.relname AS TEXT) AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' \
             AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = c.oid)"
        };
        let mut conn = db.connection().unwrap();
        diesel::sql_query(query).load::<Index>(&mut *conn).unwrap().into_iter().map(|index| index.name).collect()
    };
    let Some(postgres) = Fresh::of(Backend::Postgres) else { return };
    let sqlite = of(&Fresh::of(Backend::Sqlite).unwrap());
    assert!(sqlite.contains("timers_due"), "{sqlite:?}");
    assert_eq!(sqlite, of(&postgres));
}
