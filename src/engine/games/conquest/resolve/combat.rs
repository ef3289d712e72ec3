//! The four waves of combat (C8.5 to C8.8): who fires when, and who is out of the game afterwards (C3.6, C3.9).

use super::Play;
use crate::games::conquest::data::Kind;
use crate::games::conquest::event::{FightTurn, Named, PieceEvent};
use crate::games::conquest::handle::Handle;
use crate::games::conquest::state::{Blow, Fight, Stage};
use crate::games::conquest::view::{CombatStatus, Place};

/// How many waves there are.
const WAVES: u8 = 4;

impl Play<'_> {
    /// Fights wave after wave until somebody has damage to assign or all are through.
    pub(super) fn next_waves(&mut self, mut fight: Fight) {
        while fight.wave < WAVES {
            fight.wave += 1;
            self.fire_wave(&mut fight);
            self.settle_blows(&mut fight);
            if !fight.blows.is_empty() {
                self.state.stage = Stage::Damage(fight);
                return;
            }
            self.remove_fallen();
        }
        self.attack_over();
    }

    /// The groups of this wave fire in plot order. Nobody is removed before the whole wave has fired.
    fn fire_wave(&mut self, fight: &mut Fight) {
        for index in 0..fight.groups.len() {
            let group = &fight.groups[index];
            if group.status != CombatStatus::Waiting || fight.wave_of(group) != fight.wave {
                continue;
            }
            let attackers = self.still_in_play(&group.attackers);
            let target_gone = self.state.in_play(group.target).is_none();
            if target_gone || attackers.is_empty() {
                let event = PieceEvent::Void {
                    target: self.named(group.target),
                    attackers: self.all_named(&group.attackers),
                    target_gone,
                };
                self.tell(event);
                fight.groups[index].status = CombatStatus::Void;
                continue;
            }
            let event = PieceEvent::Fight {
                target: self.named(group.target),
                attackers: self.all_named(&attackers),
                turn: FightTurn {
                    first: fight.groups.iter().all(|group| group.status == CombatStatus::Waiting),
                    priority: group.priority,
                    initiative: fight.both.then(|| fight.initiative.clone()),
                },
            };
            self.tell(event);
            let (target, defenders) = (group.target, self.still_in_play(&group.defenders));
            fight.groups[index].status = CombatStatus::Fought;
            for attacker in &attackers {
                let blow = self.fire(*attacker, &[target], false);
                fight.blows.extend(blow.map(|amount| Blow { amount, from: *attacker, group: index }));
            }
            for defender in &defenders {
                let blow = self.fire(*defender, &attackers, true);
                fight.blows.extend(blow.map(|amount| Blow { amount, from: *defender, group: index }));
            }
        }
    }

    fn still_in_play(&self, handles: &[Handle]) -> Vec<Handle> {
        handles.iter().copied().filter(|handle| self.state.in_play(*handle).is_some()).collect()
    }

    /// One throw of a fighter; `None` when it deals nothing.
    fn fire(&mut self, from: Handle, at: &[Handle], back: bool) -> Option<i32> {
        let (low, high) = self.board().combat_against(from, at);
        let names = self.all_named(at);
        let against = names.iter().map(|piece| piece.handle.to_string()).collect::<Vec<_>>().join(" ");
        let seat = from.seat;
        let from = self.named(from);
        let verb = if back { "defending against" } else { "against" };
        let purpose = format!("damage of {} {} {verb} {against}", from.handle, from.name);
        let thrown = self.dice.roll_for(seat, &purpose, i64::from(low), i64::from(high));
        let amount = i32::try_from(thrown).unwrap_or(high);
        self.tell(PieceEvent::Fires { from, at: names, back, amount, low, high });
        (amount > 0).then_some(amount)
    }

    /// Takes every ship and person at zero or less out of the game. A ship takes everybody aboard with it,
    /// but its Q drops to a planet. Repeats while that brings others down.
    pub(super) fn remove_fallen(&mut self) {
        loop {
            let board = self.board();
            let fallen =
                board.in_play().find(|handle| board.type_of(*handle).kind != Kind::Q && board.left(*handle) <= 0);
            match fallen {
                Some(handle) => self.remove(handle, None),
                None => return,
            }
        }
    }

    fn remove(&mut self, handle: Handle, with: Option<Named>) {
        let crew: Vec<Handle> = self.board().crew(handle).collect();
        let region = self.board().region(handle);
        let items = self.board().piece(handle).items.iter();
        let items = items.map(|item| self.board().kind_of(&item.type_id).name.clone()).collect();
        let who = self.named(handle);
        self.tell(PieceEvent::Removed { who: who.clone(), items, with });
        for member in crew {
            if self.board().type_of(member).kind == Kind::Q {
                self.drop_q(member, region.expect("a ship in play is in a region"));
            } else {
                self.remove(member, Some(who.clone()));
            }
        }
        if let Some(piece) = self.state.pieces.get_mut(&handle) {
            piece.place = None;
        }
    }

    /// A Q without its ship drops to the home planet if that lies in the region, else to the first planet of
    /// the region in map order.
    fn drop_q(&mut self, q: Handle, region: usize) {
        let map = self.map();
        let home = map.home_planet(q.seat);
        let planet = if map.planets[home].region == region {
            home
        } else {
            map.planets.iter().position(|planet| planet.region == region).unwrap_or(home)
        };
        if let Some(piece) = self.state.pieces.get_mut(&q) {
            piece.place = Some(Place::Planet(planet));
        }
        let (who, planet) = (self.named(q), self.spot(Place::Planet(planet)));
        self.tell(PieceEvent::QDrops { who, planet });
    }
}
