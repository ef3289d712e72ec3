//! Letters into the outbox, rendered with the fact they tell of.

use chrono::TimeDelta;
use diesel::QueryResult;

use super::{Letter, Recipient, Site, compose};
use crate::store::outbox::{self, NewLetter};
use crate::store::{Conn, IdText, Stamp, new_id, new_token};

/// How long a “due” letter waits for the player to act without it.
const DUE_WAITS_S: i64 = 120;

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
    let id = new_id(now);
    let unsubscribe_url = match (letter.table(), &to.unsubscribe_key) {
        (Some(_), Some(key)) => Some(site.url(&format!("/unsubscribe/{key}"))),
        _ => None,
    };
    let content = compose::compose(site, now, to, letter, unsubscribe_url.as_deref());
    let waits = if matches!(letter, Letter::Due { .. }) { DUE_WAITS_S } else { 0 };
    let row = NewLetter {
        id,
        dedupe_key: dedupe_key.to_owned(),
        user_id: to.user_id,
        to_address: to.address.clone(),
        to_name: to.name.clone(),
        letter: letter.kind().to_owned(),
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
    };
    let queued = outbox::insert(conn, &row)?;
    tracing::debug!(letter = row.letter, queued, "A letter was queued unless it had been before.");
    Ok(())
}

/// Made here and not by the mail server, so that a letter sent twice can be recognised.
fn message_id(site: &Site, id: i64) -> String {
    let tail: String = new_token().chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    format!("<{}.{tail}@{}>", IdText(id), site.mail_domain)
}

/// The id all letters about a table refer to, so that mail programs show them together.
fn thread_id(site: &Site, table_id: i64) -> String {
    format!("<table-{}@{}>", IdText(table_id), site.mail_domain)
}
