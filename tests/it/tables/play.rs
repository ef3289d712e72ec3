use stardate::store::{PhaseNo, TableId, UserId};
use stardate::tables::{self, Refused, TwoTabs, WhatIsDue};

use super::world::{GRACE, HOUR, World};
use crate::harness::on_both;

#[test]
fn a_phase_resolves_the_moment_all_plots_are_in() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let first = world.hand_in(table_id, seats[0], "play 1").unwrap();
        assert!(!first.resolved);
        let second = world.hand_in(table_id, seats[0], "  play   3 ").unwrap();
        assert!(second.version > first.version && second.seal != first.seal);
        let turn = world.turn(table_id, seats[0]);
        assert_eq!(turn.plot.as_ref().unwrap().text, "play 3\n");
        assert_eq!(turn.plot.unwrap().examined.lines[0].words, "name 3");
        assert_eq!(world.phase_no(table_id), 1);

        world.pass(HOUR);
        assert!(world.hand_in(table_id, seats[1], "play 2").unwrap().resolved);
        let page = world.page(table_id, None);
        let phase = page.phase.unwrap();
        assert_eq!((phase.no.0, phase.name.as_str()), (2, "Turn 2, Choose"));
        assert_eq!((phase.deadline - phase.opened_at).num_seconds(), 4 * HOUR);
        assert_eq!(phase.opened_at, world.now());
        assert!(page.seats.iter().all(|seat| seat.due && !seat.handed_in));
        let report =
            world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(1), Some(seats[0]))).unwrap();
        assert_eq!(report.throws.len(), 2);
        assert_eq!(report.plots[0].body.as_deref(), Some("play 3\n"), "the replaced plot counts");
        assert!(report.report[0].starts_with("A comes to "));
        assert!(world.letter(table_id, seats[1], "due").contains("A comes to "), "a letter tells what happened");

        world.hand_in(table_id, seats[0], "play 3").unwrap();
        world.hand_in(table_id, seats[1], "play 1").unwrap();
        assert_eq!(world.status(table_id), "over", "the second of two rounds was the last");
        assert!(world.letters(table_id, ann).contains(&"over".to_owned()));
        let late = world
            .run(|conn| tables::hand_in(conn, &world.ctx, world.now(), &world.act(table_id, ann, 2, None), "play 1"));
        assert!(matches!(late, Err(Refused::PhaseOver { current: PhaseNo(2), ended: true })));
        assert!(late.unwrap_err().to_string().starts_with("This game is over."));
        assert_eq!(world.sweep().done, 0, "no timer is left over");
    });
}

#[test]
fn a_faulty_plot_is_refused_whole_and_the_earlier_one_stands() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let stands = world.hand_in(table_id, seats[0], "play 2").unwrap();
        let Err(Refused::Faulty(faults)) = world.hand_in(table_id, seats[0], "play 7\n\nplay 8") else {
            panic!("7 and 8 are in nobody's hand")
        };
        let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            ["Line 1: 7 is not in your hand.", "Line 3: 8 is not in your hand.", "Line 3: One is enough."]
        );
        let turn = world.turn(table_id, seats[0]);
        assert_eq!(turn.plot.unwrap().seal, stands.seal);
        assert_eq!(turn.version, Some(stands.version));
        let garbage = world.hand_in(table_id, seats[0], "\u{0}\u{1F680}\nplay x");
        assert!(matches!(garbage, Err(Refused::Faulty(faults)) if faults.len() == 2));
        let huge = "play 1\n".repeat(tables::MAX_PLOT_BYTES);
        assert!(matches!(world.hand_in(table_id, seats[0], &huge), Err(Refused::TooLong(_))));
        let examined = world
            .read(|conn| tables::examine(conn, &world.ctx, &world.act(table_id, seats[0], 1, None), "play 9"))
            .unwrap();
        assert_eq!(examined.faults.len(), 1);
    });
}

