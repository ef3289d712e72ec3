//! Two worlds that differ in a secret only look the same to everybody else, byte by byte.

use std::collections::BTreeMap;
use std::sync::Arc;

use stardate_engine::games;
use stardate_engine::rules::{Audience, Dice, Game, Seat, StepJson};

fn conquest() -> Arc<dyn Game> {
    let engine = games::all().into_iter().find(|engine| engine.meta().id == "conquest").unwrap();
    engine.load(&engine.embedded()).unwrap()
}

/// Both sides could deploy a unique person, and equal CP let the dice decide who is first.
fn position(game: &dyn Game) -> String {
    let given = r#"
        map = "preceptor-nebula"
        cp = { A = 9, B = 9 }
        group = { A = ["locutus", "crewman"], B = ["locutus", "crewman"] }
        pieces.A9 = { type = "runabout", at = "home-a" }
        pieces.B9 = { type = "runabout", at = "home-b" }
    "#;
    game.given(&given.parse().unwrap()).unwrap()
}

/// What somebody else than the owner of the secret gets to see: view, report, letters, throws, open orders.
fn seen(game: &dyn Game, before: &str, step: &StepJson, dice: &Dice, owner: Seat, plot: &str) -> Vec<String> {
    let mut seen = vec![format!("{:?}", dice.throws())];
    let others = [Some(Seat::A), Some(Seat::B), None].into_iter().filter(|viewer| *viewer != Some(owner));
    for viewer in others {
        seen.push(game.view(&step.state, viewer).unwrap());
        seen.push(game.position(&step.state, viewer).unwrap());
        seen.push(game.digest(&step.report, viewer, false).unwrap().join("\n"));
        let told = step.report.iter().filter(|entry| entry.audience.includes(viewer));
        seen.push(format!("{:?}", told.map(|entry| entry.event.to_string()).collect::<Vec<_>>()));
    }
    seen.push(format!("{:?} {:?}", game.openness(before).unwrap(), game.phase(&step.state).unwrap()));
    if game.openness(before).unwrap() != stardate_engine::rules::Openness::Nothing {
        seen.push(format!("{:?}", game.open_orders(before, owner, plot).unwrap()));
    }
    seen
}

/// How a phase looks to others when the owner of the secret hands in this plot.
fn world(edition: u32, owner: Seat, plot: &str, other: &str, seed: u8) -> Vec<String> {
    let game = conquest();
    let before = position(&*game);
    let rival = if owner == Seat::A { Seat::B } else { Seat::A };
    for (seat, text) in [(owner, plot), (rival, other)] {
        assert!(game.examine(&before, seat, text).unwrap().faults.is_empty(), "{text}");
    }
    let plots = BTreeMap::from([(owner, plot.to_owned()), (rival, other.to_owned())]);
    let mut dice = Dice::for_phase(&[seed; 32], 1);
    let step = game.resolve(&before, &plots, edition, &mut dice).unwrap();
    let late = step.report.iter().filter(|entry| entry.audience == Audience::Only(vec![owner])).count();
    assert_eq!(late, usize::from(plot.contains("locutus") && step.state.contains(r#"A10":{"type_id":"locutus"#)));
    seen(&*game, &before, &step, &dice, owner, plot)
}

#[test]
fn a_unique_piece_that_came_too_late_does_not_betray_itself() {
    let edition = conquest().meta().edition;
    let mut late = 0;
    for seed in 0..16 {
        // B tries to bring what A brings, or nothing; where the dice let A go first it must look the same.
        let tried = world(edition, Seat::B, "deploy locutus", "deploy locutus", seed);
        let passed = world(edition, Seat::B, "pass", "deploy locutus", seed);
        let a_first = tried[0].contains("value: 0");
        if a_first {
            assert_eq!(tried, passed, "seed {seed}");
            late += 1;
        } else {
            assert_ne!(tried, passed, "B has brought it");
        }
    }
    assert!((1..16).contains(&late), "both happen");
    // The first edition told it: that is why there is a second.
    let differs = |seed| {
        world(1, Seat::B, "deploy locutus", "deploy locutus", seed) != world(1, Seat::B, "pass", "deploy locutus", seed)
    };
    assert!((0..16).all(differs));
}
