//! The page of a table that waits: starting it early, giving a seat free, what keeps a visitor away.

use crate::harness::{Backend, Fresh, on_both};
use stardate::store::{PhaseNo, TableId};

use super::Site;
use super::tables::make;

/// The fields of an Imperial Conflict table for so many.
fn imperial(seats: &str) -> [(&str, &str); 4] {
    [("game", "imperial-conflict"), ("option.map", "world"), ("option.placement", "random"), ("seats", seats)]
}

#[test]
fn the_creator_starts_a_table_that_is_not_full() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben, cleo) = (site.player("Ann"), site.player("Ben"), site.player("Cleo"));
        let path = make(&ann, &imperial("5"));
        ann.get(&path).says("You can start as soon as 2 players sit here").hides("Start now");
        ben.post_from(&path, &format!("{path}/join"), &[]);
        cleo.post_from(&path, &format!("{path}/join"), &[]);
        ben.get(&path).says("or when Ann starts it with at least 2").hides("Start now").hides("Free this seat");
        let page = ann.get(&path);
        page.says("Start with 3 players").says("The 2 free seats are closed").says("A win is worth +2");
        assert_eq!(page.hidden("seated"), "3");
        let early = ben.post(&format!("{path}/start"), &[("seated", "3")]);
        assert_eq!(early.status, 403);
        let stale = ann.post(&format!("{path}/start"), &[("seated", "2")]);
        assert_eq!(stale.status, 409);
        stale.says("3 sit at this table now").says("To the table");
        assert_eq!(ann.post(&format!("{path}/start"), &[("seated", "all")]).status, 400);
        let answer = ann.post_from(&path, &format!("{path}/start"), &[("seated", "3")]);
        assert_eq!(answer.leads_to(), path);
        for who in ["ann", "ben", "cleo"] {
            let letters = site.letters(&format!("{who}@example.org"));
            assert!(letters.iter().any(|(subject, _)| subject.contains("the table has started")), "{letters:?}");
        }
        assert_eq!(ann.post(&format!("{path}/start"), &[("seated", "3")]).status, 409);
    });
}

#[test]
fn a_player_taken_from_the_seat_is_told_and_kept_away() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let path = make(&ann, &imperial("3"));
    ben.post_from(&path, &format!("{path}/join"), &[]);
    let page = ann.get(&path);
    page.says("Remove Ben").says("Ben becomes the host of the table");
    let player = page.hidden("player");
    let profile =
        stardate::tables::profile(&mut site.db.connection().unwrap(), &site.ctx, site.clock.now(), "Ann", None)
            .unwrap();
    let own = profile.user_id.to_string();
    let refused = ann.post(&format!("{path}/remove"), &[("player", &own)]);
    assert_eq!(refused.status, 403);
    refused.says("This is your own seat.");
    assert_eq!(ben.post(&format!("{path}/remove"), &[("player", &player)]).status, 403);
    assert_eq!(ann.post(&format!("{path}/remove"), &[("player", "nobody")]).status, 400);
    let answer = ann.post_from(&path, &format!("{path}/remove"), &[("player", &player)]);
    ann.follow(answer).says("The seat is free again").hides("Remove Ben");
    assert_eq!(ann.post(&format!("{path}/remove"), &[("player", &player)]).status, 409);
    assert!(site.letters("ben@example.org").iter().any(|(_, text)| text.contains("host freed your seat")));
    ben.get(&path).says("only if they invite you again").hides("Take a seat");
    let refused = ben.post(&format!("{path}/join"), &[]);
    assert_eq!(refused.status, 403);
    ben.get("/").hides("Invitations");
    let invite = format!("{path}/invite");
    let invited = |whom: &str| ann.follow(ann.post_from(&path, &invite, &[("whom", whom)]));
    invited("Ben").says("Ben is invited, and will see the table under “My tables”");
    invited("Ben").says("Ben is already invited");
    let letters = site.letters("ben@example.org");
    assert_eq!(letters.iter().filter(|(_, text)| text.contains("/i/")).count(), 1, "{letters:#?}");
    ben.get("/").says("Invitations");
    ben.get(&path).says("Take a seat");
    assert_eq!(ben.post_from(&path, &format!("{path}/join"), &[]).leads_to(), path);
    let answer = ann.post_from(&path, &format!("{path}/leave"), &[]);
    ann.follow(answer).says("You have left the table");
    ben.get(&path).says("made by Ben").says("Call it off");
}

