//! The cookies of the site: the session, the token of visitors who are not signed in, the theme, the
//! notice a page leaves for the next one, the browser's own secret, and a sign-up that waits.

use actix_web::cookie::{Cookie, SameSite, time::Duration};
use actix_web::{HttpRequest, HttpResponse};
use data_encoding::BASE64URL_NOPAD;

use super::look::{Notice, NoticeKind};
use crate::store::new_token;
use crate::web::PageError;

/// How long browsers keep a session cookie; the server's own limit is shorter and decides.
const SESSION_DAYS: i64 = 400;

/// Which cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// The session's secret.
    Session,
    /// The token against forged forms of visitors who are not signed in.
    Guard,
    /// The chosen theme.
    Theme,
    /// A notice for the next page.
    Notice,
    /// The browser's own secret, by which accounts know it again that it has signed in to before.
    Browser,
    /// Says to scripts who is signed in, by a number that means nothing else: a page that the browser kept whole is
    /// loaded again when it has changed.
    Mark,
    /// A sign-up made in this browser that waits for its address to be confirmed.
    Waiting,
}

impl Name {
    /// With https the `__Host-` prefix keeps other hosts of the domain from planting a cookie of ours.
    fn text(self, secure: bool) -> &'static str {
        match (self, secure) {
            (Name::Session, true) => "__Host-session",
            (Name::Session, false) => "session",
            (Name::Guard, true) => "__Host-guard",
            (Name::Guard, false) => "guard",
            (Name::Theme, _) => "theme",
            (Name::Notice, true) => "__Host-notice",
            (Name::Notice, false) => "notice",
            (Name::Browser, true) => "__Host-browser",
            (Name::Browser, false) => "browser",
            (Name::Mark, _) => "mark",
            (Name::Waiting, true) => "__Host-waiting",
            (Name::Waiting, false) => "waiting",
        }
    }
}

/// The value of a cookie of this request.
pub fn read(request: &HttpRequest, name: Name, secure: bool) -> Option<String> {
    request.cookie(name.text(secure)).map(|cookie| cookie.value().to_owned()).filter(|value| !value.is_empty())
}

/// A cookie to set.
pub fn make(name: Name, value: String, secure: bool) -> Cookie<'static> {
    let mut cookie = Cookie::build(name.text(secure), value)
        .path("/")
        .http_only(true)
        .secure(secure)
        // Lax: a link in a letter opens the site signed in, a form on another site does not post signed in.
        .same_site(SameSite::Lax);
    cookie = match name {
        Name::Mark => cookie.http_only(false).max_age(Duration::days(SESSION_DAYS)),
        Name::Session | Name::Theme | Name::Browser => cookie.max_age(Duration::days(SESSION_DAYS)),
        Name::Notice => cookie.max_age(Duration::minutes(2)),
        Name::Waiting => cookie.max_age(Duration::days(7)),
        Name::Guard => cookie,
    };
    cookie.finish()
}

/// A cookie that removes another.
pub fn clear(name: Name, secure: bool) -> Cookie<'static> {
    let mut cookie = make(name, String::new(), secure);
    cookie.make_removal();
    cookie
}

/// Lets the browser keep a session.
pub fn sign_in(response: &mut HttpResponse, token: String, secure: bool) -> Result<(), PageError> {
    add(response, &make(Name::Session, token, secure))?;
    add(response, &make(Name::Mark, new_token(), secure))
}

/// Lets the browser forget its session.
pub fn sign_out(response: &mut HttpResponse, secure: bool) -> Result<(), PageError> {
    add(response, &clear(Name::Session, secure))?;
    add(response, &clear(Name::Mark, secure))
}

fn add(response: &mut HttpResponse, cookie: &Cookie<'_>) -> Result<(), PageError> {
    response.add_cookie(cookie).map_err(PageError::internal)
}

/// A notice as the value of its cookie.
pub fn write_notice(notice: &Notice) -> String {
    let kind = match notice.kind {
        NoticeKind::Good => 'g',
        NoticeKind::Bad => 'b',
        NoticeKind::Plain => 'p',
    };
    let text: String = notice.text.chars().take(600).collect();
    BASE64URL_NOPAD.encode(format!("{kind}{text}").as_bytes())
}

/// A notice from the value of its cookie; nonsense is no notice.
pub fn read_notice(value: &str) -> Option<Notice> {
    let bytes = BASE64URL_NOPAD.decode(value.as_bytes()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let mut chars = text.chars();
    let kind = match chars.next()? {
        'g' => NoticeKind::Good,
        'b' => NoticeKind::Bad,
        'p' => NoticeKind::Plain,
        _ => return None,
    };
    Some(Notice { kind, text: chars.as_str().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_survives_its_cookie() {
        let notice = Notice::good("Your plot is in — “attack A1 B1”; nothing else to do.");
        assert_eq!(read_notice(&write_notice(&notice)), Some(notice));
        assert_eq!(read_notice("nonsense?"), None);
        assert_eq!(read_notice(""), None);
    }
}
