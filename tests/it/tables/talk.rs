//! Table talk: who may say what to whom, and who hears it.

use stardate::store::messages;
use stardate::tables::{self, At, Decision, NewTable, Refused};

use super::world::World;
use crate::harness::on_both;

#[test]
fn everybody_hears_what_is_said_to_all_and_two_what_is_said_to_one() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid, dee] = ["Ann", "Bob", "Cid", "Dee"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        world.say(table_id, ann, None, "Good luck!").unwrap();
        world.say(table_id, ann, Some(bob), "Let us be friends.").unwrap();
        world.say(table_id, bob, Some(ann), "Why not?").unwrap();
        world.say(table_id, cid, None, "What a silence.").unwrap();

        let all = ["Good luck!", "What a silence."];
        assert_eq!(world.heard(table_id, None), all);
        assert_eq!(world.heard(table_id, Some(dee)), all);
        assert_eq!(world.heard(table_id, Some(cid)), ["*Good luck!", "What a silence."]);
        assert_eq!(
            world.heard(table_id, Some(ann)),
            ["Good luck!", "Let us be friends.", "*Why not?", "*What a silence."]
        );
        assert_eq!(
            world.heard(table_id, Some(bob)),
            ["*Good luck!", "*Let us be friends.", "Why not?", "*What a silence."]
        );

        // Nothing in what others are told depends on the private messages.
        let others = world.read(|conn| tables::talk(conn, &world.ctx, table_id, Some(cid), None)).unwrap();
        assert_eq!((others.messages.len(), others.has_older, others.unread_elsewhere), (2, false, 0));
        let page = world.page(table_id, Some(ann));
        assert_eq!(page.talk.partners.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().len(), 2);
        assert_eq!(world.page(table_id, Some(dee)).talk.partners, []);
        let private = &page.talk.messages[2];
        assert_eq!(private.to.as_ref().map(|to| to.name.as_str()), Some("Bob"));
        assert!(private.mine && private.author.seat.is_some());
        assert_eq!(page.talk.messages[1].to.as_ref().map(|to| to.user_id), Some(ann));

        world.read_talk(table_id, ann);
        assert!(world.heard(table_id, Some(ann)).iter().all(|line| !line.starts_with('*')));
        assert!(world.heard(table_id, Some(bob))[0].starts_with('*'), "everybody has read what they have read");
    });
}

#[test]
fn only_people_with_a_seat_talk_and_they_may_before_and_after_the_game() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let table_id = world.create(ann, &world.new_table("together", 2)).unwrap();
        world.say(table_id, ann, None, "Who will play?").unwrap();
        assert!(matches!(world.say(table_id, bob, None, "I!"), Err(Refused::NoSeat)));
        assert_eq!(world.heard(table_id, Some(bob)), ["Who will play?"]);
        world.join(table_id, bob).unwrap();
        world.say(table_id, bob, None, "I!").unwrap();
        world.resign(table_id, bob).unwrap();
        assert_eq!(world.status(table_id), "over");
        world.say(table_id, bob, None, "Well played.").unwrap();
        world.say(table_id, ann, None, "Thank you.").unwrap();
        assert!(matches!(world.say(table_id, cid, None, "Me too."), Err(Refused::NoSeat)));

        // Somebody who left before the start talks no more; what they said stays.
        let open = world.create(ann, &world.new_table("together", 3)).unwrap();
        world.join(open, bob).unwrap();
        world.say(open, bob, None, "Back in a minute.").unwrap();
        world.run(|conn| tables::leave_before_start(conn, &world.ctx, At::new(world.now(), open, bob))).unwrap();
        assert!(matches!(world.say(open, bob, None, "Hello?"), Err(Refused::NoSeat)));
        assert_eq!(world.heard(open, Some(cid)), ["Back in a minute."]);
        let refused = world.say(open, ann, Some(bob), "Where are you?");
        assert!(matches!(refused, Err(Refused::Form(faults)) if faults[0].field == "to"));

        // A private table is nobody else's business.
        let private = world.create(ann, &NewTable { invite_only: true, ..world.new_table("together", 2) }).unwrap();
        world.say(private, ann, None, "Psst.").unwrap();
        assert!(matches!(world.say(private, cid, None, "Hm?"), Err(Refused::NoTable)));
        let look = |viewer| world.read(|conn| tables::talk(conn, &world.ctx, private, viewer, None));
        assert!(matches!(look(Some(cid)), Err(Refused::NoTable)));
        assert!(matches!(look(None), Err(Refused::NoTable)));
    });
}

