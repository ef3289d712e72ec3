//! What tables tell their people by letter. Queued in the transaction of the fact they tell of.

use crate::mail::{self, Letter, Recipient, Section, TableRef};
use crate::rules::{Game, Leaving, ReportEntry, Seat};
use crate::store::phases::{self, PhaseRow};
use crate::store::plots::{self, DueRow};
use crate::store::results;
use crate::store::seats::Seated;
use crate::store::{Conn, IdText, Stamp, users};
use crate::when;

use super::access::Table;
use super::advance::Play;
use super::{Ctx, Outcome, Refused, score, words};

/// A table as letters name it.
pub fn table_ref(table: &Table) -> TableRef {
    TableRef { id: table.row.id, title: table.row.title.clone(), game: table.game.meta().name.to_owned() }
}

/// Queues a letter to a player; one without an address gets none.
pub fn send(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    user_id: i64,
    letter: &Letter,
    dedupe_key: &str,
) -> Result<(), Refused> {
    let to = users::find(conn, user_id)?.filter(users::User::is_active).and_then(|user| Recipient::of(&user));
    if let Some(to) = to {
        mail::queue(conn, &ctx.site, now, &to, letter, dedupe_key)?;
    }
    Ok(())
}

/// A stored report as sentences for this viewer.
pub fn report_lines(game: &dyn Game, report: &str, viewer: Option<Seat>, ended: bool) -> Result<Vec<String>, Refused> {
    let entries: Vec<ReportEntry> = serde_json::from_str(report)
        .map_err(|error| Refused::Broken(format!("a stored report cannot be read: {error}")))?;
    let mut lines = Vec::with_capacity(entries.len());
    for entry in &entries {
        lines.extend(game.tell(entry, viewer, ended)?);
    }
    Ok(lines)
}

/// What happened since this seat's last orders, a section for each phase in which something did.
pub fn since(conn: &mut Conn, table: &Table, seat: Option<Seat>) -> Result<Vec<Section>, Refused> {
    let (id, now_no) = (table.row.id, table.row.phase_no);
    let ended = table.is_over();
    // At the end the last phase is closed and belongs to what is told.
    let before = if ended { now_no + 1 } else { now_no };
    let last_due = match seat {
        Some(seat) => plots::last_due(conn, id, words::number(seat), before)?,
        None => Some((before - 1).max(1)),
    };
    let mut sections = Vec::new();
    if last_due.is_none()
        && let Some(opening) = phases::opening(conn, id)?
    {
        let lines = report_lines(&*table.game, &opening.report, seat, ended)?;
        push(&mut sections, "Set-up".to_owned(), lines);
    }
    for phase in phases::reports(conn, id, last_due.unwrap_or(1))? {
        let mut lines = words::clock_lines(&plots::of_phase(conn, id, phase.no)?);
        lines.extend(report_lines(&*table.game, phase.report.as_deref().unwrap_or("[]"), seat, ended)?);
        push(&mut sections, words::phase_name(phase.turn, &phase.name), lines);
    }
    Ok(sections)
}

fn push(sections: &mut Vec<Section>, heading: String, lines: Vec<String>) {
    if !lines.is_empty() {
        sections.push(Section { heading, lines });
    }
}

/// What happens to a seat when the deadline passes, as a sentence.
pub fn at_deadline(play: &Play, due: &DueRow) -> Result<String, Refused> {
    if !due.required {
        return Ok("If nothing is in by then, the game goes on without orders from you.".to_owned());
    }
    let draft = "If nothing is in by then, a saved draft is handed in for you if it is legal";
    let (used, allowed) = (play.seated(due.seat)?.row.passes_used, play.table.row.passes_allowed);
    Ok(if used < allowed {
        format!(
            "{draft}; otherwise the default orders are carried out for you, and this counts as your time-out {} of \
             {allowed}.",
            used + 1
        )
    } else if play.table.row.ranked {
        let cost = score::change(Outcome::Dropped, play.seats.len(), 0);
        format!("{draft}; otherwise you are dropped from the game and lose {}.", words::points(cost))
    } else {
        format!("{draft}; otherwise you are dropped from the game.")
    })
}

