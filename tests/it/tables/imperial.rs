//! Imperial Conflict at tables: many small steps under one clock, leaving, and what the score comes to.

use stardate::store::{PhaseNo, TableId, UserId};
use std::collections::BTreeMap;

use stardate::store::timers::{self, TimerKind};
use stardate::tables::{self, NewTable, Refused};

use super::world::{DAY, GRACE, HOUR, World};
use crate::harness::on_both;

/// A running table of these players, and who sits where.
pub fn running(world: &World, names: &[&str], change: impl Fn(&mut NewTable)) -> (TableId, Vec<UserId>) {
    let users: Vec<UserId> = names.iter().map(|name| world.user(name)).collect();
    let mut new = NewTable {
        game: "imperial-conflict".to_owned(),
        options: BTreeMap::from([("map".to_owned(), "world".to_owned())]),
        time_limit_s: DAY,
        ..world.new_table("", users.len())
    };
    change(&mut new);
    world.running(&new, &users)
}

/// Number of the seat whose turn it is.
fn acting(world: &World, table_id: TableId) -> usize {
    let seats = world.page(table_id, None).seats;
    let due: Vec<usize> = (0..seats.len()).filter(|seat| seats[*seat].due).collect();
    assert_eq!(due.len(), 1, "one player's turn at a time");
    due[0]
}

/// `deploy 1` on a country of the seat's own.
fn deploy_one(world: &World, table_id: TableId, user_id: UserId) -> String {
    let turn = world.turn(table_id, user_id);
    let orders = turn.sight.slots.iter().flat_map(|slot| &slot.offers).map(|offer| offer.order.clone());
    orders.into_iter().find(|order| order.starts_with("deploy 1 ")).expect("armies wait to be placed")
}

fn deadline(world: &World, table_id: TableId) -> i64 {
    (world.page(table_id, None).phase.unwrap().deadline - world.now()).num_seconds()
}

fn sources(world: &World, table_id: TableId, from: i32) -> Vec<String> {
    let last = world.phase_no(table_id) - 1;
    let report = |no| world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(no), None)).unwrap();
    (from..=last).flat_map(|no| report(no).plots.into_iter().map(|plot| plot.source.word().to_owned())).collect()
}

fn replays(world: &World, table_id: TableId) {
    let record = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, None)).unwrap();
    tables::record::replay(&record, world.ctx.games.engines()).unwrap();
    let checks = tables::verify::verify(&record, world.ctx.games.engines()).unwrap();
    assert!(checks.iter().all(|check| check.holds), "{checks:?}");
}

#[test]
fn a_draft_in_the_middle_of_a_turn_keeps_the_seat_and_wins_no_time() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob", "Cid"], |_| {});
        let first = acting(&world, table_id);
        let order = deploy_one(&world, table_id, seats[first]);
        world.pass(HOUR);
        world.hand_in(table_id, seats[first], &order).unwrap();
        assert_eq!((acting(&world, table_id), deadline(&world, table_id)), (first, DAY - HOUR));
        let from = world.phase_no(table_id);
        let order = deploy_one(&world, table_id, seats[first]);
        world.save(table_id, seats[first], None, &order).unwrap();
        world.run_out(table_id);
        // The draft stands, the rest of the turn is the plainest there is, and the next player has the whole limit.
        assert_eq!(sources(&world, table_id, from), ["draft", "default"]);
        assert_ne!(acting(&world, table_id), first);
        assert_eq!(deadline(&world, table_id), DAY);
        assert_eq!(world.results(table_id), ["in play"; 3]);
        assert_eq!(world.sweep().done, 0);
        let second = acting(&world, table_id);
        assert!(world.letters(table_id, seats[second]).contains(&"due".to_owned()));
        assert!(world.letter(table_id, seats[second], "due").contains("its saved draft was handed in"));

        // A draft that ends the turn leaves nothing to be done by default.
        let from = world.phase_no(table_id);
        let view: serde_json::Value = serde_json::from_str(&world.turn(table_id, seats[second]).sight.view).unwrap();
        let order = deploy_one(&world, table_id, seats[second]);
        let all = order.replacen('1', &view["now"]["left"].to_string(), 1);
        world.save(table_id, seats[second], None, &format!("{all}\nend")).unwrap();
        world.run_out(table_id);
        assert_eq!(sources(&world, table_id, from), ["draft"]);
        for user in &seats[..2] {
            world.resign(table_id, *user).unwrap();
        }
        replays(&world, table_id);
    });
}

