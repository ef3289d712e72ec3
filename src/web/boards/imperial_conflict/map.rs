//! The map as a drawing: outlines, seams between continents, ways across water, and where names find room.
//! Lengths are half map units, so that a map 1200 units wide is drawn on a plane of 2400.

use std::fmt::Write as _;

use crate::games::imperial_conflict::data::{Continent, Country, GameMap, Point, UNIT};

/// Half units to a unit.
const PARTS: i64 = 2;
/// Half the height of an army badge.
const BADGE: i64 = 21;
/// Height of a line of a name.
const LINE: i64 = 24;
/// Width of a letter of a name, on average.
const LETTER: i64 = 15;

/// A whole map, without a position.
pub(super) struct MapArt {
    pub view_box: String,
    pub countries: Vec<CountryArt>,
    pub continents: Vec<ContinentArt>,
    /// Paths of the lines between continents, all in one.
    pub seams: String,
    /// Paths of the ways across water, all in one.
    pub ways: String,
}

/// One country.
pub(super) struct CountryArt {
    pub path: String,
    pub x: i64,
    pub y: i64,
    /// The name, or the code where the country is too small for it: lines with their distance below the middle.
    pub lines: Vec<(i64, String)>,
}

/// Where the name of a continent is.
pub(super) struct ContinentArt {
    pub name: String,
    pub x: i64,
    pub y: i64,
    pub lines: Vec<(i64, String)>,
    /// Distance of the bonus below the middle.
    pub below: i64,
    pub bonus: u32,
}

impl MapArt {
    /// Draws a map.
    pub fn new(map: &GameMap) -> MapArt {
        let (corner, far) = (map.view_box.corner, map.view_box.far);
        let (left, top) = (part(corner.x), part(corner.y));
        let mut ways = String::new();
        for path in map.links.iter().flat_map(|link| &link.paths) {
            open_line(&mut ways, path);
        }
        let mut seams = String::new();
        for line in &map.seams {
            open_line(&mut seams, line);
        }
        MapArt {
            view_box: format!("{left} {top} {} {}", part(far.x) - left, part(far.y) - top),
            countries: map.countries.iter().map(country).collect(),
            continents: map.continents.iter().filter_map(continent).collect(),
            seams,
            ways,
        }
    }
}

/// Where the army badge of a country is.
pub(super) fn middle(country: &Country) -> (i64, i64) {
    (part(country.label.x), part(country.label.y))
}

/// Thousandths of a unit in half units, rounded.
fn part(length: i64) -> i64 {
    (length * PARTS + UNIT / 2).div_euclid(UNIT)
}

fn country(country: &Country) -> CountryArt {
    let mut path = String::new();
    for ring in &country.rings {
        closed_line(&mut path, ring);
    }
    CountryArt { path, x: part(country.label.x), y: part(country.label.y), lines: name_lines(country) }
}

/// Points without those that fall on the one before.
fn rounded(points: &[Point]) -> Vec<(i64, i64)> {
    let mut all: Vec<(i64, i64)> = points.iter().map(|point| (part(point.x), part(point.y))).collect();
    all.dedup();
    all
}

fn closed_line(path: &mut String, ring: &[Point]) {
    let mut points = rounded(ring);
    if points.first() == points.last() {
        points.pop();
    }
    if points.len() >= 3 {
        line(path, &points);
        path.push('z');
    }
}

fn open_line(path: &mut String, points: &[Point]) {
    line(path, &rounded(points));
}

/// Relative steps, as short as path data can be.
fn line(path: &mut String, points: &[(i64, i64)]) {
    let Some((first, rest)) = points.split_first() else { return };
    let _ = write!(path, "M{} {}l", first.0, first.1);
    let mut last = *first;
    for (nth, point) in rest.iter().enumerate() {
        for (at, step) in [point.0 - last.0, point.1 - last.1].into_iter().enumerate() {
            let gap = if step < 0 || (nth == 0 && at == 0) { "" } else { " " };
            let _ = write!(path, "{gap}{step}");
        }
        last = *point;
    }
}

/// The name below the badge in one line or two, where the country is wide enough there; else its code.
fn name_lines(country: &Country) -> Vec<(i64, String)> {
    let fits = |nth: i64, text: &str| {
        let needed = letters(text) * LETTER + 6;
        let top = part(country.label.y) + BADGE + 2 + nth * LINE;
        [top, top + LINE].into_iter().all(|y| free_width(country, y) >= needed)
    };
    let baseline = |nth: i64| BADGE + (nth + 1) * LINE - 4;
    if fits(0, &country.name) {
        return vec![(baseline(0), country.name.clone())];
    }
    if let Some((one, other)) = country.name.split_once(' ')
        && fits(0, one)
        && fits(1, other)
    {
        return vec![(baseline(0), one.to_owned()), (baseline(1), other.to_owned())];
    }
    vec![(baseline(0), country.code.to_string())]
}

fn letters(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX / LETTER)
}

/// How wide the country is at this height on both sides of its label, counted to the nearer side.
fn free_width(country: &Country, y: i64) -> i64 {
    let (middle, y) = (country.label.x, y * UNIT / PARTS);
    let (mut left, mut right, mut crossings) = (i64::MIN, i64::MAX, 0_usize);
    for ring in &country.rings {
        for (at, one) in ring.iter().enumerate() {
            let other = &ring[(at + 1) % ring.len()];
            if (one.y > y) == (other.y > y) {
                continue;
            }
            let x = one.x + (other.x - one.x) * (y - one.y) / (other.y - one.y);
            if x <= middle {
                left = left.max(x);
                crossings += 1;
            } else {
                right = right.min(x);
            }
        }
    }
    if crossings % 2 == 0 || right == i64::MAX {
        return 0;
    }
    part((middle - left).min(right - middle) * 2)
}

fn continent(continent: &Continent) -> Option<ContinentArt> {
    const CAPITALS: i64 = 28;
    let label = continent.label?;
    let words: Vec<String> = match continent.name.split_once(' ') {
        Some((one, other)) => vec![one.to_owned(), other.to_owned()],
        None => vec![continent.name.clone()],
    };
    let count = i64::try_from(words.len()).unwrap_or(1);
    let first = -(count - 1) * CAPITALS / 2;
    let lines = words.into_iter().zip(0..).map(|(word, nth)| (first + nth * CAPITALS, word)).collect();
    Some(ContinentArt {
        name: continent.name.clone(),
        x: part(label.x),
        y: part(label.y),
        lines,
        below: first + count * CAPITALS + 4,
        bonus: continent.bonus,
    })
}
