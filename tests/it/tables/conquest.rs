use stardate::store::{PhaseNo, TableId, UserId};
use std::collections::BTreeMap;

use stardate::rules::{Examined, Slot};
use stardate::tables::record::replay;
use stardate::tables::verify::verify;
use stardate::tables::{self, At, NewTable, PhasePage};

use super::world::{DAY, World};
use crate::harness::on_both;

/// A plot made of offers, chosen by a number that runs on, cut down to what is legal together.
fn plot(world: &World, table_id: TableId, user_id: UserId, slots: &[Slot], luck: &mut u64) -> String {
    let no = world.phase_no(table_id);
    let mut lines: Vec<String> = Vec::new();
    for slot in slots.iter().filter(|slot| slot.group != "Damage doctrine") {
        *luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = usize::try_from(*luck >> 33).unwrap() % (slot.offers.len() + 1);
        lines.extend(slot.offers.get(pick).map(|offer| offer.order.clone()));
    }
    loop {
        let text = lines.join("\n");
        let examined: Examined = world
            .read(|conn| tables::examine(conn, &world.ctx, &world.act(table_id, user_id, no, None), &text))
            .unwrap();
        let Some(fault) = examined.faults.first() else { return text };
        match fault.line {
            Some(line) => drop(lines.remove(line - 1)),
            None => lines.clear(),
        }
    }
}

fn page(world: &World, table_id: TableId, no: PhaseNo, viewer: UserId) -> PhasePage {
    world.read(|conn| tables::phase_report(conn, &world.ctx, table_id, no, Some(viewer))).unwrap()
}

#[test]
fn a_whole_game_of_conquest_is_played_and_replayed() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let new = NewTable {
            game: "conquest".to_owned(),
            options: BTreeMap::new(),
            title: String::new(),
            time_limit_s: 2 * DAY,
            ..world.new_table("", 2)
        };
        let (table_id, seats) = world.running(&new, &[ann, bob]);
        let title = world.page(table_id, None).table.title;
        assert!(title.starts_with("ConQuest: "), "{title}");
        let mut luck = 42;
        let mut deploys = 0;
        while world.status(table_id) == "running" {
            let no = world.phase_no(table_id);
            let phase = world.page(table_id, None).phase.unwrap();
            assert!(no < 400, "the game ends after twenty turns");
            for seat in &seats {
                if world.status(table_id) != "running" || world.phase_no(table_id) != no {
                    break;
                }
                let turn = world.turn(table_id, *seat);
                if turn.due {
                    assert!(!turn.sight.slots.is_empty(), "nobody is asked without a choice");
                    let text = plot(&world, table_id, *seat, &turn.sight.slots, &mut luck);
                    world.hand_in(table_id, *seat, &text).unwrap();
                }
            }
            world.pass(60);
            if phase.key == "deploy" && world.status(table_id) == "running" {
                let theirs = page(&world, table_id, PhaseNo(no), seats[1]);
                for plot in theirs.plots.iter().filter(|plot| plot.seat.index() == 0) {
                    let mine = page(&world, table_id, PhaseNo(no), seats[0]);
                    let body = mine.plots[0].body.clone().unwrap();
                    deploys += usize::from(body.contains("deploy"));
                    assert_eq!(
                        plot.body, None,
                        "deploys may tell of a Control Group, and so might that there were none"
                    );
                }
            }
        }
        assert!(deploys > 0);
        assert_eq!(world.sweep().done, 0, "no timer is left over");
        assert!(world.results(table_id).iter().all(|result| result.ends_with("booked")));
        let text = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, None)).unwrap();
        let engines = world.ctx.games.engines();
        let replayed = replay(&text, engines).unwrap();
        let phases = usize::try_from(world.phase_no(table_id)).unwrap();
        assert_eq!(replayed.positions.len(), phases + 1);
        let checks = verify(&text, engines).unwrap();
        assert!(checks.iter().all(|check| check.holds), "{checks:#?}");
        for no in 0..=i32::try_from(phases).unwrap() {
            page(&world, table_id, PhaseNo(no), ann);
        }
        let over = world.letter(table_id, ann, "over");
        assert!(over.contains("score"), "{over}");
    });
}

#[test]
fn the_clock_drops_and_the_control_groups_stay_hidden() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let (ann, bob) = (world.user("Ann"), world.user("Bob"));
        let new = NewTable { game: "conquest".to_owned(), options: BTreeMap::new(), ..world.new_table("", 2) };
        let table_id = world.create(ann, &new).unwrap();
        let stock = world.ctx.games.current("conquest").unwrap().stock_loadouts();
        let setup = BTreeMap::from([("group".to_owned(), stock[1].id.clone())]);
        assert!(
            world
                .run(|conn| tables::join(conn, &world.ctx, At::new(world.now(), table_id, bob), &setup, None))
                .unwrap()
        );
        // Types only Bob has, besides the Q, which is in play from the start: none of them may be found in
        // anything Ann is shown.
        let types = |text: &str| -> Vec<String> {
            text.split_whitespace().filter(|word| word.contains('-')).map(str::to_owned).collect()
        };
        let common = types(&stock[0].text);
        let only_bobs: Vec<String> =
            types(&stock[1].text).into_iter().filter(|id| !common.contains(id) && !id.starts_with("q-")).collect();
        assert!(only_bobs.len() > 5);
        let anns = format!(
            "{:?}{:?}{:?}{}{}",
            world.turn(table_id, ann),
            world.page(table_id, Some(ann)),
            page(&world, table_id, PhaseNo(0), ann),
            world.letter(table_id, ann, "due"),
            world.letter(table_id, ann, "started"),
        );
        let leaked: Vec<&String> = only_bobs.iter().filter(|id| anns.contains(id.as_str())).collect();
        assert!(leaked.is_empty(), "{leaked:?}");
        assert!(format!("{:?}", world.turn(table_id, bob)).contains(only_bobs[0].as_str()));

        world.deliver();
        world.run_out(table_id);
        assert_eq!(world.results(table_id), ["dropped -3 booked", "dropped -3 booked"]);
        let text = world.read(|conn| tables::record_of(conn, &world.ctx, table_id, Some(ann))).unwrap();
        replay(&text, world.ctx.games.engines()).unwrap();
    });
}
