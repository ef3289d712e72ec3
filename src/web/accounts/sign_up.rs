//! Signing up, and confirming the address by the link of a letter.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path, Query};
use askama::Template;

use super::sign_in::After;
use super::zones::{ZoneGroup, zones};
use crate::accounts::{
    self, CorrectRefusal, LinkRefusal, Purpose, SignUp, SignUpFault, SignUpForm, SignUpRefusal, Waiting,
};
use crate::mail::readable;
use crate::store::{Conn, Database};
use crate::web::base::device::{Device, WaitingHere};
use crate::web::base::limits::Limit;
use crate::web::base::page::{Notice, OneButton, Page, Said, go, go_with, own_path, render, render_as};
use crate::web::base::paths::query;
use crate::web::{App, Form, PageError, Posted, Visitor};

#[derive(Template)]
#[template(path = "pages/sign_up.html")]
struct SignUpPage {
    page: Page,
    form: Form,
    zones: Vec<ZoneGroup>,
    detect: bool,
    next: String,
}

#[derive(Template)]
#[template(path = "pages/check_mail.html")]
struct CheckMail {
    page: Page,
    form: Form,
    open: bool,
    /// The sign-up that was made in this browser and waits.
    waiting: Option<Waiting>,
    /// The address it was made with, as it was typed.
    address: String,
}

/// The form.
pub async fn get(visitor: Visitor, query: Query<After>) -> Result<HttpResponse, PageError> {
    let next = query.next();
    if visitor.me.is_some() {
        return Ok(go(&next));
    }
    show(&visitor, Form::new().with("zone", "UTC").with("next", next), Show::New)
}

/// Whether nobody has filled in the form yet.
enum Show {
    New,
    Again,
}

