//! What a form sent, after its token was checked.

use std::collections::HashMap;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::{Data, Query};
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::body::Body;
use super::limits::Limit;
use super::route::{self, Verb};
use crate::web::{App, PageError, Visitor};

/// The fields of a posted form. Taking it as an argument of a handler checks the form's token; a form without
/// one never reaches the handler. Fields may come in any order, repeated or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posted {
    fields: Vec<(String, String)>,
    /// Where the fields of a name are.
    places: HashMap<String, Vec<usize>>,
}

impl Posted {
    /// Fields from a list, as tests make them.
    pub fn new(fields: Vec<(String, String)>) -> Posted {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, (name, _)) in fields.iter().enumerate() {
            places.entry(name.clone()).or_default().push(place);
        }
        Posted { fields, places }
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.places.get(name).into_iter().flatten().map(|place| self.fields[*place].1.as_str())
    }

    /// A field as it was sent, if it was.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// A one-line field without spaces around it; empty when it was not sent. Control characters become spaces.
    pub fn line(&self, name: &str) -> String {
        let text = self.get(name).unwrap_or("");
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text.trim().to_owned()
    }

    /// A field of several lines with plain line ends; empty when it was not sent.
    pub fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or("").replace("\r\n", "\n").replace('\r', "\n")
    }

    /// Whether a box was ticked, or a button of this name was pressed.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// All values of a repeated field, in order.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.values(name).collect()
    }

    /// What tells this form from every other one that was shown: its token differs from page to page. The form that is
    /// sent twice is the same both times.
    pub fn once(&self) -> Option<String> {
        self.get("csrf").map(|token| HEXLOWER.encode(&Sha256::digest(token.as_bytes())))
    }

    /// What somebody wrote into the form and would not like to write again: these fields, and the orders chosen.
    pub fn written(&self, texts: &[&str]) -> Written {
        let texts = texts.iter().flat_map(|name| self.all(name)).map(str::to_owned);
        let chosen = self.under("slot.").map(|(_, order)| order).filter(|order| !order.is_empty()).collect::<Vec<_>>();
        let all = texts.chain([chosen.join("\n")]).filter(|text| !text.trim().is_empty());
        Written(all.collect())
    }

    /// All fields whose name starts so, without that start, in order.
    pub fn under<'a>(&'a self, start: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.fields.iter().filter_map(move |(field, value)| Some((field.strip_prefix(start)?, value.as_str())))
    }
}

/// Most fields of a form. The largest page sends a quarter of them, a number for every type of piece.
const MOST_FIELDS: usize = 2000;

/// What came with a form, for the page that says why it was not taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written(pub Vec<String>);

impl Written {
    /// What was written in a form that is refused before anybody looks at it. Empty when it cannot be read.
    pub fn of(request: &HttpRequest) -> Written {
        let body = request.extensions().get::<Body>().cloned().unwrap_or_default();
        read(&body.0).map(|posted| posted.written(texts(request))).unwrap_or_default()
    }
}

/// The fields of this form that people write texts into, as the list of routes names them.
fn texts(request: &HttpRequest) -> &'static [&'static str] {
    let app = request.app_data::<Data<App>>();
    app.and_then(|app| route::find(app.routes, Verb::Post, request.path())).map_or(&[], |route| route.texts)
}

impl FromRequest for Posted {
    type Error = PageError;
    type Future = Ready<Result<Posted, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Visitor::from_request(request, payload).into_inner().and_then(|visitor| posted(request, &visitor)))
    }
}

/// The form of a request, if it came from one of this visitor's own pages. The shell has read the body.
fn posted(request: &HttpRequest, visitor: &Visitor) -> Result<Posted, PageError> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    if !header("content-type").unwrap_or_default().starts_with("application/x-www-form-urlencoded") {
        return Err(PageError::Malformed("Forms of this site are sent as form fields.".to_owned()));
    }
    let body = request.extensions().get::<Body>().cloned().unwrap_or_default();
    let posted = read(&body.0)?;
    request.extensions_mut().insert(posted.written(texts(request)));
    let cross_site = header("sec-fetch-site") == Some("cross-site");
    let ours = !cross_site && posted.get("csrf").is_some_and(|token| visitor.knows(token));
    if !ours {
        return Err(PageError::Forged);
    }
    counted(request, visitor)?;
    Ok(posted)
}

/// Counts a form against the limit on changes, before anything is done with it: every form that a signed-in player
/// sends. Those who are not signed in have limits of their own where they cost something.
fn counted(request: &HttpRequest, visitor: &Visitor) -> Result<(), PageError> {
    match (request.app_data::<Data<App>>(), visitor.user_id()) {
        (Some(app), Some(user_id)) => app.limits.take(Limit::Changes, &user_id.to_string()),
        _ => Ok(()),
    }
}

/// The fields of a body in form encoding.
pub fn read(body: &[u8]) -> Result<Posted, PageError> {
    let unreadable = || PageError::Malformed("The form has characters that are not text.".to_owned());
    if body.iter().filter(|byte| **byte == b'&').count() >= MOST_FIELDS {
        return Err(PageError::Malformed(format!(
            "The form has more than {MOST_FIELDS} fields; no page sends that many."
        )));
    }
    let body = std::str::from_utf8(body).map_err(|_| unreadable())?;
    let fields = Query::<Vec<(String, String)>>::from_query(body).map_err(|_| unreadable())?.into_inner();
    // No database takes this character in a text.
    if fields.iter().any(|(name, value)| name.contains('\0') || value.contains('\0')) {
        return Err(unreadable());
    }
    Ok(Posted::new(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_every_shape() {
        let posted = read(b"a=1&b=+x%0Ay+&a=2&slot.A1=move&slot.A2=&on").unwrap();
        assert_eq!(posted.get("a"), Some("1"));
        assert_eq!(posted.all("a"), ["1", "2"]);
        assert_eq!(posted.line("b"), "x y");
        assert_eq!(posted.text("b"), " x\ny ");
        assert_eq!(posted.under("slot.").collect::<Vec<_>>(), [("A1", "move"), ("A2", "")]);
        assert!(posted.has("on") && !posted.has("off"));
        assert_eq!(posted.line("missing"), "");
    }

    #[test]
    fn what_was_written_is_told_from_what_was_chosen_and_from_secrets() {
        let posted = read(b"csrf=x&text=one%0Atwo&note=&slot.A1=move+1&slot.A2=&password=p").unwrap();
        assert_eq!(posted.written(&["text", "note"]).0, ["one\ntwo", "move 1"]);
    }

    #[test]
    fn what_no_database_takes_is_refused() {
        assert!(read(b"a=%00").is_err());
        assert!(read("a&".repeat(MOST_FIELDS - 1).as_bytes()).is_ok());
        assert!(matches!(read("a&".repeat(MOST_FIELDS).as_bytes()), Err(PageError::Malformed(_))));
        assert!(read(&[b'a', b'=', 0xff]).is_err());
    }
}
