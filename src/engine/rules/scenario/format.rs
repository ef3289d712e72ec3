//! The format of scenario files: from text to types, every fault with its line.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use crate::rules::datafile::{At, DataFile, Fields, found, line_of, whole_number};
use crate::rules::nearest::did_you_mean;
use crate::rules::{Content, DataFault, Fate, Leaving, Seat};

/// A scenario as written.
pub(super) struct Scenario {
    pub game: String,
    /// Line of the field “game”.
    pub game_line: usize,
    pub title: String,
    pub rule: String,
    pub files: Content,
    pub start: Start,
    /// Line of the table that says how it starts.
    pub start_line: usize,
    pub expect: Expect,
    pub steps: Vec<Step>,
}

/// How it starts.
pub(super) enum Start {
    /// From a position, which the game reads itself.
    Given(toml::Table),
    /// From the beginning of a game.
    Setup { options: BTreeMap<String, String>, seats: Vec<BTreeMap<String, String>>, dice: Vec<i64> },
}

/// One phase, or one attempt at it.
#[derive(Default)]
pub(super) struct Step {
    pub orders: BTreeMap<Seat, String>,
    pub leave: BTreeMap<Seat, Leaving>,
    pub dice: Vec<i64>,
    pub only_check: bool,
    pub expect: Expect,
}

/// What should hold after a step, or at the start.
#[derive(Default)]
pub(super) struct Expect {
    pub refused: BTreeMap<Seat, Vec<String>>,
    pub phase: Option<String>,
    pub due: Option<Vec<Seat>>,
    pub facts: BTreeMap<String, String>,
    pub report: Vec<String>,
    pub report_for: BTreeMap<Seat, Vec<String>>,
    pub not_in_report: Vec<String>,
    pub not_in_report_for: BTreeMap<Seat, Vec<String>>,
    pub result: BTreeMap<Seat, Fate>,
}

impl Expect {
    fn is_empty(&self) -> bool {
        self.refused.is_empty()
            && self.phase.is_none()
            && self.due.is_none()
            && self.facts.is_empty()
            && self.report.is_empty()
            && self.report_for.is_empty()
            && self.not_in_report.is_empty()
            && self.not_in_report_for.is_empty()
            && self.result.is_empty()
    }
}

/// Reads a scenario file.
pub(super) fn read(path: &str, text: &str) -> Result<Scenario, Vec<DataFault>> {
    let (mut file, table) = DataFile::open(path, text);
    let scenario = table.and_then(|table| read_scenario(&mut file, &table, text));
    let faults = file.into_faults();
    match scenario {
        Some(scenario) if faults.is_empty() => Ok(scenario),
        _ => Err(faults),
    }
}

fn read_scenario(file: &mut DataFile, table: &DeTable, text: &str) -> Option<Scenario> {
    let mut fields = Fields::of(table, 0, "scenario");
    let game = fields.text(file, "game", 60);
    let title = fields.text(file, "title", 200).map(|title| title.value.to_owned());
    let rule = fields.text(file, "rule", 200).map(|rule| rule.value.to_owned());
    let files = read_texts(&mut fields, file, "files");
    let start = read_start(&mut fields, file, text);
    let expect = fields.table(file, "expect").map(|table| read_expect(table, file, "expect")).unwrap_or_default();
    if !expect.refused.is_empty() {
        fields.fault(file, "expect", "nothing can be refused before the first step; write [step.expect]");
    }
    let step_tables = fields.tables(file, "step");
    let steps: Vec<Step> =
        step_tables.iter().enumerate().map(|(index, table)| read_step(*table, file, index + 1)).collect();
    if expect.is_empty() && steps.iter().all(|step| step.expect.is_empty()) {
        file.fault(0, "this scenario expects nothing; add an [expect] or a [step.expect]");
    }
    let start_line = fields.place(if fields.has("given") { "given" } else { "setup" });
    fields.finish(file);
    let (start_line, game) = (line_of(text, start_line), game?);
    let (game_line, game) = (line_of(text, game.at), game.value.to_owned());
    Some(Scenario { game, game_line, title: title?, rule: rule?, files, start: start?, start_line, expect, steps })
}

