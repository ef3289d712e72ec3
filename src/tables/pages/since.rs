//! What happened since a player's last orders, as the turn page and letters tell it.
//!
//! Phases whose plots were secret are told one by one. Turns of one player after the other are many small steps
//! each: they are condensed by the game, several turns in one section. What the player's own running turn has led
//! to so far is apart from that: see [`so_far`].

use std::collections::BTreeMap;

use crate::mail::Section;
use crate::rules::{Game, ReportEntry, Seat};
use crate::store::phases::{self, PhaseReport, Place};
use crate::store::{Conn, PhaseNo, TableId, plots};

use crate::tables::access::Table;
use crate::tables::{Refused, words};

/// What happened since this seat's last orders; to somebody without a seat: in the last phase, or the last turn
/// where a turn is many steps. A seat in the middle of its own turn is told what happened before it.
pub fn since(conn: &mut Conn, table: &Table, seat: Option<Seat>) -> Result<Vec<Section>, Refused> {
    let id = table.row.id;
    let until = told_until(conn, table, seat)?;
    let from = match seat {
        Some(seat) => plots::last_due(conn, id, words::number(seat), until)?,
        None => Some(last_stretch(conn, id, until.before())?),
    };
    let ended = table.is_over();
    let mut sections = Vec::new();
    if from.is_none()
        && let Some(opening) = phases::opening(conn, id)?
    {
        push(&mut sections, "Set-up".to_owned(), report_lines(&*table.game, &opening.report, seat, ended)?);
    }
    let reports = phases::reports(conn, id, from.unwrap_or(PhaseNo(1)), until)?;
    let clock = by_clock(conn, table, from.unwrap_or(PhaseNo(1)), until)?;
    for stretch in reports.chunk_by(|one, next| !one.simultaneous && !next.simultaneous) {
        match stretch {
            [phase] if phase.simultaneous => {
                let mut lines = clock.get(&phase.no).cloned().unwrap_or_default();
                lines.extend(report_lines(&*table.game, report(phase), seat, ended)?);
                push(&mut sections, words::phase_name(phase.turn, &phase.name), lines);
            }
            steps => push(&mut sections, turns(steps), condensed(&*table.game, steps, &clock, seat, ended)?),
        }
    }
    Ok(sections)
}

/// What the steps of the seat's own running turn have led to so far, every line of it, the newest step first;
/// empty when the open phase is not a further step of a turn of this seat.
pub fn so_far(conn: &mut Conn, table: &Table, seat: Seat) -> Result<Vec<Section>, Refused> {
    let (id, now_no) = (table.row.id, table.row.phase_no);
    let first = told_until(conn, table, Some(seat))?;
    if table.is_over() || first >= now_no {
        return Ok(Vec::new());
    }
    let clock = by_clock(conn, table, first, now_no)?;
    let mut sections = Vec::new();
    for phase in phases::reports(conn, id, first, now_no)?.iter().rev() {
        let mut lines = clock.get(&phase.no).cloned().unwrap_or_default();
        lines.extend(report_lines(&*table.game, report(phase), Some(seat), false)?);
        push(&mut sections, phase.name.clone(), lines);
    }
    Ok(sections)
}

/// A stored report as sentences for this viewer.
pub fn report_lines(game: &dyn Game, report: &str, viewer: Option<Seat>, ended: bool) -> Result<Vec<String>, Refused> {
    let mut lines = Vec::new();
    for entry in &entries(report)? {
        lines.extend(game.tell(entry, viewer, ended)?);
    }
    Ok(lines)
}

/// The entries of a stored report.
pub fn entries(report: &str) -> Result<Vec<ReportEntry>, Refused> {
    serde_json::from_str(report).map_err(|error| Refused::Broken(format!("a stored report cannot be read: {error}")))
}

/// The entries of a stored report that this viewer may read; all of them once the table is over.
pub fn entries_for(report: &str, viewer: Option<Seat>, ended: bool) -> Result<Vec<ReportEntry>, Refused> {
    let mut entries = entries(report)?;
    entries.retain(|entry| ended || entry.audience.includes(viewer));
    Ok(entries)
}

fn report(phase: &PhaseReport) -> &str {
    phase.report.as_deref().unwrap_or("[]")
}

/// Number of the phase before which everything is told as past: the open one, but for a seat in the middle of its
/// own turn the first step of it, and past the last phase once the table is over.
fn told_until(conn: &mut Conn, table: &Table, seat: Option<Seat>) -> Result<PhaseNo, Refused> {
    let (id, now_no) = (table.row.id, table.row.phase_no);
    if table.is_over() {
        return Ok(now_no.next());
    }
    let Some(seat) = seat else { return Ok(now_no) };
    let first = last_stretch(conn, id, now_no)?;
    // Turns of several players may have one number: the seat's own is where it was due without a break.
    let due = plots::phases_due(conn, id, words::number(seat), first, now_no)?;
    let unbroken = due.iter().zip((first.0..=now_no.0).rev()).take_while(|(due, no)| due.0 == *no).count();
    Ok(PhaseNo(now_no.0 + 1 - i32::try_from(unbroken.max(1)).unwrap_or(1)))
}

/// The first step of the turn that phase `no` belongs to; the phase itself where plots are secret. The first
/// phase of a table when there is none so early.
fn last_stretch(conn: &mut Conn, table_id: TableId, no: PhaseNo) -> Result<PhaseNo, Refused> {
    let Some(Place { turn, simultaneous: false, .. }) = phases::place(conn, table_id, no)? else {
        return Ok(no.max(PhaseNo(1)));
    };
    Ok(phases::first_step(conn, table_id, turn)?.unwrap_or(no))
}

/// What the clock did in the closed phases of a range, by phase.
fn by_clock(
    conn: &mut Conn,
    table: &Table,
    from: PhaseNo,
    until: PhaseNo,
) -> Result<BTreeMap<PhaseNo, Vec<String>>, Refused> {
    let mut lines: BTreeMap<PhaseNo, Vec<String>> = BTreeMap::new();
    for plot in plots::not_by_hand(conn, table.row.id, from, until)? {
        lines.entry(plot.phase_no).or_default().extend(words::clock_lines(std::slice::from_ref(&plot)));
    }
    Ok(lines)
}

/// `Turn 7`, `Turns 7 to 9`.
fn turns(steps: &[PhaseReport]) -> String {
    match (steps.first(), steps.last()) {
        (Some(first), Some(last)) if first.turn != last.turn => format!("Turns {} to {}", first.turn, last.turn),
        (Some(first), _) => format!("Turn {}", first.turn),
        (None, _) => String::new(),
    }
}

fn condensed(
    game: &dyn Game,
    steps: &[PhaseReport],
    clock: &BTreeMap<PhaseNo, Vec<String>>,
    seat: Option<Seat>,
    ended: bool,
) -> Result<Vec<String>, Refused> {
    let mut lines = Vec::new();
    let mut all = Vec::new();
    for step in steps {
        for line in clock.get(&step.no).into_iter().flatten() {
            lines.push(format!("Turn {}: {line}", step.turn));
        }
        all.extend(entries(report(step))?);
    }
    // A clock that runs out closes a turn in several steps, each with the same words.
    lines.dedup();
    lines.extend(game.digest(&all, seat, ended)?);
    Ok(lines)
}

fn push(sections: &mut Vec<Section>, heading: String, lines: Vec<String>) {
    if !lines.is_empty() {
        sections.push(Section { heading, lines });
    }
}
