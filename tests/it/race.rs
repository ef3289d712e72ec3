//! A plot in the last moment against the sweep of the deadlines: exactly one of “the plot stands” and
//! “dropped” happens, each time, on both databases, with two server processes on PostgreSQL.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{NaiveDateTime, TimeDelta, Utc};
use diesel::prelude::*;
use stardate::store::schema::{game_tables, phases, plots, results, seats, timers, users};
use stardate::store::{Conn, TableId};

use crate::harness::play::{self, Chance};
use crate::harness::{Backend, Form, Fresh, Launch, PATIENCE, Page, Server, Visitor};

/// Tables that race at the same moment.
const ROUNDS: usize = 30;

/// How far ahead the deadline is put: enough to wake the servers, which then sleep exactly until it.
const AHEAD_S: i64 = 6;

#[test]
fn the_last_moment_on_sqlite() {
    race(&Fresh::of(Backend::Sqlite).unwrap(), 1);
}

#[test]
fn the_last_moment_with_two_processes_on_postgres() {
    if let Some(fresh) = Fresh::of(Backend::Postgres) {
        race(&fresh, 2);
    }
}

/// A table on which one plot is still missing, with the form that would hand it in.
struct Round {
    table: String,
    form: Form,
    /// Milliseconds after the deadline at which it is sent.
    offset_ms: i64,
}

