//! The page that shows the letters of a server without a mail server.

use crate::harness::{Backend, Fresh};

use super::Site;

const LETTER: &str = "From: Stardate <stardate@stardate.test>\r\nTo: Kira <kira@example.org>\r\n\
    Subject: Orders are due <now>\r\nDate: Sun, 29 Nov 2026 11:30:00 +0000\r\nMessage-ID: <1.x@stardate.test>\r\n\
    MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=cut\r\n\r\n\
    --cut\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nOpen http://stardate.test/t/abc. Soon <please>.\r\n\
    --cut\r\nContent-Type: text/html; charset=utf-8\r\n\r\n\
    <html><head><title>x</title></head><body><script>bad()</script><p>Hello</p></body></html>\r\n--cut--\r\n";

#[test]
fn letters_are_listed_and_shown_as_text_and_in_a_harmless_frame() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("0001.eml"), LETTER).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "not a letter").unwrap();
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let path = folder.path().to_owned();
    let site = Site::with(&fresh, "http://stardate.test", |figures| figures.mail_folder = Some(path));
    let browser = site.browser();
    let list = browser.get("/mail");
    list.says("Orders are due &#60;now&#62;").says("kira@example.org").says("30 min ago").hides("secret.txt");
    browser.get("/mail?to=KIRA").says("0001.eml");
    for nonsense in ["-1", "x", ""] {
        browser.get(&format!("/mail?from={nonsense}")).says("0001.eml");
    }
    browser.get("/mail?to=odo").says("No letters to “odo”");
    let letter = browser.get("/mail/0001.eml");
    letter.says("<a href=\"http://stardate.test/t/abc\">").says("Soon &#60;please&#62;.").says("sandbox=");
    let frame = browser.get("/mail/0001.eml/html");
    frame.says("<p>Hello</p>").says("<base target=\"_top\">");
    let policy = frame.header("content-security-policy");
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("script-src") && !policy.contains("allow-scripts"), "{policy}");
    for nothing in ["/mail/secret.txt", "/mail/..%2f0001.eml", "/mail/%2e%2e%2fx.eml", "/mail/0002.eml", "/mail/.eml"] {
        assert_eq!(browser.get(nothing).status, 404, "{nothing}");
    }
}

#[test]
fn with_a_mail_server_there_is_no_such_page() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    for path in ["/mail", "/mail/0001.eml", "/mail/0001.eml/html"] {
        assert_eq!(site.browser().get(path).status, 404, "{path}");
    }
    site.browser().get("/about").hides("href=\"/mail\"");
}
