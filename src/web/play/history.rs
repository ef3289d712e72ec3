//! What happened: the list of a table's phases, and each past phase with its board, report, dice and seals.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use serde::Deserialize;

use super::notes::NotesPart;
use super::table_frame::{self, Asked, Head, Scene};
use crate::rules::Throw;
use crate::store::{PhaseNo, TableId};
use crate::tables::PlotSource;
use crate::tables::{self, PhaseHeadline, PhasePage, PlotShown, TablePage, TurnPlayed};
use crate::web::base::page::{Page, render};
use crate::web::base::pager;
use crate::web::base::times::Zoned;
use crate::web::boards::Drawing;
use crate::web::{App, PageError, Visitor};

/// Of more steps than this in one turn only the first and last are listed; the others are stepped through.
const STEPS_SHOWN: usize = 24;
/// More lines than this about one turn are behind a heading to open.
const LINES_SHOWN: usize = 6;

#[derive(Template)]
#[template(path = "pages/phases.html")]
struct PhasesPage {
    page: Page,
    head: Head,
    turns: Vec<TurnRow>,
    newer: Option<usize>,
    older: Option<usize>,
    number: usize,
    pages: usize,
    log: Vec<(Zoned, String)>,
    notes: Option<NotesPart>,
}

/// One turn.
struct TurnRow {
    heading: String,
    digest: Vec<String>,
    /// Whether the lines are many.
    long: bool,
    /// Whether it is a turn of many small steps of one player.
    steps: bool,
    /// Steps left out after the first half of those listed.
    left_out: usize,
    /// Number of listed steps before those left out.
    half: usize,
    /// When it began.
    at: Zoned,
    phases: Vec<PhaseRow>,
}

struct PhaseRow {
    no: PhaseNo,
    name: String,
    closed: Option<(Zoned, String)>,
}

/// Which page of a list is asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct PageAsked {
    page: String,
}

/// `GET /t/{id}/phases`: all turns with their phases, newest first.
pub async fn list(
    app: Data<App>,
    visitor: Visitor,
    id: Path<TableId>,
    asked: Query<PageAsked>,
) -> Result<HttpResponse, PageError> {
    let table_id: TableId = id.into_inner();
    let (ctx, viewer) = (app.ctx.clone(), visitor.user_id());
    let asked = usize::try_from(pager::asked(&asked.page)).unwrap_or(1);
    let (shown, list) = table_frame::read(&app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, viewer, None)?;
        Ok((shown, tables::turn_list(conn, &ctx, table_id, viewer, asked)?))
    })
    .await?;
    let head = Head::new(&shown);
    let mut page = visitor.page(format!("History: {}", head.title)).with_style("board.css").with_style("people.css");
    page.path = format!("/t/{}/phases", head.id);
    let log = shown.log.iter().map(|entry| (page.time(&entry.at), entry.text.clone())).collect();
    let players = table_frame::players(&shown);
    let number = list.page;
    render(&PhasesPage {
        turns: list.turns.iter().map(|turn| turn_row(&page, &players, turn)).collect(),
        newer: (number > 1).then(|| number - 1),
        older: (number < list.pages).then_some(number + 1),
        number,
        pages: list.pages,
        log,
        notes: NotesPart::in_history(&page, &shown),
        head,
        page,
    })
}

fn turn_row(page: &Page, players: &[String], turn: &TurnPlayed) -> TurnRow {
    let heading = match (turn.turn, turn.seat) {
        (None, _) => "Before the first turn".to_owned(),
        (Some(number), None) => format!("Turn {number}"),
        (Some(number), Some(seat)) => {
            let name = players.get(seat.index()).map_or("", String::as_str);
            format!("Turn {number}: {seat} {name}")
        }
    };
    let row = |phase: &PhaseHeadline| PhaseRow {
        no: phase.no,
        name: phase.name.clone(),
        closed: phase.closed_at.map(|at| (page.time(&at), phase.closed_by.unwrap_or_default().to_owned())),
    };
    let mut phases: Vec<PhaseRow> = turn.phases.iter().map(row).collect();
    let left_out = if turn.seat.is_some() { phases.len().saturating_sub(STEPS_SHOWN) } else { 0 };
    if left_out > 0 {
        phases.drain(STEPS_SHOWN / 2..STEPS_SHOWN / 2 + left_out);
    }
    TurnRow {
        heading: heading.trim_end().to_owned(),
        left_out,
        half: STEPS_SHOWN / 2,
        long: turn.digest.len() > LINES_SHOWN,
        digest: turn.digest.clone(),
        steps: turn.seat.is_some(),
        at: page.time(&turn.phases.first().map_or(page.now, |phase| phase.opened_at)),
        phases,
    }
}

