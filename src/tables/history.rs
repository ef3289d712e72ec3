//! What happened phase by phase, and the record at the end.

use crate::rules::{Seat, Throw};
use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// A phase in the list of phases.
#[derive(Clone, Debug)]
pub struct PhaseHeadline {
    /// Number; 0 is the set-up.
    pub no: i32,
    /// `Turn 3, Deploy`.
    pub name: String,
    /// When it opened.
    pub opened_at: Stamp,
    /// When it closed; `None` for the open one.
    pub closed_at: Option<Stamp>,
    /// What closed it, in words: `all orders were in`.
    pub closed_by: Option<String>,
}

/// A closed phase, or the set-up (number 0), for one viewer.
#[derive(Clone, Debug)]
pub struct PhasePage {
    /// Number; 0 is the set-up.
    pub no: i32,
    /// `Turn 3, Deploy`.
    pub name: String,
    /// The viewer's seat.
    pub seat: Option<Seat>,
    /// When it opened.
    pub opened_at: Stamp,
    /// When it closed.
    pub closed_at: Stamp,
    /// What closed it, in words.
    pub closed_by: String,
    /// The view it opened with, as JSON; `None` for the set-up.
    pub view_before: Option<String>,
    /// The view after it, as JSON.
    pub view_after: String,
    /// What happened, a sentence each, as the viewer may read it.
    pub report: Vec<String>,
    /// The dice thrown, in order. Those of the set-up are shown once the table is over.
    pub throws: Vec<Throw>,
    /// The plots that were in.
    pub plots: Vec<PlotShown>,
    /// Whether a phase before it can be looked at.
    pub has_previous: bool,
    /// Whether a closed phase after it can be looked at.
    pub has_next: bool,
}

/// A plot of a closed phase. Salt and body are empty while they are still secret.
#[derive(Clone, Debug)]
pub struct PlotShown {
    /// Whose.
    pub seat: Seat,
    /// The salted hash published at once.
    pub seal: String,
    /// The salt, once open.
    pub salt: Option<String>,
    /// The orders in notation, once open.
    pub body: Option<String>,
    /// The orders in words, once open.
    pub words: Vec<String>,
    /// `hand`, `draft` or `default`.
    pub source: String,
    /// When it was handed in.
    pub handed_in_at: Stamp,
}

/// All phases of a table in order, the set-up first.
pub fn phase_history(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: i64,
    viewer: Option<i64>,
) -> Result<Vec<PhaseHeadline>, Refused> {
    let _ = (conn, ctx, table_id, viewer);
    Err(Refused::NoTable)
}

/// One closed phase as this viewer may see it; the open one and later ones are [`Refused::NoPhase`].
pub fn phase_report(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: i64,
    no: i32,
    viewer: Option<i64>,
) -> Result<PhasePage, Refused> {
    let _ = (conn, ctx, table_id, no, viewer);
    Err(Refused::NoTable)
}

/// The record of a table that is over, as text for [`super::record::replay`] and [`super::verify::verify`].
pub fn record_of(conn: &mut Conn, ctx: &Ctx, table_id: i64, viewer: Option<i64>) -> Result<String, Refused> {
    let _ = (conn, ctx, table_id, viewer);
    Err(Refused::NoTable)
}
