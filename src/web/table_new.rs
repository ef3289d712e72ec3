//! Making a table: the form, and what comes of it.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Query};
use askama::Template;
use serde::Deserialize;

use super::fields::{self, FieldShown};
use super::limits::Limit;
use super::page::{Notice, Page, go_with, render, render_as};
use super::practice::Quick;
use super::{App, Form, PageError, Posted, SignedIn};
use crate::rules::Game;
use crate::store::loadouts::LoadoutRow;
use crate::store::{Conn, IdText};
use crate::tables::{self, JoinStanding, NewTable, Refused};

/// Time limits offered first, in hours.
const LIMIT_HOURS: [i64; 4] = [24, 48, 72, 120];

/// Names of the form's controls besides those of the game's own fields.
const PLAIN: [&str; 11] = [
    "title",
    "seats",
    "limit",
    "limit_count",
    "limit_unit",
    "ranked",
    "who",
    "talk",
    "passes_allowed",
    "max_drops",
    "min_score",
];

#[derive(Template)]
#[template(path = "pages/table_new.html")]
struct NewPage {
    page: Page,
    form: Form,
    game: GameShown,
    others: Vec<GameShown>,
    options: Vec<FieldShown>,
    seat: Vec<FieldShown>,
    seat_counts: Vec<usize>,
    limits: Vec<(i64, String)>,
    window: u32,
    refusal: Option<String>,
    quick: Option<Quick>,
}

struct GameShown {
    id: &'static str,
    name: &'static str,
    blurb: &'static str,
}

impl GameShown {
    fn of(game: &dyn Game) -> GameShown {
        let meta = game.meta();
        GameShown { id: meta.id, name: meta.name, blurb: meta.blurb }
    }
}

/// Which game the form is for.
#[derive(Deserialize)]
pub struct Chosen {
    /// Id of the game.
    pub game: Option<String>,
}

/// The form.
pub async fn get(app: Data<App>, me: SignedIn, query: Query<Chosen>) -> Result<HttpResponse, PageError> {
    let game = chosen(&app, query.game.as_deref())?;
    let form = Form::new()
        .with("limit", (LIMIT_HOURS[1] * 3600).to_string())
        .with("limit_unit", "3600")
        .with("ranked", "yes")
        .with("passes_allowed", "0")
        .with("who", "open")
        .with("talk", "private");
    show(&app, &me, game, form, StatusCode::OK).await
}

/// Makes the table, or shows the form again with what is wrong.
pub async fn post(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    app.limits.take(Limit::Changes, &me.me.user_id.to_string())?;
    let game = chosen(&app, posted.get("game"))?;
    let mut form = kept(&posted, game.as_ref());
    let new = read(&posted, game.as_ref(), &mut form);
    if form.is_good() {
        let (ctx, now, user_id) = (app.ctx.clone(), me.now, me.me.user_id);
        let made = app.block(move |db| tables::run(db, |conn| tables::create(conn, &ctx, now, user_id, &new))).await;
        match made {
            Ok(table_id) => {
                app.wakers.wake();
                let words = "The table is set. It starts as soon as it is full; invite somebody, or wait.";
                return Ok(go_with(&format!("/t/{}", IdText(table_id)), &Notice::good(words), me.secure()));
            }
            Err(Refused::Form(faults)) => {
                for fault in faults {
                    form.fault(&control(&fault.field, game.as_ref()), fault.message);
                }
            }
            Err(refused @ Refused::TooManyDrops(_)) => form.fault("", refused.to_string()),
            Err(refused) => return Err(refused.into()),
        }
    }
    show(&app, &me, game, form, StatusCode::UNPROCESSABLE_ENTITY).await
}

/// The game with this id; without one the first of all.
pub fn chosen(app: &App, id: Option<&str>) -> Result<Arc<dyn Game>, PageError> {
    let game = match id {
        Some(id) => app.ctx.games.current(id),
        None => app.ctx.games.all().first().map(Arc::clone),
    };
    game.ok_or(PageError::NotFound)
}

