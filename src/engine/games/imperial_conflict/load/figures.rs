//! Checks of names, codes, continents and of the figures of the stock maps.

use super::draft::Draft;
use crate::games::imperial_conflict::data::Code;
use crate::games::imperial_conflict::setup::starting_armies;
use crate::rules::datafile::{At, DataFile};

/// A stock map's figures: how many countries, and of each continent how many and its bonus. Whoever wants
/// other figures gives the map another id, so that `world` means the same on every server.
struct Stock {
    id: &'static str,
    countries: usize,
    continents: &'static [(&'static str, usize, u32)],
}

const STOCK: [Stock; 2] = [
    Stock {
        id: "world",
        countries: 42,
        continents: &[
            ("north-america", 9, 5),
            ("south-america", 4, 2),
            ("europe", 7, 5),
            ("africa", 6, 3),
            ("asia", 12, 7),
            ("australia", 4, 2),
        ],
    },
    Stock {
        id: "sector",
        countries: 24,
        continents: &[("core", 6, 5), ("reach", 5, 3), ("crown", 3, 2), ("marches", 6, 4), ("shoals", 4, 3)],
    },
];

/// Notes what is wrong with names, codes and continents.
pub fn check(file: &mut DataFile, draft: &Draft) {
    unique(file, "continent id", draft.continents.iter().map(|it| it.id));
    unique(file, "continent name", draft.continents.iter().map(|it| it.name));
    unique(file, "country code", draft.countries.iter().map(|it| it.code));
    unique(file, "country name", draft.countries.iter().map(|it| it.name));
    for country in &draft.countries {
        let code = country.code.value;
        if code.parse::<Code>().is_err() {
            file.fault(country.code.at, format!("the code “{code}” is not three capital letters"));
        }
        let namesake = draft
            .countries
            .iter()
            .find(|other| other.code.value != code && other.name.value.to_lowercase() == code.to_lowercase());
        if namesake.is_some() {
            file.fault(
                country.code.at,
                format!("the code {code} is another country's name, so orders would be ambiguous"),
            );
        }
        if let Some(word) = country.name.value.split_whitespace().find(|word| is_notation(word)) {
            file.fault(
                country.name.at,
                format!("the name “{}” has “{word}” in it, which orders use for something else", country.name.value),
            );
        }
        if draft.continent(country.continent.value).is_none() {
            let message = format!("{code} is on “{}”, which is not a continent of this map", country.continent.value);
            file.fault(country.continent.at, message);
        }
    }
    for continent in &draft.continents {
        if members(draft, continent.id.value) == 0 {
            file.fault(continent.id.at, format!("the continent “{}” has no country", continent.id.value));
        }
    }
    check_seats(file, draft);
    if let Some(stock) = STOCK.iter().find(|stock| stock.id == draft.id) {
        check_stock(file, draft, stock);
    }
}

/// Whether a word of a name would be read as a part of an order: a number, `until`, a comment.
fn is_notation(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        || word.contains('#')
        || word.eq_ignore_ascii_case("until")
}

/// Everybody starts with at least one country and no more of them than armies.
fn check_seats(file: &mut DataFile, draft: &Draft) {
    let countries = draft.countries.len();
    let (least, most) = draft.players;
    if countries < most {
        let message = format!(
            "{most} players need at least as many countries, and the map has {countries}; change players or add some"
        );
        file.fault(0, message);
    }
    for players in least..=most {
        let armies = starting_armies(players);
        if countries.div_ceil(players) > usize::try_from(armies).expect("a small number") {
            let message = format!(
                "{countries} countries are too many for {players} players: each starts with {armies} armies, one a \
                 country"
            );
            file.fault(0, message);
        }
    }
}

fn unique<'a>(file: &mut DataFile, what: &str, names: impl Iterator<Item = At<&'a str>>) {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let lower = name.value.to_lowercase();
        if seen.contains(&lower) {
            file.fault(name.at, format!("the {what} “{}” is not unique; letter case does not count", name.value));
        }
        seen.push(lower);
    }
}

fn members(draft: &Draft, continent: &str) -> usize {
    draft.countries.iter().filter(|country| country.continent.value == continent).count()
}

fn check_stock(file: &mut DataFile, draft: &Draft, stock: &Stock) {
    const HINT: &str = "a changed map needs an id of its own";
    if draft.countries.len() != stock.countries {
        let (found, wanted) = (draft.countries.len(), stock.countries);
        file.fault(0, format!("the map “{}” has {found} countries, not {wanted}; {HINT}", stock.id));
    }
    for (id, countries, bonus) in stock.continents {
        match draft.continents.iter().find(|it| it.id.value == *id) {
            None => file.fault(0, format!("the map “{}” lacks the continent “{id}”; {HINT}", stock.id)),
            Some(it) if (members(draft, id), it.bonus) != (*countries, *bonus) => {
                let found = (members(draft, id), it.bonus);
                let message = format!(
                    "the continent “{id}” has {} countries and bonus {}, not {countries} and {bonus}; {HINT}",
                    found.0, found.1
                );
                file.fault(it.id.at, message);
            }
            Some(_) => {}
        }
    }
    for continent in &draft.continents {
        if !stock.continents.iter().any(|(id, ..)| *id == continent.id.value) {
            let message = format!("the map “{}” has no continent “{}”; {HINT}", stock.id, continent.id.value);
            file.fault(continent.id.at, message);
        }
    }
}
