//! Checks of the drawing: outlines that can be clicked, labels inside them, borders shared exactly.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::Draft;
use super::geometry::{Bounds, Edge, Ring, cross, double_area, edges, inside, length, nearer_than, read_path};
use super::graph::Pair;
use crate::games::imperial_conflict::data::{Point, UNIT, Units};
use crate::rules::datafile::DataFile;

/// Free radius round the label, so that an army count fits.
const MIN_CLEARANCE: i64 = 9 * UNIT;
/// Least area of a country's largest part, in square map units, so that it can be clicked.
const MIN_AREA: i128 = 900;
/// How far a point may reach into another outline before that counts as an overlap: a fifth of a unit.
const OVERLAP: i64 = UNIT / 5;

/// A country's outline, ready for measuring.
pub struct Shape {
    /// Its rings; empty when the outline could not be read.
    pub rings: Vec<Ring>,
    bounds: Bounds,
    border: BTreeSet<Edge>,
    points: BTreeSet<Point>,
}

/// Reads and checks every outline by itself. `None` stands for one that could not be read.
pub fn check(file: &mut DataFile, draft: &Draft) -> Vec<Option<Shape>> {
    let mut shapes = Vec::new();
    for continent in &draft.continents {
        if let Some(label) = continent.label.filter(|label| !draft.view_box.holds(label.value)) {
            file.fault(label.at, format!("the name of “{}” is outside the view box", continent.id.value));
        }
    }
    for country in &draft.countries {
        let code = country.code.value;
        let rings = match read_path(country.outline.value) {
            Ok(rings) => rings,
            Err(reason) => {
                file.fault(country.outline.at, format!("{code}: {reason}"));
                shapes.push(None);
                continue;
            }
        };
        let points: BTreeSet<Point> = rings.iter().flatten().copied().collect();
        if points.iter().any(|point| !draft.view_box.holds(*point)) {
            file.fault(country.outline.at, format!("{code}: the outline leaves the view box"));
        }
        let largest = rings.iter().map(double_area).max().unwrap_or(0);
        if largest < 2 * MIN_AREA * i128::from(UNIT * UNIT) {
            let message = format!("{code}: too small to click; its largest part needs {MIN_AREA} square units");
            file.fault(country.outline.at, message);
        }
        let label = country.label.value;
        if !inside(label, &rings) {
            file.fault(country.label.at, format!("{code}: the label is outside the outline"));
        } else if nearer_than(label, &rings, MIN_CLEARANCE) {
            let message = format!("{code}: the label is nearer to the border than {} units", Units(MIN_CLEARANCE));
            file.fault(country.label.at, message);
        }
        let border = edges(&rings).map(|(a, b)| (a.min(b), a.max(b))).collect();
        shapes.push(Some(Shape { bounds: Bounds::around(points.iter().copied()), border, points, rings }));
    }
    shapes
}

/// Notes outlines that cross or overlap. Returns the length of the common border of every pair that has one.
pub fn check_borders(file: &mut DataFile, draft: &Draft, shapes: &[Option<Shape>]) -> BTreeMap<Pair, i64> {
    let mut touching = BTreeMap::new();
    for (one, first) in shapes.iter().enumerate() {
        for (other, second) in shapes.iter().enumerate().skip(one) {
            let (Some(first), Some(second)) = (first, second) else { continue };
            if first.bounds.apart(&second.bounds) {
                continue;
            }
            crossings(file, draft, (one, first), (other, second));
            if one == other {
                continue;
            }
            let common: Vec<&Edge> = first.border.intersection(&second.border).collect();
            if !common.is_empty() {
                touching.insert((one, other), common.into_iter().map(|edge| length(*edge)).sum());
            }
            overlap(file, draft, (one, first), (other, second));
            overlap(file, draft, (other, second), (one, first));
        }
    }
    touching
}

fn crossings(file: &mut DataFile, draft: &Draft, (one, first): (usize, &Shape), (other, second): (usize, &Shape)) {
    let near = |shape: &Shape, bounds: &Bounds| -> Vec<Edge> {
        shape.border.iter().filter(|(a, b)| !Bounds::around([*a, *b]).apart(bounds)).copied().collect()
    };
    let theirs = near(second, &first.bounds);
    for edge in near(first, &second.bounds) {
        // Edges are ordered by their left end: what starts right of this edge cannot meet it.
        let candidates = theirs.iter().take_while(|other| other.0.x <= edge.1.x);
        if candidates.into_iter().any(|other| other.1.x >= edge.0.x && cross(edge, *other)) {
            let (code, other_code) = (draft.countries[one].code.value, draft.countries[other].code.value);
            let message = if one == other {
                format!("the outline of {code} crosses itself near {}", edge.0)
            } else {
                format!("the outlines of {code} and {other_code} cross near {}", edge.0)
            };
            file.fault(draft.countries[one].outline.at, message);
        }
    }
}

fn overlap(file: &mut DataFile, draft: &Draft, (one, first): (usize, &Shape), (other, second): (usize, &Shape)) {
    let deep = |point: &&Point| {
        second.bounds.holds(**point)
            && !second.points.contains(point)
            && inside(**point, &second.rings)
            && !super::geometry::within(**point, &second.rings, OVERLAP)
    };
    if let Some(point) = first.points.iter().find(deep) {
        let (code, other_code) = (draft.countries[one].code.value, draft.countries[other].code.value);
        file.fault(draft.countries[one].outline.at, format!("{code} overlaps {other_code} near {point}"));
    }
}