#[test]
fn faults_are_told_and_a_form_sent_twice_says_it_once() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let fault = |to, text: &str| match world.say(table_id, ann, to, text) {
            Err(Refused::Form(faults)) => (faults[0].field.clone(), faults[0].message.clone()),
            other => panic!("“{text}” is no message: {other:?}"),
        };
        assert_eq!(fault(None, " \r\n\t ").0, "text");
        let (field, words) = fault(None, &"é".repeat(2001));
        assert!(field == "text" && words.contains("2001 characters") && words.contains("may have 2000"), "{words}");
        assert_eq!(fault(Some(ann), "Note to self").0, "to");
        assert_eq!(fault(Some(cid), "You there").0, "to");
        assert_eq!(world.heard(table_id, Some(ann)), Vec::<String>::new());

        world.say(table_id, ann, None, "Hello\r\n  there  ").unwrap();
        world.say(table_id, ann, None, "Hello\n  there").unwrap();
        assert_eq!(world.heard(table_id, None), ["Hello\n  there"]);
        world.say(table_id, ann, Some(bob), "Hello\n  there").unwrap();
        world.pass(61);
        world.say(table_id, ann, Some(bob), "Hello\n  there").unwrap();
        assert_eq!(world.heard(table_id, Some(bob)).len(), 3, "said to another, or later, it is said again");
    });
}

#[test]
fn where_private_talk_is_not_allowed_everything_is_said_to_everybody() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob] = ["Ann", "Bob"].map(|name| world.user(name));
        let open = NewTable { private_talk: false, ..world.new_table("together", 2) };
        let (table_id, _) = world.running(&open, &[ann, bob]);
        let refused = world.say(table_id, ann, Some(bob), "Psst");
        let Err(Refused::Form(faults)) = refused else { panic!("no private talk here: {refused:?}") };
        assert_eq!((faults[0].field.as_str(), faults.len()), ("to", 1));
        world.say(table_id, ann, None, "Hello").unwrap();
        let talk = world.page(table_id, Some(ann)).talk;
        assert!(talk.may_write && !talk.private_allowed && talk.partners.is_empty());
    });
}

#[test]
fn long_talk_is_read_page_by_page() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        for number in 0..60 {
            world.say(table_id, ann, None, &format!("public {number}")).unwrap();
            world.say(table_id, ann, Some(bob), &format!("private {number}")).unwrap();
        }
        let page =
            |viewer, before| world.read(|conn| tables::talk(conn, &world.ctx, table_id, viewer, before)).unwrap();
        let first = page(Some(cid), None);
        assert_eq!((first.messages.len(), first.has_older, first.unread_elsewhere), (50, true, 10));
        assert_eq!((first.messages[0].body.as_str(), first.read_up_to), ("public 59", None), "not all of it is shown");
        let rest = page(Some(cid), Some(first.messages[49].id));
        assert_eq!((rest.messages.len(), rest.has_older), (10, false));
        assert_eq!(rest.messages[9].body, "public 0");

        // Of a message to others one does not even learn that it is there.
        let private = page(Some(bob), None).messages.iter().find(|one| one.to.is_some()).unwrap().id;
        let asked = world.read(|conn| tables::talk(conn, &world.ctx, table_id, Some(cid), Some(private)));
        assert!(matches!(asked, Err(Refused::NoMessage)));

        // The table's own page shows what is unread, up to twenty.
        let own = world.page(table_id, Some(cid)).talk;
        assert_eq!((own.messages.len(), own.unread_elsewhere, own.read_up_to), (20, 40, None));
        let last = world.read(|conn| messages::last_no(conn, table_id)).unwrap();
        world.run(|conn| tables::mark_talk_seen(conn, table_id, cid, last)).unwrap();
        let own = world.page(table_id, Some(cid)).talk;
        assert_eq!((own.messages.len(), own.unread_elsewhere, own.read_up_to), (5, 0, None));
        assert_eq!(world.page(table_id, None).talk.messages.len(), 5);
    });
}

#[test]
fn my_tables_count_what_is_new() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        let unread = |who| world.read(|conn| tables::my_tables(conn, &world.ctx, who)).unwrap()[0].unread;
        world.say(table_id, ann, None, "One").unwrap();
        world.say(table_id, ann, Some(bob), "Two").unwrap();
        assert_eq!((unread(ann), unread(bob), unread(cid)), (0, 2, 1));
        world.read_talk(table_id, bob);
        assert_eq!((unread(bob), unread(cid)), (0, 1));
        world.run(|conn| tables::mute(conn, world.now(), cid, ann)).unwrap();
        assert_eq!(unread(cid), 0);
    });
}

