//! What one seat, or somebody without a seat, may know of a running game.
//!
//! Pages, letters and the checking of orders see nothing else. Everything in play is open; hidden are the
//! content of the opponent's Control Group, the opponent's doctrine and every plot of the open phase.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::data::Kind;
use super::doctrine::Doctrine;
use super::handle::Handle;
use crate::rules::{Fate, Seat};

/// The whole of what a viewer may know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Whose view this is; `None` for somebody without a seat.
    pub viewer: Option<Seat>,
    /// Turn, counted from 1.
    pub turn: u32,
    /// The turn after which the game ends at the latest.
    pub last_turn: u32,
    /// The open phase.
    pub phase: PhaseKey,
    /// Seats that owe orders now, in seat order. Never says which of them have handed in.
    pub due: Vec<Seat>,
    /// The map with who controls what.
    pub map: MapView,
    /// The two sides, A first.
    pub sides: Vec<SideView>,
    /// All ships, people and Qs in play: A's by number, then B's.
    pub pieces: Vec<PieceView>,
    /// Ships and people that were removed: A's by number, then B's.
    pub removed: Vec<RemovedView>,
    /// Every piece type this viewer can meet in the view: in play, removed, on a piece, in the own Control
    /// Group. By id.
    pub types: BTreeMap<String, TypeView>,
    /// The viewer's own Control Group: what is left of it, by kind and name. Empty without a seat.
    pub group: Vec<GroupEntry>,
    /// The viewer's own standing order for damage. `None` without a seat.
    pub doctrine: Option<Doctrine>,
    /// Who goes first in the open Attack phase; known in its Defence and Damage sub-phases only.
    pub initiative: Option<InitiativeView>,
    /// The attacks of the open Attack phase; there are some in its Defence and Damage sub-phases only.
    pub combats: Vec<CombatView>,
    /// Amounts of damage that wait to be assigned, of both sides; some in the Damage sub-phase only.
    pub blows: Vec<BlowView>,
    /// How the game ended; `None` while it runs.
    pub outcome: Option<OutcomeView>,
}

impl View {
    /// The piece in play with this handle.
    pub fn piece(&self, handle: Handle) -> Option<&PieceView> {
        self.pieces.iter().find(|piece| piece.handle == handle)
    }

    /// The side of a seat.
    pub fn side(&self, seat: Seat) -> &SideView {
        &self.sides[seat.index()]
    }

    /// Id of where a piece is: a region, a planet, or the ship that carries it.
    pub fn place_id(&self, place: Place) -> String {
        match place {
            Place::Region(region) => self.map.regions[region].id.clone(),
            Place::Planet(planet) => self.map.planets[planet].id.clone(),
            Place::Aboard(ship) => ship.to_string(),
        }
    }

    /// Where a piece is, in words: `Neutral Zone`, `aboard A2 Vor'cha`.
    pub fn place_words(&self, place: Place) -> String {
        match place {
            Place::Region(region) => self.map.regions[region].name.clone(),
            Place::Planet(planet) => self.map.planets[planet].name.clone(),
            Place::Aboard(ship) => match self.piece(ship) {
                Some(ship) => format!("aboard {}", ship.title()),
                None => format!("aboard {ship}"),
            },
        }
    }
}

/// The open phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKey {
    /// Pieces come into play.
    Deploy,
    /// Attacks are plotted.
    Attack,
    /// Defenders are plotted against the attacks.
    Defence,
    /// Damage is assigned.
    Damage,
    /// Ships beam and move.
    Move,
    /// The game has ended.
    Over,
}

