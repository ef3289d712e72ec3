//! What players set about themselves.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::sign_up::stale;
use super::zones::{ZoneGroup, zones};
use crate::accounts::{
    self, AddressRefusal, LinkRefusal, PasswordChange, PasswordRefusal, Purpose, Wants, ZoneRefusal,
};
use crate::mail::readable;
use crate::store::users::{self, User};
use crate::store::{Conn, UserId, sessions};
use crate::tables::{self, Refused};
use crate::web::base::cookies;
use crate::web::base::device::Device;
use crate::web::base::limits::Limit;
use crate::web::base::page::{Notice, OneButton, Page, go_with, render, render_as};
use crate::web::base::times::Zoned;
use crate::web::{App, Form, PageError, Posted, SignedIn, Visitor};

#[derive(Template)]
#[template(path = "pages/settings.html")]
struct Settings {
    page: Page,
    form: Form,
    user: User,
    /// The address that letters go to, as people read it.
    address: String,
    zones: Vec<ZoneGroup>,
    sessions: Vec<SessionRow>,
    /// Muted players: id in forms, and name.
    muted: Vec<(UserId, String)>,
}

/// A browser that is signed in.
struct SessionRow {
    id: String,
    agent: String,
    since: Zoned,
    seen: Zoned,
    here: bool,
}

/// All settings on one page.
pub async fn get(app: Data<App>, me: SignedIn) -> Result<HttpResponse, PageError> {
    show(&app, &me, Form::new(), StatusCode::OK).await
}

async fn show(app: &Data<App>, me: &SignedIn, form: Form, status: StatusCode) -> Result<HttpResponse, PageError> {
    let (now, user_id) = (me.now, me.me.user_id);
    let load = move |conn: &mut Conn| -> Result<_, Refused> {
        let muted = tables::muted(conn, user_id)?;
        Ok((users::find(conn, user_id)?, sessions::list(conn, user_id, now)?, muted))
    };
    let (user, rows, muted) = app.block(move |db| db.read(load)).await?;
    let user = user.ok_or(PageError::NotFound)?;
    let page = me.page("Settings");
    let row = |session: sessions::Session| SessionRow {
        here: session.id == me.me.session_id,
        agent: browser(&session.agent),
        since: page.time(&session.created_at),
        seen: page.time(&session.seen_at),
        id: session.id,
    };
    let sessions = rows.into_iter().map(row).collect();
    let form = if form.value("zone").is_empty() { form.with("zone", user.zone.as_str()) } else { form };
    let zones = zones(form.value("zone"));
    let muted = muted.into_iter().collect();
    let address = user.email.as_deref().map_or_else(|| "nowhere".to_owned(), readable);
    render_as(status, &Settings { page, form, user, address, zones, sessions, muted })
}