#[test]
fn two_tabs_see_both_texts_and_lose_nothing() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let hand_in = |base, text: &str| {
            world.run(|conn| {
                tables::hand_in(conn, &world.ctx, world.now(), &world.act(table_id, seats[0], 1, base), text)
            })
        };
        let first = hand_in(None, "play 1").unwrap();
        assert_eq!(hand_in(None, "play 1").unwrap(), first, "the same form sent twice is one plot");
        let Err(Refused::TwoTabs(both)) = hand_in(None, "play 2") else { panic!("the other tab was faster") };
        let expected = TwoTabs {
            stored: "play 1\n".to_owned(),
            stored_is_plot: true,
            yours: "play 2".to_owned(),
            version: Some(first.version),
        };
        assert_eq!(*both, expected);
        assert!(matches!(world.save(table_id, seats[0], None, "play 3"), Err(Refused::TwoTabs(_))));
        assert_eq!(world.turn(table_id, seats[0]).plot.unwrap().text, "play 1\n");

        let draft = world.save(table_id, seats[0], both.version, "play 3 # perhaps").unwrap();
        let turn = world.turn(table_id, seats[0]);
        assert_eq!(turn.draft.unwrap().text, "play 3 # perhaps");
        assert_eq!(turn.plot.unwrap().text, "play 1\n", "a plot stands while a draft is written");
        assert!(matches!(hand_in(Some(first.version), "play 2"), Err(Refused::TwoTabs(_))));
        let last = hand_in(Some(draft), "play 2").unwrap();
        assert!(last.version > draft);
        assert!(world.turn(table_id, seats[0]).draft.is_none());
    });
}

#[test]
fn a_plot_taken_back_stays_as_a_draft() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let withdraw = |base| {
            world.run(|conn| tables::withdraw(conn, &world.ctx, world.now(), &world.act(table_id, seats[0], 1, base)))
        };
        assert!(matches!(withdraw(None), Err(Refused::NothingIn)));
        let handed = world.hand_in(table_id, seats[0], "play 2").unwrap();
        assert!(matches!(withdraw(None), Err(Refused::TwoTabs(_))));
        withdraw(Some(handed.version)).unwrap();
        let turn = world.turn(table_id, seats[0]);
        assert!(turn.plot.is_none());
        assert_eq!(turn.draft.unwrap().text, "play 2\n");
        assert!(!world.hand_in(table_id, seats[1], "play 1").unwrap().resolved, "it is waited for again");
        assert!(world.hand_in(table_id, seats[0], "play 2").unwrap().resolved);
    });
}

#[test]
fn forms_of_an_old_phase_and_of_strangers_change_nothing() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, eve) = (world.user("Ann"), world.user("Bob"), world.user("Eve"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.hand_in(table_id, seats[0], "play 1").unwrap();
        world.hand_in(table_id, seats[1], "play 1").unwrap();
        let old = world.run(|conn| {
            tables::hand_in(conn, &world.ctx, world.now(), &world.act(table_id, seats[0], 1, Some(1)), "play 3")
        });
        assert!(matches!(old, Err(Refused::PhaseOver { current: PhaseNo(2), ended: false })));
        assert!(world.turn(table_id, seats[0]).plot.is_none());
        assert!(matches!(world.hand_in(table_id, eve, "play 1"), Err(Refused::NoSeat)));
        assert!(matches!(world.resign(table_id, eve), Err(Refused::NoSeat)));
        assert!(
            matches!(world.hand_in(table_id, UserId(4711), "play 1"), Err(Refused::SignedOut)),
            "nobody of this id"
        );
        let unknown = world.run(|conn| {
            tables::hand_in(conn, &world.ctx, world.now(), &world.act(TableId(4711), ann, 1, None), "play 3")
        });
        assert!(matches!(unknown, Err(Refused::NoTable)));
    });
}

