//! The one door for orders: what a form of the site, a letter or a call of a program hands in goes through here,
//! and what came of it is answered as facts. Knows no page.

use crate::rules::{Examined, ReportEntry, Seat};
use crate::store::plots::DraftRow;
use crate::store::{Conn, Database, Stamp, game_tables, phases, plots};

use super::lines::{self, WrittenLine, merged};
use super::plot::{self, HandedIn, Readied};
use super::running::Play;
use crate::tables::pages::since;
use crate::tables::{Act, Ctx, Refused, TwoTabs, run, words};

/// What is to be done with orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Read them back and say what is wrong, and store nothing.
    Check,
    /// Keep them as a draft, legal or not.
    Save,
    /// Hand them in.
    HandIn,
    /// Hand in that there are none.
    Pass,
    /// Hand in a single step of a turn; a draft of the whole turn is kept for the steps after it.
    Step,
    /// Take back the plot that is in; its text stays as a draft.
    Withdraw,
}

/// What begins the write of an act: refuses a player who may not act any more, because a session ended or an account
/// was deleted while the act was on its way, and returns the time of the transaction.
pub type Enter<'a> = &'a (dyn Fn(&mut Conn) -> Result<Stamp, Refused> + Sync);

/// What came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// What is to be done.
    pub wish: Wish,
    /// The orders as text, one a line.
    pub text: String,
    /// Choices from controls, by [`crate::rules::Slot::key`], to be written into the text; an empty one leaves its
    /// control as it is. Letters and programs send none.
    pub chosen: Vec<(String, String)>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Submitted {
    /// It is stored.
    Done(Done),
    /// Nothing was stored: this is how the text reads.
    Read(Reading),
    /// Nothing was stored, because something else had been stored since: both texts.
    TwoTabs(Box<TwoTabs>),
}

/// What was stored.
#[derive(Clone, Debug)]
pub enum Done {
    /// The draft, with the version to send along with the next change.
    Saved(i64),
    /// The plot was taken back; the version to send along with the next change.
    Withdrawn(i64),
    /// The plot; the phase waits for others.
    Waiting(HandedIn),
    /// The plot, and it was the last one awaited: the phase has resolved.
    Resolved {
        /// The plot.
        plot: HandedIn,
        /// Whether plots of this phase were secret until then. Otherwise these orders were carried out at once.
        together: bool,
        /// Id of the game, which knows how to read what is told.
        game: String,
        /// What came of it, as far as the player may read it.
        told: Vec<ReportEntry>,
    },
    /// The very same orders had been taken before: they were sent twice, and counted once.
    TakenBefore,
}

/// Orders that were read and not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The text, with the choices written into it.
    pub text: String,
    /// The orders in words, and what is wrong with them.
    pub examined: Examined,
    /// The lines of the text, with the controls they belong to.
    pub lines: Vec<WrittenLine>,
    /// Why nothing was stored.
    pub why: Unstored,
}

/// Why orders were not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstored {
    /// Only a check was asked for.
    Asked,
    /// There are no orders in the text, and whoever means that says so: [`Wish::Pass`].
    NoOrders,
    /// They have faults.
    Faulty,
}

/// Does with orders what is wished, in one short read and one write; what takes long, reading the text, is done
/// between the two and holds neither. `enter` begins the write: it looks whether this player may still act, and
/// returns the time of the transaction.
///
/// # Errors
/// When nothing could be read at all: no such table or seat, another phase by now, too late, too long, choices that
/// no page sends. Nothing has changed then.
pub fn submit(db: &Database, ctx: &Ctx, enter: Enter<'_>, act: &Act, sent: &Sent) -> Result<Submitted, Refused> {
    lines::must_fit(&sent.text, &sent.chosen)?;
    // What needs no reading goes straight into the write.
    match sent.wish {
        Wish::Withdraw => {
            return kept(write(db, enter, |conn, now| plot::withdraw(conn, ctx, now, act)), Done::Withdrawn);
        }
        Wish::Save if sent.chosen.is_empty() => return save(db, ctx, enter, act, &merged(&[], &sent.text, &[])?),
        _ => {}
    }
    let Some((play, seat)) = look(db, ctx, act, sent)? else { return Ok(Submitted::Done(Done::TakenBefore)) };
    let desk = play.table.game.desk(&play.state, seat)?;
    let text = match (sent.wish, sent.chosen.is_empty()) {
        (Wish::Pass, _) => "pass".to_owned(),
        (_, true) => merged(&[], &sent.text, &[])?,
        (_, false) => merged(&desk.offers(), &sent.text, &sent.chosen)?,
    };
    if sent.wish == Wish::Save {
        return save(db, ctx, enter, act, &text);
    }
    let examined = desk.examine(&text);
    let why = match sent.wish {
        Wish::Check => Some(Unstored::Asked),
        Wish::HandIn if lines::orders(&text).is_empty() => Some(Unstored::NoOrders),
        _ if !examined.faults.is_empty() => Some(Unstored::Faulty),
        _ => None,
    };
    if let Some(why) = why {
        let lines = lines::written(&desk.offers(), &text, Some(&examined));
        return Ok(Submitted::Read(Reading { text, examined, lines, why }));
    }
    let readied = Readied { text, examined };
    match write(db, enter, |conn, now| hand_in(conn, ctx, now, act, &readied, sent.wish)) {
        Ok(done) => Ok(Submitted::Done(done)),
        Err(Refused::TwoTabs(both)) => Ok(Submitted::TwoTabs(both)),
        // The other click of a double one was faster by a moment.
        Err(Refused::PhaseOver { .. }) if db.read(|conn| plot::was_taken(conn, act, &readied.text))? => {
            Ok(Submitted::Done(Done::TakenBefore))
        }
        Err(other) => Err(other),
    }
}

