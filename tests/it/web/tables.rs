//! Making, finding, joining, leaving and calling off tables.

use std::collections::BTreeMap;

use stardate::tables::{self, At, NewTable};

use crate::harness::{Backend, Fresh, on_both};

use super::{Browser, Site};

/// Makes a table with these answers besides the usual ones. Gives its path.
pub fn make(browser: &Browser, fields: &[(&str, &str)]) -> String {
    let mut all = vec![("game", "conquest"), ("limit", "86400")];
    for usual in [("title", "A quiet evening"), ("who", "open"), ("ranked", "yes"), ("passes_allowed", "0")] {
        if !fields.iter().any(|(name, _)| *name == usual.0) {
            all.push(usual);
        }
    }
    all.retain(|(name, _)| !fields.iter().any(|(other, _)| other == name));
    all.extend_from_slice(fields);
    let game = all.iter().find(|(name, _)| *name == "game").map_or("", |(_, game)| game);
    let answer = browser.post_from(&format!("/tables/new?game={game}"), "/tables/new", &all);
    answer.leads_to().to_owned()
}

#[test]
fn a_table_is_made_found_and_filled() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben) = (site.player("Ann"), site.player("Ben"));
        let path = make(&ann, &[]);
        ann.get(&path)
            .says("A quiet evening")
            .says("24 hours per phase")
            .says("as one more player sits down")
            .says("Call it off");
        ann.get("/").says("1 of 2 seats taken");
        ben.get("/tables").says("A quiet evening").says(&format!("href=\"{path}\""));
        site.browser().get("/").says("A quiet evening");
        let page = ben.get(&path);
        page.says("Take a seat").says("seat.").hides("Call it off");
        let answer = ben.post_from(&path, &format!("{path}/join"), &[]);
        assert_eq!(answer.leads_to(), path);
        ben.get(&path).says("the game has begun");
        ben.get("/tables").says("No table is waiting").says("Being played now").says("Turn 1, Deploy");
        for player in [&ann, &ben] {
            player.get("/").says("Your move").says("against").says("in 24 h");
        }
        for who in ["ann@example.org", "ben@example.org"] {
            assert!(site.letters(who).iter().any(|(_, text)| text.contains("A quiet evening")), "{who}");
        }
        ann.get("/players/Ann").says("A quiet evening").says("Playing");
    });
}

#[test]
fn faults_of_the_form_keep_what_was_filled_in() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let long = "x".repeat(300);
    let fields = [
        ("game", "conquest"),
        ("title", long.as_str()),
        ("limit", "other"),
        ("limit_count", "2"),
        ("limit_unit", "60"),
        ("who", "invited"),
        ("passes_allowed", "many"),
    ];
    let answer = ann.post("/tables/new", &fields);
    assert_eq!(answer.status, 422);
    answer.says("must be a whole number").says("value=\"invited\" checked").says("value=\"2\"").says(&long);
    let fields = [&fields[..6], &[("passes_allowed", "1")]].concat();
    let answer = ann.post_from("/tables/new", "/tables/new", &fields);
    assert_eq!(answer.status, 422);
    answer.says("things below. Nothing was changed yet").says("5 minutes").says("value=\"60\" selected");
    for unseen in ["\u{200b}", "\u{2800}", "\u{feff}\u{200d}", "\u{202e}"] {
        let answer =
            ann.post_from("/tables/new", "/tables/new", &[("title", unseen), ("game", "conquest"), ("limit", "86400")]);
        assert_eq!(answer.status, 422, "{unseen:?}");
        answer.says("This title has no visible characters.");
    }
    let path = make(&ann, &[("title", "A \u{202e}quiet\u{200b} night")]);
    ann.get(&path).says(">A quiet night</h1>");
    assert_eq!(ann.get("/tables/new?game=chess").status, 404);
    let nonsense = ann.post("/tables/new", &[("game", "conquest"), ("limit", "soon")]);
    assert_eq!(nonsense.status, 422);
}

#[test]
fn numbers_too_large_to_be_read_are_told_their_range() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    ann.get("/tables/new").says("apply to those who join, not to you");
    for (field, range) in [
        ("passes_allowed", "0 to 20"),
        ("max_drops", "0 to 1000"),
        ("min_score", "-10000 to 10000"),
        ("seats", "2 to 6"),
        ("limit", "300 to 1209600"),
    ] {
        let fields = [(field, "99999999999999999999"), ("game", "imperial-conflict"), ("limit", "86400")];
        let answer = ann.post("/tables/new", &fields);
        assert_eq!(answer.status, 422);
        answer.says(&format!("This must be a whole number from {range}."));
    }
}

#[test]
fn tables_being_played_are_listed_page_by_page_beside_what_is_asked_for() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (now, ann, ben) = (site.clock.now(), site.account("Ann"), site.account("Ben"));
    let new = NewTable { game: "conquest".to_owned(), time_limit_s: 86_400, ..NewTable::default() };
    for _ in 0..21 {
        tables::run(&site.db, |conn| {
            let table_id = tables::create(conn, &site.ctx, now, ann, &new)?;
            tables::join(conn, &site.ctx, At::new(now, table_id, ben), &BTreeMap::new(), None)
        })
        .unwrap();
    }
    let stranger = site.browser();
    let first = stranger.get("/tables?game=conquest&limit=slow");
    let second = first.link("/tables?game=conquest&limit=slow&page=2");
    let page = stranger.get(&second);
    assert_eq!(page.says("Page 2 of 2").link("/tables?game"), "/tables?game=conquest&limit=slow#watch");
    assert_eq!(stranger.get("/tables?page=500").leads_to(), "/tables#watch");
    assert_eq!(stranger.get("/tables?ranked=no&page=500").leads_to(), "/tables?ranked=no#watch");
}

