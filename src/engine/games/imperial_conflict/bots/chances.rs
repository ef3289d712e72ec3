//! The odds of attacks, worked out once and kept per mille for looking up.

use crate::games::imperial_conflict::odds::Table;

/// Forces up to this size are looked up as they are, larger ones scaled down to it.
const SIZE: u32 = 24;

/// Chances of taking a country when an attack is rolled on to the end.
pub struct Chances {
    /// Per mille, by armies at hand and defenders.
    rows: Vec<Vec<u64>>,
}

impl Chances {
    /// Works them out.
    pub fn new() -> Chances {
        let table = Table::up_to(SIZE, SIZE);
        let cell = |a, d| table.odds(a, d).map_or(0, |odds| odds.parts(1000));
        Chances { rows: (0..=SIZE).map(|a| (0..=SIZE).map(|d| cell(a, d)).collect()).collect() }
    }

    /// Per mille for an attack out of a country with `armies` on one with `defenders`.
    pub fn of(&self, armies: u32, defenders: u32) -> u64 {
        let at_hand = armies.saturating_sub(1);
        let larger = at_hand.max(defenders).max(SIZE);
        let scaled = |force: u32| (u64::from(force) * u64::from(SIZE) / u64::from(larger)) as usize;
        self.rows[scaled(at_hand)][scaled(defenders).max(1)]
    }
}
