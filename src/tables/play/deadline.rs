//! What happens when a timer fires.

use crate::rules::{Leaving, Seat};
use crate::store::plots::{self, DueRow, PlotRow, PlotSource};
use crate::store::timers::{self, TimerKind, TimerRow};
use crate::store::{Conn, Stamp, game_tables, seats, table_log};
use crate::when;

use super::advance::close;
use super::clock::{self, Running};
use super::notice::has_had_notice;
use super::running::{Closing, Play};
use super::seal::Unsealed;
use super::woken::Woken;
use super::{bot_turn, open};
use crate::tables::access;
use crate::tables::lobby::unjoined;
use crate::tables::{Ctx, Refused, letters, words};

/// Carries out a timer that is due. The timer and everything it is about are looked at again.
pub fn wake(conn: &mut Conn, ctx: &Ctx, now: Stamp, timer: &TimerRow) -> Result<Woken, Refused> {
    let table = access::lock(conn, ctx, timer.table_id)?;
    let Some(timer) = timers::find(conn, timer.id)?.filter(|timer| timer.due_at <= now) else {
        return Ok(Woken::Nothing);
    };
    if timer.kind == TimerKind::Unjoined && table.row.status == game_tables::Status::Open {
        return unjoined::wake(conn, ctx, now, &table, &timer);
    }
    if table.row.status != game_tables::Status::Running || table.row.phase_no != timer.phase_no {
        timers::clear(conn, table.row.id, timer.kind)?;
        return Ok(Woken::Nothing);
    }
    let play = Play::load(conn, table)?;
    if timer.kind == TimerKind::Bot {
        return bot_turn::wake(conn, ctx, now, play, &timer);
    }
    if timer.kind == TimerKind::Reminder {
        return remind(conn, ctx, now, &play);
    }
    if !play.is_overdue(now) {
        let deadline = open::running(&play.phase)?.deadline;
        timers::set(conn, now, play.table.row.id, TimerKind::Deadline, play.phase.no, clock::fires(deadline))?;
        return Ok(Woken::Nothing);
    }
    settle(conn, ctx, now, play)
}

fn remind(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: &Play) -> Result<Woken, Refused> {
    timers::clear(conn, play.table.row.id, TimerKind::Reminder)?;
    if play.is_overdue(now) {
        return Ok(Woken::Nothing);
    }
    let late: Vec<&DueRow> = play.dues.iter().filter(|due| due.required && !play.is_in(due.seat)).collect();
    for due in &late {
        letters::reminder(conn, ctx, now, play, due)?;
    }
    Ok(Woken::Reminded(late.len()))
}

/// What becomes of the seats of a phase whose time has run out.
#[derive(Default)]
struct Verdict {
    /// Plots put in for them: drafts and default plots.
    filled: Vec<PlotRow>,
    /// Seats that use up a time-out.
    passing: Vec<i32>,
    /// Seats that are dropped.
    dropped: Vec<Seat>,
    /// Seats whose players had no notice of the deadline.
    unseen: Vec<i32>,
}

/// Settles all seats of a phase whose time has run out, in one go. A legal draft counts as handed in, unless it gives
/// the game up: that costs less than a drop, and nobody has handed it in; a time-out
/// the table allows counts as the default plot; the others are dropped, together, unless they had no notice:
/// then the deadline is put off once. What a seat that was not dropped owes under the same clock after that is
/// done by default plots, see [`close`].
pub fn settle(conn: &mut Conn, ctx: &Ctx, now: Stamp, mut play: Play) -> Result<Woken, Refused> {
    let mut verdict = Verdict::default();
    for due in play.dues.iter().filter(|due| !play.is_in(due.seat)) {
        judge(conn, now, &play, due, &mut verdict)?;
    }
    if verdict.dropped.is_empty() && !verdict.unseen.is_empty() {
        extend(conn, ctx, now, play, &verdict.unseen)?;
        return Ok(Woken::Extended);
    }
    let table_id = play.table.row.id;
    let out_of_time: Vec<i32> = verdict.filled.iter().map(|plot| plot.seat).collect();
    for plot in verdict.filled {
        plots::put(conn, &plot)?;
        plots::delete_draft(conn, table_id, plot.phase_no, plot.seat)?;
        play.plots.push(plot);
    }
    for seat in verdict.passing {
        let row = play.seated(seat)?.row.clone();
        seats::use_pass(conn, row.id)?;
        if let Some(seated) = play.seats.iter_mut().find(|seated| seated.row.id == row.id) {
            seated.row.passes_used += 1;
        }
        let text = format!(
            "Seat {} ran out of time; the default orders were carried out for it (time-out {} of {}).",
            words::seat(seat),
            row.passes_used + 1,
            play.table.row.passes_allowed
        );
        table_log::add(conn, now, table_id, "passed", &text)?;
    }
    if verdict.dropped.is_empty() {
        close(conn, ctx, now, play, Closing::Time(out_of_time))?;
        return Ok(Woken::Resolved);
    }
    for seat in &verdict.dropped {
        table_log::add(conn, now, table_id, "dropped", &format!("Seat {seat} ran out of time and was dropped."))?;
    }
    let leavers: Vec<(Seat, Leaving)> = verdict.dropped.iter().map(|seat| (*seat, Leaving::Dropped)).collect();
    let count = leavers.len();
    close(conn, ctx, now, play, Closing::Leave(leavers))?;
    Ok(Woken::Dropped(count))
}