fn phase_now(play: &Play) -> String {
    words::phase_name(play.phase.turn, &play.phase.name)
}

fn deadline(play: &Play) -> Result<Stamp, Refused> {
    Ok(super::open::running(&play.phase)?.deadline)
}

/// The table has begun: to everybody.
pub fn started(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    seats: &[Seated],
    report: &str,
) -> Result<(), Refused> {
    let players: Vec<String> =
        seats.iter().filter_map(|seated| Some(format!("{}: {}", words::seat(seated.row.seat?), seated.name))).collect();
    for seated in seats {
        let Some(seat) = seated.row.seat.map(words::seat) else { continue };
        let mut opening = Vec::new();
        push(&mut opening, "Set-up".to_owned(), report_lines(&*table.game, report, Some(seat), false)?);
        let letter = Letter::Started {
            table: table_ref(table),
            players: players.clone(),
            seat: seat.letter(),
            opening,
            dice_hash: table.row.dice_hash.clone(),
        };
        send(conn, ctx, now, seated.row.user_id, &letter, &format!("started:{}:{seat}", IdText(table.row.id)))?;
    }
    Ok(())
}

/// Orders are due from this seat.
pub fn due(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: &Play, due: &DueRow) -> Result<(), Refused> {
    let seat = words::seat(due.seat);
    let deadline = deadline(play)?;
    let letter = Letter::Due {
        table: table_ref(&play.table),
        phase_no: play.phase.no,
        phase: phase_now(play),
        deadline,
        since: since(conn, &play.table, Some(seat))?,
        at_deadline: at_deadline(play, due)?,
        position: play.table.game.position(&play.state, Some(seat))?,
    };
    let key = format!("due:{}:{}:{seat}:{}", IdText(play.table.row.id), play.phase.no, key_time(deadline));
    send(conn, ctx, now, play.seated(due.seat)?.row.user_id, &letter, &key)
}

/// A quarter of the time is left and nothing is in. One letter a deadline, so that one that moved warns again.
pub fn reminder(conn: &mut Conn, ctx: &Ctx, now: Stamp, play: &Play, due: &DueRow) -> Result<(), Refused> {
    let seat = words::seat(due.seat);
    let deadline = deadline(play)?;
    let letter = Letter::Reminder {
        table: table_ref(&play.table),
        phase_no: play.phase.no,
        phase: phase_now(play),
        deadline,
        at_deadline: at_deadline(play, due)?,
        position: play.table.game.position(&play.state, Some(seat))?,
    };
    let key = format!("reminder:{}:{seat}:{}", IdText(play.table.row.id), key_time(deadline));
    send(conn, ctx, now, play.seated(due.seat)?.row.user_id, &letter, &key)
}

fn key_time(at: Stamp) -> i64 {
    at.and_utc().timestamp()
}

/// A phase was resolved: to the seats still in play that owe nothing in the next one. Those that do are told
/// what happened with what is due.
pub fn resolved(conn: &mut Conn, ctx: &Ctx, now: Stamp, next: &Play, closed: &PhaseRow) -> Result<(), Refused> {
    let decided = results::of_table(conn, next.table.row.id)?;
    let waited_for: Vec<String> = next.dues.iter().map(|due| words::seat(due.seat).to_string()).collect();
    let what_next = format!("{}: orders are due from {}.", phase_now(next), waited_for.join(", "));
    for seated in &next.seats {
        let Some(number) = seated.row.seat else { continue };
        let is_due = next.dues.iter().any(|due| due.seat == number);
        if is_due || decided.iter().any(|row| row.seat == number) {
            continue;
        }
        let seat = words::seat(number);
        let letter = Letter::Resolved {
            table: table_ref(&next.table),
            phase_no: closed.no,
            phase: words::phase_name(closed.turn, &closed.name),
            what: since(conn, &next.table, Some(seat))?,
            position: next.table.game.position(&next.state, Some(seat))?,
            next: what_next.clone(),
        };
        let key = format!("resolved:{}:{}:{seat}", IdText(next.table.row.id), closed.no);
        send(conn, ctx, now, seated.row.user_id, &letter, &key)?;
    }
    Ok(())
}

