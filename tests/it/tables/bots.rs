//! Seats played by programs.

use stardate::store::{PhaseNo, TableId, UserId};
use std::collections::BTreeMap;

use diesel::prelude::*;
use stardate::accounts;
use stardate::store::plots;
use stardate::store::schema::{dues, game_tables, outbox, phases, users};
use stardate::store::timers::{self, TimerKind};
use stardate::tables::{self, At, NewPractice, NewTable, Refused, Tallies};

use super::world::{DAY, GRACE, World};
use crate::harness::bots::strongest;
use crate::harness::on_both;

const GAME: &str = "imperial-conflict";

fn small() -> BTreeMap<String, String> {
    BTreeMap::from([("map".to_owned(), "sector".to_owned())])
}

fn practise(world: &World, who: UserId, bot: &str, bots: usize) -> Result<TableId, Refused> {
    let new = NewPractice {
        game: GAME.to_owned(),
        options: small(),
        bot: bot.to_owned(),
        bots: Some(bots),
        ..NewPractice::default()
    };
    world.run(|conn| tables::practise(conn, &world.ctx, world.now(), who, &new))
}

fn waiting(world: &World, who: UserId, ranked: bool) -> TableId {
    let new = NewTable {
        game: GAME.to_owned(),
        options: small(),
        seats: Some(4),
        time_limit_s: DAY,
        ranked,
        ..NewTable::default()
    };
    world.create(who, &new).unwrap()
}

fn add(world: &World, table_id: TableId, who: UserId, bot: &str, count: usize) -> Result<bool, Refused> {
    world.run(|conn| tables::add_bots(conn, &world.ctx, At::new(world.now(), table_id, who), bot, count))
}

/// Short names of the game's bots, the weakest first.
fn strengths(world: &World) -> Vec<&'static str> {
    let game = world.ctx.games.current(GAME).unwrap();
    tables::bots_of(&*game).into_iter().map(|bot| bot.id).collect()
}

/// Result and score change of each seat of a table for practice, sorted.
fn results(world: &World, table_id: TableId, who: UserId) -> Vec<String> {
    let seats = world.page(table_id, Some(who)).seats;
    let shown = seats.iter().map(|seat| match seat.result {
        None => "in play".to_owned(),
        Some(result) => format!("{} {} {}", result.outcome.word(), result.score_change, result.booked),
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown
}

/// Lets the bots play until nothing of theirs is due; the clock stands. Gives the number of their steps.
fn let_them_play(world: &World) -> usize {
    let mut steps = 0;
    loop {
        let swept = world.sweep();
        assert_eq!(swept.failed, 0);
        if swept.done == 0 {
            return steps;
        }
        steps += swept.done;
        assert!(steps < 20_000, "bots come to an end");
    }
}

fn bot_letters(world: &World) -> i64 {
    let bots = users::table.filter(users::bot.is_not_null()).select(users::id.nullable());
    world.read(|conn| outbox::table.filter(outbox::user_id.eq_any(bots)).count().get_result(conn)).unwrap()
}

#[test]
fn a_practice_game_against_two_bots_runs_to_its_end_and_books_no_score() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let ann = world.user("Ann");
        let table_id = practise(&world, ann, strengths(&world)[0], 2).unwrap();
        let page = world.page(table_id, Some(ann));
        assert_eq!((page.table.status.word(), page.table.ranked, page.table.practice), ("running", false, true));
        assert_eq!((page.seats.len(), page.seats.iter().filter(|seat| seat.bot).count()), (3, 2));
        let mine = world.read(|conn| tables::my_tables(conn, &world.ctx, ann)).unwrap();
        assert_eq!(mine.iter().map(|table| table.table_id).collect::<Vec<_>>(), [table_id]);
        let bob = world.user("Bob");
        assert!(matches!(world.join(table_id, bob), Err(Refused::NoTable)), "practice is for one");
        assert!(world.read(|conn| tables::open_tables(conn, &world.ctx, world.now(), Some(bob))).unwrap().is_empty());

        let began = world.now();
        let mut seed = 0;
        while world.status(table_id) == "running" {
            let_them_play(&world);
            let orders = world.read(|conn| strongest(conn, &world.ctx, table_id, ann, seed));
            seed = seed.wrapping_add(1);
            match orders {
                Some(orders) => drop(world.hand_in(table_id, ann, &orders).unwrap()),
                None => assert_eq!(world.status(table_id), "over", "either Ann is due, or bots are, or it is over"),
            }
        }
        assert_eq!(world.now(), began, "no bot waits for the clock");
        for result in results(&world, table_id, ann) {
            assert!(result.ends_with(" 0 true"), "{result}");
        }
        let profile = world.read(|conn| tables::profile(conn, &world.ctx, world.now(), "Ann", None)).unwrap();
        assert_eq!((profile.score, profile.ranked), (100, Tallies::default()));
        assert_eq!(profile.unranked, Tallies::default(), "practice is nobody else's business");
        let rule = world.read(|conn| tables::join_rule(conn, &world.ctx, world.now(), ann)).unwrap();
        assert_eq!((rule.held, rule.games), (0, 0), "practice keeps nobody from playing with people");
        assert_eq!(bot_letters(&world), 0);
        assert_eq!(world.read(timers::next).unwrap(), None, "no timer is left over");
        let record = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, Some(ann))).unwrap();
        tables::record::replay(&record, world.ctx.games.engines()).unwrap();
    });
}

