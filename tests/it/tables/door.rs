//! The one door for orders, as a form, a letter or a program comes to it.

use stardate::store::PhaseNo;
use stardate::tables::{self, Act, ChoiceFault, Done, Refused, Sent, Submitted, Unstored, Wish};

use super::world::{HOUR, World};
use crate::harness::on_both;

fn sent(wish: Wish, text: &str) -> Sent {
    Sent { wish, text: text.to_owned(), chosen: Vec::new() }
}

fn choosing(wish: Wish, text: &str, chosen: &[(&str, &str)]) -> Sent {
    let chosen = chosen.iter().map(|(key, order)| ((*key).to_owned(), (*order).to_owned())).collect();
    Sent { chosen, ..sent(wish, text) }
}

fn submit(world: &World, act: Act, sent: &Sent) -> Result<Submitted, Refused> {
    tables::submit(&world.db, &world.ctx, &|_| Ok(world.now()), &act, sent)
}

#[track_caller]
fn done(came: Result<Submitted, Refused>) -> Done {
    match came {
        Ok(Submitted::Done(done)) => done,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn read(came: Result<Submitted, Refused>) -> tables::Reading {
    match came {
        Ok(Submitted::Read(reading)) => reading,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_wish_has_its_answer_and_stores_what_it_says() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let me = seats[0];
        let act = |base| world.act(table, me, 1, base);
        let stored = || {
            let turn = world.turn(table, me);
            (turn.plot.map(|it| it.text), turn.draft.map(|it| it.text), turn.version)
        };

        let reading = read(submit(&world, act(None), &choosing(Wish::Check, "", &[("number", "play 2")])));
        assert_eq!((reading.text.as_str(), reading.why), ("play 2", Unstored::Asked));
        assert_eq!(reading.examined.lines[0].words, "name 2");
        let reading = read(submit(&world, act(None), &sent(Wish::HandIn, "play 9")));
        assert_eq!((reading.why, reading.examined.faults.len()), (Unstored::Faulty, 1));
        let reading = read(submit(&world, act(None), &sent(Wish::HandIn, " # later\n\n")));
        assert_eq!((reading.why, reading.text.as_str()), (Unstored::NoOrders, " # later"));
        assert_eq!(stored(), (None, None, None));

        let Done::Saved(draft) = done(submit(&world, act(None), &sent(Wish::Save, "play"))) else { panic!("saved") };
        assert_eq!(stored(), (None, Some("play".to_owned()), Some(draft)));
        let handed = choosing(Wish::HandIn, "play 1", &[("number", "play 3")]);
        let Done::Waiting(plot) = done(submit(&world, act(Some(draft)), &handed)) else { panic!("waiting") };
        assert_eq!(stored(), (Some("play 3\n".to_owned()), None, Some(plot.version)));
        let again = done(submit(&world, act(Some(draft)), &handed));
        assert!(matches!(again, Done::Waiting(same) if same == plot), "the same form sent twice is one plot");

        let other_tab = submit(&world, act(None), &sent(Wish::HandIn, "play 2"));
        let Ok(Submitted::TwoTabs(both)) = other_tab else { panic!("{other_tab:?}") };
        assert_eq!((both.stored.as_str(), both.yours.as_str()), ("play 3\n", "play 2"));
        for wish in [Wish::Save, Wish::Withdraw] {
            assert!(matches!(submit(&world, act(None), &sent(wish, "play 2")), Ok(Submitted::TwoTabs(_))), "{wish:?}");
        }
        let back = done(submit(&world, act(Some(plot.version)), &sent(Wish::Withdraw, "")));
        let Done::Withdrawn(version) = back else { panic!("{back:?}") };
        assert_eq!(stored(), (None, Some("play 3\n".to_owned()), Some(version)));

        world.hand_in(table, seats[1], "play 1").unwrap();
        let last = done(submit(&world, act(Some(version)), &sent(Wish::HandIn, "play 2")));
        let Done::Resolved { plot, together, game, told } = last else { panic!("{last:?}") };
        assert!(plot.resolved && together && game == "numbers");
        assert_eq!(told.len(), 2, "a sum for each seat");

        // What is sent again is known again, whichever way it was written; anything else belongs to a phase that
        // is over.
        assert!(matches!(done(submit(&world, act(Some(version)), &sent(Wish::HandIn, "PLAY  2"))), Done::TakenBefore));
        for wish in [Wish::Check, Wish::Save, Wish::Withdraw, Wish::HandIn, Wish::Pass, Wish::Step] {
            let old = submit(&world, act(Some(version)), &sent(wish, "play 1"));
            assert!(matches!(old, Err(Refused::PhaseOver { current: PhaseNo(2), ended: false })), "{wish:?}: {old:?}");
        }
        assert_eq!(stored(), (None, None, None));
    });
}

#[test]
fn what_no_page_sends_is_refused_before_anything_is_read() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let act = world.act(table, seats[0], 1, None);
        let many = choosing(Wish::Check, "", &vec![("x", ""); tables::MOST_CHOICES + 1]);
        let long = sent(Wish::Check, &"#".repeat(tables::MAX_PLOT_BYTES + 1));
        assert!(matches!(submit(&world, act, &many), Err(Refused::Choices(ChoiceFault::TooMany { .. }))));
        assert!(matches!(submit(&world, act, &long), Err(Refused::TooLong(_))));
        for (chosen, told) in [
            (&[("number", "play 1"), ("number", "play 1")][..], "2 choices, but this phase has only 1"),
            (&[("letter", "play 1")], "“letter”"),
        ] {
            for wish in [Wish::Check, Wish::Save, Wish::HandIn] {
                let refused = submit(&world, act, &choosing(wish, "", chosen)).unwrap_err();
                assert!(refused.to_string().contains(told), "{refused}");
            }
        }
        assert!(world.turn(table, seats[0]).version.is_none());
    });
}

