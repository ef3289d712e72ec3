//! The ground of the store: addresses, locks, versions and the write transaction on SQLite.

use std::sync::atomic::{AtomicI64, Ordering};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use stardate::store::schema::settings;
use stardate::store::{Conn, ConnectFault, Database};

use crate::harness::on_both;

fn fresh() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("test.db").display());
    (folder, url)
}

fn put(conn: &mut Conn, name: &str, value: i64) -> QueryResult<usize> {
    diesel::insert_into(settings::table)
        .values((settings::name.eq(name), settings::value.eq(value.to_string())))
        .execute(conn)
}

fn read(conn: &mut Conn, name: &str) -> QueryResult<i64> {
    let value: String = settings::table.find(name).select(settings::value).first(conn)?;
    Ok(value.parse().unwrap())
}

#[test]
fn an_unknown_scheme_is_refused_by_name_and_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let fault = Database::open(&format!("sqlight:{}", path.display()), 1).err().unwrap();
    assert!(matches!(&fault, ConnectFault::Scheme(scheme) if scheme == "sqlight"), "{fault}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let fault = Database::open("postgress://secret:word@localhost/x", 1).err().unwrap();
    assert!(!fault.to_string().contains("word"), "{fault}");
}

#[test]
fn a_missing_folder_is_named_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("not-there");
    let fault = Database::open(&format!("sqlite:{}/x.db", inner.display()), 1).err().unwrap();
    assert!(fault.to_string().contains("not-there"), "{fault}");
    assert!(!inner.exists());
}

#[test]
fn a_second_process_on_the_same_file_is_told_so() {
    let (_folder, url) = fresh();
    let first = Database::open(&url, 1).unwrap();
    let fault = Database::open(&url, 1).err().unwrap();
    assert!(matches!(fault, ConnectFault::InUse(_)), "{fault}");
    drop(first);
    Database::open(&url, 1).unwrap();
}

#[test]
fn a_newer_database_is_refused_and_left_untouched() {
    let (folder, url) = fresh();
    {
        let db = Database::open(&url, 1).unwrap();
        assert_eq!(db.check_version().unwrap_err().to_string().matches("stardate migrate").count(), 1);
        assert!(!db.migrate().unwrap().is_empty());
        db.check_version().unwrap();
        let mut conn = db.connection().unwrap();
        conn.batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000001')").unwrap();
        conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    }
    let path = folder.path().join("test.db");
    let before = std::fs::read(&path).unwrap();
    let db = Database::open(&url, 1).unwrap();
    assert!(matches!(db.migrate().unwrap_err(), ConnectFault::Newer(_)));
    assert!(matches!(db.check_version().unwrap_err(), ConnectFault::Newer(version) if version == "99990101000001"));
    drop(db);
    assert_eq!(before, std::fs::read(&path).unwrap());
}

#[test]
fn eight_threads_that_read_then_write_lose_nothing() {
    let (_folder, url) = fresh();
    let db = Database::open(&url, 8).unwrap();
    db.migrate().unwrap();
    db.write(|conn| put(conn, "counter", 0)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    db.write(|conn| {
                        let seen = read(conn, "counter")?;
                        diesel::update(settings::table.find("counter"))
                            .set(settings::value.eq((seen + 1).to_string()))
                            .execute(conn)
                    })
                    .unwrap();
                }
            });
        }
    });
    assert_eq!(read(&mut db.connection().unwrap(), "counter").unwrap(), 400);
}

#[test]
fn a_read_sees_one_moment_and_writes_nothing() {
    on_both(|fresh| {
        let db = fresh.open();
        db.write(|conn| put(conn, "counter", 1)).unwrap();
        let seen = db.read(|conn| {
            let first = read(conn, "counter")?;
            db.write(|conn| {
                diesel::update(settings::table.find("counter")).set(settings::value.eq("2")).execute(conn)
            })?;
            QueryResult::Ok((first, read(conn, "counter")?))
        });
        assert_eq!(seen.unwrap(), (1, 1));
        assert_eq!(db.read(|conn| read(conn, "counter")).unwrap(), 2);
        let refused = db.read(|_| Err::<(), _>(diesel::result::Error::NotFound));
        assert!(refused.is_err());
        assert_eq!(db.read(|conn| read(conn, "counter")).unwrap(), 2, "the connection is of use afterwards");
    });
}

