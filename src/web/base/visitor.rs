//! Who asks. Worked out once a request by the shell, before any page runs.

use std::future::{Ready, ready};
use std::ops::Deref;
use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use data_encoding::BASE64URL_NOPAD;

pub use super::me::Me;

use super::body::counted;
use super::cookies::{self, Name};
use super::forwarded::{self, RequestId};
use super::page::{Notice, Page, Theme};
use super::paths::table_in;
use super::posted::Written;
use crate::store::{Stamp, UserId, new_token};
use crate::web::{App, PageError};

/// What is known about who asks.
pub struct Known {
    app: Data<App>,
    /// The player, when signed in.
    pub me: Option<Me>,
    /// When the request was here whole, its body included. Decides what is in time, and nothing else.
    pub now: Stamp,
    /// Path of the request.
    pub path: String,
    /// Path with query.
    pub back: String,
    /// The visitor's network address as limits count it: of IPv6 the half that belongs to one household.
    pub address: String,
    /// The request's number, as in the log.
    pub request_id: String,
    /// The browser as it names itself, cut to a sensible length.
    pub agent: String,
    /// The look.
    pub theme: Theme,
    /// A sentence left by the page before.
    pub notice: Option<Notice>,
    secret: String,
    /// The secret was made for this request and its cookie has to be set.
    pub fresh: bool,
}

/// Whoever asks, signed in or not. Cheap to clone.
#[derive(Clone)]
pub struct Visitor(Rc<Known>);

impl Deref for Visitor {
    type Target = Known;

    fn deref(&self) -> &Known {
        &self.0
    }
}

/// A player who is signed in. Anyone who is not goes to the sign-in page and back;
/// what they had written is shown to them first.
#[derive(Clone)]
pub struct SignedIn {
    /// The player.
    pub me: Me,
    visitor: Visitor,
}

impl Deref for SignedIn {
    type Target = Visitor;

    fn deref(&self) -> &Visitor {
        &self.visitor
    }
}

impl Visitor {
    /// Reads cookies, network address and session of a request.
    pub async fn load(request: &HttpRequest, app: &Data<App>) -> Result<Visitor, PageError> {
        let mut known = Known::stranger(request, app);
        let Some(token) = cookies::read(request, Name::Session, app.secure()) else {
            return Ok(Visitor(Rc::new(known)));
        };
        let now = known.now;
        if let Some((me, secret)) = app.block(move |db| super::session::find(db, now, &token)).await? {
            known.secret = secret;
            known.fresh = false;
            known.me = Some(me);
        }
        Ok(Visitor(Rc::new(known)))
    }

    /// Somebody who is not signed in, as far as is known while the database does not answer.
    pub fn stranger(request: &HttpRequest, app: &Data<App>) -> Visitor {
        Visitor(Rc::new(Known::stranger(request, app)))
    }
}

impl Known {
    fn stranger(request: &HttpRequest, app: &Data<App>) -> Known {
        let secure = app.secure();
        let guard = cookies::read(request, Name::Guard, secure).filter(|text| text.len() == new_token_length());
        let fresh = guard.is_none();
        let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or("");
        Known {
            app: app.clone(),
            me: None,
            now: app.clock.now(),
            path: request.path().to_owned(),
            back: request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned(),
            address: address(request, app.figures.trusted_proxies),
            request_id: request.extensions().get::<RequestId>().map_or_else(String::new, |id| id.text().to_owned()),
            agent: agent.chars().take(200).collect(),
            theme: cookies::read(request, Name::Theme, secure).map_or(Theme::Auto, |text| Theme::read(&text)),
            notice: cookies::read(request, Name::Notice, secure).and_then(|text| cookies::read_notice(&text)),
            secret: guard.unwrap_or_else(new_token),
            fresh,
        }
    }

