use stardate::accounts::Wants;
use stardate::store::{PhaseNo, TableId, UserId};
use stardate::tables::{self, NewTable, Refused};

use super::world::{DAY, GRACE, HOUR, World};
use crate::harness::on_both;

#[test]
fn a_legal_draft_counts_at_the_deadline() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.save(table_id, seats[0], None, "  play 3").unwrap();
        world.hand_in(table_id, seats[1], "play 1").unwrap();
        assert_eq!(world.run_out(table_id).failed, 0);
        let report =
            world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(1), Some(seats[0]))).unwrap();
        let first = &report.plots[0];
        assert_eq!((first.source.word(), first.body.as_deref()), ("draft", Some("play 3\n")));
        assert_eq!(report.closed_by, "The time ran out.");
        assert_eq!(report.report[0], "Seat A ran out of time; its saved draft was handed in.");
        assert_eq!(world.results(table_id), ["in play", "in play"]);

        // A draft with faults does not count.
        world.save(table_id, seats[0], None, "play 9").unwrap();
        world.hand_in(table_id, seats[1], "play 1").unwrap();
        world.run_out(table_id);
        assert_eq!(world.results(table_id), ["dropped -3 booked", "won 1 booked"]);
    });
}

#[test]
fn time_outs_pass_as_often_as_the_table_says_and_then_drop() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let mut new = NewTable { passes_allowed: 2, ..world.new_table("together", 2) };
        new.options.insert("rounds".to_owned(), "5".to_owned());
        let (table_id, seats) = world.running(&new, &[ann, bob]);
        for pass in 1..=2 {
            world.hand_in(table_id, seats[1], "play 3").unwrap();
            assert!(world.turn(table_id, seats[0]).at_deadline.contains(&format!("time-out {pass} of 2")));
            world.run_out(table_id);
            let page = world.page(table_id, None);
            assert_eq!(page.seats[0].passes_used, pass);
            assert_eq!(page.phase.unwrap().no.0, pass + 1);
            let report =
                world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(pass), None)).unwrap();
            assert_eq!(report.plots[0].source.word(), "default");
            assert!(report.report[0].contains("default orders"));
        }
        assert_eq!(world.log(table_id).iter().filter(|kind| *kind == "passed").count(), 2);
        let turn = world.turn(table_id, seats[0]);
        assert!(turn.at_deadline.contains("dropped from the game and lose 3 points"));
        world.see(table_id, seats[0]);
        world.hand_in(table_id, seats[1], "play 3").unwrap();
        world.run_out(table_id);
        assert_eq!(world.results(table_id), ["dropped -3 booked", "won 1 booked"]);
        let letters = world.letters(table_id, seats[0]);
        assert!(letters.contains(&"dropped".to_owned()) && letters.contains(&"over".to_owned()));
        assert!(!world.letters(table_id, seats[1]).contains(&"dropped".to_owned()));
        assert_eq!(world.page(table_id, None).table.outcome.as_deref(), Some("A was dropped, B won"));
    });
}

#[test]
fn nobody_is_dropped_unseen() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        // Neither a letter has left nor was a page opened: one extension, then the drop.
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.hand_in(table_id, seats[1], "play 3").unwrap();
        world.run_out(table_id);
        let phase = world.page(table_id, None).phase.unwrap();
        assert_eq!(phase.no, PhaseNo(1));
        assert_eq!((phase.deadline - world.now()).num_seconds(), 4 * HOUR, "the limit is less than a day");
        assert!(world.log(table_id).contains(&"extended".to_owned()));
        assert_eq!(world.letters(table_id, seats[0]).iter().filter(|kind| *kind == "due").count(), 2);
        world.run_out(table_id);
        assert_eq!(world.results(table_id), ["dropped -3 booked", "won 1 booked"], "there is one extension only");

        // A letter about this very deadline was accepted by a mail server.
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.hand_in(table_id, seats[1], "play 3").unwrap();
        world.deliver();
        world.run_out(table_id);
        assert_eq!(world.results(table_id)[0], "dropped -3 booked");

        // The page was opened, and no letter has left.
        let mut new = world.new_table("together", 2);
        new.time_limit_s = 3 * DAY;
        let (table_id, seats) = world.running(&new, &[ann, bob]);
        world.hand_in(table_id, seats[1], "play 3").unwrap();
        world.see(table_id, seats[0]);
        world.run_out(table_id);
        assert_eq!(world.results(table_id)[0], "dropped -3 booked");

        // With three days the extension is one.
        let (table_id, _) = world.running(&new, &[ann, bob]);
        world.run_out(table_id);
        let phase = world.page(table_id, None).phase.unwrap();
        assert_eq!((phase.deadline - world.now()).num_seconds(), DAY);
    });
}

