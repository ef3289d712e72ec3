//! Letters as files in a folder, and reading them back for the page that shows them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chrono::DateTime;
use mail_parser::MessageParser;

use super::message::Outgoing;
use super::transport::Delivery;
use crate::store::Stamp;

const ENDING: &str = "eml";

/// A folder that letters are written to, one `.eml` file each.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// A letter read back from the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// The name of its file, by which [`Folder::read`] finds it.
    pub file: String,
    /// When it was written.
    pub at: Option<Stamp>,
    /// Whom it is for, as “Name <address>” or the address.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The text part.
    pub text: String,
    /// The HTML part.
    pub html: String,
    /// The headers as they stand in the file, one a line.
    pub headers: Vec<(String, String)>,
}

impl Folder {
    /// Uses the folder at `path`; makes it if it isn't there.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Folder> {
        let path = path.into();
        fs::create_dir_all(&path)?;
        Ok(Folder { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a letter. A letter written twice is one file, because its name comes from the Message-ID.
    pub(super) async fn send(&self, letter: &Outgoing) -> Delivery {
        let (folder, name, bytes) = (self.path.clone(), file_name(&letter.message_id), letter.bytes.clone());
        let written = tokio::task::spawn_blocking(move || write(&folder, &name, &bytes)).await;
        match written {
            Ok(Ok(())) => Delivery::Accepted,
            Ok(Err(error)) => Delivery::ServerFault(format!("the mail folder can't be written to: {error}")),
            Err(error) => Delivery::ServerFault(format!("writing to the mail folder was cut short: {error}")),
        }
    }

    /// The newest letters, newest first, at most `limit`.
    pub fn list(&self, limit: usize) -> io::Result<Vec<Filed>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if is_letter(&name) {
                names.push(name);
            }
        }
        // Names begin with the time-ordered id of the letter.
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.truncate(limit);
        let mut letters = Vec::new();
        for name in names {
            letters.extend(self.read(&name)?);
        }
        Ok(letters)
    }

    /// The letter in a file of this folder; `None` for any other name.
    pub fn read(&self, file: &str) -> io::Result<Option<Filed>> {
        if !is_letter(file) {
            return Ok(None);
        }
        match fs::read(self.path.join(file)) {
            Ok(bytes) => Ok(parse(file, &bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether a name is one that [`file_name`] makes, which leads nowhere else.
fn is_letter(name: &str) -> bool {
    name.strip_suffix(&format!(".{ENDING}"))
        .is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.') && stem.chars().all(is_plain))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@')
}

fn file_name(message_id: &str) -> String {
    let stem = message_id.trim_start_matches('<').trim_end_matches('>');
    let stem: String = stem.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("{stem}.{ENDING}")
}

/// Written beside, made durable, and moved: a reader sees the whole letter or none, also after a power cut.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let unfinished = folder.join(format!(".{name}.unfinished"));
    let mut file = File::create(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, folder.join(name))?;
    File::open(folder)?.sync_all()
}

fn parse(file: &str, bytes: &[u8]) -> Option<Filed> {
    let message = MessageParser::default().parse(bytes)?;
    let to = message.to().and_then(|to| to.first()).map(|to| match (to.name(), to.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (None, Some(address)) => address.to_owned(),
        _ => String::new(),
    });
    let at = message.date().and_then(|date| DateTime::from_timestamp(date.to_timestamp(), 0));
    let headers = message
        .headers_raw()
        .map(|(name, value)| (name.to_owned(), value.split_whitespace().collect::<Vec<_>>().join(" ")));
    Some(Filed {
        file: file.to_owned(),
        at: at.map(|at| at.naive_utc()),
        to: to.unwrap_or_default(),
        subject: message.subject().unwrap_or_default().to_owned(),
        text: message.body_text(0).unwrap_or_default().into_owned(),
        html: message.body_html(0).unwrap_or_default().into_owned(),
        headers: headers.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_come_from_the_message_id_and_lead_nowhere_else() {
        assert_eq!(file_name("<0abc.XyZ@play.example>"), "0abc.XyZ@play.example.eml");
        assert_eq!(file_name("<../../etc/passwd>"), ".._.._etc_passwd.eml");
        for bad in ["../secret.eml", "a/b.eml", ".hidden.eml", "letter.txt", ".eml", "a\\b.eml"] {
            assert!(!is_letter(bad), "{bad}");
        }
    }
}
