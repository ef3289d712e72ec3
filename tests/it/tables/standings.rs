//! Leaderboards, and what others see of a player beforehand.

use stardate::store::{TableId, UserId};
use std::collections::BTreeMap;

use diesel::prelude::*;
use stardate::store::schema::users;
use stardate::tables::{self, Leaderboard, NewTable, Outcome, OwnPlace, Reputation};

use super::world::{DAY, HOUR, World};
use crate::harness::on_both;

/// One point from `other` to `who`.
fn beat(world: &World, who: UserId, other: UserId) {
    let (table_id, _) = world.running(&world.new_table("together", 2), &[who, other]);
    world.pass(60);
    world.resign(table_id, other).unwrap();
}

fn board(world: &World, game: Option<&str>, least: i64, page: i64, viewer: Option<UserId>) -> Leaderboard {
    world.read(|conn| tables::leaderboard(conn, game, least, page, viewer)).unwrap()
}

fn lines(board: &Leaderboard) -> Vec<(i64, &str, i64)> {
    board.rows.iter().map(|row| (row.place, row.name.as_str(), row.score)).collect()
}

fn known(world: &World, who: UserId) -> Reputation {
    world.read(|conn| tables::reputation(conn, &world.ctx, world.now(), who)).unwrap()
}

#[test]
fn players_stand_by_score_and_equal_ones_share_a_place() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid, dee, eve] = ["Ann", "bob", "Cid", "Dee", "Eve"].map(|name| world.user(name));
        for other in [bob, cid, dee] {
            beat(&world, ann, other);
        }
        for other in [cid, ann] {
            beat(&world, bob, other);
        }
        beat(&world, cid, dee);
        // Ann 3 of 4, Bob 2 of 3, Cid 1 of 3, Dee 0 of 2, Eve has not played.
        let all = board(&world, None, 1, 1, None);
        assert_eq!(lines(&all), [(1, "Ann", 102), (2, "bob", 101), (3, "Cid", 99), (4, "Dee", 98)]);
        assert_eq!((all.listed, &all.own), (4, &None));
        assert_eq!(all, board(&world, Some("numbers"), 1, 1, None));
        assert_eq!(board(&world, Some("conquest"), 1, 1, None).rows, []);
        let ann_line = &all.rows[0];
        assert_eq!((ann_line.tallies.games(), ann_line.tallies.wins, ann_line.tallies.losses), (4, 3, 1));
        assert_eq!(ann_line.form, [Outcome::Won, Outcome::Won, Outcome::Won, Outcome::Resigned], "oldest first");

        let three = board(&world, None, 3, 1, Some(dee));
        assert_eq!(lines(&three), [(1, "Ann", 102), (2, "bob", 101), (3, "Cid", 99)]);
        assert_eq!(three.own, Some(OwnPlace::NotYet { games: 2, missing: 1 }));
        assert_eq!(board(&world, None, 3, 1, Some(eve)).own, Some(OwnPlace::NotYet { games: 0, missing: 3 }));
        let own = board(&world, None, 3, 1, Some(cid)).own;
        assert!(matches!(own, Some(OwnPlace::Listed(row)) if row.place == 3 && row.form.len() == 3));

        // Dee draws level with Cid, and the next one after two equals is fifth.
        beat(&world, dee, eve);
        let level = board(&world, None, 1, 1, None);
        assert_eq!(lines(&level)[2..], [(3, "Cid", 99), (3, "Dee", 99), (3, "Eve", 99)]);
        beat(&world, bob, eve);
        assert_eq!(lines(&board(&world, None, 1, 1, None))[4], (5, "Eve", 98));
        assert_eq!(board(&world, None, 1, 2, None).rows, [], "there is no second page");

        // Somebody who is gone is listed no more, and the others move up.
        let now = world.now();
        let gone =
            |conn: &mut _| diesel::update(users::table.find(ann)).set(users::deleted_at.eq(Some(now))).execute(conn);
        world.db.write(gone).unwrap();
        let left = board(&world, None, 1, 1, Some(ann));
        assert_eq!(lines(&left)[0], (1, "bob", 102));
        assert_eq!((left.listed, left.own), (4, Some(OwnPlace::NotYet { games: 0, missing: 1 })));

        // Nor are programs.
        world
            .db
            .write(|conn| diesel::update(users::table.find(bob)).set(users::bot.eq(Some("numbers/dull"))).execute(conn))
            .unwrap();
        assert_eq!(lines(&board(&world, None, 1, 1, None))[0], (1, "Cid", 99));
    });
}

