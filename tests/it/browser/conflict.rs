//! Three people in real browsers play a ranked war from the creation of the table to victory. One lets the clock
//! run out on the way.

use diesel::prelude::*;
use fantoccini::Locator;
use stardate::store::schema::{phases, timers};
use stardate::store::{Conn, users};
use stardate::tables::{self, Ctx, TablePage};

use super::sign_up;
use crate::harness::browser::{Browser, Driver, Look};
use crate::harness::{Backend, Fresh, Launch, bots};
use crate::tables::world;

/// More than any such war takes; one that is not over by then has gone wrong.
const MOST_STEPS: usize = 600;
/// So many orders are given by clicks before the rest is written as text.
const BY_CLICKS: usize = 6;

struct War {
    conn: Conn,
    ctx: Ctx,
    table_id: i64,
    path: String,
    /// Who made the table, and so may see it.
    ada: i64,
}

impl War {
    fn of(fresh: &Fresh, path: String) -> War {
        let id: stardate::store::IdText = path.rsplit('/').next().unwrap().parse().unwrap();
        let mut conn = fresh.peek();
        let ada = users::find_by_name(&mut conn, "Ada").unwrap().expect("she has signed up").id;
        War { conn, ctx: world::ctx(), table_id: id.0, path, ada }
    }

    fn shown(&mut self) -> TablePage {
        tables::table_page(&mut self.conn, &self.ctx, self.table_id, Some(self.ada), None).unwrap()
    }

    /// Name and id of the player whose turn it is; `None` when the war is over.
    fn whose_turn(&mut self) -> Option<(String, i64)> {
        let shown = self.shown();
        if shown.table.status == "over" {
            return None;
        }
        let due = shown.seats.iter().find(|seat| seat.due).expect("somebody is due");
        Some((due.name.clone(), due.user_id))
    }

    /// As if the time limit had passed: the deadline that is stored lies in the past, and its timer is due.
    fn let_the_clock_run_out(&mut self) {
        let past = chrono::Utc::now().naive_utc() - chrono::TimeDelta::seconds(60);
        diesel::update(phases::table.filter(phases::table_id.eq(self.table_id)).filter(phases::closed_at.is_null()))
            .set(phases::deadline_at.eq(past))
            .execute(&mut self.conn)
            .unwrap();
        diesel::update(timers::table.filter(timers::table_id.eq(self.table_id)).filter(timers::kind.eq("deadline")))
            .set(timers::due_at.eq(past))
            .execute(&mut self.conn)
            .unwrap();
    }

    /// A quiet turn: all armies on one country, nothing else.
    fn quiet(&mut self, user_id: i64) -> String {
        let turn = tables::turn(&mut self.conn, &self.ctx, self.table_id, Some(user_id)).unwrap();
        let view: serde_json::Value = serde_json::from_str(&turn.view).unwrap();
        let own = view["countries"].as_array().unwrap().iter().find(|it| it["owner"] == view["viewer"]).unwrap();
        let set = turn.slots.iter().flat_map(|slot| &slot.offers).find(|offer| offer.order.starts_with("exchange"));
        match set {
            Some(set) if view["phase"] == "exchange" => set.order.clone(),
            _ => match view["now"]["left"].as_u64().unwrap() {
                0 => "end".to_owned(),
                left => format!("deploy {left} {}\nend", own["code"].as_str().unwrap()),
            },
        }
    }

    /// Name, result and score change of each player.
    fn results(&mut self) -> Vec<(String, String, i32)> {
        let mut results: Vec<_> = self
            .shown()
            .seats
            .iter()
            .map(|seat| {
                let result = seat.result.expect("every seat has a result at the end");
                assert!(result.booked, "{}: booked when the game ended", seat.name);
                (seat.name.clone(), result.outcome.key().to_owned(), result.score_change)
            })
            .collect();
        results.sort();
        results
    }
}

