//! A position as a scenario file gives it.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::board::Board;
use super::data::{Data, GameMap, Kind, PieceType, Whose};
use super::edition::Policy;
use super::handle::Handle;
use super::look::plain_view;
use super::order::Order;
use super::parse;
use super::resolve;
use super::setup::{first_control, fresh_side};
use super::state::{Item, Piece, SEATS, Stage, State, other};
use super::view::Place;
use crate::rules::{Dice, Seat};

const KEYS: [&str; 9] = ["map", "turn", "phase", "cp", "control", "cheq", "group", "doctrine", "pieces"];
const PIECE_KEYS: [&str; 5] = ["type", "at", "damage", "actions", "items"];

/// Reads a `[given]` table and runs on until somebody is due.
///
/// # Errors
/// Every fault, as a sentence that names the field.
pub fn given(data: &Data, table: &Table) -> Result<State, Vec<String>> {
    let mut reader = Reader { data, faults: Vec::new() };
    match reader.state(table) {
        Some(state) if reader.faults.is_empty() => {
            // Without plots nothing is thrown for, so these dice are never asked.
            Ok(resolve::run_on(data, state, Policy::current(), &mut Dice::scripted(Vec::new())).state)
        }
        _ => Err(reader.faults),
    }
}

struct Reader<'a> {
    data: &'a Data,
    faults: Vec<String>,
}

impl<'a> Reader<'a> {
    fn fault(&mut self, message: impl Into<String>) {
        self.faults.push(message.into());
    }

    fn state(&mut self, table: &Table) -> Option<State> {
        self.unknown_keys(table, "given", &KEYS);
        let map = self.map(table)?;
        let stage = self.stage(table)?;
        let last = i32::try_from(self.data.rules.last_turn).unwrap_or(i32::MAX);
        let turn = self.whole(table.get("turn"), "turn", 1, (1, last));
        let sides = SEATS.map(|seat| {
            let cp = self.of_seat(table, "cp", seat);
            let cp = self.whole(cp, &format!("cp.{seat}"), map.start_cp, (0, 9999));
            let group = self.of_seat(table, "group", seat).map(|value| self.group(value, seat));
            fresh_side(cp, group.unwrap_or_default())
        });
        let mut state = State {
            map: map.id.clone(),
            turn: u32::try_from(turn).unwrap_or(1),
            stage,
            due: Vec::new(),
            sides,
            control: first_control(map),
            pieces: BTreeMap::new(),
        };
        self.control(table, map, &mut state);
        self.pieces(table, map, &mut state);
        if self.faults.is_empty() {
            self.check_pieces(&state);
            self.actions(table, &mut state);
            self.cheq(table, &mut state);
            self.doctrine(table, &mut state);
        }
        Some(state)
    }

    fn unknown_keys(&mut self, table: &Table, place: &str, known: &[&str]) {
        for key in table.keys().filter(|key| !known.contains(&key.as_str())) {
            self.fault(format!("{place}: there is no field “{key}”; the fields are {}.", known.join(", ")));
        }
    }

