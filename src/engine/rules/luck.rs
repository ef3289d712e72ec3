//! How lucky the seats were: their dice against what fair dice give on average.
//!
//! Everything is exact, in whole numbers: a page that wants a standard error takes the root itself.

use std::collections::BTreeMap;

use super::{Seat, Throw};

/// The dice of one seat. Each die of `low` to `high` is worth `(low + high) / 2` on average, with the variance
/// `((high - low + 1)² - 1) / 12`; dice are independent, so both add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Luck {
    /// How many dice.
    pub dice: u64,
    /// The sum of what they showed.
    pub sum: i128,
    /// Twice the sum they were worth on average.
    pub expected_twice: i128,
    /// Twelve times the variance of that sum. The standard error of the sum is the root of a twelfth of it.
    pub variance_12: i128,
}

impl Luck {
    /// Twice what they showed beyond the average; below zero for bad luck.
    pub fn surplus_twice(&self) -> i128 {
        self.sum.saturating_mul(2).saturating_sub(self.expected_twice)
    }

    fn add(&mut self, throw: &Throw) {
        let (low, high) = (i128::from(throw.low), i128::from(throw.high));
        let faces = high - low + 1;
        self.dice += 1;
        self.sum = self.sum.saturating_add(i128::from(throw.value));
        self.expected_twice = self.expected_twice.saturating_add(low + high);
        let variance_12 = faces.saturating_mul(faces).saturating_sub(1);
        self.variance_12 = self.variance_12.saturating_add(variance_12);
    }
}

/// The luck of every seat that threw dice of its own; see [`Throw::by`].
pub fn luck<'a>(throws: impl IntoIterator<Item = &'a Throw>) -> BTreeMap<Seat, Luck> {
    let mut seats: BTreeMap<Seat, Luck> = BTreeMap::new();
    for throw in throws {
        if let Some(seat) = throw.by {
            seats.entry(seat).or_default().add(throw);
        }
    }
    seats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Dice;

    #[test]
    fn every_seat_is_held_against_its_own_dice() {
        let mut dice = Dice::scripted(vec![6, 1, 3, 2, 5, 4]);
        dice.roll_for(Seat::A, "attack", 1, 6);
        dice.roll_for(Seat::B, "defence", 1, 6);
        dice.roll_for(Seat::A, "damage", 2, 3);
        dice.roll("initiative", 1, 2);
        dice.roll_for(Seat::A, "attack", 1, 6);
        dice.pick("a card", 9);
        let seats = luck(dice.throws());
        // A: 6, 3 and 5 where 3.5, 2.5 and 3.5 were to be expected; variances 35/12, 3/12 and 35/12.
        let a = Luck { dice: 3, sum: 14, expected_twice: 19, variance_12: 73 };
        let b = Luck { dice: 1, sum: 1, expected_twice: 7, variance_12: 35 };
        assert_eq!(seats, BTreeMap::from([(Seat::A, a), (Seat::B, b)]));
        assert_eq!((a.surplus_twice(), b.surplus_twice()), (9, -5));
    }

    /// The formulas against sums over all faces.
    #[test]
    fn average_and_variance_are_those_of_all_faces() {
        for (low, high) in [(1, 6), (0, 1), (2, 9), (-3, 4)] {
            let faces: Vec<i128> = (i128::from(low)..=i128::from(high)).collect();
            let count = i128::try_from(faces.len()).unwrap();
            let (sum, squares) = (faces.iter().sum::<i128>(), faces.iter().map(|face| face * face).sum::<i128>());
            let throw = Throw { purpose: String::new(), low, high, value: high, by: Some(Seat::A), hidden: false };
            let a = luck([&throw])[&Seat::A];
            assert_eq!(a.expected_twice * count, 2 * sum);
            assert_eq!(a.variance_12 * count * count, 12 * (count * squares - sum * sum));
        }
    }

    #[test]
    fn no_range_is_too_wide_to_be_counted() {
        let throw =
            Throw { purpose: String::new(), low: i64::MIN, high: i64::MAX, value: 0, by: Some(Seat::A), hidden: false };
        assert_eq!(luck([&throw, &throw])[&Seat::A].dice, 2);
    }
}
