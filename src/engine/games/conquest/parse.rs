//! Reads plots: one order a line, letter case does not matter; what all notations share is in `rules/notation`.
//!
//! Only the notation and names are looked at here, and only with what the seat may see; whether an order is
//! allowed is decided in `check`.

use super::data::{Data, Kind};
use super::handle::Handle;
use super::order::{BeamEnd, DoctrineOrder, Order};
use super::view::View;
use crate::rules::nearest::did_you_mean;
use crate::rules::notation::{self, Limits};
use crate::rules::{Fault, Line, budget};

/// More than any plot can use.
const LIMITS: Limits = Limits { orders: 400, line: 1_000, text: 32 * 1024 };

/// Copies one line may deploy; a Control Group never holds as many of one type.
const MOST_COPIES: u32 = 99;

/// What was read: the orders of the lines that could be read, and the faults of the others.
pub struct Reading {
    /// Orders with their lines.
    pub lines: Vec<Line<Order>>,
    /// One fault for each line that could not be read.
    pub faults: Vec<Fault>,
}

/// Reads a plot.
pub fn read(data: &Data, view: &View, text: &str) -> Reading {
    let text = notation::lines(text, LIMITS);
    let mut reading = Reading { lines: Vec::new(), faults: text.faults };
    let reader = Reader { data, view };
    for line in text.lines {
        let straight: Vec<String> = line.words.iter().map(|word| word.replace(['’', '‘', '`'], "'")).collect();
        let words: Vec<&str> = straight.iter().map(String::as_str).collect();
        let Some((verb, rest)) = words.split_first() else { continue };
        if reading.faults.len() == budget::MOST_FAULTS {
            reading.faults.push(budget::no_further(line.no));
            break;
        }
        match reader.order(verb, rest) {
            Ok(order) => reading.lines.push(Line { no: line.no, order }),
            Err(message) => reading.faults.push(Fault { line: Some(line.no), message }),
        }
    }
    reading
}

const VERBS: [&str; 8] = ["deploy", "attack", "defend", "damage", "doctrine", "move", "beam", "pass"];

#[derive(Clone, Copy)]
struct Reader<'a> {
    data: &'a Data,
    view: &'a View,
}

