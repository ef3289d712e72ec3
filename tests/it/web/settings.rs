//! What players change about themselves.

use crate::harness::{Backend, Fresh, on_both};

use super::{PASSWORD, Site};

#[test]
fn zone_and_letters_are_kept() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let kira = site.player("Kira");
        kira.get("/settings").says("value=\"Europe/Berlin\" selected");
        let answer = kira.post_from("/settings", "/settings/zone", &[("zone", "Asia/Tokyo")]);
        kira.follow(answer).says("value=\"Asia/Tokyo\" selected").says("Sun 29 Nov, 21:00");
        let answer = kira.post("/settings/zone", &[("zone", "Mars/Base")]);
        assert_eq!(answer.status, 422);
        answer.says("is not a time zone");
        // Without the boxes that are ticked at first.
        let answer = kira.post("/settings/letters", &[("due", "on"), ("news", "on")]);
        let page = kira.follow(answer);
        page.says("name=\"due\" checked").says("name=\"news\" checked");
        page.hides("name=\"reminders\" checked").hides("name=\"resolved\" checked");
    });
}

#[test]
fn a_new_address_counts_once_its_letter_is_answered() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let kira = site.player("Kira");
        let wrong = [("email", "new@example.org"), ("address_password", "not it at all")];
        let answer = kira.post_from("/settings", "/settings/address", &wrong);
        assert_eq!(answer.status, 422);
        answer.says("This is not your password").says("value=\"new@example.org\"");
        let right = [("email", "new@example.org"), ("address_password", PASSWORD)];
        assert_eq!(kira.post_from("/settings", "/settings/address", &right).leads_to(), "/settings#address");
        kira.get("/settings").says("kira@example.org");
        let link = site.link("new@example.org", "/settings/address/");
        kira.get(&link).says("go to new@example.org from now on?");
        kira.get("/settings").says("kira@example.org");
        assert_eq!(kira.post_from(&link, &link, &[]).leads_to(), "/settings#address");
        kira.get("/settings").says("<strong class=\"wrap-anywhere\">new@example.org</strong>");
        assert!(site.letters("kira@example.org").iter().any(|(subject, _)| subject.contains("address")));
    });
}

#[test]
fn a_new_password_signs_other_browsers_out() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let (here, there) = (site.player("Kira"), site.signed_in("Kira"));
        let fields = [("current", PASSWORD), ("new_password", "Kira")];
        here.post_from("/settings", "/settings/password", &fields).says("at least 10 characters");
        let fields = [("current", PASSWORD), ("new_password", "a new hope for all")];
        assert_eq!(here.post_from("/settings", "/settings/password", &fields).leads_to(), "/settings#password");
        here.get("/").says("My tables");
        there.get("/").hides("My tables");
    });
}

#[test]
fn browsers_are_listed_and_signed_out_one_by_one_or_all() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let (here, there, third) = (site.player("Kira"), site.signed_in("Kira"), site.signed_in("Kira"));
    let foreign = site.player("Odo");
    let id = here.get("/settings").hidden("session");
    // Knowing the id of somebody's session is no right to end it.
    foreign.post("/settings/browsers/end", &[("session", &id)]);
    let signed_in = || [&here, &there, &third].iter().filter(|it| it.get("/").body.contains("My tables")).count();
    assert_eq!(signed_in(), 3);
    here.post_from("/settings", "/settings/browsers/end", &[("session", &id)]);
    assert_eq!(signed_in(), 2);
    here.get("/").says("My tables");
    here.post_from("/settings", "/settings/browsers/end-all", &[]);
    assert_eq!(signed_in(), 0);
    foreign.get("/").says("My tables");
}

#[test]
fn an_account_is_deleted_by_name_and_password() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let kira = site.player("Kira");
        let wrong = [("delete_name", "Odo"), ("delete_password", PASSWORD)];
        kira.post_from("/settings", "/settings/delete", &wrong).says("write its name here: Kira.");
        let wrong = [("delete_name", "Kira"), ("delete_password", "not it at all")];
        kira.post_from("/settings", "/settings/delete", &wrong).says("This is not your password");
        let right = [("delete_name", "Kira"), ("delete_password", PASSWORD)];
        let answer = kira.post_from("/settings", "/settings/delete", &right);
        kira.follow(answer).says("Your account is deleted");
        let answer = kira.post_from("/sign-in", "/sign-in", &[("who", "Kira"), ("password", PASSWORD)]);
        assert_eq!(answer.status, 422);
        assert_eq!(kira.get("/players/Kira").status, 404);
        // The name and the address are free again.
        assert!(site.account("Kira").0 > 0);
    });
}

#[test]
fn letters_are_stopped_by_one_click_and_never_by_opening_the_link() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let kira = site.player("Kira");
        let odo = site.player("Odo");
        super::tables::make(&odo, &[("who", "invited")]);
        let table = odo.get("/").body;
        let at = table.find("/t/").unwrap();
        let path = table[at..at + 16].to_owned();
        odo.post_from(&path, &format!("{path}/invite"), &[("whom", "Kira")]);
        let link = site.link("kira@example.org", "/unsubscribe/");
        let stranger = site.browser();
        stranger.get(&link).says("Stop all letters about tables for Kira?");
        kira.get("/settings").says("name=\"due\" checked");
        // As mail programs do it: no cookie, no token, the body that RFC 8058 names.
        let form = "application/x-www-form-urlencoded";
        let answer = site.browser().post_body(&link, form, b"List-Unsubscribe=One-Click");
        assert_eq!(answer.status, 200);
        kira.get("/settings").hides("name=\"due\" checked").hides("name=\"news\" checked");
        assert_eq!(stranger.get("/unsubscribe/nonsense").status, 404);
    });
}