#[test]
fn a_draft_that_resigns_does_not_make_a_resignation_of_a_drop() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob", "Cid", "Dee"], |_| {});
        world.deliver();
        let first = acting(&world, table_id);
        world.save(table_id, seats[first], None, "resign").unwrap();
        world.run_out(table_id);
        assert_eq!(world.results(table_id)[first], "dropped -3 pending");
        // Nor among other orders, nor taken back after it was handed in, where a time-out passes it is one.
        let (table_id, seats) = running(&world, &["Eve", "Fay", "Gil"], |new| new.passes_allowed = 1);
        world.deliver();
        let first = acting(&world, table_id);
        let order = deploy_one(&world, table_id, seats[first]);
        world.save(table_id, seats[first], None, &format!("{order}\nresign")).unwrap();
        world.run_out(table_id);
        assert_eq!(world.page(table_id, None).seats[first].passes_used, 1);
        assert_eq!(world.results(table_id), ["in play"; 3]);
    });
}

#[test]
fn what_was_written_and_not_done_stays_secret_until_the_end() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob", "Cid"], |_| {});
        let first = acting(&world, table_id);
        let order = deploy_one(&world, table_id, seats[first]);
        // It stops at the exchange: there are no cards yet, and with some the text would name them.
        world.hand_in(table_id, seats[first], &format!("{order}\nexchange ALA KAM NEU")).unwrap();
        let no = world.phase_no(table_id) - 1;
        let text = |viewer: Option<UserId>| {
            let shown =
                world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(no), viewer)).unwrap();
            let told = format!("{:?} {:?}", shown.report, shown.entries);
            (shown.plots[0].body.clone(), shown.plots[0].words.len(), told.contains("exchange"))
        };
        let whole = Some(format!("{order}\nexchange ALA KAM NEU\n"));
        assert_eq!(text(Some(seats[first])), (whole.clone(), 2, true));
        for viewer in [None, Some(seats[(first + 1) % 3])] {
            assert_eq!(text(viewer), (None, 0, false));
        }
        for user in &seats[..2] {
            world.resign(table_id, *user).unwrap();
        }
        assert_eq!(text(None).0, whole, "all is open at the end");
    });
}

