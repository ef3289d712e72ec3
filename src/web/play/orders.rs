//! Orders handed in, checked, saved and taken back. Lists, clicks and text are three ways to write one plot; the
//! text is what counts.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::order_form::{OrdersPart, ReadBack};
use super::table_frame::{self, Asked, Head};
use super::turn;
use crate::store::{Conn, PhaseNo, TableId};
use crate::tables::{self, Act, Done, Reading, Sent, Submitted, TablePage, Turn, TwoTabs, Unstored, Wish};
use crate::web::base::page::{Notice, Page, go, go_with, render, render_as};
use crate::web::{App, PageError, Posted, SignedIn, boards};

/// What the plot's form asks for.
fn plot_of(posted: &Posted) -> Result<Sent, PageError> {
    let wish = match posted.get("do") {
        // Pressing Enter in a list sends the first button of the form.
        None | Some("check") => Wish::Check,
        Some("save") => Wish::Save,
        Some("hand-in") => Wish::HandIn,
        Some("withdraw") => Wish::Withdraw,
        Some("pass") => Wish::Pass,
        Some(_) => return Err(malformed("The form does not say what to do with these orders.")),
    };
    let chosen = posted.under("slot.").map(|(key, order)| (key.to_owned(), order.to_owned())).collect();
    Ok(Sent { wish, text: posted.text("text"), chosen })
}

/// One order, from beside the board: `{n}` in it stands for what the field `n` says.
fn step_of(posted: &Posted) -> Result<Sent, PageError> {
    let order = posted.line("order");
    if order.is_empty() {
        return Err(malformed("No order came with this form."));
    }
    Ok(Sent { wish: Wish::Step, text: order.replace("{n}", &posted.line("n")), chosen: Vec::new() })
}

/// The place of the act: the phase the form was made for, and the version of the orders it was made from.
fn act_of(me: &SignedIn, table: TableId, posted: &Posted) -> Result<Act, PageError> {
    let phase = posted.line("phase_no");
    let phase = phase.parse().map_err(|_| malformed("The form does not say which phase it is for."))?;
    let base = match posted.line("version").as_str() {
        "" => None,
        version => Some(
            version.parse().map_err(|_| malformed("The form does not say which orders of yours it was made from."))?,
        ),
    };
    Ok(Act { table, user: me.me.user_id, phase, base, received: me.now })
}

fn malformed(why: &str) -> PageError {
    PageError::Malformed(format!("{why} Open the table’s page again and send it from there."))
}

/// `POST /t/{id}/plot`.
pub async fn post(app: Data<App>, me: SignedIn, id: Path<TableId>, posted: Posted) -> Result<HttpResponse, PageError> {
    let table_id: TableId = id.into_inner();
    let (sent, act) = (plot_of(&posted)?, act_of(&me, table_id, &posted)?);
    if posted.get("part") == Some("plot") {
        return read_back(&app, &me, act, Sent { wish: Wish::Check, ..sent }).await;
    }
    // To the top, where the notice and the new board are: without a place of its own the address would keep that of
    // the form.
    let table = format!("/t/{}#content", table_id);
    answer(&app, &me, act, sent, |done| go_with(&table, &notice(&done), me.secure())).await
}

/// The script asks after every click how the orders read now: the server's own check, and no page is read for it.
async fn read_back(app: &Data<App>, me: &SignedIn, act: Act, sent: Sent) -> Result<HttpResponse, PageError> {
    let (ctx, enter) = (app.ctx.clone(), app.enter(me));
    let came = app.block(move |db| tables::submit(db, &ctx, &enter, &act, &sent)).await;
    let Submitted::Read(reading) = came.map_err(|error| table_frame::refused(error, act.table))? else {
        return Err(PageError::Internal("a check has stored something".to_owned()));
    };
    let heading = if reading.examined.faults.is_empty() { "" } else { "You cannot hand in these orders yet" };
    render(&ReadBack::new(heading, reading.text, reading.lines, Some(&reading.examined)))
}

