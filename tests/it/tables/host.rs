//! What the player who made a table may do with it before it starts, and tables that nobody joins.

use stardate::store::{TableId, UserId};
use std::collections::BTreeMap;

use chrono::TimeDelta;
use stardate::store::timers;
use stardate::tables::{self, At, NewTable, Refused, Woken};

use super::world::{DAY, HOUR, World};
use crate::harness::on_both;

fn start(world: &World, table_id: TableId, who: UserId, seated: usize) -> Result<(), Refused> {
    world.run(|conn| tables::start_now(conn, &world.ctx, At::new(world.now(), table_id, who), seated))
}

fn remove(world: &World, table_id: TableId, who: UserId, whom: UserId) -> Result<bool, Refused> {
    world.run(|conn| tables::remove(conn, &world.ctx, At::new(world.now(), table_id, who), whom))
}

#[test]
fn the_creator_starts_with_those_who_are_there_and_the_score_goes_by_their_number() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let users: Vec<UserId> = ["Ann", "Bob", "Cid", "Dee"].map(|name| world.user(name)).to_vec();
        let (ann, bob, cid, dee) = (users[0], users[1], users[2], users[3]);
        let table_id = world.create(ann, &world.new_table("together", 4)).unwrap();
        assert!(matches!(start(&world, table_id, ann, 1), Err(Refused::TooFew { sitting: 1, least: 2 })));
        world.join(table_id, bob).unwrap();
        world.join(table_id, cid).unwrap();
        assert!(matches!(start(&world, table_id, bob, 3), Err(Refused::NotCreator)));
        assert!(matches!(start(&world, table_id, ann, 2), Err(Refused::SeatsChanged { sitting: 3 })));
        assert_eq!(world.status(table_id), "open");
        start(&world, table_id, ann, 3).unwrap();
        let page = world.page(table_id, None);
        assert_eq!((page.table.status.word(), page.table.seat_count, page.seats.len()), ("running", 3, 3));
        assert!(matches!(world.join(table_id, dee), Err(Refused::NotOpen(_))));
        assert!(matches!(start(&world, table_id, ann, 3), Err(Refused::NotOpen(_))));
        let log = &world.page(table_id, None).log;
        assert!(log.last().unwrap().text.contains("with 3 of 4 seats taken"), "{log:?}");
        for user in [ann, bob, cid] {
            assert_eq!(world.letters(table_id, user), ["due", "started"]);
        }
        let left = world.read(|conn| timers::of_table(conn, table_id)).unwrap();
        let kinds: Vec<&str> = left.iter().map(|timer| timer.kind.word()).collect();
        assert_eq!(kinds, ["deadline", "reminder"], "it no longer waits for anybody");

        let seats: Vec<UserId> = page.seats.iter().map(|seat| seat.user_id).collect();
        world.resign(table_id, seats[0]).unwrap();
        world.resign(table_id, seats[1]).unwrap();
        assert_eq!(world.results(table_id), ["resigned -2 booked", "resigned -1 booked", "won 2 booked"]);
        let record = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, None)).unwrap();
        tables::record::replay(&record, world.ctx.games.engines()).unwrap();
    });
}

#[test]
fn a_player_taken_from_a_seat_comes_back_only_when_invited_anew() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let new = NewTable { invite_only: true, ..world.new_table("together", 3) };
        let table_id = world.create(ann, &new).unwrap();
        let invite =
            |whom: &str| world.run(|conn| tables::invite(conn, &world.ctx, At::new(world.now(), table_id, ann), whom));
        let page =
            |who, key: Option<&str>| world.read(|conn| tables::table_page(conn, &world.ctx, table_id, Some(who), key));
        invite("bob@mail.example").unwrap();
        world.join(table_id, bob).unwrap();
        let old = page(ann, None).unwrap().table.invite_key.unwrap();
        assert!(matches!(remove(&world, table_id, bob, ann), Err(Refused::NotCreator)));
        assert!(matches!(remove(&world, table_id, cid, bob), Err(Refused::NoTable)), "a private table is not told of");
        assert!(matches!(remove(&world, table_id, ann, ann), Err(Refused::OwnSeat)));
        assert!(matches!(remove(&world, table_id, ann, cid), Err(Refused::NotSeated)));
        remove(&world, table_id, ann, bob).unwrap();
        assert!(matches!(remove(&world, table_id, ann, bob), Err(Refused::NotSeated)));
        assert_eq!(world.letters(table_id, bob), ["invitation", "removed"]);
        assert!(world.letter(table_id, bob, "removed").contains("host freed your seat"));
        assert!(matches!(page(bob, None), Err(Refused::NoTable)), "the invitation went with the seat");

        // Nor does the link lead there any more: the old one to nobody, the new one not to Bob.
        let key = page(ann, None).unwrap().table.invite_key.unwrap();
        assert_ne!(key, old);
        for viewer in [Some(bob), Some(cid), None] {
            assert!(matches!(world.read(|conn| tables::by_invite_key(conn, &old, viewer)), Err(Refused::OldLink)));
        }
        assert_eq!(world.read(|conn| tables::by_invite_key(conn, &old, Some(ann))).unwrap(), table_id);
        assert!(matches!(page(bob, Some(&key)), Err(Refused::NoTable)));
        assert!(matches!(world.join_with(table_id, bob, "low", Some(&key)), Err(Refused::NoTable)));
        invite("Bob").unwrap();
        assert_eq!(
            world
                .read(|conn| tables::what_keeps_away(conn, &world.ctx, At::new(world.now(), table_id, bob), None))
                .unwrap(),
            None
        );
        world.join(table_id, bob).unwrap();
        remove(&world, table_id, ann, bob).unwrap();
        assert_eq!(world.letters(table_id, bob).iter().filter(|kind| *kind == "removed").count(), 1, "same second");
        let key = page(ann, None).unwrap().table.invite_key.unwrap();
        world.join_with(table_id, cid, "low", Some(&key)).unwrap();
        start(&world, table_id, ann, 2).unwrap();
        assert!(matches!(remove(&world, table_id, ann, cid), Err(Refused::NotOpen(_))));
        let log: Vec<String> = world.page(table_id, Some(ann)).log.into_iter().map(|entry| entry.kind).collect();
        assert_eq!(log, ["made", "joined", "removed", "joined", "removed", "joined", "started"]);
    });
}

