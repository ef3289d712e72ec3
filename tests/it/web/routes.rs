//! Every address on the list of routes: what it takes, and that nothing asked of it is answered with a fault of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;

use stardate::web::ROUTES;
use stardate::web::base::route::{Route, Verb};

use crate::harness::visitor::{attribute, tags};
use crate::harness::{Backend, Fresh, on_both};

use super::{Browser, Site};

/// A path with its parameters filled in.
fn filled(path: &str, value: impl Fn(&str) -> String) -> String {
    let part = |part: &str| match part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(name) => value(name),
        None => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn parameters(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
}

#[test]
fn every_address_takes_what_the_list_says_and_says_so() {
    let fresh = Fresh::of(Backend::Sqlite).unwrap();
    let site = Site::on(&fresh);
    let browser = site.player("Ann");
    let mut takes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for route in ROUTES {
        let verbs: &[&str] = if route.verb == Verb::Get { &["GET", "HEAD"] } else { &["POST"] };
        takes.entry(route.path).or_default().extend(verbs);
    }
    for (pattern, verbs) in takes {
        let path = filled(pattern, |_| "x".to_owned());
        let allow = verbs.iter().copied().collect::<Vec<_>>().join(", ");
        for method in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
            let answer = browser.ask(method, &path);
            assert_eq!((answer.status, answer.header("allow")), (405, allow.as_str()), "{method} {path}");
            answer.says("This address cannot do that");
        }
        if !verbs.contains("POST") {
            assert_eq!(browser.post(&path, &[]).status, 405, "POST {path}");
        }
        let (page, head) = (browser.get(&path), browser.head(&path));
        assert_eq!((head.status, head.body.as_str()), (page.status, ""), "HEAD {path}");
        if !verbs.contains("GET") {
            let to = page.leads_to();
            assert!(path.starts_with(to) && to.len() < path.len(), "{path} leads to {to}");
            assert_eq!(browser.get(&format!("{path}?a=b")).leads_to(), format!("{to}?a=b"));
        }
        if pattern != "/" {
            for end in ["/", "//"] {
                let answer = browser.get(&format!("{path}{end}?a=b"));
                assert_eq!((answer.status, answer.header("location")), (308, format!("{path}?a=b").as_str()), "{path}");
            }
            let answer = browser.ask("POST", &format!("{path}/"));
            assert_eq!((answer.status, answer.header("location")), (308, path.as_str()), "POST {path}/");
        }
    }
    // Nobody is led where nothing is, nor to another site.
    for nowhere in ["/nowhere/", "//evil.example/", "//evil.example", "/t/x/nothing/", "/%2f%2fevil.example/"] {
        assert_eq!(browser.get(nowhere).status, 404, "{nowhere}");
    }
}

#[test]
fn every_long_text_of_a_form_is_on_the_list() {
    let on_the_list: BTreeSet<&str> = ROUTES.iter().flat_map(|route| route.texts).copied().collect();
    let mut in_pages = BTreeSet::new();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let template = std::fs::read_to_string(&path).unwrap();
            let areas = tags(&template).filter(|(tag, _)| tag.starts_with("textarea"));
            in_pages.extend(areas.filter_map(|(tag, _)| attribute(tag, "name")));
        }
    }
    assert_eq!(in_pages.iter().map(String::as_str).collect::<BTreeSet<_>>(), on_the_list);
}

/// What no id, name or number is, percent-encoded.
const ODD: [&str; 20] = [
    "%00",
    "%01",
    "%0A",
    "%0D%0A",
    "%7F",
    "%ff",
    "%C3",
    "%ED%A0%80",
    "%C3%A9",
    "%E2%80%AE",
    "%F0%9F%9A%80",
    "%2e%2e",
    "..%2F..",
    "%25",
    "%",
    "-1",
    "0",
    "99999999999999999999",
    "%27%22%3E",
    "{id}",
];

/// What the pages read from the part of an address behind the question mark.
const ASKED: [&str; 14] = [
    "page", "from", "to", "next", "game", "limit", "ranked", "family", "piece", "target", "part", "board", "before",
    "key",
];

