//! Loadouts of one's own: listed, built by numbers or as text, checked at every step, kept and deleted.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use serde::Deserialize;

use super::pieces::{WithLoadouts, by_heading, with_loadouts};
use crate::rules::{Fault, Game, StockLoadout};
use crate::store::IdText;
use crate::tables::{self, Refused};
use crate::web::base::page::{Notice, Page, go_with, render, render_as};
use crate::web::base::times::Zoned;
use crate::web::boards::{Board, LoadoutTerms, Sort};
use crate::web::{App, PageError, Posted, SignedIn};

#[derive(Template)]
#[template(path = "pages/loadouts.html")]
struct LoadoutsPage {
    page: Page,
    game: String,
    name: &'static str,
    what: &'static str,
    mine: Vec<(String, String, Zoned)>,
    stock: Vec<StockLoadout>,
}

/// `GET /loadouts/{game}`: those of the player, and the stock ones to begin from.
pub async fn list(app: Data<App>, me: SignedIn, id: Path<String>) -> Result<HttpResponse, PageError> {
    let id = id.into_inner();
    let WithLoadouts { game, terms, .. } = with_loadouts(&app, &id)?;
    let (user_id, wanted) = (me.me.user_id, id.clone());
    let rows = app.block(move |db| db.read(|conn| tables::my_loadouts(conn, user_id, &wanted))).await;
    let rows = rows.map_err(lost)?;
    let page = me.page(format!("Your {}s", terms.name)).with_style("board.css");
    let mine = rows.into_iter().map(|row| (row.id.to_string(), row.name, page.time(&row.updated_at))).collect();
    let (name, what, stock) = (game.meta().name, terms.name, game.stock_loadouts());
    render(&LoadoutsPage { page, game: id, name, what, mine, stock })
}

/// What a new loadout begins from: a stock one or one of the player's own.
#[derive(Deserialize)]
pub struct From {
    from: Option<String>,
}

/// `GET /loadouts/{game}/new`: the builder, empty or with a copy.
pub async fn new(app: Data<App>, me: SignedIn, id: Path<String>, from: Query<From>) -> Result<HttpResponse, PageError> {
    let id = id.into_inner();
    let WithLoadouts { game, board, terms } = with_loadouts(&app, &id)?;
    let from = from.into_inner().from.unwrap_or_default();
    let stock = game.stock_loadouts().into_iter().find(|stock| stock.id == from);
    let (name, text) = match (stock, from.parse::<IdText>()) {
        (Some(stock), _) => (format!("My {}", stock.name), stock.text),
        (None, Ok(IdText(own))) => {
            let row = find(&app, &me, own).await?;
            (format!("{} (copy)", row.0), row.1)
        }
        (None, Err(_)) => (String::new(), String::new()),
    };
    let faults = if text.is_empty() { Vec::new() } else { check(&*game, &text) };
    let built = Built { id: None, name, text, faults, ..Built::default() };
    builder(StatusCode::OK, &me, &*game, (board, terms), built)
}

/// `GET /loadouts/{game}/{id}`: the builder with one of the player's own.
pub async fn edit(app: Data<App>, me: SignedIn, path: Path<(String, IdText)>) -> Result<HttpResponse, PageError> {
    let (id, IdText(own)) = path.into_inner();
    let WithLoadouts { game, board, terms } = with_loadouts(&app, &id)?;
    let (name, text) = find(&app, &me, own).await?;
    let faults = check(&*game, &text);
    builder(
        StatusCode::OK,
        &me,
        &*game,
        (board, terms),
        Built { id: Some(own), name, text, faults, ..Built::default() },
    )
}

/// Name and text of one of the player's own loadouts.
async fn find(app: &Data<App>, me: &SignedIn, own: i64) -> Result<(String, String), PageError> {
    let user_id = me.me.user_id;
    let row = app.block(move |db| db.read(|conn| tables::loadout(conn, user_id, own))).await.map_err(lost)?;
    row.map(|row| (row.name, row.body)).ok_or(PageError::NotFound)
}

