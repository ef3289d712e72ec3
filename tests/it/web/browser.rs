//! A server in this process, and a visitor to it.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use actix_web::web::Data;
use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::accounts::{self, SignUpForm};
use stardate::clock::Clock;
use stardate::jobs::Wakers;
use stardate::store::schema::outbox;
use stardate::store::{Database, Stamp, UserId};
use stardate::tables::{Ctx, Games, JoinFigures};
use stardate::web::base::body::BodyFigures;
use stardate::web::{App, Figures, LimitFigures, serve};

use crate::harness::visitor::forms;
use crate::harness::{Form, Fresh};

/// Password of every account in these tests.
pub const PASSWORD: &str = "make it so, number one";

/// When the clock of these tests stands at the start.
pub fn start() -> Stamp {
    "2026-11-29T12:00:00".parse().unwrap()
}

/// A running server. Stops when it is dropped.
pub struct Site {
    pub base: String,
    pub db: Database,
    pub clock: Clock,
    /// What the use cases of tables need.
    pub ctx: Ctx,
    app: Data<App>,
    handle: actix_web::dev::ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// A server on this database, with limits that no test meets by accident.
    pub fn on(fresh: &Fresh) -> Site {
        Site::with(fresh, "http://stardate.test", |_| {})
    }

    /// A server reached at this address, with changed figures.
    pub fn with(fresh: &Fresh, base_url: &str, change: impl FnOnce(&mut Figures)) -> Site {
        let db = fresh.open();
        let clock = Clock::manual(start());
        let mut figures = Figures {
            trusted_proxies: 0,
            mail_folder: None,
            limits: LimitFigures::per(100_000, 100_000),
            bodies: BodyFigures::default(),
            least_games: 1,
        };
        change(&mut figures);
        let names = stardate::mail::Site::new("Stardate", base_url, "stardate@stardate.test").unwrap();
        let games = Games::load(stardate::games::all(), &BTreeMap::new()).unwrap();
        let ctx = Ctx {
            games: Arc::new(games),
            site: names,
            join: JoinFigures::default(),
            unjoined: Some(TimeDelta::days(14)),
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let app = Data::new(App::new(db.clone(), clock.clone(), Wakers::default(), ctx.clone(), figures));
        let shared = app.clone();
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = serve(app, listener, 1).unwrap();
                sender.send(server.handle()).unwrap();
                server.await.unwrap();
            });
        });
        let handle = receiver.recv().unwrap();
        Site { base, db, clock, ctx, app: shared, handle, thread: Some(thread) }
    }

    /// How many records this server has checked.
    pub fn checked(&self) -> usize {
        self.app.checked.count()
    }

    /// A visitor without cookies.
    pub fn browser(&self) -> Browser {
        Browser::new(&self.base)
    }

    /// Makes a confirmed account without a letter. Gives its id.
    pub fn account(&self, name: &str) -> UserId {
        let email = format!("{}@example.org", name.to_lowercase());
        let form = SignUpForm { name, email: &email, password: PASSWORD, zone: "Europe/Berlin" };
        let form = accounts::SignUp::check(&form).unwrap();
        let now = self.clock.now();
        self.db.write(|conn| accounts::enroll(conn, now, &form)).unwrap()
    }

    /// A browser of a player who is signed in; the account must be there.
    pub fn signed_in(&self, name: &str) -> Browser {
        let browser = self.browser();
        let answer = browser.post_from("/sign-in", "/sign-in", &[("who", name), ("password", PASSWORD)]);
        assert_eq!(answer.leads_to(), "/");
        browser
    }

    /// A new account and its browser, signed in.
    pub fn player(&self, name: &str) -> Browser {
        self.account(name);
        self.signed_in(name)
    }

    /// The letters queued for an address, oldest first: subject and text.
    pub fn letters(&self, address: &str) -> Vec<(String, String)> {
        outbox::table
            .filter(outbox::to_address.eq(address))
            .order(outbox::id)
            .select((outbox::subject, outbox::body_text))
            .load(&mut *self.db.connection().unwrap())
            .unwrap()
    }

    /// The path of the last link to an address that holds this part.
    pub fn link(&self, address: &str, part: &str) -> String {
        let letters = self.letters(address);
        let words = letters.iter().rev().flat_map(|(_, text)| text.split_whitespace());
        let link = words.map(str::to_owned).find(|word| word.starts_with("http") && word.contains(part));
        let link = link.unwrap_or_else(|| panic!("no link {part} to {address} in {letters:#?}"));
        link.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let stopping = self.handle.stop(false);
        actix_web::rt::System::new().block_on(stopping);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// The first header of this name; empty when there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(header, _)| header == name).map_or("", |(_, value)| value.as_str())
    }

    /// Where it leads to.
    pub fn leads_to(&self) -> &str {
        assert_eq!(self.status, 303, "expected to be led on: {}", self.body);
        self.header("location")
    }

    /// The value of the first hidden field of this name.
    pub fn hidden(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let at = self.body.find(&start).unwrap_or_else(|| panic!("no field {name} in {}", self.body)) + start.len();
        let length = self.body[at..].find('"').unwrap();
        self.body[at..at + length].to_owned()
    }

    /// The first link that starts so.
    pub fn link(&self, start: &str) -> String {
        let links = self.body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut links = links.map(|link| link.replace("&#38;", "&").replace("&amp;", "&"));
        links.find(|link| link.starts_with(start)).unwrap_or_else(|| panic!("no link to {start} in {}", self.body))
    }

    /// The path of the first address of the site `base` in the page that starts so.
    pub fn link_in(&self, base: &str, start: &str) -> String {
        let begins = format!("{base}{start}");
        let at = self.body.find(&begins).unwrap_or_else(|| panic!("no {begins} in {}", self.body)) + base.len();
        self.body[at..].chars().take_while(|c| !matches!(c, '"' | '<' | ' ')).collect()
    }

    /// Asserts that the page says this.
    #[track_caller]
    pub fn says(&self, text: &str) -> &Answer {
        assert!(self.body.contains(text), "“{text}” is not in the answer {}:\n{}", self.status, self.body);
        self
    }

    /// Asserts that the page does not say this.
    #[track_caller]
    pub fn hides(&self, text: &str) -> &Answer {
        assert!(!self.body.contains(text), "“{text}” is in the answer {}:\n{}", self.status, self.body);
        self
    }
}

