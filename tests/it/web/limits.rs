//! Rate limits, each with the page that says how long to wait.

use stardate::web::LimitFigures;
use stardate::web::base::limits::Rate;

use crate::harness::{Backend, Fresh};

use super::{PASSWORD, Site};

const TWO: Rate = Rate { burst: 2, every_s: 600 };

fn loose() -> LimitFigures {
    LimitFigures::per(100_000, 100_000)
}

#[test]
fn sign_in_is_slowed_down_by_name_and_by_visitor() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| {
        figures.limits = LimitFigures { sign_in_by_name: TWO, ..loose() }
    });
    site.account("Kira");
    let browser = site.browser();
    let wrong = [("who", "Kira"), ("password", "not it at all")];
    for _ in 0..2 {
        assert_eq!(browser.post_from("/sign-in", "/sign-in", &wrong).status, 422);
    }
    // The right password helps no more now, else guessing would still pay.
    let right = [("who", " KIRA "), ("password", PASSWORD)];
    let answer = browser.post_from("/sign-in", "/sign-in", &right);
    assert_eq!(answer.status, 429);
    answer.says("A little slower").says("Wait 10 minutes");
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((590..=601).contains(&wait), "{wait}");
    let other = [("who", "Odo"), ("password", "not it at all")];
    assert_eq!(browser.post_from("/sign-in", "/sign-in", &other).status, 422);
}

#[test]
fn a_visitor_cannot_try_many_names() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| {
        figures.limits = LimitFigures { sign_in_by_visitor: TWO, ..loose() };
    });
    let tries = ["a", "b", "c"]
        .map(|who| site.browser().post_from("/sign-in", "/sign-in", &[("who", who), ("password", "x")]).status);
    assert_eq!(tries, [422, 422, 429]);
}

#[test]
fn forms_that_send_letters_are_slowed_down_by_address_and_by_visitor() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| {
        figures.limits = LimitFigures { letters_by_address: TWO, ..loose() };
    });
    site.account("Kira");
    for (page, path) in [("/reset", "/reset"), ("/check-your-mail", "/sign-up/again")] {
        let address = format!("{}@example.org", path.len());
        let tries = [(); 3].map(|()| site.browser().post_from(page, path, &[("email", &address)]).status);
        assert_eq!(tries[2], 429, "{path}: {tries:?}");
        assert_ne!(tries[1], 429, "{path}");
    }
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
    assert_eq!(dax.post_from(&path, &report, &[("reason", "Not nice")]).status, 404);
}
