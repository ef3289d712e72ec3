//! What a `beam` order comes to: which ship acts, and between which two ends.

use super::handle::Handle;
use super::order::BeamEnd;
use super::view::Place;

/// A beam between a ship and one other end, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leg {
    /// From this planet aboard the acting ship.
    Up(usize),
    /// From aboard the acting ship to this planet.
    Down(usize),
    /// From aboard the acting ship aboard this one.
    Across(Handle),
}

/// The ship that acts and the leg, when somebody at `from` is beamed to `to`; `None` when no beam goes that
/// way: from planet to planet, or to the ship one is aboard of. `planet` finds a planet's index by its id.
pub fn leg(from: Place, to: &BeamEnd, planet: impl Fn(&str) -> Option<usize>) -> Option<(Handle, Leg)> {
    match (from, to) {
        (Place::Planet(from), BeamEnd::Ship(ship)) => Some((*ship, Leg::Up(from))),
        (Place::Aboard(ship), BeamEnd::Planet(to)) => Some((ship, Leg::Down(planet(to)?))),
        (Place::Aboard(ship), BeamEnd::Ship(to)) if ship != *to => Some((ship, Leg::Across(*to))),
        _ => None,
    }
}