#[tokio::test]
async fn three_people_play_a_ranked_war_and_the_clock_drops_one() {
    let Some(driver) = Driver::start().await else { return };
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let mail = tempfile::tempdir().unwrap();
    let server = Launch::new(&fresh.url, mail.path()).start();
    let ada = driver.open(&server.address, Look::Desktop).await;
    let ben = driver.open(&server.address, Look::PhoneWithoutScript).await;
    let cleo = driver.open(&server.address, Look::Phone).await;
    for (browser, name) in [(&ada, "Ada"), (&ben, "Ben"), (&cleo, "Cleo")] {
        sign_up(browser, name, mail.path()).await;
    }
    let path = make_table(&ada).await;
    ada.save_screenshot("war-lobby-1280").await;
    for browser in [&ben, &cleo] {
        browser.goto(&path).await;
        browser.press("form[action$='/join'] button[type=submit]").await;
        browser.wait_for(".turn-board, form[action$='/leave']").await;
    }
    let mut war = War::of(&fresh, path);

    let (mut clicked, mut dropped, mut lost_to_the_clock) = (0, false, String::new());
    for step in 0.. {
        assert!(step < MOST_STEPS, "no end in sight");
        let Some((name, user_id)) = war.whose_turn() else { break };
        match name.as_str() {
            "Ada" => {
                let orders = bots::strongest(&mut war.conn, &war.ctx, war.table_id, user_id, 11).expect("she is due");
                if clicked < BY_CLICKS && click(&ada, &war.path, &orders).await {
                    clicked += 1;
                    ada.save_screenshot(&format!("war-click-{clicked}-1280")).await;
                } else {
                    write(&ada, &war.path, &orders).await;
                }
            }
            "Cleo" => {
                cleo.goto(&war.path).await;
                cleo.save_screenshot("war-turn-390").await;
                let width = cleo.width_of_content().await;
                assert!(width <= 390, "the turn page is {width} px wide on a screen of 390");
                war.let_the_clock_run_out();
                wait_until_over(&mut war, &name).await;
                cleo.goto(&war.path).await;
                cleo.wait_for_text(&["dropped by the clock"]).await;
                dropped = true;
                lost_to_the_clock = format!("{:?}", war.shown().seats.iter().find(|seat| seat.name == name));
            }
            _ => {
                let orders = war.quiet(user_id);
                write(&ben, &war.path, &orders).await;
            }
        }
    }
    assert!(dropped && lost_to_the_clock.contains("Dropped"), "{lost_to_the_clock}");
    assert!(clicked >= 3, "orders were given by clicks: {clicked}");
    let expected = [("Ada", "won", 2), ("Ben", "lost", -1), ("Cleo", "dropped", -3)];
    assert_eq!(war.results(), expected.map(|(name, result, change)| (name.to_owned(), result.to_owned(), change)));
    ada.goto(&war.path).await;
    ada.wait_for("#luck").await;
    ada.save_screenshot("war-over-1280").await;
    ben.goto(&war.path).await;
    ben.save_screenshot("war-over-390").await;
    for (name, score) in [("Ada", 102), ("Ben", 99), ("Cleo", 97)] {
        ada.goto(&format!("/players/{name}")).await;
        let page = ada.page().await;
        assert!(page.body.contains(&format!(">{score}<")), "the score of {name} is {score}:\n{}", page.body);
        ada.save_screenshot(&format!("player-{}-1280", name.to_lowercase())).await;
    }
    for browser in [ada, ben, cleo] {
        browser.close().await;
    }
    let letters = crate::harness::letters::all(mail.path());
    assert!(letters.iter().any(|letter| letter.text.contains("+2, now 102")), "the winner's letter says so");
    drop(server);
}

