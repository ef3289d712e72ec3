//! Reporting a message to the operator.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::table_frame::{self, Head};
use crate::store::{IdText, TableId};
use crate::tables::{self, At, LONGEST_REASON, Refused};
use crate::web::base::limits::Limit;
use crate::web::base::page::{Notice, Page, go_with, render_as};
use crate::web::base::times::Zoned;
use crate::web::{App, Form, PageError, Posted, SignedIn};

#[derive(Template)]
#[template(path = "pages/report.html")]
struct ReportPage {
    page: Page,
    head: Head,
    message: IdText,
    author: String,
    text: String,
    at: Zoned,
    form: Form,
    longest: usize,
}

/// `GET /t/{id}/talk/{message}/report`: asks why.
pub async fn get(app: Data<App>, me: SignedIn, path: Path<(TableId, IdText)>) -> Result<HttpResponse, PageError> {
    let (table_id, IdText(message_id)) = path.into_inner();
    show(&app, &me, table_id, message_id, Form::new(), StatusCode::OK).await
}

async fn show(
    app: &Data<App>,
    me: &SignedIn,
    table_id: TableId,
    message_id: i64,
    form: Form,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let (ctx, user_id) = (app.ctx.clone(), me.me.user_id);
    let (shown, message) = table_frame::read(app, table_id, move |conn| {
        let message = tables::reportable(conn, &ctx, table_id, message_id, user_id)?;
        Ok((tables::table_page(conn, &ctx, table_id, Some(user_id), None)?, message))
    })
    .await?;
    let head = Head::new(&shown);
    let page = me.page(format!("Report a message: {}", head.title)).with_style("people.css");
    render_as(
        status,
        &ReportPage {
            message: IdText(message_id),
            at: page.time(&message.at),
            author: message.author.name,
            text: message.body,
            longest: LONGEST_REASON,
            form,
            head,
            page,
        },
    )
}

/// `POST /t/{id}/talk/{message}/report`.
pub async fn post(
    app: Data<App>,
    me: SignedIn,
    path: Path<(TableId, IdText)>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let (table_id, IdText(message_id)) = path.into_inner();
    // Each may send the operator a letter.
    app.limits.take(Limit::Report, &me.me.user_id.to_string())?;
    let (user_id, reason) = (me.me.user_id, posted.text("reason"));
    let done = app
        .act(&me, move |conn, ctx, now| tables::report(conn, ctx, At::new(now, table_id, user_id), message_id, &reason))
        .await;
    match done {
        Ok(()) => {
            app.wakers.wake();
            let words = "The message is reported. The people who run this site will look at it. If you do not want to read more \
                         from this player, mute them.";
            Ok(go_with(&format!("/t/{}/talk", table_id), &Notice::good(words), me.secure()))
        }
        Err(refused @ Refused::AlreadyReported) => {
            let notice = Notice::plain(refused.to_string());
            Ok(go_with(&format!("/t/{}/talk", table_id), &notice, me.secure()))
        }
        Err(Refused::Form(faults)) => {
            let mut form = Form::kept(&posted, &["reason"]);
            for fault in faults {
                form.fault(&fault.field, fault.message);
            }
            show(&app, &me, table_id, message_id, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(refused) => Err(table_frame::refused(refused, table_id)),
    }
}
