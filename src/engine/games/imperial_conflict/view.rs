//! What one seat, or somebody without a seat, may know of a running game.
//!
//! Pages, letters, bots and the checking of orders see nothing else. The map is open, so is how many cards
//! each player holds; hidden are which ones they are, the order of the deck, and every placement plot until
//! the armies stand. Outlines are no part of it: they are the map's, found in the game's data by `map`.

use serde::{Deserialize, Serialize};

use super::cards::{TOO_MANY, worth};
use super::data::{Code, Data, GameMap, Symbol};
use super::edition::Policy;
use super::legal::Sight;
use super::state::{Holding, Occupy, Stage, State, Turn, Undo};
use crate::rules::{Fate, Seat};

/// The whole of what a viewer may know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Whose view this is; `None` for somebody without a seat.
    pub viewer: Option<Seat>,
    /// Id of the map.
    pub map: String,
    /// Name of the map.
    pub map_name: String,
    /// Number of the turn, every player's turn counted, from 1.
    pub turn: u32,
    /// The open step.
    pub phase: PhaseKey,
    /// Seats that owe orders now, in seat order.
    pub due: Vec<Seat>,
    /// All seats in order of play.
    pub order: Vec<Seat>,
    /// The players, in seat order.
    pub sides: Vec<SideView>,
    /// The continents, in map order.
    pub continents: Vec<ContinentView>,
    /// The countries, in map order.
    pub countries: Vec<CountryView>,
    /// The viewer's own cards, in map order. Empty without a seat.
    pub cards: Vec<CardView>,
    /// How many cards can be drawn before the exchanged ones are shuffled.
    pub deck: usize,
    /// Countries of the exchanged cards, in order.
    pub discard: Vec<Code>,
    /// Exchanges so far, of all players together.
    pub exchanges: u32,
    /// Armies the next exchange is worth.
    pub worth: u32,
    /// The running turn, open to everybody; `None` while armies are placed and after the end.
    pub now: Option<TurnView>,
    /// Armies of the start the viewer has to place; 0 after the placement and without a seat.
    pub to_place: u32,
    /// How the game ended; `None` while it runs.
    pub outcome: Option<OutcomeView>,
}

/// The open step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKey {
    /// Everybody places the armies of the start.
    Placement,
    /// A set must be exchanged before anything else.
    Exchange,
    /// Armies wait to be placed.
    Deploy,
    /// Attacks, moving in after a capture, and the move that ends the turn.
    Attack,
    /// The game has ended.
    Over,
}

impl PhaseKey {
    /// Stable short name: `deploy`.
    pub fn key(self) -> &'static str {
        match self {
            PhaseKey::Placement => "placement",
            PhaseKey::Exchange => "exchange",
            PhaseKey::Deploy => "deploy",
            PhaseKey::Attack => "attack",
            PhaseKey::Over => "over",
        }
    }

    /// Name for people: `Deploy`.
    pub fn name(self) -> &'static str {
        match self {
            PhaseKey::Placement => "Placement",
            PhaseKey::Exchange => "Exchange cards",
            PhaseKey::Deploy => "Deploy",
            PhaseKey::Attack => "Attack",
            PhaseKey::Over => "Over",
        }
    }

    /// The step a state is in.
    pub fn of(state: &State) -> PhaseKey {
        match &state.stage {
            Stage::Placement { .. } => PhaseKey::Placement,
            Stage::Over { .. } => PhaseKey::Over,
            Stage::Turn(turn) if state.hands[turn.seat.index()].len() >= TOO_MANY => PhaseKey::Exchange,
            Stage::Turn(turn) if turn.left > 0 => PhaseKey::Deploy,
            Stage::Turn(_) => PhaseKey::Attack,
        }
    }
}

/// One player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideView {
    /// The seat.
    pub seat: Seat,
    /// What its part has come to.
    pub fate: Fate,
    /// Countries held.
    pub countries: usize,
    /// Armies on them.
    pub armies: u32,
    /// Number of cards held.
    pub cards: usize,
    /// Armies its next turn would bring, as things stand; 0 for a seat that plays no more.
    pub income: u32,
}

