//! What cards are worth: I6.2 to I6.4. A card is the number of its country on the map.

use super::data::{GameMap, Symbol};

/// Cards of a set.
pub const SET: usize = 3;
/// Holding this many cards forces an exchange.
pub const TOO_MANY: usize = 5;
/// Extra armies on a country its holder exchanges the card of.
pub const MATCH_BONUS: u32 = 2;

/// Armies for the exchange number `nth` of the game, counted from 1, all players together:
/// 4, 6, 8, 10, 12, 15, then 5 more each time.
pub fn worth(nth: u32) -> u32 {
    match nth {
        0..=5 => 2 + 2 * nth.max(1),
        _ => 5 * (nth - 3),
    }
}

/// Whether three symbols can be exchanged: three alike or one of each.
pub fn is_set(symbols: [Symbol; SET]) -> bool {
    let [a, b, c] = symbols;
    (a == b && b == c) || (a != b && b != c && a != c)
}

/// Every set in a hand, each as three cards in the hand's order.
pub fn sets(map: &GameMap, hand: &[usize]) -> Vec<[usize; SET]> {
    let mut found = Vec::new();
    for (i, a) in hand.iter().enumerate() {
        for (j, b) in hand.iter().enumerate().skip(i + 1) {
            for c in hand.iter().skip(j + 1) {
                if is_set([*a, *b, *c].map(|card| map.symbol(card))) {
                    found.push([*a, *b, *c]);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_rises_by_two_then_by_three_then_by_five() {
        let series: Vec<u32> = (1..=11).map(worth).collect();
        assert_eq!(series, [4, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40]);
    }

    #[test]
    fn three_alike_or_one_of_each_make_a_set() {
        use Symbol::{Cannon, Horseman, Soldier};
        assert!(is_set([Cannon; 3]) && is_set([Soldier, Cannon, Horseman]));
        assert!(!is_set([Cannon, Cannon, Soldier]) && !is_set([Soldier, Cannon, Soldier]));
    }
}
