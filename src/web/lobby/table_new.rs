//! Making a table: the form, and what comes of it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Query};
use askama::Template;

use super::practice::Quick;
use crate::rules::{Field, FieldKind, Game};
use crate::store::Conn;
use crate::store::loadouts::LoadoutRow;
use crate::tables::{
    self, DROPS, JoinStanding, LONGEST_LIMIT_S, NewTable, PASSES, Refused, SCORES, SHORTEST_LIMIT_S, TablePage,
};
use crate::web::base::fields::{self, FieldShown};
use crate::web::base::page::{Notice, Page, go_with, render, render_as};
use crate::web::base::paths::query;
use crate::web::{App, Form, PageError, Posted, SignedIn};

/// Time limits offered first, in hours.
const LIMIT_HOURS: [i64; 4] = [24, 48, 72, 120];

/// Names of the form's controls apart from those of the game's own fields.
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

/// Which game the form is for, and what is filled in beforehand: the names of its controls.
pub type Asked = BTreeMap<String, String>;

/// The form.
pub async fn get(app: Data<App>, me: SignedIn, asked: Query<Asked>) -> Result<HttpResponse, PageError> {
    let game = chosen(&app, asked.get("game").map(String::as_str))?;
    let form = Form::new()
        .with("limit", (LIMIT_HOURS[1] * 3600).to_string())
        .with("limit_unit", "3600")
        .with("ranked", "yes")
        .with("passes_allowed", "0")
        .with("who", "open")
        .with("talk", "private");
    let form = fill(form, &asked, &controls(&PLAIN, game.as_ref()));
    show(&app, &me, game, form, StatusCode::OK).await
}

