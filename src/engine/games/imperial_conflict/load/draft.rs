//! A map file field by field, before its parts are checked against each other.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::geometry::read_length;
use crate::games::imperial_conflict::data::{Point, ViewBox};
use crate::games::imperial_conflict::setup::{LEAST_SEATS, MOST_SEATS};
use crate::rules::datafile::{At, DataFile, Fields, found};

/// Longest name of a map, continent or country, in letters.
const LONGEST_NAME: usize = 40;
/// Greatest bonus of a continent.
const MOST_BONUS: i32 = 100;
/// Most countries of a map.
const MOST_COUNTRIES: usize = 200;

/// A map whose fields could be read.
pub struct Draft<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub players: (usize, usize),
    pub view_box: ViewBox,
    pub continents: Vec<ContinentDraft<'a>>,
    pub countries: Vec<CountryDraft<'a>>,
    pub links: Vec<LinkDraft<'a>>,
}

impl Draft<'_> {
    /// Place of the country with this code in the list.
    pub fn country(&self, code: &str) -> Option<usize> {
        self.countries.iter().position(|country| country.code.value == code)
    }

    /// Place of the continent with this id in the list.
    pub fn continent(&self, id: &str) -> Option<usize> {
        self.continents.iter().position(|continent| continent.id.value == id)
    }
}

/// A continent as written.
pub struct ContinentDraft<'a> {
    pub id: At<&'a str>,
    pub name: At<&'a str>,
    pub bonus: u32,
    pub colour: Option<&'a str>,
    pub label: Option<At<Point>>,
}

/// A country as written.
pub struct CountryDraft<'a> {
    pub at: usize,
    pub code: At<&'a str>,
    pub name: At<&'a str>,
    pub continent: At<&'a str>,
    pub neighbours: Vec<At<&'a str>>,
    pub label: At<Point>,
    pub outline: At<&'a str>,
}

/// A link as written.
pub struct LinkDraft<'a> {
    pub at: usize,
    pub from: At<&'a str>,
    pub to: At<&'a str>,
    pub paths: Vec<Vec<Point>>,
}

/// Reads the fields; `None` when one could not be read, with faults noted.
pub fn read<'a, 't>(file: &mut DataFile, table: &'a DeTable<'t>) -> Option<Draft<'a>> {
    let mut fields = Fields::of(table, 0, "the map");
    let id = fields.text(file, "id", LONGEST_NAME);
    let name = fields.text(file, "name", LONGEST_NAME);
    let view_box = read_view_box(file, &mut fields);
    let players = read_players(file, &mut fields);
    let continents = each(file, &mut fields, "continent", read_continent);
    let countries = each(file, &mut fields, "country", read_country);
    let links = each(file, &mut fields, "sea_link", read_link);
    for (key, count) in
        [("continent", continents.as_ref().map(Vec::len)), ("country", countries.as_ref().map(Vec::len))]
    {
        if count == Some(0) {
            file.fault(0, format!("the map has no {key}; add tables headed [[{key}]]"));
        }
    }
    if countries.as_ref().is_some_and(|list| list.len() > MOST_COUNTRIES) {
        file.fault(0, format!("the map has more than {MOST_COUNTRIES} countries"));
    }
    fields.finish(file);
    let draft = Draft {
        id: id?.value,
        name: name?.value,
        players: players?,
        view_box: view_box?,
        continents: continents?,
        countries: countries?,
        links: links?,
    };
    (!draft.continents.is_empty() && (1..=MOST_COUNTRIES).contains(&draft.countries.len())).then_some(draft)
}

/// Every table of a list; `None` when one of them could not be read.
fn each<'a, 't, T>(
    file: &mut DataFile,
    fields: &mut Fields<'a, 't>,
    key: &'static str,
    read: impl Fn(&mut DataFile, Fields<'a, 't>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut all = Some(Vec::new());
    for table in fields.tables(file, key) {
        let one = read(file, Fields::of(table.value, table.at, format!("a [[{key}]]")));
        all = all.zip(one).map(|(mut list, one)| {
            list.push(one);
            list
        });
    }
    all
}

fn read_view_box(file: &mut DataFile, fields: &mut Fields) -> Option<ViewBox> {
    let text = fields.text(file, "view_box", LONGEST_NAME)?.value;
    let numbers: Option<Vec<i64>> = text.split_whitespace().map(read_length).collect();
    match numbers.as_deref() {
        Some(&[x, y, width, height]) if width > 0 && height > 0 => {
            Some(ViewBox { corner: Point { x, y }, far: Point { x: x + width, y: y + height } })
        }
        _ => {
            fields.fault(file, "view_box", "expected left, top, width and height, such as \"0 0 1200 640\"");
            None
        }
    }
}

fn read_players(file: &mut DataFile, fields: &mut Fields) -> Option<(usize, usize)> {
    if !fields.has("players") {
        return Some((LEAST_SEATS, MOST_SEATS));
    }
    let bound = |seats: usize| i32::try_from(seats).expect("few seats");
    let (least, most) = fields.range(file, "players", bound(LEAST_SEATS), bound(MOST_SEATS))?;
    Some((usize::try_from(least).ok()?, usize::try_from(most).ok()?))
}

fn read_continent<'a>(file: &mut DataFile, mut fields: Fields<'a, '_>) -> Option<ContinentDraft<'a>> {
    let id = fields.text(file, "id", LONGEST_NAME);
    if let Some(id) = id {
        fields.rename(format!("continent “{}”", id.value));
    }
    let name = fields.text(file, "name", LONGEST_NAME);
    let bonus = fields.number(file, "bonus", 1, MOST_BONUS);
    let colour = fields.optional_text(file, "colour", LONGEST_NAME);
    let is_colour = |text: &str| {
        text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|c| c.is_ascii_hexdigit()))
    };
    if colour.is_some_and(|colour| !is_colour(colour.value)) {
        fields.fault(file, "colour", "expected a colour such as \"#d9b44a\"");
    }
    let label = if fields.has("label") { Some(read_label(file, &mut fields, "the place of its name")?) } else { None };
    fields.finish(file);
    Some(ContinentDraft {
        id: id?,
        name: name?,
        bonus: u32::try_from(bonus?).ok()?,
        colour: colour.map(|colour| colour.value),
        label,
    })
}

