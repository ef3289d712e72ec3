//! Opening a phase: its row, who is due in it, its clock and its timers.

use crate::rules::Phase;
use crate::store::phases::{self, PhaseRow};
use crate::store::plots::{self, DueRow};
use crate::store::timers::{self, TimerKind};
use crate::store::{Conn, PhaseNo, Stamp, game_tables};

use super::clock::{self, Running};
use crate::tables::access::Table;
use crate::tables::packed::pack;
use crate::tables::{Refused, words};

/// A phase about to open.
pub struct Opening<'a> {
    /// Its number.
    pub no: PhaseNo,
    /// The state it opens with.
    pub state: &'a str,
    /// What the game says of it.
    pub phase: &'a Phase,
    /// Its clock.
    pub running: Running,
    /// Under an inherited clock: who was due in the phase before. Who has seen that clock then has seen it now.
    pub dues_before: &'a [DueRow],
}

/// Opens a phase. Returns its row and its dues.
pub fn open(
    conn: &mut Conn,
    now: Stamp,
    table: &Table,
    opening: &Opening<'_>,
) -> Result<(PhaseRow, Vec<DueRow>), Refused> {
    let Opening { phase, running, .. } = *opening;
    let row = PhaseRow {
        table_id: table.row.id,
        no: opening.no,
        key: phase.key.clone(),
        name: phase.name.clone(),
        turn: i32::try_from(phase.turn).unwrap_or(i32::MAX),
        simultaneous: phase.simultaneous,
        state: pack(opening.state),
        opened_at: now,
        clock_started_at: running.started,
        deadline_at: Some(running.deadline),
        edition: table.edition(),
        closed_at: None,
        closed_by: None,
        leavers: None,
        report: None,
        throws: None,
    };
    phases::insert(conn, &row)?;
    game_tables::set_phase(conn, table.row.id, opening.no)?;
    let mut dues = Vec::with_capacity(phase.due.len());
    for due in &phase.due {
        let seat = words::number(due.seat);
        let before = opening.dues_before.iter().find(|before| before.seat == seat);
        let due = DueRow {
            table_id: table.row.id,
            phase_no: opening.no,
            seat,
            required: due.required,
            extended: false,
            seen_at: before.and_then(|before| before.seen_at),
        };
        plots::insert_due(conn, &due)?;
        dues.push(due);
    }
    if opening.dues_before.is_empty() {
        set_timers(conn, now, &row, running)?;
    } else {
        // One reminder a clock, not one a step: whether it is still to come is known from the phase before.
        timers::set(conn, now, row.table_id, TimerKind::Deadline, row.no, clock::fires(running.deadline))?;
        timers::carry(conn, row.table_id, TimerKind::Reminder, row.no)?;
    }
    Ok((row, dues))
}

/// The running clock of a phase.
pub fn running(phase: &PhaseRow) -> Result<Running, Refused> {
    let deadline = phase.deadline_at.ok_or_else(|| Refused::Broken(format!("phase {} has no deadline", phase.no)))?;
    Ok(Running { started: phase.clock_started_at, deadline })
}

/// Sets the deadline's timer, and the reminder's unless its time has passed.
pub fn set_timers(conn: &mut Conn, now: Stamp, phase: &PhaseRow, running: Running) -> Result<(), Refused> {
    timers::set(conn, now, phase.table_id, TimerKind::Deadline, phase.no, clock::fires(running.deadline))?;
    let reminder = clock::reminder(running);
    if reminder > now {
        timers::set(conn, now, phase.table_id, TimerKind::Reminder, phase.no, reminder)?;
    } else {
        timers::clear(conn, phase.table_id, TimerKind::Reminder)?;
    }
    Ok(())
}

/// Moves the clock of an open phase.
pub fn move_clock(conn: &mut Conn, now: Stamp, phase: &mut PhaseRow, to: Running) -> Result<(), Refused> {
    phases::set_clock(conn, phase.table_id, phase.no, to.started, to.deadline)?;
    phase.clock_started_at = to.started;
    phase.deadline_at = Some(to.deadline);
    set_timers(conn, now, phase, to)
}
