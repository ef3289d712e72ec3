//! Leaderboards and players' pages.

use stardate::store::UserId;
use std::collections::BTreeMap;

use chrono::TimeDelta;
use stardate::store::Stamp;
use stardate::tables::{self, Act, At, NewTable};

use crate::harness::{Backend, Fresh};

use super::Site;

/// A ranked table that `other` resigns from at once; `at` is when.
fn beat(site: &Site, who: UserId, other: UserId, at: Stamp) {
    let new = NewTable {
        game: "conquest".to_owned(),
        title: "A short one".to_owned(),
        time_limit_s: 86_400,
        ranked: true,
        ..NewTable::default()
    };
    tables::run(&site.db, |conn| {
        let table_id = tables::create(conn, &site.ctx, at, who, &new)?;
        tables::join(conn, &site.ctx, At::new(at, table_id, other), &BTreeMap::new(), None)?;
        tables::resign(conn, &site.ctx, at, &Act::in_any_phase(table_id, other, at))
    })
    .unwrap();
}

#[test]
fn the_leaderboard_says_whom_it_lists_and_where_one_stands() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| figures.least_games = 2);
    let now = site.clock.now();
    let (ann, ben, cid) = (site.account("Ann"), site.account("Ben"), site.account("Cid"));
    let stranger = site.browser();
    stranger.get("/leaderboard").says("Nobody has finished 2 ranked games yet").says("href=\"/tables\"");
    beat(&site, ann, ben, now);
    site.signed_in("Ann").get("/leaderboard").says("You have finished 1 ranked game; finish one more to be listed.");
    site.signed_in("Cid").get("/leaderboard").says("You have finished no ranked game here yet; finish 2 more");
    let dan = site.account("Dan");
    beat(&site, ann, dan, now);
    beat(&site, dan, ben, now);

    let page = stranger.get("/leaderboard/conquest");
    page.says("<title>Leaderboard: ConQuest")
        .says("<h1>Leaderboard: ConQuest</h1>")
        .says("Players are listed once they have finished 2 ranked games of this kind")
        .says("aria-label=\"Latest games, newest last: won, won\"")
        .says("W won, L lost, T tied, R resigned, D dropped by the clock")
        .hides("<span class=\"tag\">you</span>");
    assert!(page.body.find("/players/Ann") < page.body.find("/players/Ben"));
    site.signed_in("Ben")
        .get("/leaderboard")
        .says("<tr class=\"me\">")
        .says("<span class=\"tag\">you</span>")
        .hides("class=\"own\"");
    assert_eq!(stranger.get("/leaderboard?game=conquest").leads_to(), "/leaderboard/conquest");
    assert_eq!(stranger.get("/leaderboard/chess").status, 404);
    assert_eq!(stranger.get("/leaderboard?page=7").leads_to(), "/leaderboard");
    stranger.get("/leaderboard?page=nonsense").says("/players/Ann");

    // Somebody on the second page sees their own line on the first.
    let eve = site.account("Eve");
    for number in 0..49 {
        let other = site.account(&format!("Player{number}"));
        beat(&site, other, cid, now);
        beat(&site, other, eve, now);
    }
    let cid = site.signed_in("Cid");
    cid.get("/leaderboard")
        .says("<tbody class=\"own\">")
        .says("/players/Cid")
        .says("Page 1 of 2")
        .says("href=\"/leaderboard?page=2\"");
    cid.get("/leaderboard?page=2").hides("class=\"own\"").says("<tr class=\"me\">").says("href=\"/leaderboard\"");
}

#[test]
fn a_players_page_tells_their_record_in_words_and_as_a_drawing() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.account("Ann"), site.account("Ben"));
    let now = site.clock.now();
    let stranger = site.browser();
    stranger
        .get("/players/Ann")
        .says("No ranked game yet")
        .says("Not enough games to tell yet")
        .hides("<svg viewBox=\"0 0 1000");
    for days in [20, 15, 9, 2] {
        beat(&site, ann, site.account(&format!("Loser{days}")), now - TimeDelta::days(days));
    }
    for (winner, days) in [(ben, 8), (site.account("Cid"), 1)] {
        beat(&site, winner, ann, now - TimeDelta::days(days));
    }
    let page = stranger.get("/players/Ann");
    page.says("<dt>Score</dt><dd>102</dd>")
        .says("None that still counts, in the 6 ranked games so far")
        .says("<title id=\"chart-title\">The score of Ann over time</title>")
        .says("From 100 at the start to 102 after 6 ranked games. Highest: 103 on 20 Nov.")
        .says("<span class=\"sub\">to 102</span>")
        .says("Before you sit down");
    site.signed_in("Ann").get("/players/Ann").says("What others see before they sit down with you");

    // Every finished table is there, however many they are.
    for _ in 0..24 {
        beat(&site, ann, site.account(&format!("Guest{}", tables_of(&site, ann))), now);
    }
    let first = stranger.get("/players/Ann");
    first.says("Page 1 of 2").says("href=\"/players/Ann?page=2#past\"");
    assert_eq!(first.body.matches("A short one").count(), 25);
    assert_eq!(stranger.get("/players/Ann?page=2").body.matches("A short one").count(), 5);
    assert_eq!(stranger.get("/players/Ann?page=3").leads_to(), "/players/Ann");
}

fn tables_of(site: &Site, user_id: UserId) -> i64 {
    tables::past_tables(&mut site.db.connection().unwrap(), &site.ctx, user_id, None, 1, 1).unwrap().total
}

#[test]
fn whoever_thinks_of_sitting_down_sees_with_whom() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.account("Ann"), site.account("Ben"));
    beat(&site, ann, ben, site.clock.now());
    let path = super::tables::make(&site.signed_in("Ann"), &[]);
    let stranger = site.browser();
    for page in [path.as_str(), "/tables", "/"] {
        stranger.get(page).says("score 101 · no drop in 1 game");
    }
    let path = super::tables::make(&site.player("Dee"), &[]);
    stranger.get(&path).says("score 100 · no ranked game yet");
}