impl Reader<'_> {
    fn order(self, verb: &str, rest: &[&str]) -> Result<Order, String> {
        match verb.to_ascii_lowercase().as_str() {
            "deploy" => self.deploy(rest),
            "attack" => match rest {
                [who, target] => Ok(Order::Attack { who: self.piece(who)?, target: self.piece(target)? }),
                _ => Err("An attack names the attacker and its target: attack A3 B5.".to_owned()),
            },
            "defend" => match rest {
                [who, word, against] if word.eq_ignore_ascii_case("against") => {
                    Ok(Order::Defend { who: self.piece(who)?, against: self.piece(against)? })
                }
                [who, against] => Ok(Order::Defend { who: self.piece(who)?, against: self.piece(against)? }),
                _ => Err("A defence names the defender and an attacker: defend A4 against B5.".to_owned()),
            },
            "damage" => self.damage(rest),
            "doctrine" => self.doctrine(rest),
            "move" => self.movement(rest),
            "beam" => self.beam(rest),
            "pass" if rest.is_empty() => Ok(Order::Pass),
            "pass" => Err("Nothing may follow “pass”.".to_owned()),
            other => {
                let verbs = VERBS.join(", ");
                let hint = did_you_mean(other, VERBS);
                let hint = if hint.is_empty() { ".".to_owned() } else { hint };
                Err(format!("“{other}” is not an order{hint} Orders begin with {verbs}."))
            }
        }
    }

    fn piece(self, word: &str) -> Result<Handle, String> {
        if word.eq_ignore_ascii_case("q")
            && let Some(seat) = self.view.viewer
        {
            return Ok(Handle::q(seat));
        }
        word.parse().map_err(|fault| format!("{fault}."))
    }

    /// Pieces in a row, with or without commas.
    fn pieces(self, words: &[&str], example: &str) -> Result<Vec<Handle>, String> {
        let names: Vec<&str> = words.iter().flat_map(|word| word.split(',')).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(format!("A piece is missing: {example}."));
        }
        names.into_iter().map(|name| self.piece(name)).collect()
    }

    fn deploy(self, rest: &[&str]) -> Result<Order, String> {
        let (mut rest, mut on, mut count) = (rest, None, None);
        // The count and the bearer may stand in either order behind the type.
        loop {
            match rest {
                [before @ .., word, bearer] if word.eq_ignore_ascii_case("on") && on.is_none() => {
                    on = Some(self.piece(bearer)?);
                    rest = before;
                }
                [before @ .., last] if count.is_none() && !before.is_empty() && is_count(last) => {
                    count = Some(read_count(last)?);
                    rest = before;
                }
                _ => break,
            }
        }
        if rest.last().is_some_and(|last| last.eq_ignore_ascii_case("on")) && on.is_none() {
            return Err("The bearer is missing after “on”: deploy batleth on A3.".to_owned());
        }
        if rest.is_empty() {
            return Err("A piece type is missing: deploy klingon-lieutenant.".to_owned());
        }
        Ok(Order::Deploy { what: self.piece_type(&rest.join(" "))?, count: count.unwrap_or(1), on })
    }

    fn piece_type(self, name: &str) -> Result<String, String> {
        let wanted = name.to_lowercase();
        if let Some(found) = self.data.piece(&wanted) {
            return Ok(found.id.clone());
        }
        let straight = |text: &str| text.to_lowercase().replace(['’', '‘', '`'], "'");
        match self.data.pieces.values().find(|piece| straight(&piece.name) == wanted) {
            Some(found) => Ok(found.id.clone()),
            None => {
                let deployable = self.data.pieces.values().filter(|piece| piece.kind != Kind::Q);
                let names = deployable.flat_map(|piece| [piece.id.as_str(), piece.name.as_str()]);
                Err(format!(
                    "There is no piece type “{name}”{}",
                    ended(&did_you_mean(name, names), "; name a type by its id or its name.")
                ))
            }
        }
    }

    fn damage(self, rest: &[&str]) -> Result<Order, String> {
        let (amount, to) = match rest {
            [amount, to] => (amount, to),
            [amount, word, to] if word.eq_ignore_ascii_case("to") => (amount, to),
            _ => return Err("Damage names an amount and the piece that takes it: damage 4 A3.".to_owned()),
        };
        match amount.parse::<i32>() {
            Ok(amount) if amount > 0 => Ok(Order::Damage { amount, to: self.piece(to)? }),
            _ => Err(format!("“{amount}” is not an amount of damage: write a whole number above zero.")),
        }
    }

    fn doctrine(self, rest: &[&str]) -> Result<Order, String> {
        let Some((word, rest)) = rest.split_first() else {
            return Err("A doctrine is “spare” or “soak” with pieces, or “default” or “ask”.".to_owned());
        };
        let doctrine = match (word.to_ascii_lowercase().as_str(), rest) {
            ("spare", pieces) => DoctrineOrder::Spare(self.pieces(pieces, "doctrine spare A1")?),
            ("soak", pieces) => DoctrineOrder::Soak(self.pieces(pieces, "doctrine soak A2")?),
            ("default", []) => DoctrineOrder::Default,
            ("ask", []) => DoctrineOrder::Ask,
            ("default" | "ask", _) => return Err(format!("Nothing may follow “doctrine {word}”.")),
            (other, _) => {
                return Err(format!(
                    "“{other}” is not a doctrine: write “spare” or “soak” with pieces, or “default” or “ask”."
                ));
            }
        };
        Ok(Order::Doctrine(doctrine))
    }

    fn movement(self, rest: &[&str]) -> Result<Order, String> {
        let Some((ship, place)) = rest.split_first() else {
            return Err("A move names a ship and a region: move A2 neutral-zone.".to_owned());
        };
        let place = match place {
            [word, behind @ ..] if word.eq_ignore_ascii_case("to") => behind,
            all => all,
        };
        let ship = self.piece(ship)?;
        if place.is_empty() {
            return Err(format!("The region is missing: move {ship} {}.", self.view.map.regions[1].id));
        }
        Ok(Order::Move { ship, to: self.region(&place.join(" "))? })
    }

    fn region(self, name: &str) -> Result<String, String> {
        let map = &self.view.map;
        if let Some(region) = map.regions.iter().find(|region| named(name, &region.id, &region.name)) {
            return Ok(region.id.clone());
        }
        if map.planets.iter().any(|planet| named(name, &planet.id, &planet.name)) {
            return Err(format!("{name} is a planet: ships move between regions, {}.", self.regions()));
        }
        let names = map.regions.iter().flat_map(|region| [region.id.as_str(), region.name.as_str()]);
        Err(format!(
            "There is no region “{name}”{}",
            ended(&did_you_mean(name, names), &format!("; the regions are {}.", self.regions()))
        ))
    }

    fn regions(self) -> String {
        self.view.map.regions.iter().map(|region| region.id.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn beam(self, rest: &[&str]) -> Result<Order, String> {
        let Some(at) = rest.iter().position(|word| word.eq_ignore_ascii_case("to")) else {
            return Err("A beam names who and where to: beam A3 A4 to A2.".to_owned());
        };
        let who = self.pieces(&rest[..at], "beam A3 to A2")?;
        let end = rest[at + 1..].join(" ");
        if end.is_empty() {
            return Err("The ship or planet is missing after “to”: beam A3 to A2.".to_owned());
        }
        Ok(Order::Beam { who, to: self.beam_end(&end)? })
    }

    fn beam_end(self, name: &str) -> Result<BeamEnd, String> {
        let map = &self.view.map;
        if let Some(planet) = map.planets.iter().find(|planet| named(name, &planet.id, &planet.name)) {
            return Ok(BeamEnd::Planet(planet.id.clone()));
        }
        if let Ok(ship) = name.parse() {
            return Ok(BeamEnd::Ship(ship));
        }
        if map.regions.iter().any(|region| named(name, &region.id, &region.name)) {
            return Err(format!("{name} is a region: a beam goes to a planet or aboard a ship."));
        }
        let planets: Vec<&str> = map.planets.iter().map(|planet| planet.id.as_str()).collect();
        let names = map.planets.iter().flat_map(|planet| [planet.id.as_str(), planet.name.as_str()]);
        Err(format!(
            "There is no planet or ship “{name}”{}",
            ended(&did_you_mean(name, names), &format!("; the planets are {}.", planets.join(", ")))
        ))
    }
}

fn named(word: &str, id: &str, name: &str) -> bool {
    let straight = |text: &str| text.to_lowercase().replace(['’', '‘', '`'], "'");
    word.eq_ignore_ascii_case(id) || word.to_lowercase() == straight(name)
}

/// The suggestion where there is one, otherwise the list of what there is.
fn ended(suggestion: &str, otherwise: &str) -> String {
    if suggestion.is_empty() { otherwise.to_owned() } else { suggestion.to_owned() }
}

fn is_count(word: &str) -> bool {
    let digits = word.strip_prefix(['x', 'X', '×']);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

fn read_count(word: &str) -> Result<u32, String> {
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<u32>() {
        Ok(count) if (1..=MOST_COPIES).contains(&count) => Ok(count),
        _ => Err(format!("“{word}” is not a number of copies: write x1 to x{MOST_COPIES}.")),
    }
}
