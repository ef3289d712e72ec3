//! Handing in, saving and taking back orders.

use crate::rules::{Examined, Seat};
use crate::store::phases;
use crate::store::plots::PlotSource;
use crate::store::plots::{self, DraftRow, PlotRow};
use crate::store::{Conn, Stamp, users};

use super::advance::close;
use super::lines::{MAX_PLOT_BYTES, orders};
use super::running::{Closing, Play};
use super::seal::Unsealed;
use crate::tables::access::{self, Table};
use crate::tables::{Act, Ctx, Refused, TwoTabs, words};

/// A plot that is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedIn {
    /// The salted hash that everybody may see at once.
    pub seal: String,
    /// Version to send along with the next change.
    pub version: i64,
    /// Whether it was the last one awaited, so that the phase has resolved.
    pub resolved: bool,
}

/// Reads and checks a text for the open phase without storing anything.
pub fn examine(conn: &mut Conn, ctx: &Ctx, act: &Act, text: &str) -> Result<Examined, Refused> {
    must_fit(text)?;
    let (play, seat) = look(conn, ctx, act)?;
    Ok(play.table.game.examine(&play.state, seat, text)?)
}

/// The open phase with the player's seat, to read.
pub fn look(conn: &mut Conn, ctx: &Ctx, act: &Act) -> Result<(Play, Seat), Refused> {
    let table = access::visible(conn, ctx, act.table, Some(act.user), None)?;
    due_play(conn, table, act)
}

/// Hands in a plot in place of the seat's earlier one; the last one awaited resolves the phase at once.
///
/// `now` is the time of the transaction, from which the next clock runs. Whether it was in time goes by
/// [`Act::received`]: from the deadline on it is too late.
pub fn hand_in(conn: &mut Conn, ctx: &Ctx, now: Stamp, act: &Act, text: &str) -> Result<HandedIn, Refused> {
    let place = changeable(conn, ctx, act)?;
    must_fit(text)?;
    let examined = place.0.table.game.examine(&place.0.state, place.1, text)?;
    put_in(conn, ctx, now, act, place, &Readied { text: text.to_owned(), examined })
}

/// Orders that have been read in the position of their phase. A phase never changes its position, so this can be
/// done before the table is locked.
pub struct Readied {
    /// The text.
    pub text: String,
    /// What it says.
    pub examined: Examined,
}

/// Hands in orders that have been read, at a table that [`changeable`] has locked.
pub fn put_in(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    act: &Act,
    (mut play, seat): (Play, Seat),
    readied: &Readied,
) -> Result<HandedIn, Refused> {
    let number = words::number(seat);
    let slip = Slip::load(conn, &play, number)?;
    let body = readied.examined.canonical();
    if let Some(plot) = slip.plot.as_ref().filter(|plot| slip.draft.is_none() && plot.body == body) {
        // The same form sent twice.
        return Ok(HandedIn { seal: plot.seal.clone(), version: plot.version, resolved: false });
    }
    slip.must_be_at(act.base, &readied.text)?;
    if !readied.examined.faults.is_empty() {
        return Err(Refused::Faulty(readied.examined.faults.clone()));
    }
    // Shown as the time it came in, and in the order of what happened whatever the sender's part in it was.
    let at = act.received.max(play.phase.opened_at);
    let row = Unsealed {
        table_id: act.table,
        phase_no: act.phase,
        seat: number,
        body,
        source: PlotSource::Hand,
        version: slip.next_version(),
        handed_in_at: at,
    }
    .seal();
    plots::put(conn, &row)?;
    plots::delete_draft(conn, act.table, act.phase, number)?;
    plots::mark_seen(conn, act.table, act.phase, number, now)?;
    let done = HandedIn { seal: row.seal.clone(), version: row.version, resolved: false };
    play.plots.retain(|plot| plot.seat != number);
    play.plots.push(row);
    if !play.is_ready() {
        return Ok(done);
    }
    close(conn, ctx, now, play, Closing::Orders)?;
    Ok(HandedIn { resolved: true, ..done })
}

/// Saves a draft, legal or not. Returns the version to send along with the next change. A plot that is in still counts.
pub fn save_draft(conn: &mut Conn, ctx: &Ctx, now: Stamp, act: &Act, text: &str) -> Result<i64, Refused> {
    let (play, seat) = changeable(conn, ctx, act)?;
    must_fit(text)?;
    let number = words::number(seat);
    let slip = Slip::load(conn, &play, number)?;
    if let Some(draft) = slip.draft.as_ref().filter(|draft| draft.body == text) {
        return Ok(draft.version);
    }
    slip.must_be_at(act.base, text)?;
    let version = slip.next_version();
    put_draft(conn, now, act, number, text, version)?;
    Ok(version)
}

