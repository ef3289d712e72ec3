//! What the data files of ConQuest say, checked and ready to play with: figures, maps, piece types and
//! stock Control Groups. Nothing in here changes while a game runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::group::ControlGroup;
use crate::rules::Seat;

/// Everything the data files hold. Made by the loader only, so every reference in it holds: pieces of
/// groups exist, planets stand in regions of their map, affiliations and skills are allowed ones.
#[derive(Clone, Debug)]
pub struct Data {
    /// The figures of `game.toml`.
    pub rules: Figures,
    /// All maps, sorted by id; at least one.
    pub maps: Vec<GameMap>,
    /// All piece types by id; at least one of them a Q.
    pub pieces: BTreeMap<String, PieceType>,
    /// All stock Control Groups, sorted by id.
    pub groups: Vec<StockGroup>,
    /// Ids of the affiliations that pieces may have, in the order of `game.toml`.
    pub affiliations: Vec<String>,
    /// Ids of the skills that people may have, in the order of `game.toml`.
    pub skills: Vec<String>,
}

impl Data {
    /// The map with this id.
    pub fn map(&self, id: &str) -> Option<&GameMap> {
        self.maps.iter().find(|map| map.id == id)
    }

    /// The piece type with this id.
    pub fn piece(&self, id: &str) -> Option<&PieceType> {
        self.pieces.get(id)
    }

    /// The stock Control Group with this id.
    pub fn group(&self, id: &str) -> Option<&StockGroup> {
        self.groups.iter().find(|group| group.id == id)
    }

    /// The Q a side gets where none is named: the first in order of ids.
    pub fn default_q(&self) -> &PieceType {
        self.pieces.values().find(|piece| piece.kind == Kind::Q).expect("the loader requires a Q")
    }
}

/// Figures that hold for every game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Pieces of a Control Group apart from its Q.
    pub group_size: u32,
    /// Most copies of one type in a Control Group.
    pub copies: u32,
    /// The game ends after this turn at the latest.
    pub last_turn: u32,
}

/// A map: three regions in a line and their planets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameMap {
    /// Stable short name: `preceptor-nebula`.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// One sentence for the page where a map is chosen.
    pub summary: String,
    /// Control Points each player starts with, before the first turn's income.
    pub start_cp: i32,
    /// Control Points each player gets from their Q at the start of every turn.
    pub q_income: i32,
    /// Exactly three: the home of seat A, the Neutral Zone, the home of seat B.
    pub regions: Vec<Region>,
    /// All planets in map order; exactly one home planet for each seat.
    pub planets: Vec<Planet>,
}

impl GameMap {
    /// Index in [`GameMap::regions`] of the home region of a seat.
    pub fn home_region(&self, seat: Seat) -> usize {
        if seat == Seat::A { 0 } else { 2 }
    }

    /// Index in [`GameMap::planets`] of the home planet of a seat.
    pub fn home_planet(&self, seat: Seat) -> usize {
        let planet = self.planets.iter().position(|planet| planet.home == Some(seat));
        planet.expect("the loader requires a home planet for A and for B")
    }
}

/// One of the three regions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Unique on the map, also among planets.
    pub id: String,
    /// Name for people, unique like the id.
    pub name: String,
}

/// A planet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planet {
    /// Unique on the map, also among regions.
    pub id: String,
    /// Name for people, unique like the id.
    pub name: String,
    /// Index in [`GameMap::regions`].
    pub region: usize,
    /// Control Points it pays its controller at the start of every turn.
    pub income: i32,
    /// The seat whose home planet this is.
    pub home: Option<Seat>,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Moves between regions, beams, fights ships.
    Ship,
    /// Stands on planets or aboard ships, fights people, takes planets.
    Person,
    /// Lies on a ship or a person.
    Item,
    /// What the game is about: one a side.
    Q,
}

impl Kind {
    /// The word used in data files and texts.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Ship => "ship",
            Kind::Person => "person",
            Kind::Item => "item",
            Kind::Q => "Q",
        }
    }
}

/// A type of piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PieceType {
    /// Stable short name: `klingon-lieutenant`.
    pub id: String,
    /// Name for people, unique among all types.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Id of its affiliation.
    pub affiliation: String,
    /// Ids of its skills; ships may have them too.
    pub skills: Vec<String>,
    /// At most one piece of the type may be in play, both players counted.
    pub unique: bool,
    /// Control Points to deploy it; 0 for a Q.
    pub cost: i32,
    /// Least and most damage of one attack or defence; `(0, 0)` for items and Qs.
    pub combat: (i32, i32),
    /// Shields of a ship, hit points of a person; 0 for items and Qs.
    pub toughness: i32,
    /// What it can do besides. Those of an item apply to its bearer.
    pub abilities: Vec<Ability>,
    /// Where an item may be put; `None` for everything else.
    pub item: Option<ItemUse>,
    /// A description in words.
    pub text: String,
}

/// Something a piece can do, or that an item does to its bearer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ability {
    /// Which.
    pub what: AbilityKind,
    /// Its figure; 1 where the file writes `true`. Negative hinders.
    pub amount: i32,
    /// When it counts; `None`: always. Only [`AbilityKind::Combat`] and [`AbilityKind::Toughness`] have one.
    pub condition: Option<Condition>,
    /// `carrier_bonus`: counts for the ship while this person is its crew, and not for the person.
    pub carrier: bool,
}

