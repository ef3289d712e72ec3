//! ConQuest: recorded games of every edition of its rules, played at random so that rare orders occur.

use std::collections::BTreeMap;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use stardate::games;
use stardate::rules::{Desk, Setup};
use stardate::tables::record::{Record, replay};
use stardate::tables::verify::verify;

use super::{Chooser, Script, play, read, write_once};

const GAME: &str = "conquest";

/// A recorded game: its name, the editions it was played by, the map, and the dice it came from.
struct Recorded {
    name: &'static str,
    edition: fn(i32) -> u32,
    map: &'static str,
    groups: [&'static str; 2],
    seed: u64,
}

const RECORDED: [Recorded; 5] = [
    Recorded {
        name: "edition-1-nebula",
        edition: |_| 1,
        map: "preceptor-nebula",
        groups: ["house-of-war", "one-will"],
        seed: 1,
    },
    Recorded {
        name: "edition-1-rim",
        edition: |_| 1,
        map: "elemental-rim",
        groups: ["closed-hand", "closed-hand"],
        seed: 2,
    },
    Recorded {
        name: "edition-2-nebula",
        edition: |_| 2,
        map: "preceptor-nebula",
        groups: ["house-of-war", "long-watch"],
        seed: 3,
    },
    Recorded {
        name: "edition-2-rim",
        edition: |_| 2,
        map: "elemental-rim",
        groups: ["free-traders", "one-will"],
        seed: 4,
    },
    // The rules were mended while the table was running.
    Recorded {
        name: "edition-1-then-2",
        edition: |phase| if phase < 12 { 1 } else { 2 },
        map: "preceptor-nebula",
        groups: ["one-will", "one-will"],
        seed: 5,
    },
];

#[test]
fn recorded_games_of_every_edition_replay_byte_for_byte() {
    let engines = games::all();
    for recorded in &RECORDED {
        write_once(GAME, recorded.name, || played(recorded));
        let text = read(GAME, recorded.name);
        let record = Record::from_text(&text).unwrap();
        assert_eq!(record.to_text(), text, "{}: reading and writing changes nothing", recorded.name);
        let as_said = |edition: i32, no: i32| i64::from(edition) == i64::from((recorded.edition)(no));
        assert!(record.steps.iter().all(|step| as_said(step.edition, step.no)), "{}", recorded.name);
        replay(&text, &engines).unwrap_or_else(|fault| panic!("{}: {fault}", recorded.name));
        for check in verify(&text, &engines).unwrap() {
            assert!(check.holds, "{}: {}", recorded.name, check.words);
        }
    }
}

fn played(recorded: &Recorded) -> Record {
    let engine = games::all().into_iter().find(|engine| engine.meta().id == GAME).unwrap();
    let stock = engine.load(&engine.embedded()).unwrap().stock_loadouts();
    let group = |id: &str| stock.iter().find(|group| group.id == id).unwrap().text.clone();
    let setup = Setup {
        options: BTreeMap::from([("map".to_owned(), recorded.map.to_owned())]),
        seats: recorded.groups.iter().map(|id| BTreeMap::from([("group".to_owned(), group(id))])).collect(),
    };
    let mut chance = Chance(ChaCha20Rng::seed_from_u64(recorded.seed));
    let choose: Chooser = Box::new(move |game, state, seat| {
        // Now and then nothing comes in, and the doctrine decides.
        (chance.below(8) > 0).then(|| random_plot(&*game.desk(state, seat).unwrap(), &mut chance))
    });
    let script = Script {
        game: GAME,
        table: "conquest0001",
        name: recorded.name,
        seed: recorded.seed,
        setup,
        edition: recorded.edition,
        keep: |_| true,
    };
    play(script, |_, _, _| Vec::new(), choose)
}

struct Chance(ChaCha20Rng);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.0.next_u64() % u64::try_from(count).unwrap()).unwrap()
    }
}

/// Orders for most of what is offered, those that do not go together left out.
fn random_plot(desk: &dyn Desk, chance: &mut Chance) -> String {
    let mut text = String::new();
    for slot in desk.offers() {
        if chance.below(3) == 0 {
            continue;
        }
        let longer = format!("{text}{}\n", slot.offers[chance.below(slot.offers.len())].order);
        if desk.examine(&longer).faults.is_empty() {
            text = longer;
        }
    }
    text
}

#[test]
fn an_edition_played_by_the_rules_of_another_is_found_out() {
    let engines = games::all();
    for (name, other) in [("edition-1-nebula", 2), ("edition-2-nebula", 1)] {
        let mut record = Record::from_text(&read(GAME, name)).unwrap();
        record.steps.iter_mut().for_each(|step| step.edition = other);
        assert!(replay(&record.to_text(), &engines).is_err(), "{name} tells the editions apart");
    }
}