/// Whether this very text was this player's plot of a phase that is over: then it was sent twice, and the first
/// one counted.
pub fn was_taken(conn: &mut Conn, act: &Act, text: &str) -> Result<bool, Refused> {
    let Some(seat) = access::seat_of(conn, act.table, act.user)? else { return Ok(false) };
    // Where somebody left instead, nothing was carried out; the plot went on to the next phase.
    if phases::find(conn, act.table, act.phase)?.is_none_or(|phase| phase.leavers.is_some()) {
        return Ok(false);
    }
    let plot = plots::find(conn, act.table, act.phase, words::number(seat))?;
    Ok(plot.is_some_and(|plot| plot.source == PlotSource::Hand && orders(&plot.body) == orders(text)))
}

/// Takes the plot back; its text stays as a draft. Returns the version to send along with the next change.
pub fn withdraw(conn: &mut Conn, ctx: &Ctx, now: Stamp, act: &Act) -> Result<i64, Refused> {
    let (play, seat) = changeable(conn, ctx, act)?;
    let number = words::number(seat);
    let slip = Slip::load(conn, &play, number)?;
    let plot = slip.plot.as_ref().ok_or(Refused::NothingIn)?;
    slip.must_be_at(act.base, "")?;
    let version = slip.next_version();
    // A draft that was being written meanwhile is the newer text.
    let body = slip.draft.as_ref().map_or(plot.body.clone(), |draft| draft.body.clone());
    plots::delete(conn, act.table, act.phase, number)?;
    put_draft(conn, now, act, number, &body, version)?;
    Ok(version)
}

fn put_draft(conn: &mut Conn, now: Stamp, act: &Act, seat: i32, text: &str, version: i64) -> Result<(), Refused> {
    let (table_id, phase_no) = (act.table, act.phase);
    let row = DraftRow { table_id, phase_no, seat, body: text.to_owned(), version, saved_at: now };
    plots::put_draft(conn, &row)?;
    Ok(plots::mark_seen(conn, table_id, phase_no, seat, now)?)
}

fn must_fit(text: &str) -> Result<(), Refused> {
    if text.len() > MAX_PLOT_BYTES { Err(Refused::TooLong(MAX_PLOT_BYTES)) } else { Ok(()) }
}

/// The locked table with its open phase, if this player may change their orders in it now.
pub fn changeable(conn: &mut Conn, ctx: &Ctx, act: &Act) -> Result<(Play, Seat), Refused> {
    let table = access::lock(conn, ctx, act.table)?;
    if !access::may_see(conn, &table.row, Some(act.user), None)? {
        return Err(Refused::NoTable);
    }
    // A form on its way while the account was deleted, by whichever way it came in.
    if users::find(conn, act.user)?.is_none_or(|user| user.deleted_at.is_some()) {
        return Err(Refused::SignedOut);
    }
    let (play, seat) = due_play(conn, table, act)?;
    match play.phase.deadline_at {
        Some(deadline) if deadline <= act.received => Err(Refused::TooLate { deadline }),
        _ => Ok((play, seat)),
    }
}

fn due_play(conn: &mut Conn, table: Table, act: &Act) -> Result<(Play, Seat), Refused> {
    let seat = access::seat_of(conn, table.row.id, act.user)?.ok_or(Refused::NoSeat)?;
    if table.is_over() || table.row.phase_no != act.phase {
        return Err(Refused::PhaseOver { current: table.row.phase_no, ended: table.is_over() });
    }
    let play = Play::load(conn, table)?;
    if !play.dues.iter().any(|due| due.seat == words::number(seat)) {
        return Err(Refused::NotDue);
    }
    Ok((play, seat))
}

/// What a seat has stored for a phase.
pub struct Slip {
    /// The plot that is in.
    pub plot: Option<PlotRow>,
    /// The draft, which is newer than the plot where both are there.
    pub draft: Option<DraftRow>,
}

impl Slip {
    /// Reads it.
    pub fn load(conn: &mut Conn, play: &Play, seat: i32) -> Result<Slip, Refused> {
        let plot = play.plots.iter().find(|plot| plot.seat == seat).cloned();
        let draft = plots::draft(conn, play.table.row.id, play.phase.no, seat)?;
        Ok(Slip { plot, draft })
    }

    /// Counts every change; `None` as long as nothing is stored.
    pub fn version(&self) -> Option<i64> {
        self.plot.as_ref().map(|plot| plot.version).max(self.draft.as_ref().map(|draft| draft.version))
    }

    fn next_version(&self) -> i64 {
        self.version().unwrap_or(0) + 1
    }

    /// Refuses a change made from a page that showed something else than what is stored now.
    fn must_be_at(&self, base: Option<i64>, yours: &str) -> Result<(), Refused> {
        if self.version() == base {
            return Ok(());
        }
        let stored = match (&self.draft, &self.plot) {
            (Some(draft), _) => draft.body.clone(),
            (None, Some(plot)) => plot.body.clone(),
            (None, None) => String::new(),
        };
        Err(Refused::TwoTabs(Box::new(TwoTabs {
            stored,
            stored_is_plot: self.draft.is_none() && self.plot.is_some(),
            yours: yours.to_owned(),
            version: self.version(),
        })))
    }
}
