use std::sync::Barrier;

use stardate::clock::Clock;
use stardate::jobs::timers::run_due;
use stardate::tables::{self, Act, Refused};

use super::world::{DAY, GRACE, HOUR, World, ctx, start_of_time};
use crate::harness::{Backend, on_both};

/// A second server on the same database; SQLite serves one process, there a second thread has to do.
pub fn second(world: &World, fresh: &crate::harness::Fresh) -> World {
    let db = match fresh.backend {
        Backend::Sqlite => world.db.clone(),
        Backend::Postgres => fresh.open(),
    };
    World { db, ctx: ctx(), clock: Clock::manual(start_of_time()) }
}

#[test]
fn a_last_second_plot_and_the_sweep_have_one_outcome() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let other = second(&world, fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (mut stood, mut dropped) = (0, 0);
        for round in 0..30 {
            let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
            world.deliver();
            world.hand_in(table_id, seats[1], "play 1").unwrap();
            // Received in the last second, stored while the sweep of the deadline runs.
            let received = world.now() + chrono::TimeDelta::seconds(4 * HOUR - 1);
            let swept = world.now() + chrono::TimeDelta::seconds(4 * HOUR + GRACE);
            let act = Act { received, ..world.act(table_id, seats[0], 1, None) };
            let start = Barrier::new(2);
            let handed = std::thread::scope(|scope| {
                let hand = scope.spawn(|| {
                    start.wait();
                    if round % 3 == 0 {
                        std::thread::yield_now();
                    }
                    world.run(|conn| tables::hand_in(conn, &world.ctx, received, &act, "play 2"))
                });
                let sweep = scope.spawn(|| {
                    start.wait();
                    run_due(&other.db, &other.ctx, &Clock::manual(swept)).unwrap()
                });
                assert_eq!(sweep.join().unwrap().failed, 0);
                hand.join().unwrap()
            });
            // Whoever was busy with the table has left nothing to do.
            run_due(&world.db, &world.ctx, &Clock::manual(swept)).unwrap();
            match handed {
                Ok(done) => {
                    assert!(done.resolved);
                    assert_eq!(world.results(table_id), ["in play", "in play"]);
                    assert_eq!(world.phase_no(table_id), 2);
                    stood += 1;
                    world.resign(table_id, ann).unwrap();
                }
                Err(Refused::PhaseOver { .. }) => {
                    assert_eq!(world.results(table_id), ["dropped -3 booked", "won 1 booked"]);
                    assert!(world.turn(table_id, seats[0]).plot.is_none());
                    dropped += 1;
                }
                Err(other) => panic!("neither stood nor dropped: {other}"),
            }
            // So that no win is one too many over the same opponent.
            world.pass(91 * DAY);
        }
        assert_eq!(stood + dropped, 30);
        eprintln!("{stood} plots stood, {dropped} seats were dropped");
    });
}

#[test]
fn two_last_plots_at_once_resolve_a_phase_once() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let other = second(&world, fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        for _ in 0..20 {
            let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
            let start = Barrier::new(2);
            let hand_in = |world: &World, user_id| {
                start.wait();
                world.hand_in(table_id, user_id, "play 1").unwrap().resolved
            };
            let (first, second) = std::thread::scope(|scope| {
                let first = scope.spawn(|| hand_in(&world, seats[0]));
                let second = scope.spawn(|| hand_in(&other, seats[1]));
                (first.join().unwrap(), second.join().unwrap())
            });
            assert!(first != second, "exactly one of them was the last");
            assert_eq!(world.phase_no(table_id), 2);
            world.resign(table_id, ann).unwrap();
        }
    });
}

#[test]
fn the_last_seat_is_taken_by_one() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let other = second(&world, fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        for _ in 0..10 {
            let table_id = world.create(ann, &world.new_table("together", 2)).unwrap();
            let start = Barrier::new(2);
            let join = |world: &World, user_id| {
                start.wait();
                world.join(table_id, user_id)
            };
            let joined = std::thread::scope(|scope| {
                let first = scope.spawn(|| join(&world, bob));
                let second = scope.spawn(|| join(&other, cid));
                [first.join().unwrap(), second.join().unwrap()]
            });
            let started = joined.iter().filter(|result| matches!(result, Ok(true))).count();
            let refused = joined.iter().filter(|result| matches!(result, Err(Refused::NotOpen(_)))).count();
            assert_eq!((started, refused), (1, 1));
            assert_eq!(world.page(table_id, None).seats.len(), 2);
        }
    });
}
