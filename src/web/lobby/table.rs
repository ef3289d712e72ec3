//! One table: who shows it at which stage, and what is done to it before it starts.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path, Query};
use askama::Template;

use crate::store::loadouts::LoadoutRow;
use crate::store::{Conn, Stamp, TableId, UserId, game_tables};
use crate::tables::{self, At, BotShown, Ctx, Refused, Reputation, TablePage, Terms, Turn};
use crate::web::base::fields::{self, FieldShown};
use crate::web::base::limits::Limit;
use crate::web::base::page::{Notice, Page, go, go_with, render, render_as};
use crate::web::base::paths::table_id;
use crate::web::library::reputation;
use crate::web::play::table_frame::{Asked, signed};
use crate::web::play::talk::{self, TalkPart};
use crate::web::{App, Form, PageError, Posted, SignedIn, Visitor};

#[derive(Template)]
#[template(path = "pages/lobby.html")]
struct Lobby {
    page: Page,
    table: TablePage,
    id: TableId,
    terms: Vec<(String, String)>,
    free: usize,
    waiting: bool,
    fields: Vec<FieldShown>,
    form: Form,
    key: String,
    link: Option<String>,
    /// What keeps the visitor from sitting down.
    refusal: Option<String>,
    /// What a win does to the score if the table starts as it is.
    win: String,
    /// Who looks after the table when its creator leaves.
    heir: Option<String>,
    /// The bots its creator can seat.
    bots: Vec<BotShown>,
    /// What is known about those who sit here, by player.
    known: BTreeMap<UserId, String>,
    /// Whose win would not count as things are now, a sentence each.
    uncounted: Vec<String>,
    talk: TalkPart,
}

/// How a visitor came to a table.
#[derive(Default)]
struct Way {
    /// The secret of an invitation link, or empty.
    key: String,
    /// What the address asks of a board.
    asked: Asked,
}

impl Way {
    fn by_key(key: String) -> Way {
        Way { key, asked: Asked::default() }
    }
}

/// A table's page: the lobby before it starts, the game afterwards.
pub async fn get(
    app: Data<App>,
    visitor: Visitor,
    path: Path<String>,
    asked: Query<Asked>,
) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let way = Way { key: String::new(), asked: asked.into_inner() };
    show(&app, &visitor, table_id, way, Form::new(), StatusCode::OK).await
}

/// The page an invitation link leads to: the table, with the right to sit down.
pub async fn invited(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let key = path.into_inner();
    let (asked, viewer) = (key.clone(), visitor.user_id());
    let table_id = app.block(move |db| db.read(|conn| tables::by_invite_key(conn, &asked, viewer))).await?;
    show(&app, &visitor, table_id, Way::by_key(key), Form::new(), StatusCode::OK).await
}

/// Sits the player down.
pub async fn join(app: Data<App>, me: SignedIn, path: Path<String>, posted: Posted) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let key = posted.line("key");
    let user_id = me.me.user_id;
    let (sent, with_key) = (posted.clone(), key.clone());
    let done = app
        .act(&me, move |conn, ctx, now| {
            let with_key = (!with_key.is_empty()).then_some(with_key.as_str());
            let page = tables::table_page(conn, ctx, table_id, Some(user_id), with_key)?;
            let game = ctx.games.current(&page.table.game).ok_or(Refused::NoGame(page.table.game))?;
            let setup = fields::answers("seat.", &game.seat_fields(), &sent);
            tables::join(conn, ctx, At::new(now, table_id, user_id), &setup, with_key)
        })
        .await;
    let to = format!("/t/{}", table_id);
    match done {
        Ok(started) => {
            app.wakers.wake();
            let words = if started {
                "The table is full, and the game has begun. Good luck!"
            } else {
                "You have a seat. You will get a letter when the game begins."
            };
            Ok(go_with(&to, &Notice::good(words), me.secure()))
        }
        Err(Refused::Form(faults)) => {
            let names: Vec<String> = faults.iter().map(|fault| format!("seat.{}", fault.field)).collect();
            let mut form = Form::kept(&posted, &names.iter().map(String::as_str).collect::<Vec<_>>());
            for (fault, name) in faults.into_iter().zip(&names) {
                form.fault(name, fault.message);
            }
            show(&app, &me, table_id, Way::by_key(key), form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        // The form was sent twice, or from two windows.
        Err(Refused::AlreadySeated) => Ok(go_with(&to, &Notice::plain("You have a seat here."), me.secure())),
        // Somebody else was faster: without the link a private table is not there for this player.
        Err(refused) => {
            let back = if key.is_empty() { to } else { format!("/i/{key}") };
            Err(PageError::from(refused).leading_to(back, "To the table"))
        }
    }
}

/// Takes the player from a table that has not started.
pub async fn leave(app: Data<App>, me: SignedIn, path: Path<String>, _: Posted) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let user_id = me.me.user_id;
    app.act(&me, move |conn, ctx, now| tables::leave_before_start(conn, ctx, At::new(now, table_id, user_id)))
        .await
        .map_err(|refused| PageError::from(refused).leading_to(format!("/t/{}", table_id), "To the table"))?;
    app.wakers.wake();
    let words = "You have left the table. It costs nothing before the game begins.";
    Ok(go_with("/", &Notice::good(words), me.secure()))
}

