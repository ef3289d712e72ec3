//! Three people in real browsers play a ranked war from the creation of the table to victory. One lets the clock
//! run out on the way.

use std::time::{Duration, Instant};

use diesel::prelude::*;
use fantoccini::Locator;
use stardate::clock::Clock;
use stardate::store::schema::{phases, timers};
use stardate::store::timers::TimerKind;
use stardate::store::{Database, PhaseNo, TableId, UserId, users};
use stardate::tables::{self, Ctx, TablePage};

use super::sign_up;
use crate::harness::browser::{Browser, Driver, Look};
use crate::harness::{Backend, Fresh, Launch, PATIENCE};
use crate::tables::world;

mod plan;

use plan::Manner;

/// More than any such war takes; one that is not over by then has gone wrong.
const MOST_STEPS: usize = 600;
/// So many orders are given by clicks before the rest is written as text.
const BY_CLICKS: usize = 6;

struct War {
    db: Database,
    ctx: Ctx,
    table_id: TableId,
    path: String,
    /// Who made the table, and so may see it.
    ada: UserId,
}

impl War {
    fn of(fresh: &Fresh, path: String) -> War {
        let table_id = path.rsplit('/').next().unwrap().parse().unwrap();
        let db = Database::open_beside(&fresh.url).unwrap();
        let ada = db.read(|conn| users::find_by_name(conn, "Ada")).unwrap().expect("she has signed up").id;
        War { db, ctx: world::ctx(), table_id, path, ada }
    }

    fn shown(&self) -> TablePage {
        self.db.read(|conn| tables::table_page(conn, &self.ctx, self.table_id, Some(self.ada), None)).unwrap()
    }

    /// Name and id of the player whose turn it is, and the number of the step; `None` when the war is over.
    fn whose_turn(&self) -> Option<(String, UserId, PhaseNo)> {
        let shown = self.shown();
        let due = shown.seats.iter().find(|seat| seat.due)?;
        Some((due.name.clone(), due.user_id, shown.phase.expect("a phase is open").no))
    }

    /// Waits until that step is over.
    async fn wait_until_over(&self, step: PhaseNo) {
        let start = Instant::now();
        while self.whose_turn().is_some_and(|(_, _, now)| now == step) {
            assert!(start.elapsed() < PATIENCE, "step {step} does not end");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// As if the time limit had passed: the deadline that is stored lies in the past, and its timer is due.
    fn let_the_clock_run_out(&self) {
        let past = Clock::System.now() - chrono::TimeDelta::seconds(60);
        let open = phases::table.filter(phases::table_id.eq(self.table_id)).filter(phases::closed_at.is_null());
        let timer =
            timers::table.filter(timers::table_id.eq(self.table_id)).filter(timers::kind.eq(TimerKind::Deadline));
        let moved = self.db.write(|conn| {
            let phase = diesel::update(open).set(phases::deadline_at.eq(past)).execute(conn)?;
            QueryResult::Ok((phase, diesel::update(timer).set(timers::due_at.eq(past)).execute(conn)?))
        });
        assert_eq!(moved.unwrap(), (1, 1), "one phase is open, and its deadline has a timer");
    }

    fn orders(&self, user_id: UserId, manner: Manner) -> String {
        let turn = self.db.read(|conn| tables::turn(conn, &self.ctx, self.table_id, Some(user_id))).unwrap();
        plan::orders(&turn, manner)
    }

    /// Name, result and score change of each player.
    fn results(&self) -> Vec<(String, String, i32)> {
        let mut results: Vec<_> = self
            .shown()
            .seats
            .iter()
            .map(|seat| {
                let result = seat.result.expect("every seat has a result at the end");
                assert!(result.booked, "{}: booked when the game ended", seat.name);
                (seat.name.clone(), result.outcome.word().to_owned(), result.score_change)
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
    let war = War::of(&fresh, path);

    let (mut clicked, mut dropped) = (0, false);
    for steps in 0.. {
        assert!(steps < MOST_STEPS, "no end in sight");
        let Some((name, user_id, step)) = war.whose_turn() else { break };
        match name.as_str() {
            "Ada" => {
                let orders = war.orders(user_id, Manner::Conquer);
                if clicked < BY_CLICKS && click(&ada, &war.path, &orders).await {
                    clicked += 1;
                    war.wait_until_over(step).await;
                    ada.save_screenshot(&format!("war-click-{clicked}-1280")).await;
                } else {
                    write(&ada, &war, step, &orders).await;
                }
            }
            "Ben" => {
                let orders = war.orders(user_id, Manner::KeepQuiet);
                write(&ben, &war, step, &orders).await;
            }
            _ => {
                cleo.goto(&war.path).await;
                cleo.save_screenshot("war-turn-390").await;
                let width = cleo.width_of_content().await;
                assert!(width <= 390, "the turn page is {width} px wide on a screen of 390");
                war.let_the_clock_run_out();
                war.wait_until_over(step).await;
                cleo.goto(&war.path).await;
                cleo.wait_for_text(&["You are dropped: the time ran out."]).await;
                assert!(!dropped, "who was dropped is asked no more");
                dropped = true;
            }
        }
    }
    assert!(dropped, "Cleo had a turn");
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
    let war = War::of(&fresh, ada.path().await);

    let mut steps = 0;
    while let Some((name, user_id, step)) = war.whose_turn() {
        if name != "Ada" {
            war.wait_until_over(step).await;
            continue;
        }
        steps += 1;
        assert!(steps < MOST_STEPS, "no end in sight");
        let orders = war.orders(user_id, Manner::KeepQuiet);
        write(&ada, &war, step, &orders).await;
        if steps == 3 {
            ada.save_screenshot("practice-turn-1280").await;
        }
    }
    assert!(steps > 1, "she had turns of her own: {steps}");
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
/// button on the panel. Of an attack only one roll.
async fn click(browser: &Browser, path: &str, orders: &str) -> bool {
    browser.goto(path).await;
    let order = orders.lines().next().expect("there is an order");
    let words: Vec<&str> = order.split_whitespace().collect();
    let (clicks, order): (&[&str], String) = match words.as_slice() {
        ["attack", from, to, ..] => (&[from, to], format!("attack {from} {to}")),
        ["deploy", _, country] => (&[country], order.to_owned()),
        _ => return false,
    };
    for country in clicks {
        browser.click_shown(&format!("[data-piece='{country}']")).await;
        browser.wait_for(&format!("#piece-body [data-chosen='{}']", clicks[0])).await;
    }
    let button = format!("#piece-body button[name='order'][value='{order}']");
    browser.wait_for(&button).await;
    browser.click_shown(&button).await;
    true
}

/// All orders as text.
async fn write(browser: &Browser, war: &War, step: PhaseNo, orders: &str) {
    browser.goto(&war.path).await;
    browser.press("#orders summary").await;
    browser.wait_for("#orders details[open] #plot-text").await;
    let field = browser.client.find(Locator::Css("#plot-text")).await.unwrap();
    field.clear().await.unwrap();
    field.send_keys(orders).await.unwrap();
    assert_eq!(field.prop("value").await.unwrap().as_deref(), Some(orders), "the orders are written");
    browser.press("#orders-form button[name=do][value=hand-in]").await;
    war.wait_until_over(step).await;
}
