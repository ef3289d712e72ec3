//! The letters of a server that keeps them in a folder. With a mail server there is no such page.
//!
//! Everybody may read them all: this transport is for trying things out, and its configuration says so.

use std::fs;
use std::path::{Path as FilePath, PathBuf};

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use mail_parser::{Message, MessageParser};
use serde::Deserialize;

use crate::web::base::page::{Page, render};
use crate::web::base::times::Zoned;
use crate::web::{App, PageError, Visitor};

/// Letters on one page of the list.
const PAGE_SIZE: usize = 40;

/// A letter in the list.
struct Row {
    file: String,
    to: String,
    subject: String,
    date: Option<Zoned>,
}

#[derive(Template)]
#[template(path = "pages/letters.html")]
struct List {
    page: Page,
    rows: Vec<Row>,
    to: String,
    older: Option<String>,
    total: usize,
}

#[derive(Template)]
#[template(path = "pages/letter.html")]
struct Letter {
    page: Page,
    file: String,
    from: String,
    to: String,
    date: Option<Zoned>,
    message_id: String,
    text: Vec<Piece>,
    has_html: bool,
}

/// A piece of a letter's text: words, or a link.
struct Piece {
    text: String,
    link: bool,
}

/// What the list is narrowed to.
#[derive(Deserialize)]
pub struct Narrowed {
    #[serde(default)]
    to: String,
    /// How many of the newest are left out; nonsense leaves out none.
    #[serde(default)]
    from: String,
}

/// The list, newest first.
pub async fn list(app: Data<App>, visitor: Visitor, query: Query<Narrowed>) -> Result<HttpResponse, PageError> {
    let folder = folder(&app)?;
    let Narrowed { to, from } = query.into_inner();
    let (now, zone) = (visitor.now, visitor.page("").zone);
    let from: usize = from.parse().unwrap_or(0);
    let wanted = to.trim().to_lowercase();
    let (rows, total) = app
        .block(move |_| {
            let mut rows = Vec::new();
            for file in files(&folder)? {
                let Some(bytes) = read(&folder, &file)? else { continue };
                let Some(message) = MessageParser::default().parse_headers(&bytes) else { continue };
                let to = addresses(message.to());
                if wanted.is_empty() || to.to_lowercase().contains(&wanted) {
                    let subject = message.subject().unwrap_or("(no subject)").to_owned();
                    let date = date(&message).map(|at| Zoned::new(at, now, zone));
                    rows.push(Row { file, to, subject, date });
                }
            }
            let total = rows.len();
            Ok::<_, PageError>((rows.into_iter().skip(from).take(PAGE_SIZE).collect::<Vec<_>>(), total))
        })
        .await?;
    let next = from.saturating_add(PAGE_SIZE);
    let older = (next < total)
        .then(|| format!("/mail?{}", crate::web::base::paths::query(&[("to", &to), ("from", &next.to_string())])));
    render(&List { page: visitor.page("Letters"), rows, to, older, total })
}

/// One letter: its head, its text, and its HTML in a frame that can do nothing.
pub async fn one(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let file = path.into_inner();
    let bytes = bytes(&app, &file).await?;
    let message = MessageParser::default().parse(&bytes).ok_or(PageError::NotFound)?;
    let page = visitor.page(message.subject().unwrap_or("(no subject)"));
    let text = message.body_text(0).unwrap_or_default();
    let letter = Letter {
        from: addresses(message.from()),
        to: addresses(message.to()),
        date: date(&message).map(|at| page.time(&at)),
        message_id: message.message_id().unwrap_or("").to_owned(),
        text: pieces(&text),
        has_html: message.html_body_count() > 0,
        page,
        file,
    };
    render(&letter)
}

/// The HTML part alone, for the frame. It may style itself and lead elsewhere, nothing more.
pub async fn html(app: Data<App>, path: Path<String>) -> Result<HttpResponse, PageError> {
    let bytes = bytes(&app, &path.into_inner()).await?;
    let message = MessageParser::default().parse(&bytes).ok_or(PageError::NotFound)?;
    let html = message.body_html(0).ok_or(PageError::NotFound)?;
    // Links lead out of the frame.
    let html = html.replacen("<head>", "<head><base target=\"_top\">", 1);
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; \
             sandbox allow-top-navigation-by-user-activation; frame-ancestors 'self'",
        ))
        .insert_header((header::X_FRAME_OPTIONS, "SAMEORIGIN"))
        .body(html))
}

fn folder(app: &App) -> Result<PathBuf, PageError> {
    app.figures.mail_folder.clone().ok_or(PageError::NotFound)
}

async fn bytes(app: &Data<App>, file: &str) -> Result<Vec<u8>, PageError> {
    let folder = folder(app)?;
    let file = file.to_owned();
    if !is_letter(&file) {
        return Err(PageError::NotFound);
    }
    app.block(move |_| read(&folder, &file)?.ok_or(PageError::NotFound)).await
}

/// Whether a name is one that the folder transport gives; nothing outside the folder has such a name.
fn is_letter(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@');
    name.ends_with(".eml") && !name.starts_with('.') && name.len() <= 200 && name.chars().all(plain)
}

/// The names of all letters, newest first.
fn files(folder: &FilePath) -> Result<Vec<String>, PageError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(PageError::internal(format!("the mail folder cannot be read: {error}"))),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(PageError::internal)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_letter(&name) {
            continue;
        }
        // A letter may be taken away while the list is made.
        if let Ok(written) = entry.metadata().and_then(|metadata| metadata.modified()) {
            files.push((written, name));
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    Ok(files.into_iter().map(|(_, name)| name).collect())
}

fn read(folder: &FilePath, file: &str) -> Result<Option<Vec<u8>>, PageError> {
    match fs::read(folder.join(file)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(PageError::internal(format!("a letter cannot be read: {error}"))),
    }
}

fn addresses(list: Option<&mail_parser::Address<'_>>) -> String {
    let Some(list) = list else { return String::new() };
    let one = |address: &mail_parser::Addr<'_>| match (address.name(), address.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => name.or(address).unwrap_or("").to_owned(),
    };
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn date(message: &Message<'_>) -> Option<crate::store::Stamp> {
    let seconds = message.date()?.to_timestamp();
    Some(chrono::DateTime::from_timestamp(seconds, 0)?.naive_utc())
}

/// Splits a text at the addresses of pages in it.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("https://").into_iter().chain(rest.find("http://")).min() {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"')).unwrap_or(from.len());
        let address = from[..end].trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
        pieces.push(Piece { text: before.to_owned(), link: false });
        pieces.push(Piece { text: address.to_owned(), link: true });
        rest = &from[address.len()..];
    }
    pieces.push(Piece { text: rest.to_owned(), link: false });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_a_text_are_found_without_the_full_stop() {
        let pieces = pieces("Open http://a.example/confirm/x_y. Or (https://b.example/?q=1), please.");
        let links: Vec<&str> = pieces.iter().filter(|piece| piece.link).map(|piece| piece.text.as_str()).collect();
        assert_eq!(links, ["http://a.example/confirm/x_y", "https://b.example/?q=1"]);
        let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(whole, "Open http://a.example/confirm/x_y. Or (https://b.example/?q=1), please.");
    }

    #[test]
    fn nothing_outside_the_folder_has_the_name_of_a_letter() {
        assert!(is_letter("0r3k8c.eml"));
        for name in ["../x.eml", "a/b.eml", ".hidden.eml", "x.txt", "a\\b.eml", "é.eml"] {
            assert!(!is_letter(name), "{name}");
        }
    }
}