#[tokio::test]
async fn practice_against_two_bots_ends_and_books_no_score() {
    let Some(driver) = Driver::start().await else { return };
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let mail = tempfile::tempdir().unwrap();
    let server = Launch::new(&fresh.url, mail.path()).start();
    let ada = driver.open(&server.address, Look::Desktop).await;
    sign_up(&ada, "Ada", mail.path()).await;
    ada.goto("/tables/practice?game=imperial-conflict").await;
    ada.choose("map", "sector").await;
    ada.select("bots", "2").await;
    ada.save_screenshot("practice-form-1280").await;
    ada.press("form[action='/tables/practice'] .form-foot button[type=submit]").await;
    ada.wait_for(".turn-board").await;
    let mut war = War::of(&fresh, ada.path().await);

    let mut steps = 0;
    while let Some((name, user_id)) = war.whose_turn() {
        if name != "Ada" {
            wait_until_over(&mut war, &name).await;
            continue;
        }
        steps += 1;
        assert!(steps < MOST_STEPS, "no end in sight");
        let orders = bots::strongest(&mut war.conn, &war.ctx, war.table_id, user_id, 12).expect("she is due");
        write(&ada, &war.path, &orders).await;
        if steps == 5 {
            ada.save_screenshot("practice-turn-1280").await;
        }
    }
    assert!(steps > 3, "she had turns of her own: {steps}");
    let results = war.results();
    assert_eq!(results.iter().filter(|(_, result, _)| result == "won").count(), 1, "{results:?}");
    assert!(results.iter().all(|(_, _, change)| *change == 0), "no score: {results:?}");
    ada.goto(&war.path).await;
    ada.wait_for(".ending").await;
    ada.save_screenshot("practice-over-1280").await;
    ada.goto("/players/Ada").await;
    let page = ada.page().await;
    assert!(page.body.contains(">100<"), "the score is what it was:\n{}", page.body);
    ada.goto("/leaderboard").await;
    assert!(!ada.page().await.body.contains("(bot)"), "bots are on no leaderboard");
    ada.close().await;
    drop(server);
}

async fn make_table(browser: &Browser) -> String {
    browser.goto("/tables/new?game=imperial-conflict").await;
    browser.fill("title", "The three of us").await;
    browser.choose("map", "sector").await;
    browser.select("seats", "3").await;
    browser.press("form[action='/tables/new'] .form-foot button[type=submit]").await;
    browser.wait_for("form[action$='/cancel']").await;
    browser.path().await
}

/// The first order on the board, if there is a button for it: the country, where there is one the target, and the
/// button on the panel.
async fn click(browser: &Browser, path: &str, orders: &str) -> bool {
    browser.goto(path).await;
    let order = orders.lines().next().expect("there is an order");
    let words: Vec<&str> = order.split_whitespace().collect();
    let clicks: &[&str] = match words.as_slice() {
        ["attack", from, to, ..] => &[from, to],
        ["deploy", _, country] => &[country],
        _ => return false,
    };
    for country in clicks {
        browser.click_shown(&format!("[data-piece='{country}']")).await;
        browser.wait_for(&format!("#piece-body [data-chosen='{}']", clicks[0])).await;
    }
    let button = format!("#piece-body button[name='order'][value='{order}']");
    browser.wait_for(&button).await;
    browser.click_shown(&button).await;
    browser.wait_for("#last, .ending").await;
    true
}

/// All orders as text.
async fn write(browser: &Browser, path: &str, orders: &str) {
    browser.goto(path).await;
    browser.press("#orders summary").await;
    let field = browser.client.find(Locator::Css("#plot-text")).await.unwrap();
    field.clear().await.unwrap();
    field.send_keys(orders).await.unwrap();
    browser.press("#orders-form button[name=do][value=hand-in]").await;
    browser.wait_for("#last, .ending, .turn-board").await;
    let page = browser.page().await;
    assert!(!page.body.contains("was not handed in"), "“{orders}” was refused:\n{}", page.body);
}

async fn wait_until_over(war: &mut War, name: &str) {
    let start = std::time::Instant::now();
    while war.whose_turn().is_some_and(|(due, _)| due == name) {
        assert!(start.elapsed() < crate::harness::PATIENCE, "the clock of {name} does not run out");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}