#[test]
fn whoever_is_taken_from_a_private_table_sees_no_more_of_it() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben, cleo) = (site.player("Ann"), site.player("Ben"), site.player("Cleo"));
    let path = make(&ann, &[&imperial("3")[..], &[("who", "invited")]].concat());
    let invite = |whom: &str| ann.post_from(&path, &format!("{path}/invite"), &[("whom", whom)]);
    invite("ben@example.org");
    let link = site.link("ben@example.org", "/i/");
    let join = || ben.post_from(&link, &format!("{path}/join"), &[("key", link.trim_start_matches("/i/"))]);
    assert_eq!(join().leads_to(), path);
    let player = ann.get(&path).hidden("player");
    ann.post_from(&path, &format!("{path}/remove"), &[("player", &player)]);
    assert_eq!(ben.get(&path).status, 404);
    // The old link says the same to everybody, signed in or not; nobody sees the lobby by it.
    for who in [&ben, &cleo, &site.browser()] {
        let answer = who.get(&link);
        assert_eq!(answer.status, 409);
        answer.says("This link no longer opens a table.").hides("Ann");
    }
    let page = ann.get(&path);
    let shared = page.body.split("/i/").nth(1).expect("the host sees the new link");
    let shared = format!("/i/{}", shared.split(['"', '<']).next().unwrap());
    assert_ne!(shared, link);
    assert_eq!(cleo.get(&shared).status, 200, "others come by the new link");
    assert_eq!(ben.get(&shared).status, 404);
    invite("ben@example.org");
    let letters = site.letters("ben@example.org");
    assert_eq!(letters.iter().filter(|(_, text)| text.contains("/i/")).count(), 2, "invited anew, by letter");
    assert_eq!(join().leads_to(), path);
}

#[test]
fn the_form_names_the_range_of_a_map_and_the_lobby_the_rules_for_joining() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let form = ann.get("/tables/new?game=imperial-conflict");
    form.says("value=\"6\"").says("Lowest score").says("To all, or to one seat alone");
    let fields = [
        ("game", "imperial-conflict"),
        ("option.map", "sector"),
        ("option.placement", "random"),
        ("seats", "6"),
        ("limit", "86400"),
        ("min_score", "a lot"),
    ];
    let answer = ann.post_from("/tables/new?game=imperial-conflict", "/tables/new", &fields);
    assert_eq!(answer.status, 422);
    answer.says("must be a whole number").says("value=\"a lot\"");
    let answer = ann.post_from("/tables/new?game=imperial-conflict", "/tables/new", &fields[..5]);
    assert_eq!(answer.status, 422);
    answer.says("players, not for 6").says("<option value=\"6\" selected>");
    let rules = [("title", "For the best"), ("min_score", "105"), ("max_drops", "1"), ("talk", "open")];
    let path = make(&ann, &[&imperial("6")[..], &rules[..]].concat());
    let page = ben.get(&path);
    page.says("Players need a score of at least 105").says("at most one drop that still counts").says("To all only");
    page.says("yours is 100").hides("Take a seat");
    ben.get("/tables").says("score of 105 or more");
    let refused = ben.post(&format!("{path}/join"), &[]);
    assert_eq!(refused.status, 403);
    refused.says("at least 105; yours is 100");
}

#[test]
fn the_list_of_ones_tables_is_notice_of_the_deadlines_on_it() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let players = ["Ann", "Ben", "Cleo"].map(|name| site.player(name));
        let path = make(&players[0], &imperial("3"));
        for player in &players[1..] {
            player.post_from(&path, &format!("{path}/join"), &[]);
        }
        let id: stardate::store::TableId = path.trim_start_matches("/t/").parse().unwrap();
        let seen = || {
            let mut conn = site.db.connection().unwrap();
            let dues = stardate::store::plots::dues(&mut conn, id, stardate::store::PhaseNo(1)).unwrap();
            dues.iter().filter(|due| due.seen_at.is_some()).count()
        };
        // No other page shows it: those, a stranger's visit and the script's question leave no trace.
        for player in &players {
            player.get(&format!("{path}/phases"));
            player.get(&format!("{path}?part=state"));
        }
        site.browser().get(&path);
        assert_eq!(seen(), 0);
        for player in &players {
            player.get("/");
        }
        assert_eq!(seen(), 1, "one player's orders are due");
    });
}
