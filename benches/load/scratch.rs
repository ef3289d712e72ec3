//! Databases that are thrown away: files of SQLite, and a cluster of PostgreSQL that syncs like a real one.

use std::cell::Cell;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use stardate::store::Database;
use tempfile::TempDir;

use super::Res;
use super::server::interrupt;

/// The longest PostgreSQL may take to start.
const START_MAY_TAKE: Duration = Duration::from_secs(60);

/// Where databases are made: below the target folder, so on the disk that one develops on.
const PLACE: &str = env!("CARGO_TARGET_TMPDIR");

/// Which databases are made.
pub enum Maker {
    /// Files.
    Sqlite,
    /// Databases of this cluster.
    Postgres(Cluster),
}

/// An empty database and a folder for what goes with it.
pub struct Scratch {
    folder: TempDir,
    url: String,
}

/// A connection past the server's own ways: for filling, and for looking at what it stores while it runs.
pub enum Peek {
    /// To a file.
    Sqlite(SqliteConnection),
    /// To a database of the cluster.
    Postgres(PgConnection),
}

impl Maker {
    /// Makes the cluster, if one is wanted.
    pub fn new(postgres: bool) -> Res<Maker> {
        fs::create_dir_all(PLACE)?;
        Ok(if postgres { Maker::Postgres(Cluster::start()?) } else { Maker::Sqlite })
    }

    /// An empty database.
    pub fn make(&self) -> Res<Scratch> {
        let folder = tempfile::Builder::new().prefix("load-").tempdir_in(PLACE)?;
        let url = match self {
            Maker::Sqlite => format!("sqlite:{}", folder.path().join("load.db").display()),
            Maker::Postgres(cluster) => cluster.database()?,
        };
        Ok(Scratch { folder, url })
    }
}

impl Scratch {
    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The address of the database, as the settings take it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The file, with SQLite.
    pub fn file(&self) -> Option<PathBuf> {
        self.url.strip_prefix("sqlite:").map(PathBuf::from)
    }

    /// Opens it by the server's own ways; on SQLite only while no server runs.
    pub fn open(&self) -> Res<Database> {
        let db = Database::open(&self.url, 4)?;
        db.migrate()?;
        Ok(db)
    }

    /// Opens it past them. Foreign keys are not looked at.
    pub fn peek(&self) -> Res<Peek> {
        Ok(match self.file() {
            Some(path) => {
                let mut inner = SqliteConnection::establish(&path.to_string_lossy())?;
                inner.batch_execute(
                    "PRAGMA busy_timeout = 60000; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF",
                )?;
                Peek::Sqlite(inner)
            }
            None => {
                let mut inner = PgConnection::establish(&self.url)?;
                inner.batch_execute("SET session_replication_role = replica")?;
                Peek::Postgres(inner)
            }
        })
    }
}

impl Peek {
    /// Runs statements.
    pub fn run(&mut self, statements: &str) -> Res<()> {
        match self {
            Peek::Sqlite(inner) => inner.batch_execute(statements)?,
            Peek::Postgres(inner) => inner.batch_execute(statements)?,
        }
        Ok(())
    }

    /// The one number that this query gives.
    pub fn number(&mut self, query: &str) -> Res<i64> {
        let wanted = diesel::select(sql::<BigInt>(&format!("(SELECT CAST(coalesce(({query}), 0) AS BIGINT))")));
        Ok(match self {
            Peek::Sqlite(inner) => wanted.get_result(inner)?,
            Peek::Postgres(inner) => wanted.get_result(inner)?,
        })
    }

    /// The names of a table's columns.
    pub fn columns(&mut self, table: &str) -> Res<Vec<String>> {
        #[derive(QueryableByName)]
        struct Column {
            #[diesel(sql_type = Text)]
            name: String,
        }
        let found: Vec<Column> = match self {
            Peek::Sqlite(inner) => {
                diesel::sql_query(format!("SELECT name FROM pragma_table_info('{table}')")).load(inner)?
            }
            Peek::Postgres(inner) => diesel::sql_query(format!(
                "SELECT column_name::text AS name FROM information_schema.columns \
                 WHERE table_schema = 'public' AND table_name = '{table}' ORDER BY ordinal_position"
            ))
            .load(inner)?,
        };
        Ok(found.into_iter().map(|column| column.name).collect())
    }

