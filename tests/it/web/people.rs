//! What people meet by the way: forms sent twice or opened as pages, pages that a browser keeps, games they are out of,
//! and limits of number.

use stardate::web::ROUTES;
use stardate::web::base::route::Verb;
use std::path::Path;

use crate::harness::{Backend, Fresh, on_both};

use super::{Answer, Browser, PASSWORD, Site};

/// The addresses that take only forms.
fn only_forms() -> Vec<String> {
    let of = |verb| ROUTES.iter().filter(move |route| route.verb == verb).map(|route| route.path);
    of(Verb::Post).filter(|path| !of(Verb::Get).any(|page| page == *path)).map(str::to_owned).collect()
}

#[test]
fn the_address_of_every_form_leads_to_its_page() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let table = super::tables::make(&ann, &[]);
    let forms = only_forms();
    assert!(forms.len() >= 20, "{forms:?}");
    for form in forms {
        let path = form.replace("/t/{id}", &table);
        assert!(!path.contains('{'), "{path}: say here what stands for it");
        let answer = ann.get(&path);
        assert_eq!(answer.status, 303, "{path} opened as a page");
        assert_eq!(ann.follow(answer).status, 200, "{path}");
    }
    // The switch of the look on a form that came back leads there too.
    let back = ann.post("/settings/zone", &[("zone", "Mars/Base")]);
    assert_eq!(back.status, 422);
    let fields = [("csrf", back.hidden("csrf")), ("back", back.hidden("back")), ("theme", "dark".to_owned())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let page = ann.follow(ann.post_bare("/theme", &fields));
    assert_eq!(page.status, 200);
    page.says("<h1>Settings</h1>").says("data-theme=\"dark\"");
}

#[test]
fn pages_of_somebody_signed_in_are_not_kept_by_the_browser() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let table = super::tables::make(&ann, &[]);
    for path in ["/", "/settings", "/about", "/nowhere", &table] {
        assert_eq!(ann.get(path).header("cache-control"), "no-store", "{path}");
        assert_ne!(site.browser().get(path).header("cache-control"), "no-store", "{path}");
    }
    let script = ann.get("/").body.split("src=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(ann.get(&script).header("cache-control").contains("immutable"), "{script}");
}

/// Sends one form twice, as a double click does.
fn twice(browser: &Browser, page: &str, path: &str, fields: &[(&str, &str)]) -> [Answer; 2] {
    let csrf = browser.get(page).hidden("csrf");
    let mut all = vec![("csrf", csrf.as_str())];
    all.extend_from_slice(fields);
    [(); 2].map(|()| browser.post_bare(path, &all))
}

#[test]
fn a_form_sent_twice_is_done_once_and_says_so_both_times() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben) = (site.player("Ann"), site.player("Ben"));
        let new = [("game", "conquest"), ("limit", "86400"), ("title", "Twice"), ("who", "open")];
        let [one, two] = twice(&ann, "/tables/new", "/tables/new", &new);
        assert_eq!(one.leads_to(), two.leads_to());
        let table = one.leads_to().to_owned();
        assert_eq!(ann.get("/tables").body.matches("Twice").count(), 1);
        // The same again from a new form is another table.
        let other = ann.post_from("/tables/new", "/tables/new", &new).leads_to().to_owned();
        assert_ne!(other, table);

        let practice = [("game", "conquest")];
        let [one, two] = twice(&ann, "/tables/practice", "/tables/practice", &practice);
        assert_eq!(one.leads_to(), two.leads_to());

        let [one, two] = twice(&ben, &table, &format!("{table}/join"), &[]);
        assert_eq!((one.leads_to(), two.leads_to()), (table.as_str(), table.as_str()));
        twice(&ben, &table, &format!("{table}/talk"), &[("text", "Good luck!"), ("to", "")]);
        let talk = ann.get(&format!("{table}/talk"));
        assert_eq!(talk.body.matches("Good luck!").count(), 1);
        let report = talk.link(&format!("{table}/talk/"));
        for answer in twice(&ann, &report, &report, &[("reason", "None")]) {
            assert_eq!(answer.leads_to(), format!("{table}/talk"));
        }
        let army = ann.get("/loadouts/conquest").link("/loadouts/conquest/new?from=");
        let text = ann.get(&army).body;
        let text = text.split("<textarea").nth(1).and_then(|rest| rest.split_once('>')).unwrap().1;
        let text = text.split("</textarea>").next().unwrap().trim().to_owned();
        let fields = [("name", "Mine"), ("text", text.as_str()), ("do", "save-text")];
        for answer in twice(&ann, &army, "/loadouts/conquest/new", &fields) {
            assert_eq!(answer.leads_to(), "/loadouts/conquest");
        }
        assert_eq!(ann.get("/loadouts/conquest").body.matches("Mine</bdi>").count(), 1);
    });
}