#[test]
fn a_draft_of_a_whole_turn_outlives_its_single_steps() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table, seats) = world.running(&world.new_table("steps", 2), &[ann, bob]);
        let acting = world.page(table, None).seats.iter().position(|seat| seat.due).unwrap();
        let (me, other) = (seats[acting], seats[1 - acting]);
        let draft = world.save(table, me, None, "play 1\nplay 2").unwrap();
        let step = |phase, base, text: &str| submit(&world, world.act(table, me, phase, base), &sent(Wish::Step, text));
        let first = done(step(1, Some(draft), "play 1"));
        assert!(matches!(first, Done::Resolved { together: false, .. }), "{first:?}");
        let turn = world.turn(table, me);
        assert_eq!(turn.draft.unwrap().text, "play 1\nplay 2");
        assert!(matches!(done(step(1, Some(draft), "play 1")), Done::TakenBefore), "the second click");
        // The last step of the turn leaves nothing for the turn after it.
        done(step(2, turn.version, "play 2"));
        assert_eq!(world.turn(table, other).version, None);
        // A plot of the whole turn takes the draft with it.
        let draft = world.save(table, other, None, "play 3").unwrap();
        done(submit(&world, world.act(table, other, 3, Some(draft)), &sent(Wish::HandIn, "play 3")));
        assert_eq!(world.turn(table, other).draft.map(|draft| draft.text), None);
    });
}

#[test]
fn receipt_decides_what_is_in_time_and_the_transaction_when_clocks_start() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let (table, seats) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.pass(HOUR);
        world.hand_in(table, seats[1], "play 1").unwrap();
        world.pass(3 * HOUR - 1);
        let in_time = world.act(table, seats[0], 1, None);
        world.pass(1);
        for wish in [Wish::Save, Wish::HandIn, Wish::Pass, Wish::Step] {
            let late = submit(&world, world.act(table, seats[0], 1, None), &sent(wish, "play 1"));
            assert!(matches!(late, Err(Refused::TooLate { .. })), "{wish:?}: {late:?}");
        }
        let stored = done(submit(&world, in_time, &sent(Wish::HandIn, "play 2")));
        assert!(matches!(stored, Done::Resolved { .. }), "{stored:?}");
        let phase = world.page(table, None).phase.unwrap();
        assert_eq!(phase.opened_at, world.now(), "not when the sender chose to send it");
        assert_eq!((phase.deadline - world.now()).num_seconds(), 4 * HOUR);
    });
}
