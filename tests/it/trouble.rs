//! The database is busy, hangs, or goes silent in the middle of a COMMIT, and the real server before it.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use stardate::store::schema::{dues, heartbeats, plots, table_log, users};
use stardate::store::{Conn, Stamp};

use crate::harness::play::{self, Chance, Did};
use crate::harness::{Backend, Fresh, Launch, PATIENCE, Page, Proxy, Server, Visitor, Wire};

/// Two players at a table, and the server they play on.
struct Scene {
    server: Server,
    table: String,
    players: [Visitor; 2],
    mail: tempfile::TempDir,
}

/// On the database at `url`, with little patience.
fn scene(url: &str, backend: Backend) -> Scene {
    let mail = tempfile::tempdir().unwrap();
    let launch = Launch::new(url, mail.path()).with("STARDATE_DATABASE__WAIT_S", "2");
    if backend == Backend::Postgres {
        launch.migrate();
    }
    let server = launch.start();
    let players = ["One", "Two"].map(|name| {
        let visitor = Visitor::new(&server.address);
        visitor.sign_up(name, mail.path());
        visitor
    });
    let table = play::make_table(&players[0], "Trouble ahead").unwrap().expect("a table can be made");
    assert!(play::join(&players[1], &table).unwrap());
    Scene { server, table, players, mail }
}

fn set_zone(visitor: &Visitor, zone: &str) -> Page {
    let page = visitor.get("/settings");
    visitor.try_post(&page.form("/settings/zone").set("zone", zone)).unwrap_or_else(|gone| panic!("{}", gone.0))
}

fn zone_of(conn: &mut Conn, name: &str) -> String {
    users::table.filter(users::name.eq(name)).select(users::zone).first(conn).unwrap()
}

fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

fn seen(conn: &mut Conn) -> i64 {
    dues::table.filter(dues::seen_at.is_not_null()).count().get_result(conn).unwrap()
}

#[test]
fn while_another_program_writes_pages_are_read_and_forms_say_busy() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let scene = scene(&fresh.url, Backend::Sqlite);
    let [one, two] = &scene.players;
    let mut other = fresh.peek();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    for path in [scene.table.as_str(), "/", "/tables", "/settings", &format!("{}/talk", scene.table)] {
        let page = one.get(path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
    }
    let page = two.get(&scene.table);
    let refused = match play::hand_in(two, &scene.table, &page, &mut Chance::new(3)).unwrap() {
        Did::TooLate(page) => page,
        did => panic!("{did:?}"),
    };
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.body.contains("The server is busy"), "{}", refused.body);
    assert!(refused.body.contains("Nothing was changed."), "{}", refused.body);
    let health = one.get("/healthz");
    assert_eq!(health.status, 503);
    assert!(health.body.starts_with("busy"), "{}", health.body);
    assert_eq!(seen(&mut other), 0, "nobody could note what was seen");
    other.batch_execute("ROLLBACK").unwrap();

    wait_for("what was seen while the database was busy is noted afterwards", || seen(&mut fresh.peek()) == 2);
    assert_eq!(one.get("/healthz").status, 200);
    let did = play::take_turn(two, &scene.table, &mut Chance::new(3)).unwrap();
    assert!(matches!(did, Did::HandedIn(_)), "{did:?}");
    let (well, log) = scene.server.stop();
    assert!(well, "{log}");
}

#[test]
fn a_database_that_hangs_holds_up_neither_pages_nor_health_nor_the_end() {
    let Some(fresh) = Fresh::of(Backend::Postgres) else { return };
    let proxy = Proxy::before(&fresh.url);
    let scene = scene(&proxy.url, Backend::Postgres);
    proxy.becomes(Wire::Silent);
    // More at once than there are connections and threads, so that those that hang must make room for others.
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let visits: Vec<_> = (0..24)
            .map(|no| {
                let visitor = &scene.players[no % 2];
                let path = if no % 3 == 0 { "/" } else { scene.table.as_str() };
                scope.spawn(move || visitor.get(path).status)
            })
            .collect();
        visits.into_iter().map(|visit| visit.join().unwrap()).collect()
    });
    assert!(statuses.iter().all(|status| *status == 503), "{statuses:?}");
    let threads = scene.server.threads();
    assert!(threads < 60, "threads that hang pile up: {threads}");
    for _ in 0..5 {
        let health = scene.players[0].get("/healthz");
        assert_eq!((health.status, health.body.as_str()), (503, "the database does not answer\n"));
    }
    let page = scene.players[0].get(&scene.table);
    assert!(page.body.contains("The database does not answer"), "{}", page.body);
    let (well, log) = scene.server.stop();
    assert!(well, "{log}");
    assert!(log.contains("Stopped."), "{log}");
}