/// What a browser calls itself, in words: “Firefox on Linux”.
fn browser(agent: &str) -> String {
    let pick = |names: &[(&str, &'static str)]| names.iter().find(|(sign, _)| agent.contains(sign)).map(|it| it.1);
    // Order matters: most browsers also claim to be some of those further down.
    let program = pick(&[
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = pick(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (program, system) {
        (Some(program), Some(system)) => format!("{program} on {system}"),
        (Some(program), None) => program.to_owned(),
        _ if agent.is_empty() => "Unknown browser".to_owned(),
        _ => agent.chars().take(60).collect(),
    }
}

fn saved(me: &SignedIn, anchor: &str, words: &str) -> HttpResponse {
    go_with(&format!("/settings{anchor}"), &Notice::good(words), me.secure())
}

/// Sets the time zone.
pub async fn zone(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    let (user_id, zone) = (me.me.user_id, posted.line("zone"));
    match app.write(move |conn| accounts::set_zone(conn, user_id, &zone)).await {
        Ok(_) => Ok(saved(&me, "", "Times are now shown in this zone.")),
        Err(ZoneRefusal::Database(error)) => Err(error.into()),
        Err(refusal @ ZoneRefusal::NoZone(_)) => {
            let mut form = Form::kept(&posted, &["zone"]);
            form.fault("zone", refusal.to_string());
            show(&app, &me, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

/// Sets which letters come.
pub async fn letters(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    let user_id = me.me.user_id;
    let wants = Wants {
        due: posted.has("due"),
        resolved: posted.has("resolved"),
        reminders: posted.has("reminders"),
        news: posted.has("news"),
        talk: posted.has("talk"),
    };
    app.write(move |conn| accounts::set_wants(conn, user_id, wants)).await?;
    Ok(saved(&me, "#letters", "Your choice of letters is saved."))
}

/// Asks for another address, which is checked by a letter to it.
pub async fn address(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    let email = posted.line("email");
    app.limits.take(Limit::LettersByPlayer, &me.me.user_id.to_string())?;
    app.limits.take(Limit::PasswordCheck, &me.me.session_id)?;
    let password = posted.get("address_password").unwrap_or("").to_owned();
    let (site, now, user_id) = (app.site.clone(), me.now, me.me.user_id);
    let done = accounts::evenly(
        app.block_hashing(move |db| accounts::request_address(db, &site, now, user_id, &password, &email)),
    )
    .await;
    let (field, sentence) = match done {
        Ok(()) => {
            app.wakers.wake();
            let words = "We send a letter with a link to the new address, which counts as soon as you open the link. \
                         If you asked more than once, you get one letter for all.";
            return Ok(saved(&me, "#address", words));
        }
        Err(AddressRefusal::Database(error)) => return Err(error.into()),
        Err(refusal @ AddressRefusal::WrongPassword) => ("address_password", refusal.to_string()),
        Err(refusal @ (AddressRefusal::Bad(_) | AddressRefusal::Same)) => ("email", refusal.to_string()),
    };
    let mut form = Form::kept(&posted, &["email"]);
    form.fault(field, sentence);
    show(&app, &me, form, StatusCode::UNPROCESSABLE_ENTITY).await
}

/// The page behind the link that checks a new address. Asks, because mail scanners open links.
pub async fn address_get(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let (now, token) = (visitor.now, path.into_inner());
    let asked = token.clone();
    match app.read(move |conn| accounts::look(conn, now, Purpose::Change, &asked)).await? {
        Some(pending) => render(&OneButton {
            page: visitor.page("Confirm your new address"),
            words: format!(
                "Should letters for the player {} go to {} from now on?",
                pending.name,
                readable(&pending.email)
            ),
            action: format!("/settings/address/{token}"),
            button: "Yes, use this address",
        }),
        None => stale(&visitor, &[("/settings#address", "Settings")]),
    }
}

/// Moves the account to the new address.
pub async fn address_post(
    app: Data<App>,
    visitor: Visitor,
    path: Path<String>,
    _: Posted,
) -> Result<HttpResponse, PageError> {
    let (site, now, token) = (app.site.clone(), visitor.now, path.into_inner());
    match app.write(move |conn| accounts::confirm_address(conn, &site, now, &token)).await {
        Ok(_) => {
            app.wakers.wake();
            let words = Notice::good("Your account has its new address. We sent a letter to the old one.");
            let to = if visitor.me.is_some() { "/settings#address" } else { "/sign-in" };
            Ok(go_with(to, &words, visitor.secure()))
        }
        Err(LinkRefusal::Stale) => stale(&visitor, &[("/settings#address", "Settings")]),
        Err(LinkRefusal::Database(error)) => Err(error.into()),
    }
}

/// Changes the password and signs all other browsers out.
pub async fn password(app: Data<App>, me: SignedIn, device: Device, posted: Posted) -> Result<HttpResponse, PageError> {
    app.limits.take(Limit::PasswordCheck, &me.me.session_id)?;
    let text = |name: &str| posted.get(name).unwrap_or("").to_owned();
    let (current, new) = (text("current"), text("new_password"));
    let (site, now, known, key) = (app.site.clone(), me.now, me.me.clone(), device.key.clone());
    let done = app
        .block_hashing(move |db| {
            accounts::change_password(
                db,
                &site,
                now,
                known.user_id,
                PasswordChange { current: &current, new: &new, keep_session: Some(&known.session_id) },
            )?;
            db.write(|conn| Ok(accounts::remember(conn, now, known.user_id, &key)?))
        })
        .await;
    let (field, sentence) = match done {
        Ok(()) => {
            app.wakers.wake();
            let words = "Your password is changed. All other browsers are signed out.";
            let mut response = saved(&me, "#password", words);
            device.keep(&mut response)?;
            return Ok(response);
        }
        Err(PasswordRefusal::Database(error)) => return Err(error.into()),
        Err(refusal @ PasswordRefusal::Wrong) => ("current", refusal.to_string()),
        Err(refusal @ PasswordRefusal::Bad(_)) => ("new_password", refusal.to_string()),
    };
    let mut form = Form::new();
    form.fault(field, sentence);
    show(&app, &me, form, StatusCode::UNPROCESSABLE_ENTITY).await
}

/// Hears a muted player again.
pub async fn unmute(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    let player: UserId = posted.line("player").parse().map_err(|_| PageError::NotFound)?;
    let user_id = me.me.user_id;
    app.act(&me, move |conn, _, _| tables::unmute(conn, user_id, player)).await?;
    Ok(saved(&me, "#muted", "This player is no longer muted."))
}

/// Signs one other browser out.
pub async fn end_session(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    let (now, user_id, id) = (me.now, me.me.user_id, posted.line("session"));
    app.write(move |conn| {
        let mine = sessions::list(conn, user_id, now)?.iter().any(|session| session.id == id);
        if mine { accounts::sign_out(conn, &id) } else { Ok(()) }
    })
    .await?;
    Ok(saved(&me, "#browsers", "That browser is signed out."))
}

/// Signs all browsers out, this one too.
pub async fn sign_out_everywhere(app: Data<App>, me: SignedIn, _: Posted) -> Result<HttpResponse, PageError> {
    let user_id = me.me.user_id;
    app.write(move |conn| accounts::sign_out_everywhere(conn, user_id, None)).await?;
    let mut response = go_with("/", &Notice::good("All browsers are signed out."), me.secure());
    cookies::sign_out(&mut response, me.secure())?;
    Ok(response)
}

/// Deletes the account: running games count as resigned, the name becomes “former player”.
pub async fn delete(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    app.limits.take(Limit::PasswordCheck, &me.me.session_id)?;
    let mut form = Form::kept(&posted, &["delete_name"]);
    if posted.line("delete_name") != me.me.name {
        form.fault("delete_name", format!("To delete the account, write its name here: {}.", me.me.name));
        return show(&app, &me, form, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let password = posted.get("delete_password").unwrap_or("").to_owned();
    let user_id = me.me.user_id;
    match app.block_hashing(move |db| accounts::check_password(db, user_id, &password)).await {
        Ok(_) => {}
        Err(PasswordRefusal::Database(error)) => return Err(error.into()),
        Err(refusal) => {
            form.fault("delete_password", refusal.to_string());
            return show(&app, &me, form, StatusCode::UNPROCESSABLE_ENTITY).await;
        }
    }
    app.act(&me, move |conn, ctx, now| {
        accounts::delete_account(conn, &ctx.site, now, user_id, |conn, user_id| {
            tables::give_up_all(conn, ctx, now, user_id)
        })
    })
    .await?;
    app.wakers.wake();
    let words = "Your account is deleted. Thank you for the games you played.";
    let mut response = go_with("/", &Notice::good(words), me.secure());
    cookies::sign_out(&mut response, me.secure())?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::browser;

    #[test]
    fn browsers_are_named_in_words() {
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        assert_eq!(browser(firefox), "Firefox on Linux");
        let edge = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0";
        assert_eq!(browser(edge), "Edge on Windows");
        assert_eq!(browser(""), "Unknown browser");
        assert_eq!(browser("curl/8.0"), "curl/8.0");
    }
}
