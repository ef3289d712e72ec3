//! Table talk, watching and notes over HTTP: what is said, who sees it, and that nobody else learns of it.

use stardate::store::IdText;
use stardate::store::TableId;
use stardate::tables;

use crate::harness::{Backend, Fresh, on_both};

use super::{Answer, Browser, Site};

/// A table that Ann and Ben play; gives its path.
fn running(ann: &Browser, ben: &Browser) -> String {
    let path = super::tables::make(ann, &[]);
    let joined = ben.post_from(&path, &format!("{path}/join"), &[]);
    assert_eq!(joined.leads_to(), path);
    path
}

fn say(browser: &Browser, path: &str, text: &str, to: &str) -> Answer {
    let fields = [("text", text), ("to", to)];
    // Where there is nobody to choose from, the form has no list.
    browser.post_from(path, &format!("{path}/talk"), if to.is_empty() { &fields[..1] } else { &fields })
}

/// Says what the page of the table does not offer to say.
fn say_anyway(browser: &Browser, path: &str, text: &str, to: &str) -> Answer {
    browser.post(&format!("{path}/talk"), &[("text", text), ("to", to)])
}

/// A page without what changes with every request.
fn still(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut body = answer.body.clone();
    while let Some(at) = body.find("name=\"csrf\" value=\"") {
        let from = at + "name=\"csrf".len();
        let until = from + body[from..].find('>').unwrap();
        body.replace_range(from..until, "-gone\"");
    }
    body
}

#[test]
fn what_is_said_stands_on_the_pages_of_the_table() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben, odo) = (site.player("Ann"), site.player("Ben"), site.player("Odo"));
        let path = super::tables::make(&ann, &[]);
        let said = say(&ann, &path, "Who plays?\n<script>alert(1)</script>", "");
        assert_eq!(said.leads_to(), format!("{path}#talk"));
        for browser in [&ann, &ben, &site.browser()] {
            browser.get(&path).says("Who plays?").hides("<script>alert");
            browser.get(&format!("{path}/talk")).says("Who plays?");
        }
        site.browser().get(&path).hides("name=\"text\"");
        ben.post_from(&path, &format!("{path}/join"), &[]);
        say(&ben, &path, "I do.", "");
        ann.get(&path).says("I do.").says(">new</span>").says("name=\"text\"");
        ann.get(&path).says("I do.").hides(">new</span>");
        let talk = format!("{path}/talk");
        ann.get(&talk).says("Report this message").says("Mute Ben").says("aria-current=\"page\">Talk");
        site.browser().get(&talk).says("I do.").hides("Report this message");

        // Only people with a seat say something; others are told why not.
        assert_eq!(say_anyway(&odo, &path, "Hello", "").status, 403);
        assert_eq!(site.browser().post(&talk, &[("text", "Hello")]).status, 403);
        ann.get(&path).hides("Hello");
    });
}

#[test]
fn a_message_that_cannot_be_sent_comes_back_with_its_text() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| figures.limits.talk.burst = 2);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let path = running(&ann, &ben);
    let long = "x".repeat(2001);
    let refused = say(&ann, &path, &long, "");
    assert_eq!(refused.status, 422);
    refused.says(&long).says("This has 2001 characters").says("aria-invalid=\"true\"");
    let nobody = IdText(77).to_string();
    let refused = say_anyway(&ann, &path, "Psst", &nobody);
    assert_eq!(refused.status, 422);
    refused.says("Psst").says("Nobody at this table with that name");
    let refused = say(&ann, &path, "One too many", "");
    assert_eq!(refused.status, 429);
    refused.says("One too many").says("You have said a lot");
    assert_eq!(say(&ben, &path, "", "").status, 422);
}

#[test]
fn nothing_written_is_lost_when_it_is_refused() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| figures.limits.invite.burst = 1);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let path = running(&ann, &ben);
    let refused = say_anyway(&ann, &path, "To whom it may concern", "nobody at all");
    assert_eq!(refused.status, 422);
    refused.says("To whom it may concern").says("Choose a player at the table");
    let notes = format!("{path}/notes");
    for version in ["9223372036854775807", "-9223372036854775808", "", "x"] {
        let refused = ann.post(&notes, &[("note", "Mind the <gap>"), ("note_version", version)]);
        assert!([400, 409].contains(&refused.status), "{version}: {}", refused.status);
        refused.says("Mind the &#60;gap&#62;");
    }
    // As long as notes may be, of letters that take the most room on the way.
    let long = "😀".repeat(8000);
    let version = ann.get(&path).hidden("note_version");
    assert_eq!(ann.post_from(&path, &notes, &[("note", &long), ("note_version", &version)]).status, 303);

    // A page that was open too long: its token is old, or the session has ended.
    let stale =
        ann.post_bare(&format!("{path}/plot"), &[("csrf", "old"), ("text", "deploy everything"), ("do", "save")]);
    assert_eq!(stale.status, 403);
    stale.says("deploy everything").says(&format!("href=\"{path}\""));
    let away = site.browser();
    let signed_out = away.post(&format!("{path}/plot"), &[("text", "deploy it all"), ("password", "x")]);
    assert_eq!(signed_out.status, 403);
    signed_out.says("deploy it all").says(&format!("href=\"/sign-in?next={path}\"")).says("nothing was changed");
    assert_eq!(away.post(&format!("{path}/plot"), &[]).leads_to(), format!("/sign-in?next={path}"));

    // The address of a form, opened as a page, leads to the page above it.
    assert_eq!(ann.get(&format!("{path}/talk/mute")).leads_to(), format!("{path}/talk"));
    for form in ["plot", "act", "join", "notes"] {
        assert_eq!(ann.get(&format!("{path}/{form}")).leads_to(), path, "{form}");
    }
}

