//! Signing up, confirming, signing in and out, and a new password.

use crate::harness::{Backend, Fresh, on_both};

use super::{Answer, PASSWORD, Site};

const SIGN_UP: [(&str, &str); 4] =
    [("name", "Jadzia"), ("email", "jadzia@example.org"), ("password", PASSWORD), ("zone", "Europe/Berlin")];

#[test]
fn a_newcomer_signs_up_confirms_and_signs_in() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let browser = site.browser();
        let answer = browser.post_from("/sign-up", "/sign-up", &SIGN_UP);
        assert_eq!(answer.leads_to(), "/check-your-mail");
        browser.get("/check-your-mail").says("A letter is on its way");
        let early = browser.post_from("/sign-in", "/sign-in", &[("who", "jadzia"), ("password", PASSWORD)]);
        assert_eq!(early.status, 422);
        early.says("Confirm your address first").says("/check-your-mail");

        let link = site.link("jadzia@example.org", "/confirm/");
        // Mail scanners open links: looking changes nothing, however often.
        for _ in 0..2 {
            browser.get(&link).says("jadzia@example.org is the address of the player Jadzia");
        }
        let answer = browser.post_from(&link, &link, &[]);
        assert_eq!(answer.leads_to(), "/sign-in");
        browser.follow(answer).says("Your address is confirmed, Jadzia");
        assert_eq!(browser.get(&link).status, 410, "a link works once");

        let answer = browser.post_from("/sign-in", "/sign-in", &[("who", "JADZIA"), ("password", PASSWORD)]);
        assert_eq!(answer.leads_to(), "/");
        let cookie = answer.header("set-cookie");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        browser.get("/").says("My tables").says("Europe/Berlin").says(">Jadzia</a>");

        let answer = browser.post_from("/", "/sign-out", &[]);
        assert_eq!(answer.leads_to(), "/");
        browser.get("/").says("You are signed out").says("Sign up");
    });
}

#[test]
fn faults_of_the_form_stand_beside_their_fields_and_nothing_is_lost() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    site.account("Kira");
    let browser = site.browser();
    let fields = [("name", "x y"), ("email", "nowhere"), ("password", "short"), ("zone", "Mars/Base")];
    let answer = browser.post_from("/sign-up", "/sign-up", &fields);
    assert_eq!(answer.status, 422);
    answer.says("4 things need another look").says("value=\"x y\"").says("value=\"nowhere\"");
    answer.says("is none of them").says("is no mail address").says("at least 10 characters").says("is no time zone");
    answer.hides("short\"");
    let taken = [("name", "kira"), ("email", "new@example.org"), ("password", PASSWORD), ("zone", "UTC")];
    let answer = browser.post_from("/sign-up", "/sign-up", &taken);
    assert_eq!(answer.status, 422);
    answer.says("is taken").says("value=\"new@example.org\"");
    assert!(site.letters("new@example.org").is_empty());
}

#[test]
fn nobody_finds_out_whether_an_address_is_known() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        site.account("Kira");
        let same = |path: &str, known: &[(&str, &str)], unknown: &[(&str, &str)]| {
            // Two browsers, so that neither carries what the other was told.
            let known = plain(&site.browser().post_from("/about", path, known));
            let unknown = plain(&site.browser().post_from("/about", path, unknown));
            assert_eq!(known, unknown, "{path}");
        };
        same("/reset", &[("email", "kira@example.org")], &[("email", "nobody@example.org")]);
        same("/sign-up/again", &[("email", "kira@example.org")], &[("email", "nobody@example.org")]);
        let with = |name: &'static str, email: &'static str| {
            [("name", name), ("email", email), ("password", PASSWORD), ("zone", "UTC")]
        };
        same("/sign-up", &with("Odo", "kira@example.org"), &with("Quark", "quark@example.org"));
        // Neither does trying again, which would tell the two apart if only one name were taken now.
        same("/sign-up", &with("Odo", "x1@example.org"), &with("Quark", "x1@example.org"));
        let wrong = |who: &'static str| [("who", who), ("password", "not the password")];
        let known = plain(&site.browser().post_from("/sign-in", "/sign-in", &wrong("kira@example.org")));
        let unknown = plain(&site.browser().post_from("/sign-in", "/sign-in", &wrong("nobody@example.org")));
        assert_eq!(known.replace("kira@", "nobody@"), unknown);
        assert_eq!(site.letters("kira@example.org").len(), 2, "a reset, and one that tells of the sign-up");
    });
}

/// An answer without what changes by chance: tokens and cookies.
fn plain(answer: &Answer) -> String {
    let mut body = answer.body.clone();
    while let Some(at) = body.find("name=\"csrf\" value=\"") {
        let from = at + "name=\"csrf\"".len();
        let until = from + " value=\"".len() + body[from + " value=\"".len()..].find('"').unwrap();
        body.replace_range(from..until, "");
    }
    for name in ["Odo", "Quark"] {
        body = body.replace(name, "NAME");
    }
    format!("{} {}\n{body}", answer.status, answer.header("location"))
}

#[test]
fn a_forgotten_password_is_replaced_by_letter() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let old = site.player("Kira");
        let browser = site.browser();
        let answer = browser.post_from("/reset", "/reset", &[("email", "Kira@Example.org")]);
        answer.says("a letter is on its way");
        let link = site.link("kira@example.org", "/reset/");
        let answer = browser.post_from(&link, &link, &[("password", "short")]);
        assert_eq!(answer.status, 422);
        answer.says("at least 10 characters");
        let answer = browser.post_from(&link, &link, &[("password", "a new hope for all")]);
        assert_eq!(answer.leads_to(), "/sign-in");
        old.get("/").says("Sign up").hides("My tables");
        assert_eq!(browser.get(&link).status, 410);
        let answer = browser.post_from("/sign-in", "/sign-in", &[("who", "Kira"), ("password", PASSWORD)]);
        assert_eq!(answer.status, 422);
        let answer = browser.post_from("/sign-in", "/sign-in", &[("who", "Kira"), ("password", "a new hope for all")]);
        assert_eq!(answer.leads_to(), "/");
    });
}

#[test]
fn pages_for_players_lead_to_the_sign_in_page_and_back() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    site.account("Kira");
    let browser = site.browser();
    let answer = browser.get("/tables/new?game=conquest");
    assert_eq!(answer.leads_to(), "/sign-in?next=/tables/new%3Fgame%3Dconquest");
    let page = browser.get(answer.header("location"));
    assert_eq!(page.hidden("next"), "/tables/new?game=conquest");
    let signed = [("who", "Kira"), ("password", PASSWORD), ("next", "/tables/new?game=conquest")];
    assert_eq!(browser.post_from("/sign-in", "/sign-in", &signed).leads_to(), "/tables/new?game=conquest");
    let elsewhere = [("who", "Kira"), ("password", PASSWORD), ("next", "https://elsewhere.example/")];
    assert_eq!(site.browser().post_from("/sign-in", "/sign-in", &elsewhere).leads_to(), "/");
}
