//! Everything a seat can order now, for forms and clickable maps.

use super::cards::{SET, sets};
use super::data::{Code, Data};
use super::legal::{ATTACK_DICE, Sight, count, more};
use super::view::{Known, PhaseKey, View};
use crate::rules::{Offer, Slot};

/// Numbers up to this are offered one by one; above, in steps of five. A text may say any number.
const ONE_BY_ONE: u32 = 6;

/// The offers of a view's seat; none when it owes nothing.
pub fn offers(data: &Data, view: &View) -> Vec<Slot> {
    if !view.is_due() {
        return Vec::new();
    }
    let known = Known::of(data, view);
    if view.phase == PhaseKey::Placement {
        return deployments(view, view.to_place);
    }
    let Some(sight) = known.sight() else { return Vec::new() };
    let mut slots = Vec::new();
    if sight.turn.occupy.is_some() {
        slots.extend(occupations(view, &sight));
    }
    if sight.may_exchange() {
        slots.extend(exchanges(view, &sight));
    }
    if !sight.must_exchange() {
        if sight.turn.left > 0 {
            slots.extend(deployments(view, sight.turn.left));
        } else {
            slots.extend(attacks(view, &sight));
            slots.extend(fortifications(view, &sight));
            slots.push(plain("end", "End of turn", "End the turn", "end", "end the turn without fortifying"));
        }
    }
    if let Some(step) = view.now.as_ref().and_then(|now| now.undo.as_ref()) {
        slots.push(plain("undo", "Take back", "Take back", "undo", &format!("take back “{step}”")));
    }
    slots
}

fn plain(key: &str, group: &str, label: &str, order: &str, words: &str) -> Slot {
    Slot {
        key: key.to_owned(),
        subject: None,
        group: group.to_owned(),
        label: label.to_owned(),
        offers: vec![Offer { order: order.to_owned(), label: words.to_owned(), target: None }],
    }
}

/// The numbers offered up to a greatest.
fn amounts(most: u32) -> Vec<u32> {
    let mut all: Vec<u32> = (1..=most).filter(|number| *number <= ONE_BY_ONE || number % 5 == 0).collect();
    if most > 0 && all.last() != Some(&most) {
        all.push(most);
    }
    all
}

fn named(view: &View, code: Code) -> &str {
    view.country(code).map_or("", |country| &country.name)
}

fn exchanges(view: &View, sight: &Sight) -> Option<Slot> {
    let offer = |set: [usize; SET]| {
        let codes = set.map(|card| sight.map.countries[card].code);
        let names = codes.map(|code| named(view, code));
        let own = set.iter().filter(|card| sight.holdings[**card].owner == sight.seat()).count();
        let extra =
            if own > 0 { format!(", and 2 more on each of {own} of them that you hold") } else { String::new() };
        Offer {
            order: format!("exchange {} {} {}", codes[0], codes[1], codes[2]),
            label: format!("exchange {}, {} and {} for {}{extra}", names[0], names[1], names[2], count(view.worth)),
            target: None,
        }
    };
    let offers: Vec<Offer> = sets(sight.map, sight.hand).into_iter().map(offer).collect();
    (!offers.is_empty()).then(|| Slot {
        key: "exchange".to_owned(),
        subject: None,
        group: "Cards".to_owned(),
        label: "Exchange a set".to_owned(),
        offers,
    })
}

fn deployments(view: &View, left: u32) -> Vec<Slot> {
    let own = view.countries.iter().filter(|country| Some(country.owner) == view.viewer);
    let slot = |country: &super::view::CountryView| Slot {
        key: format!("deploy-{}", country.code),
        subject: Some(country.code.to_string()),
        group: "Place armies".to_owned(),
        label: format!("{} ({})", country.name, country.armies),
        offers: amounts(left)
            .into_iter()
            .map(|armies| Offer {
                order: format!("deploy {armies} {}", country.code),
                label: format!("place {}", count(armies)),
                target: None,
            })
            .collect(),
    };
    own.map(slot).collect()
}

fn attacks(view: &View, sight: &Sight) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (at, country) in view.countries.iter().enumerate() {
        let most = sight.spare(at).min(ATTACK_DICE);
        if country.owner != sight.seat() || most == 0 {
            continue;
        }
        let mut offers = Vec::new();
        for target in country.neighbours.iter().map(|neighbour| &view.countries[*neighbour]) {
            if target.owner == sight.seat() {
                continue;
            }
            let order = format!("attack {} {}", country.code, target.code);
            let what = format!("{} ({} {})", target.name, target.owner, target.armies);
            let mut offer = |order: String, label: String| {
                offers.push(Offer { order, label, target: Some(target.code.to_string()) });
            };
            offer(order.clone(), format!("attack {what} once, {most} {}", if most == 1 { "die" } else { "dice" }));
            offer(format!("{order} until 1"), format!("attack {what} until captured"));
            for dice in (1..most).rev() {
                let words = if dice == 1 { "die" } else { "dice" };
                offer(format!("{order} {dice}"), format!("attack {what} once, {dice} {words}"));
            }
        }
        if !offers.is_empty() {
            slots.push(Slot {
                key: format!("attack-{}", country.code),
                subject: Some(country.code.to_string()),
                group: "Attack".to_owned(),
                label: format!("{} ({})", country.name, country.armies),
                offers,
            });
        }
    }
    slots
}

fn occupations(view: &View, sight: &Sight) -> Option<Slot> {
    let way = sight.turn.occupy?;
    let (from, to) = (&view.countries[way.from], &view.countries[way.to]);
    let offers: Vec<Offer> = amounts(sight.spare(way.from))
        .into_iter()
        .map(|armies| Offer {
            order: format!("occupy {armies}"),
            label: format!("move {} into {}", more(armies), to.name),
            target: Some(to.code.to_string()),
        })
        .collect();
    (!offers.is_empty()).then(|| Slot {
        key: "occupy".to_owned(),
        subject: Some(from.code.to_string()),
        group: "Move in".to_owned(),
        label: format!("{} ({}) into {} ({})", from.name, from.armies, to.name, to.armies),
        offers,
    })
}

fn fortifications(view: &View, sight: &Sight) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (at, country) in view.countries.iter().enumerate() {
        if country.owner != sight.seat() {
            continue;
        }
        let targets = country.neighbours.iter().map(|neighbour| &view.countries[*neighbour]);
        let offers: Vec<Offer> = targets
            .filter(|target| target.owner == sight.seat())
            .flat_map(|target| amounts(sight.spare(at)).into_iter().map(move |armies| (armies, target)))
            .map(|(armies, target)| Offer {
                order: format!("fortify {armies} {} {}", country.code, target.code),
                label: format!("move {} to {} and end the turn", count(armies), target.name),
                target: Some(target.code.to_string()),
            })
            .collect();
        if !offers.is_empty() {
            slots.push(Slot {
                key: format!("fortify-{}", country.code),
                subject: Some(country.code.to_string()),
                group: "Fortify".to_owned(),
                label: format!("{} ({})", country.name, country.armies),
                offers,
            });
        }
    }
    slots
}
