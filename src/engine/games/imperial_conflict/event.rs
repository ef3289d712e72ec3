//! What can happen. Events carry the names they are told with, so that telling them needs no state.

use serde::{Deserialize, Serialize};

use super::data::Symbol;
use crate::rules::{Leaving, Seat};

/// One thing that happened. Countries and continents are given by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The countries were dealt.
    Dealt {
        /// Name of the map.
        map: String,
        /// How many countries each seat got, in order of play.
        countries: Vec<(Seat, usize)>,
        /// Starting armies of each.
        armies: u32,
        /// Whether each places them by plot; else they were placed by the dice.
        plotted: bool,
    },
    /// A seat's starting armies stand: by its plot, or by the dice.
    Placed {
        /// Whose.
        seat: Seat,
        /// Where and how many, in map order.
        armies: Vec<(String, u32)>,
    },
    /// A turn begins.
    TurnBegins {
        /// Number of the turn.
        turn: u32,
        /// Whose.
        seat: Seat,
        /// Countries held.
        countries: usize,
        /// Armies for them.
        base: u32,
        /// Continents held whole with their bonus.
        continents: Vec<(String, u32)>,
        /// All armies to place.
        total: u32,
    },
    /// Cards were exchanged.
    Exchanged {
        /// By whom.
        seat: Seat,
        /// The three cards.
        cards: Vec<(String, Symbol)>,
        /// Number of the exchange in the game.
        nth: u32,
        /// Armies to place for it.
        armies: u32,
        /// Countries on which extra armies stand at once.
        bonus: Vec<String>,
    },
    /// Armies were placed.
    Deployed {
        /// By whom.
        seat: Seat,
        /// How many.
        armies: u32,
        /// Where.
        country: String,
        /// How many wait still.
        left: u32,
    },
    /// One roll of an attack.
    Rolled {
        /// Who attacks.
        seat: Seat,
        /// Who defends.
        against: Seat,
        /// From where.
        from: String,
        /// On what.
        to: String,
        /// The attacker's dice, highest first.
        attack: Vec<i64>,
        /// The defender's dice, highest first.
        defence: Vec<i64>,
        /// Armies the attacker lost.
        attacker_lost: u32,
        /// Armies the defender lost.
        defender_lost: u32,
        /// Armies left where the attack comes from.
        attackers: u32,
        /// Armies left on the attacked country.
        defenders: u32,
    },
    /// A country was captured.
    Captured {
        /// By whom.
        seat: Seat,
        /// From whom.
        against: Seat,
        /// Where the attack came from.
        from: String,
        /// The country.
        to: String,
        /// Armies that moved in.
        armies: u32,
    },
    /// A seat lost its last country.
    Eliminated {
        /// By whom.
        seat: Seat,
        /// Who is out.
        loser: Seat,
        /// Whether it had left the game before.
        had_left: bool,
        /// Cards that changed hands.
        cards: usize,
    },
    /// The cards taken with a last country, for the one who took them.
    TookCards {
        /// Who has them now.
        seat: Seat,
        /// From whom.
        from: Seat,
        /// Which.
        cards: Vec<(String, Symbol)>,
    },
    /// Taking cards has left too many: sets must be exchanged at once.
    MustExchange {
        /// Who must.
        seat: Seat,
        /// Cards held.
        cards: usize,
    },
    /// Further armies moved into the country captured last.
    Occupied {
        /// By whom.
        seat: Seat,
        /// How many.
        armies: u32,
        /// From where.
        from: String,
        /// To where.
        to: String,
    },
    /// A deployment was taken back.
    TookBackDeployment {
        /// By whom.
        seat: Seat,
        /// How many armies.
        armies: u32,
        /// From where.
        country: String,
    },
    /// Moving further armies in was taken back.
    TookBackOccupation {
        /// By whom.
        seat: Seat,
        /// How many armies.
        armies: u32,
        /// From where they return.
        from: String,
        /// To where.
        to: String,
    },
    /// The move that ends a turn.
    Fortified {
        /// By whom.
        seat: Seat,
        /// How many armies.
        armies: u32,
        /// From where.
        from: String,
        /// To where.
        to: String,
    },
    /// A turn has ended.
    TurnEnded {
        /// Whose.
        seat: Seat,
        /// What was drawn for capturing.
        draw: Draw,
    },
    /// The card drawn, for the one who drew it.
    Drew {
        /// Who.
        seat: Seat,
        /// Country of the card.
        card: String,
        /// Its symbol.
        symbol: Symbol,
    },
    /// An order that could not be carried out, and the reason; for the one who gave it.
    NotDone {
        /// Who.
        seat: Seat,
        /// The order.
        order: String,
        /// A sentence.
        reason: String,
    },
    /// A seat left the game.
    Left {
        /// Who.
        seat: Seat,
        /// How.
        how: Leaving,
    },
    /// The game has ended.
    Over {
        /// Who won; `None` when nobody is left.
        winner: Option<Seat>,
        /// Whether the whole map is held; else everybody else was out.
        conquest: bool,
    },
}

/// The draw at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// Nothing captured, no card.
    None,
    /// A card of the deck.
    Card,
    /// A card of the deck, which was made again from the exchanged cards.
    Reshuffled,
    /// There was neither a card to draw nor one to shuffle.
    Exhausted,
}
