//! The exact odds of taking a country: whole numbers only, nothing rounded before it is shown.
//!
//! Every roll's outcomes are counted over all falls of the dice. The chance of an attack of `a` armies at
//! hand on `d` armies that is rolled on to the end, always with all dice allowed, is kept as a count of
//! `7776^(a + d)` equally likely falls; five dice fall in 7776 ways.

use super::legal::ATTACK_DICE;

/// Falls of five dice: what every roll is counted in, however many dice it takes.
const FALLS: u64 = 7776;
/// Most armies on either side the odds are worked out for.
pub const MOST_ARMIES: u32 = 200;

/// How many of the 7776 falls end each way, for a number of attacking and of defending dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes {
    /// The defender loses every comparison.
    pub defender: u64,
    /// The attacker loses every comparison.
    pub attacker: u64,
    /// One each; only where two dice meet two.
    pub each: u64,
}

/// Counts the outcomes of one roll.
pub fn outcomes(attacking: u32, defending: u32) -> Outcomes {
    let mut counted = Outcomes { defender: 0, attacker: 0, each: 0 };
    let dice = attacking + defending;
    let ways = 6_u64.pow(dice);
    for fall in 0..ways {
        let mut rest = fall;
        let mut thrown = [0_u64; 5];
        for die in thrown.iter_mut().take(dice as usize) {
            *die = rest % 6;
            rest /= 6;
        }
        let (attack, others) = thrown.split_at_mut(attacking as usize);
        let defence = &mut others[..defending as usize];
        attack.sort_unstable_by(|one, other| other.cmp(one));
        defence.sort_unstable_by(|one, other| other.cmp(one));
        let won = attack.iter().zip(defence.iter()).filter(|(attacker, defender)| attacker > defender).count();
        match won {
            0 => counted.attacker += 1,
            _ if won == attack.len().min(defence.len()) => counted.defender += 1,
            _ => counted.each += 1,
        }
    }
    let scale = FALLS / ways;
    Outcomes { defender: counted.defender * scale, attacker: counted.attacker * scale, each: counted.each * scale }
}

/// A chance: a count of `7776^power` equally likely falls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Odds {
    count: Whole,
    power: u32,
}

impl Odds {
    /// The chance in parts of a whole, cut off: `parts(1000)` is per mille.
    pub fn parts(&self, whole: u64) -> u64 {
        let mut scaled = Whole::default();
        scaled.add_times(&self.count, whole);
        for _ in 0..self.power {
            scaled.divide(FALLS);
        }
        scaled.0.first().copied().unwrap_or(0)
    }

    /// The chance for people, rounded to the nearest tenth of a percent: `74.1 %`. What is neither certain nor
    /// impossible is never shown as if it were.
    pub fn words(&self) -> String {
        let halves = self.parts(2000);
        let (none, all) = (self.count.0.is_empty(), self.parts(1) == 1);
        let tenths = halves.div_ceil(2);
        match tenths {
            0 if !none => "under 0.1 %".to_owned(),
            1000 if !all => "over 99.9 %".to_owned(),
            _ => format!("{}.{} %", tenths / 10, tenths % 10),
        }
    }
}

/// The odds of all attacks up to a size.
pub struct Table {
    /// Rows by armies at hand, each by armies of the defender, both from 0.
    rows: Vec<Vec<Whole>>,
}

