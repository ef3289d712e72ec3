//! Puts the list of routes in place, and answers what no route takes.

use actix_web::http::Method;
use actix_web::http::header::LOCATION;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};

use super::page::{go, header_safe};
use super::route::{Route, Verb, find};
use crate::web::{App, PageError};

/// Puts all routes in place. An address takes only what the list says: what is neither there nor a link is answered
/// with what it takes. Somebody who opens the address of a form as a page (by pressing Enter in the address, or by a
/// link on a page that answers a form) is led to the page above it.
pub fn configure(routes: &'static [Route], config: &mut ServiceConfig) {
    for (at, first) in routes.iter().enumerate() {
        if routes[..at].iter().any(|route| route.path == first.path) {
            continue;
        }
        let here = || routes.iter().filter(|route| route.path == first.path);
        let mut resource = web::resource(first.path);
        for route in here() {
            let method = if route.verb == Verb::Get { Method::GET } else { Method::POST };
            resource = resource.route((route.handler)().method(method));
        }
        if here().all(|route| route.verb == Verb::Post) {
            resource = resource.route(web::get().to(page_above));
        }
        let allow = allowed(here().map(|route| route.verb));
        config.service(
            resource
                .default_service(web::to(move || async move { Err::<HttpResponse, _>(PageError::Method { allow }) })),
        );
    }
}

/// What an address takes, for people's programs. The page above a form is no reason to call it a page.
fn allowed(verbs: impl Iterator<Item = Verb>) -> &'static str {
    let (mut page, mut form) = (false, false);
    for verb in verbs {
        match verb {
            Verb::Get => page = true,
            Verb::Post => form = true,
        }
    }
    match (page, form) {
        (true, true) => "GET, HEAD, POST",
        (true, false) => "GET, HEAD",
        (false, _) => "POST",
    }
}

/// Leads from the address of a form to the nearest page above it. What the address asks of the board goes along.
async fn page_above(app: Data<App>, request: HttpRequest) -> HttpResponse {
    let mut path = request.path();
    while find(app.routes, Verb::Get, path).is_none() {
        path = path.rsplit_once('/').map_or("", |(above, _)| above);
        if path.is_empty() {
            path = "/";
        }
    }
    match request.query_string() {
        "" => go(path),
        query => go(&format!("{path}?{query}")),
    }
}

/// What no route takes. With a slash too many at its end it is led to the address without; a form keeps its fields.
pub async fn nothing_here(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let path = request.path().trim_end_matches('/');
    let known = [Verb::Get, Verb::Post].into_iter().any(|verb| find(app.routes, verb, path).is_some());
    if !known || path == request.path() {
        return Err(PageError::NotFound);
    }
    let to = match request.query_string() {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    };
    Ok(HttpResponse::PermanentRedirect().insert_header((LOCATION, header_safe(&to))).finish())
}
