//! The binary from its start to its end: what it refuses to start with, and how it stops.

use std::time::Instant;

use chrono::{NaiveDateTime, TimeDelta, Timelike, Utc};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use stardate::store::schema::{heartbeats, phases, timers};

use crate::harness::{Backend, Fresh, Launch, Visitor, on_both, play};

fn launch(fresh: &Fresh) -> (tempfile::TempDir, Launch) {
    let mail = tempfile::tempdir().unwrap();
    let launch = Launch::new(&fresh.url, mail.path());
    if fresh.backend == Backend::Postgres {
        launch.migrate();
    }
    (mail, launch)
}

#[test]
fn it_starts_answers_and_ends_in_order() {
    on_both(|fresh| {
        let (_mail, launch) = launch(fresh);
        let server = launch.start();
        let page = Visitor::new(&server.address).get("/healthz");
        assert_eq!(page.status, 200);
        let (well, log) = server.stop();
        assert!(well, "{log}");
        assert!(log.contains("Stopping; running") && log.contains("Stopped."), "{log}");
    });
}

#[test]
fn an_existing_database_is_served_soon() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (mail, launch) = launch(&fresh);
    let mut server = launch.start();
    Visitor::new(&server.address).sign_up("Early", mail.path());
    server.kill();
    drop(server);
    let begun = Instant::now();
    let server = launch.start();
    let page = Visitor::new(&server.address).get("/");
    // How long is a matter of the machine and is read off the log; that the first page comes is not.
    eprintln!("From the start to the first page: {:?}.", begun.elapsed());
    assert_eq!(page.status, 200, "{}", page.body);
}

#[test]
fn a_postgres_database_that_was_not_migrated_is_refused_with_what_to_do() {
    let Some(fresh) = Fresh::of(Backend::Postgres) else { return };
    let mail = tempfile::tempdir().unwrap();
    let launch = Launch::new(&fresh.url, mail.path());
    let log = launch.try_start().err().expect("it is not migrated");
    assert!(log.contains("run `stardate migrate` once"), "{log}");
    launch.migrate();
    launch.start();
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    on_both(|fresh| {
        let db = fresh.open();
        let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000001')";
        db.connection().unwrap().batch_execute(newer).unwrap();
        drop(db);
        let mail = tempfile::tempdir().unwrap();
        let log = Launch::new(&fresh.url, mail.path()).try_start().err().expect("it is of a newer version");
        assert!(log.contains("newer version of Stardate") && log.contains("99990101000001"), "{log}");
    });
}

#[test]
fn a_second_process_on_sqlite_is_refused_and_two_on_postgres_are_not() {
    on_both(|fresh| {
        let (_mail, launch) = launch(fresh);
        let _first = launch.start();
        let second = launch.try_start();
        match fresh.backend {
            Backend::Sqlite => {
                let log = second.err().expect("SQLite serves one process");
                assert!(log.contains("in use by another Stardate process"), "{log}");
            }
            Backend::Postgres => drop(second.expect("PostgreSQL serves many")),
        }
    });
}

#[test]
fn wrong_settings_are_refused_by_key() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (_mail, launch) = launch(&fresh);
    let launch = launch.with("STARDATE_SERVER__WORKERS", "no").with("STARDATE_MAIL__TLS", "maybe");
    let log = launch.try_start().err().expect("these settings are wrong");
    assert!(log.contains("server.workers") && log.contains("mail.tls"), "{log}");
}

#[test]
fn an_address_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (_mail, launch) = launch(&fresh);
    let log = launch.with("STARDATE_SERVER__BIND", &address).try_start().err().expect("the address is taken");
    assert!(log.contains("server.bind: cannot listen on") && log.contains(&address), "{log}");
}

