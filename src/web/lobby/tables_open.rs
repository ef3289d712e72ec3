//! The list of tables that wait for players, and of those being played that anyone may watch.

use actix_web::HttpResponse;
use actix_web::web::{Data, Query};
use askama::Template;
use serde::Deserialize;

use crate::store::TableId;
use crate::tables::{self, OpenTable, Refused, RunningTable, Terms};
use crate::web::base::page::{Page, go, render};
use crate::web::base::pager::{self, Pager};
use crate::web::base::paths::query;
use crate::web::base::times;
use crate::web::base::times::Zoned;
use crate::web::library::reputation;
use crate::web::{App, PageError, Visitor};

/// Tables shown at most; whoever looks for more narrows the list.
const MOST: usize = 100;
/// Tables being played on one page.
const WATCHED_A_PAGE: i64 = 20;

#[derive(Template)]
#[template(path = "pages/tables_open.html")]
struct List {
    page: Page,
    rows: Vec<Row>,
    games: Vec<(&'static str, &'static str)>,
    asked: Asked,
    narrowed: bool,
    total: usize,
    left_out: usize,
    running: Vec<Watched>,
    running_total: i64,
    pager: Pager,
}

/// A table being played, to watch.
struct Watched {
    table: RunningTable,
    id: TableId,
    since: Zoned,
}

/// A table in the list; the start page shows some of them too.
pub struct Row {
    /// The table.
    pub table: OpenTable,
    /// Its id in addresses.
    pub id: TableId,
    /// The game's options in one line.
    pub options: String,
    /// The time limit in words.
    pub limit: String,
    /// What else a joining player should know.
    pub tags: Vec<String>,
    /// Who sits there: name, and what is known about them.
    pub people: Vec<(String, String)>,
}

impl Row {
    /// What the list shows of a table.
    pub fn of(table: OpenTable) -> Row {
        let options: Vec<&str> = table.options.iter().map(|(_, choice)| choice.as_str()).collect();
        let mut tags = Vec::new();
        if !table.ranked {
            tags.push("not ranked".to_owned());
        }
        if table.invite_only {
            tags.push("invited players".to_owned());
        }
        if table.passes_allowed > 0 {
            let word = if table.passes_allowed == 1 { "time-out" } else { "time-outs" };
            tags.push(format!("{} {word} forgiven", table.passes_allowed));
        }
        if let Some(most) = table.max_drops {
            tags.push(if most == 0 {
                "no drops that still count".to_owned()
            } else {
                format!("at most {most} drops that still count")
            });
        }
        if let Some(least) = table.min_score {
            tags.push(format!("score of {least} or more"));
        }
        let known = table.reputations.iter().map(reputation::line);
        let person = |(name, known): (&String, String)| {
            let known = if tables::is_bot_name(name) { "answers within seconds".to_owned() } else { known };
            (name.clone(), known)
        };
        Row {
            people: table.players.iter().zip(known).map(person).collect(),
            id: table.table_id,
            options: options.join(", "),
            limit: times::limit(Terms::from(&table).time_limit_s),
            tags,
            table,
        }
    }
}

/// What the list is narrowed to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    game: String,
    limit: String,
    ranked: String,
    /// Page of the tables being played.
    page: String,
}

impl Asked {
    fn takes(&self, table: &OpenTable) -> bool {
        let hours = table.time_limit_s / 3600;
        let limit = match self.limit.as_str() {
            "fast" => hours < 24,
            "days" => (24..72).contains(&hours),
            "slow" => hours >= 72,
            _ => true,
        };
        let ranked = match self.ranked.as_str() {
            "yes" => table.ranked,
            "no" => !table.ranked,
            _ => true,
        };
        (self.game.is_empty() || self.game == table.game) && limit && ranked
    }

    /// Address of a page of the tables being played, with the open ones narrowed as they are.
    fn address(&self, page: i64) -> String {
        let page = if page > 1 { page.to_string() } else { String::new() };
        let all = [("game", &self.game), ("limit", &self.limit), ("ranked", &self.ranked), ("page", &page)];
        let kept: Vec<(&str, &str)> =
            all.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (*name, value.as_str())).collect();
        let query = if kept.is_empty() { String::new() } else { format!("?{}", query(&kept)) };
        format!("/tables{query}#watch")
    }

    fn narrows(&self) -> bool {
        !(self.game.is_empty() && self.limit.is_empty() && self.ranked.is_empty())
    }
}

/// The list.
pub async fn get(app: Data<App>, visitor: Visitor, asked: Query<Asked>) -> Result<HttpResponse, PageError> {
    let asked = asked.into_inner();
    let (ctx, now, viewer) = (app.ctx.clone(), visitor.now, visitor.user_id());
    let number = pager::asked(&asked.page);
    let (all, running) = app
        .block(move |db| {
            db.read(|conn| {
                let open = tables::open_tables(conn, &ctx, now, viewer)?;
                Ok::<_, Refused>((open, tables::running_tables(conn, &ctx, number, WATCHED_A_PAGE)?))
            })
        })
        .await?;
    if running.rows.is_empty() && number > 1 {
        return Ok(go(&asked.address(1)));
    }
    let total = all.len();
    let mut rows: Vec<Row> = all.into_iter().filter(|table| asked.takes(table)).map(Row::of).collect();
    let left_out = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let page = visitor.page("Tables").with_style("people.css");
    let watched = |table: RunningTable| Watched { id: table.table_id, since: page.time(&table.started_at), table };
    render(&List {
        running: running.rows.into_iter().map(watched).collect(),
        running_total: running.total,
        pager: Pager::new(number, running.total, WATCHED_A_PAGE, |page| asked.address(page)),
        page,
        rows,
        games: app.ctx.games.all().iter().map(|game| (game.meta().id, game.meta().name)).collect(),
        narrowed: asked.narrows(),
        asked,
        total,
        left_out,
    })
}