fn lost(error: Refused) -> PageError {
    match error {
        Refused::Database(error) => PageError::from(error),
        other => PageError::Malformed(other.to_string()),
    }
}

fn check(game: &dyn Game, text: &str) -> Vec<Fault> {
    game.check_loadout(text).err().unwrap_or_default()
}

/// A loadout while it is being built.
#[derive(Default)]
struct Built {
    id: Option<i64>,
    name: String,
    text: String,
    faults: Vec<Fault>,
    name_fault: Option<String>,
    /// It was checked and nothing is wrong.
    good: bool,
}

/// `POST /loadouts/{game}/new`.
pub async fn create(app: Data<App>, me: SignedIn, id: Path<String>, posted: Posted) -> Result<HttpResponse, PageError> {
    change(app, me, id.into_inner(), None, posted).await
}

/// `POST /loadouts/{game}/{id}`.
pub async fn update(
    app: Data<App>,
    me: SignedIn,
    path: Path<(String, IdText)>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let (id, IdText(own)) = path.into_inner();
    change(app, me, id, Some(own), posted).await
}

async fn change(
    app: Data<App>,
    me: SignedIn,
    id: String,
    own: Option<i64>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let WithLoadouts { game, board, terms } = with_loadouts(&app, &id)?;
    let user_id = me.me.user_id;
    let list = format!("/loadouts/{id}");
    let pressed = posted.line("do");
    if let ("delete", Some(own)) = (pressed.as_str(), own) {
        let done = app.act(&me, move |conn, _, _| tables::delete_loadout(conn, user_id, own)).await;
        return match done.map_err(lost)? {
            true => Ok(go_with(&list, &Notice::plain("Deleted."), me.secure())),
            false => Err(PageError::NotFound),
        };
    }
    let by_text = matches!(pressed.as_str(), "read" | "save-text");
    let text = if by_text { posted.text("text") } else { text_of(&posted) };
    let mut built = Built { id: own, name: posted.line("name"), ..Built::default() };
    if !pressed.starts_with("save") {
        built.faults = check(&*game, &text);
        built.good = built.faults.is_empty();
        built.text = text;
        return builder(StatusCode::OK, &me, &*game, (board, terms), built);
    }
    let (name, body) = (built.name.clone(), text.clone());
    let target = own.filter(|_| !posted.has("as_new"));
    let saved = app
        .act(&me, move |conn, ctx, now| tables::save_loadout(conn, ctx, now, user_id, &id, target, &name, &body))
        .await;
    match saved {
        Ok(_) => Ok(go_with(&list, &Notice::good(format!("“{}” is saved.", built.name)), me.secure())),
        Err(refusal) => {
            match refusal {
                Refused::Faulty(faults) => built.faults = faults,
                Refused::Form(faults) => {
                    built.name_fault = faults.into_iter().next().map(|fault| fault.message);
                    built.faults = check(&*game, &text);
                }
                other => return Err(lost(other)),
            }
            built.text = text;
            builder(StatusCode::UNPROCESSABLE_ENTITY, &me, &*game, (board, terms), built)
        }
    }
}

/// The numbers of the form as a text, one type a line.
fn text_of(posted: &Posted) -> String {
    let mut text = String::new();
    let leader = posted.line("leader");
    if !leader.is_empty() {
        text.push_str(&format!("1 {leader}\n"));
    }
    for (id, count) in posted.under("n.") {
        // Whatever is no number stays as it is, for the check to complain about.
        let count = count.trim();
        if !count.is_empty() && count.parse() != Ok(0u32) {
            text.push_str(&format!("{count} {id}\n"));
        }
    }
    text
}

