//! Dice: every chance of a game, drawn from one secret per table.
//!
//! The generator is ChaCha20 keyed by the table's secret, with the number of the closing phase as its
//! stream, so a phase's throws depend on nothing but the secret and that number. Roll, pick and shuffle
//! are defined here and never by a library, whose methods change between versions.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Seat;

/// One throw, as the report and the record have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throw {
    /// What was thrown for, in words: `damage of A3 against B5`.
    pub purpose: String,
    /// Least possible value.
    pub low: i64,
    /// Greatest possible value.
    pub high: i64,
    /// The value thrown.
    pub value: i64,
    /// Whose dice they were, where more is better for one seat: what a luck report counts. `None` for throws
    /// that favour nobody (a shuffle, a deal) and in records from before throws said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Seat>,
    /// Whether it tells what players must not know while the game runs: the order of a deck, say. Shown when the
    /// table is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

impl Throw {
    /// Whether this is the throw that a record holds. A record from before throws said whose they are says
    /// nothing about it, and cannot be wrong in that.
    pub fn is_as_recorded(&self, recorded: &Throw) -> bool {
        let (by, hidden) = (recorded.by.and(self.by), recorded.hidden && self.hidden);
        *recorded == Throw { by, hidden, ..self.clone() }
    }
}

enum Source {
    Secret(Box<ChaCha20Rng>),
    /// Values written down beforehand, as scenario files have them.
    Script {
        values: Vec<i64>,
        next: usize,
        faults: Vec<String>,
    },
}

/// The dice of one phase. Keeps a log of what was thrown, in order.
pub struct Dice {
    source: Source,
    throws: Vec<Throw>,
}

impl Dice {
    /// The dice of phase `phase_no` of the table with this secret.
    pub fn for_phase(secret: &[u8; 32], phase_no: u32) -> Dice {
        Dice::for_stream(secret, u64::from(phase_no))
    }

    /// The dice with which a table deals its seats, before its first phase.
    pub fn for_seating(secret: &[u8; 32]) -> Dice {
        Dice::for_stream(secret, u64::MAX)
    }

    fn for_stream(secret: &[u8; 32], stream: u64) -> Dice {
        let mut generator = ChaCha20Rng::from_seed(*secret);
        generator.set_stream(stream);
        Dice { source: Source::Secret(Box::new(generator)), throws: Vec::new() }
    }

    /// Dice that fall as written. What is asked beyond the script, or lies outside the asked range,
    /// is answered with the nearest possible value and kept as a fault: see [`Dice::script_faults`].
    pub fn scripted(values: Vec<i64>) -> Dice {
        Dice { source: Source::Script { values, next: 0, faults: Vec::new() }, throws: Vec::new() }
    }

    /// The hash shown from the start: SHA-256 of the secret, in hexadecimal.
    pub fn commitment(secret: &[u8; 32]) -> String {
        data_encoding::HEXLOWER.encode(&Sha256::digest(secret))
    }

    /// A whole number from `low` to `high`, both included, each equally likely.
    /// With `low >= high` there is nothing to throw: `low` is the answer and no throw is logged.
    pub fn roll(&mut self, purpose: &str, low: i64, high: i64) -> i64 {
        self.throw(None, purpose, low, high)
    }

    /// As [`Dice::roll`], with this seat's dice: the more, the better for it.
    pub fn roll_for(&mut self, seat: Seat, purpose: &str, low: i64, high: i64) -> i64 {
        self.throw(Some(seat), purpose, low, high)
    }

    fn throw(&mut self, by: Option<Seat>, purpose: &str, low: i64, high: i64) -> i64 {
        if low >= high {
            return low;
        }
        let value = match &mut self.source {
            Source::Secret(generator) => {
                let span = u64::try_from(high - low + 1).expect("high is above low");
                low + i64::try_from(below(generator, span)).expect("below a span that fits")
            }
            Source::Script { values, next, faults } => match values.get(*next).copied() {
                Some(value) => {
                    *next += 1;
                    if !(low..=high).contains(&value) {
                        faults.push(format!("the script has {value} where {purpose} needs {low} to {high}"));
                    }
                    value.clamp(low, high)
                }
                None => {
                    faults.push(format!("the script has no value left for {purpose} ({low} to {high})"));
                    low
                }
            },
        };
        self.throws.push(Throw { purpose: purpose.to_owned(), low, high, value, by, hidden: false });
        value
    }

    /// An index below `count`. With one possibility nothing is thrown.
    pub fn pick(&mut self, purpose: &str, count: usize) -> usize {
        let high = i64::try_from(count).unwrap_or(i64::MAX) - 1;
        usize::try_from(self.roll(purpose, 0, high)).unwrap_or(0)
    }