fn kept(posted: &Posted, game: &dyn Game) -> Form {
    let mut names: Vec<String> = PLAIN.map(str::to_owned).to_vec();
    names.extend(game.table_fields().iter().map(|field| format!("option.{}", field.key)));
    names.extend(game.seat_fields().iter().map(|field| format!("seat.{}", field.key)));
    Form::kept(posted, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The form control that a fault of this field belongs to.
pub fn control(field: &str, game: &dyn Game) -> String {
    if game.table_fields().iter().any(|known| known.key == field) {
        format!("option.{field}")
    } else if game.seat_fields().iter().any(|known| known.key == field) {
        format!("seat.{field}")
    } else if field == "time_limit" {
        "limit".to_owned()
    } else {
        field.to_owned()
    }
}

fn read(posted: &Posted, game: &dyn Game, form: &mut Form) -> NewTable {
    let passes = posted.line("passes_allowed");
    let drops = posted.line("max_drops");
    let seats = posted.line("seats");
    let score = posted.line("min_score");
    NewTable {
        game: game.meta().id.to_owned(),
        title: posted.line("title"),
        options: fields::answers("option.", &game.table_fields(), posted),
        seats: number(form, "seats", &seats),
        setup: fields::answers("seat.", &game.seat_fields(), posted),
        time_limit_s: limit(posted, form),
        ranked: posted.line("ranked") == "yes",
        invite_only: posted.line("who") == "invited",
        passes_allowed: number(form, "passes_allowed", &passes).unwrap_or(0),
        max_drops: number(form, "max_drops", &drops),
        min_score: number(form, "min_score", &score),
        private_talk: posted.line("talk") != "open",
        practice: false,
    }
}

fn number<T: std::str::FromStr>(form: &mut Form, name: &str, text: &str) -> Option<T> {
    if text.is_empty() {
        return None;
    }
    let number = text.parse().ok();
    if number.is_none() {
        form.fault(name, "This must be a whole number.");
    }
    number
}

/// The time limit in seconds: one of those offered, or a number of minutes, hours or days.
fn limit(posted: &Posted, form: &mut Form) -> i64 {
    let chosen = posted.line("limit");
    if chosen != "other" {
        return number(form, "limit", &chosen).unwrap_or_default();
    }
    let count: i64 = match posted.line("limit_count").parse() {
        Ok(count) if (1..=100_000).contains(&count) => count,
        _ => {
            form.fault("limit", "Write the time limit as a whole number, and choose minutes, hours or days beside it.");
            return 0;
        }
    };
    match posted.line("limit_unit").as_str() {
        "60" => count * 60,
        "86400" => count * 86_400,
        _ => count * 3600,
    }
}

async fn show(
    app: &Data<App>,
    me: &SignedIn,
    game: Arc<dyn Game>,
    form: Form,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let (ctx, user_id, id) = (app.ctx.clone(), me.me.user_id, game.meta().id);
    let load = move |conn: &mut Conn| -> Result<(Vec<LoadoutRow>, JoinStanding), Refused> {
        Ok((tables::my_loadouts(conn, user_id, id)?, tables::join_rule(conn, &ctx, user_id)?))
    };
    let (saved, standing) = app.block(move |db| db.read(load)).await?;
    let game = game.as_ref();
    let seats = game.meta().seats.clone();
    let new = NewPage {
        page: me.page("New table"),
        game: GameShown::of(game),
        others: app
            .ctx
            .games
            .all()
            .iter()
            .filter(|it| it.meta().id != id)
            .map(|it| GameShown::of(it.as_ref()))
            .collect(),
        options: fields::shown("option.", &game.table_fields(), game, &saved, &form),
        seat: fields::shown("seat.", &game.seat_fields(), game, &saved, &form),
        seat_counts: if seats.start() < seats.end() { seats.collect() } else { Vec::new() },
        limits: LIMIT_HOURS.iter().map(|hours| (hours * 3600, format!("{hours} hours"))).collect(),
        window: app.ctx.join.window,
        quick: Quick::of(game),
        refusal: (!standing.may_join).then_some(standing.sentence),
        form,
    };
    if status == StatusCode::OK { render(&new) } else { render_as(status, &new) }
}
