//! The stock set itself: as large, as varied and as fair as the rules promise.

use std::collections::{BTreeMap, BTreeSet};

use super::load;
use crate::games::conquest::content::embedded;
use crate::games::conquest::data::{AbilityKind, ConditionSide, Data, Kind, Whose};
use crate::rules::Seat;

fn stock() -> Data {
    match load(&embedded()) {
        Ok(data) => data,
        Err(faults) => panic!("{}", faults.iter().map(|fault| format!("{fault}\n")).collect::<String>()),
    }
}

#[test]
fn the_embedded_files_are_those_of_the_folder() {
    let base = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/games/conquest");
    let mut found = BTreeMap::new();
    let mut folders = vec![base.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                let name = path.strip_prefix(&base).expect("below it").to_string_lossy().replace('\\', "/");
                found.insert(name, std::fs::read_to_string(path).expect("a text"));
            }
        }
    }
    assert_eq!(embedded(), found);
}

#[test]
fn the_stock_set_is_as_large_and_as_varied_as_the_rules_say() {
    let data = stock();
    let playable: Vec<_> = data.pieces.values().filter(|piece| piece.kind != Kind::Q).collect();
    assert!(playable.len() >= 120, "{} types", playable.len());
    let unique = playable.iter().filter(|piece| piece.unique).count();
    assert!(unique * 5 >= playable.len(), "{unique} of {} are unique", playable.len());
    assert!(data.pieces.values().any(|piece| piece.kind == Kind::Q));
    for affiliation in &data.affiliations {
        for kind in [Kind::Ship, Kind::Person, Kind::Item] {
            let count = playable.iter().filter(|piece| piece.affiliation == *affiliation && piece.kind == kind).count();
            assert!(count >= 5, "{affiliation} has {count} of kind {}", kind.word());
        }
    }
    for skill in &data.skills {
        let count = playable.iter().filter(|piece| piece.skills.contains(skill)).count();
        assert!(count >= 5, "{skill} is had by {count}");
    }
    for kind in AbilityKind::ALL {
        let count = playable.iter().filter(|piece| piece.abilities.iter().any(|ability| ability.what == kind)).count();
        assert!(count >= 3, "{} is used by {count} types", kind.word());
    }
    let abilities = || playable.iter().flat_map(|piece| &piece.abilities);
    assert!(abilities().filter(|ability| ability.carrier).count() >= 10);
    for side in [ConditionSide::For, ConditionSide::Against] {
        let count = abilities().filter(|ability| ability.condition.as_ref().is_some_and(|c| c.side == side)).count();
        assert!(count >= 3, "{side:?} is used {count} times");
    }
    let hindering = playable.iter().filter(|piece| piece.item.as_ref().is_some_and(|item| item.whose == Whose::Enemy));
    assert!(hindering.clone().count() >= 5);
    assert!(hindering.clone().all(|piece| piece.abilities.iter().all(|ability| ability.amount < 0)));
    let texts: BTreeSet<&str> = data.pieces.values().map(|piece| piece.text.as_str()).collect();
    assert_eq!(texts.len(), data.pieces.len(), "two pieces have the same description");
}

#[test]
fn the_figures_of_the_stock_set_keep_to_the_ranges_of_the_rules() {
    let data = stock();
    for piece in data.pieces.values() {
        let (least, most) = piece.combat;
        let fine = match piece.kind {
            Kind::Person => {
                (1..=9).contains(&piece.cost)
                    && (2..=12).contains(&piece.toughness)
                    && least <= 4
                    && (1..=8).contains(&most)
            }
            Kind::Ship => {
                (2..=14).contains(&piece.cost)
                    && (4..=24).contains(&piece.toughness)
                    && (1..=5).contains(&least)
                    && (2..=10).contains(&most)
            }
            Kind::Item => (1..=5).contains(&piece.cost),
            Kind::Q => piece.cost == 0,
        };
        assert!(fine, "{} is out of the ranges", piece.id);
    }
    let lieutenant = data.piece("klingon-lieutenant").expect("the one figure that is known");
    assert_eq!(lieutenant.combat, (2, 4));
    let batleth = data.piece("batleth").and_then(|piece| piece.item.as_ref()).expect("an item");
    assert_eq!(batleth.affiliation.as_deref(), Some("klingon"));
}

#[test]
fn there_are_two_maps_and_stock_groups_of_forty_with_their_own_ways_to_win() {
    let data = stock();
    let small = data.map("preceptor-nebula").expect("the small map");
    let large = data.map("elemental-rim").expect("the large map");
    assert_eq!((small.planets.len(), large.planets.len()), (3, 5));
    for map in &data.maps {
        assert_eq!(map.planets[map.home_planet(Seat::A)].region, map.home_region(Seat::A));
        assert_eq!(map.planets[map.home_planet(Seat::B)].region, map.home_region(Seat::B));
    }
    assert!(data.groups.len() >= 4);
    let summaries: BTreeSet<&str> = data.groups.iter().map(|group| group.summary.as_str()).collect();
    assert_eq!(summaries.len(), data.groups.len());
    for stock in &data.groups {
        assert_eq!(stock.group.size(), 40);
        let kind = |id: &str| data.piece(id).map(|piece| piece.kind);
        for wanted in [Kind::Ship, Kind::Person, Kind::Item] {
            assert!(stock.group.pieces.iter().any(|(id, _)| kind(id) == Some(wanted)), "{}", stock.id);
        }
        // Something to deploy from the first turn on: a ship and a person for what every map starts with.
        let start = data.maps.iter().map(|map| map.start_cp).min().expect("there are maps");
        let cheapest = |wanted| {
            let costs = stock.group.pieces.iter().filter_map(|(id, _)| data.piece(id));
            costs.filter(|piece| piece.kind == wanted).map(|piece| piece.cost).min()
        };
        assert!(cheapest(Kind::Ship).zip(cheapest(Kind::Person)).is_some_and(|(ship, person)| ship + person <= start));
    }
}
