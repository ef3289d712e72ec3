//! The page of a table that is being played or is over: what is due from the viewer and by when, the board,
//! the orders, and what happened.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use askama::Template;

use super::notes::NotesPart;
use super::order_form::OrdersPart;
use super::table_frame::{self, Asked, End, Head, LuckLine, Scene};
use super::talk::TalkPart;
use crate::mail::Section;
use crate::rules::Seat;
use crate::store::{PhaseNo, TableId};
use crate::tables::{Mark, PhaseNow, SeatShown, TablePage, Turn};
use crate::web::base::page::{Page, render_as};
use crate::web::base::seen;
use crate::web::base::times::Zoned;
use crate::web::boards::Drawing;
use crate::web::{App, PageError, Visitor};

#[derive(Template)]
#[template(path = "pages/turn.html")]
struct TurnPage {
    page: Page,
    head: Head,
    now: Option<NowPart>,
    end: Option<End>,
    drawing: Drawing,
    orders: Option<OrdersPart>,
    idle: Option<String>,
    mine: bool,
    since: Vec<Section>,
    so_far: Vec<Section>,
    luck: Vec<LuckLine>,
    state: String,
    /// How often the script asks whether the table has moved on, in seconds.
    ask_every_s: u32,
    talk: TalkPart,
    notes: Option<NotesPart>,
}

/// The open phase at the top of the page.
struct NowPart {
    name: String,
    due: bool,
    handed_in: bool,
    call: String,
    deadline: Zoned,
    at_deadline: String,
    /// Whether plots are secret: then it is told whose are in, and their seals.
    sealed: bool,
    seats: Vec<NowSeat>,
    seals: Vec<(Seat, String)>,
}

struct NowSeat {
    letter: String,
    name: String,
    you: bool,
    in_: bool,
    mark: &'static str,
    state: &'static str,
}

/// The page of a table that is running or over. `shown` and `turn` are what [`tables::table_page`] and
/// [`tables::turn`] gave for this visitor at one moment.
pub async fn page(
    app: &Data<App>,
    visitor: &Visitor,
    shown: TablePage,
    turn: Turn,
    asked: Asked,
) -> Result<HttpResponse, PageError> {
    if asked.only_piece() {
        let drawing = draw(visitor, &shown, &turn, &asked)?;
        return Ok(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(drawing.sheet));
    }
    mark_seen(app, visitor, &shown, &turn).await;
    let orders = OrdersPart::stored(&turn, visitor);
    show(StatusCode::OK, visitor, &shown, turn, orders, &asked)
}

/// Notes that the player has seen this phase: nobody is dropped from one they never saw.
async fn mark_seen(app: &Data<App>, visitor: &Visitor, shown: &TablePage, turn: &Turn) {
    if let (Some(user_id), Some(phase)) = (visitor.user_id(), turn.phase.as_ref().filter(|_| turn.due && !turn.noted)) {
        let mark = Mark::Phase { table_id: shown.table.table_id, user_id, phase_no: phase.no };
        seen::note(app, mark, visitor.now).await;
    }
}

/// Address of the page up to the id of a piece. Without the path, because a board has hundreds; a page that answers a
/// form is at the form's own address, which leads here (see [`crate::web::base::routing::configure`]).
const LINK: &str = "?piece=";

/// Draws the board. Where one plays after the other, orders can be handed in from it one by one.
fn draw(visitor: &Visitor, shown: &TablePage, turn: &Turn, asked: &Asked) -> Result<Drawing, PageError> {
    let table_id = shown.table.table_id;
    let stepwise = turn.phase.as_ref().filter(|phase| turn.due && !phase.simultaneous);
    let form = match stepwise {
        Some(phase) => Some(ActOpen {
            id: table_id,
            csrf: &visitor.page("").csrf,
            phase_no: phase.no,
            version: turn.version.map(|version| version.to_string()).unwrap_or_default(),
        })
        .map(|open| open.render())
        .transpose()
        .map_err(PageError::internal)?,
        None => None,
    };
    let scene =
        Scene { view: &turn.sight.view, slots: &turn.sight.slots, last: &turn.last, form: form.as_deref(), link: LINK };
    table_frame::draw(shown, asked, &scene)
}

/// The start of a form for one order.
#[derive(Template)]
#[template(path = "parts/act_open.html")]
struct ActOpen<'a> {
    id: TableId,
    csrf: &'a str,
    phase_no: PhaseNo,
    version: String,
}

