//! The page of one player.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use serde::Deserialize;

use super::chart::{self, Chart};
use super::reputation;
use crate::store::TableId;
use crate::tables::fair::NotCounted;
use crate::tables::{self, GameRecord, Profile, ProfileTable};
use crate::web::base::page::{Page, go, render};
use crate::web::base::pager::{self, Pager};
use crate::web::base::times::Zoned;
use crate::web::lobby::home::outcome_words;
use crate::web::{App, PageError, Visitor};

/// Finished tables on one page.
const PAST_A_PAGE: i64 = 25;

#[derive(Template)]
#[template(path = "pages/player.html")]
struct PlayerPage {
    page: Page,
    player: Profile,
    since: Zoned,
    mine: bool,
    /// What others should know before they sit down: label and words.
    beforehand: Vec<(&'static str, String)>,
    chart: Option<Chart>,
    games: Vec<(GameRecord, String)>,
    running: Vec<Row>,
    /// Tables at which the player's part is over while others play on.
    out: Vec<Row>,
    past: Vec<Row>,
    past_total: i64,
    pager: Pager,
    pending: Vec<PendingRow>,
    pending_sum: Option<String>,
    unranked_count: i64,
}

struct Row {
    table: ProfileTable,
    id: TableId,
    against: String,
    at: Zoned,
    mark: &'static str,
    words: &'static str,
    change: String,
    /// The score after it.
    score: Option<i64>,
    /// Why it does not count, as a sentence; empty where it does.
    why: String,
}

struct PendingRow {
    /// Id and title of the table; `None`: a private one.
    table: Option<(TableId, String)>,
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

/// Which finished tables are asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    page: String,
}

/// A player's page.
pub async fn get(
    app: Data<App>,
    visitor: Visitor,
    path: Path<String>,
    query: Query<Asked>,
) -> Result<HttpResponse, PageError> {
    let (ctx, now, viewer) = (app.ctx.clone(), visitor.now, visitor.user_id());
    let (name, number) = (path.into_inner(), pager::asked(&query.page));
    let (player, past) = app
        .block(move |db| {
            db.read(|conn| {
                let player = tables::profile(conn, &ctx, now, &name, viewer)?;
                let past = tables::past_tables(conn, &ctx, player.user_id, viewer, number, PAST_A_PAGE)?;
                Ok::<_, tables::Refused>((player, past))
            })
        })
        .await?;
    let address = format!("/players/{}", crate::web::base::paths::path_part(&player.name));
    if past.rows.is_empty() && number > 1 {
        return Ok(go(&address));
    }
    let page = visitor.page(player.name.as_str()).with_style("people.css");
    let sum: i32 = player.pending.iter().map(|pending| pending.score_change).sum();
    let scores: BTreeMap<TableId, i64> = player.steps.iter().map(|step| (step.table_id, step.score)).collect();
    let running = player.running.iter().filter(|table| table.outcome.is_none());
    let out = player.running.iter().filter(|table| table.outcome.is_some());
    render(&PlayerPage {
        since: page.time(&player.since),
        mine: viewer == Some(player.user_id),
        beforehand: beforehand(&player, app.ctx.join.window),
        chart: chart::chart(&page, &player.steps),
        games: player.by_game.iter().map(|game| (game.clone(), change_of(game))).collect(),
        pending: player.pending.iter().map(pending_row).collect(),
        pending_sum: Some(sum).filter(|sum| *sum != 0).map(signed),
        running: running.map(|table| row(&page, table, &scores)).collect(),
        out: out.map(|table| row(&page, table, &scores)).collect(),
        past: past.rows.iter().map(|table| row(&page, table, &scores)).collect(),
        past_total: past.total,
        pager: Pager::new(number, past.total, PAST_A_PAGE, |page| format!("{address}?page={page}#past")),
        unranked_count: player.unranked.games(),
        page,
        player,
    })
}

fn beforehand(player: &Profile, window: u32) -> Vec<(&'static str, String)> {
    vec![
        ("Drops", reputation::drops_sentence(&player.reputation, window)),
        ("Pace", reputation::pace_sentence(&player.reputation)),
    ]
}

fn change_of(game: &GameRecord) -> String {
    signed(i32::try_from(game.change).unwrap_or(i32::MAX))
}

fn pending_row(pending: &tables::Pending) -> PendingRow {
    PendingRow {
        table: pending.table.as_ref().map(|(table_id, title)| (*table_id, title.clone())),
        words: outcome_words(pending.outcome),
        change: signed(pending.score_change),
    }
}

fn row(page: &Page, table: &ProfileTable, scores: &BTreeMap<TableId, i64>) -> Row {
    let against = if table.opponents.is_empty() { "nobody".to_owned() } else { table.opponents.join(", ") };
    Row {
        id: table.table_id,
        against,
        at: page.time(&table.at),
        mark: table.outcome.map_or("waiting", |outcome| outcome.word()),
        words: table.outcome.map_or("Playing", outcome_words),
        change: match (table.ranked, table.not_counted) {
            (true, None) => signed(table.score_change),
            (true, Some(_)) => "not counted".to_owned(),
            (false, _) => "not ranked".to_owned(),
        },
        score: scores.get(&table.table_id).copied(),
        why: table.not_counted.map(NotCounted::words).unwrap_or_default(),
        table: table.clone(),
    }
}
