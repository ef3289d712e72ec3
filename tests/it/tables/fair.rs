//! Scores by arrangement: what friends, or one person with two addresses, get for it.

use stardate::store::{TableId, UserId};
use std::sync::Barrier;

use stardate::accounts::{self, SignUp, SignUpForm};
use stardate::tables::{self, At, NewTable, Refused};

use super::race::second;
use super::world::{DAY, World};
use crate::harness::on_both;

/// A win of `who` by walkover, at once.
fn walkover(world: &World, who: UserId, other: UserId) -> TableId {
    let (table_id, _) = world.running(&world.new_table("together", 2), &[who, other]);
    world.resign(table_id, other).unwrap();
    table_id
}

/// A win of `who` after three turns of both.
fn played(world: &World, who: UserId, other: UserId) -> TableId {
    let table_id = three_turns(world, who, other);
    world.resign(table_id, other).unwrap();
    table_id
}

/// A table at which both have handed in orders in three turns.
fn three_turns(world: &World, one: UserId, other: UserId) -> TableId {
    let mut new = world.new_table("together", 2);
    new.options.insert("rounds".to_owned(), "5".to_owned());
    let (table_id, _) = world.running(&new, &[one, other]);
    for _ in 0..3 {
        world.hand_in(table_id, one, "play 1").unwrap();
        world.hand_in(table_id, other, "play 1").unwrap();
    }
    table_id
}

fn score(world: &World, who: UserId) -> i64 {
    world.read(|conn| tables::reputation(conn, &world.ctx, world.now(), who)).unwrap().score
}

/// Result of a player at a table: change and whether it counts.
fn result(world: &World, table_id: TableId, who: UserId) -> (i32, Option<String>) {
    let page = world.page(table_id, None);
    let result = page.seats.iter().find(|seat| seat.user_id == who).unwrap().result.unwrap();
    assert!(result.booked);
    (result.score_change, result.not_counted.map(|why| why.word().to_owned()))
}

fn delete(world: &World, who: UserId) {
    world
        .run(|conn| {
            accounts::delete_account(conn, &world.ctx.site, world.now(), who, |conn, who| {
                tables::give_up_all(conn, &world.ctx, world.now(), who)
            })
        })
        .unwrap();
}

fn sign_up(world: &World, name: &str, email: &str) -> UserId {
    let form = SignUpForm { name, email, password: "make it so, number one", zone: "" };
    let form = SignUp::check(&form).unwrap();
    world.db.write(|conn| accounts::enroll(conn, world.now(), &form)).unwrap()
}

#[test]
fn a_second_account_that_resigns_gives_one_point_and_not_twenty_five() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let tables: Vec<TableId> = (0..25).map(|_| walkover(&world, ann, bob)).collect();
        assert_eq!((score(&world, ann), score(&world, bob)), (101, 75), "who resigned pays each time");
        assert_eq!(result(&world, tables[0], ann), (1, None));
        let last = tables[24];
        assert_eq!(result(&world, last, ann), (0, Some("walkover".to_owned())));
        assert_eq!(result(&world, last, bob), (-1, None));
        // The letter, the profile, the standings and the record say the same.
        let letter = world.letter(last, ann, "over");
        assert!(letter.contains("stays at 101; this result is not counted."), "{letter}");
        let profile = world.read(|conn| tables::profile(conn, &world.ctx, world.now(), "Ann", None)).unwrap();
        assert_eq!((profile.score, profile.ranked.wins, profile.steps.len()), (101, 1, 1));
        let past = world.read(|conn| tables::past_tables(conn, &world.ctx, ann, None, 1, 50)).unwrap();
        assert_eq!(past.rows.iter().filter(|row| row.not_counted.is_some()).count(), 24);
        let board = world.read(|conn| tables::leaderboard(conn, None, 1, 1, None)).unwrap();
        assert_eq!((board.rows[0].score, board.rows[0].tallies.wins, board.rows[0].form.len()), (101, 1, 1));
        let record = world.read(|conn| tables::record_of(conn, &world.ctx, last, None)).unwrap();
        let checks = tables::verify::verify(&record, world.ctx.games.engines()).unwrap();
        assert!(checks.iter().all(|check| check.holds), "{checks:#?}");
        assert!(checks[4].words.contains("The result of seat"), "{}", checks[4].words);
        // Nor may a record claim what does not follow.
        for (from, to) in [
            ("\"not_counted\": \"walkover\"", "\"not_counted\": \"luck\""),
            ("\"score_change\": 0", "\"score_change\": 1"),
        ] {
            let changed = record.replacen(from, to, 1);
            assert_ne!(changed, record);
            let checks = tables::verify::verify(&changed, world.ctx.games.engines()).unwrap();
            assert!(!checks[4].holds, "{to}");
        }
        // Ninety days later one more counts.
        world.pass(90 * DAY);
        assert_eq!(result(&world, walkover(&world, ann, bob), ann), (1, None));
    });
}