#[test]
fn a_win_is_worth_more_the_more_sat_down() {
    on_both(|fresh| {
        let world = World::on(fresh);
        for (players, win) in [(2, 1), (3, 2), (4, 4), (5, 5), (6, 7)] {
            let names: Vec<String> = (0..players).map(|no| format!("P{players}{no}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (table_id, seats) = running(&world, &names, |_| {});
            // One is dropped, the others but one give up; the last of them leaves one player only.
            world.deliver();
            let dropped = acting(&world, table_id);
            world.run_out(table_id);
            let others: Vec<usize> = (0..players).filter(|seat| *seat != dropped).collect();
            for seat in &others[1..] {
                world.resign(table_id, seats[*seat]).unwrap();
            }
            let mut expected = vec![String::from("resigned -2 booked"); players];
            expected[dropped] = "dropped -3 booked".to_owned();
            expected[others[0]] = format!("won {win} booked");
            if players > 2 {
                expected[*others.last().unwrap()] = "resigned -1 booked".to_owned();
            }
            assert_eq!(world.results(table_id), expected, "{players} players");
            replays(&world, table_id);
        }
    });
}

#[test]
fn a_time_out_that_passes_ends_the_turn_and_is_counted_once() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let new = NewTable { passes_allowed: 1, ..world.new_table("steps", 2) };
        let (table_id, seats) = world.running(&new, &[ann, bob]);
        let first = acting(&world, table_id);
        world.deliver();
        world.run_out(table_id);
        assert_eq!(sources(&world, table_id, 1), ["default", "default"], "both steps of the turn");
        assert_eq!((acting(&world, table_id), world.phase_no(table_id)), (1 - first, 3));
        assert_eq!(world.page(table_id, None).seats[first].passes_used, 1);
        assert_eq!(deadline(&world, table_id), 4 * HOUR);
        assert_eq!(world.log(table_id).iter().filter(|kind| *kind == "passed").count(), 1);
        let reports = world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(2), None)).unwrap();
        assert_eq!(reports.closed_by, "The time ran out.");

        // A draft of the first step: the second one is played by default, and no time-out is counted.
        world.save(table_id, seats[1 - first], None, "play 3").unwrap();
        world.run_out(table_id);
        assert_eq!(sources(&world, table_id, 3), ["draft", "default"]);
        assert_eq!(world.page(table_id, None).seats[1 - first].passes_used, 0);
        assert_eq!(acting(&world, table_id), first);

        // In the second step of a turn, and none left: dropped.
        world.hand_in(table_id, seats[first], "play 1").unwrap();
        world.run_out(table_id);
        assert_eq!(world.results(table_id)[first], "dropped -3 booked");
        replays(&world, table_id);
    });
}

#[test]
fn three_players_of_whom_one_is_dropped_end_as_the_rules_say() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob", "Cid"], |_| {});
        let first = acting(&world, table_id);
        world.deliver();
        world.run_out(table_id);
        let results = world.results(table_id);
        assert_eq!(results[first], "dropped -3 pending");
        assert_eq!(results.iter().filter(|result| *result == "in play").count(), 2);
        let second = acting(&world, table_id);
        assert_eq!(deadline(&world, table_id), DAY, "a full fresh clock after a drop");
        let third = 3 - first - second;
        let name = world.page(table_id, None).seats[first].name.clone();
        let score = || world.read(|conn| tables::profile(conn, &world.ctx, world.now(), &name, None)).unwrap().score;
        assert_eq!(score(), 100);
        // Resigning is an order of the turn as well.
        let order = deploy_one(&world, table_id, seats[second]);
        world.hand_in(table_id, seats[second], &format!("{order}\nresign")).unwrap();
        assert_eq!(world.status(table_id), "over");
        let results = world.results(table_id);
        assert_eq!(
            [&results[first], &results[second], &results[third]],
            ["dropped -3 booked", "resigned -1 booked", "won 2 booked"]
        );
        assert_eq!(score(), 97);
        assert!(world.log(table_id).contains(&"resigned".to_owned()));
        replays(&world, table_id);
    });
}

#[test]
fn resigning_in_ones_turn_costs_by_how_many_are_left() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob", "Cid", "Dee"], |_| {});
        let mut costs = Vec::new();
        for left in [3, 2, 1] {
            let seat = acting(&world, table_id);
            world.pass(HOUR);
            world.hand_in(table_id, seats[seat], "resign").unwrap();
            costs.push(world.results(table_id)[seat].clone());
            if left > 1 {
                assert_eq!(deadline(&world, table_id), DAY);
            }
        }
        assert_eq!(costs, ["resigned -2 pending", "resigned -2 pending", "resigned -1 booked"]);
        assert!(world.results(table_id).contains(&"won 4 booked".to_owned()));
        replays(&world, table_id);
    });
}

