//! The heart of the server: closing a phase and everything that follows from it, in one transaction.

use std::collections::BTreeMap;

use crate::rules::{ClockUse, Dice, Fate, Leaving, Phase, Seat, StepJson};
use crate::store::phases::{self, Closed, PhaseRow};
use crate::store::plots::{self, DueRow, PlotSource};
use crate::store::results::{self, ResultRow};
use crate::store::seats::Seated;
use crate::store::{Conn, Stamp, game_tables, outbox, table_log, timers};

use super::book::book;
use super::open::{self, Opening, open};
use super::running::{Closing, Play};
use super::seal::Unsealed;
use super::{bots, clock};
use crate::tables::access::Table;
use crate::tables::packed::{json, pack};
use crate::tables::{Ctx, Outcome, Refused, letters, score, words};

/// How many default plots may follow each other under one clock that has run out. Games end a turn by default
/// plots long before; one that doesn't must not hold the server up for ever.
const MOST_FORCED: usize = 500;

/// Closes the open phase: results, the next phase with its timers, letters, or the end of the table. Plots that
/// were carried over from a phase somebody left may close the next one at once, and so on.
///
/// A turn may be many phases under one clock. When it has run out for a seat that was not dropped, because a
/// draft was handed in for it or the table passes time-outs over, the rest of its turn is played by default
/// plots at once: no draft wins a fresh clock.
pub fn close(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: Play, closing: Closing) -> Result<(), Refused> {
    let mut next = Some((play, closing));
    let mut forced = 0;
    while let Some((play, closing)) = next.take() {
        if matches!(closing, Closing::Time(_)) {
            forced += 1;
            if forced == MOST_FORCED {
                tracing::error!(table.id = %play.table.row.id, "A turn did not end after {MOST_FORCED} default plots.");
            }
        }
        next = close_one(conn, ctx, now, play, closing, forced < MOST_FORCED)?;
    }
    Ok(())
}

/// Closes one phase; returns the next one if nobody is waited for in it, with why it closes.
fn close_one(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    play: Play,
    closing: Closing,
    may_force: bool,
) -> Result<Option<(Play, Closing)>, Refused> {
    let now = play.moment(now);
    let stream = u32::try_from(play.phase.no.0).map_err(|_| Refused::Broken("a phase has no number".to_owned()))?;
    let mut dice = Dice::for_phase(&play.table.secret()?, stream);
    let before = play.table.game.fates(&play.state)?;
    let step = match closing.leavers() {
        [] => {
            let bodies: BTreeMap<Seat, String> =
                play.plots.iter().map(|plot| (words::seat(plot.seat), plot.body.clone())).collect();
            play.table.game.resolve(&play.state, &bodies, play.table.game.meta().edition, &mut dice)?
        }
        leavers => play.table.game.leave(&play.state, leavers, play.table.game.meta().edition, &mut dice)?,
    };
    let closed = Closed {
        edition: play.table.edition(),
        closed_at: Some(now),
        closed_by: Some(closing.by()),
        leavers: (!closing.leavers().is_empty()).then(|| json(&closing.leavers())),
        report: Some(json(&step.report)),
        throws: Some(json(&dice.throws())),
    };
    if !phases::close(conn, play.table.row.id, play.phase.no, &closed)? {
        return Err(Refused::Conflict);
    }
    let sealed = seal_results(conn, now, &play, &before, &step.state, closing.leavers())?;
    tracing::info!(
        table.id = %play.table.row.id,
        phase.no = play.phase.no.0,
        closed_by = %closing.by(),
        "A phase has closed."
    );
    match play.table.game.phase(&step.state)? {
        Some(phase) => {
            let forced = if may_force { forced(&play, &closing, &phase, now)? } else { Vec::new() };
            open_next(conn, ctx, now, play, &closing, &After { step, phase, sealed, forced })
        }
        None => {
            letters::dropped(conn, ctx, now, &play, closing.leavers(), None)?;
            finish(conn, ctx, now, &play.table, &play.seats, &step.state)?;
            Ok(None)
        }
    }
}

