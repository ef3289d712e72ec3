//! Players: one player's page, and the leaderboard.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use serde::Deserialize;

use super::home::outcome_words;
use super::page::{Page, render};
use super::times::Zoned;
use super::{App, PageError, Visitor};
use crate::store::IdText;
use crate::tables::{self, LeaderboardRow, Profile, ProfileTable};

#[derive(Template)]
#[template(path = "pages/player.html")]
struct PlayerPage {
    page: Page,
    player: Profile,
    since: Zoned,
    mine: bool,
    running: Vec<Row>,
    past: Vec<Row>,
    pending: Vec<PendingRow>,
    pending_sum: Option<String>,
    unranked_count: i64,
}

struct Row {
    table: ProfileTable,
    id: IdText,
    against: String,
    at: Zoned,
    mark: &'static str,
    words: &'static str,
    change: String,
}

struct PendingRow {
    id: IdText,
    title: String,
    words: &'static str,
    change: String,
}

/// A change of score with its sign.
pub fn signed(change: i32) -> String {
    match change {
        0 => "0".to_owned(),
        1.. => format!("+{change}"),
        _ => format!("−{}", change.unsigned_abs()),
    }
}

/// A player's page.
pub async fn get(app: Data<App>, visitor: Visitor, path: Path<String>) -> Result<HttpResponse, PageError> {
    let (ctx, viewer, name) = (app.ctx.clone(), visitor.user_id(), path.into_inner());
    let player = app.block(move |db| tables::profile(&mut *db.connection()?, &ctx, &name, viewer)).await?;
    let page = visitor.page(player.name.as_str());
    let pending = player.pending.iter().map(|pending| PendingRow {
        id: IdText(pending.table_id),
        title: pending.title.clone(),
        words: outcome_words(pending.outcome),
        change: signed(pending.score_change),
    });
    let unranked = player.unranked;
    let sum: i32 = player.pending.iter().map(|pending| pending.score_change).sum();
    render(&PlayerPage {
        since: page.time(&player.since),
        mine: visitor.user_id() == Some(player.user_id),
        pending: pending.collect(),
        pending_sum: Some(sum).filter(|sum| *sum != 0).map(signed),
        running: player.running.iter().map(|table| row(&page, table)).collect(),
        past: player.past.iter().map(|table| row(&page, table)).collect(),
        unranked_count: unranked.wins + unranked.losses + unranked.drops + unranked.draws,
        page,
        player,
    })
}

fn row(page: &Page, table: &ProfileTable) -> Row {
    let against = if table.opponents.is_empty() { "nobody".to_owned() } else { table.opponents.join(", ") };
    Row {
        id: IdText(table.table_id),
        against,
        at: page.time(&table.at),
        mark: table.outcome.map_or("waiting", |outcome| outcome.key()),
        words: table.outcome.map_or("Playing", outcome_words),
        change: if table.ranked { signed(table.score_change) } else { "not ranked".to_owned() },
        table: table.clone(),
    }
}

#[derive(Template)]
#[template(path = "pages/leaderboard.html")]
struct Leaderboard {
    page: Page,
    /// Each line, and whether it is the visitor's own.
    rows: Vec<(LeaderboardRow, bool)>,
    games: Vec<(&'static str, &'static str)>,
    game: String,
}

/// Of which game the leaderboard is asked for.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    game: String,
}

/// The leaderboard, of all games or of one.
pub async fn leaderboard(app: Data<App>, visitor: Visitor, query: Query<Asked>) -> Result<HttpResponse, PageError> {
    let game = query.into_inner().game;
    let games: Vec<_> = app.ctx.games.all().iter().map(|game| (game.meta().id, game.meta().name)).collect();
    if !game.is_empty() && !games.iter().any(|(id, _)| *id == game) {
        return Err(PageError::NotFound);
    }
    let asked = (!game.is_empty()).then(|| game.clone());
    let rows = app.block(move |db| tables::leaderboard(&mut *db.connection()?, asked.as_deref())).await?;
    let me = visitor.user_id();
    let rows = rows.into_iter().map(|row| (row.clone(), me == Some(row.user_id))).collect();
    render(&Leaderboard { page: visitor.page("Leaderboard"), rows, games, game })
}