fn read_start(fields: &mut Fields, file: &mut DataFile, text: &str) -> Option<Start> {
    let given = fields.table(file, "given");
    let setup = fields.table(file, "setup");
    match (given, setup) {
        (Some(_), None) => {
            // The game reads its own part of the file, as plain values.
            let whole: toml::Table = match toml::from_str(text) {
                Ok(whole) => whole,
                Err(error) => {
                    // A number beyond 64 bits, for example: well formed, and no value.
                    let at = error.span().map_or(0, |span| span.start);
                    file.fault(at, format!("this value cannot be read: {}", error.message()));
                    return None;
                }
            };
            whole.get("given").and_then(toml::Value::as_table).cloned().map(Start::Given)
        }
        (None, Some(setup)) => {
            let mut fields = Fields::of(setup.value, setup.at, "setup");
            let options = read_texts(&mut fields, file, "options");
            let seat_tables = fields.tables(file, "seats");
            let seats = seat_tables.iter().map(|table| texts_of(file, *table, "setup, field “seats”")).collect();
            let dice = read_dice(&mut fields, file);
            fields.finish(file);
            Some(Start::Setup { options, seats, dice })
        }
        _ => {
            let message = "a scenario starts from a [given] position or from a whole game's [setup]; write one of them";
            file.fault(fields.at(), message);
            None
        }
    }
}

fn read_texts(fields: &mut Fields, file: &mut DataFile, key: &'static str) -> BTreeMap<String, String> {
    let owner = format!("{}, field “{key}”", fields.owner());
    fields.table(file, key).map(|table| texts_of(file, table, &owner)).unwrap_or_default()
}

fn texts_of(file: &mut DataFile, table: At<&DeTable>, owner: &str) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for (name, value) in table.value {
        match value.get_ref().as_str() {
            Some(text) => {
                texts.insert(name.get_ref().to_string(), text.to_owned());
            }
            None => {
                let message =
                    format!("{owner}: “{}” must be a text in quotes, found {}", name.get_ref(), found(value.get_ref()));
                file.fault(name.span().start, message);
            }
        }
    }
    texts
}

fn read_step(table: At<&DeTable>, file: &mut DataFile, no: usize) -> Step {
    let mut fields = Fields::of(table.value, table.at, format!("step {no}"));
    let orders = by_seat(&mut fields, file, "orders", |value| value.as_str().map(str::to_owned), "a text of orders");
    let leave = by_seat(
        &mut fields,
        file,
        "leave",
        |value| match value.as_str() {
            Some("resigned") => Some(Leaving::Resigned),
            Some("dropped") => Some(Leaving::Dropped),
            _ => None,
        },
        "\"resigned\" or \"dropped\"",
    );
    let dice = read_dice(&mut fields, file);
    let only_check = fields.flag(file, "only_check").unwrap_or_default();
    let expect = fields.table(file, "expect");
    let expect = expect.map(|table| read_expect(table, file, &format!("step {no}, expect"))).unwrap_or_default();
    if !leave.is_empty() && (!orders.is_empty() || only_check) {
        fields.fault(file, "leave", "a step has either leave or orders; make two steps of it");
    }
    if !dice.is_empty() && (only_check || !expect.refused.is_empty()) {
        fields.fault(file, "dice", "nothing is thrown in a step that is only checked or refused; remove the dice");
    }
    for (seat, texts) in &expect.refused {
        if texts.is_empty() {
            fields.fault(file, "expect", format!("refused.{seat} names no fault; write a part of each, or remove it"));
        }
        if !orders.contains_key(seat) {
            fields.fault(file, "expect", format!("orders of {seat} are expected to be refused, but there are none"));
        }
    }
    fields.finish(file);
    Step { orders, leave, dice, only_check, expect }
}

fn read_dice(fields: &mut Fields, file: &mut DataFile) -> Vec<i64> {
    let Some(value) = fields.raw("dice") else { return Vec::new() };
    let numbers = value.get_ref().as_array().and_then(|list| {
        let numbers: Option<Vec<i64>> = list.iter().map(|number| whole_number(number.get_ref())).collect();
        numbers
    });
    if numbers.is_none() {
        fields.fault(file, "dice", "expected a list of whole numbers, one for each throw in order, like [2, 4]");
    }
    numbers.unwrap_or_default()
}

