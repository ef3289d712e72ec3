//! The Move phase: all beams, then all moves. C10.1 to C10.5; blockades C4.6, jammers C4.15.

use super::{Play, Plots, both_plot};
use crate::games::conquest::beams::{Leg, leg};
use crate::games::conquest::data::{AbilityKind, Kind};
use crate::games::conquest::event::{NotBeamed, NotMoved, PieceEvent};
use crate::games::conquest::handle::Handle;
use crate::games::conquest::order::Order;
use crate::games::conquest::view::{PhaseKey, Place};
use crate::rules::Seat;

/// One beam action of a ship.
#[derive(Clone)]
struct Beam {
    seat: Seat,
    ship: Handle,
    leg: Leg,
    who: Vec<Handle>,
}

/// One move of a ship.
#[derive(Clone, Copy)]
struct Move {
    seat: Seat,
    ship: Handle,
    to: usize,
}

impl Play<'_> {
    /// Carries beams and moves out. Within each, ships with move priority go first, then the side with
    /// initiative, then plot order decides. Ends the turn.
    pub(super) fn movement(&mut self, plots: &Plots) {
        let both = both_plot(plots, |order| matches!(order, Order::Move { .. } | Order::Beam { .. }));
        let order = self.seat_order(PhaseKey::Move, both);
        let (mut beams, mut moves) = (Vec::new(), Vec::new());
        for seat in order {
            let plot = plots.get(&seat).map_or(&[][..], Vec::as_slice);
            self.beams(seat, plot, &mut beams);
            self.moves(seat, plot, &mut moves);
        }
        // Both lists are in initiative and plot order already; the sorts keep that order among equals.
        beams.sort_by_key(|beam| !self.board().has(beam.ship, AbilityKind::MovePriority));
        for beam in &beams {
            self.beam(beam);
        }
        moves.sort_by_key(|movement| !self.board().has(movement.ship, AbilityKind::MovePriority));
        for movement in moves {
            self.move_ship(movement);
        }
        self.end_turn();
    }

    /// The beam actions of a plot: lines of one ship between the same two ends are one.
    fn beams(&self, seat: Seat, plot: &[Order], beams: &mut Vec<Beam>) {
        let planets = &self.map().planets;
        let planet = |id: &str| planets.iter().position(|planet| planet.id == id);
        for order in plot {
            let Order::Beam { who, to } = order else { continue };
            for handle in who {
                let Some((ship, leg)) = self.state.place(*handle).and_then(|from| leg(from, to, planet)) else {
                    continue;
                };
                match beams.iter_mut().find(|beam| beam.ship == ship) {
                    Some(beam) => beam.who.push(*handle),
                    None => beams.push(Beam { seat, ship, leg, who: vec![*handle] }),
                }
            }
        }
    }

    fn moves(&self, seat: Seat, plot: &[Order], moves: &mut Vec<Move>) {
        for order in plot {
            let Order::Move { ship, to } = order else { continue };
            let region = self.map().regions.iter().position(|region| region.id == *to);
            moves.extend(region.map(|to| Move { seat, ship: *ship, to }));
        }
    }

    fn beam(&mut self, beam: &Beam) {
        self.spend(beam.ship);
        let ship = self.named(beam.ship);
        let (from, to) = match beam.leg {
            Leg::Up(planet) => (Place::Planet(planet), Place::Aboard(beam.ship)),
            Leg::Down(planet) => (Place::Aboard(beam.ship), Place::Planet(planet)),
            Leg::Across(other) => (Place::Aboard(beam.ship), Place::Aboard(other)),
        };
        if let Some(why) = self.why_no_beam(beam) {
            let who = self.all_named(&beam.who);
            self.tell(PieceEvent::NotBeamed { ship, who, why });
            return;
        }
        let (mut beamed, mut left_behind) = (Vec::new(), Vec::new());
        for handle in &beam.who {
            let fits = match to {
                Place::Aboard(into) => self.board().type_of(*handle).kind != Kind::Person || self.has_room(into),
                Place::Region(_) | Place::Planet(_) => true,
            };
            match self.state.pieces.get_mut(handle) {
                Some(piece) if fits && piece.place == Some(from) => {
                    piece.place = Some(to);
                    beamed.push(*handle);
                }
                _ => left_behind.push(*handle),
            }
        }
        if !beamed.is_empty() {
            let (who, from, to) = (self.all_named(&beamed), self.spot(from), self.spot(to));
            self.tell(PieceEvent::Beamed { ship: ship.clone(), who, from, to });
        }
        if !left_behind.is_empty() {
            let why = match to {
                Place::Aboard(into) => NotBeamed::NoRoom(self.named(into)),
                Place::Region(_) | Place::Planet(_) => NotBeamed::Gone,
            };
            let who = self.all_named(&left_behind);
            self.tell(PieceEvent::NotBeamed { ship, who, why });
        }
        // A ship that lived on the toughness its crew gave it falls when they leave.
        self.remove_fallen();
    }

    fn has_room(&self, ship: Handle) -> bool {
        let board = self.board();
        board.sheet(ship).capacity().is_none_or(|most| board.people_aboard(ship) < most)
    }

    fn why_no_beam(&self, beam: &Beam) -> Option<NotBeamed> {
        let region = self.board().region(beam.ship);
        let (planet, other_end) = match beam.leg {
            Leg::Up(planet) | Leg::Down(planet) => (Some(planet), region),
            Leg::Across(other) => (None, self.board().region(other)),
        };
        let Some(region) = region.filter(|_| other_end.is_some()) else { return Some(NotBeamed::Gone) };
        let jammer = self.board().jammer(beam.seat, region, planet)?;
        Some(NotBeamed::Jammed(self.named(jammer)))
    }

    fn move_ship(&mut self, movement: Move) {
        let Some(from) = self.board().region(movement.ship) else { return };
        self.spend(movement.ship);
        let (ship, to) = (self.named(movement.ship), self.region_spot(movement.to));
        if let Some(why) = self.why_no_move(movement, from) {
            self.tell(PieceEvent::NotMoved { ship, to, why });
            return;
        }
        if let Some(piece) = self.state.pieces.get_mut(&movement.ship) {
            piece.place = Some(Place::Region(movement.to));
        }
        let from = self.region_spot(from);
        self.tell(PieceEvent::Moved { ship, from, to });
    }

    /// A blockade counts when the move is carried out, in every region on the way.
    fn why_no_move(&self, movement: Move, from: usize) -> Option<NotMoved> {
        let board = self.board();
        if from.abs_diff(movement.to) > board.sheet(movement.ship).reach() {
            return Some(NotMoved::Reach);
        }
        let mut entered: Vec<usize> =
            if from < movement.to { (from + 1..=movement.to).collect() } else { (movement.to..from).rev().collect() };
        entered.retain(|region| board.blockader(movement.seat, *region).is_some());
        let region = *entered.first()?;
        let by = self.named(board.blockader(movement.seat, region)?);
        Some(NotMoved::Blockade { by, region: self.region_spot(region) })
    }
}