#[test]
fn a_time_limit_of_ones_own_is_taken() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let path = make(&ann, &[("limit", "other"), ("limit_count", "90"), ("limit_unit", "60")]);
    ann.get(&path).says("90 minutes per phase");
    ann.get("/tables?limit=fast").says("A quiet evening");
    ann.get("/tables?limit=slow").hides("A quiet evening").says("None of the 1 open tables");
    ann.get("/tables?ranked=no").hides("A quiet evening");
}

#[test]
fn a_table_that_is_over_leads_to_another_like_it() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let terms = [("ranked", "no"), ("passes_allowed", "2"), ("max_drops", "1"), ("min_score", "90")];
    let limit = [("limit", "other"), ("limit_count", "36"), ("limit_unit", "3600")];
    let path = make(&ann, &[&terms[..], &limit[..]].concat());
    ben.get(&path).says("<a href=\"/games/conquest\">");
    ben.post_from(&path, &format!("{path}/join"), &[]);
    ben.post_from(&format!("{path}/resign"), &format!("{path}/resign"), &[("sure", "yes")]);
    let page = ann.get(&path);
    page.says(">Ann won; Ben resigned</h2>").says("Another game like this");
    let again = page.link("/tables/new?");
    assert!(site.browser().get(&again).leads_to().starts_with("/sign-in?next=/tables/new%3Fgame%3Dconquest"));
    ann.get(&again)
        .says("value=\"other\" checked")
        .says("name=\"limit_count\" min=\"1\" max=\"20160\" value=\"36\"")
        .says("<option value=\"3600\" selected>")
        .says("name=\"ranked\" value=\"no\" checked")
        .says("<option value=\"2\" selected>Forgive two")
        .says("<option value=\"1\" selected>At most one")
        .says("name=\"min_score\" type=\"text\" inputmode=\"numeric\" maxlength=\"6\" value=\"90\"");
}

#[test]
fn the_player_who_joined_may_leave_and_the_one_who_made_it_may_call_it_off() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let path = make(&ann, &[]);
    for page in ["record", "verify"] {
        ben.get(&format!("{path}/{page}")).says("This table has not begun yet.").says(&format!("href=\"{path}\""));
    }
    ben.get(&format!("{path}/phases")).says("This table has not started yet.").says(">Table</a>");
    assert_eq!(ben.post(&format!("{path}/cancel"), &[]).status, 403);
    assert_eq!(ben.post(&format!("{path}/leave"), &[]).status, 403);
    ann.post(&format!("{path}/leave"), &[]).says("nobody else sits here. Call the table off instead");
    let answer = ann.post_from(&path, &format!("{path}/cancel"), &[]);
    ann.follow(answer).says("The table is called off");
    ann.get(&path).says("<span>The player who made the table called it off before it began.</span>");
    ann.get(&format!("{path}/phases")).says("so nothing was played").says(">Table</a>").hides(">Turn</a>");
    for page in ["record", "verify"] {
        let nothing = ann.get(&format!("{path}/{page}"));
        assert_eq!(nothing.status, 409);
        nothing.says("There is nothing to show").says("called off before it began, so there is no record");
    }
    let late = ben.post(&format!("{path}/join"), &[]);
    assert_eq!(late.status, 409);
    late.says("To the table");
}

#[test]
fn a_table_for_invited_players_opens_by_link_name_and_address() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben) = (site.player("Ann"), site.player("Ben"));
        let path = make(&ann, &[("who", "invited")]);
        ben.get("/tables").hides("A quiet evening");
        let refused = ann.post_from(&path, &format!("{path}/invite"), &[("whom", "Nobody-here")]);
        assert_eq!(refused.status, 422);
        refused.says("There is no player called “Nobody-here”").says("value=\"Nobody-here\"");
        let invited = |whom: &str| ann.follow(ann.post_from(&path, &format!("{path}/invite"), &[("whom", whom)]));
        invited("Ben").says("Ben is invited, and will see the table under “My tables”");
        for _ in 0..2 {
            invited("friend@example.net").says("friend@example.net is invited. We send one letter, or none if");
        }
        assert_eq!(site.letters("friend@example.net").len(), 1);
        let link = site.link("friend@example.net", "/i/");
        site.browser().get(&link).says("A quiet evening").says("Sign in to take the seat");
        ben.get("/").says("Invitations").says("A quiet evening");
        let cleo = site.player("Cleo");
        cleo.get(&link).says("Take a seat");
        let key = link.trim_start_matches("/i/");
        let answer = cleo.post_from(&link, &format!("{path}/join"), &[("key", key)]);
        assert_eq!(answer.leads_to(), path);
        assert_eq!(cleo.get(&link).leads_to(), path, "the link of a running table leads to it");
        let late = site.browser().get(&link);
        assert_eq!(late.status, 409);
        late.says("has begun, and it is private").says(&format!("/sign-in?next={path}"));
        let dan = site.player("Dan");
        dan.get(&link).says("has begun without you").says("href=\"/tables\"");
        let refused = dan.post(&format!("{path}/join"), &[("key", key)]);
        assert_eq!(refused.status, 409);
        refused.says(&format!("href=\"{link}\""));
        ben.get(&path).says("Cleo");
    });
}
