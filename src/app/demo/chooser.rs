//! Legal orders at random, from what the game offers. The same seed makes the same choices.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::rules::{Examined, Slot};
use crate::tables::Refused;

/// How many plots are drawn before the smallest one has to do.
const DRAWS: u32 = 12;

/// Draws plots.
pub(super) struct Chooser {
    generator: ChaCha8Rng,
}

impl Chooser {
    pub(super) fn new(seed: u64) -> Chooser {
        Chooser { generator: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// A number below `count`, or 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        // The small preference for low numbers matters to nobody here.
        (self.generator.next_u32() as usize).checked_rem(count).unwrap_or_default()
    }

    /// A legal plot. `examine` checks a text as a form would. What it finds fault with is left out, until the
    /// rest is legal; where something has to be ordered the next draw takes more.
    pub(super) fn plot(
        &mut self,
        slots: &[Slot],
        mut examine: impl FnMut(&str) -> Result<Examined, Refused>,
    ) -> Result<String, Refused> {
        for draw in 0..DRAWS {
            let mut lines = self.draw(slots, draw);
            loop {
                let text = lines.join("\n");
                let faults = examine(&text)?.faults;
                if faults.is_empty() {
                    return Ok(text);
                }
                let faulty = faults.iter().filter_map(|fault| fault.line).max();
                match faulty {
                    Some(line) if (1..=lines.len()).contains(&line) => drop(lines.remove(line - 1)),
                    // The plot as a whole: too dear, or something is missing. Fewer, and then another draw.
                    _ if lines.pop().is_some() => {}
                    _ => break,
                }
            }
        }
        Ok(String::new())
    }

    /// One order for most slots at first, for every slot in later draws.
    fn draw(&mut self, slots: &[Slot], draw: u32) -> Vec<String> {
        let mut lines = Vec::new();
        for slot in slots {
            let take = draw > 2 || self.below(5) < 3;
            if let Some(offer) = slot.offers.get(self.below(slot.offers.len())).filter(|_| take) {
                lines.push(offer.order.clone());
            }
        }
        // Which ones are dropped when they are too many together should not follow the order of the slots.
        for last in (1..lines.len()).rev() {
            lines.swap(last, self.below(last + 1));
        }
        lines
    }
}
