//! A game outside of any table: its rules in brief and the catalogue of its pieces.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use serde::Deserialize;

use crate::rules::Game;
use crate::web::base::page::{Page, render};
use crate::web::boards::{self, Board, LoadoutTerms, Sort};
use crate::web::{App, PageError, Visitor};

/// A game this server plays, with its board.
pub fn game(app: &App, id: &str) -> Result<(Arc<dyn Game>, &'static dyn Board), PageError> {
    let game = app.ctx.games.current(id).ok_or(PageError::NotFound)?;
    Ok((game, boards::of(id).ok_or(PageError::NotFound)?))
}

/// A game to which players bring loadouts.
pub struct WithLoadouts {
    /// The game.
    pub game: Arc<dyn Game>,
    /// Its board.
    pub board: &'static dyn Board,
    /// What players bring.
    pub terms: LoadoutTerms,
}

/// A game to which players bring loadouts; any other has no pages about them.
pub fn with_loadouts(app: &App, id: &str) -> Result<WithLoadouts, PageError> {
    let (game, board) = game(app, id)?;
    let terms = board.loadout(game.data()).ok_or(PageError::NotFound)?;
    Ok(WithLoadouts { game, board, terms })
}

#[derive(Template)]
#[template(path = "pages/game.html")]
struct GamePage {
    page: Page,
    id: String,
    name: &'static str,
    rules: &'static str,
    gallery: String,
    /// What players bring, and the stock ones with a sentence about each.
    loadouts: Option<(&'static str, Vec<(String, String)>)>,
    pieces: bool,
    /// Whether there are bots to practise against.
    bots: bool,
}

/// `GET /games/{game}`: the rules in brief.
pub async fn rules(app: Data<App>, visitor: Visitor, id: Path<String>) -> Result<HttpResponse, PageError> {
    let id = id.into_inner();
    let (game, board) = game(&app, &id)?;
    let stock = || game.stock_loadouts().into_iter().map(|stock| (stock.name, stock.summary)).collect();
    let name = game.meta().name;
    let mut page = visitor.page(name).with_style("board.css");
    for style in board.styles() {
        page = page.with_style(style);
    }
    render(&GamePage {
        page,
        id,
        name,
        rules: board.rules(),
        gallery: board.gallery(game.data()).map_err(PageError::internal)?,
        loadouts: board.loadout(game.data()).map(|terms| (terms.name, stock())),
        pieces: !board.sorts(game.data()).is_empty(),
        bots: !game.bots().is_empty(),
    })
}

/// Which part of the catalogue is asked for.
#[derive(Deserialize)]
pub struct Part {
    family: Option<String>,
}

#[derive(Template)]
#[template(path = "pages/pieces.html")]
struct PiecesPage {
    page: Page,
    id: String,
    name: &'static str,
    families: Vec<(String, usize)>,
    family: String,
    headings: Vec<(&'static str, Vec<Sort>)>,
}

/// `GET /games/{game}/pieces`: the catalogue, one family at a time.
pub async fn catalogue(
    app: Data<App>,
    visitor: Visitor,
    id: Path<String>,
    part: Query<Part>,
) -> Result<HttpResponse, PageError> {
    let id = id.into_inner();
    let (game, board) = game(&app, &id)?;
    let sorts = board.sorts(game.data());
    if sorts.is_empty() {
        return Err(PageError::NotFound);
    }
    let mut families: Vec<(String, usize)> = Vec::new();
    for sort in &sorts {
        match families.iter_mut().find(|(family, _)| *family == sort.family) {
            Some((_, count)) => *count += 1,
            None => families.push((sort.family.clone(), 1)),
        }
    }
    families.sort();
    let asked = part.into_inner().family;
    let known = asked.and_then(|asked| families.iter().find(|(family, _)| family.eq_ignore_ascii_case(&asked)));
    let family = known.or(families.first()).map(|(family, _)| family.clone()).unwrap_or_default();
    let shown = sorts.into_iter().filter(|sort| sort.family == family);
    let name = game.meta().name;
    let page = visitor.page(format!("{name}: pieces")).with_style("board.css");
    render(&PiecesPage { page, id, name, families, headings: by_heading(shown), family })
}

/// The entries under their headings, in the order in which they come.
pub fn by_heading(sorts: impl Iterator<Item = Sort>) -> Vec<(&'static str, Vec<Sort>)> {
    let mut headings: Vec<(&'static str, Vec<Sort>)> = Vec::new();
    for sort in sorts {
        match headings.iter_mut().find(|(heading, _)| *heading == sort.heading) {
            Some((_, list)) => list.push(sort),
            None => headings.push((sort.heading, vec![sort])),
        }
    }
    headings
}
