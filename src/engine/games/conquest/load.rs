//! Reads and checks ConQuest's data files. Every fault is reported with its file, line and field, so that
//! somebody who edits a piece can put it right without reading code.

mod abilities;
#[cfg(test)]
mod fault_tests;
mod maps;
mod pieces;
#[cfg(test)]
mod stock_tests;

use std::collections::BTreeMap;

use super::data::{Data, Figures, Kind, PieceType, StockGroup, Whose};
use super::group::ControlGroup;
use crate::rules::datafile::{At, DataFile, Fields, whole_number};
use crate::rules::nearest::did_you_mean;
use crate::rules::{Content, DataFault};

/// Reads the files of a content: `game.toml`, `maps/*.toml` (one map each), `pieces/*.toml` (any number of
/// piece types each) and `groups/*.toml` (one Control Group each). An empty file counts as not there.
///
/// # Errors
/// All faults of all files; a file that is no TOML adds one and hides what else is in it.
pub fn load(files: &Content) -> Result<Data, Vec<DataFault>> {
    let mut faults = Vec::new();
    let words = load_game(files, &mut faults);
    let mut pieces = BTreeMap::new();
    let mut maps = BTreeMap::new();
    for (path, text) in present(files) {
        match path.split_once('/') {
            None if path == GAME => {}
            Some(("pieces", name)) if is_toml(name) => pieces::load_into(&mut pieces, path, text, &words, &mut faults),
            Some(("maps", name)) if is_toml(name) => maps::load_into(&mut maps, path, text, &mut faults),
            Some(("groups", name)) if is_toml(name) => {}
            _ => faults.push(whole_file(path, UNKNOWN_FILE)),
        }
    }
    let pieces = pieces::checked_together(pieces, &mut faults);
    let mut groups = BTreeMap::new();
    if faults.is_empty() {
        if !pieces.values().any(|piece| piece.kind == Kind::Q) {
            faults.push(whole_file("pieces", "there is no piece of kind “q”; each player needs one"));
        }
        if maps.is_empty() {
            faults.push(whole_file("maps", "there is no map; add at least one file like maps/preceptor-nebula.toml"));
        }
        // Only now: with a piece that could not be read every group that holds it would be faulted as well.
        for (path, text) in present(files).filter(|(path, _)| path.starts_with("groups/")) {
            load_group(&mut groups, path, text, &pieces, &words.figures, &mut faults);
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Data {
        rules: words.figures,
        maps: maps.into_values().map(|found| found.value).collect(),
        pieces,
        groups: groups.into_values().collect(),
        affiliations: words.affiliations,
        skills: words.skills,
    })
}

const GAME: &str = "game.toml";
const UNKNOWN_FILE: &str = "this file is not one of the game's; it has game.toml, maps/….toml, pieces/….toml and \
                            groups/….toml";

/// What `game.toml` says.
struct Words {
    figures: Figures,
    affiliations: Vec<String>,
    skills: Vec<String>,
}

/// A thing with the file and line that defines it, for faults about duplicates.
struct Defined<T> {
    value: T,
    path: String,
    line: usize,
}

fn present(files: &Content) -> impl Iterator<Item = (&str, &str)> {
    let filled = files.iter().filter(|(_, text)| !text.trim().is_empty());
    filled.map(|(path, text)| (path.as_str(), text.as_str()))
}

fn is_toml(name: &str) -> bool {
    name.strip_suffix(".toml").is_some_and(|stem| !stem.is_empty() && !stem.contains('/'))
}

fn whole_file(path: &str, message: &str) -> DataFault {
    DataFault { file: path.to_owned(), line: None, message: message.to_owned() }
}

fn load_game(files: &Content, faults: &mut Vec<DataFault>) -> Words {
    let mut words = Words {
        figures: Figures { group_size: 40, copies: 3, last_turn: 20 },
        affiliations: Vec::new(),
        skills: Vec::new(),
    };
    let Some(text) = files.get(GAME).filter(|text| !text.trim().is_empty()) else {
        faults.push(whole_file(GAME, "this file is missing; it holds the figures of the game"));
        return words;
    };
    let (mut file, table) = DataFile::open(GAME, text);
    if let Some(table) = table {
        let mut fields = Fields::of(&table, 0, "game");
        let mut figure = |key, high| {
            let number = fields.number(&mut file, key, 1, high)?;
            u32::try_from(number).ok()
        };
        let figures = (figure("group_size", 200), figure("copies", 50), figure("last_turn", 100));
        if let (Some(group_size), Some(copies), Some(last_turn)) = figures {
            words.figures = Figures { group_size, copies, last_turn };
        }
        words.affiliations = word_list(&mut fields, &mut file, "affiliations");
        words.skills = word_list(&mut fields, &mut file, "skills");
        fields.finish(&mut file);
    }
    faults.extend(file.into_faults());
    words
}

fn word_list(fields: &mut Fields, file: &mut DataFile, key: &'static str) -> Vec<String> {
    if !fields.has(key) {
        file.fault(fields.at(), format!("game lacks the field “{key}”; add a line like: {key} = [\"…\"]"));
    }
    let mut list: Vec<String> = Vec::new();
    for word in fields.words(file, key).unwrap_or_default() {
        if let Err(message) = check_id(word.value) {
            file.fault(word.at, format!("game, field “{key}”: {message}"));
        } else if list.iter().any(|known| known == word.value) {
            file.fault(word.at, format!("game, field “{key}”: “{}” is listed twice; remove one", word.value));
        } else {
            list.push(word.value.to_owned());
        }
    }
    list
}

/// Ids are short names for files, orders and addresses, and must not read like the handle of a piece in play.
fn check_id(id: &str) -> Result<(), String> {
    let shaped = !id.is_empty()
        && id.len() <= 40
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && id.starts_with(|first: char| first.is_ascii_lowercase())
        && !id.ends_with('-')
        && !id.contains("--");
    if !shaped {
        return Err(format!(
            "“{id}” is not an id; an id has up to 40 small letters, digits and single hyphens and starts with a letter, \
             like “klingon-lieutenant”"
        ));
    }
    check_handle(id)
}

/// Orders name pieces in play, places and types side by side: none may be taken for another.
fn check_handle(word: &str) -> Result<(), String> {
    let mut rest = word.chars();
    let letter_first = rest.next().is_some_and(|first| first.is_ascii_alphabetic());
    if letter_first && rest.all(|digit| digit.is_ascii_digit()) && word.len() > 1 {
        return Err(format!("“{word}” reads like the handle of a piece in play; choose a longer word"));
    }
    Ok(())
}

fn id_field<'a>(fields: &mut Fields<'a, '_>, file: &mut DataFile, what: &str) -> Option<At<&'a str>> {
    let id = fields.text(file, "id", 60)?;
    fields.rename(format!("{what} “{}”", id.value));
    match check_id(id.value) {
        Ok(()) => Some(id),
        Err(message) => {
            fields.fault(file, "id", message);
            None
        }
    }
}

fn load_group(
    groups: &mut BTreeMap<String, StockGroup>,
    path: &str,
    text: &str,
    pieces: &BTreeMap<String, PieceType>,
    figures: &Figures,
    faults: &mut Vec<DataFault>,
) {
    let (mut file, table) = DataFile::open(path, text);
    if let Some(table) = table {
        let mut fields = Fields::of(&table, 0, "group");
        let id = id_field(&mut fields, &mut file, "group");
        let name = fields.text(&mut file, "name", 60);
        let summary = fields.text(&mut file, "summary", 300);
        let group = read_group(&mut fields, &mut file, pieces, figures);
        if let (Some(id), Some(name), Some(summary), Some(group)) = (id, name, summary, group) {
            let stock = StockGroup {
                id: id.value.to_owned(),
                name: name.value.to_owned(),
                summary: summary.value.to_owned(),
                group,
            };
            if groups.contains_key(id.value) {
                fields.fault(&mut file, "id", "another group has this id already; choose another");
            } else if groups.values().any(|other| other.name.eq_ignore_ascii_case(name.value)) {
                fields.fault(&mut file, "name", "another group has this name already; choose another");
            } else {
                groups.insert(stock.id.clone(), stock);
            }
        }
        fields.finish(&mut file);
    }
    faults.extend(file.into_faults());
}

fn read_group(
    fields: &mut Fields,
    file: &mut DataFile,
    pieces: &BTreeMap<String, PieceType>,
    figures: &Figures,
) -> Option<ControlGroup> {
    let q = fields.text(file, "q", 60);
    let listed = fields.table(file, "pieces");
    if listed.is_none() && !fields.has("pieces") {
        file.fault(fields.at(), format!("{} lacks the table [pieces] with lines like: batleth = 2", fields.owner()));
    }
    let (q, listed) = (q?, listed?);
    if pieces.get(q.value).is_none_or(|piece| piece.kind != Kind::Q) {
        let qs = pieces.values().filter(|piece| piece.kind == Kind::Q).map(|piece| piece.id.as_str());
        let hint = did_you_mean(q.value, qs);
        fields.fault(file, "q", format!("“{}” is not a piece of kind “q”{hint}", q.value));
        return None;
    }
    let mut group = ControlGroup { q: q.value.to_owned(), pieces: Vec::new() };
    let mut faulty = false;
    for (name, copies) in listed.value {
        let id: &str = name.get_ref();
        match check_entry(id, whole_number(copies.get_ref()), pieces, figures) {
            Ok(copies) => group.pieces.push((id.to_owned(), copies)),
            Err(message) => {
                faulty = true;
                file.fault(name.span().start, format!("{}, pieces: {message}", fields.owner()));
            }
        }
    }
    if faulty {
        return None;
    }
    group.sort(pieces);
    if group.size() != figures.group_size {
        let message = wrong_size(group.size(), figures);
        file.fault(fields.place("pieces"), format!("{}: {message}", fields.owner()));
    }
    for id in unbearable(&group, pieces) {
        let message = format!("{}, pieces: nobody in the group can bear “{id}”; take it out", fields.owner());
        file.fault(fields.place("pieces"), message);
    }
    Some(group)
}

fn check_entry(
    id: &str,
    copies: Option<i64>,
    pieces: &BTreeMap<String, PieceType>,
    figures: &Figures,
) -> Result<u32, String> {
    let Some(piece) = pieces.get(id) else {
        return Err(format!("there is no piece type “{id}”{}", did_you_mean(id, pieces.keys().map(String::as_str))));
    };
    if piece.kind == Kind::Q {
        return Err(format!("“{id}” is a Q, which belongs in the field “q”"));
    }
    let copies = copies.and_then(|copies| u32::try_from(copies).ok()).filter(|copies| *copies > 0);
    match copies {
        Some(copies) if copies <= figures.copies => Ok(copies),
        Some(copies) => Err(format!("{copies} copies of “{id}” are too many; at most {} are allowed", figures.copies)),
        None => Err(format!("“{id}” needs a number of copies from 1 to {}", figures.copies)),
    }
}

/// The sentence about a group that is too small or too large.
pub(super) fn wrong_size(size: u32, figures: &Figures) -> String {
    format!("The group has {size} pieces apart from the Q; it needs exactly {}.", figures.group_size)
}

/// The items of a group that go on own pieces only and suit none of its pieces.
fn unbearable<'g>(group: &'g ControlGroup, pieces: &BTreeMap<String, PieceType>) -> Vec<&'g str> {
    let types: Vec<&PieceType> = group.pieces.iter().filter_map(|(id, _)| pieces.get(id)).collect();
    let stranded = |id: &str| {
        let usage = pieces.get(id).and_then(|piece| piece.item.as_ref());
        usage.is_some_and(|usage| usage.whose == Whose::Own && !types.iter().any(|piece| usage.suits(piece)))
    };
    group.pieces.iter().map(|(id, _)| id.as_str()).filter(|id| stranded(id)).collect()
}
