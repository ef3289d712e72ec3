//! Finds the best assignment of a wave's damage amounts to pieces, by the measure of the rules (C9.7 to C9.12).
//!
//! The measure is over everything that is really lost. The search goes amount by amount and keeps one way to
//! every position that can be reached, so it is exact as long as those positions are few enough to be kept all;
//! in the biggest waves it keeps the most promising ones.

use std::collections::BTreeMap;

/// A piece that may take damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taker {
    /// Shields or hit points left, above zero.
    pub left: i32,
    /// What is lost if it falls.
    pub loss: Loss,
    /// The doctrine spares it.
    pub spared: bool,
    /// The doctrine lets it soak damage up.
    pub soaks: bool,
}

/// Everything that is lost with a piece: itself, its crew, and all items on it and on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Pieces among it that the doctrine spares.
    pub spared: u32,
    /// Pieces, items counted.
    pub pieces: u32,
    /// Pieces that are unique or carry a Q.
    pub precious: u32,
    /// Control Points.
    pub cost: i32,
    /// Hit points of the crew.
    pub crew: i32,
}

/// What each piece would take of an amount; `None` where it cannot go.
pub type Amount = Vec<Option<i32>>;

/// The measure of an assignment: less is better, earlier fields before later ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price {
    /// Spared pieces lost.
    spared_lost: u32,
    /// Amounts that went to others while a soaking piece stood that could have taken them.
    beside_soakers: u32,
    /// Pieces lost.
    pieces: u32,
    /// Unique and Q-carrying pieces lost.
    precious: u32,
    /// Control Points lost.
    cost: i32,
    /// Shields and hit points lost.
    felt: i32,
    /// Damage on spared pieces.
    on_spared: i32,
}

impl Price {
    /// Adds what a piece that takes so much comes to.
    fn add(&mut self, taker: &Taker, felt: i32, falls: bool) {
        self.felt += felt;
        if taker.spared {
            self.on_spared += felt;
        }
        if falls {
            self.spared_lost += taker.loss.spared;
            self.pieces += taker.loss.pieces;
            self.precious += taker.loss.precious;
            self.cost += taker.loss.cost;
            self.felt += taker.loss.crew;
        }
    }
}

/// Steps of the search in one wave at most; a step puts one amount on one piece.
pub const MOST_STEPS: usize = 200_000;

/// Positions kept in the quick first pass, whose result cuts the second one short.
const NARROW: usize = 8;

/// Soaking pieces about which it is tried out whether they fall. Of any further ones it is taken for granted that
/// they stand, which only lets the search miss a better way.
const MOST_GUESSED: usize = 4;

/// Which piece each amount goes to, in the order in which they are dealt; `None` where it lapses because every
/// piece it could go to is at zero. Soaking pieces get theirs first, and the amount that brings a piece down
/// is its largest.
pub fn best(takers: &[Taker], amounts: &[Amount]) -> Vec<(usize, Option<usize>)> {
    let mut search = Search::new(takers, amounts);
    search.run();
    let (_, targets) = search.best.expect("the first pass always comes to an end");
    in_order(takers, amounts, targets)
}

fn in_order(takers: &[Taker], amounts: &[Amount], targets: Vec<Option<usize>>) -> Vec<(usize, Option<usize>)> {
    let mut dealt: Vec<(usize, Option<usize>)> = targets.into_iter().enumerate().collect();
    dealt.sort_by_key(|(amount, target)| match target {
        Some(taker) => (u8::from(!takers[*taker].soaks), amounts[*amount][*taker], *amount),
        None => (2, None, *amount),
    });
    dealt
}

/// What a piece has been dealt so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    /// Standing: the sum. Fallen: the sum without the largest amount, which is the last to be dealt.
    dealt: i32,
    /// The largest amount, where it can still matter.
    largest: i32,
    /// Whether the sum reaches what it has left.
    fallen: bool,
    /// Whether it has to fall, because an amount it could have taken has lapsed, or as guessed.
    must_fall: bool,
}

/// A position: what every piece has been dealt.
type Position = Vec<Cell>;

