use stardate::store::TableId;
use stardate::tables::record::{Record, RecordFault, replay};
use stardate::tables::verify::verify;
use stardate::tables::{self, NewTable};

use super::world::World;
use crate::harness::on_both;

/// A whole game with a replaced plot, a time-out, a secret order and an end by the rules.
fn played(world: &World) -> (TableId, String) {
    let (ann, bob) = (world.user("Ann"), world.user("Bob"));
    let new = NewTable { passes_allowed: 1, ..world.new_table("together", 2) };
    let (table_id, seats) = world.running(&new, &[ann, bob]);
    world.hand_in(table_id, seats[0], "play 1").unwrap();
    world.hand_in(table_id, seats[0], "secretly 3").unwrap();
    world.run_out(table_id);
    world.hand_in(table_id, seats[1], "play 2").unwrap();
    world.hand_in(table_id, seats[0], "play 2").unwrap();
    assert_eq!(world.status(table_id), "over");
    let text = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, None)).unwrap();
    (table_id, text)
}

#[test]
fn a_record_replays_to_the_same_positions_and_result() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, text) = played(&world);
        let engines = world.ctx.games.engines();
        let replayed = replay(&text, engines).unwrap();
        let names: Vec<&str> = replayed.positions.iter().map(|position| position.name.as_str()).collect();
        assert_eq!(names, ["Set-up", "Turn 1, Choose", "Turn 2, Choose"]);
        assert_eq!(replayed.result.len(), 2);
        let record = Record::from_text(&text).unwrap();
        assert_eq!(record.to_text(), text, "reading and writing a record changes nothing");
        for (position, step) in replayed.positions[1..].iter().zip(&record.steps) {
            assert_eq!(position.state_sha256, step.state_sha256);
        }
        let shown = world.page(table_id, None).table;
        assert_eq!((record.dice.hash, Some(record.dice.secret)), (shown.dice_hash, shown.dice_secret));
        let checks = verify(&text, engines).unwrap();
        assert_eq!(checks.len(), 7);
        assert!(checks.iter().all(|check| check.holds), "{checks:#?}");
        assert!(checks[2].words.starts_with("All 5 throws of 2 phases"), "{}", checks[2].words);
        assert!(checks[3].words.starts_with("All 4 plots"), "{}", checks[3].words);
    });
}

#[test]
fn whatever_is_changed_in_a_record_is_found() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (_, text) = played(&world);
        let engines = world.ctx.games.engines();
        let record = Record::from_text(&text).unwrap();
        // Which of the seven checks (commitment, seats, throws, seals, score, replay, times) must notice.
        let broken = |change: &dyn Fn(&mut Record)| -> Vec<usize> {
            let mut changed = record.clone();
            change(&mut changed);
            let checks = verify(&changed.to_text(), engines).unwrap();
            (0..checks.len()).filter(|at| !checks[*at].holds).collect()
        };
        let seat = stardate::rules::Seat::A;
        assert_eq!(broken(&|record| record.dice.hash.replace_range(0..1, "x")), [0]);
        assert_eq!(broken(&|record| record.seating.order.reverse()), [1]);
        assert_eq!(broken(&|record| record.steps[0].throws[0].value = 7), [2, 5]);
        let thrown = &record.steps[0].throws[0];
        assert_eq!(thrown.by, Some(seat), "{thrown:?}");
        assert_eq!(broken(&|record| record.steps[0].throws[0].by = Some(stardate::rules::Seat::B)), [5]);
        assert!(broken(&|record| record.steps[0].throws[0].by = None).is_empty(), "as old records are");
        let plot = |record: &mut Record, body: &str| {
            record.steps[0].plots.get_mut(&seat).unwrap().body = body.to_owned();
        };
        assert_eq!(broken(&|record| plot(record, "play 1\n")), [3, 5]);
        assert_eq!(broken(&|record| record.steps[1].plots.get_mut(&seat).unwrap().salt.push('0')), [3]);
        assert_eq!(broken(&|record| record.results[0].score_change = 9), [4]);
        assert_eq!(broken(&|record| record.steps[1].state_sha256 = "0".repeat(64)), [5]);
        assert_eq!(broken(&|record| drop(record.steps.pop())), [5]);
        let late = "2099-01-01T00:00:00Z".to_owned();
        assert_eq!(broken(&|record| record.started_at = late.clone()), [6]);
        assert_eq!(broken(&|record| record.steps[1].opened_at = late.clone()), [6]);
        assert_eq!(broken(&|record| record.steps[0].closed_at = late.clone()), [6]);
        assert_eq!(broken(&|record| record.steps[1].closed_at = late.clone()), [6]);
        assert_eq!(broken(&|record| record.steps[0].plots.get_mut(&seat).unwrap().handed_in_at = late.clone()), [6]);
        let early = "2000-01-01T00:00:00Z".to_owned();
        assert_eq!(broken(&|record| record.steps[1].plots.get_mut(&seat).unwrap().handed_in_at = early.clone()), [6]);
        let other_hand = |record: &mut Record| {
            record.setup.seats[0].insert("hand".to_owned(), "2 3".to_owned());
        };
        assert_eq!(broken(&other_hand), [5]);
        let mut unknown = record.clone();
        unknown.game = "chess".to_owned();
        assert!(matches!(replay(&unknown.to_text(), engines), Err(RecordFault::NoGame(_))));
        assert!(matches!(replay("{}", engines), Err(RecordFault::Unreadable(_))));
        let mut bad = record.clone();
        bad.content.insert("game.toml".to_owned(), "highest = much".to_owned());
        assert!(matches!(replay(&bad.to_text(), engines), Err(RecordFault::Content(_))));
        let other = text.replace("stardate record 1", "stardate record 9");
        assert!(matches!(verify(&other, engines), Err(RecordFault::Unreadable(_))));
    });
}
