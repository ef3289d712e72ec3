use chrono::TimeDelta;
use stardate::tables::{self, Credited};

use super::world::{GRACE, HOUR, World};
use crate::harness::on_both;

#[test]
fn time_the_server_was_away_is_added_to_every_clock_once() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.deliver();
        let promised = world.page(table_id, None).phase.unwrap().deadline;
        let credit = |since| tables::credit_outage(&world.db, world.now(), since).unwrap();

        world.pass(HOUR);
        let last_beat = world.now();
        world.pass(120);
        assert_eq!(credit(last_beat), Credited { tables: 0 }, "two minutes are no outage");
        world.pass(5 * HOUR);
        let gap = TimeDelta::seconds(5 * HOUR + 120);
        assert_eq!(credit(last_beat), Credited { tables: 1 });
        let deadline = || world.page(table_id, None).phase.unwrap().deadline;
        assert_eq!(deadline(), promised + gap);
        assert_eq!(credit(last_beat), Credited { tables: 0 }, "nothing is credited twice");
        // Killed before a heartbeat could be written: the next start credits only what is new.
        world.pass(300);
        assert_eq!(credit(last_beat), Credited { tables: 1 });
        assert_eq!(deadline(), promised + gap + TimeDelta::seconds(300));
        assert_eq!(world.log(table_id).iter().filter(|kind| *kind == "credited").count(), 2);

        assert_eq!(world.sweep().done, 0, "nothing fires that was not due before");
        world.pass((deadline() - world.now()).num_seconds() - HOUR);
        assert_eq!(world.sweep().done, 1);
        assert!(world.letters(table_id, seats[0]).contains(&"reminder".to_owned()));
        world.deliver();
        world.pass(HOUR + GRACE);
        world.sweep();
        assert_eq!(world.status(table_id), "over");
    });
}

#[test]
fn a_deadline_that_fell_into_the_outage_has_its_time_left() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.pass(4 * HOUR - 60);
        world.sweep();
        let last_beat = world.now();
        world.pass(9 * HOUR);
        tables::credit_outage(&world.db, world.now(), last_beat).unwrap();
        world.sweep();
        assert_eq!(world.results(table_id), ["in play", "in play"]);
        let reminders = world.letters(table_id, seats[0]).iter().filter(|kind| *kind == "reminder").count();
        assert_eq!(reminders, 2, "the moved deadline warns again");
        world.pass(59);
        world.hand_in(table_id, seats[0], "play 1").unwrap();
        world.hand_in(table_id, seats[1], "play 1").unwrap();
        assert_eq!(world.phase_no(table_id), 2);
    });
}
