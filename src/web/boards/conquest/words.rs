//! What a screen reader says of the things on a ConQuest board, and what the list beside it says.

use crate::games::conquest::data::Kind;
use crate::games::conquest::view::{CombatStatus, PieceView, View};
use crate::rules::Seat;

use super::art::Sitting;

/// Whose something is, seen by the viewer: `yours`, `theirs`; for somebody without a seat `of A`.
pub(super) fn whose(view: &View, seat: Seat) -> String {
    match view.viewer {
        Some(viewer) if viewer == seat => "yours".to_owned(),
        Some(_) => "theirs".to_owned(),
        None => format!("of {seat}"),
    }
}

/// A piece in one line: `A3 Klingon Lieutenant, yours: 5 of 6 hit points, 1 action left, hit`.
pub(super) fn piece(sitting: &Sitting, piece: &PieceView) -> String {
    let mut parts = Vec::new();
    match piece.kind {
        Kind::Ship => parts.push(format!("{} of {} shields", piece.left.max(0), piece.toughness)),
        Kind::Person => parts.push(format!("{} of {} hit points", piece.left.max(0), piece.toughness)),
        Kind::Item | Kind::Q => {}
    }
    if piece.kind != Kind::Q {
        parts.push(match piece.actions {
            ..=0 => "no action left".to_owned(),
            1 => "1 action left".to_owned(),
            many => format!("{many} actions left"),
        });
    }
    for (shown, text) in [(piece.hit, "hit this turn"), (piece.damaged, "damaged"), (piece.in_cheq, "in Cheq")] {
        if shown {
            parts.push(text.to_owned());
        }
    }
    if !piece.items.is_empty() {
        let items: Vec<&str> = piece.items.iter().map(|item| item.name.as_str()).collect();
        parts.push(format!("with {}", items.join(", ")));
    }
    if !piece.crew.is_empty() {
        let crew: Vec<String> = piece.crew.iter().map(ToString::to_string).collect();
        parts.push(format!("aboard: {}", crew.join(", ")));
    }
    let mut text = format!("{}, {}", piece.title(), whose(sitting.view, piece.seat));
    if !parts.is_empty() {
        text.push_str(": ");
        text.push_str(&parts.join(", "));
    }
    text
}

/// A planet in one line: `Kessandra: pays 3 CP a turn, controlled by A (you)`.
pub(super) fn planet(sitting: &Sitting, index: usize) -> String {
    let planet = &sitting.view.map.planets[index];
    format!("{}: pays {} CP a turn, {}", planet.name, planet.income, control(sitting.view, planet.control))
}

/// Who controls something: `controlled by A (you)`, `controlled by nobody`.
pub(super) fn control(view: &View, control: Option<Seat>) -> String {
    match control {
        None => "controlled by nobody".to_owned(),
        Some(seat) => match view.viewer {
            Some(viewer) if viewer == seat => format!("controlled by {seat} (you)"),
            Some(_) => format!("controlled by {seat} (them)"),
            None => format!("controlled by {seat}"),
        },
    }
}

/// The fights a piece is in, with their kind: `attacked by A3, A4`, `defends against B5`.
pub(super) fn fights(view: &View, piece: &PieceView) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for combat in view.combats.iter().filter(|combat| combat.status != CombatStatus::Void) {
        if combat.target == piece.handle {
            let attackers: Vec<String> = combat.attackers.iter().map(ToString::to_string).collect();
            found.push(("attacked", format!("attacked by {}", attackers.join(" "))));
        }
        if combat.attackers.contains(&piece.handle) {
            found.push(("attacks", format!("attacks {}", combat.target)));
        }
        if combat.defenders.contains(&piece.handle) {
            let attackers: Vec<String> = combat.attackers.iter().map(ToString::to_string).collect();
            found.push(("defends", format!("defends against {}", attackers.join(" "))));
        }
    }
    found
}
