//! The data of Imperial Conflict: maps. What is loaded has been checked; see `load` for what that means.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Everything the game's files say.
#[derive(Clone, Debug)]
pub struct Data {
    /// The maps, never empty: the stock map first, the others by name.
    pub maps: Vec<GameMap>,
}

impl Data {
    /// The map with this id.
    pub fn map(&self, id: &str) -> Option<&GameMap> {
        self.maps.iter().find(|map| map.id == id)
    }
}

/// A map. Countries and continents are known by their place in these lists.
#[derive(Clone, Debug)]
pub struct GameMap {
    /// Stable short name, used in options and states: `world`.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Fewest players it is made for.
    pub least_players: usize,
    /// Most players it is made for.
    pub most_players: usize,
    /// The drawing's view box, in map units.
    pub view_box: ViewBox,
    /// The continents, in the order of the file.
    pub continents: Vec<Continent>,
    /// The countries, in the order of the file.
    pub countries: Vec<Country>,
    /// Ways across water or void, for drawing: each is also an entry among the neighbours.
    pub links: Vec<SeaLink>,
    /// Lines along which countries of different continents meet, for drawing.
    pub seams: Vec<Vec<Point>>,
}

impl GameMap {
    /// The country with this code.
    pub fn find(&self, code: Code) -> Option<usize> {
        self.countries.iter().position(|country| country.code == code)
    }

    /// Name of a country.
    pub fn name_of(&self, country: usize) -> &str {
        &self.countries[country].name
    }

    /// Whether one may attack or move from one to the other.
    pub fn adjacent(&self, one: usize, other: usize) -> bool {
        self.countries[one].neighbours.contains(&other)
    }

    /// The countries of a continent, in map order.
    pub fn members(&self, continent: usize) -> impl Iterator<Item = usize> + '_ {
        self.countries.iter().enumerate().filter(move |(_, it)| it.continent == continent).map(|(country, _)| country)
    }

    /// The symbol of a country's card: in rotation over the map's country order.
    pub fn symbol(&self, country: usize) -> Symbol {
        Symbol::ALL[country % Symbol::ALL.len()]
    }
}

/// A group of countries that pays its holder.
#[derive(Clone, Debug)]
pub struct Continent {
    /// Stable short name: `north-america`.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Armies it pays each turn to a player who holds all of it.
    pub bonus: u32,
    /// Colour for drawing, `#rrggbb`, where the map suggests one.
    pub colour: Option<String>,
    /// Where its name is, in the middle of the text; on free ground, where the map says so.
    pub label: Option<Point>,
}

/// A country.
#[derive(Clone, Debug)]
pub struct Country {
    /// Three capitals, unique on the map.
    pub code: Code,
    /// Name for people, unique on the map.
    pub name: String,
    /// The name in lower case with single spaces, as orders are compared with it.
    pub plain_name: String,
    /// The continent it lies on.
    pub continent: usize,
    /// Where one can attack or move to from here, ascending.
    pub neighbours: Vec<usize>,
    /// Where the army count is, in map units.
    pub label: Point,
    /// The outline: closed lines round its parts, islands and lakes among them (even-odd rule).
    pub rings: Vec<Vec<Point>>,
}

/// A way across water or void, drawn as dashed lines.
#[derive(Clone, Debug)]
pub struct SeaLink {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// Polylines; two of them where the way leaves the map on one side and comes back on the other.
    pub paths: Vec<Vec<Point>>,
}

/// Parts of a map unit in which coordinates are kept: thousandths.
pub const UNIT: i64 = 1000;

/// A point of a drawing, in thousandths of a map unit; x to the right, y down. Shown in map units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: i64,
    /// Down.
    pub y: i64,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", Units(self.x), Units(self.y))
    }
}

/// A length in thousandths, shown in map units with the fewest decimals: `12.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units(pub i64);

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.abs() / UNIT, self.0.abs() % UNIT);
        if rest == 0 {
            return write!(f, "{sign}{whole}");
        }
        let decimals = format!("{rest:03}");
        write!(f, "{sign}{whole}.{}", decimals.trim_end_matches('0'))
    }
}

/// The part of the plane a drawing shows, in thousandths of a map unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewBox {
    /// Upper left corner.
    pub corner: Point,
    /// Lower right corner, both coordinates greater.
    pub far: Point,
}

impl ViewBox {
    /// Whether a point lies in it, edges included.
    pub fn holds(&self, point: Point) -> bool {
        (self.corner.x..=self.far.x).contains(&point.x) && (self.corner.y..=self.far.y).contains(&point.y)
    }
}

/// The short name of a country: three capital letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code([u8; 3]);

impl Code {
    /// The code as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("three capital letters")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is no country code.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("“{0}” is not a country code: a code is three capital letters")]
pub struct NoCode(String);

impl FromStr for Code {
    type Err = NoCode;

    fn from_str(text: &str) -> Result<Code, NoCode> {
        match <[u8; 3]>::try_from(text.as_bytes()) {
            Ok(letters) if letters.iter().all(u8::is_ascii_uppercase) => Ok(Code(letters)),
            _ => Err(NoCode(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Code {
    type Error = NoCode;

    fn try_from(text: String) -> Result<Code, NoCode> {
        text.parse()
    }
}

impl From<Code> for String {
    fn from(code: Code) -> String {
        code.to_string()
    }
}

/// What is drawn on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Symbol {
    /// On foot.
    Soldier,
    /// Mounted.
    Horseman,
    /// Artillery.
    Cannon,
}

impl Symbol {
    /// All of them, in the order in which they go round the countries.
    pub const ALL: [Symbol; 3] = [Symbol::Soldier, Symbol::Horseman, Symbol::Cannon];

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Symbol::Soldier => "soldier",
            Symbol::Horseman => "horseman",
            Symbol::Cannon => "cannon",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_show_the_fewest_decimals() {
        let shown: Vec<String> = [0, 1000, -500, 12_340, -1001].map(|length| Units(length).to_string()).into();
        assert_eq!(shown, ["0", "1", "-0.5", "12.34", "-1.001"]);
    }

    #[test]
    fn a_code_is_three_capitals() {
        assert_eq!("ALA".parse::<Code>().unwrap().to_string(), "ALA");
        for wrong in ["ala", "AL", "ALAS", "AÄ", ""] {
            assert!(wrong.parse::<Code>().is_err(), "{wrong} was taken for a code");
        }
    }
}
