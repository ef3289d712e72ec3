//! Requests whose body is held back: they count from when all of it is here, for whoever is signed in then.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::accounts;
use stardate::store::schema::{drafts, game_tables, loadouts, messages, notes, phases, plots, results, seats, users};
use stardate::store::{IdText, PhaseNo, Stamp, TableId, UserId};

use super::browser::{Browser, Site};
use crate::harness::{Backend, Fresh, on_both};

/// A request of which the last byte has not been sent.
struct Held {
    stream: TcpStream,
    last: u8,
}

impl Held {
    fn send(site: &Site, cookies: &str, path: &str, body: &str) -> Held {
        let address = site.base.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (begin, last) = body.split_at(body.len() - 1);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookies}\r\nContent-Length: {}\r\nContent-Type: \
             application/x-www-form-urlencoded\r\n\r\n{begin}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        Held { stream, last: last.as_bytes()[0] }
    }

    /// Sends the rest; returns the answer.
    fn finish(mut self) -> String {
        self.stream.write_all(&[self.last]).unwrap();
        self.answer()
    }

    /// The answer as far as its status and headers, and what there is of the page.
    fn answer(&mut self) -> String {
        let mut answer = Vec::new();
        let mut buffer = [0; 4096];
        while !answer.windows(4).any(|four| four == b"\r\n\r\n") {
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => answer.extend_from_slice(&buffer[..count]),
            }
        }
        String::from_utf8_lossy(&answer).into_owned()
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no answer: {answer}"))
}

fn body(browser: &Browser, fields: &[(&str, &str)]) -> String {
    let csrf = browser.get("/about").hidden("csrf");
    let encode = |text: &str| text.replace('%', "%25").replace('&', "%26").replace('+', "%2B").replace(' ', "+");
    let fields = fields.iter().map(|(name, value)| format!("&{name}={}", encode(value))).collect::<String>();
    // A field at the end that no form reads, so that the last byte changes nothing.
    format!("csrf={csrf}{fields}&end=x")
}

/// Two players at a running ConQuest table; both have seen it, and both owe orders.
fn table(site: &Site) -> (Browser, Browser, TableId) {
    let (alice, bob) = (site.player("Alice"), site.player("Bob"));
    let path = super::tables::make(&alice, &[("title", "Held")]);
    let joined = bob.post(&format!("{path}/join"), &[]);
    assert_eq!(joined.status, 303, "{}", joined.body);
    let id = path.trim_start_matches("/t/").parse().unwrap();
    for player in [&alice, &bob] {
        assert_eq!(player.get(&path).status, 200);
    }
    (alice, bob, id)
}

fn user_id(site: &Site, name: &str) -> UserId {
    let mut conn = site.db.connection().unwrap();
    users::table.filter(users::name.eq(name)).select(users::id).first(&mut *conn).unwrap()
}

/// Number of the open phase.
fn phase_no(site: &Site, id: TableId) -> PhaseNo {
    let mut conn = site.db.connection().unwrap();
    game_tables::table.find(id).select(game_tables::phase_no).first(&mut *conn).unwrap()
}

/// All that forms can change, counted or as it is.
fn everything(site: &Site) -> String {
    let mut conn = site.db.connection().unwrap();
    let conn = &mut *conn;
    let tables: Vec<(TableId, i64, String)> = game_tables::table
        .order(game_tables::id)
        .select((game_tables::id, game_tables::version, game_tables::status))
        .load(conn)
        .unwrap();
    let people: Vec<(UserId, String, Option<String>, String, bool)> = users::table
        .order(users::id)
        .select((users::id, users::name, users::email, users::zone, users::wants_due))
        .load(conn)
        .unwrap();
    let counts: Vec<i64> = vec![
        seats::table.count().get_result(conn).unwrap(),
        plots::table.count().get_result(conn).unwrap(),
        drafts::table.count().get_result(conn).unwrap(),
        messages::table.count().get_result(conn).unwrap(),
        notes::table.count().get_result(conn).unwrap(),
        loadouts::table.count().get_result(conn).unwrap(),
        results::table.count().get_result(conn).unwrap(),
    ];
    format!("{tables:?} {people:?} {counts:?}")
}

