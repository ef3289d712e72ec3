//! The Damage sub-phase: amounts go to pieces, by the rules, by their player, or by doctrine. C9.1 to C9.13.

use std::collections::BTreeSet;

use super::assign::{self, Amount, Loss};
use super::assign_first::{Plan, Taker};
use super::{Play, Plots};
use crate::games::conquest::check::match_blows;
use crate::games::conquest::data::Kind;
use crate::games::conquest::doctrine::Doctrine;
use crate::games::conquest::edition::DamageMeasure;
use crate::games::conquest::event::{AssignedBy, PieceEvent};
use crate::games::conquest::handle::Handle;
use crate::games::conquest::order::Order;
use crate::games::conquest::state::{Blow, Fight, SEATS, other};
use crate::rules::Seat;

impl Play<'_> {
    /// Assigns every amount that has one possible piece only, and lets those lapse that have none. One may
    /// follow from another, so it repeats until every amount left is a choice.
    pub(super) fn settle_blows(&mut self, fight: &mut Fight) {
        let mut index = 0;
        while index < fight.blows.len() {
            match self.board().may_take(fight, &fight.blows[index]).as_slice() {
                [] => {
                    let blow = fight.blows.remove(index);
                    let from = self.named(blow.from);
                    self.tell(PieceEvent::Lapsed { amount: blow.amount, from });
                }
                [only] => {
                    let (only, blow) = (*only, fight.blows.remove(index));
                    self.hurt(only, &blow, AssignedBy::Rules);
                    index = 0;
                }
                _ => index += 1,
            }
        }
    }

    fn hurt(&mut self, who: Handle, blow: &Blow, by: AssignedBy) {
        let takes = self.board().takes(who, blow.amount, blow.from);
        if let Some(piece) = self.state.pieces.get_mut(&who) {
            piece.damage += takes;
            piece.hit |= takes > 0;
        }
        let left = self.board().left(who);
        let event = PieceEvent::Damaged {
            who: self.named(who),
            amount: blow.amount,
            takes,
            from: self.named(blow.from),
            left,
            by,
        };
        self.tell(event);
    }

    /// Closes the Damage sub-phase: the plots first, what they leave open by doctrine. Then the next waves.
    pub(super) fn assign(&mut self, mut fight: Fight, plots: &Plots) {
        for seat in SEATS {
            let plot = plots.get(&seat).map_or(&[][..], Vec::as_slice);
            self.assign_plot(seat, &mut fight, plot);
            self.assign_rest(seat, &mut fight);
        }
        self.remove_fallen();
        self.next_waves(fight);
    }

    fn assign_plot(&mut self, seat: Seat, fight: &mut Fight, plot: &[Order]) {
        let lines: Vec<(i32, Handle)> = plot
            .iter()
            .filter_map(|order| match order {
                Order::Damage { amount, to } => Some((*amount, *to)),
                _ => None,
            })
            .collect();
        let own: Vec<usize> = (0..fight.blows.len()).filter(|at| other(fight.blows[*at].from.seat) == seat).collect();
        let open: Vec<(i32, Vec<Handle>)> =
            own.iter().map(|at| (fight.blows[*at].amount, self.board().may_take(fight, &fight.blows[*at]))).collect();
        let mut done = BTreeSet::new();
        for ((_, to), matched) in lines.iter().zip(match_blows(&lines, &open)) {
            let Some(at) = matched.map(|at| own[at]) else { continue };
            if self.board().left(*to) > 0 {
                let blow = fight.blows[at].clone();
                self.hurt(*to, &blow, AssignedBy::Player);
                done.insert(at);
            }
        }
        let mut at = 0;
        fight.blows.retain(|_| {
            at += 1;
            !done.contains(&(at - 1))
        });
    }

    /// Assigns what is left of a seat's amounts by its doctrine.
    fn assign_rest(&mut self, seat: Seat, fight: &mut Fight) {
        let (mine, others): (Vec<Blow>, Vec<Blow>) =
            fight.blows.drain(..).partition(|blow| other(blow.from.seat) == seat);
        fight.blows = others;
        match self.policy.damage {
            DamageMeasure::FallenAlone => self.assign_by_combat(fight, &mine),
            DamageMeasure::AllThatIsLost => self.assign_by_wave(fight, &mine),
        }
    }

    /// All amounts of the wave together.
    fn assign_by_wave(&mut self, fight: &Fight, blows: &[Blow]) {
        let possible: Vec<Vec<Handle>> = blows.iter().map(|blow| self.board().may_take(fight, blow)).collect();
        let mut pieces: Vec<Handle> = Vec::new();
        for handle in possible.iter().flatten() {
            if !pieces.contains(handle) {
                pieces.push(*handle);
            }
        }
        let takers: Vec<assign::Taker> = pieces.iter().map(|handle| self.taker_with_all(*handle)).collect();
        let takes = |blow: &Blow, possible: &[Handle]| -> Amount {
            let takes = |handle: &Handle| {
                possible.contains(handle).then(|| self.board().takes(*handle, blow.amount, blow.from))
            };
            pieces.iter().map(takes).collect()
        };
        let amounts: Vec<Amount> = blows.iter().zip(&possible).map(|(blow, possible)| takes(blow, possible)).collect();
        for (blow, taker) in assign::best(&takers, &amounts) {
            match taker {
                Some(taker) => self.hurt(pieces[taker], &blows[blow], AssignedBy::Doctrine),
                None => {
                    let from = self.named(blows[blow].from);
                    self.tell(PieceEvent::Lapsed { amount: blows[blow].amount, from });
                }
            }
        }
    }

    fn taker_with_all(&self, handle: Handle) -> assign::Taker {
        let (spare, soak) = match &self.state.side(handle.seat).doctrine {
            Doctrine::Own { spare, soak } => (spare.as_slice(), soak.as_slice()),
            Doctrine::Ask | Doctrine::Default => (&[][..], &[][..]),
        };
        let board = self.board();
        let people = |member: &Handle| board.type_of(*member).kind != Kind::Q;
        let crew: Vec<Handle> = board.crew(handle).filter(people).collect();
        let carries_q = board.crew(handle).any(|member| !people(&member));
        let mut loss = Loss::default();
        for lost in std::iter::once(&handle).chain(&crew) {
            let own = board.type_of(*lost);
            loss.spared += u32::from(spare.contains(lost));
            loss.pieces += 1;
            loss.precious += u32::from(own.unique || (*lost == handle && carries_q));
            loss.cost += own.cost;
            for item in &board.piece(*lost).items {
                let item = board.kind_of(&item.type_id);
                loss.pieces += 1;
                loss.precious += u32::from(item.unique);
                loss.cost += item.cost;
            }
        }
        loss.crew = crew.iter().map(|member| board.left(*member).max(0)).sum();
        let left = board.left(handle);
        assign::Taker { left, loss, spared: spare.contains(&handle), soaks: soak.contains(&handle) }
    }

    /// One combat after the other.
    fn assign_by_combat(&mut self, fight: &Fight, mine: &[Blow]) {
        for group in 0..fight.groups.len() {
            let blows: Vec<&Blow> = mine.iter().filter(|blow| blow.group == group).collect();
            let Some(first) = blows.first() else { continue };
            let pieces = self.board().may_take(fight, first);
            let takers: Vec<Taker> = pieces.iter().map(|handle| self.taker(*handle)).collect();
            let amounts: Vec<Vec<i32>> = blows
                .iter()
                .map(|blow| pieces.iter().map(|handle| self.board().takes(*handle, blow.amount, blow.from)).collect())
                .collect();
            for (blow, taker) in Plan::best(&takers, &amounts) {
                match taker {
                    Some(taker) => self.hurt(pieces[taker], blows[blow], AssignedBy::Doctrine),
                    None => {
                        let from = self.named(blows[blow].from);
                        self.tell(PieceEvent::Lapsed { amount: blows[blow].amount, from });
                    }
                }
            }
        }
    }

    fn taker(&self, handle: Handle) -> Taker {
        let board = self.board();
        let own = board.type_of(handle);
        let carries_q = board.crew(handle).any(|member| board.type_of(member).kind == Kind::Q);
        let (spared, soaks) = match &self.state.side(handle.seat).doctrine {
            Doctrine::Own { spare, soak } => (spare.contains(&handle), soak.contains(&handle)),
            Doctrine::Ask | Doctrine::Default => (false, false),
        };
        Taker { left: board.left(handle), cost: own.cost, precious: own.unique || carries_q, spared, soaks }
    }
}
