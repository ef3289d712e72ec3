//! Which letter goes next, and whether it is still wanted.

use diesel::QueryResult;

use super::settle;
use crate::mail::Site;
use crate::store::outbox::{self, Again, End, Forget, Row, Which};
use crate::store::{Conn, LetterKind, Stamp};
use crate::tables::{self, TalkLetter};

/// What a sender got.
pub(super) enum Claimed {
    /// A letter to send, and where to.
    Wanted { letter: Box<Row>, address: String },
    /// A letter that nobody wants any more.
    Unwanted,
    /// A letter that was tried as often as it may be.
    SetAside,
    /// A letter that has to wait for another one.
    Later,
}

/// Claims the next letter, and drops it in the same transaction when it is no longer wanted.
pub(super) fn claim(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    lease_until: Stamp,
    which: Which,
) -> QueryResult<Option<Claimed>> {
    let Some(letter) = outbox::claim(conn, now, lease_until, which)? else { return Ok(None) };
    if settle::is_broken_too_often(letter.breaks - 1) {
        // Its senders were killed, so no settling could set it aside.
        settle::set_aside_silent(conn, &letter, now)?;
        return Ok(Some(Claimed::SetAside));
    }
    match wanted(conn, &letter, now)? {
        Ok(address) if letter.kind() == Some(LetterKind::Talk) => {
            claim_talk(conn, site, now, letter, address).map(Some)
        }
        Ok(address) => Ok(Some(Claimed::Wanted { letter: Box::new(letter), address })),
        Err(why) => drop_letter(conn, &letter, why, now).map(Some),
    }
}

fn drop_letter(conn: &mut Conn, letter: &Row, why: &str, now: Stamp) -> QueryResult<Claimed> {
    outbox::finish(conn, letter, End::Dropped, Some(why), forget(letter), now)?;
    Ok(Claimed::Unwanted)
}

/// A letter of table talk gets its words when it leaves, for there may be more to tell by then, or nothing.
fn claim_talk(conn: &mut Conn, site: &Site, now: Stamp, letter: Row, address: String) -> QueryResult<Claimed> {
    match tables::word_talk_letter(conn, site, now, &letter)? {
        TalkLetter::Goes => {
            let worded = outbox::find(conn, letter.id)?.unwrap_or(letter);
            Ok(Claimed::Wanted { letter: Box::new(worded), address })
        }
        TalkLetter::IsVain => drop_letter(conn, &letter, "it was read on the page, or another letter told it", now),
        TalkLetter::Waits => {
            let why = "another letter that waits tells the same";
            let not_before = Some(now + tables::WAITS_FOR_OTHERS);
            outbox::release(conn, &letter, Again { not_before, ..settle::unchanged(&letter, why) })?;
            Ok(Claimed::Later)
        }
    }
}

/// The address a letter goes to now, or why nobody wants it any more.
fn wanted(conn: &mut Conn, letter: &Row, now: Stamp) -> QueryResult<Result<String, &'static str>> {
    let link_is_dead = holds_secret(letter) && letter.deadline_at.is_some_and(|until| until <= now);
    if link_is_dead {
        return Ok(Err("its link has stopped working"));
    }
    let Some(user_id) = letter.user_id else { return Ok(Ok(letter.to_address.clone())) };
    let Some(user) = outbox::recipient_now(conn, user_id)? else { return Ok(Err("the account was deleted")) };
    let Some(table_id) = letter.table_id else { return Ok(Ok(letter.to_address.clone())) };
    let wished = match letter.kind() {
        Some(LetterKind::Due) => user.wants_due,
        Some(LetterKind::Reminder) => user.wants_reminders,
        Some(LetterKind::Resolved) => user.wants_resolved,
        Some(LetterKind::Talk) => user.wants_talk,
        Some(
            LetterKind::Started
            | LetterKind::Dropped
            | LetterKind::Beaten
            | LetterKind::Over
            | LetterKind::Invitation
            | LetterKind::Cancelled
            | LetterKind::Removed
            | LetterKind::HandedOn,
        )
        | None => user.wants_news,
        // These are about no table, and whoever they are for needs them.
        Some(
            LetterKind::Reported
            | LetterKind::Confirm
            | LetterKind::AlreadyRegistered
            | LetterKind::Reset
            | LetterKind::PasswordChanged
            | LetterKind::ChangeAddress
            | LetterKind::AddressChanged
            | LetterKind::AccountDeleted,
        ) => true,
    };
    if !wished {
        return Ok(Err("the player doesn't want such letters"));
    }
    if let (Some(LetterKind::Due | LetterKind::Reminder), Some(phase_no)) = (letter.kind(), letter.phase_no) {
        let standing = outbox::standing(conn, table_id, phase_no, user_id)?;
        if !standing.phase_open {
            return Ok(Err("the phase is over"));
        }
        if standing.out {
            return Ok(Err("the player has left the table"));
        }
        if standing.plot_in {
            return Ok(Err("the player has handed in"));
        }
        // A deadline that moved warns again with a letter of its own.
        if letter.kind() == Some(LetterKind::Reminder) && standing.deadline_at > letter.deadline_at {
            return Ok(Err("the deadline has moved"));
        }
    }
    // Letters about tables follow the player to a new address; those about the account prove an address.
    Ok(user.email.ok_or("the account has no address"))
}

fn holds_secret(letter: &Row) -> bool {
    letter.kind().is_some_and(LetterKind::holds_secret)
}

pub(super) fn forget(letter: &Row) -> Forget {
    if holds_secret(letter) { Forget::Text } else { Forget::Nothing }
}
