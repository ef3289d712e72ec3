//! Answers to the fields that a game asks of a table and of each seat.

use std::collections::BTreeMap;

use crate::rules::{Field, FieldKind, Game, SeatSetup};
use crate::store::{Conn, IdText, UserId, loadouts};

use crate::tables::{FieldFault, Refused};

/// Adds a fault of a field.
pub fn fault(faults: &mut Vec<FieldFault>, field: &str, message: String) {
    faults.push(FieldFault { field: field.to_owned(), message });
}

/// The answer to a choice; what is missing gets the first one.
pub fn choose(field: &Field, answers: &BTreeMap<String, String>, faults: &mut Vec<FieldFault>) -> Option<String> {
    let FieldKind::Choice(choices) = &field.kind else { return None };
    match answers.get(field.key).filter(|answer| !answer.is_empty()) {
        None => choices.first().map(|choice| choice.value.clone()),
        Some(answer) if choices.iter().any(|choice| choice.value == *answer) => Some(answer.clone()),
        Some(answer) => {
            let known: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
            fault(faults, field.key, format!("{}: “{answer}” is not one of {}.", field.label, known.join(", ")));
            None
        }
    }
}

/// A player's answers to the game's seat fields, with loadouts copied in as text, so that later edits don't
/// touch the table. Answers to fields the game does not have are passed over.
pub fn seat_answers(
    conn: &mut Conn,
    game: &dyn Game,
    user_id: UserId,
    answers: &SeatSetup,
    faults: &mut Vec<FieldFault>,
) -> Result<SeatSetup, Refused> {
    let mut chosen = SeatSetup::new();
    for field in game.seat_fields() {
        let answer = match field.kind {
            FieldKind::Choice(_) => choose(&field, answers, faults),
            FieldKind::Loadout => {
                let given = answers.get(field.key).map_or("", String::as_str).trim();
                loadout_text(conn, game, user_id, &field, given, faults)?
            }
        };
        chosen.extend(answer.map(|answer| (field.key.to_owned(), answer)));
    }
    Ok(chosen)
}

/// The text of a loadout given as stock id, as `saved:` and an id, or as text; the first stock one if missing.
fn loadout_text(
    conn: &mut Conn,
    game: &dyn Game,
    user_id: UserId,
    field: &Field,
    given: &str,
    faults: &mut Vec<FieldFault>,
) -> Result<Option<String>, Refused> {
    let stock = game.stock_loadouts();
    let chosen = if given.is_empty() { stock.first() } else { stock.iter().find(|stock| stock.id == given) };
    let text = match (chosen, given.strip_prefix("saved:")) {
        (Some(stock), _) => stock.text.clone(),
        (None, Some(id)) => {
            let saved = match id.parse::<IdText>() {
                Ok(IdText(id)) => loadouts::find(conn, user_id, id)?,
                Err(_) => None,
            };
            match saved.filter(|saved| saved.game == game.meta().id) {
                Some(saved) => saved.body,
                None => {
                    fault(faults, field.key, format!("{}: not found. Choose another.", field.label));
                    return Ok(None);
                }
            }
        }
        (None, None) => given.to_owned(),
    };
    match game.check_loadout(&text) {
        Ok(canonical) => Ok(Some(canonical)),
        Err(wrong) => {
            let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            fault(faults, field.key, format!("{}: {}", field.label, wrong.join(" ")));
            Ok(None)
        }
    }
}
