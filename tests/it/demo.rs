//! The demo: what it prints is there, it is kept between runs, and a fresh one starts over.

use crate::harness::{Launch, Page, Server, Visitor};

fn links(server: &Server) -> Vec<String> {
    let printed = server.printed();
    let tables = printed.lines().filter_map(|line| line.trim().strip_prefix(&format!("{}/t/", server.address)));
    tables.map(|id| format!("/t/{id}")).collect()
}

fn ada(server: &Server) -> Visitor {
    let printed = server.printed();
    let line = printed.lines().find(|line| line.contains("ada@demo.example")).expect("Ada is printed");
    let password = line.split("password: ").nth(1).expect("her password is printed").trim();
    let visitor = Visitor::new(&server.address);
    let form = visitor.get("/sign-in").form("/sign-in").set("who", "Ada").set("password", password);
    let page = visitor.send(&form);
    assert!(visitor.is_signed_in(), "{}", page.body);
    visitor
}

#[test]
fn it_has_a_table_of_each_kind_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let launch = Launch::new("sqlite:not-used-by-the-demo", folder.path());
    let server = launch.start_demo(&folder.path().join("demo"), false);
    let tables = links(&server);
    assert_eq!(tables.len(), 8, "{}", server.printed());
    let ada_sees = |server: &Server, no: usize| -> Page {
        let page = ada(server).get(&tables[no]);
        assert_eq!(page.status, 200);
        page
    };
    let [due, waiting, open, invited, finished, against_bots, open_to_many, finished_by_many] =
        [0, 1, 2, 3, 4, 5, 6, 7].map(|no| ada_sees(&server, no));
    let is_in = |page: &Page| page.body.contains("value=\"withdraw\"");
    assert!(due.find_form(&format!("{}/plot", tables[0])).is_some() && !is_in(&due), "{}", due.body);
    assert!(is_in(&waiting), "{}", waiting.body);
    assert!(open.find_form(&format!("{}/join", tables[2])).is_some(), "{}", open.body);
    assert!(invited.find_form(&format!("{}/join", tables[3])).is_some(), "{}", invited.body);
    assert!(finished.body.contains(&format!("{}/record", tables[4])), "{}", finished.body);
    assert!(against_bots.find_form(&format!("{}/plot", tables[5])).is_some(), "{}", against_bots.body);
    assert!(against_bots.body.contains("(bot)"));
    assert!(open_to_many.find_form(&format!("{}/join", tables[6])).is_some(), "{}", open_to_many.body);
    assert!(finished_by_many.body.contains(&format!("{}/record", tables[7])), "{}", finished_by_many.body);
    // The opponent's plot of the first table is in: Ada's resolves the phase.
    let visitor = ada(&server);
    let form = visitor.get(&tables[0]).form(&format!("{}/plot", tables[0]));
    let page = visitor.send(&form.set("text", "").set("do", "pass"));
    assert!(page.body.contains("the phase has resolved"), "{}", page.body);
    let (well, log) = server.stop();
    assert!(well, "{log}");

    let again = launch.start_demo(&folder.path().join("demo"), false);
    assert_eq!(links(&again), tables, "a second run must not make a second set");
    let (well, log) = again.stop();
    assert!(well, "{log}");

    let fresh = launch.start_demo(&folder.path().join("demo"), true);
    let others = links(&fresh);
    assert!(others.len() == 8 && others.iter().all(|table| !tables.contains(table)), "{others:?}");
    assert_eq!(ada(&fresh).get(&tables[0]).status, 404, "what was there is gone");
}
