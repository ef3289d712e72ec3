//! What the log says of requests.

use serde_json::Value;

use crate::harness::{Backend, Fresh, Launch, Server};

/// The lines of a request, by its number.
fn lines(server: &Server, id: &str) -> Vec<Value> {
    let all = server.log_text();
    let lines = all.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["span"]["id"] == id).collect()
}

#[test]
fn every_line_of_a_request_carries_its_number_and_the_visitor_behind_the_proxy() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let letters = tempfile::tempdir().unwrap();
    let launch = Launch::new(&fresh.url, letters.path())
        .with("STARDATE_LOG__FORMAT", "json")
        .with("STARDATE_SERVER__TRUSTED_PROXIES", "1");
    let server = launch.start();
    let agent: ureq::Agent = ureq::Agent::config_builder().max_redirects(0).http_status_as_error(false).build().into();
    let get = |path: &str, id: &str| {
        let request = agent.get(format!("{}{path}", server.address)).header("x-request-id", id);
        request.header("x-forwarded-for", "9.9.9.9, [2001:db8:7::1]:4711").call().unwrap()
    };
    let number =
        |response: &ureq::http::Response<ureq::Body>| response.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert_eq!(number(&get("/about", "from-the-proxy")), "from-the-proxy");
    let made = number(&get("/reset/a-secret-of-somebody", "no number"));
    assert_ne!(made, "no number");
    assert_eq!(number(&get("/players/Nobody", "not-there")), "not-there");
    let mut page = get("/sign-in", "before");
    let body = page.body_mut().read_to_string().unwrap();
    let csrf = body.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let sign_in = agent.post(format!("{}/sign-in", server.address)).header("x-request-id", "wrong");
    let fields = [("csrf", csrf), ("who", "my own password"), ("password", "nonsense")];
    assert_eq!(sign_in.header("x-forwarded-for", "203.0.113.77").send_form(fields).unwrap().status(), 422);

    let (ended, log) = {
        let found = ["from-the-proxy", &made, "not-there", "wrong"].map(|id| lines(&server, id));
        let [about, secret, nobody, wrong] = &found;
        for (lines, visitor, path) in [
            (about, "2001:db8:7::x", "/about"),
            (secret, "2001:db8:7::x", "/reset/…"),
            (nobody, "2001:db8:7::x", "/players/Nobody"),
            (wrong, "203.0.113.x", "/sign-in"),
        ] {
            let last = lines.last().unwrap_or_else(|| panic!("nothing about {path}:\n{}", server.log_text()));
            assert_eq!(last["message"], "Answered.");
            assert_eq!((&last["span"]["visitor"], &last["span"]["path"]), (&visitor.into(), &path.into()));
            assert!(last["took_ms"].is_u64() && last["status"].is_u64(), "numbers are numbers: {last}");
        }
        assert!(nobody.iter().any(|line| line["message"] == "Refused."), "{nobody:#?}");
        let failed: Vec<_> = wrong.iter().filter(|line| line["message"] == "A sign-in failed.").collect();
        assert_eq!(failed.len(), 1, "{wrong:#?}");
        assert_eq!(failed[0]["reason"], "wrong name or password");
        server.stop()
    };
    assert!(ended, "{log}");
    for secret in ["a-secret-of-somebody", "my own password", "203.0.113.77", "9.9.9.9"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
