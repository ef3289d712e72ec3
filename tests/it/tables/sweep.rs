use stardate::jobs::timers::{SWEEP, next_due};
use stardate::store::TableId;
use stardate::store::timers;

use super::world::{GRACE, HOUR, World};
use crate::harness::on_both;

#[test]
fn one_bad_table_never_stops_the_sweep() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (bad, bad_seats) = world.running(&world.new_table("failing", 2), &[ann, bob]);
        world.pass(1);
        let (good, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        for (table, seats) in [(bad, &bad_seats), (good, &seats)] {
            world.save(table, seats[0], None, "play 1").unwrap();
            world.hand_in(table, seats[1], "play 1").unwrap();
        }
        world.pass(3 * HOUR);
        assert_eq!(world.sweep().done, 2, "both reminders");
        world.pass(HOUR + GRACE);
        let swept = world.sweep();
        assert_eq!((swept.done, swept.failed), (1, 1));
        assert_eq!((world.phase_no(good), world.phase_no(bad)), (2, 1));
        let failing = world.read(timers::failing).unwrap();
        assert_eq!((failing.len(), failing[0].table_id, failing[0].attempts), (1, bad, 1));
        assert!(failing[0].last_error.as_deref().unwrap().contains("this game always fails"));
        assert_eq!(world.sweep().failed, 0, "it is put off");
        assert_eq!(world.turn(bad, bad_seats[1]).plot.unwrap().text, "play 1\n", "nothing was half applied");
        world.pass(120);
        assert_eq!(world.sweep().failed, 1);
        let failing = world.read(timers::failing).unwrap();
        assert_eq!((failing[0].attempts, (failing[0].due_at - world.now()).num_seconds()), (2, 240));
    });
}

#[test]
fn a_sweep_takes_fifty_and_says_that_more_are_due() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let new = world.new_table("together", 2);
        let count = usize::try_from(SWEEP).unwrap() + 3;
        let tables: Vec<TableId> = (0..count).map(|_| world.running(&new, &[ann, bob]).0).collect();
        world.deliver();
        world.pass(3 * HOUR);
        let first = world.sweep();
        assert_eq!((first.done, first.more), (50, true));
        let second = world.sweep();
        assert_eq!((second.done, second.more), (3, false));
        let next = world.read(next_due).unwrap().unwrap();
        assert_eq!((next - world.now()).num_seconds(), HOUR + GRACE);
        world.pass(HOUR + GRACE);
        while world.sweep().more {}
        assert!(tables.iter().all(|table| world.status(*table) == "over"));
        assert_eq!(world.read(next_due).unwrap(), None, "no timer is left over");
    });
}