fn race(fresh: &Fresh, processes: usize) {
    let mail = tempfile::tempdir().unwrap();
    let launch = Launch::new(&fresh.url, mail.path());
    if fresh.backend == Backend::Postgres {
        launch.migrate();
    }
    let servers: Vec<Server> = (0..processes).map(|_| launch.start()).collect();
    let (early, late) = (Visitor::new(&servers[0].address), Visitor::new(&servers[0].address));
    early.sign_up("Early", mail.path());
    late.sign_up("Late", mail.path());
    let mut chance = Chance::new(processes as u64);
    let rounds: Vec<Round> = (0..ROUNDS).map(|no| set_up(&early, &late, no, &mut chance)).collect();
    let spare = new_table(&early, &late, "Spare");

    let deadline = (Utc::now() + TimeDelta::seconds(AHEAD_S)).naive_utc();
    let deadline = deadline.and_utc().timestamp();
    let deadline = chrono::DateTime::from_timestamp(deadline, 0).unwrap().naive_utc();
    move_deadlines(&mut fresh.peek(), &rounds, deadline);
    wake(&servers, &early, &late, &spare);
    let late = Arc::new(late);
    let answers: Vec<Page> = std::thread::scope(|scope| {
        let threads: Vec<_> = rounds
            .iter()
            .enumerate()
            .map(|(no, round)| {
                let visitor = late.clone_at(&servers[no % processes].address);
                scope.spawn(move || {
                    sleep_until(deadline + TimeDelta::milliseconds(round.offset_ms));
                    visitor.try_post(&round.form).unwrap_or_else(|gone| panic!("{}: {}", round.table, gone.0))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    wait_until_all_closed(&mut fresh.peek(), &rounds);
    judge(&mut fresh.peek(), &rounds, &answers);
}

fn new_table(early: &Visitor, late: &Visitor, title: &str) -> String {
    let table = play::make_table(early, title).unwrap().expect("a table can be made");
    assert!(play::join(late, &table).unwrap(), "{table} can be joined");
    table
}

/// A table at which Early has handed in and Late has the form open, which also counts as having seen it.
fn set_up(early: &Visitor, late: &Visitor, no: usize, chance: &mut Chance) -> Round {
    let table = new_table(early, late, &format!("Round {no}"));
    let did = play::take_turn(early, &table, chance).unwrap();
    assert!(matches!(did, play::Did::HandedIn(_)), "{did:?}");
    let form = late.get(&table).form(&format!("{table}/plot")).set("text", "").set("do", "pass");
    // Two well before and two well after; the others as close as they get, from both sides.
    let offset_ms = match no {
        0 | 1 => -3000,
        2 | 3 => 1500,
        _ => chance.below(400) as i64 - 250,
    };
    Round { table, form, offset_ms }
}

/// Puts the deadlines of all rounds to the same second, and the sweep with them: without its usual grace.
fn move_deadlines(conn: &mut Conn, rounds: &[Round], deadline: NaiveDateTime) {
    for round in rounds {
        let id = id_of(&round.table);
        let moved = diesel::update(phases::table.filter(phases::table_id.eq(id)).filter(phases::closed_at.is_null()))
            .set(phases::deadline_at.eq(deadline))
            .execute(conn)
            .unwrap();
        assert_eq!(moved, 1);
        diesel::delete(timers::table.filter(timers::table_id.eq(id)).filter(timers::kind.eq("reminder")))
            .execute(conn)
            .unwrap();
        let moved = diesel::update(timers::table.filter(timers::table_id.eq(id)))
            .set(timers::due_at.eq(deadline))
            .execute(conn)
            .unwrap();
        assert_eq!(moved, 1, "the timer of the deadline");
    }
}

/// Has each server look for the next deadline: storing anything wakes it.
fn wake(servers: &[Server], early: &Visitor, late: &Visitor, spare: &str) {
    for (server, visitor) in servers.iter().zip([early, late]) {
        visitor.go_to(&server.address);
        let form = visitor.get(spare).form(&format!("{spare}/plot")).set("text", "# awake").set("do", "save");
        assert_eq!(visitor.try_post(&form).unwrap().status, 303);
    }
}

fn sleep_until(then: NaiveDateTime) {
    if let Ok(left) = (then - Utc::now().naive_utc()).to_std() {
        std::thread::sleep(left);
    }
}

fn id_of(table: &str) -> TableId {
    table.trim_start_matches("/t/").parse().unwrap()
}

fn wait_until_all_closed(conn: &mut Conn, rounds: &[Round]) {
    let ids: Vec<TableId> = rounds.iter().map(|round| id_of(&round.table)).collect();
    let start = Instant::now();
    loop {
        let first_open = phases::table
            .filter(phases::table_id.eq_any(&ids).and(phases::no.eq(1)).and(phases::closed_at.is_null()))
            .count()
            .get_result::<i64>(conn)
            .unwrap();
        if first_open == 0 {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{first_open} first phases are still open");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What the player was told and what is stored are the same one thing.
fn judge(conn: &mut Conn, rounds: &[Round], answers: &[Page]) {
    let (mut stood, mut dropped) = (0, 0);
    for (round, answer) in rounds.iter().zip(answers) {
        let id = id_of(&round.table);
        let seat: i32 = seats::table
            .inner_join(users::table)
            .filter(seats::table_id.eq(id).and(users::name.eq("Late")))
            .select(seats::seat.assume_not_null())
            .first(conn)
            .unwrap();
        let closed_by: Option<String> = phases::table.find((id, 1)).select(phases::closed_by).first(conn).unwrap();
        let plots: Vec<i32> = plots::table
            .filter(plots::table_id.eq(id).and(plots::phase_no.eq(1)))
            .order(plots::seat)
            .select(plots::seat)
            .load(conn)
            .unwrap();
        let fates: Vec<(i32, String)> = results::table
            .filter(results::table_id.eq(id))
            .order(results::seat)
            .select((results::seat, results::result))
            .load(conn)
            .unwrap();
        let status: String = game_tables::table.find(id).select(game_tables::status).first(conn).unwrap();
        let told =
            format!("{} at {} ms: answered {}, {closed_by:?}, {fates:?}", round.table, round.offset_ms, answer.status);
        if answer.status == 303 {
            stood += 1;
            assert_eq!(closed_by.as_deref(), Some("plots"), "{told}");
            assert_eq!(plots, [0, 1], "{told}");
            assert_eq!((fates, status.as_str()), (Vec::new(), "running"), "{told}");
        } else {
            dropped += 1;
            assert!((400..500).contains(&answer.status), "{told}\n{}", answer.body);
            assert_eq!(closed_by.as_deref(), Some("dropped"), "{told}");
            assert_eq!(plots, [1 - seat], "{told}");
            let mut expected = vec![(seat, "dropped".to_owned()), (1 - seat, "won".to_owned())];
            expected.sort();
            assert_eq!((fates, status.as_str()), (expected, "over"), "{told}");
        }
    }
    eprintln!("{stood} plots stood, {dropped} players were dropped.");
    assert!(stood > 0 && dropped > 0, "{stood} stood and {dropped} dropped: the moment was missed");
}
