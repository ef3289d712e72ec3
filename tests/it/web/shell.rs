//! What stands around every page.

use crate::harness::{Backend, Fresh, on_both};

use super::Site;

#[test]
fn every_answer_carries_the_security_headers() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let browser = site.browser();
    for path in ["/about", "/nothing/here", "/robots.txt", "/favicon.ico", "/static/0/style.css", "/static/0/none"] {
        let answer = browser.get(path);
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe-inline"), "{path}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{path}");
        assert_eq!(answer.header("strict-transport-security"), "", "{path}: only with https");
    }
}

#[test]
fn with_https_browsers_stay_on_it_and_cookies_are_marked() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "https://stardate.test", |_| {});
    let answer = site.browser().get("/about");
    assert!(answer.header("strict-transport-security").starts_with("max-age="));
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("__Host-guard="), "{cookie}");
    for part in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
}

#[test]
fn an_unknown_address_gets_a_page_that_says_what_to_do() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let answer = site.browser().get("/no/such/page");
        assert_eq!(answer.status, 404);
        answer.says("There is nothing here").says("href=\"/\"");
    });
}

#[test]
fn a_form_without_its_token_changes_nothing() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let browser = site.browser();
    let answer = browser.post_bare("/theme", &[("theme", "dark"), ("back", "/about")]);
    assert_eq!(answer.status, 403);
    answer.says("This form was too old");
    assert!(!answer.header("set-cookie").contains("theme=dark"));
    // A token of somebody else is no better than none.
    let foreign = site.browser().get("/about").hidden("csrf");
    let answer = browser.post_bare("/theme", &[("csrf", &foreign), ("theme", "dark"), ("back", "/about")]);
    assert_eq!(answer.status, 403);
    let answer = browser.post_bare("/theme", &[("csrf", "nonsense"), ("theme", "dark")]);
    assert_eq!(answer.status, 403);
}

#[test]
fn the_look_is_kept_and_leads_back_to_this_site_only() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let browser = site.browser();
    browser.get("/about").says("data-theme=\"auto\"");
    assert_eq!(browser.post("/theme", &[("theme", "dark"), ("back", "/about?x=1")]).leads_to(), "/about?x=1");
    browser.get("/about").says("data-theme=\"dark\"");
    let answer = browser.post("/theme", &[("theme", "auto"), ("back", "//elsewhere.example/")]);
    assert_eq!(answer.leads_to(), "/");
    browser.get("/about").says("data-theme=\"auto\"");
}

#[test]
fn what_cannot_be_read_gets_a_page_too() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let browser = site.browser();
    let form = "application/x-www-form-urlencoded";
    let answer = browser.post_body("/theme", "application/json", b"{\"theme\":\"dark\"}");
    assert_eq!(answer.status, 400);
    answer.says("could not be read").says("<html");
    let answer = browser.post_body("/theme", form, &[b'a', b'=', 0xff, 0xfe]);
    assert_eq!(answer.status, 400);
    answer.says("Nothing was changed");
    let long = vec![b'a'; stardate::web::BODY_LIMIT + 1];
    let answer = browser.post_body("/theme", form, &long);
    assert_eq!(answer.status, 413);
    answer.says("This is too long");
}

#[test]
fn built_in_files_are_kept_by_their_hash() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let browser = site.browser();
    let page = browser.get("/about").body;
    let start = page.find("/static/").unwrap();
    let address = &page[start..start + page[start..].find('"').unwrap()];
    let answer = browser.get(address);
    assert_eq!(answer.status, 200);
    assert!(answer.header("cache-control").contains("immutable"));
    assert!(browser.get("/static/old/style.css").header("cache-control").contains("no-cache"));
}

#[test]
fn the_health_check_reaches_the_database() {
    on_both(|fresh| {
        let site = Site::on(fresh);
        let answer = site.browser().get("/healthz");
        assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
    });
}

#[test]
fn pages_are_compressed_and_can_be_asked_about() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let browser = site.browser();
    assert_eq!(browser.encoding("/about"), "gzip");
    let head = browser.head("/about");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(browser.head("/nowhere").status, 404);
    // An address that only takes forms does nothing when it is opened: it leads to the page of the form.
    assert_eq!(browser.get("/sign-out").leads_to(), "/");
    assert_eq!(browser.head("/healthz").status, 200);
}

#[test]
fn limits_count_by_the_address_a_trusted_proxy_tells_and_by_no_other() {
    for (proxies, expected) in [(1, [422, 422, 422]), (0, [422, 429, 429]), (2, [422, 422, 429])] {
        let fresh = Fresh::of(Backend::Sqlite).unwrap();
        let site = Site::with(&fresh, "http://stardate.test", |figures| {
            figures.trusted_proxies = proxies;
            figures.limits.sign_in_by_visitor = stardate::web::base::limits::Rate { burst: 1, every_s: 600 };
        });
        let browser = site.browser();
        let statuses = ["198.51.100.1", "9.9.9.9, 198.51.100.2:4711", "9.9.9.9, [2001:db8::1]:4711"].map(|from| {
            let csrf = browser.get("/sign-in").hidden("csrf");
            browser.post_through(from, "/sign-in", &[("csrf", &csrf), ("who", from), ("password", "x")]).status
        });
        assert_eq!(statuses, expected, "{proxies} trusted proxies");
    }
}
