//! What pages must not tell, and forms must not do.

use crate::harness::{Backend, Fresh, on_both};

use super::{Answer, Site};

#[test]
fn a_table_that_is_none_of_ones_business_looks_like_none() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (ann, odo) = (site.player("Ann"), site.player("Odo"));
        let path = super::tables::make(&ann, &[("who", "invited")]);
        let nowhere = format!("/t/{}", stardate::store::IdText(12345));
        for browser in [&odo, &site.browser()] {
            let hidden = browser.get(&path);
            let missing = browser.get(&nowhere);
            assert_eq!((hidden.status, missing.status), (404, 404));
            assert_eq!(without_path(&hidden, &path), without_path(&missing, &nowhere));
            hidden.hides("quiet evening").hides("Ann");
        }
        for action in
            ["join", "leave", "cancel", "invite", "start", "remove", "bots", "plot", "resign", "talk", "notes"]
        {
            let hidden = odo.post(&format!("{path}/{action}"), &[("whom", "Ann")]);
            let missing = odo.post(&format!("{nowhere}/{action}"), &[("whom", "Ann")]);
            assert_eq!(hidden.status, missing.status, "{action}");
            hidden.hides("quiet evening");
        }
        assert_eq!(odo.get("/t/nonsense").status, 404);
        assert_eq!(odo.get("/i/nonsense").status, 404);
        assert_eq!(odo.get("/players/Nobody").status, 404);
    });
}

fn without_path(answer: &Answer, path: &str) -> String {
    let body = answer.body.replace(path, "PATH");
    let csrf = answer.hidden("csrf");
    let other = body.split("name=\"csrf\" value=\"").skip(2).filter_map(|part| part.split('"').next()).next();
    let body = body.replace(&csrf, "CSRF");
    match other {
        Some(other) => body.replace(other, "CSRF"),
        None => body,
    }
}

#[test]
fn no_form_works_without_its_token() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let ann = site.player("Ann");
    let path = super::tables::make(&ann, &[]);
    let actions = [
        "join",
        "leave",
        "cancel",
        "invite",
        "start",
        "remove",
        "bots",
        "plot",
        "resign",
        "talk",
        "talk/mute",
        "notes",
    ]
    .map(|it| format!("{path}/{it}"));
    let pages = [
        "/theme",
        "/sign-up",
        "/sign-up/again",
        "/sign-in",
        "/sign-out",
        "/reset",
        "/reset/token",
        "/confirm/token",
        "/settings/zone",
        "/settings/letters",
        "/settings/address",
        "/settings/address/token",
        "/settings/password",
        "/settings/browsers/end",
        "/settings/browsers/end-all",
        "/settings/delete",
        "/settings/unmute",
        "/tables/new",
        "/tables/practice",
    ];
    // The token of a visitor who is not signed in is none for a player.
    let stranger = site.browser().get("/about").hidden("csrf");
    for path in pages.iter().map(|page| (*page).to_owned()).chain(actions) {
        for fields in [&[][..], &[("csrf", stranger.as_str())][..], &[("csrf", "")][..]] {
            let answer = ann.post_bare(&path, fields);
            assert_eq!(answer.status, 403, "{path} with {fields:?}");
            answer.says("This form was too old");
        }
    }
    ann.get(&path).says("as one more player sits down");
    ann.get("/").says("My tables");
}

#[test]
fn what_players_write_is_text_on_every_page() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let title = "<script>alert(1)</script>\"'&";
    let path = super::tables::make(&ann, &[("title", title)]);
    for page in [path.as_str(), "/", "/tables"] {
        ann.get(page).hides("<script>alert").says("alert(1)");
    }
    ben.post_from(&path, &format!("{path}/join"), &[]);
    for page in [path.as_str(), "/", "/players/Ben"] {
        ben.get(page).hides("<script>alert").says("alert(1)");
    }
    let answer = site.browser().post_from("/sign-in", "/sign-in", &[("who", title), ("password", "x")]);
    answer.hides("<script>alert");
    let answer = site.browser().get("/tables?game=%3Cscript%3Ealert(1)%3C/script%3E");
    answer.hides("<script>alert");
}
