//! Very many tables, copied by SQL from three real ones: running, waiting for a player, over.
//!
//! Of a hundred tables one waits, ten are being played, the others are over. A player sits at a hundred of them, so
//! however many tables there are, a player's own stay as many.

use stardate::store::{Database, TableId, UserId};
use stardate::tables::{self, Act};

use super::Res;
use super::fill::{self, Player, Table};
use super::scratch::{Peek, Scratch};

/// Tables that share a hundred players.
const BLOCK: i64 = 5000;

/// Ids of copies are small, those that the server makes are large.
const TABLES: i64 = 1000;

/// The tables that are copied.
pub struct Crowd {
    running: Source,
    open: Source,
    over: Source,
    made: i64,
}

struct Source {
    table: TableId,
    /// Who sits first; everybody else counts as second.
    first: UserId,
    /// Which of a hundred tables are like this one.
    share: &'static str,
}

/// A column with the expression that fills it in a copy.
type Filled = (&'static str, String);

impl Crowd {
    /// Makes the tables to copy, with small states: of the game whose states are small.
    pub fn new(db: &Database) -> Res<Crowd> {
        let ctx = fill::ctx()?;
        let players = fill::players(db, "source", 5)?;
        let tables = fill::tables_of(db, &ctx, "imperial-conflict", players[..4].to_vec())?;
        let [running, over] = &tables[..] else { return Err("two tables were wanted".into()) };
        let open = tables::run(db, |conn| fill::open(conn, &ctx, "imperial-conflict", players[4].id))?;
        tables::run(db, |conn| {
            let act = Act::in_any_phase(over.id, over.players[0].id, fill::now());
            tables::resign(conn, &ctx, fill::now(), &act)
        })?;
        let source = |table: &Table, share| Source { table: table.id, first: table.players[0].id, share };
        Ok(Crowd {
            running: source(running, "BETWEEN 1 AND 10"),
            over: source(over, "BETWEEN 11 AND 99"),
            open: Source { table: open, first: players[4].id, share: "= 0" },
            made: 0,
        })
    }

    /// Copies until there are so many tables.
    pub fn grow(&mut self, peek: &mut Peek, count: i64) -> Res<()> {
        let (from, to) = (self.made + 1, count);
        peek.run("BEGIN")?;
        users(peek, from / BLOCK * 100, (to / BLOCK + 1) * 100, self.running.first.0)?;
        for source in [&self.running, &self.open, &self.over] {
            copy_all(peek, source, from, to)?;
        }
        peek.run("COMMIT; ANALYZE")?;
        self.made = count;
        Ok(())
    }

    /// Some of the players, with browsers that are signed in: `count` of them, far apart.
    pub fn some(&self, scratch: &Scratch, count: i64) -> Res<Vec<Player>> {
        let last = self.made / BLOCK * 100;
        let numbers = (0..count).map(|nth| 1 + nth * last.max(100) / count);
        let db = Database::open(scratch.url(), 1)?;
        Ok(tables::run(&db, |conn| {
            let sign_in = |number: i64| {
                let cookie = fill::signed_in(conn, UserId(number))?;
                Ok(Player { id: UserId(number), name: format!("crowd{number}"), cookie })
            };
            numbers.clone().map(sign_in).collect::<Result<Vec<_>, tables::Refused>>()
        })?)
    }
}

/// Copies the rows of `table` that fit `condition` for every `i` from `from` to `to`, with these columns filled anew.
pub fn copy(peek: &mut Peek, table: &str, condition: &str, (from, to): (i64, i64), filled: &[Filled]) -> Res<()> {
    let columns = peek.columns(table)?;
    let values = columns.iter().map(|column| {
        let other = filled.iter().find(|(name, _)| name == column).map(|(_, expression)| expression.clone());
        other.unwrap_or_else(|| format!("src.{column}"))
    });
    let (names, values) = (columns.join(", "), values.collect::<Vec<_>>().join(", "));
    peek.run(&format!(
        "INSERT INTO {table} ({names}) WITH RECURSIVE series(i) AS \
         (SELECT CAST({from} AS BIGINT) UNION ALL SELECT i + 1 FROM series WHERE i < {to}) \
         SELECT {values} FROM series CROSS JOIN {table} src WHERE {condition}"
    ))
}

fn users(peek: &mut Peek, from: i64, to: i64, source: i64) -> Res<()> {
    // A block that was begun before has its players already.
    let from = from.max(peek.number("SELECT max(id) FROM users WHERE id < 1000000000")?) + 1;
    if from > to {
        return Ok(());
    }
    let named = || "'crowd' || i".to_owned();
    let address = || "'crowd' || i || '@players.example'".to_owned();
    let filled = [
        ("id", "i".to_owned()),
        ("name", named()),
        ("name_key", named()),
        ("email", address()),
        ("email_key", address()),
        ("unsubscribe_key", named()),
    ];
    copy(peek, "users", &format!("src.id = {source}"), (from, to), &filled)
}

fn copy_all(peek: &mut Peek, source: &Source, from: i64, to: i64) -> Res<()> {
    let Source { table: TableId(table), first: UserId(first), share } = source;
    let range = (from, to);
    let like = format!("(i * 7) % 100 {share}");
    let of_table = format!("src.table_id = {table} AND {like}");
    let one = format!("(i / {BLOCK}) * 100 + (i / 50) % 100 + 1");
    let two = format!("(i / {BLOCK}) * 100 + ((i / 50) % 100 + 1 + i % 99) % 100 + 1");
    let who = |column: &str| format!("CASE WHEN src.{column} = {first} THEN {one} ELSE {two} END");
    let id = || ("table_id", format!("{TABLES} + i"));
    let at = |column: &'static str| (column, peek_later(peek, column, "-(i % 900000)"));
    let moments = [at("created_at"), at("started_at"), at("ended_at")];
    let [created, started, ended] = moments;
    let booked = at("booked_at");
    let due = ("due_at", peek.later("src.due_at", "i % 86400"));
    let key = ("invite_key", "'crowd' || i".to_owned());
    let table_id = ("id", format!("{TABLES} + i"));
    let of_this = format!("src.id = {table} AND {like}");
    copy(peek, "game_tables", &of_this, range, &[table_id, key, ("creator_id", one.clone()), created, started, ended])?;
    let seat_id = format!("2 * i + CASE WHEN src.user_id = {first} THEN 0 ELSE 1 END");
    copy(peek, "seats", &of_table, range, &[id(), ("id", seat_id), ("user_id", who("user_id"))])?;
    for plain in ["phases", "dues", "opening_reports"] {
        copy(peek, plain, &of_table, range, &[id()])?;
    }
    let timer_id = "4 * i + CASE WHEN src.kind = 'deadline' THEN 0 ELSE 1 END".to_owned();
    copy(peek, "timers", &of_table, range, &[id(), ("id", timer_id), due])?;
    let results = [id(), ("user_id", who("user_id")), ("person_id", who("person_id")), booked];
    copy(peek, "results", &of_table, range, &results)
}

fn peek_later(peek: &Peek, column: &str, seconds: &str) -> String {
    peek.later(&format!("src.{column}"), seconds)
}