/// The way to a position.
#[derive(Clone, Copy)]
struct Step {
    beside_soakers: u32,
    /// Index of the position before, in the layer before.
    from: usize,
    target: Option<usize>,
}

struct Search<'a> {
    takers: &'a [Taker],
    amounts: &'a [Amount],
    /// The amounts from the smallest to the largest.
    order: Vec<usize>,
    /// Whether a piece's amounts come to it from the smallest to the largest. Then nothing goes to it once it has
    /// fallen, and its largest amount needs no thought.
    rising: Vec<bool>,
    /// For each piece an earlier one that is its like in everything.
    twin: Vec<Option<usize>>,
    /// Soaking pieces taken to stand at the end; the others have to fall.
    standing: Vec<bool>,
    steps: usize,
    best: Option<(Price, Vec<Option<usize>>)>,
}

impl<'a> Search<'a> {
    fn new(takers: &'a [Taker], amounts: &'a [Amount]) -> Search<'a> {
        let mut order: Vec<usize> = (0..amounts.len()).collect();
        order.sort_by_key(|at| (amounts[*at].iter().flatten().max().copied(), *at));
        let column = |taker: usize| order.iter().filter_map(move |at| amounts[*at][taker]);
        let rising = (0..takers.len()).map(|taker| column(taker).is_sorted()).collect();
        let alike = |one: usize, other: usize| {
            takers[one] == takers[other] && amounts.iter().all(|amount| amount[one] == amount[other])
        };
        let twin = (0..takers.len()).map(|taker| (0..taker).rev().find(|before| alike(*before, taker))).collect();
        let standing = takers.iter().map(|taker| taker.soaks).collect();
        Search { takers, amounts, order, rising, twin, standing, steps: 0, best: None }
    }

    fn run(&mut self) {
        self.pass(NARROW, false);
        let soakers: Vec<usize> = (0..self.takers.len()).filter(|taker| self.takers[*taker].soaks).collect();
        let guessed = &soakers[..soakers.len().min(MOST_GUESSED)];
        let guesses = 1_usize << guessed.len();
        let width = MOST_STEPS / (guesses * self.amounts.len().max(1) * (self.takers.len() + 1));
        for guess in 0..guesses {
            for (bit, soaker) in guessed.iter().enumerate() {
                self.standing[*soaker] = guess & (1 << bit) == 0;
            }
            self.pass(width.max(1), true);
        }
    }

    /// Goes through all amounts once, with at most `width` positions kept after each. `early`: amounts may lapse
    /// before the pieces they could go to have fallen, if those do fall in the end.
    fn pass(&mut self, width: usize, early: bool) {
        let must_fall = |taker: usize| self.takers[taker].soaks && !self.standing[taker];
        let first: Position =
            (0..self.takers.len()).map(|taker| Cell { must_fall: must_fall(taker), ..Cell::default() }).collect();
        let mut layer: Vec<(Position, Step)> = vec![(first, Step { beside_soakers: 0, from: 0, target: None })];
        let mut ways: Vec<Vec<(usize, Option<usize>)>> = Vec::new();
        for place in 0..self.order.len() {
            let mut next: BTreeMap<Position, Step> = BTreeMap::new();
            for (from, (position, step)) in layer.iter().enumerate() {
                self.expand(place, from, (position, *step), early, &mut next);
            }
            layer = self.keep(next, width);
            ways.push(layer.iter().map(|(_, step)| (step.from, step.target)).collect());
        }
        let ends =
            layer.iter().enumerate().filter(|(_, (end, _))| end.iter().all(|cell| cell.fallen || !cell.must_fall));
        let Some((price, end)) = ends.map(|(at, (end, step))| (self.price(end, *step), at)).min() else { return };
        if self.best.as_ref().is_none_or(|(best, _)| price < *best) {
            self.best = Some((price, self.targets(&ways, end)));
        }
    }

    /// The targets by amount, found by going back from an end.
    fn targets(&self, ways: &[Vec<(usize, Option<usize>)>], end: usize) -> Vec<Option<usize>> {
        let (mut targets, mut at) = (vec![None; self.amounts.len()], end);
        for (place, layer) in ways.iter().enumerate().rev() {
            let (from, target) = layer[at];
            targets[self.order[place]] = target;
            at = from;
        }
        targets
    }

    /// Adds every position to which the next amount leads.
    fn expand(
        &mut self,
        place: usize,
        from: usize,
        (position, step): (&Position, Step),
        early: bool,
        next: &mut BTreeMap<Position, Step>,
    ) {
        let amount = &self.amounts[self.order[place]];
        let soaker_stands = (0..self.takers.len()).any(|taker| amount[taker].is_some() && self.standing[taker]);
        for taker in 0..self.takers.len() {
            self.steps += 1;
            let Some(takes) = amount[taker] else { continue };
            if self.twin[taker].is_some_and(|twin| position[twin] == position[taker]) {
                continue;
            }
            let Some(cell) = self.dealt(taker, position[taker], takes) else { continue };
            let mut after = position.clone();
            after[taker] = cell;
            let beside = u32::from(soaker_stands && !self.takers[taker].soaks);
            let way = Step { beside_soakers: step.beside_soakers + beside, from, target: Some(taker) };
            enter(next, after, way);
        }
        let possible = || (0..self.takers.len()).filter(|taker| amount[*taker].is_some());
        if early || possible().all(|taker| position[taker].fallen) {
            let mut after = position.clone();
            possible().for_each(|taker| after[taker].must_fall = true);
            // What has fallen need not be told to.
            after.iter_mut().filter(|cell| cell.fallen).for_each(|cell| cell.must_fall = false);
            enter(next, after, Step { beside_soakers: step.beside_soakers, from, target: None });
        }
    }

    /// The piece with one more amount on it; `None` where that cannot be: it would go to a piece at zero, in
    /// whatever order its amounts are dealt.
    fn dealt(&self, taker: usize, cell: Cell, takes: i32) -> Option<Cell> {
        let left = self.takers[taker].left;
        if cell.fallen {
            let fits = !self.rising[taker] && takes <= cell.largest && cell.dealt + takes < left;
            return fits.then(|| Cell { dealt: cell.dealt + takes, ..cell });
        }
        let (sum, largest) = (cell.dealt + takes, cell.largest.max(takes));
        let tracked = if self.rising[taker] { 0 } else { largest };
        Some(match (sum >= left, self.rising[taker]) {
            (false, _) => Cell { dealt: sum, largest: tracked, ..cell },
            (true, true) => Cell { dealt: 0, largest: 0, fallen: true, must_fall: false },
            (true, false) => Cell { dealt: sum - largest, largest, fallen: true, must_fall: false },
        })
    }

    /// The positions worth going on from, at most `width` of them: those with the least price so far.
    fn keep(&self, next: BTreeMap<Position, Step>, width: usize) -> Vec<(Position, Step)> {
        let mut priced: Vec<(Price, Position, Step)> =
            next.into_iter().map(|(position, step)| (self.price(&position, step), position, step)).collect();
        if let Some((best, _)) = &self.best {
            priced.retain(|(price, _, _)| price < best);
        }
        if priced.len() > width {
            priced.sort_by(|(one, at, _), (other, there, _)| (one, at).cmp(&(other, there)));
            priced.truncate(width);
        }
        priced.into_iter().map(|(_, position, step)| (position, step)).collect()
    }

    /// What a position comes to at least, whatever amounts follow; exact at the end.
    fn price(&self, position: &Position, step: Step) -> Price {
        let mut price = Price { beside_soakers: step.beside_soakers, ..Price::default() };
        for (cell, taker) in position.iter().zip(self.takers) {
            let falls = cell.fallen || cell.must_fall;
            price.add(taker, if falls { taker.left } else { cell.dealt }, falls);
        }
        price
    }
}

/// Keeps the better way to a position.
fn enter(next: &mut BTreeMap<Position, Step>, position: Position, step: Step) {
    next.entry(position)
        .and_modify(|known| {
            if step.beside_soakers < known.beside_soakers {
                *known = step;
            }
        })
        .or_insert(step);
}

#[cfg(test)]
mod tests;
