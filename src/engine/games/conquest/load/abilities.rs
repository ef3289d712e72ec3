//! The abilities of a piece: a list of inline tables.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Words;
use super::pieces::{kind_of, known_word};
use crate::games::conquest::data::{Ability, AbilityKind, Condition, ConditionSide, ConditionTest, ItemUse, Kind};
use crate::rules::datafile::{DataFile, Fields, found, whole_number};
use crate::rules::nearest::did_you_mean;

/// Reads the field “abilities” of a piece of this kind; `item` says where an item goes.
pub(super) fn read_abilities(
    fields: &mut Fields,
    file: &mut DataFile,
    kind: Kind,
    item: Option<&ItemUse>,
    words: &Words,
) -> Option<Vec<Ability>> {
    let tables = fields.tables(file, "abilities");
    if kind == Kind::Q && fields.has("abilities") {
        fields.fault(file, "abilities", "a Q has none: all Qs follow the same rules; remove the field");
        return None;
    }
    if kind == Kind::Item && tables.is_empty() {
        let at = fields.place("abilities");
        file.fault(
            at,
            format!("{}, field “abilities”: an item without an ability does nothing; add one", fields.owner()),
        );
        return None;
    }
    let bearers: Vec<Kind> = item.map_or_else(|| vec![kind], |item| item.bearer.clone());
    let mut abilities: Vec<Ability> = Vec::new();
    let count = tables.len();
    for table in tables {
        let owner = format!("{}, field “abilities”", fields.owner());
        let mut reader = AbilityReader { file, owner, at: table.at, words };
        let Some(ability) = reader.read(table.value, Carrier::No) else { continue };
        if reader.misplaced(&ability, kind, &bearers) {
            continue;
        }
        let twice = abilities.iter().any(|other| {
            other.what == ability.what && other.condition == ability.condition && other.carrier == ability.carrier
        });
        if twice {
            reader.fault(format!("{} is listed twice; add the figures up", ability.what.word()));
        }
        abilities.push(ability);
    }
    (abilities.len() == count).then_some(abilities)
}

/// Whether the ability is inside a `carrier_bonus`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carrier {
    No,
    Yes,
}

struct AbilityReader<'f, 't, 'w> {
    file: &'f mut DataFile<'t>,
    owner: String,
    at: usize,
    words: &'w Words,
}