#[test]
fn a_malformed_data_file_is_refused_with_file_line_and_reason() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (_mail, launch) = launch(&fresh);
    let games = tempfile::tempdir().unwrap();
    let maps = games.path().join("conquest").join("maps");
    std::fs::create_dir_all(&maps).unwrap();
    std::fs::write(maps.join("broken.toml"), "id = \"broken\"\nname = \"Broken\"\nstart_cp = \"lots\"\n").unwrap();
    let launch = launch.with("STARDATE_GAMES__FOLDER", &games.path().display().to_string());
    let log = launch.try_start().err().expect("the map is malformed");
    assert!(log.contains("maps/broken.toml, line 3") && log.contains("start_cp"), "{log}");
}

#[test]
fn a_map_of_the_operator_is_found_and_offered() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (mail, launch) = launch(&fresh);
    let games = tempfile::tempdir().unwrap();
    let maps = games.path().join("imperial-conflict").join("maps");
    std::fs::create_dir_all(&maps).unwrap();
    let stock = concat!(env!("CARGO_MANIFEST_DIR"), "/config/games/imperial-conflict/maps/sector.toml");
    let stock = std::fs::read_to_string(stock).unwrap();
    let own = stock.replacen("id = \"sector\"", "id = \"backyard\"", 1);
    let own = own.replacen("name = \"Lantern Sector\"", "name = \"My Back Yard\"", 1);
    std::fs::write(maps.join("backyard.toml"), own).unwrap();
    let server = launch.with("STARDATE_GAMES__FOLDER", &games.path().display().to_string()).start();
    let visitor = Visitor::new(&server.address);
    visitor.sign_up("Owner", mail.path());
    let page = visitor.get("/tables/new?game=imperial-conflict");
    assert_eq!(page.status, 200, "{}", page.body);
    for map in ["world", "sector", "backyard"] {
        assert!(page.body.contains(&format!("value=\"{map}\"")), "{map}: {}", page.body);
    }
    assert!(page.body.contains("My Back Yard"), "{}", page.body);
}

#[test]
fn a_folder_of_an_unknown_game_is_refused() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (_mail, launch) = launch(&fresh);
    let games = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(games.path().join("conquset")).unwrap();
    let launch = launch.with("STARDATE_GAMES__FOLDER", &games.path().display().to_string());
    let log = launch.try_start().err().expect("there is no such game");
    assert!(log.contains("conquset") && log.contains("does not belong to a game"), "{log}");
}

#[test]
fn a_json_log_is_one_object_a_line() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (_mail, launch) = launch(&fresh);
    let server = launch.with("STARDATE_LOG__FORMAT", "json").start();
    Visitor::new(&server.address).get("/");
    let (_, log) = server.stop();
    assert!(log.lines().count() >= 3, "{log}");
    for line in log.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(value.get("level").is_some() && value.get("message").is_some(), "{line}");
    }
}

#[test]
fn a_fault_at_the_start_is_an_object_in_a_json_log_too() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (_mail, launch) = launch(&fresh);
    let launch = launch.with("STARDATE_LOG__FORMAT", "json");
    let faulty = [
        launch.clone().with("STARDATE_SERVER__WORKERS", "no"),
        launch.clone().with("STARDATE_DATABASE__URL", "postgres://nobody@127.0.0.1:1/none"),
        launch.with("STARDATE_GAMES__FOLDER", "/nowhere"),
    ];
    for launch in faulty {
        let log = launch.try_start().err().expect("it cannot start");
        let last = log.lines().last().expect("it says why");
        let value: serde_json::Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {log}"));
        assert_eq!(value["level"], "ERROR", "{log}");
        assert!(value["message"].as_str().is_some_and(|text| !text.is_empty()), "{log}");
    }
}

#[test]
fn every_signal_that_means_stop_stops_in_order() {
    for signal in ["TERM", "INT", "HUP", "QUIT"] {
        let fresh = Fresh::of(Backend::Sqlite).unwrap();
        let (_mail, launch) = launch(&fresh);
        let (well, log) = launch.start().stop_by(signal);
        assert!(well, "{signal}: {log}");
        assert!(log.contains("Stopping; running") && log.contains("Stopped."), "{signal}: {log}");
    }
}

