//! Whether an order can be carried out now: I3.2 to I5.2. One place decides it: for the check before an order is taken,
//! from what its player sees, and for the moment it is reached.

use super::cards::{SET, TOO_MANY, is_set};
use super::data::{Code, GameMap};
use super::edition::Policy;
use super::order::Order;
use super::state::{Holding, Occupy, Turn};
use crate::rules::Seat;

/// Most dice of an attacker.
pub const ATTACK_DICE: u32 = 3;

/// What decides about the orders of the player whose turn it is.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// The map.
    pub map: &'a GameMap,
    /// Who holds what.
    pub holdings: &'a [Holding],
    /// The player's cards.
    pub hand: &'a [usize],
    /// The running turn; it is the player's.
    pub turn: &'a Turn,
    /// What the edition of the rules decides.
    pub policy: &'static Policy,
}

/// An order that can be carried out now, with everything it names found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Exchange these three cards.
    Exchange([usize; SET]),
    /// Place armies on a country.
    Deploy {
        /// How many.
        armies: u32,
        /// Where.
        country: usize,
    },
    /// Attack.
    Attack {
        /// From where on what.
        way: Occupy,
        /// Most dice to roll.
        dice: u32,
        /// Roll on until so many armies are left; `None`: one roll.
        until: Option<u32>,
    },
    /// Move further armies into the country captured last.
    Occupy {
        /// How many.
        armies: u32,
        /// From where to where.
        way: Occupy,
    },
    /// Move armies; the turn ends.
    Fortify {
        /// How many.
        armies: u32,
        /// From where to where.
        way: Occupy,
    },
    /// End the turn.
    End,
    /// Take back the last step that can be.
    Undo,
    /// Give up.
    Resign,
}

