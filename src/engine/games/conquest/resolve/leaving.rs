//! Players who leave: the other wins; when both leave at once, nobody does. C14.3.

use super::Play;
use crate::games::conquest::event::Event;
use crate::games::conquest::state::Outcome;
use crate::rules::{Fate, Leaving, Seat};

impl Play<'_> {
    /// Takes these seats out. Somebody who has no part in a running game can't leave it.
    pub(super) fn leave(&mut self, leavers: &[(Seat, Leaving)]) {
        let mut left = Vec::new();
        for (seat, how) in leavers {
            let Some(side) = self.state.sides.get_mut(seat.index()) else { continue };
            if side.fate != Fate::Active {
                continue;
            }
            side.fate = match how {
                Leaving::Resigned => Fate::Resigned,
                Leaving::Dropped => Fate::Dropped,
            };
            left.push((*seat, *how));
            self.tell(Event::Left { seat: *seat, how: *how });
        }
        match left.as_slice() {
            [] => {}
            [(seat, Leaving::Resigned)] => self.finish(Outcome::Resigned(*seat)),
            [(seat, Leaving::Dropped)] => self.finish(Outcome::Dropped(*seat)),
            _ => self.finish(Outcome::BothLeft),
        }
    }
}
