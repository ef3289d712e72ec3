//! The operator's command line, beside a server that has the database open.

use stardate::store::IdText;
use stardate::tables::{self, At};

use super::world::World;
use crate::harness::{Launch, on_both};

#[test]
fn the_operator_lists_and_settles_reports_while_the_server_runs() {
    on_both(|fresh| {
        // Holds the database as a server does.
        let world = World::on(fresh);
        let folder = tempfile::tempdir().unwrap();
        let command = |arguments: &[&str]| Launch::new(&fresh.url, folder.path()).run_to_end(arguments);
        let (ok, printed) = command(&["reports"]);
        assert!(ok && printed.contains("There are no open reports."), "{printed}");

        let [ann, bob] = ["Ann", "Bob"].map(|name| world.user(name));
        let (table_id, _) = world.running(&world.new_table("together", 2), &[ann, bob]);
        for text in ["First of all,\nrude words", "Second of all, more"] {
            world.say(table_id, bob, None, text).unwrap();
            let message = world.page(table_id, Some(ann)).talk.messages[0].id;
            world
                .run(|conn| tables::report(conn, &world.ctx, At::new(world.now(), table_id, ann), message, "Not nice"))
                .unwrap();
        }
        let (ok, printed) = command(&["reports"]);
        assert!(ok, "{printed}");
        for words in ["A quiet game", "Bob to everybody", "    rude words", "reported by Ann: Not nice"] {
            assert!(printed.contains(words), "“{words}” is not in {printed}");
        }
        let ids = |conn: &mut stardate::store::Conn| -> Vec<String> {
            let open = tables::open_reports(conn).unwrap();
            open.iter().map(|report| IdText(report.report_id).to_string()).collect()
        };
        let waiting = world.read(ids);
        assert!(waiting.len() == 2 && waiting.iter().all(|id| printed.contains(id)), "{printed}");

        assert!(command(&["reports", "remove", &waiting[0]]).0);
        assert!(command(&["reports", "dismiss", &waiting[1]]).0);
        assert_eq!(world.read(ids), Vec::<String>::new());
        let talk = world.page(table_id, Some(ann)).talk;
        assert_eq!(talk.messages.iter().filter(|message| message.removed).count(), 1);
        for id in [waiting[0].as_str(), "nonsense"] {
            let (ok, printed) = command(&["reports", "remove", id]);
            assert!(!ok && printed.contains("no open report"), "{printed}");
        }
    });
}
