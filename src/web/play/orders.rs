//! Orders handed in, checked, saved and taken back. Lists, clicks and text are three ways to write one plot; the
//! text is what counts.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::order_form::{Checked, OrdersPart, merged, plain};
use super::table_frame::{self, Asked, Head};
use super::turn;
use crate::rules::Examined;
use crate::store::{Conn, Database, IdText, Stamp};
use crate::tables::{self, Act, Ctx, Refused, TablePage, Turn, TwoTabs};
use crate::web::base::page::{Notice, Page, go, go_with, render_as};
use crate::web::{App, PageError, Posted, SignedIn, boards};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Button {
    /// One order by itself, from beside the board.
    Act,
    Check,
    Save,
    HandIn,
    Withdraw,
    Pass,
}

/// What the form sent.
#[derive(Clone, Debug)]
struct Sent {
    button: Button,
    phase_no: i32,
    version: Option<i64>,
    text: String,
    chosen: Vec<(String, String)>,
}

impl Sent {
    fn read(posted: &Posted) -> Result<Sent, PageError> {
        let button = match posted.get("do") {
            // Pressing Enter in a list sends the first button of the form.
            None | Some("check") => Button::Check,
            Some("save") => Button::Save,
            Some("hand-in") => Button::HandIn,
            Some("withdraw") => Button::Withdraw,
            Some("pass") => Button::Pass,
            Some(_) => return Err(malformed("The form does not say what to do with these orders.")),
        };
        let (phase_no, version) = Sent::place(posted)?;
        let text = posted.text("text");
        let chosen = posted.under("slot.").map(|(key, order)| (key.to_owned(), order.to_owned())).collect();
        Ok(Sent { button, phase_no, version, text, chosen })
    }

    /// One order: `{n}` in it stands for what the field `n` says.
    fn act(posted: &Posted) -> Result<Sent, PageError> {
        let (phase_no, version) = Sent::place(posted)?;
        let order = posted.line("order");
        if order.is_empty() {
            return Err(malformed("No order came with this form."));
        }
        let text = order.replace("{n}", &posted.line("n"));
        Ok(Sent { button: Button::Act, phase_no, version, text, chosen: Vec::new() })
    }

    /// The phase the form was made for, and the version of the orders it was made from.
    fn place(posted: &Posted) -> Result<(i32, Option<i64>), PageError> {
        let version = posted.line("version");
        let phase_no =
            posted.line("phase_no").parse().map_err(|_| malformed("The form does not say which phase it is for."))?;
        let version = match version.as_str() {
            "" => None,
            version => Some(
                version
                    .parse()
                    .map_err(|_| malformed("The form does not say which orders of yours it was made from."))?,
            ),
        };
        Ok((phase_no, version))
    }
}

fn malformed(why: &str) -> PageError {
    PageError::Malformed(format!("{why} Open the table’s page anew and send it from there."))
}

/// What came of it.
enum Came {
    /// Stored; the sentence for the next page.
    Done(String),
    /// The form is shown again, with the text as it is now.
    Again(Box<Again>),
    /// Another page stored something else meanwhile.
    TwoTabs(Box<TablePage>, Box<TwoTabs>),
}

struct Again {
    shown: TablePage,
    turn: Turn,
    text: String,
    examined: Examined,
    button: Button,
}

/// `POST /t/{id}/plot`.
pub async fn post(app: Data<App>, me: SignedIn, id: Path<IdText>, posted: Posted) -> Result<HttpResponse, PageError> {
    let IdText(table_id) = id.into_inner();
    let sent = Sent::read(&posted)?;
    let table = format!("/t/{}", IdText(table_id));
    let notice = |words: String| if words == PARTLY { Notice::plain(words) } else { Notice::good(words) };
    answer(&app, &me, table_id, sent, |words| go_with(&table, &notice(words), me.secure())).await
}

/// `POST /t/{id}/act`: one order, handed in at once. What it led to is shown on the table's page, with what the
/// form says chosen for the next step.
pub async fn act(app: Data<App>, me: SignedIn, id: Path<IdText>, posted: Posted) -> Result<HttpResponse, PageError> {
    let IdText(table_id) = id.into_inner();
    let sent = Sent::act(&posted)?;
    let next = Next { piece: posted.line("piece"), target: posted.line("target") };
    let table = format!("/t/{}{}#play", IdText(table_id), next.query());
    answer(&app, &me, table_id, sent, |_| go(&table)).await
}

