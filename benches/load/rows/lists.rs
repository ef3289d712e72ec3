//! Lists and pages among very many tables: what they show does not grow, so neither should they.

use super::super::Res;
use super::super::crowd::Crowd;
use super::super::drive::drive;
use super::super::http::{self, Client};
use super::super::machine::rest;
use super::super::options::Options;
use super::super::report::Report;
use super::super::scratch::{Maker, Scratch};
use super::super::server::Server;
use super::super::sink::Sink;
use super::Pages;

/// How many players' pages are opened in turn.
const PLAYERS: i64 = 20;

/// Measures them at each number of tables.
pub fn measure(options: &Options, maker: &Maker, report: &mut Report) -> Res<()> {
    let scratch = maker.make()?;
    let mut crowd = Crowd::new(&scratch.open()?)?;
    let mut counts = options.pick(vec![20_000, 100_000], vec![5000]);
    counts.extend(options.million.then_some(1_000_000));
    for count in counts {
        let mut peek = scratch.peek()?;
        crowd.grow(&mut peek, count)?;
        super::forget_letters(&mut peek)?;
        // However long the copying took, it is no outage.
        peek.run("DELETE FROM heartbeats")?;
        drop(peek);
        pages(options, &scratch, &crowd, count, report)?;
    }
    Ok(())
}

fn pages(options: &Options, scratch: &Scratch, crowd: &Crowd, count: i64, report: &mut Report) -> Res<()> {
    let players = crowd.some(scratch, PLAYERS)?;
    let sink = Sink::start(false)?;
    let server = Server::start(options, scratch, sink.port)?;
    let of_players = |path: &dyn Fn(usize) -> String| {
        let request = |(nth, player): (usize, &super::super::fill::Player)| http::get(&path(nth), &player.cookie, "");
        players.iter().enumerate().map(request).collect::<Vec<_>>()
    };
    let rows = [
        ("start page of a visitor", vec![http::get("/", "", "")]),
        ("start page of a player", of_players(&|_| "/".to_owned())),
        ("open tables", of_players(&|_| "/tables".to_owned())),
        ("page of a player", of_players(&|nth| format!("/players/{}", players[(nth + 1) % players.len()].name))),
    ];
    for (what, requests) in rows {
        rest();
        let visit = Pages::new(Client::new(server.address), requests, 200);
        let measured = drive(options, &server, vec![visit])?;
        let what = format!("{what}, {count} tables, alone, {:.0} kB", measured.bytes as f64 / 1000.0);
        report.add_load(what, &measured, "", "under 5 ms, flat to 1,000,000");
    }
    let (now, peak) = (server.resident_mb(), server.peak_mb());
    let goal = if count == 100_000 { "under 150 MB" } else { "" };
    let words = format!("{now:.0} MB (at most {peak:.0})");
    report.add(format!("resident, {count} tables"), words, goal, &[("mb", now), ("peak_mb", peak)]);
    Ok(())
}