#[test]
fn a_muted_player_is_heard_no_more_by_the_one_who_muted_them() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        world.say(table_id, bob, None, "Rude words").unwrap();
        world.run(|conn| tables::mute(conn, world.now(), ann, bob)).unwrap();
        world.run(|conn| tables::mute(conn, world.now(), ann, bob)).unwrap();
        world.say(table_id, bob, Some(ann), "More of them").unwrap();
        world.say(table_id, cid, None, "Peace!").unwrap();
        assert_eq!(world.heard(table_id, Some(ann)), ["", "", "*Peace!"]);
        let talk = world.page(table_id, Some(ann)).talk;
        assert!(talk.messages[1].muted && talk.messages[2].muted && !talk.messages[0].muted);
        assert_eq!(world.heard(table_id, Some(cid)), ["*Rude words", "Peace!"]);
        assert!(world.page(table_id, Some(bob)).talk.messages.iter().all(|one| !one.muted), "nobody is told");
        let muted = |who| world.read(|conn| tables::muted(conn, who)).unwrap();
        assert_eq!((muted(ann), muted(bob)), (vec![(bob, "Bob".to_owned())], vec![]));
        world.run(|conn| tables::unmute(conn, ann, bob)).unwrap();
        assert_eq!(world.heard(table_id, Some(ann)), ["*Rude words", "*More of them", "*Peace!"]);
        assert!(world.run(|conn| tables::mute(conn, world.now(), ann, ann)).is_err());
    });
}

#[test]
fn a_report_reaches_the_operator_who_removes_the_message_or_lets_it_stand() {
    on_both(|fresh| {
        let mut world = World::on(fresh);
        world.ctx.site.operator = Some("operator@mail.example".to_owned());
        let [ann, bob, cid, dee] = ["Ann", "Bob", "Cid", "Dee"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        world.say(table_id, bob, None, "Rude words").unwrap();
        world.say(table_id, bob, Some(ann), "Secret words").unwrap();
        let ids: Vec<i64> = world.page(table_id, Some(ann)).talk.messages.iter().map(|one| one.id).collect();
        let (secret, rude) = (ids[0], ids[1]);
        let report = |who, id, reason: &str| {
            world.run(|conn| tables::report(conn, &world.ctx, At::new(world.now(), table_id, who), id, reason))
        };
        assert!(matches!(report(bob, rude, ""), Err(Refused::NoMessage)), "nobody reports themselves");
        assert!(matches!(report(cid, secret, ""), Err(Refused::NoMessage)), "it is not there for Cid");
        assert!(matches!(report(ann, rude, &"x".repeat(501)), Err(Refused::Form(_))));
        report(ann, rude, "Not nice.").unwrap();
        assert!(matches!(report(ann, rude, "Really."), Err(Refused::AlreadyReported)));
        report(dee, rude, "").unwrap();
        report(ann, secret, "Spam").unwrap();
        assert!(world.page(table_id, Some(ann)).talk.messages[0].reported);

        let letters = world.post().into_iter().filter(|(_, kind, _)| kind == "reported").collect::<Vec<_>>();
        assert_eq!(letters.len(), 3);
        assert!(letters.iter().any(|(_, _, text)| text.contains("Rude words") && text.contains("Not nice.")));

        let open = || world.read(tables::open_reports).unwrap();
        let said: Vec<(String, String, bool)> =
            open().into_iter().map(|one| (one.body, one.reporter, one.private)).collect();
        assert_eq!(said.len(), 3);
        assert!(said.contains(&("Secret words".to_owned(), "Ann".to_owned(), true)));
        let decide = |id, decision| world.run(|conn| tables::decide_report(conn, world.now(), id, decision)).unwrap();
        let of = |body: &str| open().into_iter().find(|one| one.body == body).unwrap().report_id;
        let first = of("Rude words");
        assert!(decide(first, Decision::Remove));
        assert_eq!(open().len(), 1, "both reports of the message are settled");
        assert!(!decide(first, Decision::Dismiss), "it waits no more");
        assert!(decide(of("Secret words"), Decision::Dismiss));
        assert!(open().is_empty());

        for viewer in [None, Some(ann), Some(bob), Some(cid)] {
            let talk = world.page(table_id, viewer).talk;
            let removed = talk.messages.iter().find(|one| one.id == rude).unwrap();
            assert!(removed.removed && removed.body.is_empty(), "{viewer:?}");
        }
        assert!(world.heard(table_id, Some(ann)).contains(&"*Secret words".to_owned()));
        assert!(matches!(report(cid, rude, ""), Err(Refused::NoMessage)));
    });
}