/// Calls a table off before it starts.
pub async fn cancel(app: Data<App>, me: SignedIn, path: Path<String>, _: Posted) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let user_id = me.me.user_id;
    app.act(&me, move |conn, ctx, now| tables::cancel(conn, ctx, At::new(now, table_id, user_id)))
        .await
        .map_err(|refused| PageError::from(refused).leading_to(format!("/t/{}", table_id), "To the table"))?;
    app.wakers.wake();
    Ok(go_with("/", &Notice::good("The table is called off. Everybody who had a seat gets a letter."), me.secure()))
}

/// Invites somebody by name or mail address.
pub async fn invite(
    app: Data<App>,
    me: SignedIn,
    path: Path<String>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let whom = posted.line("whom");
    app.limits.take(Limit::Invite, &me.me.user_id.to_string())?;
    app.limits.take_pair(Limit::InvitePair, &me.me.user_id.to_string(), &whom)?;
    let (user_id, to) = (me.me.user_id, whom.clone());
    let done =
        app.act(&me, move |conn, ctx, now| tables::invite(conn, ctx, At::new(now, table_id, user_id), &to)).await;
    let sentence = match done {
        Ok(()) => {
            app.wakers.wake();
            // The same words the first time and later, and whoever has the address.
            let words = match whom.contains('@') {
                true => format!(
                    "{whom} is invited. We send one letter, or none if several invitations went there today. You can \
                     always share the link."
                ),
                false => format!("{whom} is invited, and will see the table under “My tables”."),
            };
            return Ok(go_with(&format!("/t/{}", table_id), &Notice::good(words), me.secure()));
        }
        Err(Refused::Form(faults)) => faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>().join(" "),
        Err(refused @ (Refused::NoPlayer(_) | Refused::TooManyInvited(_) | Refused::HostInvites(_))) => {
            refused.to_string()
        }
        Err(refused) => {
            return Err(PageError::from(refused).leading_to(format!("/t/{}", table_id), "To the table"));
        }
    };
    let mut form = Form::kept(&posted, &["whom"]);
    form.fault("whom", sentence);
    show(&app, &me, table_id, Way::default(), form, StatusCode::UNPROCESSABLE_ENTITY).await
}

async fn show(
    app: &Data<App>,
    visitor: &Visitor,
    table_id: TableId,
    way: Way,
    form: Form,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let Way { key, asked } = way;
    let (ctx, now, user_id, with_key) = (app.ctx.clone(), visitor.now, visitor.user_id(), key.clone());
    let only_state = asked.only_state();
    let load = move |conn: &mut Conn| -> Result<(TablePage, Beside), Refused> {
        let with_key = (!with_key.is_empty()).then_some(with_key.as_str());
        let table = tables::table_page(conn, &ctx, table_id, user_id, with_key)?;
        let begun = [game_tables::Status::Running, game_tables::Status::Over].contains(&table.table.status);
        if begun && with_key.is_some() {
            // The link of an invitation opens the lobby, not the game.
            let beside = match tables::table_page(conn, &ctx, table_id, user_id, None) {
                Ok(_) => Beside::Seen,
                Err(Refused::NoTable) => Beside::Late,
                Err(other) => return Err(other),
            };
            return Ok((table, beside));
        }
        let beside = match table.table.status {
            game_tables::Status::Open => Beside::Lobby(around(conn, &ctx, now, &table, user_id, with_key)?),
            _ if begun && only_state => Beside::State,
            _ if begun => Beside::Game(Box::new(tables::turn(conn, &ctx, table_id, user_id)?)),
            _ => Beside::Lobby(Around::default()),
        };
        Ok((table, beside))
    };
    let (table, beside) = app.block(move |db| db.read(load)).await?;
    if asked.part.is_none() && !matches!(beside, Beside::Seen | Beside::Late) {
        talk::read(app, visitor, &table).await;
    }
    let around = match beside {
        Beside::Lobby(around) => around,
        Beside::Seen => return Ok(go(&format!("/t/{}", table_id))),
        Beside::Late => {
            if visitor.user_id().is_none() {
                let words = "The game at this table has begun, and it is private. If you have a seat there, sign in to \
                             see it.";
                let next = format!("/t/{}", table_id);
                let to = format!("/sign-in?{}", crate::web::base::paths::query(&[("next", &next)]));
                return Err(PageError::conflict(words, to, "Sign in"));
            }
            let words = "The game at this table has begun without you, and it is private, so you cannot watch it \
                         either. Other tables are waiting for players.";
            return Err(PageError::conflict(words, "/tables", "Open tables"));
        }
        Beside::State => {
            let state = crate::web::play::table_frame::state(&table);
            return Ok(HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(state));
        }
        Beside::Game(turn) => return crate::web::play::turn::page(app, visitor, table, *turn, asked).await,
    };
    let lobby = lobby(app, visitor, table, around, key, form);
    if status == StatusCode::OK { render(&lobby) } else { render_as(status, &lobby) }
}

