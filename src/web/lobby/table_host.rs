//! What the player who made a table does with it before it starts.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};

use crate::store::{Conn, Stamp, TableId, UserId};
use crate::tables::{self, At, Ctx, Refused};
use crate::web::base::page::{Notice, go_with};
use crate::web::base::paths::table_id;
use crate::web::{App, PageError, Posted, SignedIn};

/// Runs a use case of the table's creator and goes back to the table, with the words it returns.
async fn act(
    app: &Data<App>,
    me: &SignedIn,
    path: &Path<String>,
    work: impl Fn(&mut Conn, &Ctx, Stamp, TableId) -> Result<&'static str, Refused> + Send + 'static,
) -> Result<HttpResponse, PageError> {
    let table_id = table_id(path)?;
    let to = format!("/t/{}", table_id);
    let words = app
        .act(me, move |conn, ctx, now| work(conn, ctx, now, table_id))
        .await
        .map_err(|refused| PageError::from(refused).leading_to(to.clone(), "To the table"))?;
    app.wakers.wake();
    Ok(go_with(&to, &Notice::good(words), me.secure()))
}

/// Starts the table with those who sit there. The form says how many that were on its page.
pub async fn start(
    app: Data<App>,
    me: SignedIn,
    path: Path<String>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let seated: usize = posted
        .line("seated")
        .parse()
        .map_err(|_| PageError::Malformed("The form does not say with how many players to start.".to_owned()))?;
    let user_id = me.me.user_id;
    let work = move |conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: TableId| {
        tables::start_now(conn, ctx, At::new(now, table_id, user_id), seated)?;
        Ok("The game has begun. Good luck!")
    };
    act(&app, &me, &path, work).await
}

/// Takes a player from a seat.
pub async fn remove(
    app: Data<App>,
    me: SignedIn,
    path: Path<String>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let removed_id: UserId = posted
        .line("player")
        .parse()
        .map_err(|_| PageError::Malformed("The form does not say which player to remove.".to_owned()))?;
    let user_id = me.me.user_id;
    let work = move |conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: TableId| {
        let person = tables::remove(conn, ctx, At::new(now, table_id, user_id), removed_id)?;
        let told =
            "The seat is free again, and the player gets a letter. If the table is private, it has a new link now.";
        Ok(if person { told } else { "The seat is free again." })
    };
    act(&app, &me, &path, work).await
}

/// Seats bots.
pub async fn bots(app: Data<App>, me: SignedIn, path: Path<String>, posted: Posted) -> Result<HttpResponse, PageError> {
    let count: usize = posted
        .line("count")
        .parse()
        .map_err(|_| PageError::Malformed("The form does not say how many bots to seat.".to_owned()))?;
    let (user_id, bot) = (me.me.user_id, posted.line("bot"));
    let work = move |conn: &mut Conn, ctx: &Ctx, now: Stamp, table_id: TableId| {
        let begun = tables::add_bots(conn, ctx, At::new(now, table_id, user_id), &bot, count)?;
        Ok(match (begun, count) {
            (true, _) => "The table is full, and the game has begun. Good luck!",
            (false, 1) => "A bot has taken a seat.",
            (false, _) => "Bots have taken seats.",
        })
    };
    act(&app, &me, &path, work).await
}