#[test]
fn only_the_host_gives_a_taken_back_seat_to_the_same_player_again() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        for invite_only in [true, false] {
            let new = NewTable { invite_only, ..world.new_table("together", 4) };
            let table_id = world.create(ann, &new).unwrap();
            let invite = |by, whom: &str| {
                world.run(|conn| tables::invite(conn, &world.ctx, At::new(world.now(), table_id, by), whom))
            };
            let key = world.page(table_id, Some(ann)).table.invite_key.unwrap();
            for user in [bob, cid] {
                world.join_with(table_id, user, "low", Some(&key)).unwrap();
            }
            remove(&world, table_id, ann, bob).unwrap();
            let before = world.letters(table_id, bob);
            let refused = invite(cid, "Bob").unwrap_err();
            assert!(matches!(refused, Refused::HostInvites(_)), "{refused}");
            // Of an address nothing is told, not even that; and it changes nothing.
            invite(cid, "bob@mail.example").unwrap();
            assert_eq!(world.letters(table_id, bob), before);
            let key = world.page(table_id, Some(ann)).table.invite_key.unwrap();
            for key in [None, Some(key.as_str())] {
                let kept_out = world.join_with(table_id, bob, "low", key);
                assert!(matches!(kept_out, Err(Refused::NoTable | Refused::Removed)), "{kept_out:?}");
            }
            invite(ann, "Bob").unwrap();
            world.join(table_id, bob).unwrap();
        }
    });
}

#[test]
fn a_table_left_by_its_creator_goes_to_the_next_player() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let table_id = world.create(ann, &world.new_table("together", 4)).unwrap();
        world.pass(60);
        world.join(table_id, bob).unwrap();
        world.pass(60);
        world.join(table_id, cid).unwrap();
        world.run(|conn| tables::leave_before_start(conn, &world.ctx, At::new(world.now(), table_id, ann))).unwrap();
        let page = world.page(table_id, Some(bob));
        assert_eq!((page.table.creator.as_str(), page.is_creator, page.seats.len()), ("Bob", true, 2));
        assert_eq!(world.letters(table_id, bob), ["handed-on"]);
        assert_eq!(world.letters(table_id, cid), Vec::<String>::new());
        assert!(matches!(start(&world, table_id, ann, 2), Err(Refused::NotCreator)));
        start(&world, table_id, bob, 2).unwrap();
        assert_eq!(world.log(table_id), ["made", "joined", "joined", "left", "handed-on", "started"]);
    });
}

#[test]
fn who_sat_down_first_is_known_within_a_second_too() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let users: Vec<UserId> = ["Ann", "Bob", "Cid", "Dee", "Eve"].map(|name| world.user(name)).to_vec();
        for _ in 0..6 {
            let table_id = world.create(users[0], &world.new_table("together", 4)).unwrap();
            for user in &users[1..3] {
                world.join(table_id, *user).unwrap();
            }
            let sitting =
                || -> Vec<UserId> { world.page(table_id, None).seats.iter().map(|seat| seat.user_id).collect() };
            assert_eq!(sitting(), users[..3]);
            world
                .run(|conn| tables::leave_before_start(conn, &world.ctx, At::new(world.now(), table_id, users[0])))
                .unwrap();
            assert!(world.page(table_id, Some(users[1])).is_creator);
            world.join(table_id, users[0]).unwrap();
            assert_eq!(sitting(), [users[1], users[2], users[0]], "who comes back sits last");
        }
    });
}

