//! Signing in and out.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Query};
use askama::Template;
use serde::Deserialize;

use crate::accounts::{self, Browser, SignInRefusal};
use crate::web::base::cookies;
use crate::web::base::device::Device;
use crate::web::base::page::{Notice, Page, go, go_with, own_path, render_as};
use crate::web::{App, Form, PageError, Posted, Visitor};

#[derive(Template)]
#[template(path = "pages/sign_in.html")]
struct SignInPage {
    page: Page,
    form: Form,
    next: String,
    unconfirmed: bool,
}

/// Where to go on after signing in.
#[derive(Deserialize)]
pub struct After {
    next: Option<String>,
}

impl After {
    /// A path of this site.
    pub fn next(&self) -> String {
        self.next.as_deref().and_then(own_path).unwrap_or("/").to_owned()
    }
}

/// The form.
pub async fn get(visitor: Visitor, query: Query<After>) -> Result<HttpResponse, PageError> {
    let next = query.next();
    if visitor.me.is_some() {
        return Ok(go(&next));
    }
    let page = visitor.page("Sign in");
    render_as(StatusCode::OK, &SignInPage { page, form: Form::new(), next, unconfirmed: false })
}

/// Signs in. The answer is the same for an unknown name and for a wrong password.
pub async fn post(app: Data<App>, visitor: Visitor, device: Device, posted: Posted) -> Result<HttpResponse, PageError> {
    let who = posted.line("who");
    let known = device.known_as(&app, &who).await?;
    let limits = app.limits.sign_in(&who, &visitor.address, known.as_deref());
    limits.inspect_err(|_| tracing::warn!(reason = "too many tries", "A sign-in failed."))?;
    let next = posted.get("next").and_then(own_path).unwrap_or("/").to_owned();
    let password = posted.get("password").unwrap_or("").to_owned();
    let (now, browser) = (visitor.now, Browser { key: device.key.clone(), agent: visitor.agent.clone() });
    let refusal = match app.block_hashing(move |db| accounts::sign_in(db, now, &who, &password, &browser)).await {
        Ok(signed) => {
            let mut response = go(&next);
            cookies::sign_in(&mut response, signed.token, visitor.secure())?;
            device.keep(&mut response)?;
            return Ok(response);
        }
        Err(SignInRefusal::Database(error)) => return Err(error.into()),
        Err(refusal) => refusal,
    };
    let unconfirmed = matches!(refusal, SignInRefusal::Unconfirmed);
    // Who was tried is not kept: people type passwords into the wrong field.
    let reason = if unconfirmed { "address not confirmed" } else { "wrong name or password" };
    tracing::info!(reason, "A sign-in failed.");
    let mut form = Form::kept(&posted, &["who"]);
    form.fault("", refusal.to_string());
    let page = visitor.page("Sign in");
    render_as(StatusCode::UNPROCESSABLE_ENTITY, &SignInPage { page, form, next, unconfirmed })
}

/// Signs this browser out.
pub async fn out(app: Data<App>, visitor: Visitor, _: Posted) -> Result<HttpResponse, PageError> {
    if let Some(me) = visitor.me.clone() {
        app.write(move |conn| accounts::sign_out(conn, &me.session_id)).await?;
    }
    let mut response = go_with("/", &Notice::good("You are signed out."), visitor.secure());
    cookies::sign_out(&mut response, visitor.secure())?;
    Ok(response)
}