#[test]
fn games_that_were_played_count_twice_over_the_same_opponent_and_it_is_said_beforehand() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let known = |who| {
            let others = [(ann, "Ann".to_owned()), (bob, "Bob".to_owned())];
            world.read(|conn| tables::uncounted(conn, world.now(), who, &others)).unwrap().join(" ")
        };
        played(&world, ann, bob);
        assert_eq!((known(ann), known(bob)), (String::new(), String::new()));
        played(&world, ann, bob);
        assert!(known(ann).contains("A win of yours over Bob would not be counted"), "{}", known(ann));
        assert!(known(bob).contains("A win of Ann over you would not be counted"), "{}", known(bob));
        assert_eq!(known(cid), "");
        assert_eq!(result(&world, played(&world, ann, bob), ann), (0, Some("repeat".to_owned())));
        // The other way round, and over somebody else, wins count.
        assert_eq!(result(&world, played(&world, bob, ann), bob), (1, None));
        assert_eq!(result(&world, played(&world, ann, cid), ann), (1, None));
        // At a table of three Bob is left out: the win over Cid is worth what it is among two.
        let (table_id, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        world.resign(table_id, bob).unwrap();
        world.resign(table_id, cid).unwrap();
        assert_eq!(result(&world, table_id, ann), (1, None));
        assert_eq!(result(&world, table_id, bob), (-2, None));
        let left_out = |who| {
            let page = world.page(table_id, None);
            page.seats.iter().find(|seat| seat.user_id == who).unwrap().result.unwrap().left_out
        };
        assert!(left_out(bob) && !left_out(cid) && !left_out(ann));
        let record = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, None)).unwrap();
        let checks = tables::verify::verify(&record, world.ctx.games.engines()).unwrap();
        assert!(checks.iter().all(|check| check.holds), "{checks:#?}");
        // Tables that are not ranked neither count nor are counted.
        let new = NewTable { ranked: false, ..world.new_table("together", 2) };
        let (table_id, _) = world.running(&new, &[ann, bob]);
        world.resign(table_id, bob).unwrap();
        assert_eq!(result(&world, table_id, ann), (0, None));
    });
}

#[test]
fn six_friends_get_no_more_than_once() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let four = ["Ann", "Bob", "Cid", "Dee"].map(|name| world.user(name));
        let mut changes = Vec::new();
        for _ in 0..5 {
            let (table_id, _) = world.running(&world.new_table("together", 4), &four);
            for friend in &four[1..] {
                world.resign(table_id, *friend).unwrap();
            }
            changes.push(result(&world, table_id, four[0]).0);
        }
        assert_eq!(changes, [4, 0, 0, 0, 0]);
        // Taking turns at it costs the losers more than it gives the winner.
        let sum = |world: &World| four.iter().map(|who| score(world, *who)).sum::<i64>();
        let before = sum(&world);
        for winner in &four[1..] {
            let others: Vec<UserId> = four.iter().copied().filter(|who| who != winner).collect();
            let (table_id, _) = world.running(&world.new_table("together", 4), &four);
            others.iter().for_each(|other| world.resign(table_id, *other).unwrap());
        }
        assert!(sum(&world) < before);
    });
}

#[test]
fn two_tables_that_end_at_once_are_booked_one_after_the_other() {
    on_both(|fresh| {
        let world = World::on(fresh);
        for round in 0..8 {
            let (ann, bob) = (world.user(&format!("Ann{round}")), world.user(&format!("Bob{round}")));
            let tables = [0, 1].map(|_| world.running(&world.new_table("together", 2), &[ann, bob]).0);
            let other = second(&world, fresh);
            let start = Barrier::new(2);
            let resign = |world: &World, table_id| {
                start.wait();
                world.resign(table_id, bob).unwrap();
            };
            std::thread::scope(|scope| {
                scope.spawn(|| resign(&world, tables[0]));
                scope.spawn(|| resign(&other, tables[1]));
            });
            assert_eq!(score(&world, ann), 101, "one of the two counts");
        }
    });
}

