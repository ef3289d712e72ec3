//! What became of a form whose answer was lost between this server and its database.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};

use super::page::{Said, render};
use crate::store::writes;
use crate::web::{App, PageError, Visitor};

/// `GET /stored/{write}`. The error page of the form leads here.
pub async fn get(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let id = path.into_inner();
    let (title, words) = match app.read(move |conn| writes::find(conn, &id)).await? {
        Some(true) => ("It was stored", "What you sent was stored, once. There is no need to send it again."),
        Some(false) => ("It was not stored", "What you sent was not stored, and it will not be. Send it again."),
        None => (
            "Not known yet",
            "The database does not show it yet. Reload this page in a minute. If it still says so after two \
             minutes, what you sent was not stored; then send it again.",
        ),
    };
    render(&Said {
        page: visitor.page(title),
        words: words.to_owned(),
        letter: false,
        ways_on: vec![("/", "My tables")],
    })
}