/// One continent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContinentView {
    /// Id.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Armies a turn for anyone who holds all of it.
    pub bonus: u32,
    /// Who holds all of it.
    pub owner: Option<Seat>,
}

/// One country.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountryView {
    /// Code: the subject and target of offers.
    pub code: Code,
    /// Name for people.
    pub name: String,
    /// Place of its continent in the list.
    pub continent: usize,
    /// Who holds it.
    pub owner: Seat,
    /// Armies on it.
    pub armies: u32,
    /// Places of the adjacent countries in the list.
    pub neighbours: Vec<usize>,
}

/// One of the viewer's cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardView {
    /// Country of the card.
    pub code: Code,
    /// Its name.
    pub name: String,
    /// Its symbol.
    pub symbol: Symbol,
    /// Whether the viewer holds the country now: then exchanging the card puts extra armies on it.
    pub held: bool,
}

/// The running turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnView {
    /// Whose turn it is.
    pub seat: Seat,
    /// Armies that wait to be placed.
    pub left: u32,
    /// Whether an attack was made.
    pub attacked: bool,
    /// Whether a country was captured: then a card is drawn at the end.
    pub captured: bool,
    /// The country captured last, while further armies may move in.
    pub occupy: Option<OccupyView>,
    /// What `undo` would take back, in words.
    pub undo: Option<String>,
}

/// Moving further armies into a captured country.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OccupyView {
    /// From where.
    pub from: Code,
    /// The captured country.
    pub to: Code,
    /// At most so many.
    pub most: u32,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeView {
    /// Who won; `None` when nobody was left.
    pub winner: Option<Seat>,
}

impl View {
    /// The country with this code.
    pub fn country(&self, code: Code) -> Option<&CountryView> {
        self.countries.iter().find(|country| country.code == code)
    }

    /// Whether the viewer owes orders now.
    pub fn is_due(&self) -> bool {
        self.viewer.is_some_and(|viewer| self.due.contains(&viewer))
    }
}

/// What decides about the orders of a view's seat, made of nothing but the view.
pub struct Known<'d> {
    map: &'d GameMap,
    holdings: Vec<Holding>,
    hand: Vec<usize>,
    turn: Option<Turn>,
}

impl<'d> Known<'d> {
    /// Gathers it.
    ///
    /// # Panics
    /// When the data is not the one the game was started with.
    pub fn of(data: &'d Data, view: &View) -> Known<'d> {
        let map = data.map(&view.map).expect("a table keeps the content it started with");
        let at = |code: Code| map.find(code).expect("the view is one of this map");
        let own_turn = view.now.as_ref().filter(|now| view.viewer == Some(now.seat));
        let turn = own_turn.map(|now| Turn {
            left: now.left,
            attacked: now.attacked,
            captured: now.captured,
            occupy: now.occupy.as_ref().map(|way| Occupy { from: at(way.from), to: at(way.to) }),
            // Which step it is plays no part in whether it may be taken back.
            undo: now.undo.iter().map(|_| Undo::Deploy { armies: 0, country: 0 }).collect(),
            ..Turn::begin(now.seat, now.left)
        });
        Known {
            map,
            holdings: view.countries.iter().map(|it| Holding { owner: it.owner, armies: it.armies }).collect(),
            hand: view.cards.iter().map(|card| at(card.code)).collect(),
            turn,
        }
    }

    /// The map.
    pub fn map(&self) -> &'d GameMap {
        self.map
    }

    /// What decides about orders; `None` when it is not this seat's turn.
    pub fn sight(&self) -> Option<Sight<'_>> {
        let turn = self.turn.as_ref()?;
        Some(Sight { map: self.map, holdings: &self.holdings, hand: &self.hand, turn, policy: Policy::current() })
    }
}

