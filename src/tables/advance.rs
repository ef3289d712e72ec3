//! The heart of the server: closing a phase and everything that follows from it, in one transaction.

use std::collections::BTreeMap;

use crate::rules::{ClockUse, Dice, Fate, Leaving, Phase, Seat, StepJson};
use crate::store::phases::{self, Closed, PhaseRow};
use crate::store::plots::{self, DueRow, PlotRow};
use crate::store::results::{self, ResultRow};
use crate::store::seats::{self, Seated};
use crate::store::{Conn, Stamp, game_tables, table_log, timers};

use super::access::Table;
use super::open::{self, Opening, open};
use super::packed::{pack, unpack};
use super::plot::seal_plot;
use super::{Ctx, Outcome, Refused, letters, score, words};

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

    /// Whether the clock has run out.
    pub fn is_overdue(&self, now: Stamp) -> bool {
        self.phase.deadline_at.is_some_and(|deadline| deadline <= now)
    }
}

/// Why a phase closes.
pub enum Closing {
    /// All orders that were waited for are in.
    Orders,
    /// The time ran out.
    Time,
    /// These seats leave, all at once.
    Leave(Vec<(Seat, Leaving)>),
}

impl Closing {
    fn key(&self) -> &'static str {
        match self {
            Closing::Orders => "plots",
            Closing::Time => "time",
            Closing::Leave(leavers) if leavers.iter().any(|(_, leaving)| *leaving == Leaving::Dropped) => "dropped",
            Closing::Leave(_) => "resigned",
        }
    }

    fn leavers(&self) -> &[(Seat, Leaving)] {
        match self {
            Closing::Leave(leavers) => leavers,
            _ => &[],
        }
    }
}

/// Closes the open phase: results, the next phase with its timers, letters, or the end of the table. Plots that
/// were carried over from a phase somebody left may close the next one at once, and so on.
pub fn close(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: Play, closing: Closing) -> Result<(), Refused> {
    let mut next = Some((play, closing));
    while let Some((play, closing)) = next.take() {
        next = close_one(conn, ctx, now, play, closing)?.map(|play| (play, Closing::Orders));
    }
    Ok(())
}

/// Closes one phase; gives the next one if nobody is waited for in it.
fn close_one(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: Play, closing: Closing) -> Result<Option<Play>, Refused> {
    let stream = u32::try_from(play.phase.no).map_err(|_| Refused::Broken("a phase has no number".to_owned()))?;
    let mut dice = Dice::for_phase(&play.table.secret()?, stream);
    let before = play.table.game.fates(&play.state)?;
    let step = match closing.leavers() {
        [] => {
            let bodies: BTreeMap<Seat, String> =
                play.plots.iter().map(|plot| (words::seat(plot.seat), plot.body.clone())).collect();
            play.table.game.resolve(&play.state, &bodies, &mut dice)?
        }
        leavers => play.table.game.leave(&play.state, leavers, &mut dice)?,
    };
    let closed = Closed {
        edition: play.table.edition(),
        closed_at: Some(now),
        closed_by: Some(closing.key().to_owned()),
        leavers: (!closing.leavers().is_empty()).then(|| json(&closing.leavers())),
        report: Some(json(&step.report)),
        throws: Some(json(&dice.throws())),
    };
    if !phases::close(conn, play.table.row.id, play.phase.no, &closed)? {
        return Err(Refused::Conflict);
    }
    let sealed = seal_results(conn, now, &play, &before, &step.state, closing.leavers())?;
    tracing::info!(
        table.id = play.table.row.id,
        phase.no = play.phase.no,
        closed_by = closing.key(),
        "A phase has closed."
    );
    match play.table.game.phase(&step.state)? {
        Some(phase) => open_next(conn, ctx, now, play, &closing, &step, &phase, &sealed),
        None => {
            letters::dropped(conn, ctx, now, &play, closing.leavers(), None)?;
            finish(conn, ctx, now, &play.table, &play.seats, &step.state)?;
            Ok(None)
        }
    }
}

/// A text to store. Everything that is stored this way is made of texts, numbers, lists and maps.
pub fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("reports, throws and leavers are always JSON")
}

/// Books down the fates that have been decided, each once: the first to come stands. Gives the new ones.
fn seal_results(
    conn: &mut Conn,
    now: Stamp,
    play: &Play,
    before: &[Fate],
    state: &str,
    leavers: &[(Seat, Leaving)],
) -> Result<Vec<ResultRow>, Refused> {
    let known = results::of_table(conn, play.table.row.id)?;
    let mut sealed = Vec::new();
    let active_before = before.iter().filter(|fate| **fate == Fate::Active).count();
    for (index, fate) in play.table.game.fates(state)?.into_iter().enumerate() {
        let Some(seat) = Seat::from_index(index) else { break };
        let left = leavers.iter().find(|(leaver, _)| *leaver == seat).map(|(_, leaving)| match leaving {
            Leaving::Resigned => Outcome::Resigned,
            Leaving::Dropped => Outcome::Dropped,
        });
        let Some(outcome) = left.or(Outcome::of(fate)) else { continue };
        let number = words::number(seat);
        if known.iter().any(|row| row.seat == number) {
            continue;
        }
        let was_active = before.get(index) == Some(&Fate::Active);
        let others_active = active_before - usize::from(was_active);
        let ranked = play.table.row.ranked;
        let change = if ranked { score::change(outcome, play.seats.len(), others_active) } else { 0 };
        let row = ResultRow {
            table_id: play.table.row.id,
            seat: number,
            user_id: play.seated(number)?.row.user_id,
            result: outcome.key().to_owned(),
            score_change: change,
            ranked,
            sealed_at: now,
            booked_at: None,
        };
        results::insert(conn, &row)?;
        sealed.push(row);
    }
    Ok(sealed)
}

