//! What happened: the list of a table's phases, and each past phase with its board, report, dice and seals.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path, Query};
use askama::Template;

use super::boards::Drawing;
use super::page::{Page, render};
use super::play::{self, Asked, Head};
use super::times::Zoned;
use super::{App, PageError, Visitor};
use crate::rules::Throw;
use crate::store::IdText;
use crate::tables::{self, PhaseHeadline, PhasePage, PlotShown, TablePage};

#[derive(Template)]
#[template(path = "pages/phases.html")]
struct PhasesPage {
    page: Page,
    head: Head,
    turns: Vec<TurnRow>,
    log: Vec<(Zoned, String)>,
}

/// The phases of one turn.
struct TurnRow {
    heading: String,
    phases: Vec<PhaseRow>,
}

struct PhaseRow {
    no: i32,
    name: String,
    closed: Option<(Zoned, String)>,
}

/// `GET /t/{id}/phases`: all phases.
pub async fn list(app: Data<App>, visitor: Visitor, id: Path<IdText>) -> Result<HttpResponse, PageError> {
    let IdText(table_id) = id.into_inner();
    let (ctx, viewer) = (app.ctx.clone(), visitor.user_id());
    let (shown, phases) = play::read(&app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, viewer, None)?;
        Ok((shown, tables::phase_history(conn, &ctx, table_id, viewer)?))
    })
    .await?;
    let head = Head::new(&shown);
    let page = visitor.page(format!("History: {}", head.title)).with_style("board.css");
    let log = shown.log.iter().map(|entry| (page.time(&entry.at), entry.text.clone())).collect();
    render(&PhasesPage { turns: turns(&page, &phases), log, head, page })
}

/// Newest turn first, its phases in the order they were played.
fn turns(page: &Page, phases: &[PhaseHeadline]) -> Vec<TurnRow> {
    let mut rows: Vec<TurnRow> = Vec::new();
    for phase in phases {
        let (heading, name) = match phase.name.split_once(", ") {
            Some((turn, name)) => (turn.to_owned(), name.to_owned()),
            None => ("Before the first turn".to_owned(), phase.name.clone()),
        };
        let closed = phase.closed_at.map(|at| (page.time(&at), phase.closed_by.clone().unwrap_or_default()));
        let row = PhaseRow { no: phase.no, name, closed };
        match rows.last_mut().filter(|last| last.heading == heading) {
            Some(last) => last.phases.push(row),
            None => rows.push(TurnRow { heading, phases: vec![row] }),
        }
    }
    rows.reverse();
    rows
}

#[derive(Template)]
#[template(path = "pages/phase.html")]
struct OnePhasePage {
    page: Page,
    head: Head,
    no: i32,
    name: String,
    closed_at: Zoned,
    closed_by: String,
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
    first: Option<i32>,
    previous: Option<i32>,
    next: Option<i32>,
    last: Option<i32>,
}

struct PlotPart {
    letter: String,
    player: String,
    how: String,
    seal: String,
    salt: Option<String>,
    body: Option<String>,
    words: Vec<String>,
}

/// `GET /t/{id}/phases/{no}`: one past phase.
pub async fn one(
    app: Data<App>,
    visitor: Visitor,
    path: Path<(IdText, i32)>,
    asked: Query<Asked>,
) -> Result<HttpResponse, PageError> {
    let (IdText(table_id), no) = path.into_inner();
    let asked = asked.into_inner();
    let (ctx, viewer) = (app.ctx.clone(), visitor.user_id());
    let (shown, phase, last) = play::read(&app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, viewer, None)?;
        let phase = tables::phase_report(conn, &ctx, table_id, no, viewer)?;
        let phases = tables::phase_history(conn, &ctx, table_id, viewer)?;
        let last = phases.iter().filter(|phase| phase.closed_at.is_some()).map(|phase| phase.no).max();
        Ok((shown, phase, last.unwrap_or(no)))
    })
    .await?;
    let before = asked.board.as_deref() == Some("before") && phase.view_before.is_some();
    let view = phase.view_before.as_ref().filter(|_| before).unwrap_or(&phase.view_after);
    let link = format!("/t/{}/phases/{no}?board={}&piece=", IdText(table_id), if before { "before" } else { "after" });
    let drawing = play::draw(&shown, view, &[], &asked, &link)?;
    if asked.only_piece() {
        return Ok(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(drawing.sheet));
    }
    let head = Head::new(&shown);
    let mut page = visitor
        .page(format!("{}: {}", head.title, phase.name))
        .with_style("board.css")
        .with_script("board.js")
        .with_wide();
    page.path = format!("/t/{}/phases", head.id);
    render(&OnePhasePage {
        no,
        closed_at: page.time(&phase.closed_at),
        before,
        has_before: phase.view_before.is_some(),
        steps: steps(&phase, last),
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

fn steps(phase: &PhasePage, last: i32) -> Steps {
    Steps {
        first: phase.has_previous.then_some(0),
        previous: phase.has_previous.then_some(phase.no - 1),
        next: phase.has_next.then_some(phase.no + 1),
        last: phase.has_next.then_some(last),
    }
}

fn plot_part(page: &Page, shown: &TablePage, plot: &PlotShown) -> PlotPart {
    let at = page.time(&plot.handed_in_at);
    let how = match plot.source.as_str() {
        "draft" => format!("draft, handed in for the player at the deadline, {} {}", at.date, at.zone),
        "default" => format!("nothing was handed in; the default orders were taken, {} {}", at.date, at.zone),
        _ => format!("handed in {} {}", at.date, at.zone),
    };
    PlotPart {
        letter: plot.seat.to_string(),
        player: play::players(shown).get(plot.seat.index()).cloned().unwrap_or_default(),
        how,
        seal: plot.seal.clone(),
        salt: plot.salt.clone(),
        body: plot.body.clone(),
        words: plot.words.clone(),
    }
}
