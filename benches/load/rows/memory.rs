//! What is resident: fresh, and after a burst of sign-ups, each of which hashes a password with much memory.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use super::super::Res;
use super::super::http::{self, Client};
use super::super::machine::rest;
use super::super::options::Options;
use super::super::report::Report;
use super::super::scratch::Maker;
use super::super::server::Server;
use super::super::sink::Sink;

/// How many sign up at once.
const CLIENTS: usize = 8;

/// When it is looked again: the allocator gives memory back by and by.
const LATER: Duration = Duration::from_secs(15);

const PASSWORD: &str = "correct horse battery staple";

/// Measures it.
pub fn measure(options: &Options, maker: &Maker, report: &mut Report) -> Res<()> {
    let scratch = maker.make()?;
    let sink = Sink::start(true)?;
    let server = Server::start(options, &scratch, sink.port)?;
    thread::sleep(Duration::from_secs(1));
    let fresh = server.resident_mb();
    report.add("resident, fresh", format!("{fresh:.0} MB"), "", &[("mb", fresh)]);
    let count = options.pick(400, 24);
    let start = Instant::now();
    let address = server.address;
    thread::scope(|scope| -> Res<()> {
        let sink = &sink;
        let sign_ups =
            |first: usize| move || (first..count).step_by(CLIENTS).try_for_each(|nth| sign_up(address, sink, nth));
        let clients: Vec<_> = (0..CLIENTS).map(|first| scope.spawn(sign_ups(first))).collect();
        for client in clients {
            client.join().map_err(|_| "a client failed")??;
        }
        Ok(())
    })?;
    let rate = count as f64 / start.elapsed().as_secs_f64();
    rest();
    let (now, peak) = (server.resident_mb(), server.peak_mb());
    thread::sleep(options.pick(LATER, Duration::ZERO));
    let later = server.resident_mb();
    report.add(
        format!("resident after {count} sign-ups by {CLIENTS} clients"),
        format!(
            "{now:.0} MB (at most {peak:.0}; {later:.0} after {} s at rest); {rate:.0} sign-ups/s",
            LATER.as_secs()
        ),
        "60 MB",
        &[("mb", now), ("peak_mb", peak), ("later_mb", later), ("rate", rate)],
    );
    Ok(())
}

/// Signs up, opens the link of the letter, and signs in if that was not enough.
fn sign_up(address: SocketAddr, sink: &Sink, nth: usize) -> Res<()> {
    let mut browser = Browser { client: Client::new(address), jar: BTreeMap::new() };
    let (name, email) = (format!("newcomer{nth}"), format!("newcomer{nth}@players.example"));
    let page = browser.get("/sign-up")?;
    let fields = [("name", name.as_str()), ("email", &email), ("password", PASSWORD), ("zone", "Europe/Berlin")];
    browser.send("/sign-up", &page, &fields)?;
    let link = sink.link(&email)?;
    let page = browser.get(&link)?;
    browser.send(&link, &page, &[])?;
    if !browser.jar.contains_key("session") {
        let page = browser.get("/sign-in")?;
        browser.send("/sign-in", &page, &[("who", &email), ("password", PASSWORD)])?;
    }
    if browser.jar.contains_key("session") { Ok(()) } else { Err(format!("{name} is not signed in").into()) }
}

struct Browser {
    client: Client,
    jar: BTreeMap<String, String>,
}

impl Browser {
    fn cookies(&self) -> String {
        self.jar.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    fn get(&mut self, path: &str) -> Res<String> {
        self.ask(&http::get(path, &self.cookies(), ""), path)
    }

    /// Sends a form of this page.
    fn send(&mut self, path: &str, page: &str, fields: &[(&str, &str)]) -> Res<String> {
        let csrf = http::field(page, "csrf").ok_or_else(|| format!("{path} has no form"))?;
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend(fields);
        self.ask(&http::post(path, &self.cookies(), &all), path)
    }

    fn ask(&mut self, request: &[u8], path: &str) -> Res<String> {
        let answer = self.client.send(request)?;
        if !(200..400).contains(&answer.status) {
            return Err(format!("{path}: status {}: {}", answer.status, answer.text()).into());
        }
        for cookie in answer.headers("set-cookie") {
            let pair = cookie.split(';').next().unwrap_or_default();
            match pair.split_once('=') {
                Some((name, "")) => drop(self.jar.remove(name)),
                Some((name, value)) => drop(self.jar.insert(name.to_owned(), value.to_owned())),
                None => {}
            }
        }
        Ok(answer.text())
    }
}
