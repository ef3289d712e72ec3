//! Orders of the Attack phase: attacks, defences, damage.

use std::collections::{BTreeMap, BTreeSet};

use super::{Faults, Orders, Plotter};
use crate::games::conquest::data::Kind;
use crate::games::conquest::handle::Handle;
use crate::games::conquest::order::Order;
use crate::games::conquest::view::{BlowView, CombatView, Place};

impl Plotter<'_> {
    pub(super) fn attacks(self, orders: &Orders<'_>, faults: &mut Faults) {
        let mut ordered = BTreeSet::new();
        for line in orders {
            let Order::Attack { who, target } = line.order else { continue };
            if let Err(message) = self.attack(who, target) {
                faults.line(line.no, message);
            } else if !ordered.insert(who) {
                let who = self.view.piece(who).map_or_else(|| who.to_string(), |piece| piece.title());
                faults.line(line.no, format!("{who} attacks already: a piece attacks once a phase."));
            }
        }
    }

    fn attack(self, who: Handle, target: Handle) -> Result<(), String> {
        let attacker = self.own(who)?;
        let enemy = self.in_play(target)?;
        let (name, foe) = (attacker.title(), enemy.title());
        if enemy.seat == self.seat {
            return Err(format!("{foe} is your own piece."));
        }
        if attacker.kind == Kind::Q || enemy.kind == Kind::Q {
            return Err("A Q neither attacks nor is attacked.".to_owned());
        }
        if matches!(attacker.place, Place::Aboard(_)) {
            return Err(format!("{name} is {}: people attack on planets only.", self.where_is(attacker)));
        }
        if attacker.kind != enemy.kind {
            return Err(format!("{name} can't attack {foe}: ships attack ships and people attack people."));
        }
        if attacker.place != enemy.place {
            return Err(format!("{name} is {}, {foe} is {}.", self.where_is(attacker), self.where_is(enemy)));
        }
        if !attacker.powers.can_attack {
            return Err(format!("{name} cannot attack."));
        }
        if attacker.actions < 1 {
            return Err(format!("{name} has no action left this turn."));
        }
        Ok(())
    }

    pub(super) fn defences(self, orders: &Orders<'_>, faults: &mut Faults) {
        let mut ordered = BTreeSet::new();
        for line in orders {
            let Order::Defend { who, against } = line.order else { continue };
            if let Err(message) = self.defend(who, against) {
                faults.line(line.no, message);
            } else if !ordered.insert(who) {
                let who = self.view.piece(who).map_or_else(|| who.to_string(), |piece| piece.title());
                faults.line(line.no, format!("{who} defends already: a piece defends against one group."));
            }
        }
    }

    fn defend(self, who: Handle, against: Handle) -> Result<(), String> {
        let defender = self.own(who)?;
        let attacker = self.in_play(against)?;
        let name = defender.title();
        let attacks = |group: &&CombatView| group.seat != self.seat && group.attackers.contains(&against);
        if !self.view.combats.iter().any(|group| attacks(&group)) {
            return Err(format!("{} attacks nobody: a defence names an attacker.", attacker.title()));
        }
        if defender.kind == Kind::Q {
            return Err("A Q does not defend.".to_owned());
        }
        if matches!(defender.place, Place::Aboard(_)) {
            return Err(format!("{name} is {}: people defend on planets only.", self.where_is(defender)));
        }
        if defender.kind != attacker.kind {
            return Err(format!("{name} can't defend: ships defend against ships and people against people."));
        }
        if defender.place != attacker.place {
            return Err(format!("{name} is {}, the attack is {}.", self.where_is(defender), self.where_is(attacker)));
        }
        if !defender.powers.can_defend {
            return Err(format!("{name} cannot defend."));
        }
        if defender.actions < 1 && !defender.powers.free_defence {
            return Err(format!("{name} has no action left this turn."));
        }
        Ok(())
    }

    pub(super) fn damages(self, orders: &Orders<'_>, faults: &mut Faults) {
        let blows: Vec<&BlowView> = self.view.blows.iter().filter(|blow| blow.seat == self.seat).collect();
        let wanted: Vec<(usize, i32, Handle)> = orders
            .iter()
            .filter_map(|line| match line.order {
                Order::Damage { amount, to } => Some((line.no, amount, to)),
                _ => None,
            })
            .collect();
        let lines: Vec<(i32, Handle)> = wanted.iter().map(|(_, amount, to)| (*amount, *to)).collect();
        let open: Vec<(i32, Vec<Handle>)> =
            blows.iter().map(|blow| (blow.amount, blow.possible.iter().map(|(handle, _)| *handle).collect())).collect();
        let matched = match_blows(&lines, &open);
        let mut left: BTreeMap<Handle, i32> = self.view.pieces.iter().map(|piece| (piece.handle, piece.left)).collect();
        for ((no, amount, to), blow) in wanted.iter().zip(matched) {
            let piece = match self.own(*to) {
                Ok(piece) => piece,
                Err(message) => {
                    faults.line(*no, message);
                    continue;
                }
            };
            let Some(blow) = blow else {
                faults.line(*no, self.why_unmatched(&blows, *amount, *to));
                continue;
            };
            let standing = left.get_mut(to).expect("every piece of the view is in the list");
            if *standing <= 0 {
                faults.line(*no, format!("{} is at zero already: nothing more goes to it.", piece.title()));
                continue;
            }
            let takes =
                blows[blow].possible.iter().find(|(handle, _)| handle == to).map_or(*amount, |(_, takes)| *takes);
            *standing -= takes;
        }
    }

    fn why_unmatched(self, blows: &[&BlowView], amount: i32, to: Handle) -> String {
        let title = self.view.piece(to).map_or_else(|| to.to_string(), |piece| piece.title());
        let mine: Vec<&&BlowView> = blows.iter().filter(|blow| blow.amount == amount).collect();
        if mine.is_empty() {
            let mut amounts: Vec<i32> = blows.iter().map(|blow| blow.amount).collect();
            amounts.sort_unstable();
            let amounts: Vec<String> = amounts.iter().map(ToString::to_string).collect();
            return format!("There is no amount of {amount}: yours are {}.", amounts.join(", "));
        }
        if self.view.piece(to).is_some_and(|piece| piece.left <= 0) {
            return format!("{title} is at zero already: nothing more goes to it.");
        }
        if mine.iter().any(|blow| blow.possible.iter().any(|(handle, _)| *handle == to)) {
            return format!("Every amount of {amount} that could go to {title} is assigned already.");
        }
        format!("No amount of {amount} can go to {title}: it has no part in that combat.")
    }
}