fn save(db: &Database, ctx: &Ctx, enter: Enter<'_>, act: &Act, text: &str) -> Result<Submitted, Refused> {
    kept(write(db, enter, |conn, now| plot::save_draft(conn, ctx, now, act, text)), Done::Saved)
}

fn write<T>(
    db: &Database,
    enter: Enter<'_>,
    mut work: impl FnMut(&mut Conn, Stamp) -> Result<T, Refused>,
) -> Result<T, Refused> {
    run(db, |conn| {
        let now = enter(conn)?;
        work(conn, now)
    })
}

/// What came of a change that returns a version.
fn kept(version: Result<i64, Refused>, done: fn(i64) -> Done) -> Result<Submitted, Refused> {
    match version {
        Ok(version) => Ok(Submitted::Done(done(version))),
        Err(Refused::TwoTabs(both)) => Ok(Submitted::TwoTabs(both)),
        Err(other) => Err(other),
    }
}

/// The open phase and the player's seat; `None` where these very orders were taken in a phase that is over by now:
/// a second click on the same button, or the same form sent again by the browser.
fn look(db: &Database, ctx: &Ctx, act: &Act, sent: &Sent) -> Result<Option<(Play, Seat)>, Refused> {
    db.read(|conn| match plot::look(conn, ctx, act) {
        Ok((play, seat)) => match play.phase.deadline_at {
            Some(deadline) if deadline <= act.received && sent.wish != Wish::Check => {
                Err(Refused::TooLate { deadline })
            }
            _ => Ok(Some((play, seat))),
        },
        Err(over @ Refused::PhaseOver { .. }) => {
            let text = match sent.wish {
                Wish::Pass => "pass".to_owned(),
                Wish::HandIn | Wish::Step => lines::with_choices(&sent.text, &sent.chosen),
                Wish::Check | Wish::Save | Wish::Withdraw => return Err(over),
            };
            if plot::was_taken(conn, act, &text)? { Ok(None) } else { Err(over) }
        }
        Err(other) => Err(other),
    })
}

fn hand_in(conn: &mut Conn, ctx: &Ctx, now: Stamp, act: &Act, readied: &Readied, wish: Wish) -> Result<Done, Refused> {
    let (play, seat) = plot::changeable(conn, ctx, act)?;
    let (turn, together, game) = (play.phase.turn, play.phase.simultaneous, play.table.row.game.clone());
    let draft = match wish {
        Wish::Step => plots::draft(conn, act.table, act.phase, words::number(seat))?,
        _ => None,
    };
    let plot = plot::put_in(conn, ctx, now, act, (play, seat), readied)?;
    if !plot.resolved {
        return Ok(Done::Waiting(plot));
    }
    if let Some(draft) = draft {
        keep_draft(conn, now, draft, turn)?;
    }
    let over = game_tables::find(conn, act.table)?.is_none_or(|table| table.status == game_tables::Status::Over);
    let told = match phases::report_of(conn, act.table, act.phase)? {
        Some(report) => since::entries_for(&report, Some(seat), over)?,
        None => Vec::new(),
    };
    Ok(Done::Resolved { plot, together, game, told })
}

/// A draft of the whole turn outlives its single steps: it goes on to the next one of the same turn, unless
/// something is stored there.
fn keep_draft(conn: &mut Conn, now: Stamp, draft: DraftRow, turn: i32) -> Result<(), Refused> {
    let Some(table) = game_tables::find(conn, draft.table_id)? else { return Ok(()) };
    let next = table.phase_no;
    let goes_on = table.status == game_tables::Status::Running
        && phases::find(conn, table.id, next)?.is_some_and(|phase| phase.turn == turn)
        && plots::dues(conn, table.id, next)?.iter().any(|due| due.seat == draft.seat)
        && plots::find(conn, table.id, next, draft.seat)?.is_none()
        && plots::draft(conn, table.id, next, draft.seat)?.is_none();
    if goes_on {
        plots::put_draft(conn, &DraftRow { phase_no: next, version: 1, saved_at: now, ..draft })?;
    }
    Ok(())
}
