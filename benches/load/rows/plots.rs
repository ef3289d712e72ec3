//! Plots handed in again and again, each in place of the seat's earlier one: stored and synced when it is answered.
//!
//! A player may send a form a second, after the first 120. So each client goes round among many seats, each with a
//! player of its own; no setting of the server has to be lifted for it.

use std::thread;

use super::super::Res;
use super::super::drive::{Visit, drive, share};
use super::super::fill::Table;
use super::super::http::{self, Client};
use super::super::machine::{rest, transactions};
use super::super::report::Report;
use super::live::Live;

/// A seat whose plot is replaced.
pub struct Seat {
    path: String,
    cookie: String,
    csrf: String,
    phase: String,
    /// What the form says of the orders it was made from; 0: none.
    version: i64,
    /// The names of its lists.
    lists: Vec<String>,
    plots: [String; 2],
    turn: usize,
}

impl Seat {
    /// Opens the page of the table and reads its form.
    pub fn open(client: &mut Client, table: &Table) -> Res<Seat> {
        let player = &table.players[0];
        let page = client.send(&http::get(&table.path, &player.cookie, ""))?.text();
        let action = format!("action=\"{}/plot", table.path);
        let form = page.split_once(&action).ok_or_else(|| format!("{} has no form for plots", table.path))?.1;
        let field = |name: &str| http::field(form, name).ok_or_else(|| format!("the form has no field {name}"));
        Ok(Seat {
            path: format!("{}/plot", table.path),
            cookie: player.cookie.clone(),
            csrf: field("csrf")?,
            phase: field("phase_no")?,
            version: field("version")?.parse().unwrap_or(0),
            lists: lists(form),
            plots: table.plots.clone(),
            turn: 0,
        })
    }

    /// Hands in the other one of its two plots. `lists`: with all lists of the form, in which nothing is chosen.
    pub fn hand_in(&mut self, client: &mut Client, lists: bool) -> Res<usize> {
        let version = if self.version == 0 { String::new() } else { self.version.to_string() };
        let text = &self.plots[self.turn % 2];
        let button = if text == "pass" { "pass" } else { "hand-in" };
        let mut fields = vec![
            ("csrf", self.csrf.as_str()),
            ("phase_no", &self.phase),
            ("version", &version),
            ("text", text),
            ("do", button),
        ];
        fields.extend(self.lists.iter().filter(|_| lists).map(|name| (name.as_str(), "")));
        let answer = client.send(&http::post(&self.path, &self.cookie, &fields))?;
        if answer.status != 303 {
            return Err(format!("a plot was answered by {}: {}", answer.status, answer.text()).into());
        }
        let bytes = answer.body.len();
        self.turn += 1;
        self.version += 1;
        Ok(bytes)
    }
}

/// The names of the lists of a form.
fn lists(form: &str) -> Vec<String> {
    let form = form.split("</form>").next().unwrap_or_default();
    let named = |tag: &str| Some(tag.split("name=\"").nth(1)?.split('"').next()?.to_owned());
    form.split("<select ").skip(1).filter_map(named).collect()
}

struct Replacing {
    client: Client,
    lists: bool,
    seats: Vec<Seat>,
    next: usize,
}

impl Visit for Replacing {
    fn visit(&mut self) -> Res<usize> {
        let nth = self.next % self.seats.len();
        self.next += 1;
        self.seats[nth].hand_in(&mut self.client, self.lists)
    }
}

/// Measures it.
pub fn measure(live: &Live<'_>, report: &mut Report) -> Res<()> {
    let loads = [(16, false, "the raw loop, p99 under 15 ms"), (16, true, ""), (1, false, ""), (64, false, "")];
    let seats = open_all(live)?;
    // Each load has seats of its own: whoever has used up the first 120 forms is held up.
    let mut parts = split(seats, &[8, 4, 1, 4]).into_iter();
    for (clients, lists, goal) in loads {
        let Some(part) = parts.next() else { break };
        rest();
        let before = transactions(live.options, &live.scratch, 1)?;
        let shares = share(part, clients);
        let replacing = |seats| Replacing { client: Client::new(live.server.address), lists, seats, next: 0 };
        let visits = shares.into_iter().map(replacing);
        let measured = drive(live.options, &live.server, visits.collect())?;
        let after = transactions(live.options, &live.scratch, 1)?;
        let raw = f64::midpoint(before, after);
        if clients == 16 && !lists {
            let words = format!("{raw:.0}/s ({before:.0} before the plots, {after:.0} after)");
            report.add("the machine: small synced transactions, one after the other", words, "", &[("rate", raw)]);
        }
        let who = if clients == 1 { "1 client".to_owned() } else { format!("{clients} clients") };
        let ratio = format!("; {:.2} of the raw loop ({before:.0} and {after:.0}/s)", measured.rate() / raw);
        let form = if lists { ", with all lists of the form" } else { "" };
        report.add_load(format!("plots accepted, {who}{form}"), &measured, &ratio, goal);
    }
    if live.options.postgres {
        let rate = transactions(live.options, &live.scratch, 16)?;
        let words = format!("{rate:.0}/s");
        report.add("the machine: small synced transactions on 16 connections", words, "", &[("rate", rate)]);
    }
    Ok(())
}

/// Opens the pages of all tables, by several clients at once.
fn open_all(live: &Live<'_>) -> Res<Vec<Seat>> {
    // The last table is left for waking the server.
    let tables: Vec<&Table> = live.fresh.iter().rev().skip(1).collect();
    let address = live.server.address;
    let open = |tables: Vec<&Table>| -> Res<Vec<Seat>> {
        let mut client = Client::new(address);
        tables.into_iter().map(|table| Seat::open(&mut client, table)).collect()
    };
    thread::scope(|scope| {
        let open = &open;
        let opening: Vec<_> = share(tables, 4).into_iter().map(|tables| scope.spawn(move || open(tables))).collect();
        let mut seats = Vec::new();
        for one in opening {
            seats.extend(one.join().map_err(|_| "a client failed")??);
        }
        Ok(seats)
    })
}

/// Splits seats in these proportions.
fn split(mut seats: Vec<Seat>, parts: &[usize]) -> Vec<Vec<Seat>> {
    let (count, whole) = (seats.len(), parts.iter().sum::<usize>());
    parts.iter().map(|part| seats.drain(..(count * part / whole).min(seats.len())).collect()).collect()
}
