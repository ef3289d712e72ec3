//! The Deploy phase: C7.1 to C7.4, initiative by C5.2.

use super::{Play, Plots, both_plot};
use crate::games::conquest::data::{AbilityKind, ConditionSide, Kind, PieceType};
use crate::games::conquest::edition::DeployInitiative;
use crate::games::conquest::event::{Event, NotDeployed};
use crate::games::conquest::handle::Handle;
use crate::games::conquest::order::Order;
use crate::games::conquest::state::{Item, Piece, SEATS, Stage};
use crate::games::conquest::view::{PhaseKey, Place};
use crate::rules::Seat;

impl Play<'_> {
    /// Carries the deploys out: pieces with deploy priority first, within that in initiative order, then in
    /// plot order. Opens the Attack phase. `asked`: who could deploy.
    pub(super) fn deploy(&mut self, asked: &[Seat], plots: &Plots) {
        let both = match self.policy.deploy_initiative {
            DeployInitiative::BothDeploy => both_plot(plots, |order| matches!(order, Order::Deploy { .. })),
            // Whether both did would tell that the other tried to bring what came too late.
            DeployInitiative::BothCould => asked.len() == SEATS.len(),
        };
        let order = self.seat_order(PhaseKey::Deploy, both);
        for priority in [true, false] {
            for seat in order {
                for order in plots.get(&seat).into_iter().flatten() {
                    let Order::Deploy { what, count, on } = order else { continue };
                    if self.data.piece(what).is_none_or(|piece| has_deploy_priority(piece) != priority) {
                        continue;
                    }
                    for _ in 0..*count {
                        self.deploy_one(seat, what, *on);
                    }
                }
            }
        }
        self.state.stage = Stage::Attack;
    }

    fn deploy_one(&mut self, seat: Seat, what: &str, on: Option<Handle>) {
        let piece = self.board().kind_of(what).clone();
        if let Some(why) = self.why_not(seat, &piece, on) {
            // Only the owner learns what stayed in the Control Group.
            self.tell_only(seat, Event::NotDeployed { seat, name: piece.name, why });
            return;
        }
        let map = self.map();
        let place = match piece.kind {
            Kind::Ship => Some(Place::Region(map.home_region(seat))),
            Kind::Person => Some(Place::Planet(map.home_planet(seat))),
            Kind::Item | Kind::Q => None,
        };
        let side = self.state.side_mut(seat);
        side.cp -= piece.cost;
        let cp = side.cp;
        if let Some(count) = side.group.get_mut(what) {
            *count -= 1;
        }
        side.group.retain(|_, count| *count > 0);
        let (name, cost) = (piece.name.clone(), piece.cost);
        if let Some(place) = place {
            let handle = Handle { seat, no: side.next };
            side.next += 1;
            self.state.pieces.insert(handle, Piece::new(what, place));
            let place = self.spot(place);
            self.tell(Event::Deployed { seat, name, handle: Some(handle), place, cost, cp });
        } else if let Some(bearer) = on {
            if let Some(bearing) = self.state.pieces.get_mut(&bearer) {
                bearing.items.push(Item { type_id: what.to_owned(), owner: seat });
            }
            let place = self.spot(Place::Aboard(bearer));
            self.tell(Event::Deployed { seat, name, handle: None, place, cost, cp });
            // What takes toughness away may bring its bearer down at once.
            self.remove_fallen();
        }
    }

    /// Why this can't be deployed any more, now that its turn has come.
    fn why_not(&self, seat: Seat, piece: &PieceType, on: Option<Handle>) -> Option<NotDeployed> {
        let side = self.state.side(seat);
        if piece.unique && self.board().type_in_play(&piece.id) {
            return Some(NotDeployed::Unique);
        }
        if let Some(bearer) = on
            && self.state.in_play(bearer).is_none()
        {
            return Some(NotDeployed::BearerGone(bearer));
        }
        let unpaid = side.cp < piece.cost || side.group.get(&piece.id).is_none_or(|count| *count == 0);
        unpaid.then_some(NotDeployed::Unpaid)
    }
}

/// Deploy priority is a matter of the type alone: the piece has neither items nor crew yet.
fn has_deploy_priority(piece: &PieceType) -> bool {
    piece
        .abilities
        .iter()
        .filter(|ability| ability.what == AbilityKind::DeployPriority && !ability.carrier)
        .filter(|ability| match &ability.condition {
            None => true,
            Some(condition) => condition.side == ConditionSide::For && condition.test.holds_for(piece),
        })
        .map(|ability| ability.amount)
        .sum::<i32>()
        > 0
}