/// Makes the table, or shows the form again with what is wrong.
pub async fn post(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    let game = chosen(&app, posted.get("game"))?;
    let mut form = kept(&posted, &controls(&PLAIN, game.as_ref()));
    let new = read(&posted, game.as_ref(), &mut form);
    if form.is_good() {
        let user_id = me.me.user_id;
        let made = app.act(&me, move |conn, ctx, now| tables::create(conn, ctx, now, user_id, &new)).await;
        match made {
            Ok(table_id) => {
                app.wakers.wake();
                let words =
                    "Your table is ready. The game starts as soon as all seats are taken; invite somebody, or wait.";
                return Ok(go_with(&format!("/t/{}", table_id), &Notice::good(words), me.secure()));
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

/// Names of a form's controls: these, and those of the game's own fields.
pub fn controls(plain: &[&str], game: &dyn Game) -> Vec<String> {
    let plain = plain.iter().map(|name| (*name).to_owned());
    let options = game.table_fields().into_iter().map(|field| format!("option.{}", field.key));
    let seat = game.seat_fields().into_iter().map(|field| format!("seat.{}", field.key));
    plain.chain(options).chain(seat).collect()
}

/// The form with what the address fills in beforehand.
pub fn fill(form: Form, asked: &Asked, names: &[String]) -> Form {
    names.iter().filter_map(|name| asked.get_key_value(name)).fold(form, |form, (name, value)| form.with(name, value))
}

/// The form with these controls as they were sent.
pub fn kept(posted: &Posted, names: &[String]) -> Form {
    Form::kept(posted, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Address and label of the form that makes a game like this one: for practice where it was practice.
pub fn again(shown: &TablePage) -> (String, &'static str) {
    let table = &shown.table;
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut fields = vec![own("game", &table.game)];
    fields.extend(table.answers.iter().map(|(key, value)| (format!("option.{key}"), value.clone())));
    fields.extend(my_answers(shown));
    let (path, label) = if table.practice {
        let bots: Vec<&str> = shown.seats.iter().filter_map(|seat| seat.bot_id.as_deref()).collect();
        fields.push(own("bots", &bots.len().to_string()));
        fields.extend(bots.first().map(|bot| own("bot", bot)));
        ("/tables/practice", "Play again")
    } else {
        fields.push(own("seats", &table.seat_count.to_string()));
        fields.extend(limit_fields(table.time_limit_s));
        fields.push(own("ranked", if table.ranked { "yes" } else { "no" }));
        fields.push(own("who", if table.invite_only { "invited" } else { "open" }));
        fields.push(own("talk", if table.private_talk { "private" } else { "open" }));
        fields.push(own("passes_allowed", &table.passes_allowed.to_string()));
        fields.extend(table.max_drops.map(|most| own("max_drops", &most.to_string())));
        fields.extend(table.min_score.map(|least| own("min_score", &least.to_string())));
        ("/tables/new", "Another game like this")
    };
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    (format!("{path}?{}", query(&fields)), label)
}

/// What the viewer chose when sitting down, as a form sends it. A loadout is known again by its text.
fn my_answers(shown: &TablePage) -> Vec<(String, String)> {
    let Some(setup) = &shown.my_setup else { return Vec::new() };
    let value = |field: &Field| {
        let given = setup.get(field.key)?;
        match field.kind {
            FieldKind::Choice(_) => Some(given.clone()),
            FieldKind::Loadout => {
                let same = |text: &str| shown.game.check_loadout(text).is_ok_and(|text| text == *given);
                shown.game.stock_loadouts().into_iter().find(|stock| same(&stock.text)).map(|stock| stock.id)
            }
        }
    };
    let fields = shown.game.seat_fields();
    fields.iter().filter_map(|field| Some((format!("seat.{}", field.key), value(field)?))).collect()
}

/// A time limit as the form sends it: one of those offered, or a number of the largest unit that goes.
fn limit_fields(seconds: i64) -> Vec<(String, String)> {
    if LIMIT_HOURS.iter().any(|hours| hours * 3600 == seconds) {
        return vec![("limit".to_owned(), seconds.to_string())];
    }
    let unit = [86_400, 3600].into_iter().find(|unit| seconds % unit == 0).unwrap_or(60);
    [("limit", "other".to_owned()), ("limit_count", (seconds / unit).to_string()), ("limit_unit", unit.to_string())]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
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
        seats: number(form, "seats", &seats, &game.meta().seats),
        setup: fields::answers("seat.", &game.seat_fields(), posted),
        time_limit_s: limit(posted, form),
        ranked: posted.line("ranked") == "yes",
        invite_only: posted.line("who") == "invited",
        passes_allowed: number(form, "passes_allowed", &passes, &PASSES).unwrap_or(0),
        max_drops: number(form, "max_drops", &drops, &DROPS),
        min_score: number(form, "min_score", &score, &SCORES),
        private_talk: posted.line("talk") != "open",
        practice: false,
        once: posted.once(),
    }
}

/// The number in a field; `range` is told to anyone who wrote something else, or one too large to be read.
pub fn number<T: FromStr + Display>(form: &mut Form, name: &str, text: &str, range: &RangeInclusive<T>) -> Option<T> {
    if text.is_empty() {
        return None;
    }
    let number = text.parse().ok();
    if number.is_none() {
        form.fault(name, format!("This must be a whole number from {} to {}.", range.start(), range.end()));
    }
    number
}

/// The time limit in seconds: one of those offered, or a number of minutes, hours or days.
fn limit(posted: &Posted, form: &mut Form) -> i64 {
    let chosen = posted.line("limit");
    if chosen != "other" {
        return number(form, "limit", &chosen, &(SHORTEST_LIMIT_S..=LONGEST_LIMIT_S)).unwrap_or_default();
    }
    let count: i64 = match posted.line("limit_count").parse() {
        Ok(count) if (1..=100_000).contains(&count) => count,
        _ => {
            form.fault(
                "limit",
                "Write the time limit as a whole number, and choose minutes, hours or days next to it.",
            );
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
    let (ctx, now, user_id, id) = (app.ctx.clone(), me.now, me.me.user_id, game.meta().id);
    let load = move |conn: &mut Conn| -> Result<(Vec<LoadoutRow>, JoinStanding), Refused> {
        Ok((tables::my_loadouts(conn, user_id, id)?, tables::join_rule(conn, &ctx, now, user_id)?))
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
