//! Two players in real browsers sign up, confirm their addresses, create a table, join it, and play to
//! Cheqmate: one gives orders by clicks on the board, the other has no script at all and a phone's screen.

use std::path::{Path, PathBuf};

use fantoccini::Locator;

use crate::harness::browser::{Browser, Driver, Look};
use crate::harness::{Backend, Fresh, Launch, PASSWORD, Page, letters};

mod conflict;
mod people;
mod plan;

use plan::{Role, orders_for, phase_of, seat_of};

/// More than enough for the plan; a game that is not over by then has gone wrong.
const MOST_PHASES: usize = 100;

#[tokio::test]
async fn two_players_play_to_cheqmate_one_by_clicks_one_without_script() {
    let Some(driver) = Driver::start().await else { return };
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let mail = tempfile::tempdir().unwrap();
    let server = Launch::new(&fresh.url, mail.path()).start();
    let clicker = driver.open(&server.address, Look::Desktop).await;
    let plain = driver.open(&server.address, Look::PhoneWithoutScript).await;
    sign_up(&clicker, "Clicker", mail.path()).await;
    sign_up(&plain, "Plain", mail.path()).await;
    clicker.save_screenshot("home-1280").await;

    let table = make_table(&clicker).await;
    clicker.save_screenshot("lobby-1280").await;
    plain.goto("/tables").await;
    plain.save_screenshot("open-tables-390").await;
    join(&plain, &table).await;

    let mut progress = Progress::default();
    for phase in 0.. {
        assert!(phase < MOST_PHASES, "no end in sight:\n{}", clicker.page().await.body);
        let mut over = true;
        for (browser, role) in [(&clicker, Role::Raider), (&plain, Role::Sleeper)] {
            over &= take_turn(browser, &table, role, &mut progress).await;
        }
        if over {
            break;
        }
    }
    clicker.goto(&table).await;
    let page = clicker.page().await;
    assert!(page.body.contains("Cheqmate") || page.body.contains("cheqmate"), "{}", page.body);
    assert!(page.body.contains(&format!("{table}/record")), "the record can be had");
    clicker.save_screenshot("over-1280").await;
    plain.goto(&table).await;
    plain.save_screenshot("over-390").await;
    clicker.goto(&format!("{table}/phases/1")).await;
    clicker.save_screenshot("phase-1280").await;
    assert!(progress.by_clicks > 3, "orders were given by clicks: {}", progress.by_clicks);
    for browser in [clicker, plain] {
        browser.close().await;
    }
    the_turn_page_fits_a_phone(&driver, &server.address, mail.path()).await;
}

/// With script and the screen of a phone: nothing is wider than the screen, and a click opens the panel.
async fn the_turn_page_fits_a_phone(driver: &Driver, address: &str, mail: &Path) {
    let phone = driver.open(address, Look::Phone).await;
    sign_up(&phone, "Phone", mail).await;
    let table = make_table(&phone).await;
    let other = crate::harness::Visitor::new(address);
    other.sign_up("Other", mail);
    assert!(crate::harness::play::join(&other, &table).unwrap());
    phone.goto(&table).await;
    let width = phone.width_of_content().await;
    assert!(width <= 390, "the turn page is {width} px wide on a screen of 390");
    phone.save_screenshot("turn-phone-390").await;
    for rules in ["/rules/conquest", "/rules/imperial-conflict"] {
        phone.goto(rules).await;
        let width = phone.width_of_content().await;
        assert!(width <= 390, "{rules} is {width} px wide on a screen of 390");
    }
    phone.goto(&table).await;
    let page = phone.page().await;
    let order = plan::any_order(&page).expect("something can be deployed");
    click_order(&phone, &order).await;
    phone.save_screenshot("turn-phone-ordered-390").await;
    the_list_follows(&phone, &table, &order).await;
    assert!(page.body.len() < 102_400, "the turn page has {} bytes", page.body.len());
    phone.close().await;
}

/// The list of orders says what is written after each press, and after handing in one is at the top of the page.
async fn the_list_follows(phone: &Browser, table: &str, order: &str) {
    let button = |name: &str| format!("#orders-form .buttons button[name=do][value={name}]");
    let count = async || phone.client.find_all(Locator::Css("#plot-list li")).await.unwrap().len();
    phone.press("#plot-list .remove").await;
    phone.wait_for("#plot-empty").await;
    assert_eq!((count().await, phone.value("#plot-text").await), (0, String::new()));
    // A faulty line is told while one writes, a legal one is listed.
    phone.write_into("#plot-text", "fly to the moon").await;
    phone.wait_for("#plot-part .faults").await;
    phone.write_into("#plot-text", order).await;
    phone.wait_for("#plot-list [data-control]").await;
    phone.press(&button("check")).await;
    phone.wait_for_text(&["They are legal"]).await;
    assert_eq!(count().await, 1);
    assert!(phone.is_in_view("#checked").await, "what the check says");
    phone.save_screenshot("turn-phone-checked-390").await;
    phone.press(&button("hand-in")).await;
    phone.wait_for_text(&["You handed in your plot"]).await;
    assert_eq!(count().await, 1);
    assert!(phone.is_in_view("main .notice").await && phone.is_in_view(".phase-now").await, "one is at the top");
    assert_eq!(phone.path().await, table);
    phone.save_screenshot("turn-phone-handed-in-390").await;
    phone.press(&button("withdraw")).await;
    phone.wait_for_text(&["Your draft in words"]).await;
    assert_eq!(count().await, 1);
}