/// What is chosen on the next page.
struct Next {
    piece: String,
    target: String,
}

impl Next {
    fn query(&self) -> String {
        let encode = |id: &str| percent(id);
        match (self.piece.as_str(), self.target.as_str()) {
            ("", _) => String::new(),
            (piece, "") => format!("?piece={}", encode(piece)),
            (piece, target) => format!("?piece={}&target={}", encode(piece), encode(target)),
        }
    }
}

/// An id as part of an address: letters, digits, `-` and `_` stay, everything else is written as its bytes.
fn percent(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    id.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Does what was sent, and shows what came of it; `done` answers when it was stored.
async fn answer(
    app: &Data<App>,
    me: &SignedIn,
    table_id: i64,
    sent: Sent,
    done: impl FnOnce(String) -> HttpResponse,
) -> Result<HttpResponse, PageError> {
    let phase_no = sent.phase_no;
    let (ctx, user_id, now) = (app.ctx.clone(), me.me.user_id, me.now);
    let came = app.block(move |db| carry_out(db, &ctx, now, table_id, user_id, sent)).await;
    match came.map_err(|error| table_frame::refused(error, table_id))? {
        Came::Done(words) => {
            app.wakers.wake();
            Ok(done(words))
        }
        Came::Again(again) => show_again(me, *again),
        Came::TwoTabs(shown, both) => show_both(me, &shown, phase_no, *both),
    }
}

fn carry_out(db: &Database, ctx: &Ctx, now: Stamp, table_id: i64, user_id: i64, sent: Sent) -> Result<Came, Refused> {
    let phase_no = sent.phase_no;
    let act = Act { table: table_id, user: user_id, phase: phase_no, base: sent.version, received: now };
    let (shown, turn, text, examined) = db.read(|conn| {
        let shown = tables::table_page(conn, ctx, table_id, Some(user_id), None)?;
        if shown.my_seat.is_none() {
            return Err(Refused::NoSeat);
        }
        let turn = tables::turn(conn, ctx, table_id, Some(user_id))?;
        // Choices in lists of a phase that is over mean nothing now; the use cases refuse by the number.
        let same_phase = turn.phase.as_ref().is_some_and(|phase| phase.no == phase_no);
        let slots = if same_phase { turn.slots.as_slice() } else { &[] };
        let text = match sent.button {
            Button::Pass => "pass".to_owned(),
            _ => merged(slots, &sent.text, &sent.chosen),
        };
        let asks = sent.button == Button::HandIn && text.lines().all(|line| plain(line).is_empty());
        let examined = match sent.button == Button::Check || asks {
            true => Some(tables::examine(conn, ctx, &act, &text)?),
            false => None,
        };
        Ok((shown, turn, text, examined))
    })?;
    if let Some(examined) = examined {
        return Ok(Came::Again(Box::new(Again { shown, turn, text, examined, button: sent.button })));
    }
    let sealed = turn.phase.as_ref().is_none_or(|phase| phase.simultaneous);
    let done = match sent.button {
        Button::Save => tables::run(db, |conn| tables::save_draft(conn, ctx, now, &act, &text).map(|_| SAVED)),
        Button::Withdraw => tables::run(db, |conn| tables::withdraw(conn, ctx, now, &act).map(|_| WITHDRAWN)),
        Button::Act => tables::run(db, |conn| {
            tables::hand_in(conn, ctx, now, &act, &text)?;
            // A draft of the whole turn outlives its single steps.
            if let Some(draft) = &turn.draft
                && let tables::Turn { due: true, phase: Some(next), .. } =
                    tables::turn(conn, ctx, table_id, Some(user_id))?
                && next.no != phase_no
                && Some(next.turn) == turn.phase.as_ref().map(|phase| phase.turn)
            {
                tables::save_draft(conn, ctx, now, &Act { phase: next.no, base: None, ..act }, &draft.text)?;
            }
            Ok(RESOLVED)
        }),
        Button::Check | Button::HandIn | Button::Pass => tables::run(db, |conn| {
            let handed = tables::hand_in(conn, ctx, now, &act, &text)?;
            Ok(match (handed.resolved, sealed) {
                (true, true) => RESOLVED,
                (true, false) => carried_out(conn, ctx, &shown)?,
                (false, _) => HANDED_IN,
            })
        }),
    };
    match done {
        Ok(words) => Ok(Came::Done(words.to_owned())),
        Err(Refused::TwoTabs(both)) => Ok(Came::TwoTabs(Box::new(shown), both)),
        Err(Refused::Faulty(faults)) => {
            let mut examined = db.read(|conn| tables::examine(conn, ctx, &act, &text))?;
            examined.faults = faults;
            Ok(Came::Again(Box::new(Again { shown, turn, text, examined, button: sent.button })))
        }
        // A second click on the same button, or the same form sent again by the browser.
        Err(Refused::PhaseOver { .. })
            if matches!(sent.button, Button::Act | Button::HandIn | Button::Pass)
                && db.read(|conn| tables::was_taken(conn, &act, &text))? =>
        {
            Ok(Came::Done(TAKEN.to_owned()))
        }
        Err(other) => Err(other),
    }
}

/// What came of orders that were carried out at once, in words.
fn carried_out(conn: &mut Conn, ctx: &Ctx, shown: &TablePage) -> Result<&'static str, Refused> {
    let told = tables::turn(conn, ctx, shown.table.table_id, shown.viewer)?.last;
    let some_not = boards::of(&shown.table.game).is_some_and(|board| board.leaves_undone(&told));
    Ok(if some_not { PARTLY } else { CARRIED_OUT })
}

