//! A new password by letter.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::sign_up::stale;
use crate::accounts::{self, BadPassword, HashedPassword, LinkRefusal, Purpose};
use crate::store::{Conn, Database};
use crate::web::base::cookies;
use crate::web::base::device::Device;
use crate::web::base::page::{Notice, Page, Said, go_with, render, render_as};
use crate::web::{App, Form, PageError, Posted, Visitor};

#[derive(Template)]
#[template(path = "pages/reset.html")]
struct Ask {
    page: Page,
    form: Form,
}

#[derive(Template)]
#[template(path = "pages/reset_new.html")]
struct Choose {
    page: Page,
    form: Form,
    action: String,
}

/// The form that asks for the address.
pub async fn ask_get(visitor: Visitor) -> Result<HttpResponse, PageError> {
    render(&Ask { page: visitor.page("Forgotten password"), form: Form::new() })
}

/// Sends the link if the address has an account, and says nothing about whether it has.
pub async fn ask_post(
    app: Data<App>,
    visitor: Visitor,
    device: Device,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let email = posted.line("email");
    let known = device.known_as(&app, &email).await?;
    app.limits.letter(&email, &visitor.address, known.as_deref())?;
    let (site, now) = (app.site.clone(), visitor.now);
    accounts::evenly(app.write(move |conn| accounts::request_reset(conn, &site, now, &email))).await?;
    app.wakers.wake();
    render(&Said {
        page: visitor.page("Check your mail"),
        words: "If this address has an account, we have sent a letter with a link there. The link works for a day. If \
            you asked more than once, you get one letter for all: use the link in it."
            .to_owned(),
        letter: true,
        ways_on: vec![("/sign-in", "Sign in")],
    })
}

/// The form behind the link.
pub async fn new_get(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let (now, token) = (visitor.now, path.into_inner());
    let asked = token.clone();
    match app.read(move |conn| accounts::look(conn, now, Purpose::Reset, &asked)).await? {
        Some(_) => choose(&visitor, &token, Form::new(), StatusCode::OK),
        None => stale(&visitor, &[("/reset", "Ask for another letter"), ("/sign-in", "Sign in")]),
    }
}

fn choose(visitor: &Visitor, token: &str, form: Form, status: StatusCode) -> Result<HttpResponse, PageError> {
    let page = visitor.page("New password");
    render_as(status, &Choose { page, form, action: format!("/reset/{token}") })
}

enum Failed {
    Password(BadPassword),
    Link(LinkRefusal),
}

impl From<diesel::result::Error> for Failed {
    fn from(error: diesel::result::Error) -> Failed {
        Failed::Link(error.into())
    }
}

/// Sets the password and signs out everywhere. Anyone who has opened the link reads the account's mail: their browser is
/// known to it from now on, so that they can sign in whatever others try.
pub async fn new_post(
    app: Data<App>,
    visitor: Visitor,
    device: Device,
    path: Path<String>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let (site, now, token) = (app.site.clone(), visitor.now, path.into_inner());
    let (asked, key) = (token.clone(), device.key.clone());
    let work = move |db: &Database| {
        let known = {
            let pending = db.read(|conn| accounts::look(conn, now, Purpose::Reset, &asked))?;
            pending.ok_or(Failed::Link(LinkRefusal::Stale))?
        };
        let password = posted.get("password").unwrap_or("");
        let hashed = HashedPassword::new(password, &[&known.name, &known.email]).map_err(Failed::Password)?;
        let set = |conn: &mut Conn| {
            let user = accounts::finish_reset(conn, &site, now, &asked, &hashed)?;
            Ok(accounts::remember(conn, now, user.id, &key)?)
        };
        db.write(set).map_err(Failed::Link)
    };
    match app.block_hashing(work).await {
        Ok(()) => {
            app.wakers.wake();
            let words = "Your password is set, and all browsers are signed out. Sign in with the new one.";
            let mut response = go_with("/sign-in", &Notice::good(words), visitor.secure());
            cookies::sign_out(&mut response, visitor.secure())?;
            device.keep(&mut response)?;
            Ok(response)
        }
        Err(Failed::Password(bad)) => {
            let mut form = Form::new();
            form.fault("password", bad.to_string());
            choose(&visitor, &token, form, StatusCode::UNPROCESSABLE_ENTITY)
        }
        Err(Failed::Link(LinkRefusal::Stale)) => {
            stale(&visitor, &[("/reset", "Ask for another letter"), ("/sign-in", "Sign in")])
        }
        Err(Failed::Link(LinkRefusal::Database(error))) => Err(error.into()),
    }
}