/// Records the results that have been decided, each once: the first one counts. Returns the new ones.
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
    let after = play.table.game.fates(state)?;
    for (index, fate) in after.iter().enumerate() {
        let Some(seat) = Seat::from_index(index) else { break };
        let left = leavers.iter().find(|(leaver, _)| *leaver == seat).map(|(_, leaving)| match leaving {
            Leaving::Resigned => Outcome::Resigned,
            Leaving::Dropped => Outcome::Dropped,
        });
        let Some(outcome) = left.or(Outcome::of(*fate)) else { continue };
        let number = words::number(seat);
        if known.iter().any(|row| row.seat == number) {
            continue;
        }
        let ranked = play.table.row.ranked;
        let others = others_left(seat, before, &after, leavers);
        let change = if ranked { score::change(outcome, play.seats.len(), others) } else { 0 };
        let user_id = play.seated(number)?.row.user_id;
        let row = ResultRow {
            table_id: play.table.row.id,
            seat: number,
            user_id,
            person_id: user_id,
            counted: true,
            walkover: false,
            not_counted: None,
            result: outcome,
            score_change: change,
            ranked,
            sealed_at: now,
            booked_at: None,
        };
        results::insert(conn, &row)?;
        if outcome == Outcome::Resigned && left.is_none() {
            // By an order of the turn; whoever leaves by the table's page is noted there.
            table_log::add(conn, now, play.table.row.id, "resigned", &format!("Seat {seat} resigned."))?;
        }
        sealed.push(row);
    }
    Ok(sealed)
}

/// How many other players remain at the moment a seat's fate is sealed: of those in play before the step whoever
/// does not go out of the game in it as well. Where a seat left, that is everybody but those who left with it.
/// Where it resigned by an order, others may have been beaten by the orders before.
fn others_left(seat: Seat, before: &[Fate], after: &[Fate], leavers: &[(Seat, Leaving)]) -> usize {
    let leaves = |seat: Seat| leavers.iter().any(|(leaver, _)| *leaver == seat);
    let remains = |other: Seat| {
        let stays = || matches!(after.get(other.index()), Some(Fate::Active | Fate::Won | Fate::Drew));
        if leaves(seat) { !leaves(other) } else { stays() }
    };
    let active = Seat::first(before.len()).filter(|other| before[other.index()] == Fate::Active);
    active.filter(|other| *other != seat && remains(*other)).count()
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
    book(conn, now, table)?;
    timers::clear_all(conn, id)?;
    table_log::add(conn, now, id, "over", &format!("The game is over: {outcome}."))?;
    letters::over(conn, ctx, now, table, seats, state)?;
    tracing::info!(table.id = %id, outcome, "A table is over.");
    Ok(())
}

fn outcome_words(results: &[ResultRow]) -> String {
    let outcomes: Vec<(Seat, Outcome)> = results.iter().map(|row| (words::seat(row.seat), row.result)).collect();
    if !outcomes.is_empty() && outcomes.iter().all(|(_, outcome)| *outcome == Outcome::Drew) {
        return "a tie".to_owned();
    }
    outcomes.iter().map(|(seat, outcome)| format!("{seat} {}", outcome.words())).collect::<Vec<_>>().join(", ")
}

/// Seats whose orders in the next phase are done by default plots, because the clock it inherits has run out
/// for them.
fn forced(play: &Play, closing: &Closing, phase: &Phase, now: Stamp) -> Result<Vec<Seat>, Refused> {
    let Closing::Time(out_of_time) = closing else { return Ok(Vec::new()) };
    if phase.clock != ClockUse::Inherit || open::running(&play.phase)?.deadline > now {
        return Ok(Vec::new());
    }
    let due = phase.due.iter().filter(|due| due.required).map(|due| due.seat);
    Ok(due.filter(|seat| out_of_time.contains(&words::number(*seat))).collect())
}

/// What closing a phase has led to, where the game goes on.
struct After {
    step: StepJson,
    /// The phase that opens.
    phase: Phase,
    /// Fates decided in it.
    sealed: Vec<ResultRow>,
    /// Seats for which default plots are put in, see [`forced`].
    forced: Vec<Seat>,
}