fn read_country<'a>(file: &mut DataFile, mut fields: Fields<'a, '_>) -> Option<CountryDraft<'a>> {
    let code = fields.text(file, "code", LONGEST_NAME);
    if let Some(code) = code {
        fields.rename(format!("country “{}”", code.value));
    }
    let name = fields.text(file, "name", LONGEST_NAME);
    let continent = fields.text(file, "continent", LONGEST_NAME);
    let neighbours = fields.words(file, "neighbours");
    let label = read_label(file, &mut fields, "the place of the army count");
    let outline = read_outline(file, &mut fields);
    let at = fields.at();
    fields.finish(file);
    Some(CountryDraft {
        at,
        code: code?,
        name: name?,
        continent: continent?,
        neighbours: neighbours?,
        label: label?,
        outline: outline?,
    })
}

fn read_label(file: &mut DataFile, fields: &mut Fields, what: &str) -> Option<At<Point>> {
    let label = fields.raw("label").and_then(|value| read_point(value.get_ref()));
    match label {
        Some(value) => Some(At { value, at: fields.place("label") }),
        None => {
            fields.fault(file, "label", format!("expected {what}, such as label = [66, 54]"));
            None
        }
    }
}

/// An outline may run over several lines, which a plain text field may not.
fn read_outline<'a>(file: &mut DataFile, fields: &mut Fields<'a, '_>) -> Option<At<&'a str>> {
    match fields.raw("outline").and_then(|value| value.get_ref().as_str()) {
        Some(value) => Some(At { value, at: fields.place("outline") }),
        None => {
            fields.fault(file, "outline", "expected the outline as a path such as \"M0 0L9 0L9 9Z\"");
            None
        }
    }
}

fn read_link<'a>(file: &mut DataFile, mut fields: Fields<'a, '_>) -> Option<LinkDraft<'a>> {
    let from = fields.text(file, "from", LONGEST_NAME);
    let to = fields.text(file, "to", LONGEST_NAME);
    if let (Some(from), Some(to)) = (from, to) {
        fields.rename(format!("link {}-{}", from.value, to.value));
    }
    let paths = read_paths(file, &mut fields);
    let at = fields.at();
    fields.finish(file);
    Some(LinkDraft { at, from: from?, to: to?, paths: paths? })
}

fn read_paths(file: &mut DataFile, fields: &mut Fields) -> Option<Vec<Vec<Point>>> {
    let list = fields.raw("paths").map(|value| value.get_ref());
    let Some(list) = list.and_then(DeValue::as_array) else {
        let what = list.map_or("nothing", found);
        fields.fault(file, "paths", format!("expected lines such as [[[43, 69], [0, 62]]], found {what}"));
        return None;
    };
    let line = |value: &Spanned<DeValue>| -> Option<Vec<Point>> {
        value.get_ref().as_array()?.iter().map(|point| read_point(point.get_ref())).collect()
    };
    let paths: Option<Vec<Vec<Point>>> = list.iter().map(line).collect();
    if paths.is_none() {
        fields.fault(file, "paths", "every line is a list of points, and a point is two numbers such as [43, 69.5]");
    }
    paths
}

fn read_point(value: &DeValue) -> Option<Point> {
    let number = |value: &Spanned<DeValue>| match value.get_ref() {
        DeValue::Integer(number) if number.radix() == 10 => read_length(number.as_str()),
        DeValue::Float(number) => read_length(number.as_str()),
        _ => None,
    };
    let list: Vec<&Spanned<DeValue>> = value.as_array()?.iter().collect();
    match list.as_slice() {
        [x, y] => Some(Point { x: number(x)?, y: number(y)? }),
        _ => None,
    }
}
