//! Everything there is to know about a running game of ConQuest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::doctrine::Doctrine;
use super::handle::Handle;
use super::view::{CombatStatus, PhaseKey, Place};
use crate::rules::{Fate, Seat};

/// A whole game. Its data (map, types) is named by id and kept elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Id of the map.
    pub map: String,
    /// Turn, counted from 1.
    pub turn: u32,
    /// Where in the turn the game stands.
    pub stage: Stage,
    /// Seats that owe orders in the open phase, settled when it opens.
    pub due: Vec<Seat>,
    /// The sides of A and B.
    pub sides: [Side; 2],
    /// Who controls each planet, in map order.
    pub control: Vec<Option<Seat>>,
    /// All ships, people and Qs that ever came into play. Removed ones stay here, so that handles are never
    /// used twice and nothing gets lost count of.
    pub pieces: BTreeMap<Handle, Piece>,
}

impl State {
    /// The side of a seat.
    pub fn side(&self, seat: Seat) -> &Side {
        &self.sides[seat.index()]
    }

    /// The side of a seat, to change it.
    pub fn side_mut(&mut self, seat: Seat) -> &mut Side {
        &mut self.sides[seat.index()]
    }

    /// The piece with this handle if it is in play.
    pub fn in_play(&self, handle: Handle) -> Option<&Piece> {
        self.pieces.get(&handle).filter(|piece| piece.place.is_some())
    }

    /// Where the piece with this handle is; `None` when it is not in play.
    pub fn place(&self, handle: Handle) -> Option<Place> {
        self.pieces.get(&handle).and_then(|piece| piece.place)
    }

    /// How the game ended.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.stage {
            Stage::Over(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The open Attack phase's fight, in its sub-phases.
    pub fn fight(&self) -> Option<&Fight> {
        match &self.stage {
            Stage::Defence(fight) | Stage::Damage(fight) => Some(fight),
            _ => None,
        }
    }
}

/// Both seats in order.
pub const SEATS: [Seat; 2] = [Seat::A, Seat::B];

/// The other seat.
pub fn other(seat: Seat) -> Seat {
    if seat == Seat::A { Seat::B } else { Seat::A }
}

/// Where in a turn the game stands. Start and End ask nobody and are run through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Before the Start phase.
    Start,
    /// Deploy phase, open.
    Deploy,
    /// Attack phase, attacks are plotted.
    Attack,
    /// Attack phase, defenders are plotted.
    Defence(Fight),
    /// Attack phase, damage of a wave is assigned.
    Damage(Fight),
    /// Move phase, open.
    Move,
    /// The game has ended.
    Over(Outcome),
}

impl Stage {
    /// The phase a viewer sees. Start is never seen: it runs on to Deploy at once.
    pub fn phase(&self) -> PhaseKey {
        match self {
            Stage::Start | Stage::Deploy => PhaseKey::Deploy,
            Stage::Attack => PhaseKey::Attack,
            Stage::Defence(_) => PhaseKey::Defence,
            Stage::Damage(_) => PhaseKey::Damage,
            Stage::Move => PhaseKey::Move,
            Stage::Over(_) => PhaseKey::Over,
        }
    }
}

/// What belongs to one player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Control Points, never negative.
    pub cp: i32,
    /// What is left of the Control Group: copies by type id, none of them zero. The Q is in play.
    pub group: BTreeMap<String, u32>,
    /// Number of the next handle.
    pub next: u32,
    /// Standing order for damage.
    pub doctrine: Doctrine,
    /// Whether the Q was in Cheq at the start of this turn's Deploy phase.
    pub cheq: bool,
    /// What the seat's part has come to.
    pub fate: Fate,
}

impl Side {
    /// Pieces left in the Control Group.
    pub fn group_size(&self) -> u32 {
        self.group.values().sum()
    }
}

/// A ship, a person or a Q.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Id of its type.
    pub type_id: String,
    /// Where it is; `None` once it is out of the game.
    pub place: Option<Place>,
    /// Damage taken and not repaired.
    pub damage: i32,
    /// Actions spent this turn.
    pub used: i32,
    /// Whether a free defence was used this turn.
    pub free_used: bool,
    /// Hit this turn.
    pub hit: bool,
    /// Items on it, in order of coming. They stay here when it is removed.
    pub items: Vec<Item>,
}

