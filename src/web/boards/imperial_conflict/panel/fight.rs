//! An attack that is being thought about: the odds, and the ways to roll.

use super::super::{Scene, parts};
use crate::games::imperial_conflict::data::Code;
use crate::games::imperial_conflict::odds::{Odds, Outcomes, odds, outcomes};
use crate::games::imperial_conflict::view::CountryView;
use crate::rules::Seat;

/// Most dice of an attacker.
const MOST_DICE: u32 = 3;
/// All falls that [`Outcomes`] are counted in.
const FALLS: u64 = 7776;

/// One country against another.
pub struct Fight {
    pub from: Code,
    pub to: Code,
    pub from_name: String,
    pub to_name: String,
    pub mine: u32,
    pub theirs: u32,
    pub me: Seat,
    pub them: Seat,
    pub them_words: String,
    /// The chance to take it when rolled on to the end.
    pub chance: String,
    /// The same in thousandths, for a bar.
    pub permille: u64,
    /// What a single roll with all dice comes to, each with its chance.
    pub roll: Vec<(String, String)>,
    /// Numbers of dice that can be rolled, the most first.
    pub dice: Vec<u32>,
    /// Why it cannot be attacked just now; empty when it can.
    pub not_yet: String,
}

impl Fight {
    /// Between these two, which are adjacent and of different owners, the first with an army to spare.
    pub fn new(scene: &Scene, from: &CountryView, to: &CountryView) -> Fight {
        let most = (from.armies - 1).min(MOST_DICE);
        let exact = odds(from.armies, to.armies);
        let left = scene.view.now.as_ref().map_or(0, |now| now.left);
        let ready = scene.slot(&format!("attack-{}", from.code)).is_some();
        Fight {
            from: from.code,
            to: to.code,
            from_name: from.name.clone(),
            to_name: to.name.clone(),
            mine: from.armies,
            theirs: to.armies,
            me: from.owner,
            them: to.owner,
            them_words: parts::who(scene, to.owner),
            chance: exact.as_ref().map_or_else(|| "not worked out for so many armies".to_owned(), Odds::words),
            permille: exact.map_or(0, |odds| odds.parts(1000)),
            roll: roll(most, to.armies.min(2)),
            dice: (1..=most).rev().collect(),
            not_yet: match (ready, left) {
                (true, _) => String::new(),
                (false, 0) => "Exchange a set of cards first.".to_owned(),
                (false, left) => format!("Place your {} first.", parts::armies(left)),
            },
        }
    }
}

fn roll(attacking: u32, defending: u32) -> Vec<(String, String)> {
    let Outcomes { defender, attacker, each } = outcomes(attacking, defending);
    let at_stake = attacking.min(defending);
    let both = |one: &str, two: &str| if at_stake == 2 { two.to_owned() } else { one.to_owned() };
    let mut ways = vec![(both("they lose 1", "they lose 2"), defender)];
    if each > 0 {
        ways.push(("one each".to_owned(), each));
    }
    ways.push((both("you lose 1", "you lose 2"), attacker));
    ways.into_iter().map(|(words, count)| (words, percent(count))).collect()
}

/// A count of all falls as percent, to the nearest tenth.
fn percent(count: u64) -> String {
    let tenths = (count * 2000 / FALLS).div_ceil(2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}