#[test]
fn migrations_started_many_times_at_once_run_once() {
    on_both(|fresh| {
        let mail = tempfile::tempdir().unwrap();
        let launch = Launch::new(&fresh.url, mail.path());
        let ran: Vec<(bool, String)> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| launch.run_to_end(&["migrate"]))).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        let ran_them = ran.iter().filter(|(well, text)| *well && text.contains("Migrations run")).count();
        assert_eq!(ran_them, 1, "{ran:?}");
        for (well, text) in &ran {
            let fine = match fresh.backend {
                Backend::Postgres => *well,
                Backend::Sqlite => *well || text.contains("in use by another Stardate process"),
            };
            assert!(fine, "{text}");
        }
    });
}

#[test]
fn a_second_process_does_not_get_past_the_lock_by_a_symbolic_link() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let (mail, launch) = launch(&fresh);
    let links = tempfile::tempdir().unwrap();
    let path = fresh.url.strip_prefix("sqlite:").unwrap();
    let path = std::path::absolute(path).unwrap();
    let to_file = links.path().join("link.db");
    std::os::unix::fs::symlink(&path, &to_file).unwrap();
    let to_folder = links.path().join("folder");
    std::os::unix::fs::symlink(path.parent().unwrap(), &to_folder).unwrap();
    // Started by the link while the file does not exist yet, and refused by every other name of it.
    let first = Launch::new(&format!("sqlite:{}", to_file.display()), mail.path()).start();
    let by_folder = to_folder.join(path.file_name().unwrap());
    for other in [path, by_folder, to_file] {
        let log = Launch::new(&format!("sqlite:{}", other.display()), mail.path()).try_start();
        let log = log.err().expect("the first process has it");
        assert!(log.contains("in use by another Stardate process"), "{log}");
    }
    drop((first, launch));
}

#[test]
fn heartbeats_are_kept() {
    on_both(|fresh| {
        let (_mail, launch) = launch(fresh);
        let server = launch.start();
        drop(server);
        let db = fresh.open();
        let last = stardate::store::heartbeats::last(&mut db.connection().unwrap()).unwrap();
        let now = chrono::Utc::now().naive_utc();
        assert!(last.is_some_and(|last| (now - last).num_seconds().abs() < 600), "{last:?}");
        let others =
            stardate::store::schema::heartbeats::table.count().get_result::<i64>(&mut *db.connection().unwrap());
        assert_eq!(others.unwrap(), 1);
    });
}

#[test]
fn an_outage_is_given_back_before_anything_fires() {
    on_both(|fresh| {
        let (mail, launch) = launch(fresh);
        let server = launch.start();
        let (one, two) = (Visitor::new(&server.address), Visitor::new(&server.address));
        one.sign_up("One", mail.path());
        two.sign_up("Two", mail.path());
        let table = play::make_table(&one, "Lights out").unwrap().expect("a table can be made");
        assert!(play::join(&two, &table).unwrap());
        for visitor in [&one, &two] {
            assert_eq!(visitor.get(&table).status, 200, "both have seen that something is due");
        }
        let (well, log) = server.stop();
        assert!(well, "{log}");

        // Twenty minutes after the lights went out the time would have run out, and that was half an hour ago; the lights are on again 50 min after they went out.
        let mut conn = fresh.peek();
        let now = Utc::now().naive_utc();
        let stamp = |minutes: i64| (now - TimeDelta::minutes(minutes)).with_nanosecond(0).unwrap();
        diesel::update(heartbeats::table).set(heartbeats::at.eq(stamp(50))).execute(&mut conn).unwrap();
        let clock = (
            phases::opened_at.eq(stamp(90)),
            phases::clock_started_at.eq(stamp(90)),
            phases::deadline_at.eq(stamp(30)),
        );
        diesel::update(phases::table).set(clock).execute(&mut conn).unwrap();
        diesel::update(timers::table).set(timers::due_at.eq(stamp(30))).execute(&mut conn).unwrap();
        let server = launch.start();
        assert!(server.log_text().contains("The server was away"), "{}", server.log_text());
        one.go_to(&server.address);
        two.go_to(&server.address);
        let deadline: NaiveDateTime =
            phases::table.select(phases::deadline_at.assume_not_null()).first(&mut conn).unwrap();
        let left = (deadline - now).num_minutes();
        assert!((18..=22).contains(&left), "twenty minutes were left, and now it is {left} min");
        // Both can play on.
        let mut chance = play::Chance::new(7);
        for visitor in [&one, &two] {
            let did = play::take_turn(visitor, &table, &mut chance).unwrap();
            assert!(matches!(did, play::Did::HandedIn(_)), "{did:?}");
        }
    });
}