impl PhaseKey {
    /// Stable short name: `deploy`.
    pub fn key(self) -> &'static str {
        match self {
            PhaseKey::Deploy => "deploy",
            PhaseKey::Attack => "attack",
            PhaseKey::Defence => "defence",
            PhaseKey::Damage => "damage",
            PhaseKey::Move => "move",
            PhaseKey::Over => "over",
        }
    }

    /// Name for people: `Deploy`.
    pub fn name(self) -> &'static str {
        match self {
            PhaseKey::Deploy => "Deploy",
            PhaseKey::Attack => "Attack",
            PhaseKey::Defence => "Defence",
            PhaseKey::Damage => "Damage",
            PhaseKey::Move => "Move",
            PhaseKey::Over => "Over",
        }
    }
}

/// The map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapView {
    /// Id of the map.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// The three regions in a line: home of A, Neutral Zone, home of B.
    pub regions: Vec<RegionView>,
    /// All planets in map order.
    pub planets: Vec<PlanetView>,
}

/// A region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionView {
    /// Id, as orders name it.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Whose home region it is.
    pub home: Option<Seat>,
}

/// A planet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanetView {
    /// Id, as orders name it.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Index in [`MapView::regions`].
    pub region: usize,
    /// Control Points it pays its controller at the start of every turn.
    pub income: i32,
    /// Whose home planet it is.
    pub home: Option<Seat>,
    /// Who controls it.
    pub control: Option<Seat>,
}

/// One side, as everybody sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideView {
    /// Whose.
    pub seat: Seat,
    /// Control Points.
    pub cp: i32,
    /// Control Points the next Start phase pays if nothing changes: planets, Q and abilities.
    pub income: i32,
    /// Planets controlled.
    pub planets: u32,
    /// Pieces left in the Control Group.
    pub group_size: u32,
    /// Whether the Q was in Cheq at the start of this turn's Deploy phase.
    pub cheq: bool,
    /// What its part in the game has come to.
    pub fate: Fate,
}

/// Where a piece in play is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A ship in the region with this index.
    Region(usize),
    /// A person or Q on the planet with this index.
    Planet(usize),
    /// A person or Q aboard this ship.
    Aboard(Handle),
}

/// A ship, a person or a Q in play. Figures count items and crew in, unless they say otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PieceView {
    /// Its handle.
    pub handle: Handle,
    /// Whose it is.
    pub seat: Seat,
    /// Id of its type, a key of [`View::types`].
    pub type_id: String,
    /// Name of its type.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub place: Place,
    /// Index of the region it is in, also when on a planet or aboard.
    pub region: usize,
    /// Least and most damage of one attack or defence, without what counts only against some opponents.
    pub combat: (i32, i32),
    /// The same of the type alone.
    pub base_combat: (i32, i32),
    /// Shields or hit points of the undamaged piece; 0 for a Q.
    pub toughness: i32,
    /// The same of the type alone.
    pub base_toughness: i32,
    /// Damage taken and not repaired.
    pub damage: i32,
    /// Shields or hit points left. In a Damage sub-phase it may be zero or less.
    pub left: i32,
    /// Actions left this turn.
    pub actions: i32,
    /// Actions it gets at the start of a turn.
    pub actions_most: i32,
    /// Items on it, in order of coming.
    pub items: Vec<ItemView>,
    /// People and Q aboard, by handle; ships only.
    pub crew: Vec<Handle>,
    /// Hit this turn.
    pub hit: bool,
    /// Has lost half or more of its shields or hit points.
    pub damaged: bool,
    /// A Q that is on a planet its owner does not control, now.
    pub in_cheq: bool,
    /// What it can do now, its items and crew counted in.
    pub powers: Powers,
}

impl PieceView {
    /// Handle and name: `A3 Klingon Lieutenant`.
    pub fn title(&self) -> String {
        format!("{} {}", self.handle, self.name)
    }
}

