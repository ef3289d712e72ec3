//! Attacks and defences come in: groups, initiative, priority. C8.1 to C8.6, C5.3.

use super::{Play, Plots, both_plot};
use crate::games::conquest::data::AbilityKind;
use crate::games::conquest::event::PieceEvent;
use crate::games::conquest::handle::Handle;
use crate::games::conquest::order::Order;
use crate::games::conquest::state::{Fight, Group, Initiative, SEATS, Stage};
use crate::games::conquest::view::{CombatStatus, PhaseKey};
use crate::rules::Seat;

impl Play<'_> {
    /// The attacks are in: spends actions, forms groups, settles initiative and priority. Opens the Defence
    /// sub-phase, or the Move phase when nobody attacks.
    pub(super) fn attack(&mut self, plots: &Plots) {
        let groups: Vec<Group> =
            SEATS.into_iter().flat_map(|seat| groups(seat, plots.get(&seat).map_or(&[], Vec::as_slice))).collect();
        if groups.is_empty() {
            self.attack_over();
            return;
        }
        let both = both_plot(plots, |order| matches!(order, Order::Attack { .. }));
        let initiative = if both {
            self.initiative(PhaseKey::Attack)
        } else {
            let cp = (self.state.sides[0].cp, self.state.sides[1].cp);
            Initiative { first: groups[0].seat, cp, by_dice: false }
        };
        let mut fight = Fight { initiative, both, groups, wave: 0, blows: Vec::new() };
        for index in 0..fight.groups.len() {
            self.announce(&mut fight.groups[index]);
        }
        self.state.stage = Stage::Defence(fight);
    }

    /// Spends the attackers' actions, settles whether the group has priority, and reports it.
    fn announce(&mut self, group: &mut Group) {
        for attacker in &group.attackers {
            self.spend(*attacker);
        }
        let board = self.board();
        let quick: Vec<Handle> = group
            .attackers
            .iter()
            .copied()
            .filter(|attacker| board.has(*attacker, AbilityKind::AttackPriority))
            .collect();
        group.priority = quick.len() == group.attackers.len();
        let lost_priority = if group.priority { Vec::new() } else { self.all_named(&quick) };
        let place = self.state.place(group.target).expect("only pieces in play are attacked");
        let event = PieceEvent::Attack {
            attackers: self.all_named(&group.attackers),
            target: self.named(group.target),
            place: self.spot(place),
            priority: group.priority,
            lost_priority,
        };
        self.tell(event);
    }

    pub(super) fn spend(&mut self, handle: Handle) {
        if let Some(piece) = self.state.pieces.get_mut(&handle) {
            piece.used += 1;
        }
    }

    /// The defences are in: defenders join, a free defence before an action. Then the waves run.
    pub(super) fn defend(&mut self, mut fight: Fight, plots: &Plots) {
        for (seat, plot) in plots {
            for order in plot {
                let Order::Defend { who, against } = order else { continue };
                let group =
                    fight.groups.iter_mut().find(|group| group.seat != *seat && group.attackers.contains(against));
                let Some(group) = group else { continue };
                group.defenders.push(*who);
                let free = self.board().free_defence(*who);
                if free {
                    if let Some(piece) = self.state.pieces.get_mut(who) {
                        piece.free_used = true;
                    }
                } else {
                    self.spend(*who);
                }
                let event = PieceEvent::Defends {
                    who: self.named(*who),
                    target: self.named(group.target),
                    attackers: self.all_named(&group.attackers),
                    free,
                };
                self.tell(event);
            }
        }
        self.next_waves(fight);
    }

    /// The Attack phase is over: control is looked at, the Move phase opens.
    pub(super) fn attack_over(&mut self) {
        self.settle_control();
        self.state.stage = Stage::Move;
    }
}

/// The groups of one seat in plot order: all attackers on one target are one group.
fn groups(seat: Seat, plot: &[Order]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for order in plot {
        let Order::Attack { who, target } = order else { continue };
        match groups.iter_mut().find(|group| group.target == *target) {
            Some(group) => group.attackers.push(*who),
            None => groups.push(Group {
                seat,
                target: *target,
                attackers: vec![*who],
                defenders: Vec::new(),
                priority: false,
                status: CombatStatus::Waiting,
            }),
        }
    }
    groups
}
