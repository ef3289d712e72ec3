//! What happens in a game, as it is kept in the log. Sentences are made of it in `tell`.
//!
//! Events carry names apart from handles and ids, so that a log can be read without the state it came from.

use serde::{Deserialize, Serialize};

use super::doctrine::Doctrine;
use super::handle::Handle;
use super::state::{Initiative, Outcome};
use super::view::PhaseKey;
use crate::rules::{Leaving, Seat};

/// A piece by handle and name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its handle.
    pub handle: Handle,
    /// Name of its type.
    pub name: String,
}

/// A place by id and name: region, planet, or ship.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// Id, or the handle of a ship.
    pub id: String,
    /// Name, with the handle in front for a ship.
    pub name: String,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Heading: a turn begins.
    TurnBegins {
        /// Which.
        turn: u32,
    },
    /// Heading: a phase is carried out.
    PhaseBegins {
        /// Which.
        phase: PhaseKey,
        /// Of which turn.
        turn: u32,
    },
    /// Nobody had a choice, so nobody was asked.
    PhasePasses {
        /// Which.
        phase: PhaseKey,
    },
    /// The Start phase paid a side.
    Income {
        /// Whom.
        seat: Seat,
        /// For planets.
        planets: i32,
        /// For the Q.
        q: i32,
        /// For abilities of pieces.
        pieces: i32,
        /// Control Points afterwards.
        cp: i32,
    },
    /// A Q is in Cheq.
    Cheq {
        /// Whose.
        seat: Seat,
        /// Where it is.
        planet: Spot,
    },
    /// Order mattered, so it was settled who goes first.
    Initiative {
        /// In which phase.
        phase: PhaseKey,
        /// Who and why.
        initiative: Initiative,
    },
    /// A piece came into play.
    Deployed {
        /// Who deployed it.
        seat: Seat,
        /// Name of the type.
        name: String,
        /// Its handle; `None` for an item.
        handle: Option<Handle>,
        /// Where it appeared, or the bearer of an item.
        place: Spot,
        /// What it cost.
        cost: i32,
        /// Control Points afterwards.
        cp: i32,
    },
    /// A deploy could not be done any more when it was reached.
    NotDeployed {
        /// Whose.
        seat: Seat,
        /// Name of the type.
        name: String,
        /// Why.
        why: NotDeployed,
    },
    /// An order of the plot was not legal, and was left out.
    LeftOut {
        /// Whose.
        seat: Seat,
        /// The order in notation.
        order: String,
        /// The refusal.
        why: String,
    },
    /// A player left a standing order.
    DoctrineSet {
        /// Who.
        seat: Seat,
        /// What.
        doctrine: Doctrine,
        /// The pieces in it with their names.
        pieces: Vec<Named>,
    },
    /// Something that is about pieces only.
    Piece(PieceEvent),
    /// A planet changed hands.
    Control {
        /// Which.
        planet: Spot,
        /// Who controls it now.
        seat: Seat,
        /// Who did before.
        before: Option<Seat>,
    },
    /// A Q is Cheqmated.
    Cheqmate {
        /// Whose.
        seat: Seat,
        /// Where it is.
        planet: Spot,
    },
    /// The last turn is over: what counts.
    Reckoning {
        /// Planets of A and B.
        planets: (usize, usize),
        /// Control Points of A and B.
        cp: (i32, i32),
    },
    /// A player left.
    Left {
        /// Who.
        seat: Seat,
        /// How.
        how: Leaving,
    },
    /// The game is over.
    Over {
        /// How it ended.
        outcome: Outcome,
        /// The turn it ended in.
        turn: u32,
        /// The turn after which it had to end.
        last_turn: u32,
    },
}