/// Opens the phase after `play`'s and tells its people; default plots are put in for the seats that have no time
/// left. Returns it, with why it closes, if nobody is waited for in it.
fn open_next(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    play: Play,
    closing: &Closing,
    after: &After,
) -> Result<Option<(Play, Closing)>, Refused> {
    let After { step, phase, sealed, forced } = after;
    let before = open::running(&play.phase)?;
    let spent = !forced.is_empty() && phase.due.iter().all(|due| !due.required || forced.contains(&due.seat));
    let inherited = spent || clock_after(&play, closing, phase) == ClockUse::Inherit && before.deadline > now;
    let running = if inherited { before } else { clock::fresh(now, play.table.row.time_limit_s) };
    let dues_before: &[DueRow] = if inherited { &play.dues } else { &[] };
    let opening = Opening { no: play.phase.no.next(), state: &step.state, phase, running, dues_before };
    let (row, dues) = open(conn, now, &play.table, &opening)?;
    let no = row.no;
    if matches!(closing, Closing::Leave(_)) {
        carry_over(conn, now, &play, &row, &step.state, &dues)?;
    }
    for seat in forced {
        let body = play.table.game.default_plot(&step.state, *seat)?;
        plots::put(
            conn,
            &Unsealed {
                table_id: play.table.row.id,
                phase_no: no,
                seat: words::number(*seat),
                body,
                source: PlotSource::Default,
                version: 1,
                handed_in_at: now,
            }
            .seal(),
        )?;
    }
    letters::dropped(conn, ctx, now, &play, closing.leavers(), Some(&words::phase_name(row.turn, &row.name)))?;
    let acted: Vec<i32> = play.plots.iter().map(|plot| plot.seat).collect();
    let table = Table { row: game_tables::TableRow { phase_no: no, ..play.table.row }, game: play.table.game };
    let plots = plots::of_phase(conn, table.row.id, no)?;
    let next = Play { table, seats: play.seats, phase: row, state: step.state.clone(), dues, plots };
    tell_due(conn, ctx, now, &next, inherited.then_some(&acted))?;
    letters::beaten(conn, ctx, now, &next, &play.phase, sealed)?;
    if !inherited {
        letters::resolved(conn, ctx, now, &next, &play.phase)?;
    }
    bots::schedule(conn, now, &next)?;
    let out_of_time = forced.iter().copied().map(words::number).collect();
    let why = if spent { Closing::Time(out_of_time) } else { Closing::Orders };
    Ok(next.is_ready().then_some((next, why)))
}

/// Tells those who are due in a phase that has just opened. Under an inherited clock (`acted`: who was in before)
/// one letter is enough for all its small steps: none to anyone who has just acted, or has been told already.
fn tell_due(conn: &mut Conn, ctx: &Ctx, now: Stamp, next: &Play, acted: Option<&Vec<i32>>) -> Result<(), Refused> {
    let deadline = open::running(&next.phase)?.deadline;
    for due in &next.dues {
        let seated = next.seated(due.seat)?;
        if seated.bot.is_some() {
            continue;
        }
        let user_id = seated.row.user_id;
        if acted.is_some_and(|acted| acted.contains(&due.seat)) {
            plots::mark_seen(conn, next.table.row.id, next.phase.no, due.seat, now)?;
            continue;
        }
        let told = acted.is_some() && outbox::told_of_deadline(conn, user_id, next.table.row.id, deadline)?;
        if !told && !next.is_in(due.seat) {
            letters::due(conn, ctx, now, next, due)?;
        }
    }
    Ok(())
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
                let row = Unsealed {
                    table_id: id,
                    phase_no: phase.no,
                    seat: due.seat,
                    body: plot.body.clone(),
                    source: plot.source,
                    version: 1,
                    handed_in_at: plot.handed_in_at,
                }
                .seal();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn left(seat: usize, before: &[Fate], after: &[Fate], leavers: &[(usize, Leaving)]) -> usize {
        let at = |index: usize| Seat::from_index(index).unwrap();
        let leavers: Vec<(Seat, Leaving)> = leavers.iter().map(|(index, leaving)| (at(*index), *leaving)).collect();
        others_left(at(seat), before, after, &leavers)
    }

    #[test]
    fn others_are_counted_at_the_moment_a_seat_leaves() {
        use Fate::{Active, Dropped, Lost, Resigned, Won};
        let four = [Active; 4];
        // A resigns by the page, then B with C and D left, and with one of them out already.
        assert_eq!(left(0, &four, &[Resigned, Active, Active, Active], &[(0, Leaving::Resigned)]), 3);
        let before = [Resigned, Active, Active, Lost];
        assert_eq!(left(1, &before, &[Resigned, Resigned, Won, Lost], &[(1, Leaving::Resigned)]), 1);
        // Where the game ends for other reasons right after, those who lose by it were there all the same.
        assert_eq!(left(0, &four[1..], &[Resigned, Won, Lost], &[(0, Leaving::Resigned)]), 2);
        // Two leave at once: each leaves one behind.
        let leavers = [(0, Leaving::Resigned), (1, Leaving::Dropped)];
        assert_eq!(left(0, &four[1..], &[Resigned, Dropped, Won], &leavers), 1);
        assert_eq!(left(1, &four[1..], &[Resigned, Dropped, Won], &leavers), 1);
        // By an order, after orders that beat B: C alone is left; and two who resign in the same step.
        assert_eq!(left(0, &four[1..], &[Resigned, Lost, Won], &[]), 1);
        assert_eq!(left(0, &four, &[Resigned, Resigned, Active, Active], &[]), 2);
    }
}
