use stardate::store::TableId;
use std::collections::BTreeSet;

use stardate::rules::SeatSetup;
use stardate::store::IdText;
use stardate::tables::{self, Act, At, NewTable, Refused};

use super::world::{DAY, World};
use crate::harness::on_both;

#[test]
fn every_fault_of_a_new_table_is_told_at_once() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let ann = world.user("Ann");
        let mut new = NewTable {
            title: "x".repeat(81),
            setup: SeatSetup::from([("hand".to_owned(), "1 99".to_owned())]),
            time_limit_s: 299,
            passes_allowed: 21,
            max_drops: Some(-1),
            ..world.new_table("sideways", 5)
        };
        let Err(Refused::Form(faults)) = world.create(ann, &new) else { panic!("the form has faults") };
        let fields: BTreeSet<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(
            fields,
            BTreeSet::from(["title", "mode", "hand", "seats", "time_limit", "passes_allowed", "max_drops"])
        );
        assert!(world.read(|conn| tables::open_tables(conn, &world.ctx, world.now(), Some(ann))).unwrap().is_empty());

        new = world.new_table("together", 2);
        new.time_limit_s = 14 * DAY + 1;
        assert!(matches!(world.create(ann, &new), Err(Refused::Form(_))));
        new.time_limit_s = 14 * DAY;
        world.create(ann, &new).unwrap();
        new.time_limit_s = 300;
        world.create(ann, &new).unwrap();
        new.game = "chess".to_owned();
        assert!(matches!(world.create(ann, &new), Err(Refused::NoGame(_))));
    });
}

#[test]
fn a_table_starts_when_it_is_full_and_the_dice_deal_the_seats() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let mut first_seats = BTreeSet::new();
        for _ in 0..24 {
            let table_id = world.create(ann, &world.new_table("together", 3)).unwrap();
            assert!(!world.join(table_id, bob).unwrap());
            assert_eq!(world.status(table_id), "open");
            assert!(matches!(world.join(table_id, bob), Err(Refused::AlreadySeated)));
            assert!(world.join(table_id, cid).unwrap(), "the third player fills the table");
            let page = world.page(table_id, Some(bob));
            assert_eq!(page.table.status.word(), "running");
            assert_eq!(page.phase.unwrap().name, "Turn 1, Choose");
            let letters: String = page.seats.iter().map(|seat| seat.seat.unwrap().letter()).collect();
            assert_eq!(letters, "ABC");
            first_seats.insert(page.seats[0].user_id);
            for player in [ann, bob, cid] {
                assert_eq!(world.letters(table_id, player), ["due", "started"]);
            }
        }
        assert_eq!(first_seats, BTreeSet::from([ann, bob, cid]), "each of them is dealt the first seat at times");
        let dee = world.user("Dee");
        let table_id = world.read(|conn| tables::my_tables(conn, &world.ctx, ann)).unwrap()[0].table_id;
        assert!(matches!(world.join(table_id, dee), Err(Refused::NotOpen(_))));
    });
}

#[test]
fn a_loadout_is_copied_when_its_player_sits_down() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, now) = (world.user("Ann"), world.user("Bob"), world.now());
        let save = |id: Option<i64>, name: &str, text: &str| {
            world.run(|conn| tables::save_loadout(conn, &world.ctx, now, ann, "numbers", id, name, text))
        };
        let mine = save(None, "Odd ones", "5 3 1").unwrap();
        assert!(matches!(save(None, "odd ONES", "1"), Err(Refused::Form(_))), "names are told apart without case");
        assert!(matches!(save(None, "Bad", "1 x"), Err(Refused::Faulty(_))));

        let mut new = world.new_table("together", 2);
        new.setup = SeatSetup::from([("hand".to_owned(), format!("saved:{}", IdText(mine)))]);
        let table_id = world.create(ann, &new).unwrap();
        save(Some(mine), "Odd ones", "9").unwrap();
        world.join_with(table_id, bob, "2 2 4", None).unwrap();
        assert_eq!(world.page(table_id, Some(ann)).my_setup.unwrap()["hand"], "1 3 5");
        assert!(world.turn(table_id, ann).sight.view.contains("[1,3,5]"));
        assert!(world.turn(table_id, bob).sight.view.contains("[2,2,4]"));

        // Somebody else's loadout is nobody's business.
        let cid = world.user("Cid");
        let stolen = world.create(cid, &new);
        assert!(matches!(stolen, Err(Refused::Form(faults)) if faults[0].field == "hand"));
        assert!(world.run(|conn| tables::delete_loadout(conn, ann, mine)).unwrap());
        assert!(!world.run(|conn| tables::delete_loadout(conn, ann, mine)).unwrap());
    });
}

