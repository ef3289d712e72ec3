//! What the last orders led to: dice as they fell, who lost what, and what was not carried out.

use askama::Template;

use super::{DrawFault, Scene, parts};
use crate::games::imperial_conflict::{Event, ImperialConflict};
use crate::rules::{Rules, Seat};

/// Attacks whose dice are drawn; of more only the outcome is told.
const DRAWN_BATTLES: usize = 3;
/// Rolls of one attack that are drawn; the ones before are counted.
const DRAWN_ROLLS: usize = 6;

#[derive(Template)]
#[template(path = "boards/imperial_conflict/happened.html")]
struct HappenedPart {
    undone: Vec<(String, String)>,
    battles: Vec<Battle>,
    lines: Vec<String>,
}

/// The rolls of one country against another.
struct Battle {
    seat: Seat,
    against: Seat,
    from: String,
    to: String,
    /// The last rolls; empty for an attack that is only told.
    rolls: Vec<Roll>,
    /// Rolls before those.
    earlier: usize,
    attacker_lost: u32,
    defender_lost: u32,
    /// Armies left on both sides.
    left: (u32, u32),
    outcome: String,
    captured: bool,
}

struct Roll {
    attack: Vec<Die>,
    defence: Vec<Die>,
    words: String,
}

struct Die {
    value: i64,
    /// Whether the comparison was lost.
    lost: bool,
    /// Whether it was compared at all.
    idle: bool,
}

/// Draws it; empty when nothing is known to have happened.
pub(super) fn happened(scene: &Scene) -> Result<String, DrawFault> {
    let (mut battles, mut lines) = (Vec::new(), Vec::new());
    let rules = ImperialConflict::new();
    for event in &scene.events {
        match event {
            Event::Rolled { .. } => roll(&mut battles, event),
            Event::Captured { armies, to, .. } => captured(&mut battles, to, *armies),
            Event::NotDone { .. } => {}
            other => lines.push(rules.tell(scene.data, other, scene.view.viewer)),
        }
    }
    for battle in &mut battles {
        finish(scene, battle);
    }
    let told = battles.len().saturating_sub(DRAWN_BATTLES);
    for battle in battles.iter_mut().take(told) {
        battle.rolls.clear();
    }
    let undone = scene.events.iter().filter_map(|event| match event {
        Event::NotDone { order, reason, .. } => Some((order.clone(), reason.clone())),
        _ => None,
    });
    let part = HappenedPart { undone: undone.collect(), battles, lines };
    if part.undone.is_empty() && part.battles.is_empty() && part.lines.is_empty() {
        return Ok(String::new());
    }
    Ok(part.render()?)
}

/// The orders that were not carried out, as they can be written again.
pub(super) fn unfinished(scene: &Scene) -> Vec<String> {
    let own = scene.events.iter().filter_map(|event| match event {
        Event::NotDone { seat, order, .. } if scene.view.viewer == Some(*seat) => Some(order.clone()),
        _ => None,
    });
    if scene.acts() { own.collect() } else { Vec::new() }
}

fn roll(battles: &mut Vec<Battle>, event: &Event) {
    let Event::Rolled { seat, against, from, to, attack, defence, attacker_lost, defender_lost, attackers, defenders } =
        event
    else {
        return;
    };
    let goes_on = battles.last().is_some_and(|last| !last.captured && last.from == *from && last.to == *to);
    if !goes_on {
        battles.push(Battle {
            seat: *seat,
            against: *against,
            from: from.clone(),
            to: to.clone(),
            rolls: Vec::new(),
            earlier: 0,
            attacker_lost: 0,
            defender_lost: 0,
            left: (0, 0),
            outcome: String::new(),
            captured: false,
        });
    }
    let battle = battles.last_mut().expect("one was just pushed or is there");
    battle.attacker_lost += attacker_lost;
    battle.defender_lost += defender_lost;
    battle.left = (*attackers, *defenders);
    battle.rolls.push(thrown(attack, defence));
}

/// The dice side by side: highest against highest, ties to the defender.
fn thrown(attack: &[i64], defence: &[i64]) -> Roll {
    let die = |value: i64, other: Option<&i64>, loses: fn(i64, i64) -> bool| Die {
        value,
        lost: other.is_some_and(|other| loses(value, *other)),
        idle: other.is_none(),
    };
    let text = |dice: &[i64]| dice.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
    Roll {
        attack: attack
            .iter()
            .enumerate()
            .map(|(at, value)| die(*value, defence.get(at), |mine, their| mine <= their))
            .collect(),
        defence: defence
            .iter()
            .enumerate()
            .map(|(at, value)| die(*value, attack.get(at), |mine, their| mine < their))
            .collect(),
        words: format!("{} against {}", text(attack), text(defence)),
    }
}

fn captured(battles: &mut [Battle], country: &str, armies: u32) {
    if let Some(battle) = battles.last_mut().filter(|battle| battle.to == country) {
        battle.captured = true;
        battle.left.1 = armies;
    }
}

/// Puts the outcome into words and leaves only the last rolls to be drawn.
fn finish(scene: &Scene, battle: &mut Battle) {
    let you = |seat: Seat| scene.view.viewer == Some(seat);
    battle.earlier = battle.rolls.len().saturating_sub(DRAWN_ROLLS);
    battle.rolls.drain(..battle.earlier);
    battle.outcome = if battle.captured {
        let moved = parts::armies(battle.left.1);
        format!("Captured. {moved} moved in.")
    } else {
        let (mine, theirs) = battle.left;
        let whose = if you(battle.seat) { "you".to_owned() } else { battle.seat.to_string() };
        format!(
            "Not taken: {whose} {mine}, {} {theirs}.",
            if you(battle.against) { "you".to_owned() } else { battle.against.to_string() }
        )
    };
}
