//! The luck report against the record of the game.

use std::collections::BTreeMap;

use stardate::rules::Seat;
use stardate::tables::{self, record};

use super::since::{new_table, whose_turn};
use super::world::World;
use crate::harness::{bots, on_both};

#[test]
fn the_luck_report_counts_the_dice_of_the_record_and_nothing_before_the_end() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let people = ["Ann", "Bob"].map(|name| world.user(name));
        let (table_id, seats) = world.running(&new_table(2), &people);
        for _ in 0..40 {
            let user = whose_turn(&world, table_id);
            let orders = world.read(|conn| bots::strongest(conn, &world.ctx, table_id, user, 5)).unwrap();
            world.hand_in(table_id, user, &orders).unwrap();
            if world.status(table_id) == "over" {
                break;
            }
            assert!(world.turn(table_id, user).luck.is_empty(), "throws of a running game are nobody's to add up");
        }
        if world.status(table_id) == "running" {
            world.resign(table_id, seats[1]).unwrap();
        }
        let text = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, None)).unwrap();
        let record = record::Record::from_text(&text).unwrap();
        let mut counted: BTreeMap<Seat, (u64, i64)> = BTreeMap::new();
        for throw in record.steps.iter().flat_map(|step| &step.throws) {
            if let Some(seat) = throw.by {
                assert_eq!((throw.low, throw.high), (1, 6));
                let (dice, sum) = counted.entry(seat).or_default();
                *dice += 1;
                *sum += throw.value;
            }
        }
        let luck = world.turn(table_id, seats[0]).luck;
        assert_eq!(luck.len(), 2, "both threw dice: {luck:?}");
        for line in &luck {
            let (dice, sum) = counted[&line.seat];
            assert!(dice > 10, "{luck:?}");
            assert_eq!(line.dice, dice);
            assert!((line.sum - f64::from(i32::try_from(sum).unwrap())).abs() < 1e-9);
            let count = f64::from(u32::try_from(dice).unwrap());
            assert!((line.expected - 3.5 * count).abs() < 1e-9);
            assert!((line.standard_error - (35.0 / 12.0 * count).sqrt()).abs() < 1e-9);
            assert!((line.deviation() * line.standard_error - (line.sum - line.expected)).abs() < 1e-9);
        }
    });
}