#[test]
fn only_booked_ranked_results_count_and_form_keeps_the_last_eight() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let unranked = NewTable { ranked: false, ..world.new_table("together", 2) };
        let (table_id, _) = world.running(&unranked, &[ann, bob]);
        world.resign(table_id, bob).unwrap();
        let (three, _) = world.running(&world.new_table("together", 3), &[ann, bob, cid]);
        world.resign(three, bob).unwrap();
        assert_eq!(board(&world, None, 1, 1, None).rows, [], "nothing is booked before the table ends");
        world.resign(three, cid).unwrap();
        assert_eq!(lines(&board(&world, None, 1, 1, None)), [(1, "Ann", 102), (2, "Cid", 99), (3, "Bob", 98)]);
        for _ in 0..7 {
            world.pass(91 * DAY);
            beat(&world, bob, ann);
        }
        beat(&world, ann, bob);
        let all = board(&world, None, 1, 1, None);
        let of = |who: UserId| all.rows.iter().find(|row| row.user_id == who).unwrap();
        assert_eq!(of(bob).tallies.games(), 9);
        assert_eq!(of(bob).form.len(), 8);
        assert_eq!((of(bob).form[0], of(bob).form[7]), (Outcome::Won, Outcome::Resigned), "the first one fell out");
    });
}

#[test]
fn others_see_score_drops_and_pending_drops() {
    on_both(|fresh| {
        let mut world = World::on(fresh);
        world.ctx.join.window = 3;
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        assert_eq!(known(&world, bob), Reputation { score: 100, games: 0, drops: 0, pending_drops: 0, pace_s: None });
        let new = NewTable { time_limit_s: HOUR, ..world.new_table("together", 3) };
        let (table_id, _) = world.running(&new, &[ann, bob, cid]);
        world.deliver();
        for player in [ann, cid] {
            world.hand_in(table_id, player, "play 1").unwrap();
        }
        world.run_out(table_id);
        assert_eq!(world.status(table_id), "running");
        let pending = known(&world, bob);
        assert_eq!((pending.score, pending.games, pending.drops, pending.pending_drops), (100, 1, 1, 1));
        world.resign(table_id, cid).unwrap();
        let booked = known(&world, bob);
        assert_eq!((booked.score, booked.drops, booked.pending_drops), (97, 1, 0));
        for other in [ann, cid] {
            beat(&world, bob, other);
        }
        let dee = world.user("Dee");
        assert_eq!(known(&world, bob).drops, 1);
        beat(&world, bob, dee);
        let healed = known(&world, bob);
        assert_eq!((healed.score, healed.games, healed.drops), (100, 3, 0), "three games with three opponents");

        // Many at once, and each of them for itself.
        let all = world.read(|conn| tables::reputations(conn, &world.ctx, world.now(), &[ann, bob, cid, ann])).unwrap();
        let each: BTreeMap<UserId, Reputation> = [ann, bob, cid].map(|who| (who, known(&world, who))).into();
        assert_eq!(all, each);
    });
}

/// Plays a table of steps to its end: each player gives the first plot of a turn after their own time, and the
/// second under the same clock five minutes later.
fn play_at_pace(world: &World, players: [(UserId, i64); 2]) -> TableId {
    let mut new = world.new_table("steps", 2);
    new.options.insert("rounds".to_owned(), "5".to_owned());
    let (table_id, _) = world.running(&new, &players.map(|(player, _)| player));
    while let Some(phase) = world.page(table_id, None).phase {
        let seats = world.page(table_id, None).seats;
        let due = seats.iter().find(|seat| seat.due).unwrap().user_id;
        let took = players.iter().find(|(player, _)| *player == due).unwrap().1;
        world.pass(if phase.key == "choose" { took } else { 300 });
        world.hand_in(table_id, due, "play 1").unwrap();
    }
    table_id
}

#[test]
fn pace_is_the_median_from_the_start_of_the_clock_to_the_first_plot() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        play_at_pace(&world, [(ann, 600), (bob, 2 * HOUR)]);
        assert_eq!(known(&world, ann).pace_s, None, "five answers are too few");
        for _ in 0..2 {
            play_at_pace(&world, [(ann, 600), (bob, 2 * HOUR)]);
        }
        assert_eq!((known(&world, ann).pace_s, known(&world, bob).pace_s), (Some(600), Some(2 * HOUR)));

        // Default orders at the deadline are no answer, and an open phase tells nothing yet.
        let new = NewTable { passes_allowed: 9, ..world.new_table("together", 2) };
        let (open, _) = world.running(&new, &[ann, bob]);
        world.deliver();
        world.run_out(open);
        world.hand_in(open, ann, "play 1").unwrap();
        assert_eq!((known(&world, ann).pace_s, known(&world, bob).pace_s), (Some(600), Some(2 * HOUR)));

        // Both change their ways; soon more than half of their answers are the new ones.
        for _ in 0..4 {
            play_at_pace(&world, [(ann, HOUR), (bob, HOUR)]);
        }
        assert_eq!((known(&world, ann).pace_s, known(&world, bob).pace_s), (Some(HOUR), Some(HOUR)));
    });
}

