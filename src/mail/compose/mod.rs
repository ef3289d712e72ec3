//! The words of letters.
//!
//! Each letter is put together once, as a [`Page`] of blocks, and laid out twice, as text and as HTML, so that
//! the two parts can't tell different stories.

mod account;
mod page;
mod play;
mod table;
mod talk;

use super::{Letter, Recipient, Site, TableTalk};
use crate::store::Stamp;
use page::Page;

/// A letter ready for the outbox.
pub(super) struct Content {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// What the wording needs besides the letter itself.
struct Context<'a> {
    site: &'a Site,
    now: Stamp,
    to: &'a Recipient,
}

/// Words a letter for its recipient and lays it out.
pub(super) fn compose(
    site: &Site,
    now: Stamp,
    to: &Recipient,
    letter: &Letter,
    talk: &TableTalk,
    unsubscribe_url: Option<&str>,
) -> Content {
    let context = Context { site, now, to };
    let page = match letter {
        Letter::Talk { table } => talk::word(&context, table, talk),
        _ => talk::carried(&context, word(&context, letter), talk),
    };
    page::lay_out(&context, page, note(letter), unsubscribe_url)
}

/// Why a letter came that cannot be stopped.
fn note(letter: &Letter) -> &'static str {
    match letter {
        Letter::Reported { .. } => "This letter goes to whoever runs the site, as its settings say.",
        _ if letter.table().is_some() => {
            "This letter was sent once, because somebody named this address. Nothing follows."
        }
        _ => "This letter is about your account and was sent because somebody asked for it.",
    }
}

fn word(context: &Context<'_>, letter: &Letter) -> Page {
    match letter {
        Letter::Started { .. }
        | Letter::Invitation { .. }
        | Letter::Cancelled { .. }
        | Letter::Removed { .. }
        | Letter::HandedOn { .. } => table::word(context, letter),
        Letter::Due { .. }
        | Letter::Reminder { .. }
        | Letter::Resolved { .. }
        | Letter::Dropped { .. }
        | Letter::Beaten { .. }
        | Letter::Over { .. } => play::word(context, letter),
        Letter::Reported { .. } => talk::reported(letter),
        _ => account::word(context, letter),
    }
}
