//! Rows that need live tables: a thousand of them, each with two players of its own.

use super::super::Res;
use super::super::drive::{drive, share};
use super::super::fill::{self, Table};
use super::super::http::{self, Client};
use super::super::machine;
use super::super::options::{Group, Options};
use super::super::report::Report;
use super::super::scratch::{Maker, Scratch};
use super::super::server::Server;
use super::super::sink::Sink;
use super::{Pages, due, forget_letters, plots, turn};

/// Tables in the middle of a game.
const PLAYED: usize = 8;

/// Phases that are behind them.
const PHASES: usize = 7;

/// What the rows share.
pub struct Live<'a> {
    /// The options.
    pub options: &'a Options,
    /// The database.
    pub scratch: Scratch,
    /// The server on it.
    pub server: Server,
    /// Tables in the middle of a game.
    pub played: Vec<Table>,
    /// Tables that have just begun.
    pub fresh: Vec<Table>,
}

/// Measures what is wanted of them.
pub fn measure(options: &Options, maker: &Maker, report: &mut Report) -> Res<()> {
    let scratch = maker.make()?;
    let (played, fresh) = fill_up(options, &scratch)?;
    forget_letters(&mut scratch.peek()?)?;
    let sink = Sink::start(false)?;
    let server = Server::start(options, &scratch, sink.port)?;
    let live = Live { options, scratch, server, played, fresh };
    if options.wants(Group::Memory) {
        memory(&live, report)?;
    }
    if options.wants(Group::Turn) {
        turn::measure(&live, report)?;
    }
    if options.wants(Group::Plots) {
        plots::measure(&live, report)?;
    }
    if options.wants(Group::Due) {
        due::measure(&live, report)?;
    }
    Ok(())
}

fn fill_up(options: &Options, scratch: &Scratch) -> Res<(Vec<Table>, Vec<Table>)> {
    let (db, ctx) = (scratch.open()?, fill::ctx()?);
    let players = fill::players(&db, "player", 2 * options.tables())?;
    let mut tables = fill::tables_of(&db, &ctx, "conquest", players)?;
    let fresh = tables.split_off(PLAYED);
    for table in &tables {
        fill::play(&db, &ctx, table, PHASES)?;
    }
    Ok((tables, fresh))
}

fn memory(live: &Live<'_>, report: &mut Report) -> Res<()> {
    let pages = live.fresh.iter().map(|table| http::get(&table.path, &table.players[0].cookie, "")).collect();
    let visits = share(pages, 8).into_iter().map(|pages| Pages::new(Client::new(live.server.address), pages, 200));
    drive(live.options, &live.server, visits.collect())?;
    machine::rest();
    let (now, peak) = (live.server.resident_mb(), live.server.peak_mb());
    let what = format!("resident, {} live tables, their pages opened by 8 clients", live.options.tables());
    report.add(what, format!("{now:.0} MB (at most {peak:.0})"), "32 MB", &[("mb", now), ("peak_mb", peak)]);
    Ok(())
}
