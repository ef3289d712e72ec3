//! The catalogue, the rules in brief, and the builder of Control Groups.

use stardate::store::loadouts::of_user;

use super::{Answer, Browser, Site};
use crate::harness::{Backend, Fresh};

fn site() -> (Fresh, Site) {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    (fresh, site)
}

/// The numbers and the Q that a builder shows, as its form sends them.
fn numbers(page: &Answer) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for part in page.body.split("<input ").skip(1) {
        let tag = &part[..part.find('>').unwrap()];
        let of = |name: &str| {
            let start = format!("{name}=\"");
            tag.find(&start).map(|at| tag[at + start.len()..].split('"').next().unwrap().to_owned())
        };
        let Some(name) = of("name") else { continue };
        if name.starts_with("n.") || (name == "leader" && tag.contains("checked")) {
            fields.push((name, of("value").unwrap()));
        }
    }
    fields
}

fn send(browser: &Browser, path: &str, button: &str, name: &str, fields: &[(String, String)]) -> Answer {
    let mut all: Vec<(&str, &str)> = vec![("name", name), ("do", button)];
    all.extend(fields.iter().map(|(field, value)| (field.as_str(), value.as_str())));
    browser.post_from(path, path, &all)
}

#[test]
fn the_catalogue_and_the_rules_are_open_to_everybody() {
    let (_fresh, site) = site();
    let visitor = site.browser();
    visitor.get("/games/conquest").says("Cheqmate").says("/games/conquest/pieces");
    for family in ["Federation", "Klingon", "Romulan", "Borg", "Alien"] {
        let page = visitor.get(&format!("/games/conquest/pieces?family={family}"));
        page.says("<h2>Ships</h2>").says("<h2>People</h2>").says("<h2>Items</h2>");
        assert!(page.body.len() < 100_000, "{} bytes", page.body.len());
    }
    visitor.get("/games/conquest/pieces?family=nobody").says("<h2>Ships</h2>");
    visitor.get("/games/conquest").says("href=\"/rules/conquest\"");
    visitor.get("/rules/conquest").says("<a href=\"#C9\">C9 Damage</a>").says("<p id=\"C9.7\">").says("<h2 id=\"C9\">");
    visitor.get("/rules/imperial-conflict").says("<p id=\"I8.2\">").says("id=\"I8\"");
    visitor.get("/about").says("href=\"/rules/imperial-conflict\"");
    for path in ["/games/chess", "/rules/chess"] {
        assert_eq!(visitor.get(path).status, 404);
    }
    assert_eq!(visitor.get("/games/chess/pieces").status, 404);
    assert_eq!(visitor.get("/loadouts/conquest").status, 303);
}

#[test]
fn a_group_is_copied_changed_kept_and_deleted() {
    let (_fresh, site) = site();
    let user_id = site.account("Ada");
    let browser = site.signed_in("Ada");
    browser.get("/loadouts/conquest").says("You have none of your own yet").says("House of War");
    let page = browser.get("/loadouts/conquest/new?from=house-of-war");
    assert!(page.body.len() < 100_000, "{} bytes", page.body.len());
    let mut fields = numbers(&page);
    let new = "/loadouts/conquest/new";
    send(&browser, new, "check", "Mine", &fields).says("is legal. It is not saved yet");

    // One piece too few is told at once; nothing is saved, nothing is lost.
    let last = fields.iter().rposition(|(name, value)| name.starts_with("n.") && value != "0").unwrap();
    let had = std::mem::replace(&mut fields[last].1, "0".to_owned());
    let faulty = send(&browser, new, "save", "Mine", &fields);
    assert_eq!(faulty.status, 422);
    faulty.says("Nothing was saved").says("value=\"Mine\"");
    assert_eq!(numbers(&faulty), fields);
    fields[last].1 = "no number".to_owned();
    assert_eq!(send(&browser, new, "save", "Mine", &fields).status, 422);
    fields[last].1 = had;
    assert_eq!(send(&browser, new, "save", "", &fields).status, 422);
    assert_eq!(send(&browser, new, "save", "Mine", &fields).leads_to(), "/loadouts/conquest");

    let kept = of_user(&mut site.db.connection().unwrap(), user_id, "conquest").unwrap();
    assert_eq!(kept.len(), 1);
    let path = format!("/loadouts/conquest/{}", stardate::store::IdText(kept[0].id));
    assert_eq!(numbers(&browser.get(&path)), fields);
    for nameless in ["", "\u{200b}"] {
        let refused = send(&browser, &path, "save", nameless, &fields);
        assert_eq!(refused.status, 422);
        refused.says("The name must have 1 to 60 visible characters.");
    }
    send(&browser, &path, "save", "", &fields).says("<h1>Your Control Group</h1>").says("<title>Your Control Group");
    // As text it is the same.
    let text = vec![("text".to_owned(), kept[0].body.clone())];
    assert_eq!(send(&browser, &path, "save-text", "Mine again", &text).status, 303);
    let renamed = of_user(&mut site.db.connection().unwrap(), user_id, "conquest").unwrap();
    assert_eq!((renamed[0].name.as_str(), &renamed[0].body), ("Mine again", &kept[0].body));
    let broken = vec![("text".to_owned(), "3 klingon-leutnant\n".to_owned())];
    send(&browser, &path, "read", "Mine", &broken).says("Line 1:");

    // It is nobody else's.
    site.account("Bob");
    let other = site.signed_in("Bob");
    assert_eq!(other.get(&path).status, 404);
    assert_eq!(send(&other, "/loadouts/conquest/new", "check", "x", &[]).status, 200);
    let csrf = other.get("/about").hidden("csrf");
    assert_eq!(other.post_bare(&path, &[("csrf", &csrf), ("do", "delete")]).status, 404);

    assert_eq!(send(&browser, &path, "delete", "", &[]).status, 303);
    assert!(of_user(&mut site.db.connection().unwrap(), user_id, "conquest").unwrap().is_empty());
    assert_eq!(browser.get(&path).status, 404);
}