#[test]
fn of_a_private_message_nobody_else_learns_anything() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben, odo) = (site.player("Ann"), site.player("Ben"), site.player("Odo"));
        let path = running(&ann, &ben);
        say(&ann, &path, "Good luck!", "");
        let watchers = [&odo, &site.browser()];
        let pages = ["", "/talk", "/phases", "/phases/0", "?part=state"].map(|page| format!("{path}{page}"));
        let look = || -> Vec<String> {
            let all = watchers.iter().flat_map(|browser| pages.iter().map(|page| still(&browser.get(page))));
            all.chain([still(&odo.get("/")), still(&odo.get("/tables")), still(&odo.get("/players/Ann"))]).collect()
        };
        let before = look();
        let ben_id = ann.get(&path).body.split("<option value=\"").find_map(|part| {
            let (value, rest) = part.split_once('"')?;
            rest.contains("Only Ben").then(|| value.to_owned())
        });
        let said = say(&ann, &path, "Psst, a secret.", &ben_id.expect("Ann may write to Ben alone"));
        assert_eq!(said.status, 303);
        assert_eq!(look(), before, "what watchers see has not changed by one byte");
        ben.get(&path).says("Psst, a secret.").says("to you alone").says(">new</span>");
        ann.get(&format!("{path}/talk")).says("Psst, a secret.").says("to Ben");
        for (subject, text) in site.letters("odo@example.org") {
            assert!(!subject.contains("Psst") && !text.contains("Psst"), "{subject}\n{text}");
        }
        // Neither does an address give it away.
        let id = tables_talk(&site, &path);
        for browser in watchers {
            assert_eq!(browser.get(&format!("{path}/talk?before={id}")).status, 404);
        }
        assert_eq!(odo.get(&format!("{path}/talk/{id}/report")).status, 404);
        assert_eq!(ben.get(&format!("{path}/talk/{id}/report")).status, 200);
    });
}

/// Id of the newest message at a table, whoever it is for.
fn tables_talk(site: &Site, path: &str) -> IdText {
    use diesel::prelude::*;
    use stardate::store::schema::messages;
    let table_id: stardate::store::TableId = path.trim_start_matches("/t/").parse().unwrap();
    let id: i64 = messages::table
        .filter(messages::table_id.eq(table_id))
        .order(messages::no.desc())
        .select(messages::id)
        .first(&mut *site.db.connection().unwrap())
        .unwrap();
    IdText(id)
}

#[test]
fn a_message_is_reported_and_its_author_muted() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let path = running(&ann, &ben);
    say(&ben, &path, "Rude words", "");
    let talk = format!("{path}/talk");
    let report = format!("{talk}/{}/report", tables_talk(&site, &path));
    ann.get(&report).says("Rude words").says("Ben will not learn who reported it");
    let refused = ann.post_from(&report, &report, &[("reason", &"x".repeat(501))]);
    assert_eq!(refused.status, 422);
    refused.says("501 characters");
    assert_eq!(ann.post_from(&report, &report, &[("reason", "Not nice")]).leads_to(), talk);
    ann.get(&talk).says("You have reported this.");
    let again = ann.post(&report, &[("reason", "Again")]);
    ann.follow(again).says("You have already reported this message");
    assert_eq!(ben.get(&report).status, 404);

    let profile =
        tables::profile(&mut site.db.connection().unwrap(), &site.ctx, site.clock.now(), "Ben", None).unwrap();
    let player = profile.user_id.to_string();
    let mute = format!("{talk}/mute");
    assert_eq!(ann.post_from(&talk, &mute, &[("player", &player), ("do", "mute")]).leads_to(), talk);
    ann.get(&talk).hides("Rude words").says("1 message from Ben, whom you have muted");
    ann.get(&path).hides("Rude words");
    ben.get(&path).says("Rude words").hides("muted");
    ann.get("/settings").says("Muted players").says("/players/Ben");
    ann.post_from("/settings", "/settings/unmute", &[("player", &player)]);
    ann.get("/settings").hides("Muted players");
    ann.get(&path).says("Rude words");
}