#[test]
fn who_wants_no_letters_or_saw_the_list_has_had_notice() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let wants = |who: UserId, due: bool| {
            let wants = Wants { due, resolved: true, reminders: true, news: true, talk: true };
            world.db.write(|conn| stardate::store::users::set_wants(conn, who, wants)).unwrap();
        };
        // No letter can be delivered; the player does not want any.
        wants(ann, false);
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.hand_in(table_id, bob, "play 3").unwrap();
        world.run_out(table_id);
        assert_eq!(of(&world, table_id, ann), "dropped -3 booked");
        assert!(!world.log(table_id).contains(&"extended".to_owned()));
        wants(ann, true);

        // The list of one's tables shows the deadline: once for each phase it is to be noted.
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let unseen = |who| world.read(|conn| tables::my_tables(conn, &world.ctx, who)).unwrap()[0].unseen_phase;
        assert_eq!((unseen(ann), unseen(bob)), (Some(PhaseNo(1)), Some(PhaseNo(1))));
        world.see(table_id, ann);
        world.hand_in(table_id, bob, "play 3").unwrap();
        assert_eq!((unseen(ann), unseen(bob)), (None, None));
        world.run_out(table_id);
        assert_eq!(of(&world, table_id, ann), "dropped -3 booked");
    });
}

#[test]
fn a_deadline_is_put_off_once_for_a_player_at_a_table_not_in_each_phase() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let mut new = NewTable { passes_allowed: 1, ..world.new_table("together", 2) };
        new.options.insert("rounds".to_owned(), "5".to_owned());
        let (table_id, _) = world.running(&new, &[ann, bob]);
        // The first time-out passes; then no letter arrives, the deadline is put off, and Ann answers after all.
        for _ in 0..2 {
            world.hand_in(table_id, bob, "play 3").unwrap();
            world.run_out(table_id);
        }
        assert_eq!(world.log(table_id).iter().filter(|kind| *kind == "extended").count(), 1);
        world.hand_in(table_id, ann, "play 1").unwrap();
        // In the next phase the same again: this time she is dropped.
        world.hand_in(table_id, bob, "play 3").unwrap();
        world.run_out(table_id);
        assert_eq!(world.log(table_id).iter().filter(|kind| *kind == "extended").count(), 1);
        assert_eq!(of(&world, table_id, ann), "dropped -3 booked");
        // At another table it is another player's first time.
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.hand_in(table_id, bob, "play 3").unwrap();
        world.run_out(table_id);
        assert!(world.log(table_id).contains(&"extended".to_owned()));
    });
}

/// The result of a player, see [`World::results`].
fn of(world: &World, table_id: TableId, who: UserId) -> String {
    let seat = world.page(table_id, None).seats.iter().position(|seat| seat.user_id == who).unwrap();
    world.results(table_id)[seat].clone()
}

#[test]
fn both_out_of_time_are_both_dropped_and_nobody_wins() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.deliver();
        world.run_out(table_id);
        assert_eq!(world.status(table_id), "over");
        assert_eq!(world.results(table_id), ["dropped -3 booked", "dropped -3 booked"]);
        let record = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, Some(ann))).unwrap();
        tables::record::replay(&record, world.ctx.games.engines()).unwrap();
    });
}

