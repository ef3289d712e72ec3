//! Which address leads to which page. The one list of them.

use actix_web::web::{self, ServiceConfig};

use super::{about, history, orders, record, resign, theme};

/// All pages.
pub fn routes(config: &mut ServiceConfig) {
    config.route("/theme", web::post().to(theme::post)).route("/about", web::get().to(about::get));
    play(config);
}

/// The pages of a table once it has started; `/t/{id}` itself is dispatched by what the table has come to.
fn play(config: &mut ServiceConfig) {
    config
        .route("/t/{id}/plot", web::post().to(orders::post))
        .route("/t/{id}/resign", web::get().to(resign::preview))
        .route("/t/{id}/resign", web::post().to(resign::post))
        .route("/t/{id}/phases", web::get().to(history::list))
        .route("/t/{id}/phases/{no}", web::get().to(history::one))
        .route("/t/{id}/record", web::get().to(record::download))
        .route("/t/{id}/verify", web::get().to(record::check));
}
