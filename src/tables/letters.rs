//! What tables tell their people by letter. Queued in the transaction of the fact they tell of.

use crate::mail::{self, Letter, Recipient, Section, TableRef, TableTalk};
use crate::rules::{Game, Leaving, Seat};
use crate::store::phases::PhaseRow;
use crate::store::plots::DueRow;
use crate::store::results::{self, ResultRow};
use crate::store::seats::Seated;
use crate::store::{Conn, Stamp, UserId, users};

use super::access::Table;
use super::fair::NotCounted;
use super::pages::since;
use super::play::running::Play;
use super::talk::talk_letters;
use super::{Ctx, Outcome, Refused, score, words};

/// A table as letters name it.
pub fn table_ref(table: &Table) -> TableRef {
    TableRef { id: table.row.id, title: table.row.title.clone(), game: table.game.meta().name.to_owned() }
}

/// Queues a letter to a player; one without an address gets none. It carries the table's talk that the player has
/// not heard yet.
pub fn send(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    user_id: UserId,
    letter: &Letter,
    dedupe_key: &str,
) -> Result<(), Refused> {
    let to = users::find(conn, user_id)?.filter(users::User::is_active).and_then(|user| Recipient::of(&user));
    if let Some(to) = to {
        let talk = match letter.table() {
            Some(table) => talk_letters::unsent(conn, table.id, user_id)?,
            None => TableTalk::default(),
        };
        mail::queue_with_talk(conn, &ctx.site, now, &to, letter, &talk, dedupe_key)?;
    }
    Ok(())
}

