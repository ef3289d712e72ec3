//! Private notes.

use stardate::tables::{self, At, NewTable, Refused};

use super::world::World;
use crate::harness::on_both;

#[test]
fn notes_are_kept_for_oneself_and_two_tabs_lose_nothing() {
    on_both(|fresh| {
        let world = World::on(fresh);
        let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        let save = |who, base, text: &str| {
            world.run(|conn| tables::save_note(conn, &world.ctx, At::new(world.now(), table_id, who), base, text))
        };
        let note = |who| world.page(table_id, Some(who)).note.unwrap();
        assert_eq!((note(ann).text.as_str(), note(ann).version, note(ann).at), ("", 0, None));
        save(ann, 0, "Bob is up to something.\r\n  ").unwrap();
        assert_eq!((note(ann).text.as_str(), note(ann).version), ("Bob is up to something.", 1));
        assert_eq!(note(ann).at, Some(world.now()));
        assert_eq!(note(bob).text, "");
        assert_eq!(world.page(table_id, None).note, None);

        // Another tab that still has the empty form.
        let Err(Refused::TwoNotes(two)) = save(ann, 0, "Bob is harmless.") else { panic!("there are two texts") };
        assert_eq!(
            (two.stored.as_str(), two.yours.as_str(), two.version),
            ("Bob is up to something.", "Bob is harmless.", 1)
        );
        assert_eq!(note(ann).text, "Bob is up to something.");
        save(ann, 0, "Bob is up to something.").expect("the same text twice is no conflict");
        save(ann, two.version, "Bob is harmless. Or is he?").unwrap();
        save(ann, 2, "").unwrap();
        assert_eq!((note(ann).text.as_str(), note(ann).version), ("", 3));
        assert!(matches!(save(ann, 3, &"x".repeat(8001)), Err(Refused::Form(_))));

        // Watchers have notes of their own, they stay after the end, and private tables are for their people.
        save(cid, 0, "Interesting.").unwrap();
        world.resign(table_id, bob).unwrap();
        save(bob, 0, "Next time I wait.").unwrap();
        assert_eq!((note(cid).text.as_str(), note(bob).text.as_str()), ("Interesting.", "Next time I wait."));
        let private = world.create(ann, &NewTable { invite_only: true, ..world.new_table("together", 2) }).unwrap();
        let refused =
            world.run(|conn| tables::save_note(conn, &world.ctx, At::new(world.now(), private, cid), 0, "Hm"));
        assert!(matches!(refused, Err(Refused::NoTable)));
    });
}
