//! Serves the built-in files.

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, http::header};

use super::assets::FILES;
use crate::web::{App, PageError};

/// `GET /static/{hash}/{name}`: a built-in file.
pub async fn file(app: Data<App>, path: Path<(String, String)>) -> Result<HttpResponse, PageError> {
    let (hash, name) = path.into_inner();
    let (name, kind, text) = FILES.iter().find(|(known, _, _)| *known == name).ok_or(PageError::NotFound)?;
    // After an update old pages still ask by the old hash: they get the new file, and are not told to keep it.
    let current = app.assets.url(name).contains(&hash);
    let keep = if current { "public, max-age=31536000, immutable" } else { "no-cache" };
    Ok(HttpResponse::Ok().content_type(*kind).insert_header((header::CACHE_CONTROL, keep)).body(*text))
}

/// `GET /favicon.ico`: leads to the picture, for browsers that ask without having been told of one.
pub async fn favicon(app: Data<App>) -> HttpResponse {
    let to = app.assets.url("emblem.svg").to_owned();
    HttpResponse::SeeOther().insert_header((header::LOCATION, to)).finish()
}

/// `GET /robots.txt`: what search engines are asked to leave alone.
pub async fn robots() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .body("User-agent: *\nDisallow: /t/\nDisallow: /i/\nDisallow: /mail\nDisallow: /settings\n")
}
