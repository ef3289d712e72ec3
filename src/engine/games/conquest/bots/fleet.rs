//! Deployments and movements of the stronger bot.

use super::commander::{Sight, punch, weight};
use crate::games::conquest::data::Kind;
use crate::games::conquest::view::{PieceView, Place, PlanetView};
use crate::rules::Desk;
use crate::rules::Seat;

/// People a ship waits for before it sets out.
const PARTY: usize = 3;

/// What gives most for its cost, a ship for every three people; then items on whoever fights best.
pub fn deployments(sight: &Sight, desk: &dyn Desk) -> Vec<String> {
    let mut cp = sight.view.side(sight.me).cp;
    let count = |kind: Kind| sight.own().filter(|piece| piece.kind == kind).count();
    let (mut ships, mut people) = (count(Kind::Ship), count(Kind::Person));
    let mut left: Vec<(&str, u32)> = sight.view.group.iter().map(|it| (it.type_id.as_str(), it.count)).collect();
    let mut lines = Vec::new();
    loop {
        let wanted = if ships * 3 <= people { Kind::Ship } else { Kind::Person };
        let Some((id, kind, cost)) = best_buy(sight, &left, cp, wanted) else { break };
        lines.push(format!("deploy {id}"));
        cp -= cost;
        if let Some((_, count)) = left.iter_mut().find(|(it, _)| *it == id) {
            *count -= 1;
        }
        if kind == Kind::Ship { ships += 1 } else { people += 1 }
    }
    // Items come last: they help whom there is.
    for slot in desk.offers().iter().filter(|slot| slot.group == "Items to deploy") {
        let strength = |target: &Option<String>| {
            let handle = target.as_deref().unwrap_or_default();
            let bearer = sight.view.pieces.iter().find(|piece| piece.handle.to_string() == handle);
            bearer.map_or(0, |bearer| punch(bearer) + bearer.left)
        };
        lines.extend(slot.offers.iter().max_by_key(|offer| strength(&offer.target)).map(|offer| offer.order.clone()));
    }
    lines
}

/// The type that gives most for its cost; of the kind wanted if one of it can be paid.
fn best_buy<'s>(sight: &'s Sight, left: &[(&'s str, u32)], cp: i32, wanted: Kind) -> Option<(&'s str, Kind, i32)> {
    let mut best: Option<((bool, i32), &str, Kind, i32)> = None;
    for (id, _) in left.iter().filter(|(_, count)| *count > 0) {
        let Some(it) = sight.view.types.get(*id) else { continue };
        if !matches!(it.kind, Kind::Ship | Kind::Person) || it.cost > cp {
            continue;
        }
        let figures = it.combat.0 + it.combat.1 + it.toughness + 2 * i32::try_from(it.abilities.len()).unwrap_or(0);
        let score = (it.kind == wanted, figures * 100 / it.cost.max(1) + figures);
        if best.is_none_or(|(most, ..)| score > most) {
            best = Some((score, id, it.kind, it.cost));
        }
    }
    best.map(|(_, id, kind, cost)| (id, kind, cost))
}

/// What each ship does: save the Q, set people down, take people up, or go where they are wanted.
pub fn movements(sight: &Sight) -> Vec<String> {
    let mut lines = save_q(sight);
    let ships = sight.own().filter(|piece| piece.kind == Kind::Ship && piece.actions > 0);
    for ship in ships {
        let aboard: Vec<&PieceView> = sight
            .own()
            .filter(|piece| piece.kind == Kind::Person && piece.place == Place::Aboard(ship.handle))
            .collect();
        let goal = goals(sight).into_iter().find(|(_, planet)| planet.region == ship.region);
        if let Some((_, it)) = goal.filter(|(planet, _)| !aboard.is_empty() && is_takeable(sight, *planet, &aboard)) {
            lines.push(format!("beam {} to {}", handles(&aboard), it.id));
        } else if let Some(line) = take_up(sight, ship, &aboard) {
            lines.push(line);
        } else {
            lines.extend(voyage(sight, ship, !aboard.is_empty()));
        }
    }
    lines
}

/// Planets the enemy or nobody controls, the nearest to home first.
fn goals<'v>(sight: &Sight<'v>) -> Vec<(usize, &'v PlanetView)> {
    let planets = sight.view.map.planets.iter().enumerate();
    let mut goals: Vec<_> = planets.filter(|(_, planet)| planet.control != Some(sight.me)).collect();
    goals.sort_by_key(|(_, planet)| distance_from_home(sight, planet.region));
    goals
}

