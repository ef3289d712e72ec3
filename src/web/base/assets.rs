//! Style sheets, scripts and pictures, built into the binary. Their addresses carry a hash of their content,
//! so that browsers may keep them for a year and still see a change at once.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

pub(super) const FILES: &[(&str, &str, &str)] = &[
    ("style.css", "text/css; charset=utf-8", include_str!("../static/style.css")),
    ("site.js", "text/javascript; charset=utf-8", include_str!("../static/site.js")),
    ("board.css", "text/css; charset=utf-8", include_str!("../static/board.css")),
    ("imperial.css", "text/css; charset=utf-8", include_str!("../static/imperial.css")),
    ("board.js", "text/javascript; charset=utf-8", include_str!("../static/board.js")),
    ("people.css", "text/css; charset=utf-8", include_str!("../static/people.css")),
    ("loadout.js", "text/javascript; charset=utf-8", include_str!("../static/loadout.js")),
    ("emblem.svg", "image/svg+xml", include_str!("../static/emblem.svg")),
];

/// The addresses of the built-in files.
#[derive(Debug)]
pub struct Assets {
    addresses: BTreeMap<&'static str, String>,
}

impl Assets {
    /// Hashes every file once.
    pub fn new() -> Assets {
        let addresses = FILES.iter().map(|(name, _, text)| (*name, format!("/static/{}/{name}", hash(text)))).collect();
        Assets { addresses }
    }

    /// The address of a built-in file; of one that does not exist, an address that is not found either.
    pub fn url(&self, name: &str) -> &str {
        self.addresses.get(name).map_or("/static/missing", String::as_str)
    }
}

impl Default for Assets {
    fn default() -> Assets {
        Assets::new()
    }
}

fn hash(text: &str) -> String {
    let mut hex = data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    hex.truncate(12);
    hex
}
