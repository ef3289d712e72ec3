//! The largest forms there are, sent to every address that takes one: none may cost much more than an ordinary one.

use stardate::store::UserId;
use stardate::web::ROUTES;
use stardate::web::base::route::Verb;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use stardate::rules::SeatSetup;
use stardate::store::IdText;
use stardate::tables::{self, At, NewTable};
use stardate::web::base::limits::Rate;
use stardate::web::{BODY_LIMIT, LimitFigures};

use super::{Browser, Site};
use crate::harness::{Backend, Fresh};

/// How many times as long the largest form may take. It is some hundred times as long as an ordinary one; were its
/// fields or lines compared with each other it would take ten thousand times as long and more.
const FACTOR: u32 = 40;
/// What an ordinary form takes at least, as far as the comparison goes: below it the machine's own noise is larger.
const LEAST: Duration = Duration::from_millis(10);

/// The addresses that take forms, as the one list of them names them.
fn routes() -> Vec<String> {
    let forms = ROUTES.iter().filter(|route| route.verb == Verb::Post);
    let paths: Vec<String> = forms.map(|route| route.path.to_owned()).collect();
    assert!(paths.len() >= 30 && paths.iter().any(|path| path == "/t/{id}/plot"), "{paths:?}");
    paths
}

/// Every field that any form of the site has.
const FIELDS: [&str; 34] = [
    "text",
    "note",
    "reason",
    "order",
    "n",
    "piece",
    "target",
    "do",
    "name",
    "email",
    "password",
    "old",
    "new",
    "zone",
    "who",
    "next",
    "back",
    "theme",
    "title",
    "game",
    "seats",
    "pace",
    "limit",
    "key",
    "whom",
    "player",
    "to",
    "bot",
    "count",
    "sure",
    "leader",
    "table.map",
    "seat.group",
    "note_version",
];

/// Lines that look like orders and pieces, each with a name that is nearly one.
fn nonsense(bytes: usize) -> String {
    let mut text = String::new();
    for no in 0.. {
        let line = format!("deploy klingon-leutenont-{no} on A{no}\n3 romulen-conskript-{no}\n");
        if text.len() + line.len() > bytes || text.lines().count() + 2 > 390 && bytes <= tables::MAX_PLOT_BYTES {
            break;
        }
        text.push_str(&line);
    }
    text
}

/// Forms as large as the site takes them, of every shape.
fn shapes(own: &[(String, String)]) -> Vec<(&'static str, Vec<(String, String)>)> {
    let with = |more: Vec<(String, String)>| own.iter().cloned().chain(more).collect::<Vec<_>>();
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let room = BODY_LIMIT - 4000;
    vec![
        ("tiny fields", with((0..room / 10).map(|_| pair("slot.", "x".into())).collect())),
        ("as many fields as are read", with((0..1900).map(|no| pair(&format!("slot.{no}"), "x".repeat(40))).collect())),
        (
            "numbers of pieces",
            with((0..1900).map(|no| pair(&format!("n.romulen-konskript-{no}"), "3".into())).collect()),
        ),
        ("a text of many lines", with(vec![pair("text", nonsense(tables::MAX_PLOT_BYTES))])),
        ("the same order", with(vec![pair("text", "deploy romulan-shuttle\n".repeat(390))])),
        ("a text without end", with(vec![pair("text", nonsense(room / 2))])),
        ("every field", with(FIELDS.iter().map(|name| pair(name, "x ".repeat(room / FIELDS.len() / 4))).collect())),
        ("empty lines", with(vec![pair("text", "\n".repeat(room / 3))])),
    ]
}

fn encoded(fields: &[(String, String)]) -> Vec<u8> {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    body.finish().into_bytes()
}

/// The middle one of three.
fn median(mut work: impl FnMut() -> Duration) -> Duration {
    let mut took = [work(), work(), work()];
    took.sort();
    took[1]
}

struct Sender<'a> {
    browser: &'a Browser,
}

impl Sender<'_> {
    fn took(&self, path: &str, fields: &[(String, String)]) -> (Duration, u16) {
        let body = encoded(fields);
        assert!(body.len() <= BODY_LIMIT, "{} bytes", body.len());
        let mut status = 0;
        let took = median(|| {
            let start = Instant::now();
            status = self.browser.post_body(path, "application/x-www-form-urlencoded", &body).status;
            start.elapsed()
        });
        (took, status)
    }
}

