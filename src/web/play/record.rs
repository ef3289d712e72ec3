//! The record of a table that is over: as a file, and checked in words.

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{Data, Path};
use askama::Template;

use super::checked;
use super::table_frame::{self, Head};
use crate::store::IdText;
use crate::tables::verify::Check;
use crate::tables::{self, Refused, Status};
use crate::web::base::page::{Page, render};
use crate::web::{App, PageError, Visitor};

/// `GET /t/{id}/record`: the record as a file.
pub async fn download(app: Data<App>, visitor: Visitor, id: Path<IdText>) -> Result<HttpResponse, PageError> {
    let IdText(table_id) = id.into_inner();
    let text = checked::text(&app, table_id, visitor.user_id()).await?;
    let name = format!("attachment; filename=\"stardate-{}.record\"", IdText(table_id));
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
pub async fn check(app: Data<App>, visitor: Visitor, id: Path<IdText>) -> Result<HttpResponse, PageError> {
    let IdText(table_id) = id.into_inner();
    let (ctx, viewer) = (app.ctx.clone(), visitor.user_id());
    let shown = table_frame::read(&app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, viewer, None)?;
        if shown.table.status == Status::Over { Ok(shown) } else { Err(Refused::no_record(shown.table.status)) }
    });
    let shown = shown.await?;
    let (checks, broken) = match &*checked::checks(&app, table_id, viewer).await? {
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
