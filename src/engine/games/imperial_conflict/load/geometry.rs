//! Plane geometry on whole numbers: coordinates are thousandths of a map unit, products of two fit into 64
//! bits, products of four into 128, so nothing here rounds except lengths, which are cut to a thousandth.

use crate::games::imperial_conflict::data::{Point, UNIT};

/// A closed line through these points, the last joined to the first.
pub type Ring = Vec<Point>;

/// A piece of an outline, from one point to the next.
pub type Edge = (Point, Point);

/// Most digits before the point: with 5 a coordinate is below 10^8, and the product of two differences below
/// 10^17.
const MOST_DIGITS: usize = 5;

/// Reads a coordinate such as `-12.5`. Decimals beyond the third are cut off.
pub fn read_length(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(decimals) || whole.len() > MOST_DIGITS {
        return None;
    }
    let mut thousandths: String = decimals.chars().take(3).collect();
    while thousandths.len() < 3 {
        thousandths.push('0');
    }
    let value = whole.parse::<i64>().ok()? * UNIT + thousandths.parse::<i64>().ok()?;
    Some(sign * value)
}

/// The rings of a path made of absolute `M`, `L` and `Z`.
///
/// # Errors
/// A sentence about what is wrong with the path.
pub fn read_path(text: &str) -> Result<Vec<Ring>, String> {
    let known = |letter: char| letter.is_ascii_digit() || "MLZ., -\n".contains(letter);
    if let Some(other) = text.chars().find(|letter| !known(*letter)) {
        return Err(format!("the outline has “{other}”; only M, L, Z and numbers are allowed"));
    }
    let mut rings = Vec::new();
    for part in text.split('M').filter(|part| !part.trim().is_empty()) {
        let Some(body) = part.trim_end().strip_suffix('Z') else {
            return Err("a subpath of the outline is not closed; it must end with Z".to_owned());
        };
        rings.push(read_ring(body)?);
    }
    if rings.is_empty() {
        return Err("the outline is empty".to_owned());
    }
    Ok(rings)
}

fn read_ring(body: &str) -> Result<Ring, String> {
    let mut numbers = Vec::new();
    for word in body.split(|letter: char| "LZ, \n".contains(letter)).filter(|word| !word.is_empty()) {
        match read_length(word) {
            Some(number) => numbers.push(number),
            None => return Err(format!("“{word}” in the outline is not a number such as 12.5")),
        }
    }
    let ring: Ring = numbers.chunks_exact(2).map(|pair| Point { x: pair[0], y: pair[1] }).collect();
    let mut seen = ring.clone();
    seen.sort_unstable();
    let twice = seen.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    seen.dedup();
    if numbers.len() % 2 != 0 || seen.len() < 3 {
        return Err("a subpath of the outline has fewer than three points, or half a point".to_owned());
    }
    match twice {
        Some(point) => Err(format!("a subpath of the outline visits the point {point} twice")),
        None => Ok(ring),
    }
}

/// The edges of all rings.
pub fn edges(rings: &[Ring]) -> impl Iterator<Item = Edge> + '_ {
    rings.iter().flat_map(|ring| (0..ring.len()).map(|at| (ring[at], ring[(at + 1) % ring.len()])))
}

/// Whether the point is inside, by the even-odd rule.
pub fn inside(point: Point, rings: &[Ring]) -> bool {
    let mut odd = false;
    for (one, other) in edges(rings) {
        if (one.y > point.y) == (other.y > point.y) {
            continue;
        }
        // point.x < (other.x - one.x) * (point.y - one.y) / (other.y - one.y) + one.x, without dividing
        let rise = other.y - one.y;
        let left = (point.x - one.x) * rise;
        let right = (other.x - one.x) * (point.y - one.y);
        if if rise > 0 { left < right } else { left > right } {
            odd = !odd;
        }
    }
    odd
}

/// Whether the point lies nearer than `reach` to an edge.
pub fn nearer_than(point: Point, rings: &[Ring], reach: i64) -> bool {
    edges(rings).any(|edge| closer(point, edge, reach, false))
}

/// Whether the point lies at most `reach` from an edge.
pub fn within(point: Point, rings: &[Ring], reach: i64) -> bool {
    edges(rings).any(|edge| closer(point, edge, reach, true))
}

fn closer(point: Point, (one, other): Edge, reach: i64, or_at: bool) -> bool {
    let (dx, dy) = (other.x - one.x, other.y - one.y);
    let (px, py) = (point.x - one.x, point.y - one.y);
    let length2 = dx * dx + dy * dy;
    let along = px * dx + py * dy;
    let reach2 = reach * reach;
    // Squared distance and squared reach, both times the squared length of the edge where that is needed.
    let (distance2, limit) = if along <= 0 || length2 == 0 {
        (wide(px * px + py * py), wide(reach2))
    } else if along >= length2 {
        let (qx, qy) = (px - dx, py - dy);
        (wide(qx * qx + qy * qy), wide(reach2))
    } else {
        let across = wide(px * dy - py * dx);
        (across * across, wide(reach2) * wide(length2))
    };
    distance2 < limit || or_at && distance2 == limit
}

