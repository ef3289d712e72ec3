//! Rate limits, each with the page that says how long to wait.

use stardate::web::LimitFigures;
use stardate::web::base::limits::Rate;

use crate::harness::{Backend, Fresh, on_both};

use super::{Answer, Browser, PASSWORD, Site};

const TWO: Rate = Rate { burst: 2, every_s: 600 };

fn loose() -> LimitFigures {
    LimitFigures::per(100_000, 100_000)
}

/// A visitor at a network address of their own, as a proxy tells it.
struct From<'a> {
    browser: Browser,
    address: &'a str,
}

impl From<'_> {
    fn post(&self, page: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let csrf = self.browser.get(page).hidden("csrf");
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend_from_slice(fields);
        self.browser.post_through(self.address, path, &all)
    }

    fn sign_in(&self, who: &str, password: &str) -> Answer {
        self.post("/about", "/sign-in", &[("who", who), ("password", password)])
    }
}

fn site(fresh: &Fresh, limits: LimitFigures) -> Site {
    Site::with(fresh, "http://stardate.test", |figures| {
        figures.limits = limits;
        figures.trusted_proxies = 1;
    })
}

fn from<'a>(site: &Site, address: &'a str) -> From<'a> {
    From { browser: site.browser(), address }
}

#[test]
fn wrong_passwords_lock_out_only_whoever_types_them() {
    on_both(|fresh| {
        let site = site(fresh, LimitFigures::per(10, 20));
        site.account("Kira");
        let stranger = from(&site, "192.0.2.66");
        let tries: Vec<u16> = (0..12).map(|_| stranger.sign_in("kira", "not it at all").status).collect();
        assert_eq!(tries[..10], [422; 10]);
        assert_eq!(tries[10..], [429, 429]);
        // From elsewhere the owner signs in, by name and by address.
        let kira = from(&site, "192.0.2.1");
        assert_eq!(kira.sign_in("Kira", PASSWORD).leads_to(), "/");
        // In her settings her password is asked for, whatever the stranger does meanwhile.
        stranger.sign_in("kira", "not it at all");
        let fields = [("current", PASSWORD), ("new_password", "a new hope for all")];
        assert_eq!(kira.post("/settings", "/settings/password", &fields).leads_to(), "/settings#password");
        let fields = [("email", "new@example.org"), ("address_password", "a new hope for all")];
        assert_eq!(kira.post("/settings", "/settings/address", &fields).leads_to(), "/settings#address");
        let fields = [("delete_name", "Kira"), ("delete_password", "a new hope for all")];
        assert_eq!(kira.post("/settings", "/settings/delete", &fields).leads_to(), "/");
    });
}

#[test]
fn a_known_browser_is_not_stopped_by_its_neighbours_nor_by_a_crowd() {
    on_both(|fresh| {
        let figures = LimitFigures { sign_in_by_name: Rate { burst: 6, every_s: 600 }, ..LimitFigures::per(4, 20) };
        let site = site(fresh, figures);
        site.account("Kira");
        let kira = from(&site, "192.0.2.1");
        assert_eq!(kira.sign_in("Kira", PASSWORD).leads_to(), "/");
        assert_eq!(kira.post("/about", "/sign-out", &[]).status, 303);
        // A neighbour behind the same address uses up the address and the pair, a crowd the name.
        let neighbour = from(&site, "192.0.2.1");
        let addresses: Vec<String> = (10..30).map(|last| format!("198.51.100.{last}")).collect();
        for _ in 0..4 {
            neighbour.sign_in("Kira", "not it at all");
        }
        for address in &addresses {
            from(&site, address).sign_in("Kira", "not it at all");
        }
        neighbour.sign_in("Kira", PASSWORD).says("from your network address").says("Wait");
        let refused = from(&site, "203.0.113.9").sign_in("Kira", PASSWORD);
        assert_eq!(refused.status, 429);
        refused.says("from many places").says("were signed in to the account before").says("by letter");
        // Whether there is such a name makes no difference.
        for address in &addresses {
            from(&site, address).sign_in("Nobody", "not it at all");
        }
        let nobody = from(&site, "203.0.113.9").sign_in("Nobody", PASSWORD);
        assert_eq!((nobody.status, nobody.says("from many places").status), (429, 429));

        assert_eq!(kira.sign_in("Kira", PASSWORD).leads_to(), "/", "her browser is known");
        // Nor does her browser help against other names.
        assert_eq!(kira.sign_in("Nobody", PASSWORD).status, 429);
        // From a browser of which nobody knows, a new password by letter is the way.
        let new = from(&site, "203.0.113.77");
        assert_eq!(new.post("/reset", "/reset", &[("email", "kira@example.org")]).status, 200);
        let link = site.link("kira@example.org", "/reset/");
        assert_eq!(new.post(&link, &link, &[("password", "a new hope for all")]).leads_to(), "/sign-in");
        assert_eq!(new.sign_in("Kira", "a new hope for all").leads_to(), "/");
        // A known browser guesses no more than a few times either.
        let guesses: Vec<u16> = (0..6).map(|_| new.sign_in("Kira", "not it at all").status).collect();
        assert!(guesses.contains(&429), "{guesses:?}");
    });
}

#[test]
fn a_neighbour_of_the_same_ipv6_household_is_the_same_visitor() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = site(&fresh, LimitFigures { sign_in_by_pair: TWO, ..loose() });
    let tries = ["2001:db8:1:2::1", "2001:db8:1:2::ffff", "2001:db8:1:2:3::1", "2001:db8:1:3::1"]
        .map(|address| from(&site, address).sign_in("Kira", "x").status);
    assert_eq!(tries, [422, 422, 429, 422]);
}

