//! A letter of the outbox as the mail that leaves.

use std::time::{Duration, SystemTime};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};

use super::Site;
use crate::store::outbox::Row;

/// A mail ready for a transport.
#[derive(Clone)]
pub struct Outgoing {
    /// The Message-ID with its angle brackets; the same each time this letter is sent.
    pub message_id: String,
    /// The sender's address for the envelope.
    pub from: Address,
    /// The recipient's address for the envelope.
    pub to: Address,
    /// Headers and parts, as they travel.
    pub bytes: Vec<u8>,
}

/// Why a letter can't be made into a mail: its address or a header is broken, which no repetition heals.
#[derive(Debug, thiserror::Error)]
pub enum Unsendable {
    /// The recipient's address.
    #[error("the address is of no form that mail can carry")]
    Address,
    /// Anything else.
    #[error("the mail can't be put together: {0}")]
    Mail(#[from] lettre::error::Error),
}

/// Makes the mail of a letter, to `to_address`.
pub(crate) fn build(site: &Site, letter: &Row, to_address: &str) -> Result<Outgoing, Unsendable> {
    let to: Address = to_address.parse().map_err(|_| Unsendable::Address)?;
    let name = (!letter.to_name.is_empty()).then(|| letter.to_name.clone());
    // The Date is that of the event, so that a letter sent twice or late is the same letter.
    let seconds = u64::try_from(letter.created_at.and_utc().timestamp()).unwrap_or_default();
    let mut builder = Message::builder()
        .message_id(Some(letter.message_id.clone()))
        .date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        .from(site.from.clone())
        .to(Mailbox::new(name, to.clone()))
        .subject(letter.subject.clone());
    if let Some(thread) = &letter.thread_id {
        builder = builder.in_reply_to(thread.clone()).references(thread.clone());
    }
    let parts = MultiPart::alternative_plain_html(letter.body_text.clone(), letter.body_html.clone());
    let mut message = builder.multipart(parts)?;
    let headers = message.headers_mut();
    let mut set = |name: &'static str, value: String| {
        headers.insert_raw(HeaderValue::new(HeaderName::new_from_ascii_str(name), value));
    };
    // Tells holiday replies to stay silent.
    set("Auto-Submitted", "auto-generated".to_owned());
    if let Some(table_id) = letter.table_id {
        set("List-Id", format!("<table-{}.{}>", table_id, site.mail_domain));
    }
    if let Some(url) = &letter.unsubscribe_url {
        set("List-Unsubscribe", format!("<{url}>"));
        set("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned());
    }
    Ok(Outgoing {
        message_id: letter.message_id.clone(),
        from: site.from.email.clone(),
        to,
        bytes: message.formatted(),
    })
}