/// Something that happened to pieces: fights, beams, moves, repairs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PieceEvent {
    /// A group attacks.
    Attack {
        /// The group.
        attackers: Vec<Named>,
        /// The piece attacked.
        target: Named,
        /// Where.
        place: Spot,
        /// Whether the group has priority.
        priority: bool,
        /// Attackers whose priority is lost because others in the group have none.
        lost_priority: Vec<Named>,
    },
    /// A piece defends.
    Defends {
        /// The defender.
        who: Named,
        /// The piece attacked.
        target: Named,
        /// The group it defends against.
        attackers: Vec<Named>,
        /// Whether it spent no action.
        free: bool,
    },
    /// A group's turn to fight has come.
    Fight {
        /// The piece attacked.
        target: Named,
        /// Attackers still in play.
        attackers: Vec<Named>,
        /// Why it fights now.
        turn: FightTurn,
    },
    /// A group does not fight.
    Void {
        /// The piece that was to be attacked.
        target: Named,
        /// The group.
        attackers: Vec<Named>,
        /// Whether the target is gone; otherwise all attackers are.
        target_gone: bool,
    },
    /// A fighter fired.
    Fires {
        /// Who.
        from: Named,
        /// At whom.
        at: Vec<Named>,
        /// Whether it is a defender.
        back: bool,
        /// What it dealt.
        amount: i32,
        /// Least possible.
        low: i32,
        /// Most possible.
        high: i32,
    },
    /// An amount went to a piece.
    Damaged {
        /// The piece.
        who: Named,
        /// The amount dealt.
        amount: i32,
        /// What it took of it.
        takes: i32,
        /// Who dealt it.
        from: Named,
        /// Shields or hit points left.
        left: i32,
        /// Who decided that.
        by: AssignedBy,
    },
    /// An amount lapsed because every piece it could go to is at zero.
    Lapsed {
        /// The amount.
        amount: i32,
        /// Who dealt it.
        from: Named,
    },
    /// A piece is out of the game.
    Removed {
        /// Which.
        who: Named,
        /// Names of the items that went with it.
        items: Vec<String>,
        /// The ship it was aboard of, if it went down with it.
        with: Option<Named>,
    },
    /// A Q lost its ship.
    QDrops {
        /// The Q.
        who: Named,
        /// Where it lands.
        planet: Spot,
    },
    /// Pieces were beamed.
    Beamed {
        /// The ship that acted.
        ship: Named,
        /// Who was beamed.
        who: Vec<Named>,
        /// From where.
        from: Spot,
        /// To where.
        to: Spot,
    },
    /// A beam was not possible any more when it was reached.
    NotBeamed {
        /// The ship that acted, its action spent.
        ship: Named,
        /// Who stayed.
        who: Vec<Named>,
        /// Why.
        why: NotBeamed,
    },
    /// A ship moved.
    Moved {
        /// Which.
        ship: Named,
        /// From where.
        from: Spot,
        /// To where.
        to: Spot,
    },
    /// A move was not possible any more when it was reached.
    NotMoved {
        /// Which, its action spent.
        ship: Named,
        /// Where it was to go.
        to: Spot,
        /// Why.
        why: NotMoved,
    },
    /// A piece got shields or hit points back.
    Mended {
        /// Which.
        who: Named,
        /// How much.
        amount: i32,
        /// Who did it.
        by: Vec<Named>,
        /// Shields or hit points afterwards.
        left: i32,
    },
}

impl From<PieceEvent> for Event {
    fn from(event: PieceEvent) -> Event {
        Event::Piece(event)
    }
}

/// Why a deploy was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotDeployed {
    /// A piece of its unique type is in play now.
    Unique,
    /// The bearer is out of the game.
    BearerGone(Handle),
    /// There are not enough Control Points or pieces left.
    Unpaid,
}

/// Why somebody was not beamed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotBeamed {
    /// Jammed by this piece.
    Jammed(Named),
    /// No room aboard this ship.
    NoRoom(Named),
    /// A ship or somebody to be beamed is out of the game.
    Gone,
}

/// Why a ship did not move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotMoved {
    /// This piece blockades a region on its way.
    Blockade {
        /// Who.
        by: Named,
        /// Where.
        region: Spot,
    },
    /// It does not reach that far any more.
    Reach,
}

/// Why a group fights when it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FightTurn {
    /// Whether it is the first group of the phase to fight.
    pub first: bool,
    /// Whether the group has priority.
    pub priority: bool,
    /// Who attacks first, where both sides attack.
    pub initiative: Option<Initiative>,
}

/// Who decided where an amount went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssignedBy {
    /// There was one possible piece only.
    Rules,
    /// Its player.
    Player,
    /// Its player's standing order, or the default one.
    Doctrine,
}