/// `POST /t/{id}/act`: one order, handed in at once. What it led to is shown on the table's page, with what the
/// form says chosen for the next step.
pub async fn act(app: Data<App>, me: SignedIn, id: Path<TableId>, posted: Posted) -> Result<HttpResponse, PageError> {
    let table_id: TableId = id.into_inner();
    let (sent, act) = (step_of(&posted)?, act_of(&me, table_id, &posted)?);
    let next = Next { piece: posted.line("piece"), target: posted.line("target") };
    let table = format!("/t/{}{}#play", table_id, next.query());
    answer(&app, &me, act, sent, |_| go(&table)).await
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

/// Has the tables do what was sent, and shows what came of it; `done` answers when it was stored. Only a form that
/// is shown again needs the table's page.
async fn answer(
    app: &Data<App>,
    me: &SignedIn,
    act: Act,
    sent: Sent,
    done: impl FnOnce(Done) -> HttpResponse,
) -> Result<HttpResponse, PageError> {
    let (ctx, enter, wish) = (app.ctx.clone(), app.enter(me), sent.wish);
    let came = app.block(move |db| tables::submit(db, &ctx, &enter, &act, &sent)).await;
    match came.map_err(|error| table_frame::refused(error, act.table))? {
        Submitted::Done(what) => {
            // Only a new phase sets timers and queues letters.
            if matches!(what, Done::Resolved { .. }) {
                app.wakers.wake();
            }
            Ok(done(what))
        }
        Submitted::Read(reading) => show_again(app, me, act, wish, reading).await,
        Submitted::TwoTabs(both) => show_both(app, me, act, *both).await,
    }
}

/// What was done, as a sentence for the next page.
fn notice(done: &Done) -> Notice {
    match done {
        Done::Saved(_) => Notice::good("Your draft is saved. It is not handed in."),
        Done::Withdrawn(_) => Notice::good("Your plot is withdrawn. Its text is kept as a draft."),
        Done::Waiting(_) => {
            Notice::good("Your plot is in. The phase resolves when all plots are in, or at the deadline.")
        }
        Done::Resolved { together: true, .. } => Notice::good("Your plot was the last one: the phase has resolved."),
        Done::Resolved { game, told, .. } if boards::of(game).is_some_and(|board| board.leaves_undone(told)) => {
            Notice::plain("Some of your orders were not carried out. Below is why, and what came of the others.")
        }
        Done::Resolved { .. } => Notice::good("Your orders were carried out. The result is below."),
        Done::TakenBefore => Notice::good("These orders arrived twice and were carried out once. The result is below."),
    }
}

/// The form again, with the text as it is now.
async fn show_again(
    app: &Data<App>,
    me: &SignedIn,
    act: Act,
    wish: Wish,
    reading: Reading,
) -> Result<HttpResponse, PageError> {
    let (shown, turn) = table_and_turn(app, act).await?;
    let Reading { text, examined, lines, why } = reading;
    let empty = examined.lines.is_empty();
    let heading = match (why, wish) {
        (Unstored::Faulty, Wish::Step) => "This was not done. Nothing was changed.",
        (Unstored::Faulty, _) => {
            "Something is wrong with these orders, so they were not handed in. What you handed in before still counts."
        }
        (Unstored::NoOrders, _) => {
            "There are no orders here, so nothing was handed in. If that is what you want, press “Pass: no orders”."
        }
        (Unstored::Asked, _) if !examined.faults.is_empty() => {
            "Something is wrong with these orders. Nothing was handed in; what you handed in before still counts."
        }
        (Unstored::Asked, _) if empty => "There are no orders yet. To hand in no orders, press “Pass: no orders”.",
        (Unstored::Asked, _) => "These are your orders. They are legal. Hand them in if they say what you mean.",
    };
    let legal = examined.faults.is_empty();
    let status = if legal && why == Unstored::Asked { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let orders = OrdersPart::new(&turn, ReadBack::new(heading, text, lines, Some(&examined))).map(|mut part| {
        part.legal = legal && !empty;
        // As it came: what another page has stored meanwhile is not to be replaced unseen.
        part.version = version(act.base);
        if let Some(plot) = &turn.plot {
            let time = me.page("").time(&plot.at);
            part.standing =
                format!("You handed in a plot {} {}. It counts until you hand in another.", time.date, time.zone);
        }
        part
    });
    turn::show(status, me, &shown, turn, orders, &Asked::default())
}

async fn table_and_turn(app: &Data<App>, act: Act) -> Result<(TablePage, Turn), PageError> {
    let ctx = app.ctx.clone();
    table_frame::read(app, act.table, move |conn: &mut Conn| {
        let shown = tables::table_page(conn, &ctx, act.table, Some(act.user), None)?;
        Ok((shown, tables::turn(conn, &ctx, act.table, Some(act.user))?))
    })
    .await
}

fn version(version: Option<i64>) -> String {
    version.map(|version| version.to_string()).unwrap_or_default()
}

#[derive(Template)]
#[template(path = "pages/two_tabs.html")]
struct TwoTabsPage {
    page: Page,
    head: Head,
    phase_no: PhaseNo,
    version: String,
    both: TwoTabs,
}

/// Both texts side by side; nothing is lost whichever the player takes.
async fn show_both(app: &Data<App>, me: &SignedIn, act: Act, both: TwoTabs) -> Result<HttpResponse, PageError> {
    let ctx = app.ctx.clone();
    let shown =
        table_frame::read(app, act.table, move |conn| tables::table_page(conn, &ctx, act.table, Some(act.user), None));
    let shown = shown.await?;
    let head = Head::new(&shown);
    let page = me.page(format!("Two texts: {}", head.title)).with_style("board.css");
    let version = version(both.version);
    render_as(StatusCode::CONFLICT, &TwoTabsPage { page, head, phase_no: act.phase, version, both })
}