#[test]
fn a_players_tables_are_told_page_by_page_and_private_ones_to_their_people() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        for foe in ["Dan", "Eve", "Fay", "Gil", "Hal"] {
            beat(&world, ann, world.user(foe));
        }
        let private =
            NewTable { invite_only: true, title: "Behind doors".to_owned(), ..world.new_table("together", 2) };
        let start_private = || {
            let table_id = world.create(ann, &private).unwrap();
            let key = world.page(table_id, Some(ann)).table.invite_key.unwrap();
            world.join_with(table_id, bob, "low", Some(&key)).unwrap();
            world.pass(60);
            table_id
        };
        let ended = start_private();
        world.resign(ended, ann).unwrap();
        let running = start_private();
        beat(&world, ann, cid);

        let past =
            |viewer, page| world.read(|conn| tables::past_tables(conn, &world.ctx, ann, viewer, page, 4)).unwrap();
        // A ranked table opens to everybody once it is over, a private one too.
        assert_eq!((past(Some(bob), 1).total, past(Some(cid), 1).total, past(None, 1).total), (7, 7, 7));
        let ids = |viewer| -> Vec<TableId> {
            (1..=3).flat_map(|page| past(viewer, page).rows).map(|row| row.table_id).collect()
        };
        assert_eq!(ids(Some(bob)).len(), 7);
        assert_eq!(ids(Some(bob))[1], ended, "newest first: the private one was the last but one");
        assert!(ids(Some(cid)).contains(&ended) && ids(Some(cid)).len() == 7);
        assert_eq!(past(Some(bob), 1).rows[1].opponents, ["Bob"]);
        assert_eq!((past(None, 1).rows[0].score_change, past(None, 1).rows[0].outcome), (1, Some(Outcome::Won)));

        let profile =
            |viewer| world.read(|conn| tables::profile(conn, &world.ctx, world.now(), "Ann", viewer)).unwrap();
        let listed = |viewer| -> Vec<TableId> { profile(viewer).running.iter().map(|row| row.table_id).collect() };
        assert_eq!((listed(Some(bob)), listed(Some(cid)), listed(None)), (vec![running], vec![], vec![]));
        assert_eq!(profile(None).score, 105);
        assert_eq!(profile(None).ranked.games(), 7);
        assert_eq!(profile(None).by_game[0].tallies.losses, 1);
        let steps: Vec<i64> = profile(None).steps.iter().map(|step| step.score).collect();
        assert_eq!(steps, [101, 102, 103, 104, 105, 104, 105]);
    });
}

#[test]
fn tables_being_played_are_listed_unless_they_are_private() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let list = |page| world.read(|conn| tables::running_tables(conn, &world.ctx, page, 2)).unwrap();
        assert_eq!((list(1).rows.len(), list(1).total), (0, 0));
        let mut started = Vec::new();
        for number in 0..3 {
            let title = format!("Table {number}");
            started.push(world.running(&NewTable { title, ..world.new_table("steps", 2) }, &[ann, bob]).0);
            world.pass(60);
        }
        let private = NewTable { invite_only: true, ..world.new_table("together", 2) };
        let table_id = world.create(ann, &private).unwrap();
        let key = world.page(table_id, Some(ann)).table.invite_key.unwrap();
        world.join_with(table_id, bob, "low", Some(&key)).unwrap();
        let ids = |page| -> Vec<TableId> { list(page).rows.iter().map(|row| row.table_id).collect() };
        assert_eq!((ids(1), ids(2), list(1).total), (vec![started[2], started[1]], vec![started[0]], 3));
        let row = &list(1).rows[0];
        assert_eq!(
            (row.title.as_str(), row.game_name.as_str(), row.phase.as_str()),
            ("Table 2", "Numbers", "Turn 1, Choose")
        );
        assert_eq!(row.players.len(), 2);
        world.resign(started[2], ann).unwrap();
        assert_eq!(ids(1), [started[1], started[0]]);
    });
}