/// Ends the table in this state: results are booked, timers removed, letters queued.
pub fn finish(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    seats: &[Seated],
    state: &str,
) -> Result<(), Refused> {
    let id = table.row.id;
    let outcome = outcome_words(&results::of_table(conn, id)?);
    game_tables::finish(conn, id, &pack(state), &outcome, now)?;
    results::book(conn, id, now)?;
    timers::clear_all(conn, id)?;
    table_log::add(conn, now, id, "over", &format!("The game is over: {outcome}."))?;
    letters::over(conn, ctx, now, table, seats, state)?;
    tracing::info!(table.id = id, outcome, "A table is over.");
    Ok(())
}

fn outcome_words(results: &[ResultRow]) -> String {
    let outcomes: Vec<(Seat, Outcome)> =
        results.iter().filter_map(|row| Some((words::seat(row.seat), Outcome::from_key(&row.result)?))).collect();
    if !outcomes.is_empty() && outcomes.iter().all(|(_, outcome)| *outcome == Outcome::Drew) {
        return "a tie".to_owned();
    }
    outcomes.iter().map(|(seat, outcome)| format!("{seat} {}", outcome.words())).collect::<Vec<_>>().join(", ")
}

/// Opens the phase after `play`'s and tells its people. Gives it back if nobody is waited for in it.
#[expect(clippy::too_many_arguments, reason = "all of it is what closing a phase has led to")]
fn open_next(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    play: Play,
    closing: &Closing,
    step: &StepJson,
    phase: &Phase,
    sealed: &[ResultRow],
) -> Result<Option<Play>, Refused> {
    let before = open::running(&play.phase)?;
    let opening = Opening {
        no: play.phase.no + 1,
        state: &step.state,
        phase,
        clock: clock_after(&play, closing, phase),
        before: Some(before),
    };
    let (row, dues) = open(conn, now, &play.table, &opening)?;
    let inherited = row.deadline_at == Some(before.deadline);
    if matches!(closing, Closing::Leave(_)) {
        carry_over(conn, now, &play, &row, &step.state, &dues)?;
    }
    letters::dropped(conn, ctx, now, &play, closing.leavers(), Some(&words::phase_name(row.turn, &row.name)))?;
    let acted: Vec<i32> = play.plots.iter().map(|plot| plot.seat).collect();
    let no = row.no;
    let table = Table { row: game_tables::TableRow { phase_no: no, ..play.table.row }, game: play.table.game };
    let plots = plots::of_phase(conn, table.row.id, no)?;
    let next = Play { table, seats: play.seats, phase: row, state: step.state.clone(), dues, plots };
    for due in &next.dues {
        // Whoever has just acted under this very clock knows it; a letter for each small step would be too many.
        if inherited && acted.contains(&due.seat) {
            plots::mark_seen(conn, next.table.row.id, no, due.seat, now)?;
        } else if !next.is_in(due.seat) {
            letters::due(conn, ctx, now, &next, due)?;
        }
    }
    letters::beaten(conn, ctx, now, &next, &play.phase, sealed)?;
    if !inherited {
        letters::resolved(conn, ctx, now, &next, &play.phase)?;
    }
    Ok(next.is_ready().then_some(next))
}

/// Whether the next clock starts afresh. When somebody resigns out of turn, the one whose turn it is keeps the
/// time they had; in every other case the game decides, and a clock that has run out is never inherited.
fn clock_after(play: &Play, closing: &Closing, phase: &Phase) -> ClockUse {
    match closing {
        Closing::Leave(_) => {
            let same_turn = phase.key == play.phase.key && i64::from(phase.turn) == i64::from(play.phase.turn);
            let same_seats = phase
                .due
                .iter()
                .filter(|due| due.required)
                .all(|due| play.dues.iter().any(|before| before.seat == words::number(due.seat)));
            if same_turn && same_seats { ClockUse::Inherit } else { phase.clock }
        }
        _ => phase.clock,
    }
}

/// Takes plots and drafts along from a phase that somebody left into the next one: a plot that is still legal
/// stays a plot, any other text becomes a draft, so that nothing handed in is lost.
fn carry_over(
    conn: &mut Conn,
    now: Stamp,
    play: &Play,
    phase: &PhaseRow,
    state: &str,
    dues: &[DueRow],
) -> Result<(), Refused> {
    let (id, from) = (play.table.row.id, play.phase.no);
    for due in dues {
        let plot = play.plots.iter().find(|plot| plot.seat == due.seat);
        let draft = plots::draft(conn, id, from, due.seat)?;
        if let Some(plot) = plot {
            plots::mark_seen(conn, id, phase.no, due.seat, now)?;
            let examined = play.table.game.examine(state, words::seat(due.seat), &plot.body)?;
            if examined.faults.is_empty() {
                let row = seal_plot(id, phase.no, due.seat, &plot.body, &plot.source, 1, plot.handed_in_at);
                plots::put(conn, &row)?;
                continue;
            }
        }
        let text = draft.map(|draft| draft.body).or(plot.map(|plot| plot.body.clone()));
        if let Some(body) = text {
            let row =
                plots::DraftRow { table_id: id, phase_no: phase.no, seat: due.seat, body, version: 1, saved_at: now };
            plots::put_draft(conn, &row)?;
        }
    }
    Ok(())
}