#[derive(Default)]
struct Progress {
    taken: Vec<String>,
    by_clicks: usize,
    /// The raider's soldier stands on the other's home planet.
    landed: bool,
}

async fn sign_up(browser: &Browser, name: &str, mail: &Path) {
    let address = format!("{}@players.example", name.to_lowercase());
    browser.goto("/sign-up").await;
    browser.fill("name", name).await;
    browser.fill("email", &address).await;
    browser.fill("password", PASSWORD).await;
    browser.press("form[action='/sign-up'] button[type=submit]").await;
    let folder: PathBuf = mail.to_owned();
    let link =
        tokio::task::spawn_blocking(move || letters::wait_for_link(&folder, &address, "/confirm/")).await.unwrap();
    browser.goto(&link[link.find("/confirm/").expect("that was asked for")..]).await;
    browser.press("form[action^='/confirm/'] button").await;
    browser.goto("/sign-in").await;
    browser.fill("who", name).await;
    browser.fill("password", PASSWORD).await;
    browser.press("form[action='/sign-in'] button[type=submit]").await;
    browser.wait_for("form[action='/sign-out']").await;
}

async fn make_table(browser: &Browser) -> String {
    browser.goto("/tables/new").await;
    browser.fill("title", "A short war").await;
    browser.choose("map", "preceptor-nebula").await;
    browser.choose("group", plan::GROUP).await;
    browser.press("form[action='/tables/new'] .form-foot button[type=submit]").await;
    browser.wait_for("form[action$='/cancel']").await;
    browser.path().await
}

async fn join(browser: &Browser, table: &str) {
    browser.goto(table).await;
    browser.choose("group", plan::GROUP).await;
    browser.press("form[action$='/join'] button[type=submit]").await;
    browser.wait_for("#orders, .turn-board").await;
}

/// Hands in what is due, if anything; whether the table is over.
async fn take_turn(browser: &Browser, table: &str, role: Role, progress: &mut Progress) -> bool {
    browser.goto(table).await;
    let page = browser.page().await;
    if page.find_form(&format!("{table}/plot")).is_none() {
        return page.body.contains(&format!("{table}/record"));
    }
    if page.body.contains("value=\"withdraw\"") {
        return false;
    }
    let seat = seat_of(&page);
    let orders = orders_for(role, seat, progress.landed, &page);
    if role == Role::Raider {
        progress.landed |= plan::lands(seat, &orders);
        for order in &orders {
            click_order(browser, order).await;
            progress.by_clicks += 1;
        }
    } else {
        for order in &orders {
            choose_order(browser, &page, order).await;
        }
    }
    take_shot(browser, role, &page, progress).await;
    let button = if orders.is_empty() { "pass" } else { "hand-in" };
    browser.press(&format!("#orders-form button[name=do][value={button}]")).await;
    browser.wait_for_text(&["Your plot is in.", "the phase has resolved"]).await;
    if role == Role::Raider {
        assert!(browser.is_in_view("main .notice:not([hidden])").await, "one is at the top of the page");
    }
    false
}

/// One picture a kind of phase.
async fn take_shot(browser: &Browser, role: Role, page: &Page, progress: &mut Progress) {
    let width = if role == Role::Raider { 1280 } else { 390 };
    let name = format!("turn-{}-{width}", phase_of(page));
    if !progress.taken.contains(&name) {
        browser.save_screenshot(&name).await;
        progress.taken.push(name);
    }
}

/// On the board: the piece, then the order on the panel. The list of orders in words shows it.
async fn click_order(browser: &Browser, order: &str) {
    let page = browser.page().await;
    let subject = plan::subject_of(&page, order).unwrap_or_else(|| panic!("“{order}” is about nothing on the board"));
    browser.click_shown(&format!("[data-piece='{subject}']")).await;
    // Not before the panel has its description: it grows with it, and what was aimed at moves.
    browser.wait_for("#panel .panel-about *").await;
    let button = format!("#panel button[data-order='{order}']");
    browser.wait_for(&button).await;
    browser.click_shown(&button).await;
    browser.wait_for_line("#plot-text", order).await;
    let listed = browser.client.find(Locator::Css("#plot-list li")).await;
    assert!(listed.is_ok(), "the orders are shown in words");
}

/// In the list of the form that offers it.
async fn choose_order(browser: &Browser, page: &Page, order: &str) {
    let list = plan::list_of(page, order).unwrap_or_else(|| panic!("no list offers “{order}”"));
    browser.select(&list, order).await;
}
