//! Clocks that differ, and outages that are given back piece by piece.

use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::clock::Clock;
use stardate::jobs::{Heartbeat, Readiness, Reference};
use stardate::store::credits::{self, CreditMark};
use stardate::store::schema::phases;
use stardate::store::{PhaseNo, Stamp, TableId, heartbeats};
use stardate::tables::{self, Credited, Marks};

use super::world::{DAY, HOUR, World};
use crate::harness::{Backend, on_both};

/// A process whose clock is off by so many seconds; the world's clock is the database's.
struct Process {
    heartbeat: Heartbeat,
    readiness: Readiness,
    clock: Clock,
}

impl Process {
    fn new(world: &World, off_s: i64) -> Process {
        let readiness = Readiness::default();
        let heartbeat = Heartbeat::new(readiness.clone()).compared_with(Reference::Clock(world.clock.clone()));
        Process { heartbeat, readiness, clock: Clock::manual(world.now() + TimeDelta::seconds(off_s)) }
    }

    fn keep(&mut self, world: &World) -> bool {
        self.heartbeat.keep(&world.db, &self.clock).unwrap()
    }
}

fn deadline(world: &World, table_id: TableId) -> Stamp {
    world.page(table_id, None).phase.unwrap().deadline
}

#[test]
fn processes_whose_clocks_differ_give_nothing_back_to_each_other() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let promised = deadline(&world, table_id);
        let mut right = Process::new(&world, 0);
        let mut others = [Process::new(&world, 200), Process::new(&world, -200), Process::new(&world, 4)];
        // An hour and a half, by turns.
        for _ in 0..90 {
            world.pass(60);
            right.clock.advance(TimeDelta::seconds(60));
            assert!(right.keep(&world));
            for (other, fires) in others.iter_mut().zip([false, false, true]) {
                other.clock.advance(TimeDelta::seconds(60));
                assert_eq!(other.keep(&world), fires, "{:?}", other.readiness.reason());
            }
        }
        assert_eq!(deadline(&world, table_id), promised);
        let [ahead, behind, near] = others;
        assert!(ahead.readiness.reason().unwrap().contains("ahead of the database's"));
        assert!(behind.readiness.reason().unwrap().contains("behind the database's"));
        assert_eq!(near.readiness.reason(), None);
        // Set right, it takes part again. And while one process is there it is no outage that another is not.
        let mut ahead = ahead;
        ahead.clock.advance(TimeDelta::seconds(-200));
        for _ in 0..10 {
            assert!(ahead.keep(&world));
            world.pass(60);
            ahead.clock.advance(TimeDelta::seconds(60));
        }
        right.clock.advance(TimeDelta::seconds(600));
        assert!(right.keep(&world));
        assert_eq!((deadline(&world, table_id), ahead.readiness.reason()), (promised, None));
        // When all of them are away for ten minutes, it is one, and is given back once.
        for clock in [&world.clock, &right.clock, &ahead.clock] {
            clock.advance(TimeDelta::seconds(600));
        }
        assert!(right.keep(&world) && ahead.keep(&world));
        let moved = (deadline(&world, table_id) - promised).num_seconds();
        assert!((600..=660).contains(&moved), "{moved}");
        assert_eq!(world.log(table_id).iter().filter(|kind| *kind == "credited").count(), 1);
    });
}

#[test]
fn the_clock_of_postgres_is_the_one_to_compare_with() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let readiness = Readiness::default();
        let ahead = Clock::manual(Clock::System.now() + TimeDelta::seconds(200));
        let fires = Heartbeat::new(readiness.clone()).keep(&world.db, &ahead).unwrap();
        assert_eq!(fires, fresh.backend == Backend::Sqlite, "{:?}", readiness.reason());
        if fresh.backend == Backend::Postgres {
            assert!(Heartbeat::new(Readiness::default()).keep(&world.db, &Clock::System).unwrap());
        }
    });
}

#[test]
fn a_clock_more_than_an_hour_ahead_moves_nothing_until_the_operator_says_so() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let promised = deadline(&world, table_id);
        assert!(Process::new(&world, 0).keep(&world));
        let alive = world.now();

        world.pass(400 * DAY);
        let mut started = Process::new(&world, 0);
        assert!(!started.keep(&world), "it does not know whether that was an outage");
        let reason = started.readiness.reason().unwrap();
        assert!(reason.contains("400 days") && reason.contains("stardate clocks credit"), "{reason}");
        assert_eq!(deadline(&world, table_id), promised);
        assert_eq!(world.read(heartbeats::last).unwrap(), Some(alive), "nothing was written");
        // The operator sets the clock right.
        for clock in [&world.clock, &started.clock] {
            clock.advance(TimeDelta::days(-400) + TimeDelta::seconds(30));
        }
        assert!(started.keep(&world));
        assert_eq!((deadline(&world, table_id), started.readiness.reason()), (promised, None));

        // A server that nobody operates believes its clock.
        for clock in [&world.clock, &started.clock] {
            clock.advance(TimeDelta::seconds(2 * HOUR));
        }
        assert!(!started.keep(&world));
        let reference = Reference::Clock(world.clock.clone());
        let mut demo = Heartbeat::new(Readiness::default()).compared_with(reference).trusting();
        assert!(demo.keep(&world.db, &world.clock).unwrap());
        assert_eq!(deadline(&world, table_id), promised + TimeDelta::seconds(2 * HOUR));
        // And a clock that goes back behind what the database has seen fires nothing either.
        for clock in [&world.clock, &started.clock] {
            clock.advance(TimeDelta::seconds(-HOUR));
        }
        assert!(!started.keep(&world));
        assert!(started.readiness.reason().unwrap().contains("Set the clock right"));
    });
}