/// To the seats that were dropped: `play` is the phase whose time ran out, `next` the phase that follows it.
pub fn dropped(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    play: &Play,
    leavers: &[(Seat, Leaving)],
    next: Option<&str>,
) -> Result<(), Refused> {
    let decided = results::of_table(conn, play.table.row.id)?;
    let after = match next {
        Some(next) => format!("The others play on with {next}. The change is booked when the game ends."),
        None => "The game is over with it.".to_owned(),
    };
    for (seat, _) in leavers.iter().filter(|(_, leaving)| *leaving == Leaving::Dropped) {
        let number = words::number(*seat);
        let change = decided.iter().find(|row| row.seat == number).map_or(0, |row| row.score_change);
        let letter = Letter::Dropped {
            table: table_ref(&play.table),
            phase_no: play.phase.no,
            phase: phase_now(play),
            deadline: deadline(play)?,
            score_change: play.table.row.ranked.then_some(change),
            after: after.clone(),
        };
        let key = format!("dropped:{}:{seat}", IdText(play.table.row.id));
        send(conn, ctx, now, play.seated(number)?.row.user_id, &letter, &key)?;
    }
    Ok(())
}

/// The table is over: to everybody. Called when results are booked.
pub fn over(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    seats: &[Seated],
    state: &str,
) -> Result<(), Refused> {
    let row = crate::store::game_tables::find(conn, table.row.id)?.ok_or(Refused::NoTable)?;
    let ended = Table { row, game: std::sync::Arc::clone(&table.game) };
    let decided = results::of_table(conn, ended.row.id)?;
    for seated in seats {
        let Some(seat) = seated.row.seat.map(words::seat) else { continue };
        let mine = decided.iter().find(|row| row.seat == words::number(seat));
        let outcome = mine.and_then(|row| Outcome::from_key(&row.result));
        let what = since(conn, &ended, Some(seat))?;
        let reason = what.last().and_then(|section| section.lines.last()).cloned().unwrap_or_default();
        let score = i64::from(score::START) + results::booked_change(conn, seated.row.user_id)?;
        let letter = Letter::Over {
            table: table_ref(&ended),
            result: own_result(outcome).to_owned(),
            reason,
            score_change: ended.row.ranked.then(|| mine.map_or(0, |row| row.score_change)),
            score: i32::try_from(score).unwrap_or(i32::MAX),
            what,
            position: ended.game.position(state, Some(seat))?,
        };
        send(conn, ctx, now, seated.row.user_id, &letter, &format!("over:{}:{seat}", IdText(ended.row.id)))?;
    }
    Ok(())
}

fn own_result(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Won) => "You won.",
        Some(Outcome::Lost) => "You lost.",
        Some(Outcome::Drew) => "The game is a tie.",
        Some(Outcome::Resigned) => "You resigned.",
        Some(Outcome::Dropped) => "You ran out of time and were dropped.",
        None => "The game ended without a result for you.",
    }
}

/// A table that had not started was called off: to those who sat there.
pub fn cancelled(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    seats: &[Seated],
    why: &str,
) -> Result<(), Refused> {
    let letter = Letter::Cancelled { table: table_ref(table), why: why.to_owned() };
    for seated in seats.iter().filter(|seated| seated.row.user_id != table.row.creator_id) {
        let key = format!("cancelled:{}:{}", IdText(table.row.id), IdText(seated.row.user_id));
        send(conn, ctx, now, seated.row.user_id, &letter, &key)?;
    }
    Ok(())
}

/// A table's terms as label and value, for invitations.
pub fn terms(table: &Table) -> Vec<(String, String)> {
    let row = &table.row;
    let mut terms = super::page::option_words(table);
    terms.push(("Players".to_owned(), row.seat_count.to_string()));
    terms.push(("Time limit".to_owned(), when::span(row.time_limit_s)));
    let at_timeout = match row.passes_allowed {
        0 => "dropped at the first time-out".to_owned(),
        1 => "one time-out counts as default orders, then dropped".to_owned(),
        many => format!("{many} time-outs count as default orders, then dropped"),
    };
    terms.push(("Out of time".to_owned(), at_timeout));
    terms.push(("Counts for the score".to_owned(), if row.ranked { "yes" } else { "no" }.to_owned()));
    terms
}
