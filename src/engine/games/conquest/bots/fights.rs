//! Attacks and defences of the stronger bot.

use super::commander::{Sight, punch, weight};
use crate::games::conquest::data::Kind;
use crate::games::conquest::view::{PieceView, Place};
use crate::rules::Desk;

/// Attacks everywhere where the own pieces weigh at least this many tenths of the enemy's.
const CONFIDENT: i32 = 9;

/// Everything at a place attacks, the weakest enemies first, each by no more than it takes.
pub fn attacks(sight: &Sight) -> Vec<String> {
    let mut lines = Vec::new();
    let mut places: Vec<(Kind, Place)> = sight.own().map(|piece| (piece.kind, piece.place)).collect();
    places.retain(|(kind, place)| matches!(kind, Kind::Ship | Kind::Person) && !matches!(place, Place::Aboard(_)));
    places.sort_unstable_by_key(|(_, place)| *place);
    places.dedup();
    for (kind, place) in places {
        let here = |piece: &&PieceView| piece.kind == kind && piece.place == place;
        let able = |piece: &&PieceView| piece.powers.can_attack && piece.actions > 0;
        let mut attackers: Vec<&PieceView> = sight.own().filter(here).filter(able).collect();
        let mut targets: Vec<&PieceView> = sight.enemies().filter(here).collect();
        let (mine, theirs) = (weight(attackers.iter().copied()), weight(targets.iter().copied()));
        if targets.is_empty() || mine * 10 < theirs * CONFIDENT {
            continue;
        }
        attackers.sort_by_key(|piece| std::cmp::Reverse(punch(piece)));
        // Who deals much and stands little goes first.
        targets.sort_by_key(|piece| (piece.left * 4 - punch(piece), piece.handle));
        let mut at = 0;
        let mut dealt = 0;
        for attacker in attackers {
            let target = targets[at.min(targets.len() - 1)];
            lines.push(format!("attack {} {}", attacker.handle, target.handle));
            dealt += punch(attacker);
            if dealt > 2 * target.left {
                (at, dealt) = (at + 1, 0);
            }
        }
    }
    lines
}

/// Every piece that can defend does, the strongest first, against the group it hurts most.
pub fn defences(sight: &Sight, desk: &dyn Desk) -> Vec<String> {
    let piece_of = |subject: &Option<String>| {
        let subject = subject.as_deref()?;
        sight.own().find(|piece| piece.handle.to_string() == subject)
    };
    let mut lines: Vec<(i32, String)> = Vec::new();
    for slot in desk.offers() {
        let Some(piece) = piece_of(&slot.subject) else { continue };
        // What is nearly gone keeps out of it.
        if let Some(offer) = slot.offers.first().filter(|offer| offer.order.starts_with("defend") && piece.left > 1) {
            lines.push((-punch(piece), offer.order.clone()));
        }
    }
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}