impl AbilityReader<'_, '_, '_> {
    fn fault(&mut self, message: impl std::fmt::Display) {
        self.file.fault(self.at, format!("{}: {message}", self.owner));
    }

    /// One ability: exactly one entry with its name, and perhaps `for` or `against`.
    fn read(&mut self, table: &DeTable, carrier: Carrier) -> Option<Ability> {
        let mut named: Vec<(&str, &DeValue)> = Vec::new();
        let mut conditions: Vec<(ConditionSide, &Spanned<DeValue>)> = Vec::new();
        for (name, value) in table {
            let name: &str = name.get_ref();
            match name {
                "for" => conditions.push((ConditionSide::For, value)),
                "against" => conditions.push((ConditionSide::Against, value)),
                _ => named.push((name, value.get_ref())),
            }
        }
        let [(name, value)] = named.as_slice() else {
            let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
            self.fault(format!(
                "each {{ … }} has exactly one ability, perhaps with “for” or “against”; this one has {}",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            ));
            return None;
        };
        if *name == CARRIER_BONUS {
            return self.read_carrier(value, carrier, conditions.is_empty());
        }
        let what = self.ability_kind(name)?;
        let amount = self.amount(what, value)?;
        let condition = self.condition(what, &conditions)?;
        Some(Ability { what, amount, condition, carrier: carrier == Carrier::Yes })
    }

    fn read_carrier(&mut self, value: &DeValue, carrier: Carrier, plain: bool) -> Option<Ability> {
        if carrier == Carrier::Yes {
            self.fault("a carrier_bonus cannot be inside another");
            return None;
        }
        if !plain {
            self.fault(
                "write “for” and “against” inside the carrier_bonus: { carrier_bonus = { combat = 1, against = … } }",
            );
            return None;
        }
        let Some(inner) = value.as_table() else {
            self.fault(format!(
                "carrier_bonus holds an ability, like {{ carrier_bonus = {{ combat = 1 }} }}; found {}",
                found(value)
            ));
            return None;
        };
        self.read(inner, Carrier::Yes)
    }

    fn ability_kind(&mut self, name: &str) -> Option<AbilityKind> {
        let kind = AbilityKind::ALL.into_iter().find(|kind| kind.word() == name);
        if kind.is_none() {
            let known = || AbilityKind::ALL.iter().map(|kind| kind.word()).chain([CARRIER_BONUS]);
            let hint = did_you_mean(name, known());
            let hint =
                if hint.is_empty() { format!("; there are {}", known().collect::<Vec<_>>().join(", ")) } else { hint };
            self.fault(format!("there is no ability “{name}”{hint}"));
        }
        kind
    }

    fn amount(&mut self, what: AbilityKind, value: &DeValue) -> Option<i32> {
        let word = what.word();
        if let Some(switch) = value.as_bool() {
            if !switch {
                self.fault(format!("{word} = false says nothing; remove it, or write -1 to take it from a bearer"));
            } else if !what.is_switch() {
                self.fault(format!("{word} needs a figure, like {word} = 1"));
            } else {
                return Some(1);
            }
            return None;
        }
        let Some(amount) = whole_number(value) else {
            self.fault(format!("{word} needs a whole number, found {}", found(value)));
            return None;
        };
        let low = if what == AbilityKind::Capacity { 0 } else { 1 };
        let most = if what.is_switch() { 9 } else { 50 };
        if !(low..=most).contains(&amount.saturating_abs()) {
            self.fault(format!("{word} = {amount} is out of range; it must be {low} to {most}, or -{most} to -1"));
            return None;
        }
        i32::try_from(amount).ok()
    }

    /// `Some(None)` without a condition, `None` with a faulty one.
    fn condition(
        &mut self,
        what: AbilityKind,
        conditions: &[(ConditionSide, &Spanned<DeValue>)],
    ) -> Option<Option<Condition>> {
        let (side, value) = match conditions {
            [] => return Some(None),
            [(side, value)] => (*side, value.get_ref()),
            _ => {
                self.fault("an ability has “for” or “against”, not both");
                return None;
            }
        };
        if !matches!(what, AbilityKind::Combat | AbilityKind::Toughness) {
            self.fault(format!("only combat and toughness can have “for” or “against”, {} cannot", what.word()));
            return None;
        }
        let entries: Vec<(&str, Option<&str>)> = value.as_table().map_or_else(Vec::new, |table| {
            table.iter().map(|(name, value)| (name.get_ref().as_ref(), value.get_ref().as_str())).collect()
        });
        let test = match entries.as_slice() {
            [("affiliation", Some(word))] => self.checked(word, Known::Affiliation).map(ConditionTest::Affiliation),
            [("skill", Some(word))] => self.checked(word, Known::Skill).map(ConditionTest::Skill),
            [("kind", Some(word))] => {
                let kind = kind_of(word).filter(|kind| matches!(kind, Kind::Ship | Kind::Person));
                if kind.is_none() {
                    self.fault(format!("kind “{word}” must be ship or person"));
                }
                kind.map(ConditionTest::Kind)
            }
            _ => {
                self.fault("“for” and “against” hold one test, like { affiliation = \"klingon\" }, skill or kind");
                None
            }
        };
        test.map(|test| Some(Condition { side, test }))
    }

    fn checked(&mut self, word: &str, known: Known) -> Option<String> {
        let (what, list) = match known {
            Known::Affiliation => ("affiliation", &self.words.affiliations),
            Known::Skill => ("skill", &self.words.skills),
        };
        known_word(word, list).map_err(|message| self.fault(format!("{what} {message}"))).ok()
    }

    /// Whether the ability could never do anything where it stands; says so.
    fn misplaced(&mut self, ability: &Ability, kind: Kind, bearers: &[Kind]) -> bool {
        let word = ability.what.word();
        if ability.carrier && !bearers.contains(&Kind::Person) {
            self.fault("carrier_bonus counts while a person is crew; only people and items on people can have it");
            return true;
        }
        let (low_kind, needed) = match ability.what {
            AbilityKind::Warp | AbilityKind::Blockade | AbilityKind::Capacity | AbilityKind::MovePriority => {
                (Some(Kind::Ship), "a ship")
            }
            AbilityKind::Income => (Some(Kind::Person), "a person, because ships are never on planets"),
            _ => (None, ""),
        };
        let carried_by = if ability.carrier { &[Kind::Ship][..] } else { bearers };
        if low_kind.is_some_and(|needed| !carried_by.contains(&needed)) {
            self.fault(format!("{word} does something only for {needed}"));
            return true;
        }
        if ability.amount < 0
            && kind != Kind::Item
            && !matches!(ability.what, AbilityKind::Combat | AbilityKind::Toughness)
        {
            self.fault(format!("{word} with a negative figure is for items; a piece that lacks it has no entry"));
            return true;
        }
        false
    }
}

/// Which list of allowed words is meant.
#[derive(Clone, Copy)]
enum Known {
    Affiliation,
    Skill,
}

const CARRIER_BONUS: &str = "carrier_bonus";
