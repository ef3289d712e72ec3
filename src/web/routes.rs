//! Which address leads to which page. The one list of them.

use actix_web::web::{self, ServiceConfig};

use super::{about, theme};

/// All pages.
pub fn routes(config: &mut ServiceConfig) {
    config.route("/theme", web::post().to(theme::post)).route("/about", web::get().to(about::get));
}
