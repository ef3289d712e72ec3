//! Signing up, and confirming the address by the link of a letter.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::zones::{ZoneGroup, zones};
use crate::accounts::{self, LinkRefusal, Purpose, SignUp, SignUpFault, SignUpForm, SignUpRefusal};
use crate::store::Database;
use crate::web::base::limits::Limit;
use crate::web::base::page::{Notice, OneButton, Page, Said, go, go_with, render, render_as};
use crate::web::{App, Form, PageError, Posted, Visitor};

#[derive(Template)]
#[template(path = "pages/sign_up.html")]
struct SignUpPage {
    page: Page,
    form: Form,
    zones: Vec<ZoneGroup>,
    detect: bool,
}

#[derive(Template)]
#[template(path = "pages/check_mail.html")]
struct CheckMail {
    page: Page,
    form: Form,
    open: bool,
}

/// The form.
pub async fn get(visitor: Visitor) -> Result<HttpResponse, PageError> {
    if visitor.me.is_some() {
        return Ok(go("/"));
    }
    show(&visitor, Form::new().with("zone", "UTC"), true, StatusCode::OK)
}

fn show(visitor: &Visitor, form: Form, detect: bool, status: StatusCode) -> Result<HttpResponse, PageError> {
    let zones = zones(form.value("zone"));
    render_as(status, &SignUpPage { page: visitor.page("Sign up"), form, zones, detect })
}

enum Failed {
    Form(Vec<SignUpFault>),
    Refused(SignUpRefusal),
}

impl From<diesel::result::Error> for Failed {
    fn from(error: diesel::result::Error) -> Failed {
        Failed::Refused(error.into())
    }
}

/// Makes the account. The answer is the same whether the address is known or not.
pub async fn post(app: Data<App>, visitor: Visitor, posted: Posted) -> Result<HttpResponse, PageError> {
    app.limits.take(Limit::SignUpByVisitor, &visitor.address)?;
    app.limits.take(Limit::LettersByAddress, &posted.line("email"))?;
    let (site, now, sent) = (app.site.clone(), visitor.now, posted.clone());
    let work = move |db: &Database| {
        let password = sent.get("password").unwrap_or("");
        let (name, email, zone) = (sent.line("name"), sent.line("email"), sent.line("zone"));
        let form = SignUpForm { name: &name, email: &email, password, zone: &zone };
        let checked = SignUp::check(&form).map_err(Failed::Form)?;
        db.write(|conn| accounts::sign_up(conn, &site, now, &checked)).map_err(Failed::Refused)
    };
    let mut form = Form::kept(&posted, &["name", "email", "zone"]);
    match accounts::evenly(app.block(work)).await {
        Ok(()) => {
            app.wakers.wake();
            return Ok(go("/check-your-mail"));
        }
        Err(Failed::Form(faults)) => faults.into_iter().for_each(|it| form.fault(it.field(), it.to_string())),
        Err(Failed::Refused(SignUpRefusal::Database(error))) => return Err(error.into()),
        Err(Failed::Refused(refusal @ SignUpRefusal::NameTaken(_))) => form.fault("name", refusal.to_string()),
    }
    show(&visitor, form, false, StatusCode::UNPROCESSABLE_ENTITY)
}

/// What to do after signing up, and a form to have the letter sent again.
pub async fn check_mail(visitor: Visitor) -> Result<HttpResponse, PageError> {
    let open = visitor.notice.is_some();
    render(&CheckMail { page: visitor.page("Check your mail"), form: Form::new(), open })
}

/// Sends the letter again, and says nothing about whether there was one to send.
pub async fn again(app: Data<App>, visitor: Visitor, posted: Posted) -> Result<HttpResponse, PageError> {
    let email = posted.line("email");
    app.limits.take(Limit::LettersByVisitor, &visitor.address)?;
    app.limits.take(Limit::LettersByAddress, &email)?;
    let (site, now) = (app.site.clone(), visitor.now);
    accounts::evenly(app.write(move |conn| accounts::resend(conn, &site, now, &email))).await?;
    app.wakers.wake();
    let words = "If this address waits to be confirmed, another letter is on its way to it.";
    Ok(go_with("/check-your-mail", &Notice::plain(words), visitor.secure()))
}

/// The page behind the link of the letter. Asks, because mail scanners open links.
pub async fn confirm_get(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let (now, token) = (visitor.now, path.into_inner());
    let asked = token.clone();
    let pending = app.read(move |conn| accounts::look(conn, now, Purpose::Confirm, &asked)).await?;
    match pending {
        Some(pending) => render(&OneButton {
            page: visitor.page("Confirm your address"),
            words: format!("{} is the address of the player {}. Is it yours?", pending.email, pending.name),
            action: format!("/confirm/{token}"),
            button: "Yes, confirm it",
        }),
        None => stale(&visitor, &[("/check-your-mail", "Send another letter"), ("/sign-in", "Sign in")]),
    }
}

/// Confirms the address.
pub async fn confirm_post(
    app: Data<App>,
    visitor: Visitor,
    path: Path<String>,
    _: Posted,
) -> Result<HttpResponse, PageError> {
    let (now, token) = (visitor.now, path.into_inner());
    match app.write(move |conn| accounts::confirm(conn, now, &token)).await {
        Ok(user) => {
            let words = format!("Your address is confirmed, {}. Sign in and sit down at a table.", user.name);
            Ok(go_with("/sign-in", &Notice::good(words), visitor.secure()))
        }
        Err(LinkRefusal::Stale) => {
            stale(&visitor, &[("/check-your-mail", "Send another letter"), ("/sign-in", "Sign in")])
        }
        Err(LinkRefusal::Database(error)) => Err(error.into()),
    }
}

/// The page of a link that was used, is too old, or never was one: all the same from outside.
pub fn stale(visitor: &Visitor, ways_on: &[(&'static str, &'static str)]) -> Result<HttpResponse, PageError> {
    let said = Said {
        page: visitor.page("This link no longer works"),
        words: "It was used before, is too old, or a newer one was sent since. Nothing was changed.".to_owned(),
        letter: false,
        ways_on: ways_on.to_vec(),
    };
    render_as(StatusCode::GONE, &said)
}
