//! How the server works, for players: clock, drops, score, fairness.

use actix_web::HttpResponse;
use actix_web::web::Data;
use askama::Template;

use crate::web::base::page::{Page, render};
use crate::web::{App, PageError, Visitor};

#[derive(Template)]
#[template(path = "pages/about.html")]
struct About {
    page: Page,
    /// Id and name of every game.
    games: Vec<(&'static str, &'static str)>,
}

/// The page.
pub async fn get(app: Data<App>, visitor: Visitor) -> Result<HttpResponse, PageError> {
    let games = app.ctx.games.all().iter().map(|game| (game.meta().id, game.meta().name)).collect();
    render(&About { page: visitor.page("How it works"), games })
}
