//! Forms made of what a game asks: the fields of a table and those of a seat.

use std::collections::BTreeMap;

use crate::rules::{Field, FieldKind, Game};
use crate::store::IdText;
use crate::store::loadouts::LoadoutRow;
use crate::web::{Form, Posted};

/// A field of a game as its form shows it.
pub struct FieldShown {
    /// Name of the form control.
    pub name: String,
    /// Label for people.
    pub label: &'static str,
    /// One sentence of help.
    pub help: &'static str,
    /// The answers there are.
    pub choices: Vec<ChoiceShown>,
    /// Whether it takes a loadout; then players may build their own.
    pub loadout: bool,
    /// What is wrong with the answer.
    pub fault: Option<String>,
}

/// One answer.
pub struct ChoiceShown {
    /// Value that is sent.
    pub value: String,
    /// Label for people.
    pub label: String,
    /// One sentence about it.
    pub summary: String,
    /// Whether it is the one taken.
    pub checked: bool,
}

/// The fields of a game with what was filled in. `start` keeps their names apart from other fields.
pub fn shown(start: &str, fields: &[Field], game: &dyn Game, saved: &[LoadoutRow], form: &Form) -> Vec<FieldShown> {
    let one = |field: &Field| {
        let name = format!("{start}{}", field.key);
        let mut choices: Vec<ChoiceShown> = match &field.kind {
            FieldKind::Choice(choices) => choices
                .iter()
                .map(|choice| answer(choice.value.clone(), choice.label.clone(), choice.summary.clone()))
                .collect(),
            FieldKind::Loadout => {
                let stock = game.stock_loadouts().into_iter().map(|it| answer(it.id, it.name, it.summary));
                let own = saved
                    .iter()
                    .map(|it| answer(format!("saved:{}", IdText(it.id)), it.name.clone(), "Your own".to_owned()));
                stock.chain(own).collect()
            }
        };
        let chosen = choices.iter().position(|choice| form.is(&name, &choice.value)).unwrap_or(0);
        if let Some(choice) = choices.get_mut(chosen) {
            choice.checked = true;
        }
        FieldShown {
            label: field.label,
            help: field.help,
            choices,
            loadout: matches!(field.kind, FieldKind::Loadout),
            fault: form.fault_of(&name).map(str::to_owned),
            name,
        }
    };
    fields.iter().map(one).collect()
}

fn answer(value: String, label: String, summary: String) -> ChoiceShown {
    ChoiceShown { value, label, summary, checked: false }
}

/// The answers that were sent, by the game's keys.
pub fn answers(start: &str, fields: &[Field], posted: &Posted) -> BTreeMap<String, String> {
    let answer = |field: &Field| {
        let sent = posted.get(&format!("{start}{}", field.key))?;
        Some((field.key.to_owned(), sent.trim().to_owned()))
    };
    fields.iter().filter_map(answer).collect()
}
