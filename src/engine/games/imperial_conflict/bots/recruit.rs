//! The weaker bot: reinforces some border, attacks where it outnumbers the other, and plans nothing.

use super::ground::Ground;
use crate::games::imperial_conflict::view::PhaseKey;
use crate::rules::Desk;
use crate::rules::{Bot, Dice};

/// How many more armies it wants than the defender has.
const MARGIN: u32 = 2;

/// The weaker bot.
pub struct Recruit;

impl Bot for Recruit {
    fn id(&self) -> &'static str {
        "recruit"
    }

    fn name(&self) -> &'static str {
        "Recruit"
    }

    fn summary(&self) -> &'static str {
        "Attacks any weaker neighbour and has no plan beyond that."
    }

    fn strength(&self) -> u8 {
        1
    }

    fn plot(&self, view: &str, _: &dyn Desk, chooser: &mut Dice) -> String {
        let Some(ground) = Ground::read(view) else { return String::new() };
        let Some(now) = ground.view.now.as_ref() else { return place(&ground, chooser) };
        let mut text = String::new();
        if ground.must_exchange() {
            return ground.best_set().unwrap_or_default();
        }
        if let Some(way) = now.occupy.as_ref().filter(|way| way.most > 1) {
            return format!("occupy {}\n", way.most - way.most / 4);
        }
        let mut reinforced = None;
        if ground.view.phase == PhaseKey::Deploy {
            let fronts: Vec<usize> = ground.own().filter(|country| ground.is_front(*country)).collect();
            if let Some(country) = fronts.get(chooser.pick("where to reinforce", fronts.len())) {
                text = format!("deploy {} {}\n", now.left, ground.at(*country).code);
                reinforced = Some((*country, now.left));
            }
        }
        let armies = |country: usize| {
            ground.at(country).armies + reinforced.filter(|(at, _)| *at == country).map_or(0, |(_, armies)| armies)
        };
        let mut attacks = ground.attacks();
        attacks.retain(|(from, to)| armies(*from) > armies(*to) + MARGIN);
        match attacks.get(chooser.pick("whom to attack", attacks.len())) {
            Some((from, to)) => {
                text.push_str(&format!("attack {} {} until 2\n", ground.at(*from).code, ground.at(*to).code));
            }
            None => text.push_str("end\n"),
        }
        text
    }
}

/// Starting armies on own countries at random.
fn place(ground: &Ground, chooser: &mut Dice) -> String {
    let own: Vec<usize> = ground.own().collect();
    let mut text = String::new();
    for _ in 0..ground.view.to_place {
        let country = own[chooser.pick("where to place", own.len())];
        text.push_str(&format!("deploy 1 {}\n", ground.at(country).code));
    }
    text
}