/// Draws the page with the orders in this state.
pub fn show(
    status: StatusCode,
    visitor: &Visitor,
    shown: &TablePage,
    turn: Turn,
    orders: Option<OrdersPart>,
    asked: &Asked,
) -> Result<HttpResponse, PageError> {
    let head = Head::new(shown);
    let title = match &turn.phase {
        Some(phase) => format!("{}: {}", shown.table.title, phase.name),
        None => shown.table.title.clone(),
    };
    let mut page = table_frame::board_page(visitor.page(title), shown)?.with_style("people.css");
    // The answer to a form is at the address of the form; links and the mark in the navigation mean the table.
    page.path = format!("/t/{}", head.id);
    page.back.clone_from(&page.path);
    let drawing = draw(visitor, shown, &turn, asked)?;
    let orders = orders.map(|part| part.beside(&drawing));
    let part = TurnPage {
        now: turn.phase.as_ref().map(|phase| now_part(&page, shown, &turn, phase)),
        end: table_frame::end(shown, &page),
        idle: idle(shown, &turn),
        mine: turn.seat.is_some(),
        state: table_frame::state(shown),
        ask_every_s: ask_every_s(shown),
        since: turn.since,
        so_far: turn.so_far,
        luck: table_frame::luck(shown, &turn.luck),
        talk: TalkPart::of(&page, shown),
        notes: NotesPart::of(&page, shown),
        head,
        drawing,
        orders,
        page,
    };
    render_as(status, &part)
}

/// Bots answer within seconds; people do not.
fn ask_every_s(shown: &TablePage) -> u32 {
    if shown.seats.iter().any(|seat| seat.bot && seat.due && !seat.handed_in) { 3 } else { 60 }
}

fn now_part(page: &Page, shown: &TablePage, turn: &Turn, phase: &PhaseNow) -> NowPart {
    let handed_in = turn.plot.is_some();
    let waiting = waited_for(shown);
    let call = match (turn.due, handed_in) {
        (true, false) if !phase.simultaneous => "It is your turn.".to_owned(),
        (true, false) => "You owe orders.".to_owned(),
        (true, true) if waiting.is_empty() => "Your plot is in.".to_owned(),
        (true, true) => format!("Your plot is in. Waiting for {waiting}."),
        (false, _) => format!("Waiting for {waiting}."),
    };
    let mut seats: Vec<&SeatShown> = shown.seats.iter().collect();
    seats.sort_by_key(|seat| (seat.seat != turn.seat, seat.seat));
    NowPart {
        name: phase.name.clone(),
        due: turn.due,
        handed_in,
        call,
        deadline: page.time(&phase.deadline),
        at_deadline: turn.at_deadline.clone(),
        sealed: phase.simultaneous,
        seats: seats.into_iter().map(|seat| now_seat(seat, turn.seat)).collect(),
        seals: phase.seals.clone(),
    }
}

fn now_seat(seat: &SeatShown, mine: Option<Seat>) -> NowSeat {
    let (mark, state) = match (seat.result, seat.due, seat.handed_in) {
        (Some(result), _, _) => (table_frame::outcome_mark(result.outcome), table_frame::outcome_word(result.outcome)),
        (None, true, true) => ("in", "plot is in"),
        (None, true, false) => ("waiting", "not in yet"),
        (None, false, _) => ("plain", "owes nothing now"),
    };
    NowSeat {
        letter: table_frame::letter(seat),
        name: seat.name.clone(),
        you: mine.is_some() && seat.seat == mine,
        in_: seat.handed_in,
        mark,
        state,
    }
}

/// The players whose plots are missing, except the viewer.
fn waited_for(shown: &TablePage) -> String {
    let missing = shown.seats.iter().filter(|seat| seat.due && !seat.handed_in && seat.seat != shown.my_seat);
    missing.map(|seat| seat.name.as_str()).collect::<Vec<_>>().join(" and ")
}

/// Why there is no form for orders, for somebody who might look for one.
fn idle(shown: &TablePage, turn: &Turn) -> Option<String> {
    if turn.phase.is_none() || turn.due {
        return None;
    }
    Some(match (turn.seat, turn.sight.active) {
        (None, _) => "You are watching this table. Only its players give orders.".to_owned(),
        (Some(_), false) => "Your part in this game is over.".to_owned(),
        (Some(_), true) if !turn.phase.as_ref().is_some_and(|phase| phase.simultaneous) => {
            format!("It is the turn of {}. You will get a letter when it is yours.", waited_for(shown))
        }
        (Some(_), true) => format!(
            "You owe no orders in this phase, because you have no choice in it. It resolves as soon as the orders of {} \
             are in. You will get a letter when you owe orders again.",
            waited_for(shown)
        ),
    })
}
