//! Where continents meet: the borders that two countries of different continents share, as lines to draw.

use std::collections::BTreeMap;

use super::draft::Draft;
use super::geometry::{Edge, edges};
use super::shapes::Shape;
use crate::games::imperial_conflict::data::Point;

/// The lines, each as long as the border goes on. A border belongs to the first of its two countries.
pub fn between(draft: &Draft, shapes: &[Shape]) -> Vec<Vec<Point>> {
    let mut owners: BTreeMap<Edge, usize> = BTreeMap::new();
    let mut lines: Vec<Vec<Point>> = Vec::new();
    for (at, shape) in shapes.iter().enumerate().rev() {
        let continent = draft.countries[at].continent.value;
        for ring in &shape.rings {
            for (from, to) in edges(std::slice::from_ref(ring)) {
                let edge = (from.min(to), from.max(to));
                let Some(other) = owners.insert(edge, at) else { continue };
                if draft.countries[other].continent.value == continent {
                    continue;
                }
                match lines.last_mut() {
                    Some(line) if line.last() == Some(&from) => line.push(to),
                    _ => lines.push(vec![from, to]),
                }
            }
        }
    }
    lines
}
