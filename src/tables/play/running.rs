//! A running table with its open phase, as use cases work on it, and why a phase closes.

use crate::rules::{Leaving, Seat};
use crate::store::phases::{self, ClosedBy, PhaseRow};
use crate::store::plots::{self, DueRow, PlotRow};
use crate::store::seats::{self, Seated};
use crate::store::{Conn, Stamp};

use crate::tables::access::Table;
use crate::tables::packed::unpack;
use crate::tables::{Refused, words};

/// A running table with its open phase.
pub struct Play {
    /// The table.
    pub table: Table,
    /// Its seats, in seat order.
    pub seats: Vec<Seated>,
    /// The open phase.
    pub phase: PhaseRow,
    /// The state it opened with.
    pub state: String,
    /// Who is due.
    pub dues: Vec<DueRow>,
    /// The plots that are in.
    pub plots: Vec<PlotRow>,
}

impl Play {
    /// Reads the open phase of a running table.
    pub fn load(conn: &mut Conn, table: Table) -> Result<Play, Refused> {
        table.must_run()?;
        let (id, no) = (table.row.id, table.row.phase_no);
        let phase = phases::find(conn, id, no)?
            .filter(|phase| phase.closed_at.is_none())
            .ok_or_else(|| Refused::Broken(format!("phase {no} is not open")))?;
        let state = unpack(&phase.state)?;
        let seats = seats::of_table(conn, id)?;
        let dues = plots::dues(conn, id, no)?;
        let plots = plots::of_phase(conn, id, no)?;
        Ok(Play { table, seats, phase, state, dues, plots })
    }

    /// Whether this seat's plot is in.
    pub fn is_in(&self, seat: i32) -> bool {
        self.plots.iter().any(|plot| plot.seat == seat)
    }

    /// The row of a seat.
    pub fn seated(&self, seat: i32) -> Result<&Seated, Refused> {
        self.seats
            .iter()
            .find(|seated| seated.row.seat == Some(seat))
            .ok_or_else(|| Refused::Broken(format!("seat {} has no player", words::seat(seat))))
    }

    /// Whether the phase waits for nobody any more: all required plots are in, or all where none is required.
    pub fn is_ready(&self) -> bool {
        let any_required = self.dues.iter().any(|due| due.required);
        self.dues.iter().filter(|due| due.required || !any_required).all(|due| self.is_in(due.seat))
    }

    /// The time of what happens now at the table: never before the phase opened, nor before a plot that is in. Clocks of
    /// two processes differ by a little, and times at a table never run backwards.
    pub fn moment(&self, now: Stamp) -> Stamp {
        self.plots.iter().map(|plot| plot.handed_in_at).fold(now.max(self.phase.opened_at), Stamp::max)
    }

    /// Whether the clock has run out.
    pub fn is_overdue(&self, now: Stamp) -> bool {
        self.phase.deadline_at.is_some_and(|deadline| deadline <= now)
    }
}

/// Why a phase closes.
pub enum Closing {
    /// All orders that were waited for are in.
    Orders,
    /// The time ran out. For these seats drafts or default plots were put in.
    Time(Vec<i32>),
    /// These seats leave, all at once.
    Leave(Vec<(Seat, Leaving)>),
}

impl Closing {
    /// As it is stored.
    pub fn by(&self) -> ClosedBy {
        match self {
            Closing::Orders => ClosedBy::Plots,
            Closing::Time(_) => ClosedBy::Time,
            Closing::Leave(leavers) if leavers.iter().any(|(_, leaving)| *leaving == Leaving::Dropped) => {
                ClosedBy::Dropped
            }
            Closing::Leave(_) => ClosedBy::Resigned,
        }
    }

    /// Who leaves.
    pub fn leavers(&self) -> &[(Seat, Leaving)] {
        match self {
            Closing::Leave(leavers) => leavers,
            Closing::Orders | Closing::Time(_) => &[],
        }
    }
}