impl Sight<'_> {
    /// The player.
    pub fn seat(&self) -> Seat {
        self.turn.seat
    }

    /// Whether a set must be exchanged before anything else.
    pub fn must_exchange(&self) -> bool {
        self.hand.len() >= TOO_MANY
    }

    /// Whether a set may be exchanged: before the first attack, or because there are too many cards.
    pub fn may_exchange(&self) -> bool {
        !self.turn.attacked || self.must_exchange()
    }

    /// Armies of a country that can leave it.
    pub fn spare(&self, country: usize) -> u32 {
        self.holdings[country].armies.saturating_sub(1)
    }

    /// What carrying the order out now comes to.
    ///
    /// # Errors
    /// Why it cannot be carried out, as a sentence.
    pub fn allow(&self, order: &Order) -> Result<Action, String> {
        match order {
            Order::Exchange(cards) => self.allow_exchange(cards),
            Order::Deploy { armies, country } => self.allow_deploy(*armies, *country),
            Order::Attack { from, to, dice, until } => self.allow_attack(*from, *to, *dice, *until),
            Order::Occupy(armies) => self.allow_occupy(*armies),
            Order::Fortify { armies, from, to } => self.allow_fortify(*armies, *from, *to),
            Order::End => self.allow_next_step("ending the turn").map(|()| Action::End),
            Order::Undo if self.turn.undo.is_empty() => {
                Err("There is nothing to take back: dice and cards that were shown stay.".to_owned())
            }
            Order::Undo => Ok(Action::Undo),
            Order::Resign => Ok(Action::Resign),
        }
    }

    fn country(&self, code: Code) -> Result<usize, String> {
        self.map.find(code).ok_or_else(|| format!("There is no country {code} on this map."))
    }

    fn own(&self, code: Code) -> Result<usize, String> {
        let country = self.country(code)?;
        let owner = self.holdings[country].owner;
        if owner != self.seat() {
            return Err(format!("{} is not yours; {owner} holds it.", self.map.name_of(country)));
        }
        Ok(country)
    }

    /// Nothing but an exchange goes while there are too many cards.
    fn allow_besides_cards(&self) -> Result<(), String> {
        if self.must_exchange() {
            let held = self.hand.len();
            return Err(format!(
                "You hold {held} cards: with {TOO_MANY} or more, exchange a set before anything else."
            ));
        }
        Ok(())
    }

    /// Nor does anything after the deployment while armies wait to be placed.
    fn allow_next_step(&self, what: &str) -> Result<(), String> {
        self.allow_besides_cards()?;
        match self.turn.left {
            0 => Ok(()),
            1 => Err(format!("There is still 1 army to place before {what}.")),
            left => Err(format!("There are still {left} armies to place before {what}.")),
        }
    }

    fn allow_exchange(&self, cards: &[Code; SET]) -> Result<Action, String> {
        if !self.may_exchange() {
            return Err(format!(
                "Cards are exchanged before the first attack of a turn; after it only when taking a player's cards \
                 leaves you {TOO_MANY} or more."
            ));
        }
        let mut found = [0; SET];
        for (at, code) in cards.iter().enumerate() {
            let country = self.country(*code)?;
            if !self.hand.contains(&country) {
                return Err(format!("You do not hold the card of {}.", self.map.name_of(country)));
            }
            if cards[..at].contains(code) {
                return Err(format!("The card of {} is named twice.", self.map.name_of(country)));
            }
            found[at] = country;
        }
        let symbols = found.map(|country| self.map.symbol(country));
        if !is_set(symbols) {
            let names = symbols.map(super::data::Symbol::name);
            return Err(format!(
                "{}, {} and {} {}; a set is three alike or one of each.",
                capital(names[0]),
                names[1],
                names[2],
                self.policy.no_set
            ));
        }
        Ok(Action::Exchange(found))
    }

    fn allow_deploy(&self, armies: u32, code: Code) -> Result<Action, String> {
        self.allow_besides_cards()?;
        if self.turn.left == 0 {
            return Err("There are no armies left to place.".to_owned());
        }
        if armies > self.turn.left {
            let are = if self.turn.left == 1 { "is" } else { "are" };
            return Err(format!("There {are} only {} to place, not {armies}.", count(self.turn.left)));
        }
        self.own(code).map(|country| Action::Deploy { armies, country })
    }

    fn allow_attack(&self, from: Code, to: Code, dice: Option<u32>, until: Option<u32>) -> Result<Action, String> {
        self.allow_next_step(if self.turn.attacked { self.policy.next_attack } else { "the first attack" })?;
        let from = self.own(from)?;
        let to = self.country(to)?;
        let (from_name, to_name) = (self.map.name_of(from), self.map.name_of(to));
        if self.holdings[to].owner == self.seat() {
            return Err(format!("{to_name} is yours already."));
        }
        if !self.map.adjacent(from, to) {
            return Err(format!("{to_name} is not adjacent to {from_name}."));
        }
        let spare = self.spare(from);
        if spare == 0 {
            return Err(format!("{from_name} has 1 army; an attack needs at least 2, because one stays."));
        }
        let most = spare.min(ATTACK_DICE);
        if let Some(dice) = dice.filter(|dice| *dice > most) {
            let (armies, plural) = (count(spare + 1), if most == 1 { "die" } else { "dice" });
            return Err(format!("{from_name} has {armies}, so at most {most} {plural}, not {dice}."));
        }
        match until {
            Some(until) if until > spare => {
                Err(format!("{from_name} has {}, no more than {until}, so nothing would be rolled.", count(spare + 1)))
            }
            _ => Ok(Action::Attack { way: Occupy { from, to }, dice: dice.unwrap_or(ATTACK_DICE), until }),
        }
    }

    fn allow_occupy(&self, armies: u32) -> Result<Action, String> {
        let Some(way) = self.turn.occupy else {
            return Err("Armies move in right after a capture only, before any other order.".to_owned());
        };
        let spare = self.spare(way.from);
        if armies > spare {
            let from = self.map.name_of(way.from);
            return Err(format!("{from} can send at most {spare} further, not {armies}, because one army stays."));
        }
        Ok(Action::Occupy { armies, way })
    }

    fn allow_fortify(&self, armies: u32, from: Code, to: Code) -> Result<Action, String> {
        self.allow_next_step("fortifying")?;
        let from = self.own(from)?;
        let to = self.own(to)?;
        let (from_name, to_name) = (self.map.name_of(from), self.map.name_of(to));
        if from == to {
            return Err("Name two different countries.".to_owned());
        }
        if !self.map.adjacent(from, to) {
            return Err(format!("{to_name} is not adjacent to {from_name}; a fortification goes one step."));
        }
        let spare = self.spare(from);
        if armies > spare {
            return Err(format!("{from_name} can send at most {spare}, not {armies}, because one army stays."));
        }
        Ok(Action::Fortify { armies, way: Occupy { from, to } })
    }
}

/// `1 army`, `2 armies`.
pub fn count(armies: u32) -> String {
    match armies {
        1 => "1 army".to_owned(),
        _ => format!("{armies} armies"),
    }
}

/// `1 more army`, `2 more armies`.
pub fn more(armies: u32) -> String {
    match armies {
        1 => "1 more army".to_owned(),
        _ => format!("{armies} more armies"),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
