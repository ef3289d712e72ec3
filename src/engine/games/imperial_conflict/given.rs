//! A position as a scenario file gives it; described in `tests/scenarios/README.md`.

use std::collections::BTreeSet;

use toml::{Table, Value};

use super::data::{Code, Data, GameMap};
use super::facts::fate_word;
use super::setup::{LEAST_SEATS, MOST_SEATS};
use super::state::{Holding, Occupy, Stage, State, Turn};
use super::turn::begin_turn;
use crate::rules::{Fate, Seat};

const KEYS: [&str; 18] = [
    "map",
    "seats",
    "turn",
    "seat",
    "phase",
    "order",
    "countries",
    "continents",
    "rest",
    "cards",
    "deck",
    "discard",
    "exchanges",
    "fates",
    "left",
    "captured",
    "attacked",
    "occupy",
];
const MOST: i64 = 9999;

/// Reads a `[given]` table.
///
/// # Errors
/// Every fault, as a sentence that names the field.
pub fn given(data: &Data, table: &Table) -> Result<State, Vec<String>> {
    let mut faults = Vec::new();
    for key in table.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        faults.push(format!("given: there is no field “{key}”; known are {}", KEYS.join(", ")));
    }
    let map = match table.get("map") {
        None => data.maps.first(),
        Some(id) => id.as_str().and_then(|id| data.map(id)),
    };
    let Some(map) = map else {
        let id = table.get("map").map(Value::to_string).unwrap_or_default();
        faults.push(format!("given, field “map”: there is no map {id}"));
        return Err(faults);
    };
    let mut reader = Reader { map, table, seats: 0, faults };
    reader.seats = reader.whole("seats", 2, LEAST_SEATS, MOST_SEATS);
    let state = reader.state();
    match state {
        Some(state) if reader.faults.is_empty() => Ok(state),
        _ => Err(reader.faults),
    }
}

struct Reader<'a> {
    map: &'a GameMap,
    table: &'a Table,
    seats: usize,
    faults: Vec<String>,
}

