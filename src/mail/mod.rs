//! Letters: what they say, how they wait in the outbox, and how they leave.
//!
//! A letter is rendered and queued in the transaction of the fact it tells of ([`queue`]). The outbox loop
//! (`jobs::outbox`) hands it to a [`Transport`] later. This module knows nothing of games or tables
//! beyond the words it is given.

mod address;
mod bidi;
mod bounded;
mod certificates;
mod compose;
mod folder;
mod letter;
mod message;
mod queue;
mod smtp;
mod start_tls;
mod transport;

pub use address::{BadAddress, canonical_address, check_address, mask, readable};
pub use bidi::isolated;
pub use folder::{Filed, Folder};
pub use letter::{Letter, Recipient, Said, Section, TableRef, TableTalk};
pub use message::{Outgoing, Unsendable};
pub use queue::{queue, queue_with_talk, reword};
pub use smtp::{Encryption, Handed, Patience, Server, ServerFault, Smtp};
pub use transport::{Delivery, Memory, Transport};

pub(crate) use message::build;
pub(crate) use transport::{FIRST_WAIT_S, SENDERS};

use lettre::message::Mailbox;

/// The site as letters know it.
#[derive(Clone, Debug)]
pub struct Site {
    /// The name people know it by, such as “Stardate”.
    pub name: String,
    /// The address of its pages, without a slash at the end.
    pub base_url: String,
    /// Whom letters are from.
    pub from: Mailbox,
    /// The domain in Message-IDs and list names: that of the sender's address.
    pub mail_domain: String,
    /// Where reports of messages go; `None`: only to the log.
    pub operator: Option<String>,
}

/// Why a site can't be described like this. Names the key of the configuration.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SiteFault {
    /// No address with `http`.
    #[error(
        "site.base_url: “{0}” is not the address of a site; it must start with https:// or http:// and name a host"
    )]
    BaseUrl(String),
    /// No sender.
    #[error(
        "mail.from: “{0}” is not a sender; write an address, or a name and an address: Stardate <play@example.org>"
    )]
    From(String),
}

impl Site {
    /// Describes the site. `from` is an address, with or without a name; without one the site's name is shown.
    pub fn new(name: &str, base_url: &str, from: &str) -> Result<Site, SiteFault> {
        let base_url = base_url.trim().trim_end_matches('/');
        let host = base_url.strip_prefix("https://").or_else(|| base_url.strip_prefix("http://"));
        if host.is_none_or(|host| host.is_empty() || host.contains(char::is_whitespace)) {
            return Err(SiteFault::BaseUrl(base_url.to_owned()));
        }
        let mut from: Mailbox = from.trim().parse().map_err(|_| SiteFault::From(from.to_owned()))?;
        from.name.get_or_insert_with(|| name.to_owned());
        let mail_domain = from.email.domain().to_owned();
        Ok(Site { name: name.to_owned(), base_url: base_url.to_owned(), from, mail_domain, operator: None })
    }

    /// The address of a page; `path` starts with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_described_or_refused_by_key() {
        let site = Site::new("Stardate", "https://play.example/", "play@example.org").unwrap();
        assert_eq!(site.url("/t/1"), "https://play.example/t/1");
        assert_eq!(site.from.to_string(), "Stardate <play@example.org>");
        assert_eq!(site.mail_domain, "example.org");
        let named = Site::new("Stardate", "http://localhost:8080", "The Referee <r@example.org>").unwrap();
        assert_eq!(named.from.name.as_deref(), Some("The Referee"));
        assert!(matches!(Site::new("S", "play.example", "a@b.example"), Err(SiteFault::BaseUrl(_))));
        assert!(matches!(Site::new("S", "https://play.example", "nobody"), Err(SiteFault::From(_))));
    }
}