#[test]
fn the_receipt_time_decides_whether_a_plot_is_in_time() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.see(table_id, ann);
        world.see(table_id, bob);
        world.pass(4 * HOUR - 1);
        world.hand_in(table_id, seats[0], "play 1").expect("the last second is in time");
        let early = world.act(table_id, seats[1], 1, None);
        world.pass(1);
        // The sweep runs at the very deadline, and a plot received a second before is stored after that.
        assert_eq!(world.sweep().done, 1, "the reminder, whose time has passed");
        let late = world.hand_in(table_id, seats[1], "play 1");
        assert!(matches!(late, Err(Refused::TooLate { .. })), "the clock has run out though no sweep has come by");
        assert!(matches!(world.save(table_id, seats[1], None, "play 1"), Err(Refused::TooLate { .. })));
        assert!(matches!(world.resign(table_id, seats[1]), Err(Refused::TooLate { .. })));
        let stored = world.run(|conn| tables::hand_in(conn, &world.ctx, world.now(), &early, "play 2"));
        assert!(stored.unwrap().resolved, "received in time, stored a little later");
        world.pass(GRACE);
        assert_eq!(world.sweep().done, 0);
        assert_eq!(world.phase_no(table_id), 2);
    });
}

#[test]
fn of_others_a_page_tells_only_who_is_in() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let before = format!("{:?}", world.turn(table_id, seats[1]));
        world.save(table_id, seats[0], None, "play 3").unwrap();
        assert_eq!(format!("{:?}", world.turn(table_id, seats[1])), before, "a draft leaves no trace");
        let seen = |text: &str| {
            world.hand_in(table_id, seats[0], text).unwrap();
            let mut turn = world.turn(table_id, seats[1]);
            let seals = std::mem::take(&mut turn.phase.as_mut().unwrap().seals);
            assert_eq!(seals.len(), 1);
            (format!("{turn:?}"), format!("{:?}", world.page(table_id, Some(seats[1])).seats))
        };
        assert_eq!(seen("play 1"), seen("secretly 3"), "nothing depends on what was handed in");
        assert!(world.page(table_id, Some(seats[1])).seats[0].handed_in);
        let open = world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(1), Some(seats[1])));
        assert!(matches!(open, Err(Refused::NoPhase)));

        let record = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, Some(ann)));
        assert!(matches!(record, Err(Refused::NotOver)));
        world.hand_in(table_id, seats[1], "play 2").unwrap();
        let page =
            |viewer| world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(1), viewer)).unwrap();
        let theirs = page(Some(seats[1]));
        let open = |plot: &tables::PlotShown| (plot.body.clone(), plot.salt.clone(), plot.words.clone());
        assert_eq!(open(&theirs.plots[0]), (None, None, Vec::new()), "an order that stays secret is left out");
        assert_eq!(theirs.plots[1].body.as_deref(), Some("play 2\n"), "one's own");
        assert_eq!(page(Some(seats[0])).plots[0].body.as_deref(), Some("secretly 3\n"));
        let watched = page(None);
        assert_eq!(open(&watched.plots[0]), (None, None, Vec::new()));
        assert_eq!(
            open(&watched.plots[1]),
            (None, None, vec!["name 2".to_owned()]),
            "the orders are open to everybody; text and salt would tell whether that is all"
        );
        let opening =
            world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(0), Some(seats[1]))).unwrap();
        assert_eq!(opening.report, ["The game begins.", "Your hand is [1, 2, 3]."]);
        assert!(opening.throws.is_empty(), "what a set-up threw is told at the end");
        world.resign(table_id, seats[1]).unwrap();
        assert_eq!(page(Some(seats[1])).plots[0].body.as_deref(), Some("secretly 3\n"), "at the end all is open");
    });
}