/// The abilities there are. Those without a figure of their own are had by a piece for which the sum over
/// itself, its items and its crew's carrier bonuses is above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbilityKind {
    /// Attacks before others do, if its whole group has it.
    AttackPriority,
    /// Its beams and moves are carried out before others'.
    MovePriority,
    /// It is deployed before others.
    DeployPriority,
    /// So many more actions a turn.
    ExtraAction,
    /// Moves up to so many regions.
    Warp,
    /// Enemy ships may not move into its region.
    Blockade,
    /// More damage dealt.
    Combat,
    /// More shields or hit points.
    Toughness,
    /// Repairs ships in its region, or the ship it is on, at the end of the turn.
    Repair,
    /// Heals people at its place at the end of the turn.
    Heal,
    /// Pays Control Points while on a planet its owner controls.
    Income,
    /// Defends once a turn without spending an action.
    FreeDefence,
    /// May not defend.
    CannotDefend,
    /// May not attack.
    CannotAttack,
    /// Room for so many people aboard.
    Capacity,
    /// The enemy cannot beam to or from its place.
    Jammer,
}

impl AbilityKind {
    /// All of them.
    pub const ALL: [AbilityKind; 16] = [
        AbilityKind::AttackPriority,
        AbilityKind::MovePriority,
        AbilityKind::DeployPriority,
        AbilityKind::ExtraAction,
        AbilityKind::Warp,
        AbilityKind::Blockade,
        AbilityKind::Combat,
        AbilityKind::Toughness,
        AbilityKind::Repair,
        AbilityKind::Heal,
        AbilityKind::Income,
        AbilityKind::FreeDefence,
        AbilityKind::CannotDefend,
        AbilityKind::CannotAttack,
        AbilityKind::Capacity,
        AbilityKind::Jammer,
    ];

    /// The word used in data files.
    pub fn word(self) -> &'static str {
        match self {
            AbilityKind::AttackPriority => "attack_priority",
            AbilityKind::MovePriority => "move_priority",
            AbilityKind::DeployPriority => "deploy_priority",
            AbilityKind::ExtraAction => "extra_action",
            AbilityKind::Warp => "warp",
            AbilityKind::Blockade => "blockade",
            AbilityKind::Combat => "combat",
            AbilityKind::Toughness => "toughness",
            AbilityKind::Repair => "repair",
            AbilityKind::Heal => "heal",
            AbilityKind::Income => "income",
            AbilityKind::FreeDefence => "free_defence",
            AbilityKind::CannotDefend => "cannot_defend",
            AbilityKind::CannotAttack => "cannot_attack",
            AbilityKind::Capacity => "capacity",
            AbilityKind::Jammer => "jammer",
        }
    }

    /// Whether it is had or not had, instead of being so much.
    pub fn is_switch(self) -> bool {
        matches!(
            self,
            AbilityKind::AttackPriority
                | AbilityKind::MovePriority
                | AbilityKind::DeployPriority
                | AbilityKind::Blockade
                | AbilityKind::FreeDefence
                | AbilityKind::CannotDefend
                | AbilityKind::CannotAttack
                | AbilityKind::Jammer
        )
    }
}

/// When an ability counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Whom the test is about.
    pub side: ConditionSide,
    /// The test.
    pub test: ConditionTest,
}

/// Whom a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionSide {
    /// The piece that has the ability or bears the item.
    For,
    /// The piece it fights.
    Against,
}

/// What a condition asks of a piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionTest {
    /// To be of this affiliation.
    Affiliation(String),
    /// To have this skill.
    Skill(String),
    /// To be of this kind.
    Kind(Kind),
}

impl ConditionTest {
    /// Whether a piece of this type passes.
    pub fn holds_for(&self, piece: &PieceType) -> bool {
        match self {
            ConditionTest::Affiliation(affiliation) => piece.affiliation == *affiliation,
            ConditionTest::Skill(skill) => piece.skills.contains(skill),
            ConditionTest::Kind(kind) => piece.kind == *kind,
        }
    }
}

/// Where an item may be put.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemUse {
    /// Whose pieces may bear it.
    pub whose: Whose,
    /// Kinds that may bear it: ships, people or both; never empty.
    pub bearer: Vec<Kind>,
    /// Affiliation the bearer needs.
    pub affiliation: Option<String>,
    /// Skill the bearer needs.
    pub skill: Option<String>,
}

impl ItemUse {
    /// Whether a piece of this type may bear it, as far as its type goes; whose it is stands apart.
    pub fn suits(&self, piece: &PieceType) -> bool {
        self.bearer.contains(&piece.kind)
            && self.affiliation.as_ref().is_none_or(|affiliation| piece.affiliation == *affiliation)
            && self.skill.as_ref().is_none_or(|skill| piece.skills.contains(skill))
    }
}

/// Whose pieces an item goes on, seen from the player who deploys it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// One's own.
    Own,
    /// The opponent's.
    Enemy,
    /// Anybody's.
    Any,
}

/// A ready-made Control Group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StockGroup {
    /// Stable short name.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// One sentence: its way to win.
    pub summary: String,
    /// Its pieces.
    pub group: ControlGroup,
}

/// An id in words, as texts show affiliations and skills: `federation` becomes `Federation`.
pub fn in_words(id: &str) -> String {
    let mut words = String::with_capacity(id.len());
    let mut starts = true;
    for letter in id.chars() {
        if letter == '-' {
            words.push(' ');
            starts = true;
        } else if starts {
            words.extend(letter.to_uppercase());
            starts = false;
        } else {
            words.push(letter);
        }
    }
    words
}
