//! The page of a table in the middle of a game, as a player sees it who owes orders.

use super::super::Res;
use super::super::drive::{drive, share};
use super::super::fill::Table;
use super::super::http::{self, Client};
use super::super::machine::{Bare, rest};
use super::super::report::Report;
use super::Pages;
use super::live::Live;

const GZIP: &str = "Accept-Encoding: gzip\r\n";

/// How many browsers there are.
const CLIENTS: usize = 8;

/// Measures it.
pub fn measure(live: &Live<'_>, report: &mut Report) -> Res<()> {
    let bare = Bare::start(live.options)?.measure(live.options, CLIENTS)?;
    report.add_load(format!("the machine: a bare handler, 35 kB, {CLIENTS} clients"), &bare, "", "");
    let rows = [
        ("", &live.played[..], CLIENTS, "4,800/s, p99 under 9 ms"),
        (GZIP, &live.played[..], CLIENTS, "4,800/s, p99 under 9 ms"),
        ("", &live.played[..1], 1, "under 0.6 ms"),
        (GZIP, &live.played[..1], 1, "under 0.6 ms"),
        ("", &live.fresh[..], CLIENTS, ""),
    ];
    for (more, tables, clients, goal) in rows {
        rest();
        let measured = drive(live.options, &live.server, visits(live, tables, clients, more))?;
        let who = if clients == 1 { "alone".to_owned() } else { format!("{clients} clients") };
        let what = format!(
            "turn page{}, {who}, {} table{}, {:.0} kB",
            if more.is_empty() { "" } else { ", gzip" },
            tables.len(),
            if tables.len() == 1 { "" } else { "s" },
            measured.bytes as f64 / 1000.0
        );
        let ratio = format!("; {:.3} of the bare handler", measured.rate() / bare.rate());
        report.add_load(what, &measured, if clients == CLIENTS { &ratio } else { "" }, goal);
    }
    unchanged(live, report)
}

fn visits(live: &Live<'_>, tables: &[Table], clients: usize, more: &str) -> Vec<Pages> {
    let requests = tables.iter().map(|table| http::get(&table.path, &table.players[0].cookie, more)).collect();
    let shares = share(requests, clients);
    shares.into_iter().map(|requests| Pages::new(Client::new(live.server.address), requests, 200)).collect()
}

/// The same for browsers that have the page already, where the server gives them something to ask by.
fn unchanged(live: &Live<'_>, report: &mut Report) -> Res<()> {
    let mut visits = Vec::new();
    for table in &live.played {
        let mut client = Client::new(live.server.address);
        let answer = client.send(&http::get(&table.path, &table.players[0].cookie, ""))?;
        let Some(tag) = answer.header("etag").map(str::to_owned) else {
            report.add("turn page, unchanged", "the page has no ETag", "304", &[]);
            return Ok(());
        };
        let asked = http::get(&table.path, &table.players[0].cookie, &format!("If-None-Match: {tag}\r\n"));
        visits.push(Pages::new(client, vec![asked], 304));
    }
    let measured = drive(live.options, &live.server, visits)?;
    report.add_load(format!("turn page, unchanged (304), {CLIENTS} clients"), &measured, "", "");
    Ok(())
}