#[test]
fn bots_left_alone_play_on_to_an_end() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let ann = world.user("Ann");
        let strongest = *strengths(&world).last().unwrap();
        let table_id = practise(&world, ann, strongest, 2).unwrap();
        world.resign(table_id, ann).unwrap();
        assert_eq!(world.status(table_id), "running");
        let_them_play(&world);
        assert_eq!(world.status(table_id), "over");

        // One that would go on for ever ends by giving up.
        let table_id = practise(&world, ann, strongest, 2).unwrap();
        world.resign(table_id, ann).unwrap();
        let no = world.phase_no(table_id);
        world
            .run(|conn| {
                let of_table = phases::table.filter(phases::table_id.eq(table_id)).filter(phases::no.eq(no));
                diesel::update(of_table).set(phases::no.eq(3000)).execute(conn)?;
                let of_table = dues::table.filter(dues::table_id.eq(table_id)).filter(dues::phase_no.eq(no));
                diesel::update(of_table).set(dues::phase_no.eq(3000)).execute(conn)?;
                diesel::update(game_tables::table.find(table_id)).set(game_tables::phase_no.eq(3000)).execute(conn)?;
                for kind in [TimerKind::Bot, TimerKind::Deadline, TimerKind::Reminder] {
                    timers::carry(conn, table_id, kind, PhaseNo(3000))?;
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(let_them_play(&world), 1);
        assert_eq!(world.status(table_id), "over");
        assert_eq!(results(&world, table_id, ann), ["resigned 0 true", "resigned 0 true", "won 0 true"]);
    });
}

