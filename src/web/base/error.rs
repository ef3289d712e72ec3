//! What can go wrong with a request. The only place where refusals become a status; the page itself is drawn
//! by the shell, which knows the visitor.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use diesel::result::Error as QueryError;

use crate::store::{Stored, Trouble, trouble};

/// A link on an error page: where to, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayOn {
    /// Path on this site.
    pub href: String,
    /// Label for people.
    pub label: String,
}

impl WayOn {
    /// A link.
    pub fn new(href: impl Into<String>, label: impl Into<String>) -> WayOn {
        WayOn { href: href.into(), label: label.into() }
    }
}

/// Why a request gets an error page.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// Nothing here, or nothing the visitor may know of: the two look the same.
    #[error("no such page")]
    NotFound,
    /// The visitor knows that it exists and may not do this.
    #[error("not allowed: {0}")]
    Forbidden(String),
    /// For players only. Not an error page: leads to the sign-in page and back.
    #[error("sign-in needed")]
    SignIn {
        /// Where to go on after it.
        next: String,
    },
    /// An address that does not take what was sent to it: DELETE, or a form to a page that has none.
    #[error("the address takes only {allow}")]
    Method {
        /// What it takes.
        allow: &'static str,
    },
    /// A form without the token that our own pages carry.
    #[error("a form without its token")]
    Forged,
    /// A request that can't be read.
    #[error("a malformed request: {0}")]
    Malformed(String),
    /// Things have changed since the page was opened.
    #[error("conflict: {message}")]
    Conflict {
        /// What has changed, as a sentence.
        message: String,
        /// Where to go on.
        way_on: WayOn,
    },
    /// What is asked for is not there, for a reason the visitor may know.
    #[error("nothing there: {message}")]
    Nothing {
        /// Why, as a sentence.
        message: String,
        /// Where to go on.
        way_on: WayOn,
    },
    /// More tries than the rate limit allows.
    #[error("too many tries")]
    TooMany {
        /// Seconds until the next one is allowed.
        wait_s: u64,
        /// What there was too much of, as a sentence.
        reason: &'static str,
    },
    /// A body that did not arrive in time.
    #[error("the request did not arrive in time")]
    TooSlow {
        /// Seconds a body may take.
        limit_s: u64,
    },
    /// A body above [`crate::web::BODY_LIMIT`].
    #[error("the request is too large")]
    TooLarge,
    /// Somebody else holds the database for too long.
    #[error("busy: {0}")]
    Busy(String),
    /// The database is away or does not answer.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// A fault of ours. The visitor reads that, the operator reads why in the log.
    #[error("{0}")]
    Internal(String),
}

impl PageError {
    /// A fault of ours, with what it was.
    pub fn internal(error: impl std::fmt::Display) -> PageError {
        PageError::Internal(error.to_string())
    }

    /// Things have changed, with the page that shows how they are now.
    pub fn conflict(message: impl Into<String>, href: impl Into<String>, label: impl Into<String>) -> PageError {
        PageError::Conflict { message: message.into(), way_on: WayOn::new(href, label) }
    }

