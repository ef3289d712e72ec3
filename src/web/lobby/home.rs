//! The start page: what this is, for visitors; one's own tables, for players.

use actix_web::HttpResponse;
use actix_web::web::Data;
use askama::Template;

use super::tables_open::Row;
use crate::rules::Game;
use crate::store::{Conn, PhaseNo, TableId, UserId};
use crate::tables::{self, Mark, MyTable, OpenTable, Outcome, ProfileTable, Refused, WhatIsDue};
use crate::web::base::page::{Page, render};
use crate::web::base::seen;
use crate::web::base::times::Zoned;
use crate::web::{App, Me, PageError, Visitor};

/// Open tables shown to visitors.
const OPEN_SHOWN: usize = 5;
/// Finished tables shown to a player.
const PAST_SHOWN: i64 = 5;

#[derive(Template)]
#[template(path = "pages/welcome.html")]
struct Welcome {
    page: Page,
    rows: Vec<Row>,
    more: usize,
    games: Vec<GameShown>,
}

/// A game as visitors meet it.
struct GameShown {
    id: &'static str,
    name: &'static str,
    blurb: &'static str,
    /// Whether there are bots to practise against.
    bots: bool,
}

impl GameShown {
    fn of(game: &dyn Game) -> GameShown {
        let meta = game.meta();
        GameShown { id: meta.id, name: meta.name, blurb: meta.blurb, bots: !game.bots().is_empty() }
    }
}

#[derive(Template)]
#[template(path = "pages/my_tables.html")]
struct MyTables {
    page: Page,
    due: Vec<Mine>,
    waiting: Vec<Mine>,
    lobbies: Vec<Mine>,
    invitations: Vec<Row>,
    past: Vec<Past>,
}

/// One of the player's tables, in words.
struct Mine {
    table: MyTable,
    id: TableId,
    against: String,
    what: &'static str,
    clock: Option<Zoned>,
}

/// A finished table.
struct Past {
    table: ProfileTable,
    id: TableId,
    ended: Zoned,
    mark: &'static str,
    words: &'static str,
}

/// The page.
pub async fn get(app: Data<App>, visitor: Visitor) -> Result<HttpResponse, PageError> {
    match visitor.me.clone() {
        Some(me) => my_tables(&app, &visitor, me).await,
        None => welcome(&app, &visitor).await,
    }
}

async fn welcome(app: &Data<App>, visitor: &Visitor) -> Result<HttpResponse, PageError> {
    let (ctx, now) = (app.ctx.clone(), visitor.now);
    let open = app.block(move |db| db.read(|conn| tables::open_tables(conn, &ctx, now, None))).await?;
    let more = open.len().saturating_sub(OPEN_SHOWN);
    let games = app.ctx.games.all().iter().map(|game| GameShown::of(game.as_ref())).collect();
    let rows = open.into_iter().take(OPEN_SHOWN).map(Row::of).collect();
    render(&Welcome { page: visitor.page("Games that take their time"), rows, more, games })
}

/// A player's running and open tables, the finished ones, and all that wait for players.
type Loaded = (Vec<MyTable>, Vec<ProfileTable>, Vec<OpenTable>);

async fn my_tables(app: &Data<App>, visitor: &Visitor, me: Me) -> Result<HttpResponse, PageError> {
    let (ctx, now, user_id) = (app.ctx.clone(), visitor.now, me.user_id);
    let load = move |conn: &mut Conn| -> Result<Loaded, Refused> {
        let mine = tables::my_tables(conn, &ctx, user_id)?;
        let past = tables::past_tables(conn, &ctx, user_id, Some(user_id), 1, PAST_SHOWN)?.rows;
        Ok((mine, past, tables::open_tables(conn, &ctx, now, Some(user_id))?))
    };
    let (mine, past, open) = app.block(move |db| db.read(load)).await?;
    mark_seen(app, visitor, user_id, &mine).await;
    let page = visitor.page("My tables");
    let (mut due, mut waiting, mut lobbies) = (Vec::new(), Vec::new(), Vec::new());
    for table in mine {
        let list = match table.due {
            WhatIsDue::Orders | WhatIsDue::OrdersWithDraft | WhatIsDue::Optional => &mut due,
            WhatIsDue::Players => &mut lobbies,
            WhatIsDue::HandedIn | WhatIsDue::Nothing | WhatIsDue::Out => &mut waiting,
        };
        list.push(mine_in_words(&page, table));
    }
    let past = past.into_iter().map(|table| past_in_words(&page, table)).collect();
    let invited = open.into_iter().filter(|table| table.invited && !table.mine);
    render(&MyTables { page, due, waiting, lobbies, invitations: invited.map(Row::of).collect(), past })
}

/// Notes that the player has seen the deadlines this page shows: that is notice of them.
async fn mark_seen(app: &Data<App>, visitor: &Visitor, user_id: UserId, mine: &[MyTable]) {
    let unseen: Vec<(TableId, PhaseNo)> =
        mine.iter().filter_map(|table| Some((table.table_id, table.unseen_phase?))).collect();
    for (table_id, phase_no) in unseen {
        seen::note(app, Mark::Phase { table_id, user_id, phase_no }, visitor.now).await;
    }
}

fn mine_in_words(page: &Page, table: MyTable) -> Mine {
    let against = match table.opponents.as_slice() {
        [] => "nobody else yet".to_owned(),
        names => format!("against {}", names.join(", ")),
    };
    let what = match table.due {
        WhatIsDue::Orders => "You owe orders",
        WhatIsDue::OrdersWithDraft => "You owe orders; you have a saved draft",
        WhatIsDue::Optional => "You may give orders",
        WhatIsDue::HandedIn => "Your plot is in; waiting for others",
        WhatIsDue::Nothing => "Waiting for others to move",
        WhatIsDue::Players => "Waiting for players",
        WhatIsDue::Out => "You are out; others play on",
    };
    Mine { id: table.table_id, against, what, clock: table.deadline.map(|at| page.time(&at)), table }
}

fn past_in_words(page: &Page, table: ProfileTable) -> Past {
    let (mark, words) = match table.outcome {
        Some(outcome) => (outcome.word(), outcome_words(outcome)),
        None => ("waiting", "Not decided"),
    };
    Past { id: table.table_id, ended: page.time(&table.at), mark, words, table }
}

/// An outcome as the player's own.
pub fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Won => "Won",
        Outcome::Lost => "Lost",
        Outcome::Drew => "Tied",
        Outcome::Resigned => "Resigned",
        Outcome::Dropped => "Dropped",
    }
}
