//! What a `beam` order comes to: which ship acts, and between which two ends.

use super::handle::Handle;
use super::order::{BeamEnd, Order};
use super::view::{PieceView, Place, View};

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

/// The enemy piece that jams this beam as things are now, for a warning: it counts only if it still does when the
/// beam is carried out.
pub fn jammed_by<'v>(view: &'v View, order: &Order) -> Option<&'v PieceView> {
    let Order::Beam { who, to } = order else { return None };
    let planet_index = |id: &str| view.map.planets.iter().position(|planet| planet.id == id);
    who.iter().find_map(|handle| {
        let piece = view.piece(*handle)?;
        let (ship, leg) = leg(piece.place, to, planet_index)?;
        let planet = match leg {
            Leg::Up(planet) | Leg::Down(planet) => Some(planet),
            Leg::Across(_) => None,
        };
        let region = view.piece(ship)?.region;
        view.pieces.iter().find(|enemy| {
            enemy.seat != piece.seat
                && enemy.powers.jammer
                && match enemy.place {
                    Place::Region(at) => at == region,
                    Place::Planet(at) => Some(at) == planet,
                    Place::Aboard(_) => false,
                }
        })
    })
}