#[test]
fn an_invite_only_table_is_there_for_those_who_were_asked() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid, dee) = (world.user("Ann"), world.user("Bob"), world.user("Cid"), world.user("Dee"));
        let new = NewTable { invite_only: true, ..world.new_table("together", 4) };
        let table_id = world.create(ann, &new).unwrap();
        let look =
            |viewer, key: Option<&str>| world.read(|conn| tables::table_page(conn, &world.ctx, table_id, viewer, key));
        assert!(matches!(look(Some(bob), None), Err(Refused::NoTable)));
        assert!(matches!(look(None, None), Err(Refused::NoTable)));
        assert!(matches!(look(Some(bob), Some("guessed")), Err(Refused::NoTable)));
        assert!(matches!(world.join(table_id, bob), Err(Refused::NoTable)));
        assert!(world.read(|conn| tables::open_tables(conn, &world.ctx, world.now(), Some(bob))).unwrap().is_empty());

        let key = look(Some(ann), None).unwrap().table.invite_key.unwrap();
        assert_eq!(world.read(|conn| tables::by_invite_key(conn, &key, None)).unwrap(), table_id);
        assert!(matches!(world.read(|conn| tables::by_invite_key(conn, "guessed", Some(ann))), Err(Refused::NoTable)));
        assert!(look(Some(bob), Some(&key)).unwrap().table.invite_key.is_none(), "a guest does not hand the link on");
        world.join_with(table_id, bob, "low", Some(&key)).unwrap();

        let invite = |by, whom: &str| {
            world.run(|conn| tables::invite(conn, &world.ctx, At::new(world.now(), table_id, by), whom))
        };
        invite(bob, "cid").unwrap();
        invite(ann, "DEE@mail.example").unwrap();
        let twice = |whom: &str| (invite(ann, whom), invite(ann, whom));
        assert!(matches!(twice("stranger@mail.example"), (Ok(()), Ok(()))));
        assert!(matches!(invite(ann, "Nobody"), Err(Refused::NoPlayer(_))));
        assert!(matches!(invite(ann, "no address@"), Err(Refused::Form(_))));
        assert!(matches!(invite(ann, "Bob"), Err(Refused::AlreadySeated)));
        let seated = twice("bob@mail.example");
        assert!(matches!(seated, (Ok(()), Ok(()))), "an address is never told to belong to somebody here");
        assert_eq!(world.letters(table_id, bob), Vec::<String>::new());
        assert_eq!(world.letters(table_id, cid), ["invitation"]);
        assert!(world.letter(table_id, cid, "invitation").contains(&key));
        let listed = world.read(|conn| tables::open_tables(conn, &world.ctx, world.now(), Some(cid))).unwrap();
        assert_eq!(listed.len(), 1);
        world.join(table_id, cid).unwrap();
        world.join(table_id, dee).unwrap();
        assert_eq!(world.status(table_id), "running");
        let eve = world.user("Eve");
        assert!(matches!(
            world.read(|conn| tables::turn(conn, &world.ctx, table_id, Some(eve))),
            Err(Refused::NoTable)
        ));
        assert!(matches!(
            world.run(|conn| tables::resign(
                conn,
                &world.ctx,
                world.now(),
                &Act::in_any_phase(table_id, eve, world.now())
            )),
            Err(Refused::NoTable)
        ));
    });
}

#[test]
fn before_the_start_players_may_leave_and_the_creator_may_call_it_off() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob, cid) = (world.user("Ann"), world.user("Bob"), world.user("Cid"));
        let table_id = world.create(ann, &world.new_table("together", 3)).unwrap();
        world.join(table_id, bob).unwrap();
        let leave =
            |who| world.run(|conn| tables::leave_before_start(conn, &world.ctx, At::new(world.now(), table_id, who)));
        let cancel = |who| world.run(|conn| tables::cancel(conn, &world.ctx, At::new(world.now(), table_id, who)));
        assert!(matches!(leave(cid), Err(Refused::NoSeat)));
        leave(bob).unwrap();
        assert!(matches!(leave(ann), Err(Refused::CreatorStays)), "nobody is there to look after it");
        assert_eq!(world.page(table_id, None).seats.len(), 1);
        world.join(table_id, bob).unwrap();
        assert!(matches!(cancel(bob), Err(Refused::NotCreator)));
        cancel(ann).unwrap();
        assert_eq!(world.status(table_id), "cancelled");
        assert_eq!(world.letters(table_id, bob), ["cancelled"]);
        assert_eq!(world.letters(table_id, ann), Vec::<String>::new());
        assert_eq!(world.log(table_id), ["made", "joined", "left", "joined", "cancelled"]);
        for refused in [leave(bob), cancel(ann)] {
            assert!(matches!(refused, Err(Refused::NotOpen(_))));
        }
        assert!(matches!(world.join(table_id, cid), Err(Refused::NotOpen(_))));
        assert!(world.read(|conn| tables::my_tables(conn, &world.ctx, ann)).unwrap().is_empty());

        let unknown = world.run(|conn| tables::cancel(conn, &world.ctx, At::new(world.now(), TableId(77), ann)));
        assert!(matches!(unknown, Err(Refused::NoTable)));
    });
}