/// What happens to a seat when the deadline passes, as a sentence.
pub fn at_deadline(play: &Play, due: &DueRow) -> Result<String, Refused> {
    if !due.required {
        return Ok("If you hand in nothing by then, the game goes on without orders from you.".to_owned());
    }
    let draft = "If you hand in nothing by then, a legal saved draft is handed in for you";
    let (used, allowed) = (play.seated(due.seat)?.row.passes_used, play.table.row.passes_allowed);
    Ok(if used < allowed {
        format!(
            "{draft}; otherwise the default orders are carried out for you, and you have used time-out {} of \
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

/// The position as text, after a line that says who the letters of the seats are.
fn position(game: &dyn Game, seats: &[Seated], state: &str, reader: Seat) -> Result<String, Refused> {
    let who: Vec<String> = seats
        .iter()
        .filter_map(|seated| {
            let seat = words::seat(seated.row.seat?);
            let you = if seat == reader { " (you)" } else { "" };
            Some(format!("{seat} {}{you}", mail::isolated(&seated.name)))
        })
        .collect();
    Ok(format!("{}\n\n{}", who.join(", "), game.position(state, Some(reader))?))
}

fn phase_now(play: &Play) -> String {
    words::phase_name(play.phase.turn, &play.phase.name)
}

fn deadline(play: &Play) -> Result<Stamp, Refused> {
    Ok(super::play::open::running(&play.phase)?.deadline)
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
    let players: Vec<String> = seats
        .iter()
        .filter_map(|seated| Some(format!("{}: {}", words::seat(seated.row.seat?), mail::isolated(&seated.name))))
        .collect();
    for seated in seats.iter().filter(|seated| seated.bot.is_none()) {
        let Some(seat) = seated.row.seat.map(words::seat) else { continue };
        let mut opening = Vec::new();
        let lines = since::report_lines(&*table.game, report, Some(seat), false)?;
        if !lines.is_empty() {
            opening.push(Section { heading: "Set-up".to_owned(), lines });
        }
        let letter = Letter::Started {
            table: table_ref(table),
            players: players.clone(),
            seat: seat.letter(),
            opening,
            dice_hash: table.row.dice_hash.clone(),
        };
        send(conn, ctx, now, seated.row.user_id, &letter, &format!("started:{}:{seat}", table.row.id))?;
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
        since: since::since(conn, &play.table, Some(seat))?,
        at_deadline: at_deadline(play, due)?,
        position: position(play.table.game.as_ref(), &play.seats, &play.state, seat)?,
        at_once: !play.phase.simultaneous,
    };
    let key = format!("due:{}:{}:{seat}:{}", play.table.row.id, play.phase.no, key_time(deadline));
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
        position: position(play.table.game.as_ref(), &play.seats, &play.state, seat)?,
    };
    let key = format!("reminder:{}:{seat}:{}", play.table.row.id, key_time(deadline));
    send(conn, ctx, now, play.seated(due.seat)?.row.user_id, &letter, &key)
}

fn key_time(at: Stamp) -> i64 {
    at.and_utc().timestamp()
}

/// A phase whose plots were secret was resolved: to the seats still in play that owe nothing in the next one. Those
/// that do are told what happened with what is due. Where one player acts after the other nobody is written to at
/// every turn of somebody else: whose turn comes is told everything since their own last one.
pub fn resolved(conn: &mut Conn, ctx: &Ctx, now: Stamp, next: &Play, closed: &PhaseRow) -> Result<(), Refused> {
    if !closed.simultaneous {
        return Ok(());
    }
    let decided = results::of_table(conn, next.table.row.id)?;
    let waited_for: Vec<String> = next.dues.iter().map(|due| words::seat(due.seat).to_string()).collect();
    let what_next = format!("{}: waiting for orders from {}.", phase_now(next), waited_for.join(", "));
    for seated in next.seats.iter().filter(|seated| seated.bot.is_none()) {
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
            what: since::since(conn, &next.table, Some(seat))?,
            position: position(next.table.game.as_ref(), &next.seats, &next.state, seat)?,
            next: what_next.clone(),
        };
        let key = format!("resolved:{}:{}:{seat}", next.table.row.id, closed.no);
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
        Some(next) => format!("The others play on with {next}. Your score changes when the game ends."),
        None => "That ends the game.".to_owned(),
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
        let key = format!("dropped:{}:{seat}", play.table.row.id);
        send(conn, ctx, now, play.seated(number)?.row.user_id, &letter, &key)?;
    }
    Ok(())
}

/// To the seats that the phase `closed` has put out of a game that goes on with `next`. Those that left by
/// themselves or by the clock know it otherwise.
pub fn beaten(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    next: &Play,
    closed: &PhaseRow,
    beaten: &[ResultRow],
) -> Result<(), Refused> {
    for row in beaten.iter().filter(|row| row.result == Outcome::Lost) {
        let seat = words::seat(row.seat);
        let letter = Letter::Beaten {
            table: table_ref(&next.table),
            phase_no: closed.no,
            phase: words::phase_name(closed.turn, &closed.name),
            score_change: row.ranked.then_some(row.score_change),
            what: since::since(conn, &next.table, Some(seat))?,
            position: position(next.table.game.as_ref(), &next.seats, &next.state, seat)?,
        };
        send(conn, ctx, now, row.user_id, &letter, &format!("beaten:{}:{seat}", next.table.row.id))?;
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
    for seated in seats.iter().filter(|seated| seated.bot.is_none()) {
        let Some(seat) = seated.row.seat.map(words::seat) else { continue };
        let mine = decided.iter().find(|row| row.seat == words::number(seat));
        let outcome = mine.map(|row| row.result);
        let what = since::since(conn, &ended, Some(seat))?;
        let reason = what.last().and_then(|section| section.lines.last()).cloned().unwrap_or_default();
        let score = i64::from(score::START) + results::booked_change(conn, seated.row.user_id)?;
        let letter = Letter::Over {
            table: table_ref(&ended),
            result: own_result(outcome).to_owned(),
            reason,
            score_change: ended.row.ranked.then(|| mine.map_or(0, |row| row.score_change)),
            not_counted: mine.and_then(|row| row.not_counted).map(NotCounted::words),
            score: i32::try_from(score).unwrap_or(i32::MAX),
            what,
            position: position(ended.game.as_ref(), seats, state, seat)?,
        };
        send(conn, ctx, now, seated.row.user_id, &letter, &format!("over:{}:{seat}", ended.row.id))?;
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

/// A table that had not started was called off: to these players.
pub fn cancelled(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    players: &[UserId],
    why: &str,
) -> Result<(), Refused> {
    let letter = Letter::Cancelled { table: table_ref(table), why: why.to_owned() };
    for user_id in players {
        let key = format!("cancelled:{}:{}", table.row.id, *user_id);
        send(conn, ctx, now, *user_id, &letter, &key)?;
    }
    Ok(())
}

/// A player was taken from a seat before the start: to that player.
pub fn removed(conn: &mut Conn, ctx: &Ctx, now: Stamp, table: &Table, user_id: UserId) -> Result<(), Refused> {
    let letter = Letter::Removed { table: table_ref(table) };
    // It may happen twice, with an invitation in between.
    let key = format!("removed:{}:{}:{}", table.row.id, user_id, key_time(now));
    send(conn, ctx, now, user_id, &letter, &key)
}

/// The player who made a waiting table left it: to the one who looks after it now.
pub fn handed_on(conn: &mut Conn, ctx: &Ctx, now: Stamp, table: &Table, user_id: UserId) -> Result<(), Refused> {
    let letter = Letter::HandedOn { table: table_ref(table) };
    let key = format!("handed-on:{}:{}:{}", table.row.id, user_id, key_time(now));
    send(conn, ctx, now, user_id, &letter, &key)
}