#[test]
fn somebody_who_resigns_out_of_turn_leaves_the_turn_and_its_clock_alone() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob", "Cid", "Dee"], |_| {});
        let first = acting(&world, table_id);
        let others: Vec<usize> = (0..4).filter(|seat| *seat != first).collect();
        let order = deploy_one(&world, table_id, seats[first]);
        world.deliver();
        world.pass(HOUR);
        world.save(table_id, seats[first], None, &order).unwrap();
        world.pass(HOUR);
        world.resign(table_id, seats[others[0]]).unwrap();
        assert_eq!((acting(&world, table_id), deadline(&world, table_id)), (first, DAY - 2 * HOUR));
        assert_eq!(world.turn(table_id, seats[first]).draft.unwrap().text, order, "what was being written is kept");
        let due = |seat: usize| world.letters(table_id, seats[seat]).iter().filter(|kind| *kind == "due").count();
        assert_eq!(due(first), 1, "one letter a turn: this clock is known");

        // Who has had the one extension has had it for the clock, whatever phase it is in.
        let second_table = world.create(seats[0], &NewTable { time_limit_s: HOUR, ..new_steps(&world) }).unwrap();
        for user in &seats[1..3] {
            world.join(second_table, *user).unwrap();
        }
        let acting_there = acting(&world, second_table);
        let there: Vec<UserId> = world.page(second_table, None).seats.iter().map(|seat| seat.user_id).collect();
        world.run_out(second_table);
        assert!(world.log(second_table).contains(&"extended".to_owned()));
        world.resign(second_table, there[(acting_there + 1) % 3]).unwrap();
        world.run_out(second_table);
        assert_eq!(world.results(second_table)[acting_there], "dropped -3 booked", "there is one extension only");
    });
}

fn new_steps(world: &World) -> NewTable {
    world.new_table("steps", 3)
}

#[test]
fn a_turn_of_many_steps_has_one_due_letter_and_one_reminder() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob", "Cid"], |_| {});
        let me = seats[acting(&world, table_id)];
        let count = |kind: &str| world.letters(table_id, me).iter().filter(|letter| *letter == kind).count();
        let reminder = || {
            let timers = world.read(|conn| timers::of_table(conn, table_id)).unwrap();
            timers.into_iter().find(|timer| timer.kind == TimerKind::Reminder)
        };
        let at = reminder().unwrap().due_at;
        for step in 0..2 {
            world.pass(HOUR);
            let order = deploy_one(&world, table_id, me);
            world.hand_in(table_id, me, &order).unwrap();
            let set = reminder().unwrap();
            assert_eq!((set.due_at, set.phase_no.0), (at, step + 2), "the reminder goes along with the turn");
        }
        assert_eq!((count("due"), count("reminder")), (1, 0));
        world.pass(16 * HOUR);
        assert_eq!((world.sweep().done, count("reminder")), (1, 1));
        let order = deploy_one(&world, table_id, me);
        world.hand_in(table_id, me, &order).unwrap();
        assert_eq!(reminder(), None, "one reminder a clock");
        world.pass(HOUR);
        assert_eq!((world.sweep().done, count("due"), count("reminder")), (0, 1, 1));
        // The page was opened in this very turn: the drop needs no letter.
        world.run_out(table_id);
        assert!(world.results(table_id).contains(&"dropped -3 pending".to_owned()));

        // Resigning once the time is up is too late for the one whose turn it is.
        let next = seats[acting(&world, table_id)];
        world.pass(DAY + GRACE);
        assert!(matches!(world.resign(table_id, next), Err(Refused::TooLate { .. })));
    });
}

#[test]
fn what_the_set_up_threw_is_shown_at_the_end_only() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (table_id, seats) = running(&world, &["Ann", "Bob"], |_| {});
        let opening = |viewer| {
            world
                .read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(0), viewer))
                .unwrap()
                .throws
                .len()
        };
        for viewer in [None, Some(seats[0]), Some(seats[1])] {
            assert_eq!(opening(viewer), 0, "the order of the deck is nobody's to know");
        }
        assert!(matches!(
            world.read(|conn| tables::record_of(conn, &world.ctx, table_id, Some(seats[0]))),
            Err(Refused::NotOver)
        ));
        world.resign(table_id, seats[0]).unwrap();
        assert!(opening(None) > 40);
        replays(&world, table_id);
    });
}
