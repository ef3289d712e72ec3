use stardate::store::UserId;
use stardate::tables::{self, JoinFigures, NewTable, Refused, Tallies};

use super::world::{DAY, HOUR, World};
use crate::harness::on_both;

fn drop_once(world: &World, who: UserId, other: UserId, ranked: bool) {
    let new = NewTable { ranked, time_limit_s: HOUR, ..world.new_table("together", 2) };
    let (table_id, _) = world.running(&new, &[other, who]);
    world.deliver();
    world.hand_in(table_id, other, "play 1").unwrap();
    world.run_out(table_id);
    assert_eq!(world.status(table_id), "over");
}

fn win_by_resignation(world: &World, who: UserId, other: UserId) {
    let (table_id, _) = world.running(&world.new_table("together", 2), &[who, other]);
    world.resign(table_id, other).unwrap();
}

#[test]
fn record_and_score_follow_the_results() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        win_by_resignation(&world, ann, bob);
        win_by_resignation(&world, ann, cid);
        world.pass(91 * DAY);
        drop_once(&world, bob, ann, true);
        drop_once(&world, cid, ann, false);
        let (running, _) = world.running(&world.new_table("together", 2), &[ann, cid]);

        let profile =
            |name: &str| world.read(|conn| tables::profile(conn, &world.ctx, world.now(), name, None)).unwrap();
        let ann_page = profile("ANN");
        assert_eq!((ann_page.name.as_str(), ann_page.score), ("Ann", 103));
        assert_eq!(ann_page.ranked, Tallies { wins: 3, ..Tallies::default() });
        assert_eq!(ann_page.unranked, Tallies { wins: 1, ..Tallies::default() });
        let past = |who| world.read(|conn| tables::past_tables(conn, &world.ctx, who, None, 1, 10)).unwrap();
        assert_eq!((ann_page.running.len(), past(ann).rows.len(), past(ann).total), (1, 4, 4));
        assert_eq!((ann_page.running[0].table_id, ann_page.running[0].outcome), (running, None));
        let bob_page = profile("Bob");
        assert_eq!(bob_page.score, 96);
        assert_eq!(bob_page.ranked, Tallies { losses: 1, resignations: 1, drops: 1, ..Tallies::default() });
        assert_eq!((bob_page.ranked.games(), bob_page.joining.drops), (2, 1));
        // A private game that is not ranked is counted for those only who may see it.
        let private = NewTable { ranked: false, invite_only: true, ..world.new_table("together", 2) };
        let table_id = world.create(ann, &private).unwrap();
        let key = world.page(table_id, Some(ann)).table.invite_key.unwrap();
        world.join_with(table_id, cid, "low", Some(&key)).unwrap();
        world.resign(table_id, cid).unwrap();
        let wins = |viewer| {
            world.read(|conn| tables::profile(conn, &world.ctx, world.now(), "Ann", viewer)).unwrap().unranked.wins
        };
        assert_eq!([None, Some(bob), Some(cid), Some(ann)].map(wins), [1, 1, 2, 2]);
        let cid_page = profile("Cid");
        assert_eq!((cid_page.score, cid_page.unranked.drops, cid_page.joining.drops), (99, 1, 0));
        let nobody = world.read(|conn| tables::profile(conn, &world.ctx, world.now(), "Zoe", None));
        assert!(matches!(nobody, Err(Refused::NoPlayer(_))));
    });
}

#[test]
fn drops_limit_joining_until_games_are_played_out() {
    on_both(|fresh| {
        let mut world = World::on(fresh);
        world.ctx.join = JoinFigures { drops: 3, window: 4, running: 1 };
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        for _ in 0..3 {
            drop_once(&world, bob, ann, true);
        }
        let rule = |who| world.read(|conn| tables::join_rule(conn, &world.ctx, world.now(), who)).unwrap();
        assert_eq!((rule(bob).drops, rule(bob).may_hold, rule(bob).may_join), (3, Some(1), true));
        assert_eq!((rule(ann).may_hold, rule(ann).sentence.as_str()), (None, ""));
        let (held, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        assert!(!rule(bob).may_join);
        let refused = world.create(bob, &world.new_table("together", 2));
        let Err(Refused::TooManyDrops(sentence)) = refused else { panic!("one game is all he may hold") };
        assert!(
            sentence.contains("3 drops that still count, in your last 3") && sentence.contains("one game at a time"),
            "{sentence}"
        );
        let open = world.create(ann, &world.new_table("together", 2)).unwrap();
        assert!(matches!(world.join(open, bob), Err(Refused::TooManyDrops(_))));

        // A table may ask for less than the server does.
        let strict = NewTable { max_drops: Some(1), ..world.new_table("together", 2) };
        world.resign(held, ann).unwrap();
        assert!(rule(bob).may_join);
        let strict = world.create(ann, &strict).unwrap();
        let Err(Refused::TooManyDrops(sentence)) = world.join(strict, bob) else { panic!("3 are more than 1") };
        assert!(sentence.contains("at most one drop that still counts; you have 3"), "{sentence}");

        // Games played out push the drops out of the last four.
        for name in ["Cid", "Dee", "Eve"] {
            assert_eq!(rule(bob).drops, 3);
            win_by_resignation(&world, bob, world.user(name));
        }
        assert_eq!((rule(bob).drops, rule(bob).may_hold), (0, None));
        world.join(strict, bob).unwrap();
    });
}