#[test]
fn a_visitor_cannot_try_many_names() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = site(&fresh, LimitFigures { sign_in_by_visitor: TWO, ..loose() });
    let tries = ["a", "b", "c"].map(|who| from(&site, "192.0.2.1").sign_in(who, "x").status);
    assert_eq!(tries, [422, 422, 429]);
}

#[test]
fn whoever_is_signed_in_guesses_their_password_no_oftener_than_allowed() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = site(&fresh, LimitFigures { password_check: TWO, ..loose() });
    let kira = site.player("Kira");
    let wrong = [("current", "not it at all"), ("new_password", "a new hope for all")];
    let tries = [(); 3].map(|()| kira.post_from("/settings", "/settings/password", &wrong).status);
    assert_eq!(tries, [422, 422, 429]);
    // Her other browser is not held up.
    let other = site.signed_in("Kira");
    let right = [("current", PASSWORD), ("new_password", "a new hope for all")];
    assert_eq!(other.post_from("/settings", "/settings/password", &right).leads_to(), "/settings#password");
}

/// Forms that send a letter to an address that is typed: page, path and the other fields.
const LETTER_FORMS: [(&str, &str); 3] =
    [("/reset", "/reset"), ("/check-your-mail", "/sign-up/again"), ("/sign-up", "/sign-up")];

#[test]
fn letters_asked_for_by_others_do_not_keep_the_owner_from_asking() {
    on_both(|fresh| {
        let site = site(fresh, LimitFigures::per(10, 8));
        site.account("Kira");
        for (number, (page, path)) in LETTER_FORMS.into_iter().enumerate() {
            let mut names = (0..100).map(|count| format!("Somebody-{number}-{count}"));
            let mut ask = |visitor: &From<'_>| {
                let name = names.next().unwrap();
                let fields = [("email", "kira@example.org"), ("name", &name), ("password", PASSWORD), ("zone", "UTC")];
                visitor.post(page, path, &fields)
            };
            let stranger = from(&site, "192.0.2.66");
            let tries: Vec<u16> = (0..4).map(|_| ask(&stranger).status).collect();
            let refused = tries.iter().filter(|status| **status == 429).count();
            assert!(refused > 0, "{path}: {tries:?}");
            assert_eq!(tries[3], 429, "{path}: {tries:?}");
            ask(&stranger).says("etters").says("from your network address").says("Wait");
            let elsewhere = format!("192.0.2.{}", number + 1);
            assert_ne!(ask(&from(&site, &elsewhere)).status, 429, "{path}: the owner, from elsewhere");
        }
        // Signed in, she moves to an address that the stranger keeps asking for.
        let kira = from(&site, "192.0.2.1");
        assert_eq!(kira.sign_in("Kira", PASSWORD).leads_to(), "/");
        let fields = [("email", "new@example.org"), ("address_password", PASSWORD)];
        assert_eq!(kira.post("/settings", "/settings/address", &fields).leads_to(), "/settings#address");
    });
}

#[test]
fn invitations_to_one_person_come_to_an_end_for_the_one_who_sends_them() {
    let invite = |host: &Browser, whom: &str| {
        let path = super::tables::make(host, &[]);
        host.post_from(&path, &format!("{path}/invite"), &[("whom", whom)]).status
    };
    on_both(|fresh| {
        let site = Site::on(fresh);
        let hosts: Vec<Browser> = ["Dax", "Odo"].into_iter().map(|name| site.player(name)).collect();
        for host in &hosts {
            for _ in 0..8 {
                assert_eq!(invite(host, "x@example.org"), 303);
            }
        }
        assert_eq!(site.letters("x@example.org").len(), 10, "however many invite, and to however many tables");
    });
    let strict = Fresh::of(Backend::Sqlite).unwrap();
    let strict = site(&strict, LimitFigures { invite_pair: TWO, ..loose() });
    let (dax, odo) = (strict.player("Dax"), strict.player("Odo"));
    assert_eq!([(); 3].map(|()| invite(&dax, "x@example.org")), [303, 303, 429]);
    assert_eq!(invite(&dax, "y@example.org"), 303);
    assert_eq!(invite(&odo, "x@example.org"), 303);
}

#[test]
fn forms_that_send_letters_are_slowed_down_by_visitor() {
    let strict = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&strict, "http://stardate.test", |figures| {
        figures.limits = LimitFigures { letters_by_visitor: TWO, sign_up_by_visitor: TWO, invite: TWO, ..loose() };
    });
    let tries = ["a@b.example", "c@d.example", "e@f.example"]
        .map(|email| site.browser().post_from("/reset", "/reset", &[("email", email)]).status);
    assert_eq!(tries, [200, 200, 429]);
    let tries = ["Ann", "Ben", "Cleo"].map(|name| {
        let email = format!("{name}@example.org");
        let fields = [("name", name), ("email", &email), ("password", PASSWORD), ("zone", "UTC")];
        site.browser().post_from("/sign-up", "/sign-up", &fields).status
    });
    assert_eq!(tries, [303, 303, 429]);
    let dax = site.player("Dax");
    let path = super::tables::make(&dax, &[]);
    let tries = ["x@example.org", "y@example.org", "z@example.org"]
        .map(|whom| dax.post_from(&path, &format!("{path}/invite"), &[("whom", whom)]).status);
    assert_eq!(tries, [303, 303, 429]);
    // Who has invited many can still report what is said: here there is no such message, which is another answer.
    let report = format!("{path}/talk/{}/report", stardate::store::IdText(7));
    assert_eq!(dax.post(&report, &[("reason", "Not nice")]).status, 404);
}
