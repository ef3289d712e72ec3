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

/// What the wording needs apart from the letter itself.
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
        Letter::Reported { .. } => "You get this letter because the site's settings name you as its operator.",
        _ if letter.table().is_some() => {
            "You get this letter once, because somebody gave this address. No more will follow."
        }
        _ => "You get this letter because somebody asked for it. It is about your account.",
    }
}

fn word(context: &Context<'_>, letter: &Letter) -> Page {
    match letter {
        Letter::Started { table, players, seat, opening, dice_hash } => {
            table::started(context, table, players, *seat, opening, dice_hash)
        }
        Letter::Due { table, phase_no, phase, deadline, since, at_deadline, position, at_once } => {
            play::due(context, table, *phase_no, phase, *deadline, since, at_deadline, position, *at_once)
        }
        Letter::Reminder { table, phase_no, phase, deadline, at_deadline, position } => {
            play::reminder(context, table, *phase_no, phase, *deadline, at_deadline, position)
        }
        Letter::Resolved { table, phase_no, phase, what, position, next } => {
            play::resolved(context, table, *phase_no, phase, what, position, next)
        }
        Letter::Dropped { table, phase_no, phase, deadline, score_change, after } => {
            play::dropped(context, table, *phase_no, phase, *deadline, *score_change, after)
        }
        Letter::Beaten { table, phase_no, phase, score_change, what, position } => {
            play::beaten(context, table, *phase_no, phase, *score_change, what, position)
        }
        Letter::Over { table, result, reason, score_change, not_counted, score, what, position } => {
            let change = (*score_change, not_counted.as_deref());
            play::over(context, table, result, reason, change, *score, what, position)
        }
        Letter::Invitation { table, by, url, options } => table::invitation(context, table, by, url, options),
        Letter::Cancelled { table, why } => table::cancelled(context, table, why),
        Letter::Removed { table } => table::removed(context, table),
        Letter::HandedOn { table } => table::handed_on(context, table),
        Letter::Talk { table } => talk::word(context, table, &TableTalk::default()),
        Letter::Reported { report, title, table_url, author, text, reporter, reason } => {
            talk::reported(report, title, table_url, author, text, reporter, reason)
        }
        Letter::Confirm { url, expires } => account::confirm(context, url, *expires),
        Letter::AlreadyRegistered { sign_in_url, reset_url } => {
            account::already_registered(context, sign_in_url, reset_url)
        }
        Letter::Reset { url, expires } => account::reset(context, url, *expires),
        Letter::PasswordChanged { reset_url } => account::password_changed(context, reset_url),
        Letter::ChangeAddress { url, expires } => account::change_address(context, url, *expires),
        Letter::AddressChanged { contact_url } => account::address_changed(context, contact_url),
        Letter::AccountDeleted => account::account_deleted(context),
    }
}
