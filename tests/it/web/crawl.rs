//! Every page a visitor can get to: no broken link, no oversized page, no tag left open.

use std::collections::{BTreeSet, VecDeque};

use stardate::web::ROUTES;
use stardate::web::base::route::{Verb, find};

use crate::harness::visitor::forms;
use crate::harness::{Backend, Fresh};

use super::{Browser, Site};

/// Largest page, in bytes.
const PAGE_LIMIT: usize = 100 * 1024;

/// Elements without an end tag.
const VOID: [&str; 12] = ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"];

#[test]
fn every_link_leads_somewhere_and_every_page_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::with(&fresh, "http://stardate.test", |figures| figures.mail_folder = Some(path));
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    let running = super::tables::make(&ann, &[]);
    ben.post_from(&running, &format!("{running}/join"), &[]);
    super::tables::make(
        &ann,
        &[("title", "Another one"), ("ranked", "no"), ("passes_allowed", "2"), ("max_drops", "1")],
    );
    super::tables::make(&ben, &[("title", "For friends"), ("who", "invited")]);
    let ended = super::tables::make(&ben, &[("title", "A short one")]);
    ann.post_from(&ended, &format!("{ended}/join"), &[]);
    let answer = ann.post_from(&format!("{ended}/resign"), &format!("{ended}/resign"), &[("sure", "yes")]);
    assert!(answer.status == 303 || answer.status == 200, "{}", answer.body);

    let seen = crawl(&ann);
    for path in ["/", "/about", "/tables", "/tables/new", "/leaderboard", "/settings", "/players/Ann", "/players/Ben"] {
        assert!(seen.contains(path), "{path} is not linked from anywhere; seen: {seen:#?}");
    }
    assert!(seen.contains(running.as_str()) && seen.contains(ended.as_str()));
    let seen = crawl(&site.browser());
    for path in ["/", "/sign-in", "/sign-up", "/reset", "/tables"] {
        assert!(seen.contains(path), "{path} is not linked from anywhere; seen: {seen:#?}");
    }
}

/// Follows all links of this site from the start page. Gives the paths seen.
fn crawl(browser: &Browser) -> BTreeSet<String> {
    let mut seen = BTreeSet::from(["/".to_owned()]);
    let mut queue = VecDeque::from([("/".to_owned(), "the start".to_owned())]);
    while let Some((path, from)) = queue.pop_front() {
        assert!(seen.len() < 600, "too many pages: {seen:#?}");
        let answer = browser.get(&path);
        assert!(answer.status < 400, "{path}, linked from {from}: {}", answer.status);
        assert!(answer.body.len() <= PAGE_LIMIT, "{path} has {} bytes", answer.body.len());
        assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        if answer.status == 303 {
            follow(answer.header("location"), &path, &mut seen, &mut queue);
        }
        if !answer.header("content-type").starts_with("text/html") {
            continue;
        }
        check_tags(&path, &answer.body);
        check_forms(&path, &answer.body);
        for attribute in [" href=\"", " src=\""] {
            for part in answer.body.split(attribute).skip(1) {
                follow(part.split('"').next().unwrap(), &path, &mut seen, &mut queue);
            }
        }
    }
    seen
}

fn follow(link: &str, from: &str, seen: &mut BTreeSet<String>, queue: &mut VecDeque<(String, String)>) {
    let link = link.replace("&amp;", "&").replace("&#38;", "&");
    if let Some(anchor) = link.strip_prefix('#') {
        assert!(!anchor.is_empty(), "an empty link on {from}");
        return;
    }
    let link = match link.strip_prefix('?') {
        Some(query) => format!("{}?{query}", from.split('?').next().unwrap()),
        None => link,
    };
    assert!(link.starts_with('/'), "{from} links elsewhere: {link}");
    let path = link.split('#').next().unwrap().to_owned();
    if seen.insert(path.clone()) {
        queue.push_back((path, from.to_owned()));
    }
}

/// Every form goes to an address on the list of routes, which names the fields that people write long texts into.
fn check_forms(path: &str, body: &str) {
    for form in forms(body, path).iter().filter(|form| form.posted) {
        let action = form.action.split(['?', '#']).next().unwrap();
        let route = find(ROUTES, Verb::Post, action).unwrap_or_else(|| panic!("{path} has a form to {action}"));
        let mut texts = form.controls.iter().filter(|control| control.is_text).map(|control| control.name.as_str());
        let unnamed = texts.find(|text| !route.texts.contains(text));
        assert_eq!(unnamed, None, "{path}: what is written there is lost when {} is refused", route.path);
    }
}

/// Every element that is opened is closed, in order; ids are unique; inputs have labels.
fn check_tags(path: &str, body: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap_or_else(|| panic!("{path}: a tag without its end"));
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') {
            continue;
        }
        assert!(!tag.contains(" style=\"") && !tag.contains(" onclick"), "{path}: inline style or script in <{tag}>");
        if let Some(id) = tag.split(" id=\"").nth(1).and_then(|part| part.split('"').next()) {
            assert!(ids.insert(id.to_owned()), "{path}: the id {id} comes twice");
        }
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        if tag.starts_with('/') {
            let last = open.pop().unwrap_or_else(|| panic!("{path}: </{name}> without its start"));
            assert_eq!(last, name, "{path}: <{last}> is closed by </{name}>; still open: {open:?}");
        } else if !VOID.contains(&name) && !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{path}: never closed: {open:?}");
    for link in body.split(" aria-labelledby=\"").skip(1) {
        let id = link.split('"').next().unwrap();
        assert!(ids.contains(id), "{path}: nothing has the id {id} that a label names");
    }
}
