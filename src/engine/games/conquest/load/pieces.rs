//! Piece files: any number of piece types each.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::abilities::read_abilities;
use super::{Defined, Words, id_field};
use crate::games::conquest::data::{ItemUse, Kind, PieceType, Whose};
use crate::rules::DataFault;
use crate::rules::datafile::{At, DataFile, Fields, line_of};
use crate::rules::nearest::did_you_mean;

/// Reads one piece file and puts its types among those read before.
pub(super) fn load_into(
    pieces: &mut BTreeMap<String, Defined<PieceType>>,
    path: &str,
    text: &str,
    words: &Words,
    faults: &mut Vec<DataFault>,
) {
    let (mut file, table) = DataFile::open(path, text);
    if let Some(table) = table {
        let mut fields = Fields::of(&table, 0, "file");
        let listed = fields.tables(&mut file, "piece");
        if !fields.has("piece") {
            file.fault(0, "there is no piece in this file; pieces are written as [[piece]] tables");
        }
        for entry in listed {
            if let Some(piece) = read_piece(entry, &mut file, words) {
                let defined = Defined { value: piece, path: path.to_owned(), line: line_of(text, entry.at) };
                add(pieces, defined, entry.at, &mut file);
            }
        }
        fields.finish(&mut file);
    }
    faults.extend(file.into_faults());
}

fn add(pieces: &mut BTreeMap<String, Defined<PieceType>>, piece: Defined<PieceType>, at: usize, file: &mut DataFile) {
    let same = pieces.values().find(|other| {
        other.value.id == piece.value.id || other.value.name.to_lowercase() == piece.value.name.to_lowercase()
    });
    if let Some(other) = same {
        let what = if other.value.id == piece.value.id { "id" } else { "name" };
        let message = format!(
            "piece “{}”, field “{what}”: the piece in {}, line {} has the same {what}; choose another",
            piece.value.id, other.path, other.line
        );
        file.fault(at, message);
    } else {
        pieces.insert(piece.value.id.clone(), piece);
    }
}

/// Checks that need all pieces: an item that nothing can bear could never be played.
pub(super) fn checked_together(
    pieces: BTreeMap<String, Defined<PieceType>>,
    faults: &mut Vec<DataFault>,
) -> BTreeMap<String, PieceType> {
    if faults.is_empty() {
        for item in pieces.values() {
            let Some(usage) = &item.value.item else { continue };
            if !pieces.values().any(|piece| usage.suits(&piece.value)) {
                faults.push(DataFault {
                    file: item.path.clone(),
                    line: Some(item.line),
                    message: format!(
                        "piece “{}”, field “item”: no existing piece can bear it; ask less of its bearer",
                        item.value.id
                    ),
                });
            }
        }
    }
    pieces.into_iter().map(|(id, piece)| (id, piece.value)).collect()
}

fn read_piece(entry: At<&DeTable>, file: &mut DataFile, words: &Words) -> Option<PieceType> {
    let mut fields = Fields::of(entry.value, entry.at, "piece");
    let id = id_field(&mut fields, file, "piece");
    let name = fields.text(file, "name", 60);
    let text = fields.text(file, "text", 500);
    let kind = read_kind(&mut fields, file);
    let affiliation = read_known(&mut fields, file, "affiliation", &words.affiliations);
    let unique = fields.flag(file, "unique");
    // Without its kind nothing more can be said about a piece than that.
    let kind = kind?;
    let figures = read_figures(&mut fields, file, kind);
    let skills = read_skills(&mut fields, file, kind, words);
    let item = read_item(&mut fields, file, kind, words);
    let abilities = read_abilities(&mut fields, file, kind, item.as_ref(), words);
    if kind == Kind::Q && unique == Some(true) {
        fields.fault(file, "unique", "a Q is not unique, for each player has one; remove the field");
    }
    fields.finish(file);
    let (id, name, text, affiliation, figures) = (id?, name?, text?, affiliation?, figures?);
    if kind == Kind::Item && item.is_none() {
        return None;
    }
    Some(PieceType {
        id: id.value.to_owned(),
        name: name.value.to_owned(),
        kind,
        affiliation,
        skills: skills?,
        unique: unique?,
        cost: figures.cost,
        combat: figures.combat,
        toughness: figures.toughness,
        abilities: abilities?,
        item,
        text: text.value.to_owned(),
    })
}

/// The kind that a word of a data file means.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    [Kind::Ship, Kind::Person, Kind::Item, Kind::Q].into_iter().find(|kind| kind.word().eq_ignore_ascii_case(word))
}

fn read_kind(fields: &mut Fields, file: &mut DataFile) -> Option<Kind> {
    let word = fields.text(file, "kind", 60)?;
    let kind = kind_of(word.value);
    if kind.is_none() {
        fields.fault(file, "kind", format!("“{}” is not a kind; write ship, person, item or q", word.value));
    }
    kind
}

fn read_known(fields: &mut Fields, file: &mut DataFile, key: &'static str, known: &[String]) -> Option<String> {
    let word = fields.text(file, key, 60)?;
    match known_word(word.value, known) {
        Ok(word) => Some(word),
        Err(message) => {
            fields.fault(file, key, message);
            None
        }
    }
}