#[test]
fn a_refused_or_panicking_write_stores_nothing_and_blocks_nobody() {
    let (_folder, url) = fresh();
    let db = Database::open(&url, 2).unwrap();
    db.migrate().unwrap();
    let refused = db.write(|conn| {
        put(conn, "refused", 1)?;
        Err::<(), _>(diesel::result::Error::RollbackTransaction)
    });
    assert!(refused.is_err());
    let other = db.clone();
    let panicked = std::thread::spawn(move || {
        other.write(|conn| -> QueryResult<()> {
            put(conn, "panicked", 1)?;
            panic!("on purpose");
        })
    });
    assert!(panicked.join().is_err());
    db.write(|conn| put(conn, "after", 1)).unwrap();
    let names: Vec<String> =
        settings::table.select(settings::name).order(settings::name).load(&mut *db.connection().unwrap()).unwrap();
    assert_eq!(names, ["after"]);
}

#[test]
fn a_word_that_no_enum_knows_is_an_error_that_names_the_column() {
    use diesel::sql_types::Text;
    use diesel::{IntoSql, select};
    use stardate::store::game_tables::Status;
    use stardate::store::timers::TimerKind;

    on_both(|fresh| {
        let db = fresh.open();
        let known = db.read(|conn| select("running".into_sql::<Text>()).get_result::<Status>(conn));
        assert_eq!(known.unwrap(), Status::Running);
        for status in Status::ALL {
            assert_eq!(
                db.read(|conn| select(status.into_sql::<Text>()).get_result::<String>(conn)).unwrap(),
                status.word()
            );
        }
        let unknown = db.read(|conn| select("paused".into_sql::<Text>()).get_result::<Status>(conn)).unwrap_err();
        let unknown = stardate::jobs::with_causes(&unknown);
        assert!(unknown.contains("game_tables.status is “paused”"), "{unknown}");
        let unknown = db.read(|conn| select("".into_sql::<Text>()).get_result::<TimerKind>(conn)).unwrap_err();
        let unknown = stardate::jobs::with_causes(&unknown);
        assert!(unknown.contains("it knows deadline, reminder, unjoined, bot"), "{unknown}");
    });
}

/// Writers that wait in line share a commit. One of them is refused, one fails in SQL and one panics: each is undone
/// alone, and nobody is answered before what they wrote is on the disk.
#[test]
fn writers_in_line_share_a_commit_and_fail_alone() {
    let (_folder, url) = fresh();
    let db = Database::open(&url, 8).unwrap();
    db.migrate().unwrap();
    const WRITERS: i64 = 12;
    let (started, unseen) = (AtomicI64::new(0), AtomicI64::new(0));
    let (inside, wait) = std::sync::mpsc::channel();
    let stored = |name: &str| db.read(|conn| settings::table.find(name).count().get_result::<i64>(conn)).unwrap();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            db.write(|conn| {
                put(conn, "first", 1)?;
                inside.send(()).unwrap();
                while started.load(Ordering::SeqCst) < WRITERS {
                    std::thread::yield_now();
                }
                // They have said that they are about to wait; now they do.
                std::thread::sleep(std::time::Duration::from_millis(300));
                Ok::<_, diesel::result::Error>(())
            })
        });
        wait.recv().unwrap();
        let writer = |number: i64| {
            let (db, started, unseen, stored) = (&db, &started, &unseen, &stored);
            move || {
                started.fetch_add(1, Ordering::SeqCst);
                let name = format!("writer {number}");
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    db.write(|conn| {
                        // Those before are visible here and to nobody else: the commit is still to come.
                        let here: i64 = settings::table.count().get_result(conn)?;
                        let outside = db.read(|conn| settings::table.count().get_result::<i64>(conn))?;
                        unseen.fetch_add(i64::from(here > outside), Ordering::SeqCst);
                        put(conn, &name, number)?;
                        match number {
                            3 => Err(diesel::result::Error::NotFound),
                            5 => put(conn, "first", 2).map(|_| ()),
                            7 => panic!("a fault of ours"),
                            _ => Ok(()),
                        }
                    })
                }));
                let there = stored(&name);
                match (number, done) {
                    (3, Ok(Err(diesel::result::Error::NotFound))) | (5, Ok(Err(_))) | (7, Err(_)) => {
                        assert_eq!(there, 0, "{name} is undone")
                    }
                    (_, Ok(Ok(()))) => assert_eq!(there, 1, "{name} was answered, so it is stored"),
                    (_, other) => panic!("{name}: {other:?}"),
                }
            }
        };
        let others: Vec<_> = (0..WRITERS).map(|number| scope.spawn(writer(number))).collect();
        first.join().unwrap().unwrap();
        others.into_iter().for_each(|other| other.join().unwrap());
    });
    assert!(unseen.load(Ordering::SeqCst) > 1, "nobody shared a commit with another one");
    let all = db.read(|conn| settings::table.filter(settings::name.like("writer %")).count().get_result::<i64>(conn));
    assert_eq!(all.unwrap(), WRITERS - 3);
    db.write(|conn| put(conn, "afterwards", 1)).unwrap();
}