impl Piece {
    /// A fresh piece.
    pub fn new(type_id: &str, place: Place) -> Piece {
        Piece {
            type_id: type_id.to_owned(),
            place: Some(place),
            damage: 0,
            used: 0,
            free_used: false,
            hit: false,
            items: Vec::new(),
        }
    }
}

/// An item on a piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Id of its type.
    pub type_id: String,
    /// The side from whose Control Group it came.
    pub owner: Seat,
}

/// The combats of an Attack phase, from the moment the attacks are in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fight {
    /// Who goes first; fixed when the attacks are in.
    pub initiative: Initiative,
    /// Whether both sides attack, so that initiative matters.
    pub both: bool,
    /// All groups: A's in plot order, then B's.
    pub groups: Vec<Group>,
    /// The wave being fought, 1 to 4; 0 before the first.
    pub wave: u8,
    /// Amounts of this wave that wait to be assigned, in the order they were dealt.
    pub blows: Vec<Blow>,
}

impl Fight {
    /// Which of the four waves a group fights in: priority groups of the side with initiative, of the other,
    /// then the rest in the same order.
    pub fn wave_of(&self, group: &Group) -> u8 {
        match (group.priority, group.seat == self.initiative.first) {
            (true, true) => 1,
            (true, false) => 2,
            (false, true) => 3,
            (false, false) => 4,
        }
    }
}

/// Who goes first, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initiative {
    /// The side that goes first.
    pub first: Seat,
    /// Control Points of A and B at that moment.
    pub cp: (i32, i32),
    /// Whether Control Points were equal and the dice decided.
    pub by_dice: bool,
}

/// All attackers of one side on one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The attacking side.
    pub seat: Seat,
    /// The piece attacked.
    pub target: Handle,
    /// In plot order.
    pub attackers: Vec<Handle>,
    /// In plot order.
    pub defenders: Vec<Handle>,
    /// Every attacker had attack priority when the attacks were in.
    pub priority: bool,
    /// How far it is.
    pub status: CombatStatus,
}

/// An amount of damage on its way to one of several pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blow {
    /// The amount dealt, above zero.
    pub amount: i32,
    /// The piece that dealt it.
    pub from: Handle,
    /// Index in [`Fight::groups`].
    pub group: usize,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The other side's Q was Cheqmated.
    Cheqmate(Seat),
    /// Most planets after the last turn.
    Planets(Seat),
    /// As many planets and more Control Points after the last turn.
    ControlPoints(Seat),
    /// Both Qs were Cheqmated.
    TieCheqmate,
    /// As many planets and Control Points after the last turn.
    Tie,
    /// This seat gave up, the other wins.
    Resigned(Seat),
    /// This seat let the clock run out, the other wins.
    Dropped(Seat),
    /// Both left at once; nobody wins.
    BothLeft,
}

impl Outcome {
    /// The winner, if there is one.
    pub fn winner(&self) -> Option<Seat> {
        match self {
            Outcome::Cheqmate(seat) | Outcome::Planets(seat) | Outcome::ControlPoints(seat) => Some(*seat),
            Outcome::Resigned(seat) | Outcome::Dropped(seat) => Some(other(*seat)),
            Outcome::TieCheqmate | Outcome::Tie | Outcome::BothLeft => None,
        }
    }

    /// A stable short text: `A cheqmate`, `tie`, `B dropped`.
    pub fn key(&self) -> String {
        match self {
            Outcome::Cheqmate(seat) => format!("{seat} cheqmate"),
            Outcome::Planets(seat) => format!("{seat} planets"),
            Outcome::ControlPoints(seat) => format!("{seat} control-points"),
            Outcome::TieCheqmate => "tie cheqmate".to_owned(),
            Outcome::Tie => "tie".to_owned(),
            Outcome::Resigned(seat) => format!("{seat} resigned"),
            Outcome::Dropped(seat) => format!("{seat} dropped"),
            Outcome::BothLeft => "both left".to_owned(),
        }
    }
}
