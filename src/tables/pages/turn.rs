//! The turn page of a seat: what it sees, what it can order, what it has handed in.

use std::sync::Arc;

use crate::mail::Section;
use crate::rules::{Examined, ReportEntry, Seat};
use crate::store::seats::Seated;
use crate::store::{Conn, PhaseNo, Stamp, TableId, UserId, game_tables, phases, plots, seats};

use super::luck::{self, SeatLuck};
use super::{since, table};
use crate::tables::packed::unpack;
use crate::tables::play::plot::Slip;
use crate::tables::play::running::Play;
use crate::tables::sights::{Place, Sight};
use crate::tables::{Ctx, PhaseNow, Refused, access, letters, words};

/// What the player of a seat (or somebody without one) sees of a running or finished table.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The viewer's seat; `None`: somebody who only watches.
    pub seat: Option<Seat>,
    /// The open phase; `None` once the table is over.
    pub phase: Option<PhaseNow>,
    /// What the viewer sees and can order now.
    pub sight: Arc<Sight>,
    /// Whether orders are due from the viewer in the open phase.
    pub due: bool,
    /// Orders saved and not handed in.
    pub draft: Option<Stored>,
    /// The plot that is in. While a draft is there too the plot stands until the draft is handed in.
    pub plot: Option<Stored>,
    /// Version to send along with the next change; see [`crate::tables::hand_in`].
    pub version: Option<i64>,
    /// What happened since the viewer's last orders, in their own running turn: before it.
    pub since: Vec<Section>,
    /// What the viewer's own running turn has led to so far, the newest step first.
    pub so_far: Vec<Section>,
    /// Each player's dice against the average, once the table is over.
    pub luck: Vec<SeatLuck>,
    /// What the phase closed last has led to, as far as the viewer may read it.
    pub last: Vec<ReportEntry>,
    /// What happens to the viewer's seat at the deadline, as a sentence; empty when nothing is due.
    pub at_deadline: String,
    /// Whether it is noted already that the viewer has seen the phase.
    pub noted: bool,
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

/// The turn of this viewer. See [`crate::tables::table_page`] for who may look.
pub fn turn(conn: &mut Conn, ctx: &Ctx, table_id: TableId, viewer: Option<UserId>) -> Result<Turn, Refused> {
    let table = access::visible(conn, ctx, table_id, viewer, None)?;
    let seat = match viewer {
        Some(user_id) => access::seat_of(conn, table_id, user_id)?,
        None => None,
    };
    if table.is_over() {
        let place = Place { table: table_id, phase: table.row.phase_no, over: true, seat, due: false };
        let state = || unpack(table.row.final_state.as_deref().unwrap_or_default());
        return Ok(Turn {
            seat,
            phase: None,
            sight: ctx.games.sights().of(&*table.game, place, state)?,
            due: false,
            draft: None,
            plot: None,
            version: None,
            since: since::since(conn, &table, seat)?,
            so_far: Vec::new(),
            luck: luck::of_table(conn, &table)?,
            last: last(conn, &table, seat)?,
            at_deadline: String::new(),
            noted: true,
        });
    }
    let play = Play::load(conn, table)?;
    let due = seat.and_then(|seat| play.dues.iter().find(|due| due.seat == words::number(seat)));
    let (draft, plot, version) = match (seat, due) {
        (Some(seat), Some(_)) => stored(conn, &play, seat)?,
        _ => (None, None, None),
    };
    let place = Place { table: table_id, phase: play.phase.no, over: false, seat, due: due.is_some() };
    let seen = |seated: &&Seated| Some(seated.row.user_id) == viewer && seated.row.seen_phase_no == play.phase.no;
    Ok(Turn {
        seat,
        phase: table::phase_now(conn, &play.table)?,
        sight: ctx.games.sights().of(&*play.table.game, place, || Ok(play.state.clone()))?,
        due: due.is_some(),
        draft,
        plot,
        version,
        since: since::since(conn, &play.table, seat)?,
        so_far: seat.map_or(Ok(Vec::new()), |seat| since::so_far(conn, &play.table, seat))?,
        luck: Vec::new(),
        last: last(conn, &play.table, seat)?,
        at_deadline: due.map_or(Ok(String::new()), |due| letters::at_deadline(&play, due))?,
        noted: due.is_none_or(|due| due.seen_at.is_some()) && play.seats.iter().any(|seated| seen(&seated)),
    })
}

/// What the phase closed last has led to, for this viewer; nothing before the first one has closed.
fn last(conn: &mut Conn, table: &access::Table, seat: Option<Seat>) -> Result<Vec<ReportEntry>, Refused> {
    let ended = table.is_over();
    let no = if ended { table.row.phase_no } else { table.row.phase_no.before() };
    match phases::report_of(conn, table.row.id, no)? {
        Some(report) => since::entries_for(&report, seat, ended),
        None => Ok(Vec::new()),
    }
}

type StoredOrders = (Option<Stored>, Option<Stored>, Option<i64>);

/// Draft, plot and version of a seat that is due.
fn stored(conn: &mut Conn, play: &Play, seat: Seat) -> Result<StoredOrders, Refused> {
    let slip = Slip::load(conn, play, words::number(seat))?;
    let version = slip.version();
    let examine = |text: &str| play.table.game.examine(&play.state, seat, text);
    let draft = match slip.draft {
        Some(row) => {
            let examined = examine(&row.body)?;
            Some(Stored { examined, text: row.body, at: row.saved_at, seal: String::new() })
        }
        None => None,
    };
    let plot = match slip.plot {
        Some(row) => {
            let examined = examine(&row.body)?;
            Some(Stored { examined, text: row.body, at: row.handed_in_at, seal: row.seal })
        }
        None => None,
    };
    Ok((draft, plot, version))
}

/// Notes that the player has opened the page of phase `phase_no`. When another one is open by now nothing is noted:
/// nobody has seen that one. Somebody without a seat leaves no trace. This does not count as a change of the table.
pub fn mark_seen(
    conn: &mut Conn,
    now: Stamp,
    table_id: TableId,
    user_id: UserId,
    phase_no: PhaseNo,
) -> Result<(), Refused> {
    let table = game_tables::find(conn, table_id)?.ok_or(Refused::NoTable)?;
    if table.phase_no != phase_no {
        return Ok(());
    }
    let Some(row) = seats::of_user(conn, table_id, user_id)? else { return Ok(()) };
    seats::mark_seen(conn, row.id, table.phase_no, now)?;
    if let Some(seat) = row.seat.filter(|_| table.status == game_tables::Status::Running) {
        plots::mark_seen(conn, table_id, table.phase_no, seat, now)?;
    }
    Ok(())
}
