//! In a real browser: nothing is wider than a small phone whatever people write, the back button shows nothing after the
//! sign-out, and times stay true on a page that stays open.

use fantoccini::Locator;
use stardate::store::users;
use stardate::tables;

use crate::harness::browser::{Browser, Driver, Look};
use crate::harness::{Backend, Fresh};
use crate::web::{PASSWORD, Site};

/// A name as long and as wide as there can be.
const LONG_NAME: &str = "WWWWWWWWWWWWWWWWWWWWWWWW";

async fn sign_in(browser: &Browser, name: &str) {
    browser.goto("/sign-in").await;
    browser.fill("who", name).await;
    browser.fill("password", PASSWORD).await;
    browser.press("main button[type='submit']").await;
    browser.wait_for("form[action='/sign-out']").await;
}

/// Everything that a page shows, wherever one can get to.
fn pages(site: &Site, table: &str, lobby: &str) -> Vec<String> {
    let mut pages: Vec<String> =
        ["/", "/tables", "/leaderboard", "/about", "/settings", "/tables/new", "/tables/practice", "/nowhere"]
            .into_iter()
            .map(str::to_owned)
            .collect();
    pages.extend(["/loadouts/conquest", "/loadouts/conquest/new"].map(str::to_owned));
    pages.push(format!("/players/{LONG_NAME}"));
    pages.extend(["", "/talk", "/phases", "/resign"].map(|part| format!("{table}{part}")));
    pages.push(lobby.to_owned());
    let talk = site.signed_in("Ben").get(&format!("{table}/talk"));
    pages.push(talk.link(&format!("{table}/talk/")));
    pages
}

/// Runs a test with a site, which is made and stopped outside the runtime that drives the browser.
fn with_site(test: impl AsyncFnOnce(&Driver, &Site)) {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        if let Some(driver) = Driver::start().await {
            test(&driver, &site).await;
        }
    });
}

#[test]
fn whatever_people_write_no_page_is_wider_than_a_small_phone() {
    with_site(no_page_is_wider);
}

async fn no_page_is_wider(driver: &Driver, site: &Site) {
    let (ann, ben) = (site.player(LONG_NAME), site.player("Ben"));
    let title = "W".repeat(80);
    let fields = [("game", "conquest"), ("limit", "86400"), ("title", &title), ("who", "open")];
    let make = || ann.post_from("/tables/new", "/tables/new", &fields).leads_to().to_owned();
    let (table, lobby) = (make(), make());
    ben.post_from(&table, &format!("{table}/join"), &[]);
    for path in [&table, &lobby] {
        ann.post(&format!("{path}/talk"), &[("text", &"W".repeat(1500)), ("to", "")]);
    }
    ann.post_from(&table, &format!("{table}/notes"), &[("note", &"W".repeat(3000)), ("note_version", "0")]);
    ann.post_from(&lobby, &format!("{lobby}/invite"), &[("whom", &format!("{}@example.org", "w".repeat(60)))]);
    let user = users::find_by_name(&mut site.db.connection().unwrap(), LONG_NAME).unwrap().unwrap();
    let army = site.ctx.games.current("conquest").unwrap().stock_loadouts().remove(0).text;
    let save = |conn: &mut stardate::store::Conn| {
        let name = "W".repeat(60);
        tables::save_loadout(conn, &site.ctx, site.clock.now(), user.id, "conquest", None, &name, &army)
    };
    tables::run(&site.db, save).unwrap();

    let phone = driver.open(&site.base, Look::SmallPhone).await;
    let mut wide = Vec::new();
    for signed_in in [false, true] {
        if signed_in {
            sign_in(&phone, LONG_NAME).await;
        }
        for path in pages(site, &table, &lobby) {
            phone.goto(&path).await;
            let width = phone.width_of_content().await;
            if width > 360 {
                wide.push(format!("{path}: {width} px, {}", widest(&phone).await));
            }
        }
    }
    phone.goto(&format!("{table}/talk")).await;
    phone.save_screenshot("long-words-360").await;
    phone.close().await;
    assert!(wide.is_empty(), "wider than the screen:\n{}", wide.join("\n"));
}

/// The outermost elements that stick out, for whoever has to mend it.
async fn widest(browser: &Browser) -> String {
    let script = "return Array.from(document.querySelectorAll('main *, header *, footer *'))
        .filter(it => it.getBoundingClientRect().right > 361).slice(0, 4)
        .map(it => it.outerHTML.slice(0, 90)).join(' | ')";
    browser.client.execute(script, Vec::new()).await.unwrap().as_str().unwrap_or_default().to_owned()
}

#[test]
fn after_the_sign_out_the_back_button_shows_nothing_and_times_stay_true() {
    with_site(nothing_is_shown);
}

async fn nothing_is_shown(driver: &Driver, site: &Site) {
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let table = crate::web::make_table(&ann, &[]);
    ben.post_from(&table, &format!("{table}/join"), &[]);
    let browser = driver.open(&site.base, Look::Desktop).await;
    sign_in(&browser, "Ann").await;

    browser.goto(&table).await;
    let clock = browser.client.find(Locator::Css(".phase-now time[data-rel]")).await.unwrap();
    assert_eq!(clock.text().await.unwrap(), "in 24 h");
    let later = "const real = Date.now; Date.now = () => real() + arguments[0] * 1000;
        document.dispatchEvent(new Event('visibilitychange'));";
    browser.client.execute(later, vec![(23 * 3600).into()]).await.unwrap();
    let words = clock.text().await.unwrap();
    assert!(words.starts_with("in ") && words.ends_with(" min"), "{words}");
    browser.client.execute(later, vec![(2 * 3600).into()]).await.unwrap();
    assert_eq!(clock.text().await.unwrap(), "any moment");

    browser.goto("/settings").await;
    browser.wait_for("#browsers").await;
    browser.press("form[action='/sign-out'] button").await;
    browser.wait_for(".account a[href^='/sign-up']").await;
    for _ in 0..2 {
        browser.client.back().await.unwrap();
        let page = browser.page().await;
        assert!(!page.body.contains("ann@example.org"), "{}", page.body);
        assert!(!page.body.contains("action=\"/sign-out\""), "{}", page.body);
    }
    browser.close().await;
}
