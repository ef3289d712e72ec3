//! Practice against bots, and bots in the lobby.

use crate::harness::{Backend, Fresh, on_both};

use super::Site;
use super::tables::make;

#[test]
fn practice_begins_at_once_and_is_for_one() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, ben) = (site.player("Ann"), site.player("Ben"));
        ann.get("/").says("/tables/practice");
        let form = ann.get("/tables/new?game=imperial-conflict");
        form.says("Practise against bots").says("Start now").says("/tables/practice?game=imperial-conflict");
        let page = ann.get("/tables/practice?game=imperial-conflict");
        page.says("your score does not change").says("name=\"bot\"").says("name=\"option.map\"");
        let quick = [("game", "imperial-conflict"), ("bots", "2")];
        let answer = ann.post_from("/tables/practice?game=imperial-conflict", "/tables/practice", &quick);
        let path = answer.leads_to().to_owned();
        assert!(path.starts_with("/t/"), "{path}");
        ann.follow(answer).says("you have 14 days for each of your moves").says("in 14 days");
        ann.get("/").says("Practice: Imperial Conflict").says("(bot)");
        assert_eq!(ben.get(&path).status, 404);
        ben.get("/tables").hides("Practice: Imperial Conflict");
        let answer = ann.post_from("/tables/practice", "/tables/practice", &[("game", "conquest")]);
        assert!(answer.leads_to().starts_with("/t/"));
        assert_eq!(site.browser().get("/tables/practice").status, 303, "for players only");
    });
}

#[test]
fn practice_is_offered_everywhere_and_begun_again_as_it_was() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, stranger) = (site.player("Ann"), site.browser());
    let address = "/tables/practice?game=imperial-conflict";
    for browser in [&ann, &stranger] {
        browser.get("/games/imperial-conflict").says(&format!("href=\"{address}\""));
        browser.get("/tables").says("href=\"/tables/practice\"");
    }
    stranger.get("/").says(&format!("href=\"{address}\""));
    let way = stranger.get(address).leads_to().to_owned();
    assert_eq!(way, "/sign-in?next=/tables/practice%3Fgame%3Dimperial-conflict");

    ann.get(&format!("{address}&bots=3&option.map=sector"))
        .says("<option value=\"3\" selected>")
        .says("name=\"option.map\" value=\"sector\" checked");

    // Against one bot a game is over as soon as one resigns.
    let page = ann.get("/tables/practice?game=conquest");
    let last = |name: &str| {
        let rest = page.body.rsplit(&format!("name=\"{name}\" value=\"")).next().unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let (strongest, group) = (last("bot"), last("seat.group"));
    let fields = [("game", "conquest"), ("bot", strongest.as_str()), ("seat.group", group.as_str())];
    let path = ann.post("/tables/practice", &fields).leads_to().to_owned();
    let page = ann.get(&path);
    page.hides("Play again");
    let name = page.body.split(" (bot)").next().unwrap().rsplit([' ', '>']).next().unwrap().to_owned();
    ann.get(&format!("/players/{name}%20(bot)"))
        .says("A program that plays <a href=\"/games/conquest\">ConQuest</a>.")
        .says("are never ranked")
        .hides("Score")
        .hides("Before you sit down")
        .hides("Here since");
    ann.post_from(&format!("{path}/resign"), &format!("{path}/resign"), &[("sure", "yes")]);
    let page = ann.get(&path);
    page.says("(bot) won; Ann resigned</h2>").says("Play again");
    ann.get(&page.link("/tables/practice?"))
        .says(&format!("name=\"bot\" value=\"{strongest}\" checked"))
        .says(&format!("name=\"seat.group\" value=\"{group}\" checked"));
}

#[test]
fn faults_of_the_form_are_told_beside_its_fields() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let post = |more: &[(&str, &str)]| {
        let fields = [&[("game", "imperial-conflict")][..], more].concat();
        ann.post("/tables/practice", &fields)
    };
    for (fields, words) in [
        (&[("bots", "many")][..], "This must be a whole number from 1 to 5."),
        (&[("bots", "5"), ("option.map", "sector")], "You are one of them, the others are bots."),
        (&[("bots", "2"), ("bot", "nobody")], "There is no such bot."),
        (&[("bots", "2"), ("option.map", "nowhere")], "is not one of"),
    ] {
        let answer = post(fields);
        assert_eq!(answer.status, 422, "{fields:?}");
        answer.says(words);
    }
    assert_eq!(ann.get("/tables/practice?game=chess").status, 404);
    ann.get("/").says("You have no game running");
}

#[test]
fn a_page_that_waits_for_a_bot_asks_often() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let fields = [("game", "conquest"), ("option.map", "preceptor-nebula"), ("seat.group", "house-of-war")];
    let path = ann.post_from("/tables/practice?game=conquest", "/tables/practice", &fields).leads_to().to_owned();
    // No loop runs here, so the bot has not answered.
    ann.get(&path).says("data-every=\"3\"");
    assert!(stardate::jobs::timers::run_due(&site.db, &site.ctx, &site.clock).unwrap().done > 0);
    ann.get(&path).says("data-every=\"60\"");
}

#[test]
fn bots_fill_a_table_from_its_lobby() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let fields = [("game", "imperial-conflict"), ("seats", "4")];
    let path = make(&ann, &fields);
    ben.get(&path).hides("Fill with bots");
    let page = ann.get(&path);
    page.says("Fill with bots").says("Tables with bots are never ranked");
    let bot = page.body.split("name=\"bot\"><option value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let seat = |count: &str| ann.post(&format!("{path}/bots"), &[("bot", &bot), ("count", count)]);
    assert_eq!(seat("none").status, 400);
    let refused = seat("7");
    assert_eq!(refused.status, 409);
    refused.says("3 seats are free at this table. Choose from 1 to 3 bots.");
    let unknown = ann.post(&format!("{path}/bots"), &[("bot", "deep thought"), ("count", "1")]);
    assert_eq!(unknown.status, 400);
    unknown.says("This game has no bot “deep thought”.");
    let answer = seat("1");
    ann.follow(answer).says("A bot has taken a seat").says("(bot)").says("Not ranked").says("Remove ");
    assert_eq!(ben.post(&format!("{path}/bots"), &[("bot", &bot), ("count", "1")]).status, 403);
    ben.get(&path).says("(bot)").says("Take a seat");
    ann.post(&format!("{path}/leave"), &[]).says("only bots sit here with you. Call the table off instead");
    let answer = seat("2");
    ann.follow(answer).says("The table is full, and the game has begun.");
    ann.get("/").says("A quiet evening").hides("Waits for players");
}
