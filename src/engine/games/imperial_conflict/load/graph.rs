//! Checks of the neighbours: known, symmetric, connected.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::Draft;
use crate::rules::datafile::DataFile;

/// Two countries by their places in the list, the lower first.
pub type Pair = (usize, usize);

/// The pair of two countries.
pub fn pair(one: usize, other: usize) -> Pair {
    (one.min(other), one.max(other))
}

/// Notes what is wrong with the neighbours. Returns every pair that one of the two lists, with the place to tell
/// faults of the pair at.
pub fn check(file: &mut DataFile, draft: &Draft) -> BTreeMap<Pair, usize> {
    let mut adjacent = BTreeMap::new();
    for (at, country) in draft.countries.iter().enumerate() {
        let code = country.code.value;
        if country.neighbours.is_empty() {
            file.fault(country.at, format!("{code} has no neighbour"));
        }
        let mut seen = BTreeSet::new();
        for neighbour in &country.neighbours {
            let name = neighbour.value;
            if !seen.insert(name) {
                file.fault(neighbour.at, format!("{code} lists its neighbour {name} twice"));
            }
            if name == code {
                file.fault(neighbour.at, format!("{code} is its own neighbour"));
                continue;
            }
            let Some(other) = draft.country(name) else {
                file.fault(neighbour.at, format!("{code} has an unknown neighbour “{name}”"));
                continue;
            };
            adjacent.entry(pair(at, other)).or_insert(neighbour.at);
            if !draft.countries[other].neighbours.iter().any(|back| back.value == code) {
                file.fault(neighbour.at, format!("{code} lists {name}, but {name} does not list {code}"));
            }
        }
    }
    connected(file, draft);
    adjacent
}

fn connected(file: &mut DataFile, draft: &Draft) {
    let mut reached = vec![false; draft.countries.len()];
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        if !reached[at] {
            reached[at] = true;
            todo.extend(draft.countries[at].neighbours.iter().filter_map(|neighbour| draft.country(neighbour.value)));
        }
    }
    let unreached = draft.countries.iter().zip(&reached).filter(|(_, reached)| !**reached).map(|(country, _)| country);
    let mut codes: Vec<&str> = unreached.clone().map(|country| country.code.value).collect();
    codes.sort_unstable();
    if let Some(first) = unreached.into_iter().next() {
        let start = draft.countries[0].code.value;
        file.fault(first.at, format!("the map is not connected: {} cannot be reached from {start}", codes.join(" ")));
    }
}