/// A visitor that keeps cookies and does not follow where it is led.
pub struct Browser {
    pub base: String,
    agent: ureq::Agent,
}

impl Browser {
    pub fn new(base: &str) -> Browser {
        let agent = ureq::Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .build()
            .into();
        Browser { base: base.to_owned(), agent }
    }

    /// Its cookies as a request carries them.
    pub fn cookies(&self) -> String {
        let jar = self.agent.cookie_jar_lock();
        jar.iter().map(|cookie| format!("{}={}", cookie.name(), cookie.value())).collect::<Vec<_>>().join("; ")
    }

    /// Gets a page.
    pub fn get(&self, path: &str) -> Answer {
        answer(self.agent.get(format!("{}{path}", self.base)).call().unwrap())
    }

    /// Asks what a page would be answered with, without the page.
    pub fn head(&self, path: &str) -> Answer {
        answer(self.agent.head(format!("{}{path}", self.base)).call().unwrap())
    }

    /// Sends a request of any kind without a body.
    pub fn ask(&self, method: &str, path: &str) -> Answer {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        answer(match method {
            // An empty body, which these have to have.
            "POST" | "PUT" | "PATCH" => self.agent.run(request.body("").unwrap()).unwrap(),
            _ => self.agent.run(request.body(()).unwrap()).unwrap(),
        })
    }

    /// Gets a page as a browser that takes gzip. Gives what the answer is encoded with.
    pub fn encoding(&self, path: &str) -> String {
        let request = self.agent.get(format!("{}{path}", self.base)).header("accept-encoding", "gzip");
        let response = request.call().unwrap();
        let encoding = response.headers().get("content-encoding").map(|value| value.to_str().unwrap().to_owned());
        encoding.unwrap_or_default()
    }

    /// Posts a form as it is, without a token of ours.
    pub fn post_bare(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let fields = fields.iter().map(|(name, value)| (*name, *value));
        answer(self.agent.post(format!("{}{path}", self.base)).send_form(fields).unwrap())
    }

    /// Posts a form with the header that a proxy writes.
    pub fn post_through(&self, from: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let fields = fields.iter().map(|(name, value)| (*name, *value));
        let request = self.agent.post(format!("{}{path}", self.base)).header("x-forwarded-for", from);
        answer(request.send_form(fields).unwrap())
    }

    /// Posts any body.
    pub fn post_body(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        answer(self.agent.post(format!("{}{path}", self.base)).content_type(kind).send(body).unwrap())
    }

    /// Opens a page and sends its form to `path`, filled in as somebody would: what is not named stays as the page has
    /// it. Fails when the page has no such form, or the form no such control.
    #[track_caller]
    pub fn post_from(&self, page: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let opened = self.get(page);
        let found = forms(&opened.body, page);
        let forms: Vec<_> =
            found.iter().filter(|form| form.posted && form.action.split(['#', '?']).next() == Some(path)).collect();
        let takes = |form: &&&Form| fields.iter().all(|(name, value)| form.takes(name, value));
        let Some(form) = forms.iter().find(takes) else {
            panic!("{page} has no form to {path} with {fields:?}: {forms:#?}\n{}", opened.body);
        };
        let is_named = |name: &str| fields.iter().any(|(field, _)| *field == name);
        let kept = form.fields.iter().filter(|(name, _)| !is_named(name));
        let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
        self.post_bare(path, &kept.chain(fields.iter().copied()).collect::<Vec<_>>())
    }

    /// Posts fields with a token, whatever form there is: what a page does not offer, or no longer.
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let csrf = self.get("/about").hidden("csrf");
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend_from_slice(fields);
        self.post_bare(path, &all)
    }

    /// Follows where an answer leads, to the page at the end.
    pub fn follow(&self, mut answer: Answer) -> Answer {
        for _ in 0..5 {
            if answer.status != 303 {
                return answer;
            }
            let to = answer.header("location").to_owned();
            answer = self.get(&to);
        }
        panic!("led in a circle to {}", answer.header("location"));
    }
}

fn answer(mut response: ureq::http::Response<ureq::Body>) -> Answer {
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let status = response.status().as_u16();
    Answer { status, headers, body: response.body_mut().read_to_string().unwrap() }
}