#[test]
fn the_creator_seats_bots_and_the_table_no_longer_counts() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let weak = strengths(&world)[0];
        let table_id = waiting(&world, ann, true);
        assert!(matches!(add(&world, table_id, bob, weak, 1), Err(Refused::NotCreator)));
        assert!(matches!(add(&world, table_id, ann, "nobody", 1), Err(Refused::NoBot(_))));
        assert!(world.page(table_id, None).table.ranked, "a refusal changes nothing");
        for wrong in [0, 4] {
            assert!(matches!(add(&world, table_id, ann, weak, wrong), Err(Refused::NoFreeSeats { free: 3 })));
        }
        assert!(!add(&world, table_id, ann, weak, 2).unwrap());
        let page = world.page(table_id, None);
        assert!(!page.table.ranked);
        assert_eq!(page.seats[0].user_id, ann, "she sat down before the bots of the same second");
        let bots: Vec<(UserId, &str)> =
            page.seats.iter().filter(|seat| seat.bot).map(|seat| (seat.user_id, seat.name.as_str())).collect();
        let mut names: Vec<&str> = bots.iter().map(|(_, name)| *name).collect();
        names.sort_unstable_by_key(|name| name.len());
        assert_eq!(names[1], names[0].replace(" (bot)", " 2 (bot)"));
        assert!(names.iter().all(|name| tables::is_bot_name(name)) && names[0] != names[1], "{names:?}");
        assert_eq!(world.log(table_id), ["made", "unranked", "joined"]);
        // The same accounts sit at other tables as well.
        let other = waiting(&world, bob, false);
        add(&world, other, bob, weak, 1).unwrap();
        let there = world.page(other, None).seats.into_iter().find(|seat| seat.bot).unwrap().user_id;
        assert!(bots.iter().any(|(user_id, _)| *user_id == there));

        // A bot goes without a letter; with only bots left there is nobody to hand the table on to.
        world.run(|conn| tables::remove(conn, &world.ctx, At::new(world.now(), table_id, ann), bots[1].0)).unwrap();
        let leave = world.run(|conn| tables::leave_before_start(conn, &world.ctx, At::new(world.now(), table_id, ann)));
        assert!(matches!(leave, Err(Refused::OnlyBotsStay)));
        world.join(table_id, bob).unwrap();
        assert!(!add(&world, table_id, ann, weak, 0).is_ok_and(|started| started));
        assert!(add(&world, table_id, ann, weak, 1).unwrap(), "the last seat starts the table");
        assert_eq!(bot_letters(&world), 0);

        // Others sat down for the score.
        let ranked = waiting(&world, ann, true);
        world.join(ranked, bob).unwrap();
        assert!(matches!(add(&world, ranked, ann, weak, 1), Err(Refused::RankedTable)));
        assert!(world.page(ranked, None).table.ranked);
        // Nobody signs in as a bot, and nobody can be invited as one.
        let name = world.page(table_id, None).seats.iter().find(|seat| seat.bot).unwrap().name.clone();
        let browser = accounts::Browser { key: String::new(), agent: String::new() };
        for password in ["", "none", "x"] {
            assert!(accounts::sign_in(&world.db, world.now(), &name, password, &browser).is_err());
        }
        let invited = world.run(|conn| tables::invite(conn, &world.ctx, At::new(world.now(), ranked, ann), &name));
        assert!(matches!(invited, Err(Refused::NoPlayer(_))));
    });
}

#[test]
fn a_bot_that_failed_does_the_plainest_thing_and_is_never_dropped() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let ann = world.user("Ann");
        let bot = *strengths(&world).last().unwrap();
        // Until a bot has the first turn.
        let table_id = loop {
            let table_id = practise(&world, ann, bot, 2).unwrap();
            if world.page(table_id, Some(ann)).seats.iter().any(|seat| seat.due && seat.bot) {
                break table_id;
            }
            world.resign(table_id, ann).unwrap();
            let_them_play(&world);
        };
        let timer = |kind: TimerKind| {
            let timers = world.read(|conn| timers::of_table(conn, table_id)).unwrap();
            timers.into_iter().find(|timer| timer.kind == kind)
        };
        let set = timer(TimerKind::Bot).expect("a bot that is due has a timer");
        assert_eq!((set.due_at, set.phase_no), (world.now(), PhaseNo(1)), "it answers at once");
        world.run(|conn| Ok(timers::put_off(conn, set.id, 1, "it failed", world.now())?)).unwrap();
        assert_eq!(world.sweep().done, 1);
        let first = &world.read(|conn| plots::of_phase(conn, table_id, PhaseNo(1))).unwrap()[0];
        assert!(first.body.starts_with("deploy") && first.body.ends_with("end\n"), "{}", first.body);
        assert_eq!(first.source.word(), "hand");

        // Not asked in time, by a fault of the server's: the plainest thing is done in its place.
        let_them_play(&world);
        let ann_moves = world.read(|conn| strongest(conn, &world.ctx, table_id, ann, 1));
        let mut orders = ann_moves.expect("it is Ann's turn");
        while world.status(table_id) == "running" && timer(TimerKind::Bot).is_none() {
            world.hand_in(table_id, ann, &orders).unwrap();
            orders = world.read(|conn| strongest(conn, &world.ctx, table_id, ann, 2)).unwrap_or_default();
        }
        if let Some(set) = timer(TimerKind::Bot) {
            world
                .run(|conn| {
                    Ok(timers::put_off(conn, set.id, 3, "it failed", world.now() + chrono::TimeDelta::days(30))?)
                })
                .unwrap();
            let deadline = world.page(table_id, Some(ann)).phase.unwrap().deadline;
            world.pass((deadline - world.now()).num_seconds() + GRACE);
            world.sweep();
            assert_eq!(results(&world, table_id, ann), ["in play"; 3], "a bot is not dropped");
            assert!(world.phase_no(table_id) > set.phase_no.0);
        }
    });
}