fn distance_from_home(sight: &Sight, region: usize) -> usize {
    if sight.me == Seat::A { region } else { sight.view.map.regions.len() - 1 - region }
}

/// Whether these people, with the own ones there, outweigh the enemy's on the planet.
fn is_takeable(sight: &Sight, planet: usize, people: &[&PieceView]) -> bool {
    let there = |piece: &&PieceView| piece.kind == Kind::Person && piece.place == Place::Planet(planet);
    let theirs = weight(sight.enemies().filter(there));
    let mine = weight(sight.own().filter(there).chain(people.iter().copied()));
    theirs == 0 || mine * 10 >= theirs * 8
}

/// People of an own planet in the ship's region come aboard; one stays to keep it.
fn take_up(sight: &Sight, ship: &PieceView, aboard: &[&PieceView]) -> Option<String> {
    let room = ship.powers.capacity.unwrap_or(usize::MAX).min(PARTY + 1).saturating_sub(aboard.len());
    let mut best: Option<Vec<&PieceView>> = None;
    for (at, planet) in sight.view.map.planets.iter().enumerate() {
        if planet.region != ship.region || planet.control != Some(sight.me) {
            continue;
        }
        let there = |piece: &&PieceView| piece.kind == Kind::Person && piece.place == Place::Planet(at);
        if sight.enemies().any(|enemy| there(&enemy)) {
            continue;
        }
        let mut people: Vec<&PieceView> = sight.own().filter(there).collect();
        people.sort_by_key(|piece| std::cmp::Reverse((punch(piece), piece.left)));
        people.truncate(people.len().saturating_sub(1).min(room));
        if best.as_ref().is_none_or(|most| people.len() > most.len()) {
            best = Some(people);
        }
    }
    let people = best.filter(|people| !people.is_empty())?;
    Some(format!("beam {} to {}", handles(&people), ship.handle))
}

/// A step towards the nearest goal with people aboard; home without, unless the ship guards something.
fn voyage(sight: &Sight, ship: &PieceView, loaded: bool) -> Option<String> {
    let regions = &sight.view.map.regions;
    let home = if sight.me == Seat::A { 0 } else { regions.len() - 1 };
    let wanted = if loaded { goals(sight).first().map(|(_, planet)| planet.region) } else { Some(home) };
    let wanted = wanted.filter(|wanted| *wanted != ship.region)?;
    let next = if wanted > ship.region { ship.region + 1 } else { ship.region - 1 };
    // Not alone into a stronger fleet.
    let ships_in = |pieces: &PieceView, region: usize| pieces.kind == Kind::Ship && pieces.region == region;
    let theirs = weight(sight.enemies().filter(|piece| ships_in(piece, next)));
    let mine = weight(sight.own().filter(|piece| ships_in(piece, next) || ships_in(piece, ship.region)));
    (mine >= theirs).then(|| format!("move {} {}", ship.handle, regions[next].id))
}

/// A Q in danger goes aboard the strongest ship in its region, one in safety stays.
fn save_q(sight: &Sight) -> Vec<String> {
    let Some(q) = sight.own().find(|piece| piece.kind == Kind::Q) else { return Vec::new() };
    let Place::Planet(planet) = q.place else { return Vec::new() };
    let people = |piece: &&PieceView| piece.kind == Kind::Person && piece.place == q.place;
    let threatened = weight(sight.enemies().filter(people)) > weight(sight.own().filter(people));
    let lost = sight.view.map.planets[planet].control != Some(sight.me);
    if !threatened && !lost {
        return Vec::new();
    }
    let mut ships: Vec<&PieceView> =
        sight.own().filter(|piece| piece.kind == Kind::Ship && piece.region == q.region && piece.actions > 0).collect();
    ships.sort_by_key(|ship| std::cmp::Reverse(ship.left));
    ships.iter().map(|ship| format!("beam {} to {}", q.handle, ship.handle)).collect()
}

fn handles(people: &[&PieceView]) -> String {
    people.iter().map(|piece| piece.handle.to_string()).collect::<Vec<_>>().join(" ")
}