#[derive(Template)]
#[template(path = "pages/phase.html")]
struct OnePhasePage {
    page: Page,
    head: Head,
    no: PhaseNo,
    name: String,
    closed_at: Zoned,
    closed_by: &'static str,
    /// Whether the board shows the position the phase opened with.
    before: bool,
    has_before: bool,
    steps: Steps,
    drawing: Drawing,
    report: Vec<String>,
    throws: Vec<Throw>,
    plots: Vec<PlotPart>,
}

/// Numbers of the phases one can step to.
struct Steps {
    first: Option<PhaseNo>,
    turn_before: Option<PhaseNo>,
    previous: Option<PhaseNo>,
    next: Option<PhaseNo>,
    turn_after: Option<PhaseNo>,
    last: Option<PhaseNo>,
}

struct PlotPart {
    letter: String,
    player: String,
    how: String,
    seal: String,
    salt: Option<String>,
    body: Option<String>,
    words: Vec<String>,
    partly: bool,
    carried_on: bool,
}

/// `GET /t/{id}/phases/{no}`: one past phase.
pub async fn one(
    app: Data<App>,
    visitor: Visitor,
    path: Path<(TableId, PhaseNo)>,
    asked: Query<Asked>,
) -> Result<HttpResponse, PageError> {
    let (table_id, no) = path.into_inner();
    let asked = asked.into_inner();
    let (ctx, viewer) = (app.ctx.clone(), visitor.user_id());
    let (shown, phase) = table_frame::read(&app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, viewer, None)?;
        let phase = tables::phase_report(conn, &ctx, table_id, no, viewer)?;
        Ok((shown, phase))
    })
    .await?;
    let before = asked.board.as_deref() == Some("before") && phase.view_before.is_some();
    let view = phase.view_before.as_ref().filter(|_| before).unwrap_or(&phase.view_after);
    let link = format!("/t/{}/phases/{no}?board={}&piece=", table_id, if before { "before" } else { "after" });
    let scene = Scene { view, slots: &[], last: &phase.entries, form: None, link: &link };
    let drawing = table_frame::draw(&shown, &asked, &scene)?;
    if asked.only_piece() {
        return Ok(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(drawing.sheet));
    }
    let head = Head::new(&shown);
    let mut page = table_frame::board_page(visitor.page(format!("{}: {}", head.title, phase.name)), &shown)?;
    page.path = format!("/t/{}/phases", head.id);
    render(&OnePhasePage {
        no,
        closed_at: page.time(&phase.closed_at),
        before,
        has_before: phase.view_before.is_some(),
        steps: steps(&phase),
        drawing,
        plots: phase.plots.iter().map(|plot| plot_part(&page, &shown, plot)).collect(),
        name: phase.name,
        closed_by: phase.closed_by,
        report: phase.report,
        throws: phase.throws,
        head,
        page,
    })
}

fn steps(phase: &PhasePage) -> Steps {
    let (turn_before, turn_after) = phase.turns_beside;
    Steps {
        first: phase.has_previous.then_some(PhaseNo(0)),
        turn_before,
        previous: phase.has_previous.then_some(phase.no.before()),
        next: phase.has_next.then_some(phase.no.next()),
        turn_after,
        last: phase.has_next.then_some(phase.last),
    }
}

fn plot_part(page: &Page, shown: &TablePage, plot: &PlotShown) -> PlotPart {
    let at = page.time(&plot.handed_in_at);
    let how = match plot.source {
        PlotSource::Draft => format!("draft, handed in for the player at the deadline, {} {}", at.date, at.zone),
        PlotSource::Default => format!("nothing was handed in; the default orders were used, {} {}", at.date, at.zone),
        PlotSource::Hand => format!("handed in {} {}", at.date, at.zone),
    };
    PlotPart {
        letter: plot.seat.to_string(),
        player: table_frame::players(shown).get(plot.seat.index()).cloned().unwrap_or_default(),
        how,
        seal: plot.seal.clone(),
        salt: plot.salt.clone(),
        body: plot.body.clone(),
        words: plot.words.clone(),
        partly: plot.partly,
        carried_on: plot.carried_on,
    }
}
