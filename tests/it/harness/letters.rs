//! Letters as the folder transport leaves them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mail_parser::MessageParser;

use super::server::PATIENCE;

/// A letter, read back.
#[derive(Clone, Debug)]
pub struct Read {
    pub to: String,
    pub subject: String,
    pub message_id: String,
    pub text: String,
}

impl Read {
    /// The first address in it that holds `part`.
    pub fn link(&self, part: &str) -> Option<String> {
        self.text
            .split(|c: char| c.is_whitespace() || c == '<' || c == '>')
            .find(|word| word.starts_with("http") && word.contains(part))
            .map(str::to_owned)
    }
}

/// All letters in the folder, in no particular order.
pub fn all(folder: &Path) -> Vec<Read> {
    let mut letters = Vec::new();
    for path in files(folder) {
        // One that is being moved into place, or was just now, is there at the next look.
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let Some(message) = MessageParser::default().parse(&bytes) else { continue };
        let to = message.to().and_then(|to| to.first()).and_then(|to| to.address()).unwrap_or_default();
        letters.push(Read {
            to: to.to_owned(),
            subject: message.subject().unwrap_or_default().to_owned(),
            message_id: message.message_id().unwrap_or_default().to_owned(),
            text: message.body_text(0).unwrap_or_default().into_owned(),
        });
    }
    letters
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "eml") {
            found.push(path);
        }
    }
    found
}

/// Waits for a letter to `address` with an address that holds `part`, and gives that address.
pub fn wait_for_link(folder: &Path, address: &str, part: &str) -> String {
    let start = Instant::now();
    loop {
        let letters = all(folder);
        let link = letters
            .iter()
            .filter(|letter| letter.to.eq_ignore_ascii_case(address))
            .find_map(|letter| letter.link(part));
        if let Some(link) = link {
            return link;
        }
        assert!(start.elapsed() < PATIENCE, "no letter to {address} with {part} came; there are {letters:#?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