fn show(visitor: &Visitor, form: Form, show: Show) -> Result<HttpResponse, PageError> {
    let (zones, next) = (zones(form.value("zone")), form.value("next").to_owned());
    let (detect, status) = match show {
        Show::New => (true, StatusCode::OK),
        Show::Again => (false, StatusCode::UNPROCESSABLE_ENTITY),
    };
    render_as(status, &SignUpPage { page: visitor.page("Sign up"), form, zones, detect, next })
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
pub async fn post(app: Data<App>, visitor: Visitor, device: Device, posted: Posted) -> Result<HttpResponse, PageError> {
    app.limits.take(Limit::SignUpByVisitor, &visitor.address)?;
    app.limits.take_pair(Limit::LettersByPair, &visitor.address, &posted.line("email"))?;
    let (site, now, sent, key) = (app.site.clone(), visitor.now, posted.clone(), device.key.clone());
    let next = posted.get("next").and_then(own_path).unwrap_or("/").to_owned();
    let work = move |db: &Database| {
        let password = sent.get("password").unwrap_or("");
        let (name, email, zone) = (sent.line("name"), sent.line("email"), sent.line("zone"));
        let form = SignUpForm { name: &name, email: &email, password, zone: &zone };
        let checked = SignUp::check(&form).map_err(Failed::Form)?;
        let made = db.write(|conn| accounts::sign_up(conn, &site, now, &checked));
        let user_id = match made {
            Err(SignUpRefusal::NameTaken(name)) => accounts::sign_up_again(db, &site, now, &checked, password)?
                .ok_or(Failed::Refused(SignUpRefusal::NameTaken(name)))?,
            made => made.map_err(Failed::Refused)?,
        };
        db.write(|conn| accounts::remember(conn, now, user_id, &key))?;
        Ok(user_id)
    };
    let mut form = Form::kept(&posted, &["name", "email", "zone"]).with("next", next.as_str());
    match accounts::evenly(app.block_hashing(work)).await {
        Ok(user_id) => {
            app.wakers.wake();
            let mut response = go("/check-your-mail");
            device.keep(&mut response)?;
            device.remember(&mut response, Some(&WaitingHere { user_id, next, address: posted.line("email") }))?;
            return Ok(response);
        }
        Err(Failed::Form(faults)) => faults.into_iter().for_each(|it| form.fault(it.field(), it.to_string())),
        Err(Failed::Refused(SignUpRefusal::Database(error))) => return Err(error.into()),
        Err(Failed::Refused(refusal @ SignUpRefusal::NameTaken(_))) => form.fault("name", refusal.to_string()),
    }
    show(&visitor, form, Show::Again)
}

/// What to do after signing up, and a form to have the letter sent again; in the browser that signed up also to another
/// address.
pub async fn check_mail(app: Data<App>, visitor: Visitor, device: Device) -> Result<HttpResponse, PageError> {
    let address = device.waiting.as_ref().map(|waiting| waiting.address.clone()).unwrap_or_default();
    show_check_mail(&app, &visitor, &device, Form::new().with("email", address), StatusCode::OK).await
}

async fn show_check_mail(
    app: &Data<App>,
    visitor: &Visitor,
    device: &Device,
    form: Form,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let waiting = match device.waiting.clone() {
        Some(WaitingHere { user_id, .. }) => {
            let key = device.key.clone();
            app.read(move |conn| accounts::waiting(conn, user_id, &key)).await?
        }
        None => None,
    };
    let address = device.waiting.as_ref().map(|waiting| waiting.address.clone()).unwrap_or_default();
    let form = if waiting.is_none() && form.is_good() { Form::new() } else { form };
    let open = visitor.notice.is_some() || !form.is_good();
    render_as(status, &CheckMail { page: visitor.page("Check your mail"), form, open, waiting, address })
}

/// Corrects the address of the sign-up that was made in this browser, or sends the letter to it again.
pub async fn correct(
    app: Data<App>,
    visitor: Visitor,
    device: Device,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let email = posted.line("email");
    app.limits.letter(&email, &visitor.address, None)?;
    let Some(here) = device.waiting.clone() else { return Ok(no_longer_waits(&visitor)) };
    let (site, now, key, address) = (app.site.clone(), visitor.now, device.key.clone(), email.clone());
    let user_id = here.user_id;
    let work = move |conn: &mut Conn| accounts::correct_address(conn, &site, now, (user_id, &key), &address);
    match accounts::evenly(app.write(work)).await {
        Ok(()) => {
            app.wakers.wake();
            let words = "We send the letter to this address. If it had several letters from us today, the next one takes \
                         a while; an earlier link still works.";
            let mut response = go_with("/check-your-mail", &Notice::good(words), visitor.secure());
            device.remember(&mut response, Some(&WaitingHere { address: email, ..here }))?;
            Ok(response)
        }
        Err(CorrectRefusal::Over) => {
            let mut response = no_longer_waits(&visitor);
            device.remember(&mut response, None)?;
            Ok(response)
        }
        Err(CorrectRefusal::Bad(bad)) => {
            let mut form = Form::kept(&posted, &["email"]);
            form.fault("email", bad.to_string());
            show_check_mail(&app, &visitor, &device, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(CorrectRefusal::Database(error)) => Err(error.into()),
    }
}

fn no_longer_waits(visitor: &Visitor) -> HttpResponse {
    go_with("/sign-in", &Notice::plain(CorrectRefusal::Over.to_string()), visitor.secure())
}

/// Sends the letter again, and says nothing about whether there was one to send.
pub async fn again(app: Data<App>, visitor: Visitor, posted: Posted) -> Result<HttpResponse, PageError> {
    let email = posted.line("email");
    app.limits.letter(&email, &visitor.address, None)?;
    let (site, now) = (app.site.clone(), visitor.now);
    accounts::evenly(app.write(move |conn| accounts::resend(conn, &site, now, &email))).await?;
    app.wakers.wake();
    let words = "If this address still has to be confirmed, we send a letter there. If several went there today, the next \
                 one takes a while; an earlier link still works.";
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
            words: format!("{} is the address of the player {}. Is it yours?", readable(&pending.email), pending.name),
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
    device: Device,
    path: Path<String>,
    _: Posted,
) -> Result<HttpResponse, PageError> {
    let (now, token) = (visitor.now, path.into_inner());
    match app.write(move |conn| accounts::confirm(conn, now, &token)).await {
        Ok(user) => {
            let words = format!("Your address is confirmed, {}. Sign in and sit down at a table.", user.name);
            // Back to the page or the invitation that made them sign up, if it was in this browser.
            let here = device.waiting.as_ref().filter(|waiting| waiting.user_id == user.id);
            let to = match here.map(|waiting| waiting.next.as_str()) {
                Some(next) if next != "/" => format!("/sign-in?{}", query(&[("next", next)])),
                _ => "/sign-in".to_owned(),
            };
            let mut response = go_with(&to, &Notice::good(words), visitor.secure());
            if here.is_some() {
                device.remember(&mut response, None)?;
            }
            Ok(response)
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
