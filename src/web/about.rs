//! How the server works, for players: clock, drops, score, fairness.

use actix_web::HttpResponse;
use askama::Template;

use super::page::{Page, render};
use super::{PageError, Visitor};

#[derive(Template)]
#[template(path = "pages/about.html")]
struct About {
    page: Page,
}

/// The page.
pub async fn get(visitor: Visitor) -> Result<HttpResponse, PageError> {
    render(&About { page: visitor.page("How it works") })
}
