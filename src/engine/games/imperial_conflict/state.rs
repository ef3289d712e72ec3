//! Everything there is to know about a running game.

use serde::{Deserialize, Serialize};

use super::data::{Data, GameMap};
use crate::rules::{Fate, Seat};

/// A game of Imperial Conflict. Countries and cards are numbers in map order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Id of the map.
    pub map: String,
    /// All seats in order of play.
    pub order: Vec<Seat>,
    /// Who holds each country with how many armies, in map order.
    #[serde(with = "packed")]
    pub holdings: Vec<Holding>,
    /// Cards of each seat, in seat order, ascending. Secret; only their number is open.
    pub hands: Vec<Vec<usize>>,
    /// Cards to draw, the next one first. Secret.
    pub deck: Vec<usize>,
    /// Exchanged cards, in order.
    pub discard: Vec<usize>,
    /// Exchanges so far, of all players together.
    pub exchanges: u32,
    /// What each seat's part has come to, in seat order.
    pub fates: Vec<Fate>,
    /// Number of the running turn, every player's turn counted, from 1; before the first it is 1 as well.
    pub turn_no: u32,
    /// Where the game stands.
    pub stage: Stage,
}

/// A country's owner and armies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Who holds it; also a seat that has left.
    pub owner: Seat,
    /// Armies on it, at least 1.
    pub armies: u32,
}

/// Holdings as stored: the owners as one text of seat letters, the armies as a list beside it. A state is read
/// and written at every step; so it is short and quick to read.
mod packed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Holding;
    use crate::rules::Seat;

    #[derive(Serialize, Deserialize)]
    struct Packed<'a> {
        #[serde(borrow)]
        owners: std::borrow::Cow<'a, str>,
        armies: Vec<u32>,
    }

    pub fn serialize<S: Serializer>(holdings: &[Holding], serializer: S) -> Result<S::Ok, S::Error> {
        let owners: String = holdings.iter().map(|holding| holding.owner.letter()).collect();
        let armies = holdings.iter().map(|holding| holding.armies).collect();
        Packed { owners: owners.into(), armies }.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Holding>, D::Error> {
        let packed = Packed::deserialize(deserializer)?;
        if packed.owners.len() != packed.armies.len() {
            return Err(D::Error::custom("owners and armies are not equally many"));
        }
        let holding = |(letter, armies): (u8, u32)| {
            let index = usize::from(letter).checked_sub(usize::from(b'A'));
            let owner = index.and_then(Seat::from_index).ok_or_else(|| D::Error::custom("an owner is not a seat"))?;
            Ok(Holding { owner, armies })
        };
        packed.owners.bytes().zip(packed.armies).map(holding).collect()
    }
}

/// Where the game stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Everybody places the starting armies at once.
    Placement {
        /// Armies each seat has to place, in seat order.
        left: Vec<u32>,
        /// Whether the clock runs on because somebody left in the meantime.
        running: bool,
    },
    /// Somebody's turn.
    Turn(Turn),
    /// The game has ended.
    Over {
        /// Who won; `None` when nobody was left.
        winner: Option<Seat>,
    },
}

/// The running turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Whose turn it is.
    pub seat: Seat,
    /// Armies that wait to be placed.
    pub left: u32,
    /// Whether an attack was made: then no more cards are exchanged of one's own accord.
    pub attacked: bool,
    /// Whether a country was captured: then a card is drawn at the end.
    pub captured: bool,
    /// The country captured last, while further armies may still move into it.
    pub occupy: Option<Occupy>,
    /// What can be taken back, the latest last.
    pub undo: Vec<Undo>,
    /// Whether the turn's clock runs already: something was handed in, or somebody left.
    pub running: bool,
}

impl Turn {
    /// A turn that begins with these reinforcements.
    pub fn begin(seat: Seat, left: u32) -> Turn {
        Turn { seat, left, attacked: false, captured: false, occupy: None, undo: Vec::new(), running: false }
    }
}

/// A country just captured, and where from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupy {
    /// Where the attack came from.
    pub from: usize,
    /// The captured country.
    pub to: usize,
}

/// A step that told nobody anything and can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// Armies placed on a country.
    Deploy {
        /// How many.
        armies: u32,
        /// Where.
        country: usize,
    },
    /// Armies moved into a captured country.
    Occupy {
        /// How many.
        armies: u32,
        /// From where to where.
        way: Occupy,
    },
}

impl State {
    /// The map of this game.
    ///
    /// # Panics
    /// When the data is not the one the game was started with.
    pub fn map<'d>(&self, data: &'d Data) -> &'d GameMap {
        data.map(&self.map).expect("a table keeps the content it started with")
    }

    /// Number of seats at the start.
    pub fn seats(&self) -> usize {
        self.fates.len()
    }

    /// Whether the seat still plays.
    pub fn is_active(&self, seat: Seat) -> bool {
        self.fates.get(seat.index()) == Some(&Fate::Active)
    }

    /// The seats that still play, in seat order.
    pub fn active(&self) -> Vec<Seat> {
        Seat::first(self.seats()).filter(|seat| self.is_active(*seat)).collect()
    }

    /// How many countries the seat holds.
    pub fn countries_of(&self, seat: Seat) -> usize {
        self.holdings.iter().filter(|holding| holding.owner == seat).count()
    }

    /// The running turn, if it is somebody's.
    pub fn turn(&self) -> Option<&Turn> {
        match &self.stage {
            Stage::Turn(turn) => Some(turn),
            Stage::Placement { .. } | Stage::Over { .. } => None,
        }
    }

    /// The running turn, to change it.
    pub fn turn_mut(&mut self) -> Option<&mut Turn> {
        match &mut self.stage {
            Stage::Turn(turn) => Some(turn),
            Stage::Placement { .. } | Stage::Over { .. } => None,
        }
    }

    /// The armies a seat gets at the start of a turn: from its countries, and from each continent held whole.
    pub fn reinforcements(&self, map: &GameMap, seat: Seat) -> Reinforcements {
        reinforcements(map, &self.holdings, seat)
    }
}

/// Where a turn's armies come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reinforcements {
    /// Countries held.
    pub countries: usize,
    /// Armies for them.
    pub base: u32,
    /// Continents held whole.
    pub continents: Vec<usize>,
    /// Base and all bonuses.
    pub total: u32,
}

/// One army for three countries, three at least, and the bonus of each continent held whole.
pub fn reinforcements(map: &GameMap, holdings: &[Holding], seat: Seat) -> Reinforcements {
    let countries = holdings.iter().filter(|holding| holding.owner == seat).count();
    let base = u32::try_from(countries / 3).expect("few countries").max(3);
    let holds = |continent: &usize| map.members(*continent).all(|country| holdings[country].owner == seat);
    let continents: Vec<usize> = (0..map.continents.len()).filter(holds).collect();
    let total = base + continents.iter().map(|continent| map.continents[*continent].bonus).sum::<u32>();
    Reinforcements { countries, base, continents, total }
}