#[test]
fn no_address_is_answered_with_a_fault_of_ours() {
    on_both(|fresh| {
        let folder = tempfile::tempdir().unwrap();
        let mail = folder.path().to_owned();
        let site = Site::with(fresh, "http://stardate.test", |figures| figures.mail_folder = Some(mail));
        let (ann, ben) = (site.player("Ann"), site.player("Ben"));
        let table = super::tables::make(&ann, &[]);
        ben.post(&format!("{table}/join"), &[]);
        let table_id = table.trim_start_matches("/t/").to_owned();
        let usual = |name: &str| match name {
            "id" => table_id.clone(),
            "game" => "conquest".to_owned(),
            "name" => "Ann".to_owned(),
            "no" => "1".to_owned(),
            _ => "x".to_owned(),
        };
        let long = "a".repeat(3000);
        let odd: Vec<&str> = ODD.iter().copied().chain([long.as_str()]).collect();
        for route in ROUTES {
            for parameter in parameters(route.path) {
                for odd in &odd {
                    let path = filled(route.path, |name| if name == parameter { (*odd).into() } else { usual(name) });
                    check(&ann, route, &path);
                }
            }
            if route.verb == Verb::Post {
                continue;
            }
            let path = filled(route.path, usual);
            for odd in &odd {
                let all: Vec<String> = ASKED.iter().map(|name| format!("{name}={odd}")).collect();
                check(&ann, route, &format!("{path}?{}", all.join("&")));
            }
            for name in ASKED {
                for odd in ["%01", "99999999999999999999", "-9223372036854775808"] {
                    check(&ann, route, &format!("{path}?{name}={odd}"));
                }
                check(&ann, route, &format!("{path}?{name}=1&{name}=2"));
            }
        }
        // A signed-in visitor is led on at once, a stranger after signing in.
        for visitor in [&ann, &site.browser()] {
            for next in
                ["/%01", "/%00", "/%0d%0aset-cookie:x=y", "/%c3%a9", "/%ff", "//evil.example", "/%09/evil.example"]
            {
                let answer = visitor.get(&format!("/sign-in?next={next}"));
                assert!(answer.status < 500, "{next}: {}", answer.status);
                let to = answer.header("location");
                assert!(!to.starts_with("//") && to.bytes().all(|byte| byte.is_ascii_graphic()), "{next}: {to:?}");
            }
        }
    });
}

fn check(browser: &Browser, route: &Route, path: &str) {
    let answer = match route.verb {
        Verb::Get => browser.get(path),
        Verb::Post => browser.post(path, &[]),
    };
    assert!(answer.status < 500, "{path}: {}\n{}", answer.status, answer.body);
    assert!(answer.status != 200 || !path.contains("%00") || route.bare, "{path} is no address and has a page");
}

#[test]
fn no_header_is_answered_with_a_fault_of_ours() {
    on_both(|fresh| {
        let site = Site::with(fresh, "http://stardate.test", |figures| figures.trusted_proxies = 1);
        site.account("Ann");
        let cookie = "k".repeat(43);
        let long = "x".repeat(20_000);
        let headers: Vec<Vec<u8>> = vec![
            b"host: stardate.test\r\nhost: other.test".to_vec(),
            b"host:".to_vec(),
            b"host: [::1:::\x80]:99999".to_vec(),
            b"x: no host at all".to_vec(),
            b"user-agent: \xff\xfe\x80".to_vec(),
            b"user-agent: a\r\nuser-agent: b".to_vec(),
            format!("cookie: session=%00%01{cookie}; guard=%00; theme=%00; notice=%00").into_bytes(),
            format!("cookie: session={cookie}; guard={cookie}; notice=AAAA; browser={cookie}; waiting=AAAA")
                .into_bytes(),
            format!("cookie: session={long}; guard={long}; notice={long}; browser={long}; waiting={long}").into_bytes(),
            b"cookie: \xff\xff=\xff; ;;==; session".to_vec(),
            b"x-forwarded-for: \xff, 1.2.3.4:99999999, [::".to_vec(),
            b"x-request-id: \xff\x80 \"<script>".to_vec(),
            b"accept-encoding: \xff, gzip;q=nonsense".to_vec(),
            b"sec-fetch-site: \xff".to_vec(),
        ];
        for path in ["/", "/about", "/sign-in", "/players/Ann", "/check-your-mail"] {
            for header in &headers {
                let status = raw(&site, &[b"GET ", path.as_bytes(), b" HTTP/1.1\r\n", header, b"\r\n"].concat());
                assert!((200..500).contains(&status), "{path} with {}: {status}", String::from_utf8_lossy(header));
            }
        }
        for line in [
            &b"GET /players/\xc3\xa9 HTTP/1.1"[..],
            b"GET /players/\xff HTTP/1.1",
            b"GET /players/\x01 HTTP/1.1",
            b"GET http://elsewhere.example/about HTTP/1.1",
            b"GET * HTTP/1.1",
            b"OPTIONS * HTTP/1.1",
            b"GET about HTTP/1.1",
            b"BREW /about HTTP/1.1",
            b"GET /about HTTP/1.0",
            b"nonsense",
        ] {
            let status = raw(&site, &[line, b"\r\nhost: stardate.test\r\n"].concat());
            assert!((200..500).contains(&status), "{}: {status}", String::from_utf8_lossy(line));
        }
        let endless = format!("GET /{} HTTP/1.1\r\nhost: stardate.test\r\n", "a".repeat(60_000));
        assert_eq!(raw(&site, endless.as_bytes()), 404);
    });
}

/// Sends the head of a request as it is. Gives the status of the answer; 400 when the connection was just closed.
fn raw(site: &Site, head: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(site.base.trim_start_matches("http://")).unwrap();
    stream.write_all(&[head, b"connection: close\r\n\r\n"].concat()).unwrap();
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer);
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| if ended.is_err() || answer.is_empty() { 400 } else { panic!("no answer: {text}") })
}
