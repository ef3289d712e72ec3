//! The words of letters.
//!
//! Each letter is put together once, as a [`Page`] of blocks, and laid out twice, as text and as HTML, so that
//! the two parts can't tell different stories.

mod account;
mod page;
mod play;
mod table;

use super::{Letter, Recipient, Site};
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
    unsubscribe_url: Option<&str>,
) -> Content {
    let context = Context { site, now, to };
    let page = word(&context, letter);
    page::lay_out(&context, page, letter.table().is_some(), unsubscribe_url)
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
        _ => account::word(context, letter),
    }
}