/// What a piece can do, with its items and crew counted in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Powers {
    /// Attacks before others do, if its whole group does.
    pub attack_priority: bool,
    /// Beams and moves before others do.
    pub move_priority: bool,
    /// May attack.
    pub can_attack: bool,
    /// May defend.
    pub can_defend: bool,
    /// Can still defend this turn without spending an action.
    pub free_defence: bool,
    /// Keeps enemy ships from moving into its region.
    pub blockade: bool,
    /// Keeps the enemy from beaming to or from its place.
    pub jammer: bool,
    /// Regions a ship can move in one action; 0 when it cannot move at all.
    pub reach: usize,
    /// Room for people aboard; `None`: without limit.
    pub capacity: Option<usize>,
    /// All of its abilities in words, own ones first, then those of items and crew with where they come from.
    pub in_words: Vec<String>,
}

/// An item on a piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemView {
    /// Id of its type, a key of [`View::types`].
    pub type_id: String,
    /// Name of its type.
    pub name: String,
    /// The side that put it there, which may be the enemy of the bearer.
    pub owner: Seat,
}

/// A ship or person that is out of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedView {
    /// Its handle.
    pub handle: Handle,
    /// Id of its type, a key of [`View::types`].
    pub type_id: String,
    /// Name of its type.
    pub name: String,
    /// Items that went with it.
    pub items: Vec<ItemView>,
}

/// A piece type, as the piece viewer shows it. All figures are those of the type alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeView {
    /// Its id, as orders name it.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Affiliation in words.
    pub affiliation: String,
    /// Skills in words.
    pub skills: Vec<String>,
    /// At most one in play, both sides counted.
    pub unique: bool,
    /// Control Points to deploy it.
    pub cost: i32,
    /// Least and most damage of one attack or defence.
    pub combat: (i32, i32),
    /// Shields or hit points.
    pub toughness: i32,
    /// Abilities in words, one each.
    pub abilities: Vec<String>,
    /// Where an item may be put, in words: `on your own Klingon people`.
    pub bearer: Option<String>,
    /// The description.
    pub text: String,
}

/// What is left of one type in the own Control Group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupEntry {
    /// Id of the type, a key of [`View::types`].
    pub type_id: String,
    /// How many are left, at least 1.
    pub count: u32,
    /// How many of them the Control Points would pay for now.
    pub affordable: u32,
}

/// Who goes first and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitiativeView {
    /// The side that goes first.
    pub first: Seat,
    /// Control Points of both sides at that moment.
    pub cp: (i32, i32),
    /// Whether Control Points were equal and the dice decided.
    pub by_dice: bool,
}

/// A group of attackers on one target, with who defends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CombatView {
    /// The attacking side.
    pub seat: Seat,
    /// The piece attacked.
    pub target: Handle,
    /// The attackers in plot order. Some may be out of the game by now.
    pub attackers: Vec<Handle>,
    /// The defenders in plot order; empty in the Defence sub-phase. Some may be out of the game by now.
    pub defenders: Vec<Handle>,
    /// Whether every attacker has attack priority.
    pub priority: bool,
    /// Which of the four waves it fights in, counted from 1.
    pub wave: u8,
    /// How far it is.
    pub status: CombatStatus,
}

/// How far a combat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CombatStatus {
    /// Its wave has not come.
    Waiting,
    /// Fought in the wave whose damage is being assigned, or in one before.
    Fought,
    /// Void: its target was gone, or no attacker was left.
    Void,
}

/// An amount of damage to be assigned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlowView {
    /// The side whose pieces take it and which assigns it.
    pub seat: Seat,
    /// The amount dealt.
    pub amount: i32,
    /// The piece that dealt it.
    pub from: Handle,
    /// Index in [`View::combats`].
    pub combat: usize,
    /// Pieces it may go to, with how much each would take: less than the amount if something protects it
    /// against the piece that dealt it.
    pub possible: Vec<(Handle, i32)>,
}

/// How the game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeView {
    /// The winner; `None` for a tie or when both left.
    pub winner: Option<Seat>,
    /// Stable short text: `A cheqmate`, `tie`, `A resigned`.
    pub key: String,
    /// A sentence that says who won and why.
    pub words: String,
}