/// What a page shows apart from the table itself.
enum Beside {
    /// It has not begun, or was called off.
    Lobby(Around),
    /// It has begun.
    Game(Box<Turn>),
    /// Only how far it is was asked for.
    State,
    /// It has begun, and the visitor came by the link of an invitation and may see it without.
    Seen,
    /// The same, and the visitor may not.
    Late,
}

/// What the lobby shows apart from the table itself.
#[derive(Default)]
struct Around {
    /// The visitor's own loadouts.
    saved: Vec<LoadoutRow>,
    /// What keeps the visitor from sitting down.
    refusal: Option<String>,
    /// What is known about those who sit there.
    known: BTreeMap<UserId, Reputation>,
    /// Whose win would not count, as far as it concerns the visitor.
    uncounted: Vec<String>,
}

fn around(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &TablePage,
    user_id: Option<UserId>,
    key: Option<&str>,
) -> Result<Around, Refused> {
    let people = table.seats.iter().filter(|seat| !seat.bot);
    let sitting: Vec<UserId> = people.map(|seat| seat.user_id).collect();
    let known = tables::reputations(conn, ctx, now, &sitting)?;
    let Some(user_id) = user_id else { return Ok(Around { known, ..Around::default() }) };
    let saved = tables::my_loadouts(conn, user_id, &table.table.game)?;
    let refusal = match table.seated {
        true => None,
        false => tables::what_keeps_away(conn, ctx, At::new(now, table.table.table_id, user_id), key)?,
    };
    let people = table.seats.iter().filter(|seat| !seat.bot && table.table.ranked);
    let others: Vec<(UserId, String)> = people.map(|seat| (seat.user_id, seat.name.clone())).collect();
    Ok(Around { saved, refusal, known, uncounted: tables::uncounted(conn, now, user_id, &others)? })
}

/// Who looks after a table that waits when the visitor, who made it, leaves: whoever sat down first of the others.
fn heir(table: &TablePage) -> Option<String> {
    let mut others = table.seats.iter().filter(|seat| Some(seat.user_id) != table.viewer && !seat.bot);
    others.next().filter(|_| table.is_creator && table.seated).map(|seat| seat.name.clone())
}

fn lobby(app: &App, visitor: &Visitor, table: TablePage, around: Around, key: String, form: Form) -> Lobby {
    let waiting = table.table.status == game_tables::Status::Open;
    let may_join = waiting && !table.seated && visitor.me.is_some();
    let fields = match app.ctx.games.current(&table.table.game) {
        Some(game) if may_join => fields::shown("seat.", &game.seat_fields(), game.as_ref(), &around.saved, &form),
        _ => Vec::new(),
    };
    let page = visitor.page(table.table.title.as_str()).with_style("people.css");
    Lobby {
        talk: TalkPart::of(&page, &table),
        page,
        id: table.table.table_id,
        terms: Terms::from(&table.table).words(),
        free: table.table.seat_count.saturating_sub(table.seats.len()),
        waiting,
        fields,
        form,
        key,
        link: table.table.invite_key.as_ref().map(|key| app.ctx.site.url(&format!("/i/{key}"))),
        known: around.known.iter().map(|(user_id, known)| (*user_id, reputation::line(known))).collect(),
        refusal: around.refusal.filter(|_| may_join),
        uncounted: around.uncounted,
        win: signed(tables::win_change(table.seats.len())),
        heir: heir(&table),
        bots: match app.ctx.games.current(&table.table.game) {
            Some(game) if waiting && table.is_creator => tables::bots_of(game.as_ref()),
            _ => Vec::new(),
        },
        table,
    }
}