/// How many of each type a text has; lines that can't be read count for nothing here, the check names them.
fn counts(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let entry = line.split('#').next().unwrap_or_default().trim();
        let (first, rest) = entry.split_once(char::is_whitespace).unwrap_or(("1", entry));
        let (count, id) = match first.trim_end_matches(['x', 'X', '×']).parse::<u32>() {
            Ok(count) => (count, rest.trim()),
            Err(_) => (1, entry),
        };
        if !id.is_empty() {
            let total: &mut u32 = counts.entry(id.to_lowercase()).or_default();
            *total = total.saturating_add(count);
        }
    }
    counts
}

#[derive(Template)]
#[template(path = "pages/loadout.html")]
struct LoadoutPage {
    page: Page,
    game: String,
    game_name: &'static str,
    what: &'static str,
    action: String,
    saved: bool,
    name: String,
    name_fault: Option<String>,
    good: bool,
    faults: Vec<String>,
    text: String,
    size: u32,
    total: u32,
    families: Vec<String>,
    leaders: Vec<(Sort, bool)>,
    headings: Vec<(&'static str, u32, Rows)>,
}

/// Types with how many of each are in it.
type Rows = Vec<(Sort, u32)>;

fn builder(
    status: StatusCode,
    me: &SignedIn,
    game: &dyn Game,
    (board, terms): (&'static dyn Board, LoadoutTerms),
    built: Built,
) -> Result<HttpResponse, PageError> {
    let counts = counts(&built.text);
    let count = |sort: &Sort| {
        let named = counts.get(&sort.id).copied().unwrap_or(0);
        named.saturating_add(
            counts.get(&sort.name.to_lowercase()).copied().filter(|_| sort.name.to_lowercase() != sort.id).unwrap_or(0),
        )
    };
    let (leaders, others): (Vec<Sort>, Vec<Sort>) = board.sorts(game.data()).into_iter().partition(|sort| sort.leader);
    let mut families: Vec<String> = others.iter().map(|sort| sort.family.clone()).collect();
    families.sort();
    families.dedup();
    let headings: Vec<_> = by_heading(others.into_iter())
        .into_iter()
        .map(|(heading, sorts)| {
            let rows: Rows = sorts.into_iter().map(|sort| (sort.clone(), count(&sort))).collect();
            let sum = rows.iter().fold(0u32, |sum, (_, count)| sum.saturating_add(*count));
            (heading, sum, rows)
        })
        .collect();
    let what = terms.name;
    let title = match built.id {
        Some(_) if !built.name.is_empty() => built.name.clone(),
        Some(_) => format!("Your {what}"),
        None => format!("New {what}"),
    };
    let action = match built.id {
        Some(own) => format!("/loadouts/{}/{}", game.meta().id, IdText(own)),
        None => format!("/loadouts/{}/new", game.meta().id),
    };
    let page = LoadoutPage {
        page: me.page(title).with_style("board.css").with_script("loadout.js"),
        game: game.meta().id.to_owned(),
        game_name: game.meta().name,
        what,
        action,
        saved: built.id.is_some(),
        name: built.name,
        name_fault: built.name_fault,
        good: built.good,
        faults: built.faults.iter().map(Fault::to_string).collect(),
        text: built.text,
        size: terms.size,
        total: headings.iter().fold(0u32, |sum, (_, count, _)| sum.saturating_add(*count)),
        families,
        leaders: leaders.into_iter().map(|sort| (sort.clone(), count(&sort) > 0)).collect(),
        headings,
    };
    render_as(status, &page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_lines_and_back() {
        let fields = [("leader", "the-q"), ("n.scout", "3"), ("n.medic", "0"), ("n.uhlan", " 2 "), ("n.x", "")];
        let posted = Posted::new(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect());
        let text = text_of(&posted);
        assert_eq!(text, "1 the-q\n3 scout\n2 uhlan\n");
        let counts = counts(&format!("{text}# a note\nScout\n2x medic # two\n"));
        let expected = [("medic", 2), ("scout", 4), ("the-q", 1), ("uhlan", 2)];
        assert_eq!(counts, expected.into_iter().map(|(id, count)| (id.to_owned(), count)).collect());
    }
}