/// Twice the area of a ring, in square thousandths.
pub fn double_area(ring: &Ring) -> i128 {
    let turn = |(a, b): Edge| wide(a.x * b.y - b.x * a.y);
    edges(std::slice::from_ref(ring)).map(turn).sum::<i128>().abs()
}

/// Whether two edges cross at a point inside both.
pub fn cross((a, b): Edge, (c, d): Edge) -> bool {
    let side =
        |p: Point, q: Point, r: Point| (wide(q.x - p.x) * wide(r.y - p.y) - wide(q.y - p.y) * wide(r.x - p.x)).signum();
    side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

/// Length of an edge, cut to a thousandth.
pub fn length((a, b): Edge) -> i64 {
    let (dx, dy) = ((a.x - b.x).unsigned_abs(), (a.y - b.y).unsigned_abs());
    i64::try_from((dx * dx + dy * dy).isqrt()).unwrap_or(i64::MAX)
}

/// The smallest box round some points.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    low: Point,
    high: Point,
}

impl Bounds {
    /// The box round these points, of which there must be one at least.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Bounds {
        let mut points = points.into_iter();
        let first = points.next().expect("a ring has points");
        points.fold(Bounds { low: first, high: first }, |all, point| Bounds {
            low: Point { x: all.low.x.min(point.x), y: all.low.y.min(point.y) },
            high: Point { x: all.high.x.max(point.x), y: all.high.y.max(point.y) },
        })
    }

    /// Whether the point lies in the box, edges included.
    pub fn holds(&self, point: Point) -> bool {
        (self.low.x..=self.high.x).contains(&point.x) && (self.low.y..=self.high.y).contains(&point.y)
    }

    /// Whether the boxes have no point in common.
    pub fn apart(&self, other: &Bounds) -> bool {
        self.high.x < other.low.x || other.high.x < self.low.x || self.high.y < other.low.y || other.high.y < self.low.y
    }
}

fn wide(number: i64) -> i128 {
    i128::from(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: i64, y: i64) -> Point {
        Point { x, y }
    }

    #[test]
    fn coordinates_are_read_to_the_thousandth() {
        let read = ["12", "-0.5", "+3.25", "1.23456", ".5", "5.", "1e3", "", "-", "99999999"].map(read_length);
        let want = [Some(12_000), Some(-500), Some(3250), Some(1234), None, None, None, None, None, None];
        assert_eq!(read, want);
    }

    #[test]
    fn a_square_with_a_hole_has_an_inside_and_a_border() {
        let rings = read_path("M0 0L10 0L10 10L0 10Z M4 4L6 4L6 6L4 6Z").unwrap();
        assert!(inside(at(1000, 1000), &rings));
        assert!(!inside(at(5000, 5000), &rings));
        assert!(!inside(at(11_000, 5000), &rings));
        assert!(nearer_than(at(1000, 2000), &rings, 1001));
        assert!(!nearer_than(at(1000, 2000), &rings, 1000));
        assert!(within(at(1000, 2000), &rings, 1000));
        assert!(within(at(-3000, -4000), &rings, 5000));
        assert!(!within(at(-3000, -4000), &rings, 4999));
        assert_eq!(double_area(&rings[0]), 200 * i128::from(UNIT * UNIT));
        assert_eq!(length((at(0, 0), at(3000, 4000))), 5000);
    }

    #[test]
    fn only_a_crossing_inside_both_edges_counts() {
        assert!(cross((at(0, 0), at(2, 2)), (at(0, 2), at(2, 0))));
        assert!(!cross((at(0, 0), at(2, 2)), (at(2, 2), at(4, 0))));
        assert!(!cross((at(0, 0), at(2, 0)), (at(1, 0), at(1, 5))));
    }

    #[test]
    fn a_bad_path_is_told_with_its_reason() {
        let cases = [
            ("M0 0L1 0L1 1", "not closed"),
            ("M0 0L1 0Z", "fewer than three"),
            ("M0 0L1 0L1Z", "fewer than three"),
            ("M0 0L1 0L1 1L0 0Z", "twice"),
            ("M0 0C1 0L1 1Z", "“C”"),
            ("M0 0L1-0L1 1Z", "“1-0”"),
            ("", "empty"),
        ];
        for (path, reason) in cases {
            let said = read_path(path).unwrap_err();
            assert!(said.contains(reason), "{path}: {said}");
        }
    }
}