#[test]
fn whoever_is_out_of_a_game_is_not_playing_it() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let players = ["Ann", "Ben", "Cleo"].map(|name| site.player(name));
        let fields = [("game", "imperial-conflict"), ("seats", "3"), ("title", "A war"), ("limit", "86400")];
        let path = players[0].post("/tables/new", &fields).leads_to().to_owned();
        for other in &players[1..] {
            assert_eq!(other.post_from(&path, &format!("{path}/join"), &[]).leads_to(), path);
        }
        let resign = format!("{path}/resign");
        players[2].post_from(&resign, &resign, &[("sure", "yes")]);
        let playing = |name: &str| {
            let page = site.browser().get(&format!("/players/{name}"));
            let from = page.body.find("id=\"playing\"").unwrap();
            let until = page.body[from..].find("<h2 id=\"out\"").or(page.body[from..].find("<h2 id=\"past\"")).unwrap();
            (page.body[from..from + until].contains("A war"), page.body.contains("Out, but the game goes on"))
        };
        assert_eq!(playing("Ann"), (true, false));
        assert_eq!(playing("Cleo"), (false, true));
    });
}

#[test]
fn messages_have_a_limit_of_lines_and_players_one_of_tables() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let table = super::tables::make(&ann, &[]);
    let long = "x\n".repeat(900);
    let answer = ann.post(&format!("{table}/talk"), &[("text", &long), ("to", "")]);
    assert_eq!(answer.status, 422);
    answer.says("This has 900 lines; a message may have 60");
    let fields = [("game", "conquest"), ("limit", "86400"), ("title", "One of many")];
    let made = (0..60).take_while(|_| ann.post_from("/tables/new", "/tables/new", &fields).status == 303).count();
    assert_eq!(made, 49, "with the first one");
    let answer = ann.post_from("/tables/new", "/tables/new", &fields);
    assert_eq!(answer.status, 422);
    answer.says("50 of your tables are waiting for players").says("value=\"One of many\"");
    // Signing in from ever more browsers ends the oldest sessions.
    for _ in 0..55 {
        site.clock.advance(chrono::TimeDelta::seconds(1));
        site.signed_in("Ann");
    }
    site.clock.advance(chrono::TimeDelta::seconds(1));
    let settings = site.signed_in("Ann").get("/settings");
    assert_eq!(settings.body.matches("/settings/browsers/end\"").count(), 49);
}

#[test]
fn times_on_a_page_say_what_they_are_relative_to() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let table = super::tables::make(&ann, &[]);
    let page = ann.get(&table);
    page.says("data-now=\"2026-11-29T12:00:00Z\"");
    for (at, _) in page.body.match_indices("<time ") {
        let tag = page.body[at..].split("</time>").next().unwrap();
        let words = tag.split_once('>').unwrap().1;
        let relative = words.ends_with("now") || words.ends_with(" ago") || words.starts_with("in ");
        assert_eq!(relative, tag.contains(" data-rel"), "{tag}");
    }
}