const TAKEN: &str = "These orders had been taken already, once. What came of them stands below.";
const SAVED: &str = "Your draft is saved. It is not handed in.";
const WITHDRAWN: &str = "Your plot is taken back. Its text is kept as a draft.";
const HANDED_IN: &str = "Your plot is in. The phase resolves when all plots are in, or at the deadline.";
const CARRIED_OUT: &str = "Your orders were taken. What came of them stands below.";
const PARTLY: &str = "Some of your orders were not carried out. Why, and what came of the others, stands below.";
const RESOLVED: &str = "Your plot was the last one: the phase has resolved.";

fn show_again(me: &SignedIn, again: Again) -> Result<HttpResponse, PageError> {
    let Again { shown, turn, text, examined, button } = again;
    let legal = examined.faults.is_empty();
    let empty = examined.lines.is_empty();
    let heading = match (legal, empty, button) {
        (false, _, Button::Act) => "This was not done. Nothing has changed.",
        (false, _, Button::Check) => "This plot has faults. Nothing was handed in; what was in before stands.",
        (false, ..) => "This plot was not handed in because of its faults. What was in before stands.",
        (true, true, Button::HandIn) => {
            "You have given no orders, so nothing was handed in. If that is what you want, press “Pass: no orders”."
        }
        (true, true, _) => "There are no orders yet. To hand in none, press “Pass: no orders”.",
        (true, false, _) => "This is your plot. It is legal; hand it in if it says what you mean.",
    };
    let status = if legal && button == Button::Check { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let orders = OrdersPart::new(&turn, text).map(|mut part| {
        part.checked = Checked::new(heading, &examined);
        part.legal = legal && !empty;
        if let Some(plot) = &turn.plot {
            let time = me.page("").time(&plot.at);
            part.standing =
                format!("A plot of yours is in since {} {} and stands until you hand in.", time.date, time.zone);
        }
        part
    });
    turn::show(status, me, &shown, turn, orders, &Asked::default())
}

#[derive(Template)]
#[template(path = "pages/two_tabs.html")]
struct TwoTabsPage {
    page: Page,
    head: Head,
    phase_no: i32,
    version: String,
    both: TwoTabs,
}

/// Both texts side by side; nothing is lost whichever the player takes.
fn show_both(me: &SignedIn, shown: &TablePage, phase_no: i32, both: TwoTabs) -> Result<HttpResponse, PageError> {
    let head = Head::new(shown);
    let page = me.page(format!("Two texts: {}", head.title)).with_style("board.css");
    let version = both.version.map(|version| version.to_string()).unwrap_or_default();
    render_as(StatusCode::CONFLICT, &TwoTabsPage { page, head, phase_no, version, both })
}
