//! The turn page of a seat: what it sees, what it can order, what it has handed in.

use crate::mail::Section;
use crate::rules::{Examined, Seat, Slot};
use crate::store::{Conn, Stamp};

use super::{Ctx, PhaseNow, Refused};

/// What the player of a seat (or somebody without one) sees of a running or finished table.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The viewer's seat; `None`: somebody who only watches.
    pub seat: Option<Seat>,
    /// The open phase; `None` once the table is over.
    pub phase: Option<PhaseNow>,
    /// The view as JSON, for the game's board.
    pub view: String,
    /// The position as text.
    pub position: String,
    /// Whether orders are due from the viewer in the open phase.
    pub due: bool,
    /// What can be ordered now; empty when nothing is due.
    pub slots: Vec<Slot>,
    /// Orders saved and not handed in.
    pub draft: Option<Stored>,
    /// The plot that is in. While a draft is there too the plot stands until the draft is handed in.
    pub plot: Option<Stored>,
    /// Version to send along with the next change; see [`super::hand_in`].
    pub version: Option<i64>,
    /// What happened since the viewer's last orders.
    pub since: Vec<Section>,
    /// What happens to the viewer's seat at the deadline, as a sentence; empty when nothing is due.
    pub at_deadline: String,
    /// Whether the viewer's seat is still in play.
    pub active: bool,
}

/// Stored orders with what they mean.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The text.
    pub text: String,
    /// When it was stored.
    pub at: Stamp,
    /// The orders in words, and what is wrong with them.
    pub examined: Examined,
    /// The seal of a plot; empty for a draft.
    pub seal: String,
}

/// The turn of this viewer. See [`super::table_page`] for who may look.
pub fn turn(conn: &mut Conn, ctx: &Ctx, table_id: i64, viewer: Option<i64>) -> Result<Turn, Refused> {
    let _ = (conn, ctx, table_id, viewer);
    Err(Refused::NoTable)
}

/// Notes that the player has opened the page of the open phase. Somebody without a seat leaves no trace.
pub fn mark_seen(conn: &mut Conn, now: Stamp, table_id: i64, user_id: i64) -> Result<(), Refused> {
    let _ = (conn, now, table_id, user_id);
    Err(Refused::NoTable)
}