#[test]
fn all_overdue_seats_are_settled_in_one_go_and_plots_are_taken_along() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let users: Vec<UserId> = ["Ann", "Bob", "Cid", "Dee"].map(|name| world.user(name)).to_vec();
        let (table_id, seats) = world.running(&world.new_table("together", 4), &users);
        world.deliver();
        world.hand_in(table_id, seats[0], "play 3").unwrap();
        world.save(table_id, seats[1], None, "play 2").unwrap();
        world.run_out(table_id);
        // Two are dropped together; the others' plots stand in the phase that follows and close it at once.
        assert_eq!(world.results(table_id), ["in play", "in play", "dropped -3 pending", "dropped -3 pending"]);
        let phase = world.page(table_id, None).phase.unwrap();
        assert_eq!((phase.no.0, phase.turn), (3, 2));
        assert_eq!((phase.deadline - world.now()).num_seconds(), 4 * HOUR, "a full fresh clock after a drop");
        let left =
            world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(1), Some(seats[1]))).unwrap();
        assert_eq!(left.closed_by, "A player ran out of time and was dropped.");
        assert_eq!(left.plots[0].body, None, "what went on to the next phase stays secret in this one");
        let carried =
            world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(2), Some(seats[1]))).unwrap();
        let bodies: Vec<Option<&str>> = carried.plots.iter().map(|plot| plot.body.as_deref()).collect();
        assert_eq!(bodies, [None, Some("play 2\n")]);
        assert_eq!(carried.plots[0].words, ["name 3"]);

        // A pending drop is booked with the end of the game.
        let profile =
            |name: &str| world.read(|conn| tables::profile(conn, &world.ctx, world.now(), name, None)).unwrap();
        let name = world.page(table_id, None).seats[2].name.clone();
        assert_eq!((profile(&name).score, profile(&name).pending[0].score_change), (100, -3));
        assert!(matches!(world.hand_in(table_id, seats[2], "play 1"), Err(Refused::NotDue)));
        assert!(matches!(world.resign(table_id, seats[2]), Err(Refused::AlreadyOut)));
        world.resign(table_id, seats[0]).unwrap();
        assert_eq!(
            world.results(table_id),
            ["resigned -1 booked", "won 4 booked", "dropped -3 booked", "dropped -3 booked"]
        );
        assert_eq!((profile(&name).score, profile(&name).pending.len()), (97, 0));
        let record = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, None)).unwrap();
        tables::record::replay(&record, world.ctx.games.engines()).unwrap();
    });
}

#[test]
fn a_plot_that_waits_for_others_survives_a_resignation() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let users: Vec<UserId> = ["Ann", "Bob", "Cid"].map(|name| world.user(name)).to_vec();
        let (table_id, seats) = world.running(&world.new_table("together", 3), &users);
        world.hand_in(table_id, seats[0], "play 3").unwrap();
        let promised = world.page(table_id, None).phase.unwrap().deadline;
        world.pass(HOUR);
        world.resign(table_id, seats[2]).unwrap();
        let page = world.page(table_id, None);
        assert_eq!(page.phase.unwrap().deadline, promised, "the clock of the others runs on");
        assert!(page.seats[0].handed_in && !page.seats[1].handed_in);
        assert!(world.hand_in(table_id, seats[1], "play 1").unwrap().resolved);
        assert_eq!(world.results(table_id)[2], "resigned -2 pending");
    });
}