#[test]
fn after_a_long_time_without_a_server_the_operator_decides() {
    on_both(|fresh| {
        let (mail, launch) = launch(fresh);
        let server = launch.start();
        let (one, two) = (Visitor::new(&server.address), Visitor::new(&server.address));
        one.sign_up("One", mail.path());
        two.sign_up("Two", mail.path());
        let table = play::make_table(&one, "Long night").unwrap().expect("a table can be made");
        assert!(play::join(&two, &table).unwrap());
        let (well, log) = server.stop();
        assert!(well, "{log}");

        let mut conn = fresh.peek();
        let deadline = |conn: &mut stardate::store::Conn| -> NaiveDateTime {
            phases::table.select(phases::deadline_at.assume_not_null()).first(conn).unwrap()
        };
        let promised = deadline(&mut conn);
        let last: Option<NaiveDateTime> =
            heartbeats::table.select(diesel::dsl::max(heartbeats::at)).first(&mut conn).unwrap();
        let earlier = last.unwrap() - TimeDelta::days(400);
        diesel::update(heartbeats::table).set(heartbeats::at.eq(earlier)).execute(&mut conn).unwrap();
        let long_open = (phases::opened_at.eq(earlier), phases::clock_started_at.eq(earlier));
        diesel::update(phases::table).set(long_open).execute(&mut conn).unwrap();
        let server = launch.start();
        one.go_to(&server.address);
        assert!(server.log_text().contains("stardate clocks credit"), "{}", server.log_text());
        let health = one.get("/healthz");
        assert_eq!(health.status, 503);
        assert!(health.body.starts_with("not ready:") && health.body.contains("400 days ago"), "{}", health.body);
        assert_eq!(one.get(&table).status, 200, "pages are served meanwhile");
        let (well, said) = launch.run_to_end(&["clocks", "show"]);
        assert!(well && said.contains("`stardate clocks credit` moves the clocks of 1 table(s)"), "{said}");
        assert_eq!(deadline(&mut conn), promised);

        let (well, said) = launch.run_to_end(&["clocks", "credit"]);
        assert!(well && said.contains("1 running table(s) were moved"), "{said}");
        let moved = deadline(&mut conn) - promised;
        assert!(moved >= TimeDelta::days(400) - TimeDelta::minutes(10), "{moved}");
        drop(server);
        let server = launch.start();
        one.go_to(&server.address);
        assert_eq!(one.get("/healthz").status, 200);
        let (well, said) = launch.run_to_end(&["clocks", "undo"]);
        assert!(well && said.contains("taken back from 1 table(s)"), "{said}");
        assert_eq!(deadline(&mut conn), promised);
        let (_, said) = launch.run_to_end(&["clocks", "undo"]);
        assert!(said.contains("no credit to take back"), "{said}");
        let (_, said) = launch.run_to_end(&["clocks", "show"]);
        assert!(said.contains("was taken back") && said.contains("nothing to credit"), "{said}");
    });
}
