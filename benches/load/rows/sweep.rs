//! A sweep that finds nothing due: what the loop of the timers does whenever it is woken. Measured in this process, on
//! the server's own functions.

use std::time::Instant;

use stardate::clock::Clock;
use stardate::jobs::timers::{next_due, run_due};
use stardate::store::Database;

use super::super::Res;
use super::super::crowd::copy;
use super::super::fill;
use super::super::options::Options;
use super::super::report::Report;
use super::super::scratch::Maker;

const SWEEPS: usize = 300;

/// Measures it among few timers and among very many.
pub fn measure(options: &Options, maker: &Maker, report: &mut Report) -> Res<()> {
    let scratch = maker.make()?;
    let source = {
        let (db, ctx) = (scratch.open()?, fill::ctx()?);
        let players = fill::players(&db, "player", 2)?;
        fill::tables_of(&db, &ctx, "conquest", players)?[0].id.0
    };
    let mut made = 0;
    let mut few = f64::NAN;
    for (count, goal) in [(1000, ""), (options.pick(1_000_000, 50_000), "0.5 ms, at most twice what 1,000 take")] {
        let mut peek = scratch.peek()?;
        // Two timers a table: its deadline and the reminder before it.
        let filled = [
            ("id", "2 * i + CASE WHEN src.kind = 'deadline' THEN 0 ELSE 1 END".to_owned()),
            ("table_id", "i".to_owned()),
            ("due_at", peek.later("src.due_at", "i % 86400")),
        ];
        peek.run("BEGIN")?;
        copy(&mut peek, "timers", &format!("src.table_id = {source}"), (made + 1, count / 2), &filled)?;
        peek.run("COMMIT")?;
        made = count / 2;
        drop(peek);
        let median = sweeps(&scratch.open()?)?;
        let ratio = if few.is_nan() { String::new() } else { format!("; {:.1} times what few take", median / few) };
        few = if few.is_nan() { median } else { few };
        let what = format!("a sweep with nothing due, {count} open timers");
        report.add(what, format!("{median:.3} ms{ratio}"), goal, &[("p50_ms", median)]);
    }
    Ok(())
}

/// The median of some sweeps, in milliseconds.
fn sweeps(db: &Database) -> Res<f64> {
    let (ctx, clock) = (fill::ctx()?, Clock::System);
    let mut times = Vec::with_capacity(SWEEPS);
    for _ in 0..SWEEPS {
        let start = Instant::now();
        let swept = run_due(db, &ctx, &clock)?;
        let next = next_due(&mut *db.connection()?)?;
        times.push(start.elapsed());
        if swept.done + swept.failed > 0 || next.is_none() {
            return Err("a sweep found something due, or no timer at all".into());
        }
    }
    times.sort();
    Ok(times[times.len() / 2].as_secs_f64() * 1000.0)
}
