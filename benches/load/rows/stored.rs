//! What a phase leaves in the database, and its letters: games played by bots in the players' places.

use super::super::Res;
use super::super::fill;
use super::super::options::Options;
use super::super::report::Report;
use super::super::scratch::{Maker, Peek};
use super::super::server::Server;
use super::super::sink::Sink;
use super::letters_are_sent;

/// Tables in which what a phase needs is stored.
const OF_A_PHASE: [&str; 4] = ["phases", "plots", "dues", "drafts"];

/// Phases each table is played at most.
const PHASES: usize = 40;

/// Measures both games.
pub fn measure(options: &Options, maker: &Maker, report: &mut Report) -> Res<()> {
    for (game, name) in [("conquest", "ConQuest"), ("imperial-conflict", "Imperial Conflict")] {
        let scratch = maker.make()?;
        let players = fill::players(&scratch.open()?, "player", 2 * options.pick(8, 2))?;
        let empty = scratch.peek()?.size()?;
        let mut peek = {
            let (db, ctx) = (scratch.open()?, fill::ctx()?);
            for table in fill::tables_of(&db, &ctx, game, players)? {
                fill::play(&db, &ctx, &table, PHASES)?;
            }
            scratch.peek()?
        };
        let count = peek.number("SELECT count(*) FROM phases WHERE closed_at IS NOT NULL")?.max(1) as f64;
        let mut kept = 0;
        for table in OF_A_PHASE {
            kept += peek.bytes(table, "1 = 1")?;
        }
        let (phase, queued) = (kept as f64 / count, letters(&mut peek, count)?);
        drop(peek);
        let sink = Sink::start(false)?;
        let server = Server::start(options, &scratch, sink.port)?;
        let mut peek = scratch.peek()?;
        letters_are_sent(&mut peek)?;
        drop(server);
        let sent = letters(&mut peek, count)?;
        let whole = (peek.size()? - empty) as f64 / count;
        report.add(
            format!("stored per phase, {name} ({count} phases)"),
            format!(
                "{phase:.0} B; letters {queued:.0} B queued, {sent:.0} B once they are sent ({} were); with indexes and \
                 everything else {whole:.0} B",
                sink.letters()
            ),
            "1 kB; letters gone once sent",
            &[("phase_bytes", phase), ("queued_bytes", queued), ("sent_bytes", sent), ("whole_bytes", whole)],
        );
    }
    Ok(())
}

/// Bytes of letters for each of so many phases.
fn letters(peek: &mut Peek, phases: f64) -> Res<f64> {
    Ok(peek.bytes("outbox", "1 = 1")? as f64 / phases)
}