/// Finds for each line (amount, piece) a blow of that amount that may go to that piece, no blow twice, for as
/// many lines as possible; earlier lines are never given up for later ones. The index of the blow, or `None`.
pub fn match_blows(lines: &[(i32, Handle)], blows: &[(i32, Vec<Handle>)]) -> Vec<Option<usize>> {
    let mut taken: Vec<Option<usize>> = vec![None; blows.len()];
    for line in 0..lines.len() {
        find_blow(line, lines, blows, &mut taken, &mut BTreeSet::new());
    }
    let mut matched = vec![None; lines.len()];
    for (blow, line) in taken.iter().enumerate() {
        if let Some(line) = line {
            matched[*line] = Some(blow);
        }
    }
    matched
}

/// Kuhn's augmenting path: takes a free blow, or one whose line can move to another.
fn find_blow(
    line: usize,
    lines: &[(i32, Handle)],
    blows: &[(i32, Vec<Handle>)],
    taken: &mut Vec<Option<usize>>,
    seen: &mut BTreeSet<usize>,
) -> bool {
    let (amount, to) = lines[line];
    for (blow, (dealt, possible)) in blows.iter().enumerate() {
        if *dealt != amount || !possible.contains(&to) || !seen.insert(blow) {
            continue;
        }
        let free = match taken[blow] {
            None => true,
            Some(holder) => find_blow(holder, lines, blows, taken, seen),
        };
        if free {
            taken[blow] = Some(line);
            return true;
        }
    }
    false
}