#[test]
fn no_form_costs_much_more_than_an_ordinary_one() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (dax, worf) = (site.account("Dax"), site.account("Worf"));
    let browser = site.signed_in("Dax");
    let running = running(&site, dax, worf);
    let open = tables::run(&site.db, |conn| {
        tables::create(conn, &site.ctx, site.clock.now(), dax, &terms("imperial-conflict"))
    });
    let open = open.unwrap().to_string();
    let page = browser.get(&format!("/t/{running}"));
    let hidden = ["phase_no", "version"].map(|name| (name.to_owned(), page.hidden(name)));
    let sender = Sender { browser: &browser };
    let mut slow = Vec::new();
    for route in routes() {
        // These end what the others need; they look at no field.
        if ["/sign-out", "/settings/browsers/end-all", "/t/{id}/cancel", "/t/{id}/leave"].contains(&route.as_str()) {
            continue;
        }
        let lobby = ["join", "invite", "start", "remove", "bots"].iter().any(|it| route.ends_with(it));
        let path = route
            .replace("{id}", if lobby { &open } else { &running })
            .replace("{message}", &IdText(7).to_string())
            .replace("{game}", "conquest")
            .replace("{token}", "x")
            .replace("{key}", "x");
        let path = if route == "/loadouts/{game}/{id}" { "/loadouts/conquest/new".to_owned() } else { path };
        for button in if route.ends_with("/plot") || route.starts_with("/loadouts") { BUTTONS } else { &[""] } {
            let mut own = vec![("csrf".to_owned(), browser.get("/about").hidden("csrf"))];
            own.extend(hidden.iter().cloned());
            own.extend((!button.is_empty()).then(|| ("do".to_owned(), (*button).to_owned())));
            let ordinary = sender.took(&path, &[own.as_slice(), &[("text".into(), "dance".into())]].concat());
            for (shape, fields) in shapes(&own) {
                let (took, status) = sender.took(&path, &fields);
                if took > ordinary.0.max(LEAST) * FACTOR || status >= 500 {
                    slow.push(format!("{path} {button}, {shape}: {status} after {took:?}, ordinary {ordinary:?}"));
                }
            }
        }
    }
    assert!(slow.is_empty(), "\n{}", slow.join("\n"));
}

/// What the buttons of a plot and of a loadout ask for.
const BUTTONS: &[&str] = &["check", "hand-in", "save", "read", "save-text"];

fn terms(game: &str) -> NewTable {
    let group = SeatSetup::from([("group".to_owned(), "house-of-war".to_owned())]);
    NewTable {
        game: game.to_owned(),
        title: "A long one".to_owned(),
        setup: if game == "conquest" { group } else { SeatSetup::new() },
        options: BTreeMap::new(),
        time_limit_s: 86_400,
        ranked: true,
        ..NewTable::default()
    }
}

/// A table of ConQuest at which the player owes orders.
fn running(site: &Site, me: UserId, other: UserId) -> String {
    let (now, new) = (site.clock.now(), terms("conquest"));
    let table = tables::run(&site.db, |conn| tables::create(conn, &site.ctx, now, me, &new)).unwrap();
    tables::run(&site.db, |conn| tables::join(conn, &site.ctx, At::new(now, table, other), &new.setup, None)).unwrap();
    table.to_string()
}

#[test]
fn the_limit_on_changes_counts_every_form_of_a_player() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| {
        figures.limits = LimitFigures { changes: Rate { burst: 2, every_s: 600 }, ..LimitFigures::per(9999, 9999) };
    });
    for (no, route) in ["plot", "act", "resign", "notes", "join", "talk"].into_iter().enumerate() {
        let browser = site.player(&format!("Kira{no}"));
        let path = format!("/t/{}/{route}", IdText(7));
        let sent = [(); 3]
            .map(|()| browser.post(&path, &[("text", "what I wrote"), ("note", "what I wrote"), ("sure", "yes")]));
        let status = sent.each_ref().map(|answer| answer.status);
        assert!(status[0] != 429 && status[1] != 429 && status[2] == 429, "{route}: {status:?}");
        sent[2].says("A little slower");
        if !matches!(route, "resign" | "join") {
            sent[2].says("what I wrote");
        }
    }
}

#[test]
fn a_finished_game_is_checked_once_and_a_running_one_never() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (dax, worf) = (site.account("Dax"), site.account("Worf"));
    let table = running(&site, dax, worf);
    let paths = [format!("/t/{table}/verify"), format!("/t/{table}/record")];
    for path in &paths {
        assert_eq!(site.browser().get(path).status, 409);
    }
    assert_eq!(site.checked(), 0);
    let now = site.clock.now();
    let id = table.parse().unwrap();
    let act = tables::Act::in_any_phase(id, dax, now);
    tables::run(&site.db, |conn| tables::resign(conn, &site.ctx, now, &act)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| site.browser().get(&paths[0]).says("Everything checks out").status);
        }
    });
    assert_eq!(site.checked(), 1, "six asked at once");
    site.browser().get(&paths[1]).says("stardate record");
}