fn judge(conn: &mut Conn, now: Stamp, play: &Play, due: &DueRow, verdict: &mut Verdict) -> Result<(), Refused> {
    let (table_id, no, seat) = (play.table.row.id, play.phase.no, words::seat(due.seat));
    if let Some(draft) = plots::draft(conn, table_id, no, due.seat)? {
        let examined = play.table.game.examine(&play.state, seat, &draft.body)?;
        if examined.faults.is_empty() && !examined.gives_up {
            let body = examined.canonical();
            verdict.filled.push(
                Unsealed {
                    table_id,
                    phase_no: no,
                    seat: due.seat,
                    body,
                    source: PlotSource::Draft,
                    version: draft.version + 1,
                    handed_in_at: now,
                }
                .seal(),
            );
            return Ok(());
        }
    }
    if !due.required {
        return Ok(());
    }
    let seated = play.seated(due.seat)?;
    let row = &seated.row;
    if seated.bot.is_some() {
        // It would have answered had it been asked; nobody is dropped for what the server did not do.
        let body = play.table.game.default_plot(&play.state, seat)?;
        verdict.filled.push(
            Unsealed {
                table_id,
                phase_no: no,
                seat: due.seat,
                body,
                source: PlotSource::Default,
                version: 1,
                handed_in_at: now,
            }
            .seal(),
        );
    } else if row.passes_used < play.table.row.passes_allowed {
        let body = play.table.game.default_plot(&play.state, seat)?;
        verdict.filled.push(
            Unsealed {
                table_id,
                phase_no: no,
                seat: due.seat,
                body,
                source: PlotSource::Default,
                version: 1,
                handed_in_at: now,
            }
            .seal(),
        );
        verdict.passing.push(due.seat);
    } else if has_had_notice(conn, play, due, row.user_id)? {
        verdict.dropped.push(seat);
    } else {
        verdict.unseen.push(due.seat);
    }
    Ok(())
}

/// The one automatic extension: the deadline moves for everybody, and everybody who owes orders is told.
fn extend(conn: &mut Conn, ctx: &Ctx, now: Stamp, mut play: Play, unseen: &[i32]) -> Result<(), Refused> {
    let deadline = clock::extended(now, play.table.row.time_limit_s);
    open::move_clock(conn, now, &mut play.phase, Running { started: now, deadline })?;
    let mut names = Vec::with_capacity(unseen.len());
    for seat in unseen {
        plots::mark_extended(conn, play.table.row.id, play.phase.no, *seat)?;
        names.push(words::seat(*seat).to_string());
    }
    let text = format!(
        "The time ran out, but no letter about it could be delivered to seat {}, and no page that shows the deadline \
         was opened there. The deadline was put off by {}. This happens once for each player at a table.",
        names.join(" and "),
        when::span((deadline - now).num_seconds())
    );
    table_log::add(conn, now, play.table.row.id, "extended", &text)?;
    tracing::warn!(table.id = %play.table.row.id, phase.no = play.phase.no.0, "A deadline was extended: the player had no notice of it.");
    for due in play.dues.iter().filter(|due| !play.is_in(due.seat)) {
        letters::due(conn, ctx, now, &play, due)?;
    }
    Ok(())
}
