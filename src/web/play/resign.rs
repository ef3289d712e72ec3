//! Giving up a running game, after the page has said what it costs.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::table_frame::{self, Head};
use crate::store::TableId;
use crate::tables::{self, Act};
use crate::web::base::page::{Notice, Page, go_with, render_as};
use crate::web::{App, PageError, Posted, SignedIn};

#[derive(Template)]
#[template(path = "pages/resign.html")]
struct ResignPage {
    page: Page,
    head: Head,
    words: String,
    ends_game: bool,
    cost: String,
    unsure: bool,
}

/// `GET /t/{id}/resign`: what it would cost now.
pub async fn preview(app: Data<App>, me: SignedIn, id: Path<TableId>) -> Result<HttpResponse, PageError> {
    show(&app, &me, id.into_inner(), false).await
}

/// `unsure`: it was sent without the tick that says one is sure.
async fn show(app: &Data<App>, me: &SignedIn, id: TableId, unsure: bool) -> Result<HttpResponse, PageError> {
    let table_id = id;
    let (ctx, user_id) = (app.ctx.clone(), me.me.user_id);
    let (shown, preview) = table_frame::read(app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, Some(user_id), None)?;
        Ok((shown, tables::resign_preview(conn, &ctx, table_id, user_id)?))
    })
    .await?;
    let head = Head::new(&shown);
    let page = me.page(format!("Resign: {}", head.title)).with_style("board.css");
    let cost = if preview.ranked { table_frame::signed(preview.score_change) } else { String::new() };
    let status = if unsure { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let page = ResignPage { page, head, words: preview.text, ends_game: preview.ends_game, cost, unsure };
    render_as(status, &page)
}

/// `POST /t/{id}/resign`.
pub async fn post(app: Data<App>, me: SignedIn, id: Path<TableId>, posted: Posted) -> Result<HttpResponse, PageError> {
    if !posted.has("sure") {
        return show(&app, &me, id.into_inner(), true).await;
    }
    let table_id: TableId = id.into_inner();
    let act = Act::in_any_phase(table_id, me.me.user_id, me.now);
    let done = app.act(&me, move |conn, ctx, now| tables::resign(conn, ctx, now, &act)).await;
    done.map_err(|error| table_frame::refused(error, table_id))?;
    app.wakers.wake();
    let notice = Notice::plain("You have resigned from this game.");
    Ok(go_with(&format!("/t/{}", table_id), &notice, me.secure()))
}