fn read_expect(table: At<&DeTable>, file: &mut DataFile, owner: &str) -> Expect {
    let mut fields = Fields::of(table.value, table.at, owner);
    let refused = by_seat(&mut fields, file, "refused", texts, "a list of texts");
    let phase = fields.optional_text(file, "phase", 60);
    let due = fields.has("due").then(|| read_seats(&mut fields, file));
    let facts = read_facts(&mut fields, file);
    let report = read_list(&mut fields, file, "report");
    let report_for = by_seat(&mut fields, file, "report_for", texts, "a list of texts");
    let not_in_report = read_list(&mut fields, file, "not_in_report");
    let not_in_report_for = by_seat(&mut fields, file, "not_in_report_for", texts, "a list of texts");
    let result = by_seat(&mut fields, file, "result", fate, "won, lost, drew, resigned, dropped or active");
    fields.finish(file);
    let phase = phase.map(|phase| phase.value.to_owned());
    Expect { refused, phase, due, facts, report, report_for, not_in_report, not_in_report_for, result }
}

fn texts(value: &DeValue) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.get_ref().as_str().map(str::to_owned)).collect()
}

fn fate(value: &DeValue) -> Option<Fate> {
    match value.as_str()? {
        "won" => Some(Fate::Won),
        "lost" => Some(Fate::Lost),
        "drew" => Some(Fate::Drew),
        "resigned" => Some(Fate::Resigned),
        "dropped" => Some(Fate::Dropped),
        "active" => Some(Fate::Active),
        _ => None,
    }
}

/// A table with a seat for each key.
fn by_seat<T>(
    fields: &mut Fields,
    file: &mut DataFile,
    key: &'static str,
    read: impl Fn(&DeValue) -> Option<T>,
    wanted: &str,
) -> BTreeMap<Seat, T> {
    let mut all = BTreeMap::new();
    let Some(table) = fields.table(file, key) else { return all };
    for (name, value) in table.value {
        let at = name.span().start;
        match name.get_ref().parse::<Seat>() {
            Err(error) => file.fault(at, format!("{}, field “{key}”: {error}", fields.owner())),
            Ok(seat) => match read(value.get_ref()) {
                Some(value) => {
                    all.insert(seat, value);
                }
                None => {
                    let found = found(value.get_ref());
                    file.fault(
                        at,
                        format!("{}, field “{key}.{seat}”: expected {wanted}, found {found}", fields.owner()),
                    );
                }
            },
        }
    }
    all
}

fn read_seats(fields: &mut Fields, file: &mut DataFile) -> Vec<Seat> {
    let mut seats = Vec::new();
    for word in fields.words(file, "due").unwrap_or_default() {
        match word.value.parse::<Seat>() {
            Ok(seat) => seats.push(seat),
            Err(error) => file.fault(word.at, format!("{}, field “due”: {error}", fields.owner())),
        }
    }
    seats.sort();
    seats
}

fn read_list(fields: &mut Fields, file: &mut DataFile, key: &'static str) -> Vec<String> {
    fields.words(file, key).unwrap_or_default().iter().map(|word| word.value.to_owned()).collect()
}

/// Facts are texts; whole numbers may be written without quotes.
fn read_facts(fields: &mut Fields, file: &mut DataFile) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let Some(table) = fields.table(file, "facts") else { return facts };
    for (name, value) in table.value {
        let number = whole_number(value.get_ref()).map(|number| number.to_string());
        match value.get_ref().as_str().map(str::to_owned).or(number) {
            Some(text) => {
                facts.insert(name.get_ref().to_string(), text);
            }
            None if value.get_ref().is_table() => {
                let message = format!(
                    "{}, facts: put the whole name of the fact in quotes, like \"{}.…\" = …",
                    fields.owner(),
                    name.get_ref()
                );
                file.fault(name.span().start, message);
            }
            None => {
                let found = found(value.get_ref());
                let message = format!("{}, facts: “{}” must be a text, found {found}", fields.owner(), name.get_ref());
                file.fault(name.span().start, message);
            }
        }
    }
    facts
}

/// The engine a scenario names.
pub(super) fn unknown_game(path: &str, text_line: usize, game: &str, known: &[&str]) -> DataFault {
    let hint = did_you_mean(game, known.iter().copied());
    let hint = if hint.is_empty() { format!("; there are {}", known.join(", ")) } else { hint };
    DataFault {
        file: path.to_owned(),
        line: Some(text_line),
        message: format!("scenario, field “game”: there is no game “{game}”{hint}"),
    }
}