    /// An expression for `column` so many seconds later; `seconds` is an expression itself.
    pub fn later(&self, column: &str, seconds: &str) -> String {
        match self {
            Peek::Sqlite(_) => format!("datetime({column}, ({seconds}) || ' seconds')"),
            Peek::Postgres(_) => format!("{column} + ({seconds}) * interval '1 second'"),
        }
    }

    /// What all rows of a table hold that fit `condition`, in bytes, without what the database itself needs for them.
    pub fn bytes(&mut self, table: &str, condition: &str) -> Res<i64> {
        let row = match self {
            Peek::Postgres(_) => "pg_column_size(t.*)".to_owned(),
            Peek::Sqlite(_) => {
                let columns = self.columns(table)?;
                let sizes = columns.iter().map(|name| format!("coalesce(length(CAST({name} AS BLOB)), 0)"));
                sizes.collect::<Vec<_>>().join(" + ")
            }
        };
        self.number(&format!("SELECT sum({row}) FROM {table} t WHERE {condition}"))
    }

    /// Bytes of the whole database with its indexes, after tidying it up.
    pub fn size(&mut self) -> Res<i64> {
        match self {
            Peek::Sqlite(_) => {
                self.run("VACUUM")?;
                Ok(self.number("SELECT page_count FROM pragma_page_count")?
                    * self.number("SELECT page_size FROM pragma_page_size")?)
            }
            Peek::Postgres(_) => {
                self.run("VACUUM FULL")?;
                self.number("SELECT pg_database_size(current_database())")
            }
        }
    }
}

/// A cluster of PostgreSQL with its own folder and port, and with the settings that keep what was committed. Ends with
/// this process.
pub struct Cluster {
    child: Child,
    port: u16,
    made: Cell<u32>,
    _folder: TempDir,
}

impl Cluster {
    fn start() -> Res<Cluster> {
        let folder = tempfile::Builder::new().prefix("load-postgres-").tempdir_in(PLACE)?;
        let (data, log) = (folder.path().join("data"), folder.path().join("log"));
        let bin = programs()?;
        let user = unprivileged()?;
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid))?;
        }
        let as_user = |program: &str| {
            let mut command = Command::new(bin.join(program));
            command.current_dir("/").stdin(Stdio::null());
            if let Some((uid, gid)) = user {
                command.uid(uid).gid(gid);
            }
            command
        };
        let made = as_user("initdb")
            .args(["-A", "trust", "-U", "stardate", "-E", "UTF8", "--locale=C", "-D"])
            .arg(&data)
            .output()?;
        if !made.status.success() {
            return Err(format!("no cluster could be made: {}", String::from_utf8_lossy(&made.stderr)).into());
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = as_user("postgres")
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"])
            .args(["-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "full_page_writes=on"])
            .args(["-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB", "-k"])
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log)?)
            .spawn()?;
        let cluster = Cluster { child, port, made: Cell::new(0), _folder: folder };
        let start = Instant::now();
        while let Err(error) = PgConnection::establish(&cluster.url("postgres")) {
            if start.elapsed() > START_MAY_TAKE {
                return Err(format!("PostgreSQL did not start: {error}\n{}", fs::read_to_string(&log)?).into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(cluster)
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://stardate@127.0.0.1:{}/{database}", self.port)
    }

    fn database(&self) -> Res<String> {
        self.made.set(self.made.get() + 1);
        let name = format!("load{}", self.made.get());
        PgConnection::establish(&self.url("postgres"))?.batch_execute(&format!("CREATE DATABASE {name}"))?;
        Ok(self.url(&name))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        interrupt(&mut self.child);
    }
}

/// The folder of the newest installed PostgreSQL's programs, as Debian lays them out.
fn programs() -> Res<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten() {
        let version = entry.file_name().to_string_lossy().parse().unwrap_or(0);
        found.push((version, entry.path().join("bin")));
    }
    let newest = found.into_iter().max().map(|(_, bin)| bin);
    newest.ok_or_else(|| "PostgreSQL is not installed; tests/run installs it".into())
}

/// PostgreSQL refuses to run as root: there it runs as the user its package made.
fn unprivileged() -> Res<Option<(u32, u32)>> {
    if fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(None);
    }
    let number = |what: &str| -> Res<u32> {
        let output = Command::new("id").args([what, "postgres"]).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().parse()?)
    };
    Ok(Some((number("-u")?, number("-g")?)))
}
