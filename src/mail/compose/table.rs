//! Letters about a table before and at its start.

use super::Context;
use super::page::Page;
use crate::mail::{Section, TableRef, isolated};

pub(super) fn started(
    context: &Context<'_>,
    table: &TableRef,
    players: &[String],
    seat: char,
    opening: &[Section],
    dice_hash: &str,
) -> Page {
    let facts = vec![("Your seat".to_owned(), seat.to_string()), ("Players".to_owned(), players.join(", "))];
    Page::new(
        format!("{}: the table has started, you have seat {seat}", table.title()),
        format!("The game has started. You have seat {seat}."),
    )
    .about(table, None)
    .facts(facts)
    .table_button(context, "Go to the table", table)
    .text("You get a letter each time you owe orders. It says what for, and by when.")
    .happened("The opening", opening)
    .text(
        "Every throw at this table comes from one secret that is already fixed. Its SHA-256 is below; the secret \
         itself is shown when the table ends, so that everybody can check every throw.",
    )
    .text(dice_hash)
}

pub(super) fn cancelled(context: &Context<'_>, table: &TableRef, why: &str) -> Page {
    Page::new(
        format!("{}: the table was called off", table.title()),
        "The table was called off before it started.".to_owned(),
    )
    .about(table, None)
    .text(why)
    .text("Nobody's score changes.")
    .button("Find another table", context.site.url("/tables"))
}

pub(super) fn removed(context: &Context<'_>, table: &TableRef) -> Page {
    Page::new(
        format!("{}: you no longer have a seat", table.title()),
        "The host freed your seat before the game began.".to_owned(),
    )
    .about(table, None)
    .text(
        "Until a table starts, its host, the player who made it, decides who plays. You can sit down there again only \
         if they invite you again.",
    )
    .text("Nobody's score changes, and it does not appear in your record.")
    .button("Find another table", context.site.url("/tables"))
}

pub(super) fn handed_on(context: &Context<'_>, table: &TableRef) -> Page {
    Page::new(
        format!("{}: you are now the host", table.title()),
        "You are now the host of a table that is waiting for players.".to_owned(),
    )
    .about(table, None)
    .table_button(context, "Go to the table", table)
    .text(
        "The player who made it has left, and you were the next to sit down. On its page you can invite players, start \
         it as soon as there are enough, or call it off. If you do nothing, it starts when it is full.",
    )
}

pub(super) fn invitation(
    context: &Context<'_>,
    table: &TableRef,
    by: &str,
    url: &str,
    options: &[(String, String)],
) -> Page {
    let by = isolated(by);
    let page = Page::new(
        format!("{by} invites you to a game of {}: {}", table.game, table.title()),
        format!("{by} invites you to a game of {}.", table.game),
    )
    .about(table, None)
    .button("See the table and join", url)
    .facts(options.to_vec())
    .text(
        "You play when you have time. Hand in your orders within the time limit, and a letter tells you what happened \
         and when you owe orders again.",
    );
    if context.to.user_id.is_some() {
        page.text("You need not do anything if you'd rather not: the seat is not yours until you join.")
    } else {
        page.text(format!(
            "To join, make an account at {}: a name to play under, this address, and a password. You need not do \
             anything if you'd rather not.",
            context.site.name
        ))
    }
}
