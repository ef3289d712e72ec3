//! Start (C6.1 to C6.3) and End of a turn (C11.1 to C11.5), control of planets (C2.5).

use super::Play;
use crate::games::conquest::data::{AbilityKind, Kind};
use crate::games::conquest::event::{Event, PieceEvent};
use crate::games::conquest::handle::Handle;
use crate::games::conquest::state::{Outcome, SEATS, Stage};
use crate::games::conquest::view::Place;
use crate::rules::{Fate, Seat};

impl Play<'_> {
    /// Start phase: income, actions come back, Cheq is looked at. Opens the Deploy phase.
    pub(super) fn start_turn(&mut self) {
        let turn = self.state.turn;
        self.tell(Event::TurnBegins { turn });
        for seat in SEATS {
            let (planets, q, pieces) = self.board().income(seat);
            let side = self.state.side_mut(seat);
            // Pieces that cost their owner income can't bring anybody into debt.
            side.cp = (side.cp + planets + q + pieces).max(0);
            let cp = side.cp;
            self.tell(Event::Income { seat, planets, q, pieces, cp });
        }
        for piece in self.state.pieces.values_mut() {
            piece.used = 0;
            piece.free_used = false;
        }
        for seat in SEATS {
            let cheq = self.board().in_cheq(seat);
            self.state.side_mut(seat).cheq = cheq;
            if let (true, Some(place)) = (cheq, self.state.place(Handle::q(seat))) {
                let planet = self.spot(place);
                self.tell(Event::Cheq { seat, planet });
            }
        }
        self.state.stage = Stage::Deploy;
    }

    /// Control of planets: a side takes a planet on which only it has people. A Q is not people.
    pub(super) fn settle_control(&mut self) {
        for planet in 0..self.state.control.len() {
            let board = self.board();
            let people = |seat: Seat| {
                board.in_play().any(|handle| {
                    handle.seat == seat
                        && self.state.place(handle) == Some(Place::Planet(planet))
                        && board.type_of(handle).kind == Kind::Person
                })
            };
            let taker = match (people(Seat::A), people(Seat::B)) {
                (true, false) => Seat::A,
                (false, true) => Seat::B,
                _ => continue,
            };
            let before = self.state.control[planet];
            if before != Some(taker) {
                self.state.control[planet] = Some(taker);
                let planet = self.spot(Place::Planet(planet));
                self.tell(Event::Control { planet, seat: taker, before });
            }
        }
    }

    /// End phase: abilities, what lasts until the end of the turn, control, victory. Opens the next turn.
    pub(super) fn end_turn(&mut self) {
        self.mend(AbilityKind::Repair);
        self.mend(AbilityKind::Heal);
        for piece in self.state.pieces.values_mut() {
            piece.hit = false;
        }
        self.settle_control();
        if let Some(outcome) = self.victory() {
            self.finish(outcome);
            return;
        }
        self.state.turn += 1;
        self.state.stage = Stage::Start;
    }

    /// Repairs ships or heals people. Several who do it on one piece add up.
    fn mend(&mut self, what: AbilityKind) {
        let board = self.board();
        let menders: Vec<Handle> = board.in_play().filter(|handle| board.sum(*handle, what) > 0).collect();
        let mut mended = Vec::new();
        for patient in board.in_play() {
            let damage = self.state.pieces[&patient].damage;
            let by: Vec<Handle> =
                menders.iter().copied().filter(|mender| self.may_mend(*mender, patient, what)).collect();
            let most: i32 = by.iter().map(|mender| board.sum(*mender, what)).sum();
            if damage > 0 && most > 0 {
                mended.push((patient, most.min(damage), by));
            }
        }
        for (patient, amount, by) in mended {
            if let Some(piece) = self.state.pieces.get_mut(&patient) {
                piece.damage -= amount;
            }
            let left = self.board().left(patient);
            let (who, by) = (self.named(patient), self.all_named(&by));
            self.tell(PieceEvent::Mended { who, amount, by, left });
        }
    }

    /// Repair reaches ships of the own side in the mender's region, or the ship it is on; healing reaches own
    /// people at its place, for a ship those aboard.
    fn may_mend(&self, mender: Handle, patient: Handle, what: AbilityKind) -> bool {
        if mender.seat != patient.seat {
            return false;
        }
        let (Some(place), Some(at)) = (self.state.place(mender), self.state.place(patient)) else { return false };
        let kind = self.board().type_of(patient).kind;
        match (what, kind, place) {
            (AbilityKind::Repair, Kind::Ship, Place::Aboard(ship)) => ship == patient,
            (AbilityKind::Repair, Kind::Ship, _) => self.board().region(mender) == self.board().region(patient),
            (AbilityKind::Heal, Kind::Person, Place::Region(_)) => at == Place::Aboard(mender),
            (AbilityKind::Heal, Kind::Person, _) => at == place,
            _ => false,
        }
    }

    /// Whether the game is over after this turn, and how.
    fn victory(&mut self) -> Option<Outcome> {
        let mated = SEATS.map(|seat| self.state.side(seat).cheq && self.board().in_cheq(seat));
        for seat in SEATS.into_iter().filter(|seat| mated[seat.index()]) {
            if let Some(place) = self.state.place(Handle::q(seat)) {
                let planet = self.spot(place);
                self.tell(Event::Cheqmate { seat, planet });
            }
        }
        match mated {
            [true, true] => return Some(Outcome::TieCheqmate),
            [true, false] => return Some(Outcome::Cheqmate(Seat::B)),
            [false, true] => return Some(Outcome::Cheqmate(Seat::A)),
            [false, false] => {}
        }
        if self.state.turn < self.data.rules.last_turn {
            return None;
        }
        let planets = (self.board().planets(Seat::A), self.board().planets(Seat::B));
        let cp = (self.state.sides[0].cp, self.state.sides[1].cp);
        self.tell(Event::Reckoning { planets, cp });
        let ahead = |a_leads: bool| if a_leads { Seat::A } else { Seat::B };
        Some(if planets.0 != planets.1 {
            Outcome::Planets(ahead(planets.0 > planets.1))
        } else if cp.0 != cp.1 {
            Outcome::ControlPoints(ahead(cp.0 > cp.1))
        } else {
            Outcome::Tie
        })
    }

    /// Ends the game and decides the fates that are open.
    pub(super) fn finish(&mut self, outcome: Outcome) {
        let winner = outcome.winner();
        for seat in SEATS {
            let side = self.state.side_mut(seat);
            if side.fate == Fate::Active {
                side.fate = match winner {
                    Some(winner) if winner == seat => Fate::Won,
                    Some(_) => Fate::Lost,
                    None => Fate::Drew,
                };
            }
        }
        let (turn, last_turn) = (self.state.turn, self.data.rules.last_turn);
        self.tell(Event::Over { outcome: outcome.clone(), turn, last_turn });
        self.state.stage = Stage::Over(outcome);
        self.state.due = Vec::new();
    }
}
