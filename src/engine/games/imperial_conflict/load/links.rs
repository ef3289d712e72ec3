//! Checks of the links, and that neighbours are exactly those who share a border or a link.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Draft, LinkDraft};
use super::geometry::{inside, within};
use super::graph::{Pair, pair};
use super::shapes::Shape;
use crate::games::imperial_conflict::data::{Point, UNIT, Units};
use crate::rules::datafile::DataFile;

/// A link's end lies on its country or this near.
const REACH: i64 = 4 * UNIT;
/// Least length of the common border of neighbours without a link, so that it can be seen.
const MIN_BORDER: i64 = 4 * UNIT;

/// Notes what is wrong with the links and with neighbours that nothing drawn joins.
pub fn check(
    file: &mut DataFile,
    draft: &Draft,
    shapes: &[Option<Shape>],
    adjacent: &BTreeMap<Pair, usize>,
    touching: &BTreeMap<Pair, i64>,
) {
    let mut linked = BTreeSet::new();
    for link in &draft.links {
        let name = format!("the link {}-{}", link.from.value, link.to.value);
        let ends = draft.country(link.from.value).zip(draft.country(link.to.value)).filter(|(from, to)| from != to);
        let Some((from, to)) = ends else {
            file.fault(link.at, format!("{name} does not join two countries of this map"));
            continue;
        };
        if !linked.insert(pair(from, to)) {
            file.fault(link.at, format!("{name} is listed twice"));
        }
        if !adjacent.contains_key(&pair(from, to)) {
            file.fault(link.at, format!("{name} joins countries that are not neighbours"));
        }
        if let (Some(one), Some(other)) = (&shapes[from], &shapes[to]) {
            check_paths(file, draft, link, &name, [one, other]);
        }
    }
    let codes =
        |(one, other): Pair| format!("{}-{}", draft.countries[one].code.value, draft.countries[other].code.value);
    for (two, at) in adjacent {
        match touching.get(two) {
            _ if linked.contains(two) => {}
            None => file.fault(*at, format!("{}: neighbours with neither a common border nor a link", codes(*two))),
            Some(length) if *length < MIN_BORDER => {
                let message =
                    format!("{}: the common border of {} units is too short to see", codes(*two), Units(*length));
                file.fault(*at, message);
            }
            Some(_) => {}
        }
    }
    for two in touching.keys().filter(|two| !adjacent.contains_key(two)) {
        let at = draft.countries[two.0].outline.at;
        file.fault(at, format!("{}: a common border, but not neighbours", codes(*two)));
    }
}

fn check_paths(file: &mut DataFile, draft: &Draft, link: &LinkDraft, name: &str, shapes: [&Shape; 2]) {
    if link.paths.is_empty() {
        file.fault(link.at, format!("{name} has no path"));
    }
    let mut met = [false, false];
    for path in &link.paths {
        let (Some(first), Some(last)) = (path.first(), path.last()) else {
            file.fault(link.at, format!("{name}: a path is too short"));
            continue;
        };
        if path.len() < 2 || path.iter().any(|point| !draft.view_box.holds(*point)) {
            file.fault(link.at, format!("{name}: a path is too short or leaves the view box"));
            continue;
        }
        for end in [*first, *last] {
            let on = shapes.map(|shape| touches(end, shape));
            let at_edge = end.x == draft.view_box.corner.x || end.x == draft.view_box.far.x;
            met = [met[0] || on[0], met[1] || on[1]];
            if on == [false, false] && !at_edge {
                let message = format!("{name}: the end {end} lies on neither country nor on a side edge of the map");
                file.fault(link.at, message);
            }
        }
    }
    if met != [true, true] {
        file.fault(link.at, format!("{name} does not reach both countries"));
    }
}

fn touches(point: Point, shape: &Shape) -> bool {
    inside(point, &shape.rings) || within(point, &shape.rings, REACH)
}