#[test]
fn nobody_is_led_to_a_former_player() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let path = running(&ann, &ben);
    say(&ben, &path, "Bye", "");
    let talk = format!("{path}/talk");
    let page = ann.get(&talk);
    page.says("Only Ben").says("Mute Ben");
    let (_, rest) = page.body.split_once("name=\"to\"").unwrap();
    let (_, rest) = rest.split_once("To everybody</option><option value=\"").unwrap();
    let id = rest.split('"').next().unwrap();
    ben.post_from("/settings", "/settings/delete", &[("delete_name", "Ben"), ("delete_password", super::PASSWORD)]);
    let page = ann.get(&path);
    page.says("former player").hides("Only former player").hides("/players/former");
    let page = ann.get(&talk);
    page.says("Bye").says("Report this message").hides("Mute former").hides("Only former player");
    let refused = say_anyway(&ann, &path, "Are you there?", id);
    assert_eq!(refused.status, 422);
    refused.says("Nobody at this table with that name reads messages");
}

#[test]
fn notes_are_seen_by_nobody_else_and_two_tabs_show_both_texts() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben) = (site.player("Ann"), site.player("Ben"));
        let path = running(&ann, &ben);
        let notes = format!("{path}/notes");
        let saved = ann.post_from(&path, &notes, &[("note", "Ben bluffs."), ("note_version", "0")]);
        assert_eq!(saved.leads_to(), format!("{path}#notes"));
        ann.get(&path).says("Ben bluffs.");
        ann.get(&format!("{path}/phases")).says("Ben bluffs.").says("name=\"history\"");
        for browser in [&ben, &site.browser()] {
            for page in ["", "/phases", "/talk"] {
                browser.get(&format!("{path}{page}")).hides("Ben bluffs.");
            }
        }
        site.browser().get(&path).hides("Your notes");
        let twice = ann.post(&notes, &[("note", "Ben is honest."), ("note_version", "0")]);
        assert_eq!(twice.status, 409);
        twice.says("Ben bluffs.").says("Ben is honest.").says("name=\"note_version\" value=\"1\"");
        ann.get(&path).says("Ben bluffs.");
        let long = "x".repeat(8001);
        let refused = ann.post_from(&path, &notes, &[("note", &long), ("note_version", "1")]);
        assert_eq!(refused.status, 422);
        refused.says(&long).says("8001 characters");
        assert_eq!(ann.post(&notes, &[("note", "x"), ("note_version", "one")]).status, 400);
        assert_eq!(site.browser().post(&notes, &[("note_version", "0")]).status, 303);
    });
}

#[test]
fn a_watcher_sees_the_same_page_whatever_is_secret() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben) = (site.player("Ann"), site.player("Ben"));
        let path = running(&ann, &ben);
        let watcher = site.browser();
        let pages = ["", "/talk", "/phases", "/phases/0", "?part=state"].map(|page| format!("{path}{page}"));
        let look = || -> Vec<String> { pages.iter().map(|page| unsealed(&still(&watcher.get(page)))).collect() };
        watcher.get("/tables").says("Being played now").says(&format!("href=\"{path}\""));
        watcher.get(&path).says("You are watching this table.").hides("name=\"do\"");

        // The orders that could be given, found in Ann's form.
        let form = ann.get(&path).body;
        let offers: Vec<&str> =
            form.split("<option value=\"deploy ").skip(1).filter_map(|o| o.split('"').next()).collect();
        assert!(offers.len() > 1, "there is a choice");
        let orders = [offers[0], offers[offers.len() - 1]].map(|offer| format!("deploy {offer}").replace("&#39;", "'"));
        assert_ne!(orders[0], orders[1]);
        let no = ann.get(&path).hidden("phase_no");
        let send = |version: &str, text: &str, what: &str| {
            let fields = [("phase_no", no.as_str()), ("version", version), ("text", text), ("do", what)];
            let answer = ann.post_from(&path, &format!("{path}/plot"), &fields);
            assert_eq!(answer.status, 303, "{text}: {}", answer.body);
            ann.get(&path).hidden("version")
        };
        let nothing = look();
        let version = send("", &orders[0], "save");
        assert_eq!(look(), nothing, "a draft is nobody's business");
        let version = send(&version, &orders[0], "hand-in");
        let first = look();
        assert_ne!(first, nothing, "that a plot is in may be seen");
        let version = send(&version, &orders[1], "hand-in");
        assert_eq!(look(), first, "which orders are in it may not");
        send(&version, "", "pass");
        assert_eq!(look(), first, "nor that there are none");
    });
}

/// The page with all seals and marks of time since a plot came in gone: those are salted by chance.
fn unsealed(page: &str) -> String {
    let mut text = String::new();
    let mut run = String::new();
    for c in page.chars() {
        if c.is_ascii_hexdigit() && !c.is_ascii_uppercase() {
            run.push(c);
            continue;
        }
        text.push_str(if run.len() == 64 { "seal" } else { &run });
        run.clear();
        text.push(c);
    }
    text + &run
}

#[test]
fn private_tables_are_watched_by_nobody() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let path = super::tables::make(&ann, &[("who", "invited")]);
    say(&ann, &path, "Between us", "");
    for browser in [&site.player("Odo"), &site.browser()] {
        for page in ["", "/talk", "/phases"] {
            assert_eq!(browser.get(&format!("{path}{page}")).status, 404);
        }
        browser.get("/tables").hides(&path);
    }
}