    /// Heading of the error page.
    pub fn title(&self) -> &'static str {
        match self {
            PageError::NotFound => "There is nothing here",
            PageError::Forbidden(_) => "You may not do this",
            PageError::SignIn { .. } => "Please sign in",
            PageError::Method { .. } => "This address cannot do that",
            PageError::Forged => "This form was too old",
            PageError::Malformed(_) => "This could not be read",
            PageError::Conflict { .. } => "Things have moved on",
            PageError::Nothing { .. } => "There is nothing to show",
            PageError::TooMany { .. } => "A little slower, please",
            PageError::TooSlow { .. } => "This took too long to arrive",
            PageError::TooLarge => "This is too long",
            PageError::Busy(_) => "The server is busy",
            PageError::Unavailable(_) => "The server cannot answer just now",
            PageError::Internal(_) => "Something went wrong on our side",
        }
    }

    /// What happened and what to do next, as sentences. Tells nothing about what exists. Where the request may have
    /// stored something before it failed, [`PageError::of_the_store`] says what.
    pub fn words(&self) -> String {
        match self {
            PageError::NotFound => "The address may be mistyped, the link may be old, or you may not see this \
                page. Nothing was changed."
                .to_owned(),
            PageError::Forbidden(why) => why.clone(),
            PageError::SignIn { .. } => "You are no longer signed in, so nothing was changed. Sign in and send it \
                again."
                .to_owned(),
            PageError::Method { .. } => "This address does not take a request of this kind. Nothing was \
                changed. Open it as a page, or go back to the form and send it from there."
                .to_owned(),
            PageError::Forged => "The page you sent was opened before you signed in or out, or came from somewhere \
                else, so nothing was changed. Go back, reload the page and send it again; if that does not help, \
                allow cookies for this site."
                .to_owned(),
            PageError::Malformed(why) => format!("{why} Nothing was changed."),
            PageError::Conflict { message, .. } | PageError::Nothing { message, .. } => message.clone(),
            PageError::TooMany { wait_s, reason } => {
                format!("{reason} Wait {} and try again.", wait_words(*wait_s))
            }
            PageError::TooSlow { limit_s } => format!(
                "What you sent did not arrive within {}, so nothing was changed. Go back and send it again; on a slow \
                 connection send less at a time.",
                wait_words(*limit_s)
            ),
            PageError::TooLarge => "What you sent is longer than this site takes, so nothing was changed. Shorten it \
                and send it again."
                .to_owned(),
            PageError::Busy(_) => "Too much is going on at once, or another program has the database to itself for a \
                moment. Try again in half a minute."
                .to_owned(),
            PageError::Unavailable(_) => {
                "The database does not answer. Try again in half a minute. If it stays away for \
                more than two minutes, the time is added to every running clock."
                    .to_owned()
            }
            PageError::Internal(_) => "The error is in the server's log. Try again; if it happens again, tell the \
                people who run this server what you did and when."
                .to_owned(),
        }
    }

    /// What the request has stored, as a sentence; empty where the words say so already.
    fn of_the_store(&self, stored: &Stored) -> &'static str {
        match (self, stored) {
            (_, Stored::NotKnown(_)) => "",
            (PageError::Busy(_) | PageError::Unavailable(_) | PageError::Internal(_), Stored::Nothing) => {
                "Nothing was changed."
            }
            (PageError::Busy(_) | PageError::Unavailable(_) | PageError::Internal(_), Stored::Something) => {
                "What you sent was stored, at least in part: look before you send it again."
            }
            _ => "",
        }
    }

    /// Title, words and link of the error page after a request that has stored this.
    pub fn told(&self, stored: &Stored) -> (&'static str, String, Option<WayOn>) {
        if let Stored::NotKnown(write) = stored {
            let words = "The database stopped answering while it was storing what you sent, so it is not known yet \
                whether it was stored. Look it up before you send it again.";
            let way_on = WayOn::new(format!("/stored/{write}"), "Was it stored?");
            return ("Not known yet", words.to_owned(), Some(way_on));
        }
        let words = format!("{} {}", self.of_the_store(stored), self.words());
        (self.title(), words.trim().to_owned(), self.way_on().cloned())
    }

    /// A link that helps, apart from the home page.
    pub fn way_on(&self) -> Option<&WayOn> {
        match self {
            PageError::Conflict { way_on, .. } | PageError::Nothing { way_on, .. } => Some(way_on),
            _ => None,
        }
    }
}

