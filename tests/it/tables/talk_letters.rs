//! Table talk in letters: everything once, nothing that was read, nothing that is for others.

use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::store::UserId;
use stardate::store::schema::{outbox, users};
use stardate::tables::{self, At, NewTable};

use super::world::World;
use crate::harness::on_both;

const TEN_MINUTES: i64 = 600;

/// The kinds of the letters to somebody that carry a text.
fn carriers(letters: &[(UserId, String, String)], to: UserId, text: &str) -> Vec<String> {
    let mut kinds: Vec<String> = letters
        .iter()
        .filter(|(who, _, body)| *who == to && body.contains(text))
        .map(|(_, kind, _)| kind.clone())
        .collect();
    kinds.sort();
    kinds
}

#[test]
fn the_next_letter_carries_what_was_said_and_the_one_after_it_does_not() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        world.pass(121);
        world.post();
        world.say(table_id, ann, None, "To all of you").unwrap();
        world.say(table_id, ann, Some(bob), "For Bob only").unwrap();
        for player in [ann, bob, cid] {
            world.hand_in(table_id, player, "play 1").unwrap();
        }
        world.pass(121);
        let letters = world.post();
        assert_eq!(carriers(&letters, bob, "To all of you"), ["due"]);
        assert_eq!(carriers(&letters, bob, "For Bob only"), ["due"]);
        assert!(letters.iter().any(|(to, _, text)| *to == bob && text.contains("to you alone")));
        assert_eq!(carriers(&letters, cid, "To all of you"), ["due"]);
        assert_eq!(carriers(&letters, cid, "For Bob only"), Vec::<String>::new());
        assert_eq!(carriers(&letters, ann, "To all of you"), Vec::<String>::new(), "one's own words are no news");

        // The letter of talk alone, which waited behind it, has nothing to tell any more; nor has any later one.
        world.pass(TEN_MINUTES);
        assert_eq!(world.post(), []);
        for player in [ann, bob, cid] {
            world.hand_in(table_id, player, "play 2").unwrap();
        }
        world.pass(121);
        let letters = world.post();
        assert!(letters.iter().any(|(to, kind, _)| *to == bob && kind == "over"), "{letters:?}");
        assert_eq!(carriers(&letters, bob, "To all of you"), Vec::<String>::new());
    });
}

#[test]
fn what_was_read_on_the_page_is_not_sent() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob] = ["Ann", "Bob"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.pass(121);
        world.post();
        world.say(table_id, ann, None, "Read at once").unwrap();
        world.read_talk(table_id, bob);
        world.say(table_id, ann, None, "Not read").unwrap();
        world.hand_in(table_id, ann, "play 1").unwrap();
        world.hand_in(table_id, bob, "play 1").unwrap();
        world.pass(121);
        let letters = world.post();
        assert_eq!(carriers(&letters, bob, "Not read"), ["due"]);
        assert_eq!(carriers(&letters, bob, "Read at once"), Vec::<String>::new());
    });
}

#[test]
fn without_a_letter_of_play_talk_comes_by_itself_collected_and_unless_read() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let table_id = world.create(ann, &world.new_table("together", 4)).unwrap();
        world.join(table_id, bob).unwrap();
        world.join(table_id, cid).unwrap();
        world.say(table_id, ann, None, "One more is missing.").unwrap();
        world.pass(300);
        world.say(table_id, bob, None, "I ask a friend.").unwrap();
        world.say(table_id, ann, Some(cid), "Can you wait?").unwrap();
        assert_eq!(world.post(), [], "nothing leaves at once");
        world.read_talk(table_id, ann);
        world.pass(TEN_MINUTES - 299);
        let letters = world.post();
        let cids: Vec<&String> = letters.iter().filter(|(to, _, _)| *to == cid).map(|(_, _, text)| text).collect();
        assert_eq!(cids.len(), 1, "one letter for all of it: {letters:?}");
        let at = |text: &str| cids[0].find(text).unwrap_or_else(|| panic!("“{text}” is not in {}", cids[0]));
        assert!(at("One more is missing.") < at("I ask a friend.") && at("I ask a friend.") < at("Can you wait?"));
        assert_eq!(carriers(&letters, bob, "One more is missing."), ["talk"]);
        assert_eq!(carriers(&letters, bob, "Can you wait?"), Vec::<String>::new());
        assert!(letters.iter().all(|(to, _, _)| *to != ann), "Ann has read it on the page");
        world.pass(2 * TEN_MINUTES);
        assert_eq!(world.post(), []);

        // After the end it is the same.
        world.join(table_id, world.user("Dee")).unwrap();
        for player in [bob, cid, ann] {
            world.resign(table_id, player).unwrap();
        }
        world.pass(TEN_MINUTES);
        world.post();
        world.say(table_id, bob, None, "Another one?").unwrap();
        world.pass(TEN_MINUTES);
        let letters = world.post();
        assert_eq!(carriers(&letters, ann, "Another one?"), ["talk"]);
        assert_eq!(letters.iter().filter(|(_, kind, _)| kind == "talk").count(), 3);
    });
}