#[test]
fn a_reminder_comes_once_a_deadline_to_those_who_are_not_in() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.hand_in(table_id, seats[1], "play 3").unwrap();
        world.pass(3 * HOUR - 1);
        assert_eq!(world.sweep().done, 0);
        world.pass(1);
        assert_eq!(world.sweep().done, 1);
        assert_eq!(world.sweep().done, 0);
        let reminders = |who| world.letters(table_id, who).iter().filter(|kind| *kind == "reminder").count();
        assert_eq!((reminders(seats[0]), reminders(seats[1])), (1, 0));
        assert!(world.letter(table_id, seats[0], "reminder").contains("dropped"));

        // The extension moves the deadline, and the reminder for it comes anew.
        world.pass(HOUR + GRACE);
        world.sweep();
        world.pass(3 * HOUR);
        world.sweep();
        assert_eq!((reminders(seats[0]), reminders(seats[1])), (2, 0));
    });
}

#[test]
fn resigning_costs_by_how_many_are_left() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let users: Vec<UserId> = ["Ann", "Bob", "Cid", "Dee"].map(|name| world.user(name)).to_vec();
        let (table_id, seats) = world.running(&world.new_table("together", 4), &users);
        let preview = |who| world.read(|conn| tables::resign_preview(conn, &world.ctx, table_id, who)).unwrap();
        for (at, (cost, ends)) in [(-2, false), (-2, false), (-1, true)].into_iter().enumerate() {
            let shown = preview(seats[at]);
            assert_eq!((shown.score_change, shown.ends_game, shown.others_active), (cost, ends, 3 - at));
            world.resign(table_id, seats[at]).unwrap();
        }
        assert_eq!(
            world.results(table_id),
            ["resigned -2 booked", "resigned -2 booked", "resigned -1 booked", "won 4 booked"]
        );
        assert!(matches!(world.resign(table_id, seats[3]), Err(Refused::NotRunning(_))));

        let new = NewTable { ranked: false, ..world.new_table("together", 2) };
        let (table_id, seats) = world.running(&new, &users[..2]);
        let shown = world.read(|conn| tables::resign_preview(conn, &world.ctx, table_id, seats[0])).unwrap();
        assert_eq!((shown.score_change, shown.ranked), (0, false));
        assert!(shown.text.contains("is not ranked"));
        world.resign(table_id, seats[0]).unwrap();
        assert_eq!(world.results(table_id), ["resigned 0 booked", "won 0 booked"]);
    });
}

#[test]
fn a_deleted_account_resigns_leaves_and_calls_off() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let new = world.new_table("together", 2);
        let (running, _) = world.running(&new, &[ann, bob]);
        let (overdue, _) = world.running(&NewTable { time_limit_s: HOUR, ..new.clone() }, &[ann, bob]);
        world.deliver();
        world.hand_in(overdue, bob, "play 1").unwrap();
        let mine = world.create(ann, &new).unwrap();
        let theirs = world.create(bob, &NewTable { seats: Some(3), ..new }).unwrap();
        world.join(theirs, ann).unwrap();
        let shared = world.create(ann, &NewTable { seats: Some(3), ..world.new_table("together", 3) }).unwrap();
        world.join(shared, bob).unwrap();
        world.pass(HOUR);
        world.run(|conn| tables::give_up_all(conn, &world.ctx, world.now(), ann)).unwrap();
        let result = |table_id, user_id| {
            let seats = world.page(table_id, None).seats;
            seats.into_iter().find(|seat| seat.user_id == user_id).unwrap().result.unwrap().outcome
        };
        assert_eq!(result(running, ann), tables::Outcome::Resigned);
        assert_eq!(result(running, bob), tables::Outcome::Won);
        assert_eq!(result(overdue, ann), tables::Outcome::Dropped, "deleting an account is no way round a drop");
        assert_eq!(world.status(mine), "cancelled");
        let page = world.page(shared, Some(bob));
        assert_eq!((page.table.status.word(), page.is_creator, page.seats.len()), ("open", true, 1));
        assert_eq!(world.letters(shared, bob), ["handed-on"]);
        assert_eq!(world.page(theirs, None).seats.len(), 1);
        assert!(world.read(|conn| tables::my_tables(conn, &world.ctx, ann)).unwrap().is_empty());
        world.run(|conn| tables::give_up_all(conn, &world.ctx, world.now(), ann)).unwrap();
    });
}
