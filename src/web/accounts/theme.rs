//! The switch between the dark and the light look.

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::web::base::cookies::{self, Name};
use crate::web::base::page::{Theme, go, own_path};
use crate::web::{App, PageError, Posted};

/// Keeps the chosen look in a cookie and leads back to where the visitor was.
pub async fn post(app: Data<App>, posted: Posted) -> Result<HttpResponse, PageError> {
    let theme = Theme::read(&posted.line("theme"));
    let back = posted.line("back");
    let mut response = go(own_path(&back).unwrap_or("/"));
    let secure = app.secure();
    let cookie = match theme {
        Theme::Auto => cookies::clear(Name::Theme, secure),
        chosen => cookies::make(Name::Theme, chosen.text().to_owned(), secure),
    };
    response.add_cookie(&cookie).map_err(PageError::internal)?;
    Ok(response)
}
