//! Letters into the outbox, rendered with the fact they tell of.

use chrono::TimeDelta;
use diesel::QueryResult;

use super::{Letter, Recipient, Site, TableTalk, compose};
use crate::store::outbox::{self, NewLetter, Row};
use crate::store::{Conn, IdText, Stamp, TableId, new_token};

/// How long a “due” letter waits for the player to act without it.
const DUE_WAITS_S: i64 = 120;

/// How long a letter of table talk alone waits: for more to be said, for another letter that carries it, and
/// for its reader to see it on the page.
const TALK_WAITS_S: i64 = 600;

/// Renders a letter and queues it, in the caller's transaction. A second one with the same `dedupe_key`
/// is not queued, so a use case that runs again mails once.
pub fn queue(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    to: &Recipient,
    letter: &Letter,
    dedupe_key: &str,
) -> QueryResult<()> {
    queue_with_talk(conn, site, now, to, letter, &TableTalk::default(), dedupe_key)
}

/// The same, with what was said at the table. A letter of talk alone counts as carrying nothing before it leaves,
/// when [`reword`] gives it its words.
pub fn queue_with_talk(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    to: &Recipient,
    letter: &Letter,
    talk: &TableTalk,
    dedupe_key: &str,
) -> QueryResult<()> {
    let id = outbox::next_id(conn, now, to.user_id, &to.address)?;
    let unsubscribe_url = match (letter.table(), &to.unsubscribe_key) {
        (Some(_), Some(key)) => Some(site.url(&format!("/unsubscribe/{key}"))),
        _ => None,
    };
    let content = compose::compose(site, now, to, letter, talk, unsubscribe_url.as_deref());
    let (waits, talk_no) = match letter {
        Letter::Due { .. } => (DUE_WAITS_S, talk.up_to),
        Letter::Talk { .. } => (TALK_WAITS_S, None),
        _ => (0, talk.up_to),
    };
    let row = NewLetter {
        id,
        dedupe_key: dedupe_key.to_owned(),
        user_id: to.user_id,
        to_address: to.address.clone(),
        to_name: to.name.clone(),
        letter: letter.kind().as_str().to_owned(),
        table_id: letter.table().map(|table| table.id),
        phase_no: letter.phase_no(),
        deadline_at: letter.deadline(),
        subject: content.subject,
        body_text: content.text,
        body_html: content.html,
        message_id: message_id(site, id),
        thread_id: letter.table().map(|table| thread_id(site, table.id)),
        unsubscribe_url,
        status: "queued",
        attempts: 0,
        put_offs: 0,
        next_attempt_at: now + TimeDelta::seconds(waits),
        created_at: now,
        talk_no,
    };
    let queued = outbox::insert(conn, &row)?;
    tracing::debug!(letter = row.letter, queued, "A letter was queued unless it had been before.");
    Ok(())
}

/// Words a letter of table talk that has been claimed, with what there is to tell now, up to the message with the
/// number `up_to`.
#[expect(clippy::too_many_arguments, reason = "a letter, its reader and its row")]
pub fn reword(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    to: &Recipient,
    letter: &Letter,
    talk: &TableTalk,
    up_to: i32,
    row: &Row,
) -> QueryResult<()> {
    let content = compose::compose(site, now, to, letter, talk, row.unsubscribe_url.as_deref());
    outbox::reword(conn, row, &content.subject, &content.text, &content.html, up_to)
}

/// Made here and not by the mail server, so that a letter sent twice can be recognised.
fn message_id(site: &Site, id: i64) -> String {
    let tail: String = new_token().chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    format!("<{}.{tail}@{}>", IdText(id), site.mail_domain)
}

/// The id all letters about a table refer to, so that mail programs show them together.
fn thread_id(site: &Site, table_id: TableId) -> String {
    format!("<table-{}@{}>", table_id, site.mail_domain)
}
