//! The real binary under load from several players is killed again and again with SIGKILL, at random
//! moments. Afterwards nothing that was acknowledged is missing, and nothing has happened twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use diesel::prelude::*;
use stardate::store::schema::{game_tables, outbox, phases, plots, results, seats, users};
use stardate::store::{Conn, TableId, UserId};

use crate::harness::play::{self, Acknowledged, Chance, Did};
use crate::harness::{Backend, Fresh, Launch, PATIENCE, Visitor, letters};
use crate::shared::long::times;

/// Kills on each database.
fn kills() -> usize {
    times(8, 50)
}

/// Pairs of players; each plays one table after the other.
const PAIRS: usize = 3;

#[test]
fn killed_again_and_again_on_sqlite() {
    survive(&Fresh::of(Backend::Sqlite).unwrap(), 1);
}

#[test]
fn killed_again_and_again_on_postgres() {
    if let Some(fresh) = Fresh::of(Backend::Postgres) {
        survive(&fresh, 2);
    }
}

/// What the players have seen.
#[derive(Default)]
struct Seen {
    /// By player.
    plots: Mutex<Vec<(String, Acknowledged)>>,
    /// The tables made, by pair.
    tables: Mutex<Vec<Vec<String>>>,
}

impl Seen {
    /// Waits until one more plot is acknowledged; not for long, for there may be nothing to do just now.
    fn wait_for_more(&self) {
        let count = || self.plots.lock().unwrap().len();
        let (before, start) = (count(), Instant::now());
        while count() == before && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn survive(fresh: &Fresh, seed: u64) {
    let mail = tempfile::tempdir().unwrap();
    let launch = Launch::new(&fresh.url, mail.path());
    if fresh.backend == Backend::Postgres {
        launch.migrate();
    }
    let mut server = launch.start();
    let address = Arc::new(RwLock::new(server.address.clone()));
    let players: Vec<(String, Visitor)> = (0..2 * PAIRS)
        .map(|no| {
            let name = format!("Player{no}");
            let visitor = Visitor::sharing(&address);
            visitor.sign_up(&name, mail.path());
            (name, visitor)
        })
        .collect();
    let seen = Seen { tables: Mutex::new(vec![Vec::new(); PAIRS]), ..Seen::default() };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for (no, (name, visitor)) in players.iter().enumerate() {
            let (seen, stop) = (&seen, &stop);
            scope.spawn(move || play_on(visitor, name, no, seed, seen, stop));
        }
        // Whatever happens here, the players are told to stop; else the scope would wait for them forever.
        let _stop = StopAtEnd(&stop);
        let mut chance = Chance::new(seed);
        for _ in 0..kills() {
            // Not before something has happened, and then at any moment.
            seen.wait_for_more();
            std::thread::sleep(Duration::from_millis(chance.below(700) as u64));
            server.kill();
            server = launch.start();
            server.address.clone_into(&mut address.write().unwrap());
        }
        std::thread::sleep(Duration::from_secs(1));
    });
    end_all_tables(&players, &seen);
    let records = fetch_records(&players, &seen);
    drain_outbox(fresh);
    let (well, log) = server.stop();
    assert!(well, "{log}");