#[test]
fn a_credit_that_was_interrupted_goes_on_and_moves_no_table_twice() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let tables: Vec<TableId> =
            (0..205).map(|_| world.running(&world.new_table("together", 2), &[ann, bob]).0).collect();
        let promised: Vec<Stamp> = tables.iter().map(|table| deadline(&world, *table)).collect();
        let alive = world.now();
        world.pass(HOUR / 2);
        // Killed when half of them had been moved.
        let until = world.now();
        world
            .run(|conn| {
                credits::begin(conn, alive, until)?;
                for table_id in &tables[..100] {
                    let gap_s = HOUR / 2;
                    let mark =
                        CreditMark { from_at: alive, table_id: *table_id, phase_no: PhaseNo(1), gap_s, undone: false };
                    credits::mark(conn, mark)?;
                    let gap = TimeDelta::seconds(gap_s);
                    let at: Stamp =
                        phases::table.find((*table_id, 1)).select(phases::deadline_at.assume_not_null()).first(conn)?;
                    diesel::update(phases::table.find((*table_id, 1)))
                        .set(phases::deadline_at.eq(at + gap))
                        .execute(conn)?;
                }
                Ok(())
            })
            .unwrap();
        world.pass(HOUR / 4);
        let credited = tables::credit_outage(&world.db, world.now(), alive).unwrap();
        assert_eq!(credited, Credited { tables: 105 + 205 }, "the rest of the first, and all of what came after it");
        for (table, promised) in tables.iter().zip(&promised) {
            assert_eq!(deadline(&world, *table), *promised + TimeDelta::seconds(HOUR / 2 + HOUR / 4));
        }
        assert_eq!(tables::credit_outage(&world.db, world.now(), alive).unwrap(), Credited { tables: 0 });
    });
}

#[test]
fn the_last_credit_can_be_taken_back_once() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let new = world.new_table("together", 2);
        let (kept, _) = world.running(&new, &[ann, bob]);
        let (moved_on, seats) = world.running(&new, &[ann, bob]);
        let promised = deadline(&world, kept);
        let alive = world.now();
        world.pass(400 * DAY);
        assert_eq!(tables::credit_outage(&world.db, world.now(), alive).unwrap(), Credited { tables: 2 });
        assert_eq!(deadline(&world, kept), promised + TimeDelta::days(400));
        for seat in seats {
            world.hand_in(moved_on, seat, "play 1").unwrap();
        }
        let fresh_clock = deadline(&world, moved_on);
        // The clock was wrong: it was two hours only.
        world.pass(2 * HOUR - 400 * DAY);
        let taken = tables::undo_credit(&world.db, world.now()).unwrap();
        assert_eq!(taken, Some(Credited { tables: 1 }));
        assert_eq!(deadline(&world, kept), promised);
        assert_eq!(deadline(&world, moved_on), fresh_clock, "its clock is another one by now");
        assert_eq!(world.log(kept).last().unwrap(), "taken-back");
        assert_eq!(tables::undo_credit(&world.db, world.now()).unwrap(), None);
        assert_eq!(world.read(tables::last_alive).unwrap(), Some(world.now()));

        // Nobody is dropped by it: who had time left has an hour at least.
        let (alive, _) = (world.now(), world.pass(5 * HOUR));
        tables::credit_outage(&world.db, world.now(), alive).unwrap();
        assert_eq!(tables::undo_credit(&world.db, world.now()).unwrap(), Some(Credited { tables: 1 }));
        assert_eq!(deadline(&world, kept), world.now() + TimeDelta::seconds(HOUR));
    });
}

#[test]
fn what_was_seen_while_somebody_was_writing_is_noted_afterwards() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let mark = tables::Mark::Phase { table_id, user_id: seats[0], phase_no: PhaseNo(1) };
        let marks = Marks::default();
        world.pass(10);
        marks.keep(mark, world.now());
        let mut other = fresh.peek();
        let lock = match fresh.backend {
            Backend::Sqlite => "BEGIN IMMEDIATE",
            Backend::Postgres => "BEGIN; LOCK TABLE dues, seats",
        };
        diesel::connection::SimpleConnection::batch_execute(&mut other, lock).unwrap();
        marks.try_note(&world.db).unwrap();
        assert_eq!(marks.waiting(), 1);
        diesel::connection::SimpleConnection::batch_execute(&mut other, "ROLLBACK").unwrap();
        let first = world.now();
        world.pass(10);
        marks.keep(mark, world.now());
        marks.note(&world.db).unwrap();
        assert_eq!(marks.waiting(), 0);
        let at: Vec<Option<Stamp>> = world.read(|conn| {
            use stardate::store::schema::dues;
            dues::table.filter(dues::table_id.eq(table_id)).order(dues::seat).select(dues::seen_at).load(conn).unwrap()
        });
        assert!(at.contains(&Some(first)), "the first time counts: {at:?}");
    });
}
