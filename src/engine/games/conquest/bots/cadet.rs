//! The weaker bot: does something with most of what it has, as chance will have it.

use crate::rules::Desk;
use crate::rules::bot::those_that_go;
use crate::rules::{Bot, Dice};

/// The weaker bot.
pub struct Cadet;

impl Bot for Cadet {
    fn id(&self) -> &'static str {
        "cadet"
    }

    fn name(&self) -> &'static str {
        "Cadet"
    }

    fn summary(&self) -> &'static str {
        "Keeps everybody busy without asking what for."
    }

    fn strength(&self) -> u8 {
        1
    }

    fn plot(&self, _: &str, desk: &dyn Desk, chooser: &mut Dice) -> String {
        let mut slots = desk.offers();
        chooser.shuffle("what to think of first", &mut slots);
        let mut lines = Vec::new();
        for slot in slots.into_iter().filter(|slot| !slot.offers.is_empty()) {
            // Two of three are used.
            if chooser.pick("whether to do something", 3) > 0 {
                lines.push(slot.offers[chooser.pick("what to do", slot.offers.len())].order.clone());
            }
        }
        those_that_go(desk, lines)
    }
}