#[test]
fn optional_seats_are_not_waited_for() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let (table_id, seats) = world.running(&world.new_table("optional", 3), &[ann, bob, cid]);
        let mine = world.read(|conn| tables::my_tables(conn, &world.ctx, seats[1])).unwrap();
        assert_eq!(mine[0].due, WhatIsDue::Optional);
        world.hand_in(table_id, seats[1], "play 3").unwrap();
        assert!(world.hand_in(table_id, seats[0], "play 1").unwrap().resolved);
        let report = world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, PhaseNo(1), None)).unwrap();
        assert_eq!(report.plots.len(), 2);
        assert_eq!(report.report.len(), 3, "the third seat played its default");

        let (table_id, seats) = world.running(&world.new_table("free", 2), &[ann, bob]);
        assert!(!world.hand_in(table_id, seats[0], "play 3").unwrap().resolved);
        world.run_out(table_id);
        assert_eq!(world.phase_no(table_id), 2);
        assert_eq!(world.results(table_id), ["in play", "in play"], "nobody is dropped who need not act");
        world.hand_in(table_id, seats[0], "play 3").unwrap();
        assert!(world.hand_in(table_id, seats[1], "play 3").unwrap().resolved);
    });
}

#[test]
fn small_steps_of_a_turn_run_on_one_clock() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table_id, seats) = world.running(&world.new_table("steps", 2), &[ann, bob]);
        let page = world.page(table_id, None);
        let acting = page.seats.iter().position(|seat| seat.due).unwrap();
        let (me, other) = (seats[acting], seats[1 - acting]);
        let promised = page.phase.unwrap().deadline;
        assert!(matches!(world.hand_in(table_id, other, "play 1"), Err(Refused::NotDue)));
        assert_eq!(world.letters(table_id, other), ["started"]);

        world.pass(HOUR);
        world.hand_in(table_id, me, "play 1").unwrap();
        let phase = world.page(table_id, None).phase.unwrap();
        assert_eq!((phase.name.as_str(), phase.deadline), ("Turn 1, Second", promised));
        assert_eq!(world.letters(table_id, me), ["due", "started"], "a step under the same clock needs no letter");
        assert_eq!(world.letters(table_id, other), ["started"]);

        world.pass(HOUR);
        world.hand_in(table_id, me, "play 2").unwrap();
        let phase = world.page(table_id, None).phase.unwrap();
        assert_eq!((phase.deadline - world.now()).num_seconds(), 4 * HOUR, "the next seat has a clock of its own");
        assert!(world.letters(table_id, other).contains(&"due".to_owned()));
        assert_eq!(world.letters(table_id, me), ["due", "started"], "not a letter for every turn of somebody else");
        let told = world.letter(table_id, other, "due");
        assert!(told.contains("Turn 1:\n"), "both steps in one section: {told}");
        assert!(told.contains("carried out at once"), "{told}");

        // Resigning out of turn leaves the clock of the one whose turn it is alone; here it ends the game.
        world.resign(table_id, me).unwrap();
        assert_eq!(world.status(table_id), "over");
    });
}

#[test]
fn my_tables_come_by_the_time_left_for_me() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let mut new = world.new_table("together", 2);
        let slow = world.running(&new, &[ann, bob]).0;
        new.time_limit_s = HOUR;
        let urgent = world.running(&new, &[ann, bob]).0;
        let done = world.running(&new, &[ann, bob]).0;
        new.time_limit_s = 2 * HOUR;
        let drafted = world.running(&new, &[ann, bob]).0;
        let waiting = world.create(ann, &new).unwrap();
        world.hand_in(done, ann, "play 1").unwrap();
        world.save(drafted, ann, None, "play").unwrap();
        let mine = world.read(|conn| tables::my_tables(conn, &world.ctx, ann)).unwrap();
        let order: Vec<(TableId, WhatIsDue)> = mine.iter().map(|table| (table.table_id, table.due)).collect();
        assert_eq!(
            order,
            [
                (urgent, WhatIsDue::Orders),
                (drafted, WhatIsDue::OrdersWithDraft),
                (slow, WhatIsDue::Orders),
                (done, WhatIsDue::HandedIn),
                (waiting, WhatIsDue::Players),
            ]
        );
        assert_eq!(mine[0].opponents, ["Bob"]);
        assert_eq!(mine[0].phase.as_deref(), Some("Turn 1, Choose"));
    });
}