/// Builds the view field by field.
pub fn view(data: &Data, state: &State, viewer: Option<Seat>) -> View {
    let map = state.map(data);
    let seats: Vec<Seat> = Seat::first(state.seats()).collect();
    let viewer = viewer.filter(|viewer| seats.contains(viewer));
    let hand: &[usize] = viewer.map_or(&[], |viewer| &state.hands[viewer.index()]);
    let to_place = match (&state.stage, viewer) {
        (Stage::Placement { left, .. }, Some(viewer)) => left[viewer.index()],
        _ => 0,
    };
    View {
        viewer,
        map: map.id.clone(),
        map_name: map.name.clone(),
        turn: state.turn_no,
        phase: PhaseKey::of(state),
        due: due(state),
        order: state.order.clone(),
        sides: seats.iter().map(|seat| side(map, state, *seat)).collect(),
        continents: (0..map.continents.len()).map(|continent| continent_view(map, state, continent)).collect(),
        countries: (0..map.countries.len()).map(|country| country_view(map, state, country)).collect(),
        cards: hand.iter().map(|card| card_view(map, state, viewer, *card)).collect(),
        deck: state.deck.len(),
        discard: state.discard.iter().map(|card| map.countries[*card].code).collect(),
        exchanges: state.exchanges,
        worth: worth(state.exchanges + 1),
        now: state.turn().map(|turn| turn_view(map, state, turn)),
        to_place,
        outcome: match state.stage {
            Stage::Over { winner } => Some(OutcomeView { winner }),
            _ => None,
        },
    }
}

/// The seats that owe orders.
pub fn due(state: &State) -> Vec<Seat> {
    match &state.stage {
        Stage::Placement { left, .. } => state.active().into_iter().filter(|seat| left[seat.index()] > 0).collect(),
        Stage::Turn(turn) => vec![turn.seat],
        Stage::Over { .. } => Vec::new(),
    }
}

fn side(map: &GameMap, state: &State, seat: Seat) -> SideView {
    let held = state.holdings.iter().filter(|holding| holding.owner == seat);
    let fate = state.fates[seat.index()];
    SideView {
        seat,
        fate,
        countries: held.clone().count(),
        armies: held.map(|holding| holding.armies).sum(),
        cards: state.hands[seat.index()].len(),
        income: if fate == Fate::Active { state.reinforcements(map, seat).total } else { 0 },
    }
}

fn continent_view(map: &GameMap, state: &State, continent: usize) -> ContinentView {
    let mut owners = map.members(continent).map(|country| state.holdings[country].owner);
    let first = owners.next();
    let it = &map.continents[continent];
    ContinentView {
        id: it.id.clone(),
        name: it.name.clone(),
        bonus: it.bonus,
        owner: first.filter(|first| owners.all(|owner| owner == *first)),
    }
}

fn country_view(map: &GameMap, state: &State, country: usize) -> CountryView {
    let (it, holding) = (&map.countries[country], state.holdings[country]);
    CountryView {
        code: it.code,
        name: it.name.clone(),
        continent: it.continent,
        owner: holding.owner,
        armies: holding.armies,
        neighbours: it.neighbours.clone(),
    }
}

fn card_view(map: &GameMap, state: &State, viewer: Option<Seat>, card: usize) -> CardView {
    CardView {
        code: map.countries[card].code,
        name: map.countries[card].name.clone(),
        symbol: map.symbol(card),
        held: Some(state.holdings[card].owner) == viewer,
    }
}

fn turn_view(map: &GameMap, state: &State, turn: &Turn) -> TurnView {
    let code = |country: usize| map.countries[country].code;
    let undo = |undo: &Undo| match undo {
        Undo::Deploy { armies, country } => format!("deploy {armies} {}", map.name_of(*country)),
        Undo::Occupy { armies, way } => format!("occupy {armies} in {}", map.name_of(way.to)),
    };
    TurnView {
        seat: turn.seat,
        left: turn.left,
        attacked: turn.attacked,
        captured: turn.captured,
        occupy: turn.occupy.map(|way| OccupyView {
            from: code(way.from),
            to: code(way.to),
            most: state.holdings[way.from].armies.saturating_sub(1),
        }),
        undo: turn.undo.last().map(undo),
    }
}