/// Every form for people who are signed in, as it would be sent with good fields.
fn forms<'a>(table: &str, phase: &'a str) -> Vec<(String, Vec<(&'a str, &'a str)>)> {
    let at = |path: &str| format!("{table}{path}");
    vec![
        (at("/plot"), vec![("phase_no", phase), ("version", ""), ("do", "pass"), ("text", "pass")]),
        (at("/plot"), vec![("phase_no", phase), ("version", ""), ("do", "save"), ("text", "pass")]),
        (at("/act"), vec![("phase_no", phase), ("version", ""), ("order", "pass")]),
        (at("/resign"), vec![("sure", "1")]),
        (at("/notes"), vec![("note", "mine"), ("note_version", "0")]),
        (at("/talk"), vec![("text", "hello"), ("to", "")]),
        (
            "/tables/new".to_owned(),
            vec![
                ("game", "conquest"),
                ("title", "Another"),
                ("limit", "86400"),
                ("who", "open"),
                ("ranked", "yes"),
                ("passes_allowed", "0"),
            ],
        ),
        ("/settings/zone".to_owned(), vec![("zone", "Asia/Tokyo")]),
        ("/settings/letters".to_owned(), vec![("news", "1")]),
        ("/settings/browsers/end-all".to_owned(), vec![]),
        ("/settings/delete".to_owned(), vec![("delete_name", "Alice"), ("delete_password", super::browser::PASSWORD)]),
    ]
}

#[test]
fn a_form_held_through_signing_out_everywhere_is_not_carried_out() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (_alice, _bob, id) = table(&site);
        let table = format!("/t/{}", id);
        let alice_id = user_id(&site, "Alice");
        let phase = phase_no(&site, id).to_string();
        for (path, fields) in forms(&table, &phase) {
            let browser = site.signed_in("Alice");
            let held = Held::send(&site, &browser.cookies(), &path, &body(&browser, &fields));
            site.db.write(|conn| accounts::sign_out_everywhere(conn, alice_id, None)).unwrap();
            let before = everything(&site);
            let answer = held.finish();
            assert!(matches!(status(&answer), 303 | 403), "{path}: {answer}");
            assert!(status(&answer) != 303 || answer.contains("/sign-in"), "{path}: {answer}");
            assert_eq!(everything(&site), before, "{path} was carried out");
        }
    });
}

#[test]
fn a_plot_held_back_takes_no_time_from_the_opponent() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (alice, bob, id) = table(&site);
        let table = format!("/t/{}", id);
        let open = || -> (Stamp, Option<Stamp>) {
            let phase = phases::table.filter(phases::table_id.eq(id)).filter(phases::no.eq(phase_no(&site, id)));
            phase.select((phases::opened_at, phases::deadline_at)).first(&mut *site.db.connection().unwrap()).unwrap()
        };
        let (opened, deadline) = open();
        let limit = deadline.unwrap() - opened;
        let phase = phase_no(&site, id).to_string();
        let pass = [("phase_no", phase.as_str()), ("version", ""), ("do", "pass"), ("text", "")];
        let held = Held::send(&site, &alice.cookies(), &format!("{table}/plot"), &body(&alice, &pass));
        assert_eq!(bob.post(&format!("{table}/plot"), &pass).status, 303);
        // Almost all of the time goes by before the last byte comes.
        site.clock.advance(limit - TimeDelta::seconds(30));
        assert_eq!(status(&held.finish()), 303);
        let (opened, deadline) = open();
        assert_eq!(opened, site.clock.now(), "the next phase opens when the last plot was there whole");
        assert_eq!(deadline.unwrap() - opened, limit, "and its clock is a full one");
        // What is here whole only after the deadline is too late, whenever it was begun.
        let next = phase_no(&site, id).to_string();
        assert_ne!(next, phase);
        let pass = [("phase_no", next.as_str()), ("version", ""), ("do", "pass"), ("text", "")];
        let held = Held::send(&site, &alice.cookies(), &format!("{table}/plot"), &body(&alice, &pass));
        site.clock.advance(limit + TimeDelta::seconds(1));
        assert_eq!(status(&held.finish()), 409);
    });
}

#[test]
fn a_body_that_does_not_come_ends_and_only_so_many_may_be_under_way() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| {
        figures.bodies.patience = Duration::from_millis(700);
        figures.bodies.unfinished = 3;
    });
    let browser = site.browser();
    browser.get("/about");
    let send = || Held::send(&site, "", "/theme", "csrf=x&theme=dark");
    let mut held: Vec<Held> = (0..3).map(|_| send()).collect();
    // Until the three are counted, a fourth may slip in among them: it is one of four that is turned away at once.
    held.push(send());
    let mut statuses: Vec<u16> = held.iter_mut().map(|held| status(&held.answer())).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [408, 408, 408, 429]);
    // They are counted only while they are under way, and pages can be had all the while.
    assert_eq!(browser.get("/about").status, 200);
    assert_eq!(browser.post("/theme", &[("theme", "dark")]).status, 303);
}
