//! The leaderboards: of all games, and of each.

use crate::store::UserId;
use actix_web::HttpResponse;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use serde::Deserialize;

use crate::tables::{self, LINES_A_PAGE, LeaderboardRow, Outcome, OwnPlace};
use crate::web::base::page::{Page, go, render};
use crate::web::base::pager::{self, Pager};
use crate::web::lobby::home::outcome_words;
use crate::web::{App, PageError, Visitor};

#[derive(Template)]
#[template(path = "pages/leaderboard.html")]
struct Leaderboard {
    page: Page,
    rows: Vec<Row>,
    /// The visitor's own line, when it is on another page.
    own: Option<Row>,
    /// What the visitor lacks to be listed, as a sentence.
    missing: Option<String>,
    least_games: u32,
    /// Games with a leaderboard: id and name.
    games: Vec<(&'static str, &'static str)>,
    /// Id of the one shown; empty: all games.
    game: String,
    pager: Pager,
}

struct Row {
    line: LeaderboardRow,
    mine: bool,
    form: Vec<Mark>,
    /// The form in words.
    form_words: String,
}

/// A result as a letter.
struct Mark {
    letter: char,
    class: &'static str,
}

impl Row {
    fn of(line: LeaderboardRow, viewer: Option<UserId>) -> Row {
        let words: Vec<String> = line.form.iter().map(|outcome| outcome_words(*outcome).to_lowercase()).collect();
        Row {
            mine: viewer == Some(line.user_id),
            form: line.form.iter().map(|outcome| mark(*outcome)).collect(),
            form_words: format!("Latest games, newest last: {}", words.join(", ")),
            line,
        }
    }
}

fn mark(outcome: Outcome) -> Mark {
    let letter = match outcome {
        Outcome::Won => 'W',
        Outcome::Lost => 'L',
        Outcome::Drew => 'T',
        Outcome::Resigned => 'R',
        Outcome::Dropped => 'D',
    };
    Mark { letter, class: outcome.word() }
}

/// Which part of a leaderboard is asked for.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
pub struct Asked {
    page: String,
    /// As older links name the game.
    game: String,
}

/// `GET /leaderboard`: of all games.
pub async fn all(app: Data<App>, visitor: Visitor, query: Query<Asked>) -> Result<HttpResponse, PageError> {
    let asked = query.into_inner();
    if app.ctx.games.current(&asked.game).is_some() {
        return Ok(go(&address(&asked.game, 1)));
    }
    show(&app, &visitor, String::new(), &asked.page).await
}

/// `GET /leaderboard/{game}`: of one game.
pub async fn one(
    app: Data<App>,
    visitor: Visitor,
    path: Path<String>,
    query: Query<Asked>,
) -> Result<HttpResponse, PageError> {
    let game = path.into_inner();
    app.ctx.games.current(&game).ok_or(PageError::NotFound)?;
    show(&app, &visitor, game, &query.page).await
}

fn address(game: &str, page: i64) -> String {
    let path = if game.is_empty() { "/leaderboard".to_owned() } else { format!("/leaderboard/{game}") };
    if page > 1 { format!("{path}?page={page}") } else { path }
}

async fn show(app: &Data<App>, visitor: &Visitor, game: String, page: &str) -> Result<HttpResponse, PageError> {
    let number = pager::asked(page);
    let (viewer, least_games) = (visitor.user_id(), app.figures.least_games);
    let asked = (!game.is_empty()).then(|| game.clone());
    let board = app
        .block(move |db| {
            db.read(|conn| tables::leaderboard(conn, asked.as_deref(), i64::from(least_games), number, viewer))
        })
        .await?;
    if board.rows.is_empty() && number > 1 {
        return Ok(go(&address(&game, 1)));
    }
    let (own, missing) = match board.own {
        Some(OwnPlace::Listed(line)) if board.rows.iter().all(|row| row.user_id != line.user_id) => {
            (Some(Row::of(line, viewer)), None)
        }
        Some(OwnPlace::NotYet { games, missing }) => (None, Some(missing_words(games, missing))),
        _ => (None, None),
    };
    let games: Vec<(&str, &str)> = app.ctx.games.all().iter().map(|game| (game.meta().id, game.meta().name)).collect();
    let title = match games.iter().find(|(id, _)| *id == game) {
        Some((_, name)) => format!("Leaderboard: {name}"),
        None => "Leaderboard".to_owned(),
    };
    let mut frame = visitor.page(title).with_style("people.css");
    frame.path = "/leaderboard".to_owned();
    render(&Leaderboard {
        page: frame,
        rows: board.rows.into_iter().map(|line| Row::of(line, viewer)).collect(),
        own,
        missing,
        least_games,
        games,
        pager: Pager::new(number, board.listed, LINES_A_PAGE, |page| address(&game, page)),
        game,
    })
}

fn missing_words(games: i64, missing: i64) -> String {
    let played = match games {
        0 => "You have finished no ranked game here yet".to_owned(),
        1 => "You have finished 1 ranked game".to_owned(),
        games => format!("You have finished {games} ranked games"),
    };
    let more = if missing == 1 { "one more".to_owned() } else { format!("{missing} more") };
    format!("{played}; finish {more} to be listed.")
}