#[test]
fn after_a_database_has_hung_everything_goes_on_and_the_time_is_given_back() {
    let Some(fresh) = Fresh::of(Backend::Postgres) else { return };
    let proxy = Proxy::before(&fresh.url);
    let scene = scene(&proxy.url, Backend::Postgres);
    let [one, two] = &scene.players;
    let page = one.get("/settings");
    proxy.wait_until_quiet();
    proxy.becomes(Wire::Silent);
    let form = page.form("/settings/zone").set("zone", "Asia/Tokyo");
    let refused = one.try_post(&form).unwrap();
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.body.contains("Nothing was changed."), "{}", refused.body);
    wait_for("the loops notice", || scene.server.log_text().contains("The timers loop failed"));
    // It took ten minutes, for all that the database knows.
    let mut conn = fresh.peek();
    let last: Stamp =
        heartbeats::table.select(diesel::dsl::max(heartbeats::at)).first::<Option<Stamp>>(&mut conn).unwrap().unwrap();
    diesel::update(heartbeats::table)
        .set(heartbeats::at.eq(last - chrono::TimeDelta::minutes(10)))
        .execute(&mut conn)
        .unwrap();
    proxy.becomes(Wire::Sound);

    wait_for("the time is given back", || {
        let credited = table_log::table.filter(table_log::kind.eq("credited"));
        credited.count().get_result::<i64>(&mut fresh.peek()).unwrap() == 1
    });
    assert_ne!(zone_of(&mut conn, "One"), "Asia/Tokyo", "what was given up is not stored later");
    assert_eq!(one.get("/healthz").status, 200);
    let did = play::take_turn(two, &scene.table, &mut Chance::new(3)).unwrap();
    assert!(matches!(did, Did::HandedIn(_)), "{did:?}");
    // And letters leave again.
    Visitor::new(&scene.server.address).sign_up("Three", scene.mail.path());
}

#[test]
fn a_lost_answer_to_a_commit_is_looked_up() {
    let Some(fresh) = Fresh::of(Backend::Postgres) else { return };
    let proxy = Proxy::before(&fresh.url);
    let scene = scene(&proxy.url, Backend::Postgres);
    let [one, two] = &scene.players;
    let mut conn = fresh.peek();

    // Stored, and the answer lost: the player is told that it was done.
    proxy.wait_until_quiet();
    proxy.becomes(Wire::LosesAnswer);
    let done = set_zone(one, "Asia/Tokyo");
    assert!(proxy.has_struck());
    assert_eq!(done.status, 303, "{}", done.body);
    assert_eq!(zone_of(&mut conn, "One"), "Asia/Tokyo");

    // Lost on the way there: the player is told that nothing was changed, and that is so.
    proxy.wait_until_quiet();
    proxy.becomes(Wire::LosesCommit);
    let refused = set_zone(one, "Asia/Seoul");
    assert!(proxy.has_struck());
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.body.contains("Nothing was changed."), "{}", refused.body);
    assert_eq!(zone_of(&mut conn, "One"), "Asia/Tokyo");

    // The same for a plot.
    proxy.wait_until_quiet();
    let page = two.get(&scene.table);
    proxy.wait_until_quiet();
    proxy.becomes(Wire::LosesAnswer);
    let did = play::hand_in(two, &scene.table, &page, &mut Chance::new(3)).unwrap();
    assert!(proxy.has_struck() && matches!(did, Did::HandedIn(_)), "{did:?}");
    assert_eq!(plots::table.count().get_result::<i64>(&mut conn).unwrap(), 1);
}

#[test]
fn a_commit_that_nobody_answers_is_not_known_yet_and_can_be_looked_up() {
    let Some(fresh) = Fresh::of(Backend::Postgres) else { return };
    let proxy = Proxy::before(&fresh.url);
    let scene = scene(&proxy.url, Backend::Postgres);
    let [one, _] = &scene.players;
    proxy.wait_until_quiet();
    proxy.becomes(Wire::SilentAfterCommit);
    let page = set_zone(one, "Asia/Tokyo");
    assert!(proxy.has_struck());
    assert_eq!(page.status, 503, "{}", page.body);
    assert!(page.body.contains("Not known yet") && !page.body.contains("Nothing was changed"), "{}", page.body);
    let link = page.body.split("href=\"").find_map(|part| part.strip_prefix("/stored/")).expect("it leads on");
    let link = format!("/stored/{}", link.split('"').next().unwrap());
    assert_eq!(one.get(&link).status, 503, "nobody can say while the database is silent");
    proxy.becomes(Wire::Sound);
    wait_for("it is known afterwards", || {
        let page = one.get(&link);
        page.status == 200 && page.body.contains("It was stored")
    });
    assert_eq!(zone_of(&mut fresh.peek(), "One"), "Asia/Tokyo");
    let unknown = one.get("/stored/never");
    assert!(unknown.body.contains("Not known yet"), "{}", unknown.body);
}