impl Table {
    /// Works out the odds for up to `at_hand` armies that can attack (those in the country less the one that
    /// stays) against up to `defenders`; neither more than [`MOST_ARMIES`].
    pub fn up_to(at_hand: u32, defenders: u32) -> Table {
        let at_hand = at_hand.min(MOST_ARMIES) as usize;
        let defenders = defenders.min(MOST_ARMIES) as usize;
        let rolls: Vec<[Outcomes; 2]> = (1..=ATTACK_DICE).map(|dice| [outcomes(dice, 1), outcomes(dice, 2)]).collect();
        let mut rows: Vec<Vec<Whole>> = Vec::with_capacity(at_hand + 1);
        for a in 0..=at_hand {
            let mut row: Vec<Whole> = Vec::with_capacity(defenders + 1);
            for d in 0..=defenders {
                let count = match (a, d) {
                    (_, 0) => Whole::power(FALLS, a),
                    (0, _) => Whole::default(),
                    _ => {
                        let roll = rolls[a.min(3) - 1][d.min(2) - 1];
                        let mut count = Whole::default();
                        if a >= 2 && d >= 2 {
                            // Two armies go: one factor of the falls of those two remains to be made up for.
                            count.add_times(&row[d - 2], roll.defender * FALLS);
                            count.add_times(&rows[a - 2][d], roll.attacker * FALLS);
                            count.add_times(&rows[a - 1][d - 1], roll.each * FALLS);
                        } else {
                            count.add_times(&row[d - 1], roll.defender);
                            count.add_times(&rows[a - 1][d], roll.attacker);
                        }
                        count
                    }
                };
                row.push(count);
            }
            rows.push(row);
        }
        Table { rows }
    }

    /// The odds of these two; `None` beyond the size of the table.
    pub fn odds(&self, at_hand: u32, defenders: u32) -> Option<Odds> {
        let count = self.rows.get(at_hand as usize)?.get(defenders as usize)?.clone();
        Some(Odds { count, power: at_hand + defenders })
    }
}

/// The odds that an attack out of a country with `armies` on one with `defenders` takes it when it is rolled
/// on to the end; `None` for more than [`MOST_ARMIES`]. For several at once make a [`Table`].
pub fn odds(armies: u32, defenders: u32) -> Option<Odds> {
    let at_hand = armies.saturating_sub(1);
    Table::up_to(at_hand, defenders).odds(at_hand, defenders)
}

/// A whole number of any size, lowest 64 bits first, without leading zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Whole(Vec<u64>);

impl Whole {
    fn power(base: u64, exponent: usize) -> Whole {
        let mut power = Whole(vec![1]);
        for _ in 0..exponent {
            let mut next = Whole::default();
            next.add_times(&power, base);
            power = next;
        }
        power
    }

    /// Adds another number times a small one.
    fn add_times(&mut self, other: &Whole, times: u64) {
        let mut carry = 0_u128;
        let mut at = 0;
        while at < other.0.len() || carry > 0 {
            if at == self.0.len() {
                self.0.push(0);
            }
            let product = u128::from(other.0.get(at).copied().unwrap_or(0)) * u128::from(times);
            let sum = u128::from(self.0[at]) + product + carry;
            self.0[at] = low(sum);
            carry = sum >> 64;
            at += 1;
        }
        self.trim();
    }

