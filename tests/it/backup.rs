//! Backups of SQLite, made and brought back by the real binary, and what is recognised when somebody does it by hand.

use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use stardate::store::schema::users;

use crate::harness::{Backend, Fresh, Launch, Visitor};

struct Scene {
    fresh: Fresh,
    launch: Launch,
    database: PathBuf,
    backup: PathBuf,
    _folders: [tempfile::TempDir; 2],
}

impl Scene {
    /// A database with the player Old and a backup of it; then New signed up, and the server was killed.
    fn new() -> Scene {
        let fresh = Fresh::of(Backend::Sqlite).unwrap();
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let launch = Launch::new(&fresh.url, folders[0].path());
        let database = PathBuf::from(fresh.url.strip_prefix("sqlite:").unwrap());
        let backup = folders[1].path().join("backup.db");
        let mut server = launch.start();
        Visitor::new(&server.address).sign_up("Old", folders[0].path());
        let (well, said) = launch.run_to_end(&["backup", &backup.display().to_string()]);
        assert!(well, "{said}");
        Visitor::new(&server.address).sign_up("New", folders[0].path());
        server.kill();
        let scene = Scene { fresh, launch, database, backup, _folders: folders };
        assert!(std::fs::metadata(scene.log()).unwrap().len() > 0, "the killed server has left its log");
        scene
    }

    fn log(&self) -> PathBuf {
        with_ending(&self.database, "-wal")
    }

    fn restore(&self, backup: &Path) -> (bool, String) {
        self.launch.run_to_end(&["restore", &backup.display().to_string()])
    }

    fn names(&self) -> Vec<String> {
        names(&self.fresh.url)
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", path.display()))
}

fn names(url: &str) -> Vec<String> {
    let mut conn = SqliteConnection::establish(url.strip_prefix("sqlite:").unwrap()).unwrap();
    users::table.filter(users::bot.is_null()).order(users::name).select(users::name).load(&mut conn).unwrap()
}

#[test]
fn a_backup_comes_back_whatever_log_the_old_database_has_left() {
    let scene = Scene::new();
    let (well, said) = scene.restore(&scene.backup);
    assert!(well && said.contains("clocks credit"), "{said}");
    assert!(!scene.log().exists(), "no log of the old database is left");
    let server = scene.launch.start();
    assert_eq!(scene.names(), ["Old"]);
    drop(server);
    // What was there before is all there, the log included.
    let folder = std::fs::read_dir(scene.database.parent().unwrap()).unwrap();
    let mut kept = folder.flatten().map(|entry| entry.path().display().to_string());
    let kept = kept.find(|path| path.contains(".before-restore-") && !path.ends_with("-wal")).unwrap();
    assert_eq!(names(&format!("sqlite:{kept}")), ["New", "Old"]);
}

#[test]
fn a_backup_copied_over_beside_a_log_is_refused_at_the_start() {
    // One as `stardate backup` writes it, and one as `cp` makes it of a database whose server has stopped.
    for by_copy in [false, true] {
        let scene = Scene::new();
        let mut backup = scene.backup.clone();
        if by_copy {
            let folder = scene.backup.parent().unwrap();
            let url = format!("sqlite:{}", scene.backup.display());
            let (well, log) = Launch::new(&url, folder).start().stop();
            assert!(well, "{log}");
            backup = folder.join("copied.db");
            std::fs::copy(&scene.backup, &backup).unwrap();
        }
        std::fs::copy(&backup, &scene.database).unwrap();
        let refused = scene.launch.try_start().err().expect("it would be overwritten in silence");
        assert!(
            refused.contains("does not belong to the database") && refused.contains("stardate restore"),
            "{refused}"
        );
        let (well, said) = scene.restore(&backup);
        assert!(well, "{said}");
        let _server = scene.launch.start();
        assert_eq!(scene.names(), ["Old"]);
    }
}

#[test]
fn what_is_no_good_backup_is_refused_and_nothing_changes() {
    let scene = Scene::new();
    let folder = scene.backup.parent().unwrap();
    let made = |name: &str, make: &dyn Fn(&Path)| {
        let path = folder.join(name);
        make(&path);
        path
    };
    let changed = |sql: &str| {
        let sql = sql.to_owned();
        let from = scene.backup.clone();
        move |path: &Path| {
            std::fs::copy(&from, path).unwrap();
            SqliteConnection::establish(&path.display().to_string()).unwrap().batch_execute(&sql).unwrap();
        }
    };
    let text = made("text.db", &|path| std::fs::write(path, "these are my notes, not a database").unwrap());
    let foreign = made("foreign.db", &|path| {
        SqliteConnection::establish(&path.display().to_string()).unwrap().batch_execute("CREATE TABLE x (y)").unwrap();
    });
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000001')";
    let newer = made("newer.db", &changed(newer));
    let damaged = made("damaged.db", &|path| {
        let mut bytes = std::fs::read(&scene.backup).unwrap();
        let half = bytes.len() / 2;
        bytes.truncate(half);
        std::fs::write(path, bytes).unwrap();
    });
    let cases = [
        (folder.join("none.db"), "cannot be read"),
        (text, "is not an SQLite database"),
        (foreign, "not one of Stardate's"),
        (newer, "newer version of Stardate"),
        (damaged, "is damaged"),
        (scene.database.clone(), "is the database itself"),
    ];
    let before = (std::fs::read(&scene.database).unwrap(), std::fs::read(scene.log()).unwrap());
    for (path, why) in cases {
        let (well, said) = scene.restore(&path);
        assert!(!well && said.contains(why), "{}: {said}", path.display());
    }
    assert!(before == (std::fs::read(&scene.database).unwrap(), std::fs::read(scene.log()).unwrap()));
    let (well, said) = scene.launch.run_to_end(&["backup", &scene.backup.display().to_string()]);
    assert!(!well && said.contains("already exists"), "{said}");

    let server = scene.launch.start();
    assert_eq!(scene.names(), ["New", "Old"]);
    let (well, said) = scene.restore(&scene.backup);
    assert!(!well && said.contains("in use by another Stardate process"), "{said}");
    drop(server);

    // Killed in the middle: nobody starts on half a restore, and the next one makes it whole.
    std::fs::write(with_ending(&scene.database, ".restoring"), "half a file").unwrap();
    let refused = scene.launch.try_start().err().expect("a restore was interrupted");
    assert!(refused.contains("was interrupted") && refused.contains("stardate restore"), "{refused}");
    let (well, said) = scene.restore(&scene.backup);
    assert!(well, "{said}");
    let _server = scene.launch.start();
    assert_eq!(scene.names(), ["Old"]);
}
