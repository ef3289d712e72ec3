//! How edition 1 assigned damage amounts by doctrine. It stays as it is, for records of that edition.

/// A piece that may take damage.
#[derive(Clone, Debug)]
pub struct Taker {
    /// Shields or hit points left, above zero.
    pub left: i32,
    /// What it cost.
    pub cost: i32,
    /// Unique, or carrying a Q: lost last.
    pub precious: bool,
    /// The doctrine spares it.
    pub spared: bool,
    /// The doctrine lets it soak damage up.
    pub soaks: bool,
}

/// What an assignment costs; less is better, earlier fields before later ones. All only grow as amounts are
/// assigned, so a partial assignment that is no better than a whole one can be given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Price {
    /// Damage to spared pieces.
    spared: i32,
    /// Damage to pieces that do not soak it up, where some do.
    beside_soakers: i32,
    /// Pieces lost.
    lost: u32,
    /// Precious pieces lost.
    precious: u32,
    /// Control Points lost.
    cost: i32,
    /// Shields and hit points lost: a piece that falls anyway may as well take what would hurt another.
    felt: i32,
}

/// Steps after which the search takes the best it has found. Never reached in ordinary combats; it keeps a
/// phase with dozens of attackers on a dozen defenders from taking forever.
const MOST_STEPS: u32 = 20_000;

/// The search: depth first over amounts from the smallest to the largest. In that order a piece takes the
/// most, because the amount that brings it down is its largest.
pub struct Plan<'a> {
    takers: &'a [Taker],
    amounts: &'a [Vec<i32>],
    order: Vec<usize>,
    soaked: bool,
    steps: u32,
    current: Vec<Option<usize>>,
    best: Option<(Price, Vec<Option<usize>>)>,
}

impl Plan<'_> {
    /// Which taker each amount goes to, in the order in which they are dealt; `None` where it lapses because
    /// all stand at zero. `amounts[i][j]` is what taker `j` would take of amount `i`.
    pub fn best(takers: &[Taker], amounts: &[Vec<i32>]) -> Vec<(usize, Option<usize>)> {
        let mut order: Vec<usize> = (0..amounts.len()).collect();
        order.sort_by_key(|at| amounts[*at].iter().max().copied());
        let mut plan = Plan {
            takers,
            amounts,
            order,
            soaked: takers.iter().any(|taker| taker.soaks),
            steps: 0,
            current: Vec::new(),
            best: None,
        };
        let mut left: Vec<i32> = takers.iter().map(|taker| taker.left).collect();
        plan.search(&mut left, Price::default());
        let (_, targets) = plan.best.expect("the first descent always reaches an end");
        plan.order.iter().copied().zip(targets).collect()
    }

    fn search(&mut self, left: &mut [i32], price: Price) {
        if self.best.as_ref().is_some_and(|(best, _)| price >= *best || self.steps >= MOST_STEPS) {
            return;
        }
        self.steps += 1;
        let Some(at) = self.order.get(self.current.len()).copied() else {
            self.best = Some((price, self.current.clone()));
            return;
        };
        let mut standing: Vec<usize> = (0..self.takers.len()).filter(|taker| left[*taker] > 0).collect();
        if standing.is_empty() {
            self.current.push(None);
            self.search(left, price);
            self.current.pop();
            return;
        }
        // Cheapest step first, and among equals the piece that is nearest to falling.
        standing
            .sort_by_key(|taker| (self.priced(price, *taker, self.amounts[at][*taker], left[*taker]), left[*taker]));
        for taker in standing {
            let takes = self.amounts[at][taker];
            let price = self.priced(price, taker, takes, left[taker]);
            left[taker] -= takes;
            self.current.push(Some(taker));
            self.search(left, price);
            self.current.pop();
            left[taker] += takes;
        }
    }

    fn priced(&self, mut price: Price, taker: usize, takes: i32, left: i32) -> Price {
        let piece = &self.takers[taker];
        let felt = takes.min(left);
        if piece.spared {
            price.spared += felt;
        }
        if self.soaked && !piece.soaks {
            price.beside_soakers += felt;
        }
        price.felt += felt;
        if takes >= left {
            price.lost += 1;
            price.precious += u32::from(piece.precious);
            price.cost += piece.cost;
        }
        price
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taker(left: i32, cost: i32) -> Taker {
        Taker { left, cost, precious: false, spared: false, soaks: false }
    }

    /// What each taker gets, for amounts that everybody takes whole.
    fn dealt(takers: &[Taker], amounts: &[i32]) -> Vec<Vec<i32>> {
        let table: Vec<Vec<i32>> = amounts.iter().map(|amount| vec![*amount; takers.len()]).collect();
        let mut dealt = vec![Vec::new(); takers.len()];
        for (amount, taker) in Plan::best(takers, &table) {
            if let Some(taker) = taker {
                dealt[taker].push(amounts[amount]);
            }
        }
        dealt
    }

    #[test]
    fn nobody_is_lost_when_it_can_be_helped() {
        assert_eq!(dealt(&[taker(5, 1), taker(5, 9)], &[4, 4]), [vec![4], vec![4]]);
        assert_eq!(dealt(&[taker(3, 1), taker(9, 9)], &[4, 4]), [vec![], vec![4, 4]]);
    }

    #[test]
    fn the_cheapest_is_lost_and_soaks_up_the_rest() {
        assert_eq!(dealt(&[taker(5, 9), taker(5, 1)], &[8]), [vec![], vec![8]]);
        assert_eq!(dealt(&[taker(5, 9), taker(5, 1)], &[4, 8]), [vec![], vec![4, 8]]);
        let all = dealt(&[taker(5, 9), taker(5, 1)], &[8, 8, 8]);
        assert_eq!(all.iter().map(Vec::len).sum::<usize>(), 2, "the third lapses");
    }

    #[test]
    fn precious_pieces_are_lost_last() {
        let picard = Taker { precious: true, ..taker(5, 1) };
        assert_eq!(dealt(&[picard, taker(5, 9)], &[8]), [vec![], vec![8]]);
    }

    #[test]
    fn spared_pieces_take_what_others_cannot_and_soaking_ones_all_they_can() {
        let spared = Taker { spared: true, ..taker(9, 1) };
        assert_eq!(dealt(&[spared.clone(), taker(2, 9)], &[1, 4]), [vec![], vec![1, 4]]);
        assert_eq!(dealt(&[spared, taker(2, 9)], &[4, 4]), [vec![4], vec![4]]);
        let soaking = Taker { soaks: true, ..taker(5, 9) };
        assert_eq!(dealt(&[soaking, taker(9, 1)], &[2, 4]), [vec![2, 4], vec![]]);
    }

    #[test]
    fn a_huge_combat_is_settled_in_bounded_steps() {
        let takers: Vec<Taker> = (1..14).map(|n| taker(20 + n, n)).collect();
        let amounts: Vec<i32> = (0..30).map(|n| 5 + n % 6).collect();
        assert_eq!(dealt(&takers, &amounts).iter().map(Vec::len).sum::<usize>(), 30);
    }
}
