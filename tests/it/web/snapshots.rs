//! Pages as they are, without what changes by chance.

use crate::harness::{Backend, Fresh};

use super::Site;

/// The content of a page, with tokens and ids replaced.
fn content(body: &str) -> String {
    let from = body.find("<main").unwrap();
    let until = body.find("</main>").unwrap();
    let mut text = body[from..until].to_owned();
    for start in ["name=\"csrf\" value=\"", "/t/", "/i/", "class=\"mono wrap-anywhere\">"] {
        let mut done = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(start) {
            let (before, after) = rest.split_at(at + start.len());
            done.push_str(before);
            done.push('…');
            rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        }
        done.push_str(rest);
        text = done;
    }
    text
}

#[test]
fn key_pages_look_like_this() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let stranger = site.browser();
    insta::assert_snapshot!("sign_in", content(&stranger.get("/sign-in").body));
    insta::assert_snapshot!("not_found", content(&stranger.get("/nowhere").body));
    insta::assert_snapshot!("no_open_tables", content(&stranger.get("/tables").body));
    let (ann, ben) = (site.player("Ann"), site.player("Ben"));
    insta::assert_snapshot!("my_tables_empty", content(&ann.get("/").body));
    let path = super::tables::make(&ann, &[("title", "A long war"), ("max_drops", "1")]);
    insta::assert_snapshot!("open_tables", content(&ben.get("/tables").body));
    insta::assert_snapshot!("lobby_of_its_creator", content(&ann.follow(ann.get(&path)).body));
    insta::assert_snapshot!("lobby", content(&stranger.get(&path).body));
    ben.post_from(&path, &format!("{path}/join"), &[]);
    site.clock.advance(chrono::TimeDelta::hours(2));
    insta::assert_snapshot!("my_tables", content(&ben.get("/").body));
    insta::assert_snapshot!("player", content(&stranger.get("/players/Ben").body));
}