#[test]
fn deleting_the_account_and_signing_up_again_washes_nothing_away() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        played(&world, ann, bob);
        let drop_table = world.running(&world.new_table("together", 2), &[bob, ann]).0;
        world.deliver();
        world.hand_in(drop_table, ann, "play 1").unwrap();
        world.run_out(drop_table);
        let known = |who| world.read(|conn| tables::reputation(conn, &world.ctx, world.now(), who)).unwrap();
        assert_eq!((known(bob).score, known(bob).drops), (96, 1));
        // A table of three that goes on: what Bob did there is booked after he has come back.
        let cid = world.user("Cid");
        let (later, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        delete(&world, bob);
        // Signing up changes nothing; whoever confirms the address first gets the record, with a tag and in capitals too.
        let pending =
            SignUpForm { name: "Bob2", email: "bob@mail.example", password: "make it so, number one", zone: "" };
        let pending = SignUp::check(&pending).unwrap();
        world.db.write(|conn| accounts::sign_up(conn, &world.ctx.site, world.now(), &pending)).unwrap();
        let back = sign_up(&world, "Bob3", "BOB+new@Mail.Example");
        assert_eq!((known(back).score, known(back).drops), (96, 1));
        world.resign(later, cid).unwrap();
        assert_eq!(known(back).score, 94);
        // A second account with the address gets none of it.
        let third = sign_up(&world, "Bob4", "bob+2@mail.example");
        assert_eq!((known(third).score, known(third).games), (100, 0));
        // Ann's wins over the old account are wins over the new one.
        let win = played(&world, ann, back);
        assert_eq!(result(&world, win, ann), (0, Some("repeat".to_owned())));
        // After a year nothing is known any more.
        delete(&world, back);
        world.pass(365 * DAY);
        let purged = world.db.write(|conn| accounts::purge(conn, world.now())).unwrap();
        assert_eq!(purged.departures, 1);
        let late = sign_up(&world, "Bob5", "bob+5@mail.example");
        assert_eq!((known(late).score, known(late).games), (100, 0));
    });
}

#[test]
fn a_ranked_private_table_is_open_once_it_is_over_and_its_talk_is_not() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, eve) = (world.user("Ann"), world.user("Bob"), world.user("Eve"));
        for ranked in [true, false] {
            let new = NewTable { ranked, invite_only: true, ..world.new_table("together", 2) };
            let table_id = world.create(ann, &new).unwrap();
            let key = world.page(table_id, Some(ann)).table.invite_key.unwrap();
            world.join_with(table_id, bob, "low", Some(&key)).unwrap();
            world
                .run(|conn| tables::say(conn, &world.ctx, At::new(world.now(), table_id, ann), None, "between us"))
                .unwrap();
            let look = |viewer| world.read(|conn| tables::table_page(conn, &world.ctx, table_id, viewer, None));
            for viewer in [None, Some(eve)] {
                assert!(matches!(look(viewer), Err(Refused::NoTable)), "while it is played");
            }
            world.resign(table_id, bob).unwrap();
            for viewer in [None, Some(eve)] {
                match look(viewer) {
                    Ok(page) => {
                        assert!(ranked && page.talk.closed && page.talk.messages.is_empty());
                        assert!(page.table.invite_key.is_none());
                        world.read(|conn| tables::record_of(conn, &world.ctx, table_id, viewer)).unwrap();
                    }
                    Err(refused) => assert!(!ranked && matches!(refused, Refused::NoTable)),
                }
                let all = world.read(|conn| tables::talk(conn, &world.ctx, table_id, viewer, None));
                assert!(all.is_ok_and(|talk| talk.messages.is_empty()) == ranked);
                let past = world.read(|conn| tables::past_tables(conn, &world.ctx, ann, viewer, 1, 50)).unwrap();
                assert_eq!(past.rows.iter().any(|row| row.table_id == table_id), ranked);
            }
            assert_eq!(look(Some(bob)).unwrap().talk.messages.len(), 1);
        }
    });
}
