//! Tables whose time runs out in the same second: each is resolved with default plots, the next phase opened, letters
//! queued, all of it committed. What is seen from outside counts: from the second in which the timers are due until
//! the last table has moved on.

use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};

use super::super::Res;
use super::super::fill;
use super::super::http::Client;
use super::super::report::Report;
use super::super::scratch::Peek;
use super::super::server::cpu;
use super::letters_are_sent;
use super::live::Live;
use super::plots::Seat;

/// The longest it is waited for.
const MAY_TAKE: Duration = Duration::from_secs(300);

/// Seconds until the timers are due, in which the server is told of them.
const AHEAD_S: i64 = 3;

struct Round {
    took: Duration,
    letters: i64,
    cpu: Duration,
}

/// Measures it.
pub fn measure(live: &Live<'_>, report: &mut Report) -> Res<()> {
    let mut peek = live.scratch.peek()?;
    let count = peek.number("SELECT count(*) FROM timers WHERE kind = 'deadline'")? - 1;
    let mut rounds = Vec::new();
    for _ in 0..live.options.pick(3, 1) {
        letters_are_sent(&mut peek)?;
        rounds.push(round(live, &mut peek, count)?);
    }
    rounds.sort_by_key(|round| round.took);
    let round = &rounds[rounds.len() / 2];
    let (took, each) = (round.took.as_secs_f64(), round.cpu.as_secs_f64() * 1000.0 / count as f64);
    let rate = count as f64 / took;
    let all: Vec<String> = rounds.iter().map(|round| format!("{:.1}", round.took.as_secs_f64())).collect();
    report.add(
        format!("{count} tables due in one second"),
        format!(
            "{rate:.0}/s: all done after {took:.1} s (rounds: {} s), {} letters queued; {each:.2} ms of processor each, \
             sending included",
            all.join(", "),
            round.letters
        ),
        "1,500/s; 1,000 within 1.5 s",
        &[("rate", rate), ("took_s", took), ("letters", round.letters as f64), ("cpu_ms", each)],
    );
    Ok(())
}

fn round(live: &Live<'_>, peek: &mut Peek, count: i64) -> Res<Round> {
    let spare = live.fresh.last().ok_or("there are no tables")?;
    let due = fill::now() + TimeDelta::seconds(AHEAD_S);
    // The timer of a deadline fires a little after it.
    let deadline = due - TimeDelta::seconds(stardate::tables::RECEIPT_GRACE_S);
    let (due_text, deadline_text) = (due.format("%F %T"), deadline.format("%F %T"));
    let phases = "SELECT sum(phase_no) FROM game_tables";
    let letters = "SELECT count(*) FROM outbox";
    let (phases_before, letters_before) = (peek.number(phases)?, peek.number(letters)?);
    peek.run(&format!(
        "BEGIN; UPDATE phases SET deadline_at = '{deadline_text}' WHERE closed_at IS NULL AND table_id <> {spare}; \
         UPDATE timers SET due_at = '{due_text}' WHERE kind = 'deadline' AND table_id <> {spare}; COMMIT",
        spare = spare.id.0
    ))?;
    // What is handed in makes the server look when the next timer is due.
    let mut client = Client::new(live.server.address);
    Seat::open(&mut client, spare)?.hand_in(&mut client, false)?;
    while Utc::now().naive_utc() < due {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (start, cpu_before) = (Instant::now(), cpu(live.server.id()));
    let waiting = format!("SELECT count(*) FROM timers WHERE due_at = '{due_text}'");
    while peek.number(&waiting)? > 0 {
        if start.elapsed() > MAY_TAKE {
            return Err("the tables that are due are not resolved".into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let took = start.elapsed();
    let moved = peek.number(phases)? - phases_before;
    if moved < count * 99 / 100 {
        return Err(format!("of {count} tables that were due only {moved} moved on").into());
    }
    let letters = peek.number(letters)? - letters_before;
    Ok(Round { took, letters, cpu: cpu(live.server.id()).saturating_sub(cpu_before) })
}
