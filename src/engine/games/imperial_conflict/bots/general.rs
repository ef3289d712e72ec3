//! The stronger bot: works for whole continents, knows its odds, breaks others' continents and hunts the weak
//! for their cards.

use std::sync::OnceLock;

use super::chances::Chances;
use super::ground::Ground;
use crate::games::imperial_conflict::view::{OccupyView, PhaseKey, TurnView};
use crate::rules::Desk;
use crate::rules::{Bot, Dice, Fate};

/// Least chance, per mille, with which it attacks.
const LEAST: u64 = 600;
/// The same while it has captured nothing this turn: a card is worth some risk.
const LEAST_FOR_A_CARD: u64 = 480;

/// The stronger bot.
#[derive(Default)]
pub struct General {
    chances: OnceLock<Chances>,
}

impl Bot for General {
    fn id(&self) -> &'static str {
        "general"
    }

    fn name(&self) -> &'static str {
        "General"
    }

    fn summary(&self) -> &'static str {
        "Works for whole continents, knows its odds, and hunts the weak for their cards."
    }

    fn strength(&self) -> u8 {
        2
    }

    fn plot(&self, view: &str, _: &dyn Desk, chooser: &mut Dice) -> String {
        let Some(ground) = Ground::read(view) else { return String::new() };
        let Some(now) = ground.view.now.clone() else { return self.place(&ground) };
        if let Some(way) = now.occupy.as_ref().filter(|way| way.most > 0) {
            let orders = self.occupy(&ground, way);
            if !orders.is_empty() {
                return orders;
            }
        }
        if ground.must_exchange() || !now.attacked {
            // What an exchange brings is seen before it is placed.
            if let Some(exchange) = ground.best_set() {
                return exchange;
            }
        }
        if ground.view.phase == PhaseKey::Deploy {
            return self.deploy(&ground, &now, chooser);
        }
        self.attack(&ground, &now)
    }
}

impl General {
    fn chances(&self) -> &Chances {
        self.chances.get_or_init(Chances::new)
    }

    /// What having a country is worth, in points.
    fn value(&self, ground: &Ground, country: usize) -> u64 {
        let view = &ground.view;
        let target = ground.at(country);
        let continent = &view.continents[target.continent];
        let members = || view.countries.iter().filter(|it| it.continent == target.continent);
        let size = members().count() as u64;
        let own = members().filter(|it| it.owner == ground.me).count() as u64;
        let bonus = u64::from(continent.bonus);
        let mut value = 20;
        // Nearer to the whole is worth more, the whole itself most; small continents are got and held sooner.
        value += bonus * 40 * own * own / (size * size) + 60 / size;
        if own + 1 == size {
            value += bonus * 40;
        }
        if continent.owner.is_some() {
            value += bonus * 25;
        }
        let side = &view.sides[target.owner.index()];
        if side.countries <= 3 {
            value += 15 * (4 - side.countries as u64) + 25 * side.cards as u64;
        }
        if side.fate == Fate::Active {
            value += 4;
        }
        // Each further border is one more to hold.
        let borders = ground.hostile(country).count() as u64;
        value + 12_u64.saturating_sub(3 * borders)
    }

    /// The best attack with these armies added to a country: value times chance, from, to.
    fn best_attack(&self, ground: &Ground, added: Option<(usize, u32)>, least: u64) -> Option<(u64, usize, usize)> {
        let mut best: Option<(u64, usize, usize)> = None;
        for from in ground.own() {
            let more = added.filter(|(country, _)| *country == from).map_or(0, |(_, armies)| armies);
            let armies = ground.at(from).armies + more;
            if armies < 2 {
                continue;
            }
            for to in ground.hostile(from) {
                let chance = self.chances().of(armies, ground.at(to).armies);
                let worth = self.value(ground, to) * chance;
                if chance >= least && best.is_none_or(|(most, ..)| worth > most) {
                    best = Some((worth, from, to));
                }
            }
        }
        best
    }

    /// Where the armies do most: the best attack they make possible, or the border most in danger.
    fn deploy(&self, ground: &Ground, now: &TurnView, chooser: &mut Dice) -> String {
        let left = now.left;
        let mut best: Option<(u64, usize)> = None;
        for country in ground.own().filter(|country| ground.is_front(*country)) {
            let with = self.best_attack(ground, Some((country, left)), 0);
            let attack = with.filter(|(_, from, _)| *from == country).map_or(0, |(worth, ..)| worth);
            // Large armies belong together.
            let score = attack + u64::from(ground.at(country).armies) * 400 + self.danger(ground, country) * 300;
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, country));
            }
        }
        let own: Vec<usize> = ground.own().collect();
        let country = best.map_or_else(|| own[chooser.pick("where to deploy", own.len())], |(_, country)| country);
        format!("deploy {left} {}\n", ground.at(country).code)
    }

    /// How much an own continent held whole is threatened here.
    fn danger(&self, ground: &Ground, country: usize) -> u64 {
        let it = ground.at(country);
        let continent = &ground.view.continents[it.continent];
        if continent.owner != Some(ground.me) {
            return 0;
        }
        let against: u32 = ground.hostile(country).map(|neighbour| ground.at(neighbour).armies.saturating_sub(1)).sum();
        u64::from(continent.bonus) * u64::from(against.saturating_sub(it.armies))
    }

    fn attack(&self, ground: &Ground, now: &TurnView) -> String {
        let least = if now.captured { LEAST } else { LEAST_FOR_A_CARD };
        match self.best_attack(ground, None, least) {
            Some((_, from, to)) => {
                let until = if now.captured { 3 } else { 1 }.min(ground.at(from).armies - 1);
                format!("attack {} {} until {until}\n", ground.at(from).code, ground.at(to).code)
            }
            None => ground.last_order(),
        }
    }

    /// All armies follow unless the country they leave needs them more.
    fn occupy(&self, ground: &Ground, way: &OccupyView) -> String {
        let place = |code| ground.view.countries.iter().position(|country| country.code == code);
        let (Some(from), Some(to)) = (place(way.from), place(way.to)) else { return String::new() };
        let reach = |country: usize| {
            let values = ground.hostile(country).map(|neighbour| self.value(ground, neighbour));
            values.max().unwrap_or(0) + self.danger(ground, country) * 10
        };
        let (behind, ahead) = (reach(from), reach(to));
        let armies = match (behind, ahead) {
            (0, _) => way.most,
            (_, 0) => 0,
            (behind, ahead) if ahead >= behind => way.most - way.most / 6,
            _ => way.most / 4,
        };
        if armies == 0 { String::new() } else { format!("occupy {armies}\n") }
    }

    /// Starting armies where they bring continents: on fronts, by what can be taken from there.
    fn place(&self, ground: &Ground) -> String {
        let mut fronts: Vec<(u64, usize)> = ground
            .own()
            .map(|country| (ground.hostile(country).map(|to| self.value(ground, to)).max().unwrap_or(0), country))
            .collect();
        fronts.sort_by_key(|(value, country)| (std::cmp::Reverse(*value), *country));
        let share = [4, 3, 2, 1];
        let whole: u32 = share.iter().sum();
        let mut left = ground.view.to_place;
        let mut text = String::new();
        for ((_, country), part) in fronts.iter().zip(share) {
            let armies = (ground.view.to_place * part / whole).min(left);
            if armies > 0 {
                text.push_str(&format!("deploy {armies} {}\n", ground.at(*country).code));
                left -= armies;
            }
        }
        text
    }
}