    /// Puts the items into a random order (Fisher–Yates from the end), each order equally likely.
    pub fn shuffle<T>(&mut self, purpose: &str, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let other = self.pick(purpose, end + 1);
            items.swap(end, other);
        }
    }

    /// Like [`Dice::shuffle`], for an order that players must not know: its throws are shown when the table is over.
    pub fn shuffle_hidden<T>(&mut self, purpose: &str, items: &mut [T]) {
        let first = self.throws.len();
        self.shuffle(purpose, items);
        for throw in &mut self.throws[first..] {
            throw.hidden = true;
        }
    }

    /// What was thrown so far, in order.
    pub fn throws(&self) -> &[Throw] {
        &self.throws
    }

    /// What went wrong with a script: values asked beyond it, out of range, or left over.
    /// Always empty for dice that come from a secret.
    pub fn script_faults(&self) -> Vec<String> {
        match &self.source {
            Source::Secret(_) => Vec::new(),
            Source::Script { values, next, faults } => {
                let mut all = faults.clone();
                if *next < values.len() {
                    all.push(format!("the script has values left over: {:?}", &values[*next..]));
                }
                all
            }
        }
    }
}

/// A number below `span` without bias: draws above the greatest multiple of `span` are thrown away.
fn below(generator: &mut ChaCha20Rng, span: u64) -> u64 {
    let limit = u64::MAX - u64::MAX % span;
    loop {
        let draw = generator.next_u64();
        if draw < limit {
            return draw % span;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_shuffle_is_a_shuffle_that_is_shown_later() {
        let (mut open, mut hidden) = ([1, 2, 3, 4], [1, 2, 3, 4]);
        let (mut dice, mut others) = (Dice::for_phase(&[7; 32], 3), Dice::for_phase(&[7; 32], 3));
        dice.shuffle("a deck", &mut open);
        others.roll("a die", 1, 1);
        others.shuffle_hidden("a deck", &mut hidden);
        others.roll("a die", 1, 6);
        assert_eq!(open, hidden);
        let shown: Vec<bool> = others.throws().iter().map(|throw| throw.hidden).collect();
        assert_eq!(shown, [true, true, true, false]);
    }

    #[test]
    fn a_phase_always_throws_the_same() {
        let mut dice = Dice::for_phase(&[7; 32], 3);
        let thrown: Vec<i64> = (0..8).map(|_| dice.roll("golden", 1, 6)).collect();
        let mut again = Dice::for_phase(&[7; 32], 3);
        let repeated: Vec<i64> = (0..8).map(|_| again.roll("golden", 1, 6)).collect();
        assert_eq!(thrown, repeated);
        let mut other = Dice::for_phase(&[7; 32], 4);
        let different: Vec<i64> = (0..8).map(|_| other.roll("golden", 1, 6)).collect();
        assert_ne!(thrown, different);
    }

    #[test]
    fn a_script_reports_what_is_missing_left_over_and_out_of_range() {
        let mut dice = Dice::scripted(vec![9]);
        assert_eq!(dice.roll("first", 1, 6), 6);
        assert_eq!(dice.roll("second", 1, 6), 1);
        assert_eq!(dice.script_faults().len(), 2);
        assert_eq!(Dice::scripted(vec![1]).script_faults().len(), 1);
    }

    #[test]
    fn whose_dice_they_are_changes_no_value_and_old_records_need_not_say_it() {
        let (mut anybody, mut owned) = (Dice::for_phase(&[7; 32], 3), Dice::for_phase(&[7; 32], 3));
        for _ in 0..8 {
            assert_eq!(anybody.roll("golden", 1, 6), owned.roll_for(Seat::B, "golden", 1, 6));
        }
        let (nobodys, of_b) = (&anybody.throws()[0], &owned.throws()[0]);
        assert!(!serde_json::to_string(nobodys).unwrap().contains("by"), "the text of old throws stays as it is");
        assert!(serde_json::to_string(of_b).unwrap().ends_with(r#""by":"B"}"#));
        assert!(of_b.is_as_recorded(of_b) && of_b.is_as_recorded(nobodys));
        let of_a = Throw { by: Some(Seat::A), ..of_b.clone() };
        assert!(!of_b.is_as_recorded(&of_a) && !nobodys.is_as_recorded(of_b), "an owner that is said is compared");
        let secret = Throw { hidden: true, ..nobodys.clone() };
        assert!(secret.is_as_recorded(nobodys) && !nobodys.is_as_recorded(&secret));
        let other = Throw { value: 7, ..nobodys.clone() };
        assert!(!of_b.is_as_recorded(&other));
    }
}