impl Reader<'_> {
    fn fault(&mut self, key: &str, message: impl std::fmt::Display) {
        self.faults.push(format!("given, field “{key}”: {message}"));
    }

    fn whole(&mut self, key: &str, default: usize, least: usize, most: usize) -> usize {
        let Some(value) = self.table.get(key) else { return default };
        let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
        match number.filter(|number| (least..=most).contains(number)) {
            Some(number) => number,
            None => {
                self.fault(key, format!("expected a whole number from {least} to {most}, found {value}"));
                default
            }
        }
    }

    fn small(&mut self, key: &str, default: u32, least: u32) -> u32 {
        let most = usize::try_from(MOST).expect("a small number");
        let number = self.whole(key, default as usize, least as usize, most);
        u32::try_from(number).unwrap_or(default)
    }

    fn flag(&mut self, key: &str) -> bool {
        match self.table.get(key) {
            None => false,
            Some(Value::Boolean(flag)) => *flag,
            Some(other) => {
                self.fault(key, format!("expected true or false, found {other}"));
                false
            }
        }
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.table.get(key)?;
        if value.as_str().is_none() {
            self.fault(key, format!("expected a text, found {value}"));
        }
        value.as_str().map(str::to_owned)
    }

    fn seat_of(&mut self, key: &str, word: &str) -> Option<Seat> {
        let seat = word.parse::<Seat>().ok().filter(|seat| seat.index() < self.seats);
        if seat.is_none() {
            let seats = self.seats;
            self.fault(key, format!("“{word}” is not one of the {seats} seats"));
        }
        seat
    }

    fn country(&mut self, key: &str, word: &str) -> Option<usize> {
        let country = word.parse::<Code>().ok().and_then(|code| self.map.find(code));
        if country.is_none() {
            let map = &self.map.id;
            self.faults.push(format!("given, field “{key}”: “{word}” is not a country code of the map {map}"));
        }
        country
    }

    /// The entries of a table of texts.
    fn entries(&mut self, key: &str) -> Vec<(String, Value)> {
        match self.table.get(key) {
            None => Vec::new(),
            Some(Value::Table(table)) => table.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            Some(other) => {
                self.fault(key, format!("expected a table, found {other}"));
                Vec::new()
            }
        }
    }

    fn state(&mut self) -> Option<State> {
        let holdings = self.holdings()?;
        let hands = self.hands();
        let (deck, discard) = self.piles(&hands);
        let fates = self.fates(&holdings);
        let order = self.order();
        let turn_no = self.small("turn", 1, 1);
        let exchanges = self.small("exchanges", 0, 0);
        let mut state = State {
            map: self.map.id.clone(),
            order,
            holdings,
            hands,
            deck,
            discard,
            exchanges,
            fates,
            turn_no,
            stage: Stage::Over { winner: None },
        };
        let word = self.text("seat").unwrap_or_else(|| state.order[0].to_string());
        let seat = self.seat_of("seat", &word)?;
        if state.active().len() < 2 || !state.is_active(seat) {
            self.fault(
                "fates",
                format!("at least two seats must be active, {seat} among them, because it is their turn"),
            );
            return None;
        }
        self.stage(&mut state, seat);
        Some(state)
    }

    fn stage(&mut self, state: &mut State, seat: Seat) {
        let phase = self.text("phase").unwrap_or_else(|| "start".to_owned());
        if phase == "placement" {
            let each = self.small("left", 10, 1);
            let left = state.fates.iter().map(|fate| if *fate == Fate::Active { each } else { 0 }).collect();
            state.stage = Stage::Placement { left, running: false };
            return;
        }
        begin_turn(self.map, state, seat, state.turn_no, &mut Vec::new());
        let reinforcements = state.turn().map_or(0, |turn| turn.left);
        let left = match phase.as_str() {
            "start" | "deploy" => self.small("left", reinforcements, 0),
            "attack" => self.small("left", 0, 0),
            other => {
                self.fault("phase", format!("“{other}” is not one of start, deploy, attack, placement"));
                0
            }
        };
        let occupy = self.occupy();
        let (captured, attacked) = (self.flag("captured"), self.flag("attacked"));
        state.stage = Stage::Turn(Turn { captured, attacked, occupy, ..Turn::begin(seat, left) });
    }

    fn occupy(&mut self) -> Option<Occupy> {
        let text = self.text("occupy")?;
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [from, to] => Some(Occupy { from: self.country("occupy", from)?, to: self.country("occupy", to)? }),
            _ => {
                self.fault("occupy", "expected two codes such as \"ALA KAM\"");
                None
            }
        }
    }

    /// `A5`: who holds it with how many armies.
    fn holding(&mut self, key: &str, value: &Value) -> Option<Holding> {
        let text = value.as_str().unwrap_or_default();
        let split = text.char_indices().nth(1).map_or(text.len(), |(at, _)| at);
        let (seat, armies) = text.split_at(split);
        let plain = armies.bytes().all(|byte| byte.is_ascii_digit());
        match armies.parse::<u32>() {
            Ok(armies) if plain && (1..=9999).contains(&armies) => {
                Some(Holding { owner: self.seat_of(key, seat)?, armies })
            }
            _ => {
                self.fault(key, format!("expected a seat and its armies such as \"A5\", found {value}"));
                None
            }
        }
    }

    fn holdings(&mut self) -> Option<Vec<Holding>> {
        let mut holdings: Vec<Option<Holding>> = vec![None; self.map.countries.len()];
        if let Some(rest) = self.table.get("rest") {
            let rest = self.holding("rest", rest);
            holdings.fill(rest);
        }
        for (id, value) in self.entries("continents") {
            let continent = self.map.continents.iter().position(|continent| continent.id == id);
            let holding = self.holding("continents", &value);
            match continent {
                Some(continent) => self.map.members(continent).for_each(|country| holdings[country] = holding),
                None => self.fault("continents", format!("there is no continent “{id}”")),
            }
        }
        for (code, value) in self.entries("countries") {
            let holding = self.holding("countries", &value);
            if let Some(country) = self.country("countries", &code) {
                holdings[country] = holding;
            }
        }
        let missing = holdings.iter().position(Option::is_none);
        if let (Some(missing), true) = (missing, self.faults.is_empty()) {
            let code = self.map.countries[missing].code;
            self.fault("countries", format!("nobody holds {code}; name it, its continent, or a \"rest\""));
        }
        holdings.into_iter().collect()
    }

    fn cards_of(&mut self, key: &str, value: &Value) -> Vec<usize> {
        let Some(list) = value.as_array() else {
            self.fault(key, format!("expected a list of codes, found {value}"));
            return Vec::new();
        };
        list.iter().filter_map(|code| self.country(key, code.as_str().unwrap_or_default())).collect()
    }

    fn hands(&mut self) -> Vec<Vec<usize>> {
        let mut hands = vec![Vec::new(); self.seats];
        for (seat, value) in self.entries("cards") {
            let mut cards = self.cards_of("cards", &value);
            cards.sort_unstable();
            if let Some(seat) = self.seat_of("cards", &seat) {
                hands[seat.index()] = cards;
            }
        }
        hands
    }

    /// Deck and discard: one that is not given is what the other and the hands leave; with neither, all that is
    /// in no hand is the deck, in map order.
    fn piles(&mut self, hands: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
        let named = |reader: &mut Self, key: &str| {
            let value = reader.table.get(key).cloned();
            value.map(|value| reader.cards_of(key, &value))
        };
        let (deck, discard) = (named(self, "deck"), named(self, "discard"));
        let mut seen = BTreeSet::new();
        for card in hands.iter().flatten().chain(deck.iter().flatten()).chain(discard.iter().flatten()) {
            if !seen.insert(*card) {
                let code = self.map.countries[*card].code;
                self.fault("cards", format!("the card {code} is in two places"));
            }
        }
        let rest: Vec<usize> = (0..self.map.countries.len()).filter(|card| !seen.contains(card)).collect();
        match (deck, discard) {
            (None, discard) => (rest, discard.unwrap_or_default()),
            (Some(deck), None) => (deck, rest),
            (Some(deck), Some(discard)) => {
                if let Some(lost) = rest.first() {
                    let code = self.map.countries[*lost].code;
                    self.fault(
                        "deck",
                        format!("the card {code} is nowhere; leave out deck or discard to put the rest there"),
                    );
                }
                (deck, discard)
            }
        }
    }

    /// A seat without a country is lost unless it is said to have left.
    fn fates(&mut self, holdings: &[Holding]) -> Vec<Fate> {
        let holds = |seat: Seat| holdings.iter().any(|holding| holding.owner == seat);
        let mut fates: Vec<Fate> =
            Seat::first(self.seats).map(|seat| if holds(seat) { Fate::Active } else { Fate::Lost }).collect();
        for (seat, value) in self.entries("fates") {
            let word = value.as_str().unwrap_or_default().to_owned();
            let known = [Fate::Active, Fate::Lost, Fate::Resigned, Fate::Dropped];
            let fate = known.into_iter().find(|fate| fate_word(*fate) == word);
            match (self.seat_of("fates", &seat), fate) {
                (Some(seat), Some(Fate::Active)) if !holds(seat) => {
                    self.fault("fates", format!("{seat} holds no country and cannot be active"));
                }
                (Some(seat), Some(fate)) => fates[seat.index()] = fate,
                (_, None) => self.fault("fates", format!("“{word}” is not one of active, lost, resigned, dropped")),
                _ => {}
            }
        }
        fates
    }

    fn order(&mut self) -> Vec<Seat> {
        let all: Vec<Seat> = Seat::first(self.seats).collect();
        let Some(text) = self.text("order") else { return all };
        let order: Vec<Seat> = text.split_whitespace().filter_map(|word| self.seat_of("order", word)).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != all {
            self.fault("order", "expected every seat once, such as \"B A C\"");
            return all;
        }
        order
    }
}
