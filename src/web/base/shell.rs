//! What surrounds every page: the visitor and the error pages.

use std::sync::Arc;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderValue};
use actix_web::http::{ConnectionType, Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpResponse};
use askama::Template;

use super::body;
use super::cookies::{self, Name};
use super::error::WayOn;
use super::page::Page;
use super::paths::{query, table_in};
use super::posted::Written;
use super::route::{self, Verb, check_address};
use super::visitor;
use crate::store::{Ledger, Stored};
use crate::web::{App, PageError, Visitor};

#[derive(Template)]
#[template(path = "pages/error.html")]
struct ErrorPage<'a> {
    page: Page,
    status: u16,
    words: String,
    way_on: Option<WayOn>,
    /// What the visitor wrote, so that nobody has to write it again.
    written: &'a [String],
    /// The request's number, by which the operator finds it in the log, when it failed on our side.
    request_id: Option<&'a str>,
}

/// The inner ring: takes the request in whole, works out the visitor, and turns everything that went wrong into a page.
pub async fn shell<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(app) = request.app_data::<Data<App>>().cloned() else {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    };
    let verb = if request.method() == Method::GET { Verb::Get } else { Verb::Post };
    if route::find(app.routes, verb, request.path()).is_some_and(|route| route.bare) {
        let visitor = Visitor::stranger(request.request(), &app);
        let response = next.call(request).await?.map_into_boxed_body();
        return Ok(with_error_page(response, &visitor, &Stored::Nothing));
    }
    if request.method() == Method::POST {
        let address = visitor::address(request.request(), app.figures.trusted_proxies);
        match body::read(&mut request, address, &app.unfinished, app.figures.bodies).await {
            Ok(body) => {
                request.extensions_mut().insert(body);
            }
            Err(error) => {
                let visitor = Visitor::stranger(request.request(), &app);
                let mut response = error_page(&error, &visitor, &Written::default(), &Stored::Nothing);
                // What is still under way on this connection is not waited for.
                response.head_mut().set_connection_type(ConnectionType::Close);
                return Ok(request.into_response(response));
            }
        }
    }
    let visitor = match Visitor::load(request.request(), &app).await {
        Ok(visitor) => visitor,
        Err(error) => {
            let visitor = Visitor::stranger(request.request(), &app);
            let response = error_page(&error, &visitor, &Written::default(), &Stored::Nothing);
            return Ok(request.into_response(response));
        }
    };
    request.extensions_mut().insert(visitor.clone());
    let ledger = Arc::<Ledger>::default();
    let response = match check_address(request.request()) {
        Ok(()) => Arc::clone(&ledger).keep(next.call(request)).await?.map_into_boxed_body(),
        Err(error) => request.error_response(error),
    };
    let mut response = with_error_page(response, &visitor, &ledger.stored());
    set_cookies(&mut response, &visitor);
    if visitor.me.is_some() {
        // Somebody else at this browser must not see it by the back button after the sign-out.
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

fn set_cookies(response: &mut ServiceResponse<BoxBody>, visitor: &Visitor) {
    let shown = is_page(response.response()) && !response.status().is_redirection();
    let mut added = Vec::new();
    if visitor.fresh && shown {
        added.push(cookies::make(Name::Guard, visitor.guard().to_owned(), visitor.secure()));
    }
    if visitor.notice.is_some() && shown {
        added.push(cookies::clear(Name::Notice, visitor.secure()));
    }
    for cookie in added {
        if let Err(error) = response.response_mut().add_cookie(&cookie) {
            tracing::warn!(%error, "A cookie could not be set.");
        }
    }
}

fn is_page(response: &HttpResponse) -> bool {
    response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kind| kind.starts_with("text/html"))
}

/// Draws the page of a refusal, ours or the web server's own.
fn with_error_page(response: ServiceResponse<BoxBody>, visitor: &Visitor, stored: &Stored) -> ServiceResponse<BoxBody> {
    let status = response.status();
    let error = response.response().error();
    let written = response.request().extensions().get::<Written>().cloned().unwrap_or_default();
    let drawn = match error.and_then(Error::as_error::<PageError>) {
        Some(error) => error_page(error, visitor, &written, stored),
        None if !(status.is_client_error() || status.is_server_error()) => return response,
        None if error.is_none() && response.headers().contains_key(header::CONTENT_TYPE) => return response,
        None => error_page(&by_status(status, error), visitor, &written, stored),
    };
    response.into_response(drawn)
}

fn by_status(status: StatusCode, error: Option<&Error>) -> PageError {
    match status {
        StatusCode::NOT_FOUND => PageError::NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => PageError::TooLarge,
        status if status.is_server_error() => {
            PageError::internal(error.map_or_else(|| status.to_string(), ToString::to_string))
        }
        _ => PageError::Malformed("Your browser sent something this site does not understand.".to_owned()),
    }
}

/// `written`: what the visitor wrote and what was not taken. `stored`: what the request has stored all the same.
fn error_page(error: &PageError, visitor: &Visitor, written: &Written, stored: &Stored) -> HttpResponse {
    let mut status = actix_web::ResponseError::status_code(error);
    let table = || table_in(&visitor.path).filter(|_| *error != PageError::NotFound);
    let to_table = || table().map(|href| WayOn { href, label: "Go to the table".to_owned() });
    let (title, words, way_on) = error.told(stored);
    let mut way_on = way_on.or_else(to_table);
    match error {
        PageError::SignIn { next } => {
            let table = table_in(&visitor.path).filter(|_| next == "/");
            let next = table.as_ref().unwrap_or(next);
            let to = format!("/sign-in?{}", query(&[("next", next)]));
            if written.0.is_empty() {
                return super::page::go(&to);
            }
            status = StatusCode::FORBIDDEN;
            way_on = Some(WayOn { href: to, label: "Sign in".to_owned() });
        }
        PageError::Internal(why) => tracing::error!(why, "A page failed."),
        PageError::Busy(why) | PageError::Unavailable(why) => tracing::warn!(why, "A page had to wait."),
        PageError::NotFound | PageError::Forbidden(_) | PageError::Forged => {
            let user = visitor.user_id().map(|id| id.to_string());
            tracing::info!(user, %error, "Refused.");
        }
        _ => {}
    }
    let request_id = status.is_server_error().then_some(visitor.request_id.as_str());
    let page = visitor.page(title);
    let template = ErrorPage { page, status: status.as_u16(), words, way_on, written: &written.0, request_id };
    let mut response = HttpResponse::build(status);
    match error {
        PageError::TooMany { wait_s, .. } => drop(response.insert_header((header::RETRY_AFTER, wait_s.to_string()))),
        PageError::Method { allow } => drop(response.insert_header((header::ALLOW, *allow))),
        _ => {}
    }
    match template.render() {
        Ok(body) => response.content_type("text/html; charset=utf-8").body(body),
        Err(_) => actix_web::ResponseError::error_response(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_an_address_is_found() {
        assert_eq!(table_in("/t/00qoc55j9fpbi/plot").as_deref(), Some("/t/00qoc55j9fpbi"));
        assert_eq!(table_in("/t/00qoc55j9fpbi").as_deref(), Some("/t/00qoc55j9fpbi"));
        assert_eq!(table_in("/t/no such/plot"), None);
        assert_eq!(table_in("/t/00qoc55j9fpbi/join"), None);
        assert_eq!(table_in("/tables/new"), None);
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(query(&[("next", "/t/a?b=c&d"), ("x", "é")]), "next=/t/a%3Fb%3Dc%26d&x=%C3%A9");
    }
}
