//! Stopping letters by the link that every letter about tables carries. Needs no sign-in and, because mail
//! programs post to it themselves (RFC 8058), no token of ours: the key in the address is the secret.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};

use crate::accounts;
use crate::web::base::page::{OneButton, Said, render};
use crate::web::{App, PageError, Visitor};

/// Asks, because mail scanners open links.
pub async fn get(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let key = path.into_inner();
    let asked = key.clone();
    let user = app.read(move |conn| accounts::unsubscribable(conn, &asked)).await?.ok_or(PageError::NotFound)?;
    render(&OneButton {
        page: visitor.page("Stop the letters"),
        words: format!(
            "Stop all letters about tables for {}? You would get no letter when you owe orders, and the clocks would \
             still run. You would still get letters about your account. You can choose your letters in your settings.",
            user.name
        ),
        action: format!("/unsubscribe/{key}"),
        button: "Stop them",
    })
}

/// Stops them.
pub async fn post(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let key = path.into_inner();
    let user = app.write(move |conn| accounts::unsubscribe(conn, &key)).await?.ok_or(PageError::NotFound)?;
    render(&Said {
        page: visitor.page("No more letters"),
        words: format!(
            "{} gets no more letters about tables. The clocks still run, so look in now and then. You can turn the \
             letters on again in your settings.",
            user.name
        ),
        letter: false,
        ways_on: vec![("/settings#letters", "Settings"), ("/", "My tables")],
    })
}
