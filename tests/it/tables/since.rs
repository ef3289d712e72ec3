//! What a player is told of the turns of others, and of their own so far.

use stardate::store::{TableId, UserId};
use std::collections::BTreeMap;

use stardate::tables::NewTable;

use super::world::{HOUR, World};
use crate::harness::{bots, on_both};

const MOST_STEPS: usize = 3000;

pub fn new_table(seats: usize) -> NewTable {
    NewTable {
        game: "imperial-conflict".to_owned(),
        title: "A quiet war".to_owned(),
        options: BTreeMap::from([("map".to_owned(), "sector".to_owned())]),
        seats: Some(seats),
        time_limit_s: 24 * HOUR,
        ranked: true,
        ..NewTable::default()
    }
}

/// The user whose turn it is.
pub fn whose_turn(world: &World, table_id: TableId) -> UserId {
    world.page(table_id, None).seats.iter().find(|seat| seat.due).expect("somebody is due").user_id
}

/// Codes of the countries of the seat of this user, and the armies it has to place.
fn own(world: &World, table_id: TableId, user_id: UserId) -> (Vec<String>, u64) {
    let turn = world.turn(table_id, user_id);
    let view: serde_json::Value = serde_json::from_str(&turn.sight.view).unwrap();
    let countries = view["countries"].as_array().unwrap().iter().filter(|it| it["owner"] == view["viewer"]);
    (countries.map(|it| it["code"].as_str().unwrap().to_owned()).collect(), view["now"]["left"].as_u64().unwrap())
}

/// Places everything in two steps and ends the turn with a third.
fn quiet_turn(world: &World, table_id: TableId) -> UserId {
    world.pass(60);
    let user = whose_turn(world, table_id);
    let (codes, left) = own(world, table_id, user);
    world.hand_in(table_id, user, &format!("deploy 1 {}", codes[0])).unwrap();
    world.hand_in(table_id, user, &format!("deploy {} {}", left - 1, codes[0])).unwrap();
    world.hand_in(table_id, user, "end").unwrap();
    user
}

#[test]
fn a_player_is_told_the_turns_of_the_others_condensed_and_the_own_turn_step_by_step() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let people = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, _) = world.running(&new_table(3), &people);
        let first = whose_turn(&world, table_id);
        let opening = world.turn(table_id, first).since;
        assert_eq!(opening[0].heading, "Set-up");
        assert!(opening.iter().flat_map(|section| &section.lines).any(|line| line.contains("dealt")), "{opening:?}");

        let (codes, _) = own(&world, table_id, first);
        for step in 1..=2 {
            world.hand_in(table_id, first, &format!("deploy 1 {}", codes[0])).unwrap();
            let turn = world.turn(table_id, first);
            assert_eq!(turn.since, opening, "what came before does not change while the turn goes on");
            assert_eq!(turn.so_far.len(), step);
            assert!(turn.so_far[0].lines[0].starts_with("You place 1 army"), "{:?}", turn.so_far);
        }
        let (_, left) = own(&world, table_id, first);
        world.hand_in(table_id, first, &format!("deploy {left} {}\nend", codes[0])).unwrap();
        let second = quiet_turn(&world, table_id);
        let third = quiet_turn(&world, table_id);
        assert_eq!(whose_turn(&world, table_id), first);

        let turn = world.turn(table_id, first);
        assert!(turn.so_far.is_empty());
        let [section] = turn.since.as_slice() else { panic!("one section: {:?}", turn.since) };
        assert_eq!(section.heading, "Turns 1 to 3");
        let quiet: Vec<&String> = section.lines.iter().filter(|line| line.contains(" placed ")).collect();
        assert!(quiet.len() >= 2, "a line for each turn of the others: {:?}", section.lines);
        assert!(section.lines.len() <= 6, "condensed: {:?}", section.lines);

        let letter = world.letter(table_id, first, "due");
        assert!(letter.contains("Turns 1 to 3") && letter.contains("(you)"), "{letter}");
        for user in [first, second, third] {
            let letters = world.letters(table_id, user);
            let due = letters.iter().filter(|kind| *kind == "due").count();
            assert_eq!(due, if user == first { 2 } else { 1 }, "one letter a turn, not one a step: {letters:?}");
            assert!(!letters.contains(&"resolved".to_owned()), "{letters:?}");
        }
    });
}

#[test]
fn who_is_beaten_while_others_play_on_gets_a_letter_about_it() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let people = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, seats) = world.running(&new_table(3), &people);
        let strong = seats[0];
        for _ in 0..MOST_STEPS {
            if world.results(table_id).iter().any(|result| result.starts_with("lost")) {
                break;
            }
            let user = whose_turn(&world, table_id);
            if user == strong {
                let orders = world.read(|conn| bots::strongest(conn, &world.ctx, table_id, user, 3)).unwrap();
                world.hand_in(table_id, user, &orders).unwrap();
            } else {
                quiet_turn(&world, table_id);
            }
        }
        let results = world.results(table_id);
        let beaten = results.iter().position(|result| result.starts_with("lost -1")).expect("somebody was beaten");
        assert_eq!(world.status(table_id), "running", "{results:?}");
        assert_eq!(results[beaten], "lost -1 pending");
        let letter = world.letter(table_id, seats[beaten], "beaten");
        assert!(letter.contains("You are out of the game."), "{letter}");
        assert!(letter.contains("costs 1 point when the table ends"), "{letter}");
        assert!(letter.contains("puts you out of the game"), "it says who did it: {letter}");
        assert!(!world.letters(table_id, strong).contains(&"beaten".to_owned()));
    });
}