    /// The frame of a page with this title.
    pub fn page(&self, title: impl Into<String>) -> Page {
        Page {
            title: title.into(),
            site: self.app.site.name.clone(),
            path: self.path.clone(),
            back: self.back.clone(),
            me: self.me.clone(),
            csrf: mask(&self.secret),
            theme: self.theme,
            notices: self.notice.iter().cloned().collect(),
            now: self.now,
            zone: self.me.as_ref().map_or(chrono_tz::Tz::UTC, |me| me.zone),
            assets: self.app.assets.clone(),
            styles: Vec::new(),
            scripts: Vec::new(),
            has_mail: self.app.figures.mail_folder.is_some(),
            wide: false,
        }
    }

    /// The player's id, when signed in.
    pub fn user_id(&self) -> Option<UserId> {
        self.me.as_ref().map(|me| me.user_id)
    }

    /// Whether the site is reached by https, which decides how cookies are named.
    pub fn secure(&self) -> bool {
        self.app.secure()
    }

    /// Value of the cookie that goes with the forms of visitors who are not signed in.
    pub fn guard(&self) -> &str {
        &self.secret
    }

    /// Whether this is the value of a hidden field of one of our own pages.
    pub fn knows(&self, masked: &str) -> bool {
        let Some(secret) = unmask(masked) else { return false };
        bool::from(subtle::ConstantTimeEq::ct_eq(secret.as_bytes(), self.secret.as_bytes()))
    }
}

fn new_token_length() -> usize {
    // 32 bytes in base 64.
    43
}

/// The secret under a fresh mask: pages are compressed, and a value that stays the same beside text that a
/// visitor sent could be guessed from the length of the answer.
fn mask(secret: &str) -> String {
    let mut mask = vec![0u8; secret.len()];
    getrandom::fill(&mut mask).expect("the operating system gives random bytes");
    let masked: Vec<u8> = secret.bytes().zip(&mask).map(|(byte, mask)| byte ^ mask).collect();
    mask.extend(masked);
    BASE64URL_NOPAD.encode(&mask)
}

fn unmask(text: &str) -> Option<String> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    let (mask, masked) = bytes.split_at(bytes.len() / 2);
    String::from_utf8(masked.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect()).ok()
}

/// The visitor's network address as limits count it.
pub fn address(request: &HttpRequest, trusted_proxies: usize) -> String {
    forwarded::visitor(request, trusted_proxies).map_or_else(|| "unknown".to_owned(), counted)
}

impl FromRequest for Visitor {
    type Error = PageError;
    type Future = Ready<Result<Visitor, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let visitor = request.extensions().get::<Visitor>().cloned();
        ready(visitor.ok_or_else(|| PageError::internal("a page outside the shell asked for its visitor")))
    }
}

impl FromRequest for SignedIn {
    type Error = PageError;
    type Future = Ready<Result<SignedIn, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Visitor::from_request(request, payload).into_inner().and_then(|visitor| signed_in(request, visitor)))
    }
}

fn signed_in(request: &HttpRequest, visitor: Visitor) -> Result<SignedIn, PageError> {
    if let Some(me) = visitor.me.clone() {
        return Ok(SignedIn { me, visitor });
    }
    if request.method() == actix_web::http::Method::GET {
        return Err(PageError::SignIn { next: visitor.back.clone() });
    }
    // A form of somebody whose session has ended: what they wrote is shown to them.
    let written = Written::of(request);
    request.extensions_mut().insert(written);
    Err(PageError::SignIn { next: table_in(&visitor.path).unwrap_or_else(|| "/".to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_changes_and_the_secret_stays() {
        let secret = new_token();
        assert_eq!(secret.len(), new_token_length());
        let (one, two) = (mask(&secret), mask(&secret));
        assert_ne!(one, two);
        assert_eq!(unmask(&one), Some(secret.clone()));
        assert_eq!(unmask(&two), Some(secret));
        assert_eq!(unmask("not base 64!"), None);
    }
}