/// The word itself, or the sentence that says it is none of the known ones.
pub(super) fn known_word(word: &str, known: &[String]) -> Result<String, String> {
    if known.iter().any(|other| other == word) {
        return Ok(word.to_owned());
    }
    let hint = did_you_mean(word, known.iter().map(String::as_str));
    let hint = if hint.is_empty() { format!("; game.toml allows {}", known.join(", ")) } else { hint };
    Err(format!("“{word}” is not allowed{hint}"))
}

struct PieceFigures {
    cost: i32,
    combat: (i32, i32),
    toughness: i32,
}

fn read_figures(fields: &mut Fields, file: &mut DataFile, kind: Kind) -> Option<PieceFigures> {
    let cost = if kind == Kind::Q { Some(0) } else { fields.number(file, "cost", 1, 99) };
    let (combat, toughness) = match kind {
        Kind::Ship => (fields.range(file, "combat", 0, 99), fields.number(file, "shields", 1, 99)),
        Kind::Person => (fields.range(file, "combat", 0, 99), fields.number(file, "hit_points", 1, 99)),
        Kind::Item | Kind::Q => (Some((0, 0)), Some(0)),
    };
    let strange: &[&'static str] = match kind {
        Kind::Ship => &["hit_points"],
        Kind::Person => &["shields"],
        Kind::Item => &["combat", "shields", "hit_points"],
        Kind::Q => &["cost", "combat", "shields", "hit_points"],
    };
    reject(fields, file, kind, strange);
    Some(PieceFigures { cost: cost?, combat: combat?, toughness: toughness? })
}

/// Faults fields that a piece of this kind does not have.
fn reject(fields: &mut Fields, file: &mut DataFile, kind: Kind, keys: &[&'static str]) {
    for key in keys {
        if fields.raw(key).is_some() {
            let hint = match (*key, kind) {
                ("hit_points", Kind::Ship) => "; a ship has shields",
                ("shields", Kind::Person) => "; a person has hit_points",
                ("combat" | "shields" | "hit_points", Kind::Item) => "; give the figure as an ability",
                _ => "",
            };
            fields.fault(file, key, format!("a piece of kind “{}” has no such field{hint}", kind.word()));
        }
    }
}

fn read_skills(fields: &mut Fields, file: &mut DataFile, kind: Kind, words: &Words) -> Option<Vec<String>> {
    if matches!(kind, Kind::Item | Kind::Q) {
        reject(fields, file, kind, &["skills"]);
        return Some(Vec::new());
    }
    let mut skills: Vec<String> = Vec::new();
    let mut fine = true;
    for word in fields.words(file, "skills")? {
        let message = match known_word(word.value, &words.skills) {
            Err(message) => message,
            Ok(skill) if skills.contains(&skill) => format!("“{skill}” is listed twice; remove one"),
            Ok(skill) => {
                skills.push(skill);
                continue;
            }
        };
        fine = false;
        file.fault(word.at, format!("{}, field “skills”: {message}", fields.owner()));
    }
    fine.then_some(skills)
}

fn read_item(fields: &mut Fields, file: &mut DataFile, kind: Kind, words: &Words) -> Option<ItemUse> {
    if kind != Kind::Item {
        reject(fields, file, kind, &["item"]);
        return None;
    }
    let Some(table) = fields.table(file, "item") else {
        if !fields.has("item") {
            let message = format!(
                "{} lacks the field “item”, which says who bears it; add a line like: \
                 item = {{ whose = \"own\", bearer = [\"person\"] }}",
                fields.owner()
            );
            file.fault(fields.at(), message);
        }
        return None;
    };
    let mut usage = Fields::of(table.value, table.at, format!("{}, field “item”", fields.owner()));
    let whose = usage.text(file, "whose", 60).and_then(|word| {
        let whose = match word.value {
            "own" => Some(Whose::Own),
            "enemy" => Some(Whose::Enemy),
            "any" => Some(Whose::Any),
            _ => None,
        };
        if whose.is_none() {
            usage.fault(file, "whose", format!("“{}” must be own, enemy or any", word.value));
        }
        whose
    });
    let bearer = read_bearer(&mut usage, file);
    let affiliation = read_need(&mut usage, file, "affiliation", &words.affiliations);
    let skill = read_need(&mut usage, file, "skill", &words.skills);
    usage.finish(file);
    Some(ItemUse { whose: whose?, bearer: bearer?, affiliation: affiliation?, skill: skill? })
}

/// Something the bearer must be or have: `Some(None)` if nothing is asked, `None` if the field is faulty.
fn read_need(usage: &mut Fields, file: &mut DataFile, key: &'static str, known: &[String]) -> Option<Option<String>> {
    if usage.has(key) {
        return read_known(usage, file, key, known).map(Some);
    }
    usage.raw(key);
    Some(None)
}

fn read_bearer(usage: &mut Fields, file: &mut DataFile) -> Option<Vec<Kind>> {
    let words = usage.words(file, "bearer")?;
    let mut kinds = Vec::new();
    for word in &words {
        match kind_of(word.value) {
            Some(kind @ (Kind::Ship | Kind::Person)) if !kinds.contains(&kind) => kinds.push(kind),
            Some(Kind::Ship | Kind::Person) => {}
            _ => {
                let message = format!("{}, bearer: “{}” must be ship or person", usage.owner(), word.value);
                file.fault(word.at, message);
                return None;
            }
        }
    }
    if kinds.is_empty() {
        usage.fault(file, "bearer", "it must name who can bear the item: [\"ship\"], [\"person\"] or both");
        return None;
    }
    Some(kinds)
}