    let mut conn = fresh.peek();
    let plots = seen.plots.into_inner().unwrap();
    assert!(plots.len() >= kills(), "the load was too small to mean anything: {} plots", plots.len());
    let (kills, tables) = (kills(), records.len());
    eprintln!("{:?}: {kills} kills, {} plots acknowledged at {tables} tables.", fresh.backend, plots.len());
    every_acknowledged_plot_is_stored(&mut conn, &plots);
    every_phase_is_closed_once(&mut conn);
    every_letter_owed_was_delivered(&mut conn, mail.path());
    every_record_holds(&records);
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// One player: makes or joins the pair's tables and takes its turns, whether the server is there or not.
fn play_on(visitor: &Visitor, name: &str, no: usize, seed: u64, seen: &Seen, stop: &AtomicBool) {
    let (pair, maker) = (no / 2, no.is_multiple_of(2));
    let mut chance = Chance::new(seed * 1000 + no as u64);
    let mut ended = BTreeSet::new();
    while !stop.load(Ordering::SeqCst) {
        let current = seen.tables.lock().unwrap()[pair].last().cloned();
        let done = match current.filter(|table| !ended.contains(table)) {
            None if maker => play::make_table(visitor, "Under fire").map(|made| {
                seen.tables.lock().unwrap()[pair].extend(made);
            }),
            None => {
                std::thread::sleep(Duration::from_millis(20));
                Ok(())
            }
            Some(table) => take_turn(visitor, name, &table, maker, &mut chance, seen, &mut ended),
        };
        if done.is_err() {
            // Killed under our hands; the next try finds it back or not.
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn take_turn(
    visitor: &Visitor,
    name: &str,
    table: &str,
    maker: bool,
    chance: &mut Chance,
    seen: &Seen,
    ended: &mut BTreeSet<String>,
) -> Result<(), crate::harness::Gone> {
    match play::take_turn(visitor, table, chance)? {
        Did::HandedIn(plot) => seen.plots.lock().unwrap().push((name.to_owned(), plot)),
        Did::SawTheEnd => drop(ended.insert(table.to_owned())),
        Did::Waited if !maker => drop(play::join(visitor, table)?),
        Did::Waited | Did::TooLate(_) => std::thread::sleep(Duration::from_millis(10)),
    }
    Ok(())
}

/// The players resign what is still running, so that every table has its record.
fn end_all_tables(players: &[(String, Visitor)], seen: &Seen) {
    for (pair, tables) in seen.tables.lock().unwrap().iter().enumerate() {
        let (_, maker) = &players[2 * pair];
        // One that was stored while the answer was lost is known to its maker from their own page.
        let home = maker.get("/").body;
        let listed =
            home.split("href=\"").filter_map(|part| part.split('"').next()).filter(|path| path.starts_with("/t/"));
        let all: BTreeSet<&str> = listed.chain(tables.iter().map(String::as_str)).collect();
        for table in all {
            let page = maker.get(&format!("{table}/resign"));
            if let Some(form) = page.find_form(&format!("{table}/resign")) {
                let answer = maker.send(&form.set("sure", "yes"));
                assert_eq!(answer.status, 200, "{}", answer.body);
            } else if let Some(form) = maker.get(table).find_form(&format!("{table}/cancel")) {
                assert_eq!(maker.send(&form).status, 200);
            }
        }
    }
}

/// The records of all tables that were played, by path.
fn fetch_records(players: &[(String, Visitor)], seen: &Seen) -> BTreeMap<String, String> {
    let mut records = BTreeMap::new();
    for (pair, tables) in seen.tables.lock().unwrap().iter().enumerate() {
        for table in tables {
            let page = players[2 * pair].1.get(&format!("{table}/record"));
            if page.status == 200 {
                records.insert(table.clone(), page.body);
            }
        }
    }
    records
}

/// Makes every waiting letter due now and waits until none waits.
fn drain_outbox(fresh: &Fresh) {
    let mut conn = fresh.peek();
    let start = Instant::now();
    loop {
        let now = chrono::DateTime::from_timestamp(chrono::Utc::now().timestamp(), 0).unwrap().naive_utc();
        let waiting = outbox::table.filter(outbox::status.eq("queued"));
        if waiting.count().get_result::<i64>(&mut conn).unwrap() == 0 {
            return;
        }
        // Claims of senders that were killed would be free again after their lease; this need not wait for it.
        diesel::update(waiting.filter(outbox::next_attempt_at.gt(now)))
            .set(outbox::next_attempt_at.eq(now))
            .execute(&mut conn)
            .unwrap();
        assert!(start.elapsed() < PATIENCE, "letters still wait");
        std::thread::sleep(Duration::from_millis(1000));
    }
}

fn table_id(path: &str) -> TableId {
    path.trim_start_matches("/t/").parse().unwrap()
}

fn every_acknowledged_plot_is_stored(conn: &mut Conn, seen: &[(String, Acknowledged)]) {
    for (name, plot) in seen {
        let seat: Option<i32> = seats::table
            .inner_join(users::table)
            .filter(seats::table_id.eq(table_id(&plot.table)))
            .filter(users::name.eq(name))
            .select(seats::seat)
            .first(conn)
            .unwrap();
        let stored: Option<String> = plots::table
            .find((table_id(&plot.table), plot.phase_no, seat.expect("it has begun")))
            .select(plots::body)
            .first(conn)
            .optional()
            .unwrap();
        let stored = stored.unwrap_or_else(|| panic!("{name}'s plot is lost: {plot:?}"));
        let orders: Vec<&str> = stored.lines().filter(|line| *line != "pass").collect();
        assert_eq!(orders, plot.orders, "another plot is stored than was acknowledged to {name}: {plot:?}");
    }
}

fn every_phase_is_closed_once(conn: &mut Conn) {
    let tables: Vec<(TableId, String, i32)> =
        game_tables::table.select((game_tables::id, game_tables::status, game_tables::phase_no)).load(conn).unwrap();
    for (id, status, phase_no) in tables {
        let of_table = phases::table.filter(phases::table_id.eq(id));
        let numbers: Vec<i32> = of_table.order(phases::no).select(phases::no).load(conn).unwrap();
        if status == "cancelled" {
            assert_eq!(numbers, Vec::<i32>::new());
            continue;
        }
        assert_eq!(status, "over", "table {} was resigned", id);
        assert_eq!(numbers, (1..=phase_no).collect::<Vec<i32>>(), "phases of {}", id);
        let open = of_table.filter(phases::closed_at.is_null()).count().get_result::<i64>(conn).unwrap();
        assert_eq!(open, 0, "an open phase at {}", id);
        let booked = results::table.filter(results::table_id.eq(id)).filter(results::booked_at.is_not_null());
        assert_eq!(booked.count().get_result::<i64>(conn).unwrap(), 2, "results of {}", id);
    }
}

fn every_letter_owed_was_delivered(conn: &mut Conn, mail: &Path) {
    let delivered: BTreeSet<String> = letters::all(mail).into_iter().map(|letter| letter.message_id).collect();
    let queued: Vec<(String, String, String)> =
        outbox::table.select((outbox::message_id, outbox::status, outbox::subject)).load(conn).unwrap();
    for (message_id, status, subject) in &queued {
        match status.as_str() {
            "sent" => {
                let id = message_id.trim_matches(['<', '>']);
                assert!(delivered.contains(id), "“{subject}” ({id}) counts as sent and did not arrive");
            }
            "dropped" => {}
            other => panic!("“{subject}” is {other}"),
        }
    }
    let over: Vec<UserId> =
        game_tables::table.filter(game_tables::status.eq("over")).select(game_tables::id).load(conn).unwrap();
    for id in over {
        for kind in ["started", "over"] {
            let sent = outbox::table
                .filter(outbox::table_id.eq(id).and(outbox::letter.eq(kind)).and(outbox::status.eq("sent")));
            assert_eq!(sent.count().get_result::<i64>(conn).unwrap(), 2, "“{kind}” letters of {}", id);
        }
    }
}

/// Both subcommands find every record sound.
fn every_record_holds(records: &BTreeMap<String, String>) {
    assert!(!records.is_empty());
    let folder = tempfile::tempdir().unwrap();
    for (no, (table, record)) in records.iter().enumerate() {
        let path: PathBuf = folder.path().join(format!("{no}.record"));
        std::fs::write(&path, record).unwrap();
        for command in ["replay", "verify"] {
            let output = Command::new(env!("CARGO_BIN_EXE_stardate")).arg(command).arg(&path).output().unwrap();
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{command} of {table}:\n{out}\n{err}");
        }
    }
}
