//! The opening tags of the clickable things on a board. Each is a link to the piece viewer, so that the
//! board works without script; the marks tell the script what can be ordered there.

use std::fmt::Write as _;

use askama::filters::{Html, escape};

use super::art::{Chip, Marks, PlanetArt, Token};

/// Where links of one page lead to.
pub(super) struct Links {
    /// The page's own address with everything up to the id of the piece.
    pub before: String,
}

impl Links {
    /// The address that shows this thing in the piece viewer.
    pub fn to(&self, id: &str) -> String {
        format!("{}{}#piece", self.before, escaped(id))
    }

    /// A region.
    pub fn open(&self, id: &str, class: &str, marks: &Marks) -> String {
        self.tag(id, class, *marks, "")
    }

    /// A ship, a person or a Q with its frame.
    pub fn token(&self, kind: &str, token: &Token) -> String {
        let kind = if token.q { "q" } else { kind };
        let spent = if token.spent { " spent" } else { "" };
        let class = format!("t {kind} {}{spent}", token.side);
        let place = format!(" transform=\"translate({} {})\"", token.x, token.y);
        let tag = self.tag(&token.handle, &class, token.marks, &place);
        format!("{tag}<rect class=\"box\" width=\"{}\" height=\"{}\"/>", token.width, token.height)
    }

    /// Somebody aboard a ship.
    pub fn chip(&self, ship: &Token, chip: &Chip) -> String {
        let q = if chip.q { " q" } else { "" };
        let spent = if chip.spent { " spent" } else { "" };
        let class = format!("chip {}{q}{spent}", ship.side);
        let place = format!(" transform=\"translate({} {})\"", ship.x + chip.x, ship.y + chip.y);
        self.tag(&chip.handle, &class, chip.marks, &place)
    }

    /// A planet.
    pub fn planet(&self, planet: &PlanetArt) -> String {
        let place = format!(" transform=\"translate(170 {})\"", planet.centre);
        self.tag(&planet.id, &format!("planet {}", planet.side), planet.marks, &place)
    }

    fn tag(&self, id: &str, class: &str, marks: Marks, more: &str) -> String {
        let selected = if marks.selected { " selected" } else { "" };
        let id = escaped(id);
        let mut tag = format!("<a href=\"{}\" class=\"{class}{selected}\" data-piece=\"{id}\"", self.to(&id));
        if marks.subject {
            let _ = write!(tag, " data-subject=\"{id}\"");
        }
        tag + more + ">"
    }
}

/// Ids are plain words; should a data file ever say otherwise, they still can't leave their attribute.
fn escaped(text: &str) -> String {
    escape(text, Html).map(|safe| safe.to_string()).unwrap_or_default()
}
