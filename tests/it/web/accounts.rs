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
        browser.get("/check-your-mail").says("We have sent a letter");
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
    let answer = browser.post("/sign-up", &fields);
    assert_eq!(answer.status, 422);
    answer.says("Please check 4 things below").says("value=\"x y\"").says("value=\"nowhere\"");
    answer
        .says("is not one of them")
        .says("is not a mail address")
        .says("at least 10 characters")
        .says("is not a time zone");
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
            let known = plain(&site.browser().post(path, known));
            let unknown = plain(&site.browser().post(path, unknown));
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
        answer.says("we have sent a letter with a link there");
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
fn a_sign_up_sent_twice_is_one_sign_up_and_a_slip_in_the_address_is_corrected() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let slip =
            SIGN_UP.map(|(name, value)| if name == "email" { (name, "jadzia@exmaple.org") } else { (name, value) });
        let browser = site.browser();
        let csrf = browser.get("/sign-up").hidden("csrf");
        let twice = [("csrf", csrf.as_str())].into_iter().chain(slip).collect::<Vec<_>>();
        for _ in 0..2 {
            assert_eq!(browser.post_bare("/sign-up", &twice).leads_to(), "/check-your-mail");
        }
        assert_eq!(site.letters("jadzia@exmaple.org").len(), 1);
        let page = browser.get("/check-your-mail");
        page.says("<strong>Jadzia</strong>").says("jadzia@exmaple.org").says("action=\"/sign-up/correct\"");
        // Another browser sees nothing of it, and cannot have the letter sent elsewhere.
        site.browser().get("/check-your-mail").hides("Jadzia").hides("exmaple");
        let right = [("email", "jadzia@example.org")];
        let stranger = site.browser().post("/sign-up/correct", &right);
        assert_eq!(stranger.leads_to(), "/sign-in");
        assert!(site.letters("jadzia@example.org").is_empty());

        let wrong = browser.post_from("/check-your-mail", "/sign-up/correct", &[("email", "nowhere")]);
        assert_eq!(wrong.status, 422);
        wrong.says("is not a mail address").says("value=\"nowhere\"");
        let answer = browser.post_from("/check-your-mail", "/sign-up/correct", &right);
        browser.follow(answer).says("the letter to this address").says("jadzia@example.org");
        let dead = site.link("jadzia@exmaple.org", "/confirm/");
        assert_eq!(browser.get(&dead).status, 410);
        let link = site.link("jadzia@example.org", "/confirm/");
        assert_eq!(browser.post_from(&link, &link, &[]).leads_to(), "/sign-in");
        browser.get("/check-your-mail").hides("/sign-up/correct");

        // Whoever goes back to the form instead is understood as well, with the same password and no other.
        let again = |email: &'static str, password: &'static str| {
            let fields = [("name", "Ezri"), ("email", email), ("password", password), ("zone", "UTC")];
            site.browser().post_from("/sign-up", "/sign-up", &fields).status
        };
        assert_eq!(again("ezri@exmaple.org", PASSWORD), 303);
        assert_eq!(again("ezri@example.org", "another password"), 422);
        assert_eq!(again("ezri@example.org", PASSWORD), 303);
        let link = site.link("ezri@example.org", "/confirm/");
        assert_eq!(browser.post_from(&link, &link, &[]).leads_to(), "/sign-in");
        assert_eq!(again("ezri@example.com", PASSWORD), 422, "a confirmed name is taken");
    });
}

#[test]
fn whoever_came_by_an_invitation_goes_back_to_it_after_signing_up() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let dax = site.player("Dax");
    let table = super::tables::make(&dax, &[("who", "invited")]);
    let invitation = dax.get(&table).link_in("http://stardate.test", "/i/");
    let browser = site.browser();
    let to = browser.get(&invitation).link("/sign-up?next=");
    let page = browser.get(&to);
    assert_eq!(page.hidden("next"), invitation);
    let mut fields = SIGN_UP.to_vec();
    fields.push(("next", &invitation));
    assert_eq!(browser.post_from(&to, "/sign-up", &fields).leads_to(), "/check-your-mail");
    let link = site.link("jadzia@example.org", "/confirm/");
    let sign_in = browser.post_from(&link, &link, &[]).leads_to().to_owned();
    let next = browser.get(&sign_in).hidden("next");
    assert_eq!(next, invitation);
    let fields = [("who", "Jadzia"), ("password", PASSWORD), ("next", &next)];
    assert_eq!(browser.post_from(&sign_in, "/sign-in", &fields).leads_to(), invitation);
    // Never elsewhere.
    let elsewhere = site.browser().get("/sign-up?next=//elsewhere.example/");
    assert_eq!(elsewhere.hidden("next"), "/");
}

#[test]
fn umlauts_in_passwords_and_mail_domains_are_the_same_however_they_are_typed() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let browser = site.browser();
        let fields =
            [("name", "Kira"), ("email", "kira@MÜLLER.example"), ("password", "Gru\u{308}ße an Bord"), ("zone", "UTC")];
        assert_eq!(browser.post_from("/sign-up", "/sign-up", &fields).leads_to(), "/check-your-mail");
        let link = site.link("kira@xn--mller-kva.example", "/confirm/");
        browser.get(&link).says("kira@müller.example");
        assert_eq!(browser.post_from(&link, &link, &[]).leads_to(), "/sign-in");
        for who in ["kira@müller.example", "kira@mu\u{308}ller.example", "KIRA@XN--MLLER-KVA.example"] {
            let browser = site.browser();
            let fields = [("who", who), ("password", "Grüße an Bord")];
            assert_eq!(browser.post_from("/sign-in", "/sign-in", &fields).leads_to(), "/", "{who}");
            browser.get("/settings").says("kira@müller.example");
        }
        let answer = browser.post_from("/reset", "/reset", &[("email", "kira@müller.example")]);
        assert_eq!(answer.status, 200);
        site.link("kira@xn--mller-kva.example", "/reset/");
        let fields = [("name", "Odo"), ("email", "jürgen@example.org"), ("password", PASSWORD), ("zone", "UTC")];
        browser.post_from("/sign-up", "/sign-up", &fields).says("has the letter “ü” before the @");
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
    assert_eq!(
        browser.post_from(answer.header("location"), "/sign-in", &signed).leads_to(),
        "/tables/new?game=conquest"
    );
    let elsewhere = [("who", "Kira"), ("password", PASSWORD), ("next", "https://elsewhere.example/")];
    assert_eq!(site.browser().post("/sign-in", &elsewhere).leads_to(), "/");
}