    fn map(&mut self, table: &Table) -> Option<&'a GameMap> {
        let known: Vec<&str> = self.data.maps.iter().map(|map| map.id.as_str()).collect();
        let Some(id) = table.get("map").map(|value| value.as_str().unwrap_or_default()) else {
            self.fault(format!("given: the field “map” is missing; the maps are {}.", known.join(", ")));
            return None;
        };
        let map = self.data.map(id);
        if map.is_none() {
            self.fault(format!("given: there is no map “{id}”; the maps are {}.", known.join(", ")));
        }
        map
    }

    fn stage(&mut self, table: &Table) -> Option<Stage> {
        let phase = table.get("phase").map_or(Some("deploy"), Value::as_str);
        match phase {
            Some("start") => Some(Stage::Start),
            Some("deploy") => Some(Stage::Deploy),
            Some("attack") => Some(Stage::Attack),
            Some("move") => Some(Stage::Move),
            _ => {
                self.fault("given: the field “phase” is “start”, “deploy”, “attack” or “move”.");
                None
            }
        }
    }

    /// A whole number within bounds, or the value that stands for a missing one.
    fn whole(&mut self, value: Option<&Value>, field: &str, missing: i32, (low, high): (i32, i32)) -> i32 {
        let Some(value) = value else { return missing };
        match value.as_integer().and_then(|number| i32::try_from(number).ok()) {
            Some(number) if (low..=high).contains(&number) => number,
            _ => {
                self.fault(format!("given: the field “{field}” is a whole number from {low} to {high}, not {value}."));
                missing
            }
        }
    }

    /// The entry of a seat in a table by seats.
    fn of_seat<'t>(&mut self, table: &'t Table, field: &str, seat: Seat) -> Option<&'t Value> {
        let value = table.get(field)?;
        let Some(by_seat) = value.as_table() else {
            if seat == Seat::A {
                self.fault(format!("given: the field “{field}” is a table by seats, as {{ A = …, B = … }}."));
            }
            return None;
        };
        if seat == Seat::A {
            self.unknown_keys(by_seat, &format!("given.{field}"), &["A", "B"]);
        }
        by_seat.get(seat.to_string().as_str())
    }

    fn texts<'t>(&mut self, value: &'t Value, field: &str) -> Vec<&'t str> {
        let texts: Option<Vec<&str>> = value.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
        texts.unwrap_or_else(|| {
            self.fault(format!("given: the field “{field}” is a list of texts, as [\"…\", \"…\"]."));
            Vec::new()
        })
    }

    fn piece_type(&mut self, id: &str, field: &str) -> Option<&'a PieceType> {
        let found = self.data.piece(id);
        if found.is_none() {
            let hint = crate::rules::nearest::did_you_mean(id, self.data.pieces.keys().map(String::as_str));
            self.fault(format!("given: {field}: there is no piece type “{id}”{hint}"));
        }
        found
    }

    fn group(&mut self, value: &Value, seat: Seat) -> BTreeMap<String, u32> {
        let mut group = BTreeMap::new();
        let field = format!("group.{seat}");
        for id in self.texts(value, &field) {
            match self.piece_type(id, &field) {
                Some(piece) if piece.kind == Kind::Q => {
                    self.fault(format!("given: {field}: “{id}” is a Q, which is in play from the start."));
                }
                Some(piece) => *group.entry(piece.id.clone()).or_default() += 1,
                None => {}
            }
        }
        group
    }

    fn control(&mut self, table: &Table, map: &GameMap, state: &mut State) {
        let Some(value) = table.get("control") else { return };
        let Some(control) = value.as_table() else {
            self.fault("given: the field “control” is a table by planets, as { planet = \"A\" }.");
            return;
        };
        for (planet, holder) in control {
            let Some(index) = map.planets.iter().position(|known| known.id == *planet) else {
                let known: Vec<&str> = map.planets.iter().map(|planet| planet.id.as_str()).collect();
                self.fault(format!("given: control: there is no planet “{planet}”; there are {}.", known.join(", ")));
                continue;
            };
            state.control[index] = match holder.as_str() {
                Some("A") => Some(Seat::A),
                Some("B") => Some(Seat::B),
                Some("nobody") => None,
                _ => {
                    self.fault(format!("given: control of “{planet}” is “A”, “B” or “nobody”."));
                    None
                }
            };
        }
    }

    fn pieces(&mut self, table: &Table, map: &GameMap, state: &mut State) {
        for seat in SEATS {
            let q = Piece::new(&self.data.default_q().id, Place::Planet(map.home_planet(seat)));
            state.pieces.insert(Handle::q(seat), q);
        }
        let Some(value) = table.get("pieces") else { return };
        let Some(pieces) = value.as_table() else {
            self.fault("given: the field “pieces” is a table by handles: [given.pieces.A1].");
            return;
        };
        for (name, value) in pieces {
            match (name.parse::<Handle>(), value.as_table()) {
                (Ok(handle), Some(fields)) if handle.to_string() == *name => {
                    self.unknown_keys(fields, &format!("given.pieces.{name}"), &PIECE_KEYS);
                    if let Some(piece) = self.piece(handle, fields, map) {
                        state.pieces.insert(handle, piece);
                        let side = state.side_mut(handle.seat);
                        side.next = side.next.max(handle.no + 1);
                    }
                }
                _ => self.fault(format!("given.pieces: “{name}” is not a handle with a table, as [given.pieces.A1].")),
            }
        }
    }

    fn piece(&mut self, handle: Handle, fields: &Table, map: &GameMap) -> Option<Piece> {
        let place = format!("pieces.{handle}");
        let own = match fields.get("type").map(Value::as_str) {
            Some(Some(id)) => self.piece_type(id, &place)?,
            None if handle.no == 0 => self.data.default_q(),
            _ => {
                self.fault(format!("given: {place}: the field “type” is missing or not a text."));
                return None;
            }
        };
        if (own.kind == Kind::Q) != (handle.no == 0) || own.kind == Kind::Item {
            self.fault(format!(
                "given: {place}: “{}” is of kind {}; number 0 is a Q, others are ships and people.",
                own.id,
                own.kind.word()
            ));
            return None;
        }
        let at = match fields.get("at") {
            Some(value) => self.place(value.as_str().unwrap_or_default(), map, &place)?,
            None if own.kind == Kind::Ship => Place::Region(map.home_region(handle.seat)),
            None => Place::Planet(map.home_planet(handle.seat)),
        };
        let mut piece = Piece::new(&own.id, at);
        piece.damage = self.whole(fields.get("damage"), &format!("{place}.damage"), 0, (0, 999));
        if let Some(value) = fields.get("items") {
            for id in self.texts(value, &format!("{place}.items")) {
                piece.items.extend(self.item(id, handle.seat, own, &place));
            }
        }
        Some(piece)
    }

    fn place(&mut self, name: &str, map: &GameMap, field: &str) -> Option<Place> {
        let region = map.regions.iter().position(|region| region.id == name).map(Place::Region);
        let planet = map.planets.iter().position(|planet| planet.id == name).map(Place::Planet);
        let place = region.or(planet).or(name.parse().ok().map(Place::Aboard));
        if place.is_none() {
            self.fault(format!("given: {field}.at: “{name}” is not a region, planet or ship of this map."));
        }
        place
    }

    /// An item on a piece of this side: those for enemies came from the other side.
    fn item(&mut self, id: &str, bearer: Seat, own: &PieceType, field: &str) -> Option<Item> {
        let piece = self.piece_type(id, field)?;
        match &piece.item {
            Some(item) if item.suits(own) => {
                let owner = if item.whose == Whose::Enemy { other(bearer) } else { bearer };
                Some(Item { type_id: piece.id.clone(), owner })
            }
            Some(item) => {
                let words = super::words::bearer_words(item);
                self.fault(format!("given: {field}.items: “{id}” goes {words}, not on “{}”.", own.id));
                None
            }
            None => {
                self.fault(format!("given: {field}.items: “{id}” is not an item."));
                None
            }
        }
    }

    /// What only shows when all pieces are there: carriers, uniqueness, damage.
    fn check_pieces(&mut self, state: &State) {
        let board = Board::new(self.data, state);
        for handle in board.in_play() {
            let kind = board.type_of(handle).kind;
            let fits = match state.place(handle) {
                Some(Place::Region(_)) => kind == Kind::Ship,
                Some(Place::Planet(_)) => kind != Kind::Ship,
                Some(Place::Aboard(ship)) => {
                    let carries = state.pieces.contains_key(&ship) && board.type_of(ship).kind == Kind::Ship;
                    kind != Kind::Ship && carries && ship.seat == handle.seat
                }
                None => true,
            };
            if !fits {
                self.fault(format!(
                    "given: pieces.{handle}.at: ships are in regions, people and Q on planets or aboard ships of their side."
                ));
            } else if kind != Kind::Q && board.left(handle) <= 0 {
                self.fault(format!("given: pieces.{handle}.damage: it has only {} to lose.", board.toughness(handle)));
            }
        }
        let mut seen = BTreeMap::<&str, u32>::new();
        for piece in state.pieces.values() {
            *seen.entry(&piece.type_id).or_default() += 1;
            for item in &piece.items {
                *seen.entry(&item.type_id).or_default() += 1;
            }
        }
        for (id, count) in seen {
            let own = board.kind_of(id);
            if own.unique && own.kind != Kind::Q && count > 1 {
                self.fault(format!("given: pieces: “{id}” is unique and is listed {count} times."));
            }
        }
    }

    fn actions(&mut self, table: &Table, state: &mut State) {
        let Some(pieces) = table.get("pieces").and_then(Value::as_table) else { return };
        for (name, fields) in pieces {
            let (Ok(handle), Some(value)) = (name.parse::<Handle>(), fields.get("actions")) else { continue };
            let most = Board::new(self.data, state).actions_most(handle);
            let left = self.whole(Some(value), &format!("pieces.{name}.actions"), most, (0, 9));
            if let Some(piece) = state.pieces.get_mut(&handle) {
                piece.used = most - left;
            }
        }
    }

    /// Who was in Cheq at the start of the turn: as given, or as it looks now.
    fn cheq(&mut self, table: &Table, state: &mut State) {
        let named: Option<Vec<String>> =
            table.get("cheq").map(|value| self.texts(value, "cheq").into_iter().map(str::to_owned).collect());
        for name in named.iter().flatten().filter(|name| *name != "A" && *name != "B") {
            self.fault(format!("given: cheq: “{name}” is not a seat; it is “A” or “B”."));
        }
        for seat in SEATS {
            let cheq = match &named {
                Some(named) => named.contains(&seat.to_string()),
                None => Board::new(self.data, state).in_cheq(seat),
            };
            state.side_mut(seat).cheq = cheq;
        }
    }

    fn doctrine(&mut self, table: &Table, state: &mut State) {
        for seat in SEATS {
            let Some(value) = self.of_seat(table, "doctrine", seat) else { continue };
            let view = plain_view(Board::new(self.data, state), Some(seat));
            let text: String = self
                .texts(value, &format!("doctrine.{seat}"))
                .iter()
                .map(|line| format!("doctrine {line}\n"))
                .collect();
            let reading = parse::read(self.data, &view, &text);
            for fault in &reading.faults {
                self.fault(format!("given: doctrine.{seat}: {}", fault.message));
            }
            let mut doctrine = None;
            for line in &reading.lines {
                if let Order::Doctrine(part) = &line.order {
                    doctrine = Some(resolve::joined(doctrine, part));
                }
            }
            if let Some(doctrine) = doctrine {
                state.side_mut(seat).doctrine = doctrine;
            }
        }
    }
}
