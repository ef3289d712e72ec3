//! Practice against bots: a table that begins at once.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Query};
use askama::Template;

use super::table_new::{self, Asked, control};
use crate::rules::Game;
use crate::tables::{self, BotShown, LONGEST_LIMIT_S, NewPractice, Refused};
use crate::web::base::fields::{self, FieldShown};
use crate::web::base::page::{Notice, Page, go_with, render, render_as};
use crate::web::base::times;
use crate::web::{App, Form, PageError, Posted, SignedIn};

/// Against how many bots one plays unless one says otherwise, where the game is for so many.
const USUAL: usize = 2;
/// Names of the form's controls apart from those of the game's own fields.
const PLAIN: [&str; 2] = ["bot", "bots"];

#[derive(Template)]
#[template(path = "pages/practice.html")]
struct PracticePage {
    page: Page,
    form: Form,
    quick: Quick,
    options: Vec<FieldShown>,
    seat: Vec<FieldShown>,
}

/// What a form for practice asks apart from the game's own fields.
pub struct Quick {
    /// Id of the game.
    pub game: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its bots, the weakest first.
    pub bots: Vec<BotShown>,
    /// How many one may play against.
    pub counts: Vec<usize>,
    /// How many are chosen at first.
    pub usual: usize,
}

impl Quick {
    /// The form of a game; `None`: it has no bots.
    pub fn of(game: &dyn Game) -> Option<Quick> {
        let bots = tables::bots_of(game);
        let seats = game.meta().seats.clone();
        let counts: Vec<usize> = seats.map(|seats| seats.saturating_sub(1)).filter(|bots| *bots > 0).collect();
        let usual = counts.iter().copied().filter(|count| *count <= USUAL).max().or(counts.first().copied())?;
        (!bots.is_empty()).then(|| Quick { game: game.meta().id, name: game.meta().name, bots, counts, usual })
    }
}

/// The form.
pub async fn get(app: Data<App>, me: SignedIn, asked: Query<Asked>) -> Result<HttpResponse, PageError> {
    let game = table_new::chosen(&app, asked.get("game").map(String::as_str))?;
    let form = table_new::fill(Form::new(), &asked, &table_new::controls(&PLAIN, game.as_ref()));
    show(&app, &me, game, form, StatusCode::OK).await
}

/// Makes the table and begins, or shows the form again with what is wrong.
pub async fn post(app: Data<App>, me: SignedIn, posted: Posted) -> Result<HttpResponse, PageError> {
    let game = table_new::chosen(&app, posted.get("game"))?;
    let mut form = table_new::kept(&posted, &table_new::controls(&PLAIN, game.as_ref()));
    let count = posted.line("bots");
    let others = game.meta().seats.start().saturating_sub(1)..=game.meta().seats.end().saturating_sub(1);
    let bots = table_new::number(&mut form, "bots", &count, &others);
    if !form.is_good() {
        return show(&app, &me, game, form, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let new = NewPractice {
        game: game.meta().id.to_owned(),
        options: fields::answers("option.", &game.table_fields(), &posted),
        setup: fields::answers("seat.", &game.seat_fields(), &posted),
        bot: posted.line("bot"),
        bots,
        once: posted.once(),
    };
    let user_id = me.me.user_id;
    let made = app.act(&me, move |conn, ctx, now| tables::practise(conn, ctx, now, user_id, &new)).await;
    match made {
        Ok(table_id) => {
            app.wakers.wake();
            let time = times::limit(LONGEST_LIMIT_S);
            let words = format!("The game has begun. The bots answer at once; you have {time} for each of your moves.");
            Ok(go_with(&format!("/t/{}", table_id), &Notice::good(words), me.secure()))
        }
        Err(Refused::Form(faults)) => {
            for fault in faults {
                form.fault(&control(&fault.field, game.as_ref()), fault.message);
            }
            show(&app, &me, game, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(refused) => Err(refused.into()),
    }
}

async fn show(
    app: &Data<App>,
    me: &SignedIn,
    game: Arc<dyn Game>,
    form: Form,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let quick = Quick::of(game.as_ref()).ok_or(PageError::NotFound)?;
    let (user_id, id) = (me.me.user_id, quick.game);
    let saved = app.block(move |db| db.read(|conn| tables::my_loadouts(conn, user_id, id))).await?;
    let game = game.as_ref();
    let page = PracticePage {
        page: me.page("Practice"),
        options: fields::shown("option.", &game.table_fields(), game, &saved, &form),
        seat: fields::shown("seat.", &game.seat_fields(), game, &saved, &form),
        quick,
        form,
    };
    if status == StatusCode::OK { render(&page) } else { render_as(status, &page) }
}