    /// Divides by a small number, cutting off.
    fn divide(&mut self, by: u64) {
        let mut rest = 0_u128;
        for part in self.0.iter_mut().rev() {
            let value = (rest << 64) | u128::from(*part);
            *part = low(value / u128::from(by));
            rest = value % u128::from(by);
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

fn low(value: u128) -> u64 {
    u64::try_from(value & u128::from(u64::MAX)).expect("cut to 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_shares_of_single_rolls_come_out() {
        assert_eq!(outcomes(3, 2), Outcomes { defender: 2890, attacker: 2275, each: 2611 });
        assert_eq!(outcomes(1, 1), Outcomes { defender: 15 * 216, attacker: 21 * 216, each: 0 });
        for (attacking, defending) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2)] {
            let roll = outcomes(attacking, defending);
            assert_eq!(roll.defender + roll.attacker + roll.each, FALLS);
        }
    }

    /// Plays every fall of every roll, one die after the other, without any table of outcomes. Counts of
    /// `7776^(a + d)` falls, kept in plain decimal digits so that nothing is shared with the code under test.
    fn enumerated(a: usize, d: usize, known: &mut std::collections::BTreeMap<(usize, usize), Vec<u8>>) -> Vec<u8> {
        if d == 0 {
            return (0..a).fold(vec![1], |power, _| times(&power, 7776));
        }
        if a == 0 {
            return Vec::new();
        }
        if let Some(found) = known.get(&(a, d)) {
            return found.clone();
        }
        let (attacking, defending) = (a.min(3), d.min(2));
        let mut total = Vec::new();
        let mut ends = std::collections::BTreeMap::new();
        let mut thrown = vec![1; attacking + defending];
        loop {
            let mut attack = thrown[..attacking].to_vec();
            let mut defence = thrown[attacking..].to_vec();
            attack.sort_unstable();
            defence.sort_unstable();
            let (mut mine, mut theirs) = (0, 0);
            while let (Some(one), Some(other)) = (attack.pop(), defence.pop()) {
                if one > other { theirs += 1 } else { mine += 1 }
            }
            *ends.entry((mine, theirs)).or_insert(0_u64) += 1;
            // The next fall, like the wheels of a counter.
            let Some(wheel) = thrown.iter().position(|die| *die < 6) else { break };
            thrown[wheel] += 1;
            thrown[..wheel].fill(1);
        }
        for ((mine, theirs), falls) in ends {
            let scale = 6_u64.pow(5 - u32::try_from(attacking + defending).unwrap());
            let rest = enumerated(a - mine, d - theirs, known);
            let missing = if mine + theirs == 2 { 7776 } else { 1 };
            total = sum(&total, &times(&rest, falls * scale * missing));
        }
        known.insert((a, d), total.clone());
        total
    }

    fn times(digits: &[u8], factor: u64) -> Vec<u8> {
        let mut product = Vec::new();
        let mut carry = 0;
        for digit in digits {
            carry += u64::from(*digit) * factor;
            product.push(u8::try_from(carry % 10).unwrap());
            carry /= 10;
        }
        while carry > 0 {
            product.push(u8::try_from(carry % 10).unwrap());
            carry /= 10;
        }
        product
    }

    fn sum(one: &[u8], other: &[u8]) -> Vec<u8> {
        let mut total = Vec::new();
        let mut carry = 0;
        for at in 0..one.len().max(other.len()) {
            carry += one.get(at).unwrap_or(&0) + other.get(at).unwrap_or(&0);
            total.push(carry % 10);
            carry /= 10;
        }
        if carry > 0 {
            total.push(carry);
        }
        total
    }

    /// Decimal digits of a count, lowest first.
    fn digits(count: &Whole) -> Vec<u8> {
        let mut rest = count.clone();
        let mut digits = Vec::new();
        while !rest.0.is_empty() {
            let mut tenth = rest.clone();
            tenth.divide(10);
            digits.push(u8::try_from(rest.0[0].wrapping_sub(tenth.0.first().unwrap_or(&0).wrapping_mul(10))).unwrap());
            rest = tenth;
        }
        digits
    }

    #[test]
    fn the_odds_equal_plain_enumeration_up_to_twelve_against_twelve() {
        let table = Table::up_to(12, 12);
        let mut known = std::collections::BTreeMap::new();
        for a in 0..=12 {
            for d in 1..=12 {
                let odds = table.odds(a, d).unwrap();
                let plain = enumerated(a as usize, d as usize, &mut known);
                assert_eq!(digits(&odds.count), plain, "{a} against {d}");
            }
        }
    }

    #[test]
    fn chances_are_shown_to_a_tenth_of_a_percent() {
        // One against one: 15 of 36 falls. Two dice against one: 125 of 216, else one against one.
        assert_eq!(odds(2, 1).unwrap().words(), "41.7 %");
        assert_eq!(odds(2, 1).unwrap().parts(1000), 416);
        assert_eq!(odds(3, 1).unwrap().parts(1_000_000), 754_243);
        assert_eq!(odds(1, 1).unwrap().words(), "0.0 %");
        assert_eq!(odds(2, 40).unwrap().words(), "under 0.1 %");
        assert_eq!(odds(90, 1).unwrap().words(), "over 99.9 %");
        assert_eq!(odds(202, 1), None);
        assert!(odds(201, 200).is_some());
    }
}