#[test]
fn a_letter_that_never_leaves_tells_nothing_and_talk_comes_by_itself() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob] = ["Ann", "Bob"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.pass(121);
        world.post();
        world.say(table_id, ann, None, "Mind the gap").unwrap();
        world.hand_in(table_id, ann, "play 1").unwrap();
        world.hand_in(table_id, bob, "play 1").unwrap();
        // Bob hands in before the due letter, which carries it, has left; he did not look at the talk.
        world.hand_in(table_id, bob, "play 2").unwrap();
        world.pass(121);
        assert_eq!(carriers(&world.post(), bob, "Mind the gap"), Vec::<String>::new());
        world.pass(TEN_MINUTES);
        assert_eq!(carriers(&world.post(), bob, "Mind the gap"), ["talk"]);
    });
}

#[test]
fn talk_waits_for_a_letter_that_carries_it_and_goes_when_that_is_given_up() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob] = ["Ann", "Bob"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.pass(121);
        world.post();
        world.say(table_id, ann, None, "Mind the gap").unwrap();
        world.hand_in(table_id, ann, "play 1").unwrap();
        world.hand_in(table_id, bob, "play 1").unwrap();
        // The mail server puts Bob's due letter off for an hour.
        let put_off = |until: TimeDelta| {
            let until = world.now() + until;
            world.db.write(|conn| {
                diesel::update(outbox::table.filter(outbox::letter.eq("due")).filter(outbox::status.eq("queued")))
                    .set(outbox::next_attempt_at.eq(until))
                    .execute(conn)
            })
        };
        put_off(TimeDelta::hours(1)).unwrap();
        world.pass(TEN_MINUTES);
        assert_eq!(world.post(), [], "two letters with the same words would be one too many");
        world.hand_in(table_id, bob, "play 2").unwrap();
        put_off(TimeDelta::zero()).unwrap();
        world.pass(TEN_MINUTES);
        // Due letters of both are in vain by now or not; Bob's carried the talk and is not sent.
        let letters: Vec<_> = [world.post(), {
            world.pass(TEN_MINUTES);
            world.post()
        }]
        .concat();
        assert_eq!(carriers(&letters, bob, "Mind the gap"), ["talk"]);
    });
}

#[test]
fn whoever_is_gone_from_the_table_gets_no_talk_of_it() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let new = NewTable { invite_only: true, ..world.new_table("together", 4) };
        let table_id = world.create(ann, &new).unwrap();
        let key = world.page(table_id, Some(ann)).table.invite_key.unwrap();
        for user in [bob, cid] {
            world.join_with(table_id, user, "low", Some(&key)).unwrap();
        }
        world.say(table_id, ann, None, "Who is there?").unwrap();
        assert_eq!(world.letters(table_id, bob), ["talk"]);
        world.run(|conn| tables::remove(conn, &world.ctx, At::new(world.now(), table_id, ann), bob)).unwrap();
        world.run(|conn| tables::leave_before_start(conn, &world.ctx, At::new(world.now(), table_id, cid))).unwrap();
        world.say(table_id, ann, None, "Now that we are alone").unwrap();
        world.pass(TEN_MINUTES);
        let sent = world.post();
        for user in [bob, cid] {
            assert_eq!(carriers(&sent, user, "alone"), Vec::<String>::new());
            assert_eq!(carriers(&sent, user, "Who is there?"), Vec::<String>::new());
        }
    });
}

#[test]
fn muted_players_and_unwanted_letters_stay_out_of_the_post() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let table_id = world.create(ann, &world.new_table("together", 4)).unwrap();
        world.join(table_id, bob).unwrap();
        world.join(table_id, cid).unwrap();
        world.run(|conn| tables::mute(conn, world.now(), bob, ann)).unwrap();
        world
            .db
            .write(|conn| diesel::update(users::table.find(cid)).set(users::wants_talk.eq(false)).execute(conn))
            .unwrap();
        world.say(table_id, ann, None, "Anybody there?").unwrap();
        assert_eq!(world.letters(table_id, bob), Vec::<String>::new(), "nothing is even queued");
        world.pass(TEN_MINUTES);
        assert_eq!(world.post(), []);
        // Letters that Cid does want carry it all the same.
        world.join(table_id, world.user("Dee")).unwrap();
        world.pass(121);
        let letters = world.post();
        assert_eq!(carriers(&letters, cid, "Anybody there?"), ["started"]);
        assert_eq!(carriers(&letters, bob, "Anybody there?"), Vec::<String>::new());
    });
}