#[test]
fn a_table_may_ask_for_a_score() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let new = NewTable { min_score: Some(101), ..world.new_table("together", 2) };
        let table_id = world.create(ann, &new).unwrap();
        let Err(Refused::TooLow(sentence)) = world.join(table_id, bob) else { panic!("100 is less than 101") };
        assert!(
            sentence.contains("at least 101; yours is 100") && sentence.contains("you win at another"),
            "{sentence}"
        );
        // A win that is decided and not booked does not count yet; this one is booked at once.
        let (won, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        world.resign(won, ann).unwrap();
        world.join(table_id, bob).unwrap();
        assert_eq!(world.status(table_id), "running");
        for wrong in [10_001, i32::MIN] {
            let new = NewTable { min_score: Some(wrong), ..world.new_table("together", 2) };
            let Err(Refused::Form(faults)) = world.create(ann, &new) else { panic!("{wrong} is no score") };
            assert_eq!(faults[0].field, "min_score");
        }
    });
}

#[test]
fn the_number_of_seats_goes_by_the_options() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let ann = world.user("Ann");
        let new = |map: &str, seats: usize| NewTable {
            game: "imperial-conflict".to_owned(),
            options: BTreeMap::from([("map".to_owned(), map.to_owned())]),
            seats: Some(seats),
            time_limit_s: DAY,
            ..NewTable::default()
        };
        let game = world.ctx.games.current("imperial-conflict").unwrap();
        let small = new("sector", 2).options;
        let (least, most) = game.seats(&small).into_inner();
        assert!(most < *game.meta().seats.end(), "the small map is for fewer than the game");
        let Err(Refused::Form(faults)) = world.create(ann, &new("sector", most + 1)) else { panic!("too many") };
        assert_eq!((faults.len(), faults[0].field.as_str()), (1, "seats"));
        let sentence = &faults[0].message;
        assert!(sentence.contains(&format!("is for {least} to {most} players, not for {}", most + 1)), "{sentence}");
        assert!(sentence.contains("“Map: ") && !sentence.contains("Starting armies"), "{sentence}");
        world.create(ann, &new("sector", most)).unwrap();
        world.create(ann, &new("world", 6)).unwrap();
        assert!(matches!(world.create(ann, &new("world", 7)), Err(Refused::Form(_))));
    });
}

#[test]
fn a_table_that_nobody_joins_is_closed_and_its_people_told() {
    on_both(|fresh| {
        let mut world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let table_id = world.create(ann, &world.new_table("together", 4)).unwrap();
        world.pass(13 * DAY);
        world.join(table_id, bob).unwrap();
        world.pass(14 * DAY - 1);
        assert_eq!(world.sweep().done, 0, "the wait began anew when Bob joined");
        world.pass(1);
        assert_eq!(world.sweep().done, 1);
        assert_eq!(world.status(table_id), "cancelled");
        for who in [ann, bob] {
            assert_eq!(world.letters(table_id, who), ["cancelled"]);
            assert!(world.letter(table_id, who, "cancelled").contains("Nobody joined for 14 days"));
        }
        assert_eq!(world.page(table_id, None).log.last().unwrap().kind, "cancelled");
        assert_eq!(world.read(|conn| timers::of_table(conn, table_id)).unwrap(), []);

        // A longer wait than when the timer was set; time the server was away; and no end at all.
        let table_id = world.create(ann, &world.new_table("together", 4)).unwrap();
        world.ctx.unjoined = Some(TimeDelta::days(20));
        world.pass(14 * DAY);
        let timer = world.read(|conn| timers::of_table(conn, table_id)).unwrap().remove(0);
        let woken = world.run(|conn| tables::wake(conn, &world.ctx, world.now(), &timer)).unwrap();
        assert_eq!(woken, Woken::Nothing);
        let seen_alive = world.now();
        world.pass(3 * DAY);
        tables::credit_outage(&world.db, world.now(), seen_alive).unwrap();
        tables::credit_outage(&world.db, world.now(), seen_alive).unwrap();
        world.pass(6 * DAY - HOUR);
        assert_eq!((world.sweep().done, world.status(table_id).as_str()), (0, "open"));
        world.pass(HOUR);
        assert_eq!((world.sweep().done, world.status(table_id).as_str()), (1, "cancelled"));
        world.ctx.unjoined = None;
        let table_id = world.create(cid, &world.new_table("together", 4)).unwrap();
        world.pass(1000 * DAY);
        assert_eq!((world.sweep().done, world.status(table_id).as_str()), (0, "open"));

        // The settings want tables closed again: this one has the whole time from when that is seen.
        let all_wait = |world: &World| tables::wait_for_all(&world.db, &world.ctx, world.now()).unwrap();
        assert_eq!(all_wait(&world), 0);
        world.ctx.unjoined = Some(TimeDelta::days(2));
        assert_eq!((all_wait(&world), all_wait(&world)), (1, 0));
        world.pass(2 * DAY - 1);
        assert_eq!((world.sweep().done, world.status(table_id).as_str()), (0, "open"));
        world.pass(1);
        assert_eq!((world.sweep().done, world.status(table_id).as_str()), (1, "cancelled"));
    });
}