fn wait_words(seconds: u64) -> String {
    match seconds {
        0..=1 => "a second".to_owned(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            PageError::NotFound => StatusCode::NOT_FOUND,
            PageError::Forbidden(_) | PageError::Forged => StatusCode::FORBIDDEN,
            PageError::SignIn { .. } => StatusCode::SEE_OTHER,
            PageError::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            PageError::Malformed(_) => StatusCode::BAD_REQUEST,
            PageError::Conflict { .. } | PageError::Nothing { .. } => StatusCode::CONFLICT,
            PageError::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            PageError::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
            PageError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            PageError::Busy(_) | PageError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            PageError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    // The shell replaces this by a page; the text is for the case that even this fails.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.status_code()).content_type("text/plain; charset=utf-8").body(self.title())
    }
}

impl From<QueryError> for PageError {
    fn from(error: QueryError) -> PageError {
        match trouble(&error) {
            Some(Trouble::Busy) => PageError::Busy(error.to_string()),
            Some(Trouble::Away | Trouble::NotKnown) => PageError::Unavailable(error.to_string()),
            None => PageError::Internal(error.to_string()),
        }
    }
}

impl From<askama::Error> for PageError {
    fn from(error: askama::Error) -> PageError {
        PageError::Internal(format!("a page could not be drawn: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Wait;

    #[test]
    fn every_error_says_in_sentences_what_to_do() {
        let all = [
            (PageError::NotFound, 404),
            (PageError::Forbidden("Only the host of this table can do that.".to_owned()), 403),
            (PageError::SignIn { next: "/".to_owned() }, 303),
            (PageError::Method { allow: "POST" }, 405),
            (PageError::Forged, 403),
            (PageError::Malformed("The form arrived incompletely.".to_owned()), 400),
            (PageError::conflict("This phase is over.", "/t/x", "To the table"), 409),
            (PageError::Nothing { message: "Not yet.".to_owned(), way_on: WayOn::new("/t/x", "To the table") }, 409),
            (PageError::TooMany { wait_s: 600, reason: "You have said a lot." }, 429),
            (PageError::TooSlow { limit_s: 15 }, 408),
            (PageError::TooLarge, 413),
            (PageError::Busy("database is locked".to_owned()), 503),
            (PageError::Unavailable("timed out".to_owned()), 503),
            (PageError::Internal("secret of the server".to_owned()), 500),
        ];
        for (error, status) in all {
            assert_eq!(error.status_code().as_u16(), status, "{error:?}");
            assert!(error.words().ends_with('.'), "{error:?}");
            assert!(!error.words().contains("secret of the server"), "what went wrong is for the log alone");
            assert!(!error.title().is_empty());
        }
        let words = |wait_s| PageError::TooMany { wait_s, reason: "You have said a lot." }.words();
        assert_eq!(words(600), "You have said a lot. Wait 10 minutes and try again.");
        assert_eq!(words(1), "You have said a lot. Wait a second and try again.");
    }

    #[test]
    fn what_was_stored_is_told_as_it_is() {
        for error in [PageError::Busy(String::new()), PageError::Unavailable(String::new()), PageError::internal("x")] {
            assert!(!error.words().contains("othing was"), "the words alone do not know");
            assert!(error.told(&Stored::Nothing).1.starts_with("Nothing was changed. "), "{error:?}");
            assert!(error.told(&Stored::Something).1.starts_with("What you sent was stored"), "{error:?}");
        }
        for error in [PageError::Unavailable(String::new()), PageError::internal("x"), PageError::NotFound] {
            let (title, words, way_on) = error.told(&Stored::NotKnown("abc".to_owned()));
            assert_eq!(title, "Not known yet");
            assert!(!words.contains("othing was") && !words.contains("not applied"), "{words}");
            assert_eq!(way_on.map(|way| way.href).as_deref(), Some("/stored/abc"));
        }
    }

    #[test]
    fn a_database_that_gives_no_connection_is_busy_and_one_that_fails_is_our_fault() {
        let none = QueryError::from(Wait::Busy("all connections are in use".to_owned()));
        assert!(matches!(PageError::from(none), PageError::Busy(_)));
        let none = QueryError::from(Wait::Away("no route to host".to_owned()));
        assert!(matches!(PageError::from(none), PageError::Unavailable(_)));
        assert!(matches!(PageError::from(QueryError::RollbackTransaction), PageError::Internal(_)));
        let missing = crate::tables::Refused::NoTable;
        assert!(matches!(PageError::from(missing), PageError::NotFound));
        let over =
            PageError::from(crate::tables::Refused::PhaseOver { current: crate::store::PhaseNo(3), ended: false })
                .leading_to("/t/x", "To the table");
        assert_eq!(over.way_on().map(|way| way.href.as_str()), Some("/t/x"));
    }
}
