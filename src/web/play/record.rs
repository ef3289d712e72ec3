//! The record of a table that is over: as a file, and checked in words.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{Data, Path, block};
use askama::Template;

use super::checked::Outcome;
use super::table_frame::{self, Head};
use crate::store::{TableId, UserId};
use crate::tables::verify::{Check, verify};
use crate::tables::{self, RecordRows, Refused, Status};
use crate::web::base::page::{Page, render};
use crate::web::{App, PageError, Visitor};

/// `GET /t/{id}/record`: the record as a file.
pub async fn download(app: Data<App>, visitor: Visitor, id: Path<TableId>) -> Result<HttpResponse, PageError> {
    let table_id: TableId = id.into_inner();
    let text = record_text(&app, table_id, visitor.user_id()).await?;
    let name = format!("attachment; filename=\"stardate-{}.record\"", table_id);
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header((header::CONTENT_DISPOSITION, name))
        .body(text))
}

#[derive(Template)]
#[template(path = "pages/verify.html")]
struct VerifyPage {
    page: Page,
    head: Head,
    /// Why the record could not even be played again.
    broken: Option<String>,
    checks: Vec<Check>,
    all_hold: bool,
    dice_secret: String,
}

/// `GET /t/{id}/verify`: the record, checked as anybody can do it at home.
pub async fn check(app: Data<App>, visitor: Visitor, id: Path<TableId>) -> Result<HttpResponse, PageError> {
    let table_id: TableId = id.into_inner();
    let (ctx, viewer) = (app.ctx.clone(), visitor.user_id());
    let shown = table_frame::read(&app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, viewer, None)?;
        if shown.table.status == Status::Over { Ok(shown) } else { Err(Refused::no_record(shown.table.status)) }
    });
    let shown = shown.await?;
    let (checks, broken) = match &*checks(&app, table_id, viewer).await? {
        Ok(checks) => (checks.clone(), None),
        Err(fault) => (Vec::new(), Some(fault.clone())),
    };
    let head = Head::new(&shown);
    let page = visitor.page(format!("Dice and seals: {}", head.title)).with_style("board.css");
    render(&VerifyPage {
        all_hold: broken.is_none() && checks.iter().all(|check| check.holds),
        dice_secret: shown.table.dice_secret.clone().unwrap_or_default(),
        page,
        head,
        broken,
        checks,
    })
}

/// The record of a finished table that this visitor may see, as text.
async fn record_text(app: &Data<App>, table_id: TableId, viewer: Option<UserId>) -> Result<String, PageError> {
    let _turn = app.checked.turn().await?;
    let rows = rows(app, table_id, viewer).await?;
    let text = block(move || rows.text()).await.map_err(PageError::internal)?;
    text.map_err(|error| table_frame::refused(error, table_id))
}

/// The checks of a finished table that this visitor may see: [`tables::table_page`] has said so.
async fn checks(app: &Data<App>, table_id: TableId, viewer: Option<UserId>) -> Result<Outcome, PageError> {
    let cell = app.checked.of(table_id);
    let outcome = cell.get_or_try_init(|| async {
        let _turn = app.checked.turn().await?;
        let rows = rows(app, table_id, viewer).await?;
        let ctx = app.ctx.clone();
        let work = move || Ok(verify(&rows.text()?, ctx.games.engines()).map_err(|fault| fault.to_string()));
        let checked = block(work).await.map_err(PageError::internal)?;
        app.checked.count_one();
        Ok(Arc::new(checked.map_err(|error| table_frame::refused(error, table_id))?))
    });
    outcome.await.cloned()
}

async fn rows(app: &Data<App>, table_id: TableId, viewer: Option<UserId>) -> Result<RecordRows, PageError> {
    let ctx = app.ctx.clone();
    table_frame::read(app, table_id, move |conn| tables::record_rows(conn, &ctx, table_id, viewer)).await
}
