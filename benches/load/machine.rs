//! What the machine itself can do, in the same minutes: without it a figure says little on a machine that others use.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use actix_web::{App, HttpResponse, HttpServer, web};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::Res;
use super::drive::{Measured, Visit};
use super::http::{self, Client};
use super::options::Options;
use super::scratch::Scratch;

/// The argument by which this program knows that it is to be the bare server.
pub const BARE: &str = "--be-the-bare-server";

/// Bytes of the bare page: about what a turn page has.
const PAGE: usize = 35_000;

diesel::table! {
    small (id) {
        id -> BigInt,
        seat -> Integer,
        body -> Text,
    }
}

const SMALL: &str =
    "CREATE TABLE IF NOT EXISTS small (id BIGINT NOT NULL PRIMARY KEY, seat INTEGER NOT NULL, body TEXT NOT NULL)";

/// Small transactions a second that are on the disk when they are answered, on so many connections (SQLite has one
/// writer). Each replaces a row, as a plot does.
pub fn transactions(options: &Options, scratch: &Scratch, connections: usize) -> Res<f64> {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let took = options.measure() / 2;
    thread::scope(|scope| {
        let run = |nth: usize| {
            let (stop, done) = (&stop, &done);
            scope.spawn(move || -> Res<()> {
                match scratch.file() {
                    Some(_) => {
                        let path = scratch.folder().join("raw.db");
                        let mut conn = SqliteConnection::establish(&path.to_string_lossy())?;
                        conn.batch_execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")?;
                        conn.batch_execute(SMALL)?;
                        replace_rows!(&mut conn, "BEGIN IMMEDIATE", nth, stop, done)
                    }
                    None => {
                        let mut conn = PgConnection::establish(scratch.url())?;
                        replace_rows!(&mut conn, "BEGIN", nth, stop, done)
                    }
                }
            })
        };
        if scratch.file().is_none() {
            PgConnection::establish(scratch.url())?.batch_execute(SMALL)?;
        }
        let loops: Vec<_> = (0..connections).map(run).collect();
        thread::sleep(took / 4);
        let (before, start) = (done.load(Ordering::SeqCst), Instant::now());
        thread::sleep(took);
        let rate = (done.load(Ordering::SeqCst) - before) as f64 / start.elapsed().as_secs_f64();
        stop.store(true, Ordering::SeqCst);
        for one in loops {
            one.join().map_err(|_| "a raw loop failed")??;
        }
        Ok(rate)
    })
}

/// The loop itself, for connections of either kind.
macro_rules! replace_rows {
    ($conn:expr, $begin:literal, $nth:expr, $stop:expr, $done:expr) => {{
        let conn = $conn;
        let body = "move A1 B2\n".repeat(12);
        for turn in 0_i64.. {
            if $stop.load(Ordering::Relaxed) {
                break;
            }
            let id = 1000 * i64::try_from($nth)? + turn % 1000;
            conn.batch_execute($begin)?;
            diesel::delete(small::table.find(id)).execute(conn)?;
            diesel::insert_into(small::table)
                .values((small::id.eq(id), small::seat.eq(1), small::body.eq(&body)))
                .execute(conn)?;
            conn.batch_execute("COMMIT")?;
            $done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }};
}
use replace_rows;

/// The same web server with a handler that does nothing, in a process of its own.
pub struct Bare {
    child: Child,
    address: std::net::SocketAddr,
}

impl Bare {
    /// Starts it.
    pub fn start(options: &Options) -> Res<Bare> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([BARE, &options.workers.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        Ok(Bare { child, address: line.trim().parse()? })
    }

    /// What it does for so many clients.
    pub fn measure(&self, options: &Options, clients: usize) -> Res<Measured> {
        let visits = (0..clients).map(|_| BareVisit(Client::new(self.address), http::get("/", "", ""))).collect();
        super::drive::drive_process(options, self.child.id(), visits)
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct BareVisit(Client, Vec<u8>);

impl Visit for BareVisit {
    fn visit(&mut self) -> Res<usize> {
        let answer = self.0.send(&self.1)?;
        if answer.status == 200 { Ok(answer.body.len()) } else { Err(format!("status {}", answer.status).into()) }
    }
}

/// Is the bare server, until the program that started it ends.
pub fn be_bare(workers: usize) -> Res<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0; 1]);
        std::process::exit(0);
    });
    let page: &'static str = "x".repeat(PAGE).leak();
    let server = HttpServer::new(move || {
        App::new()
            .route("/", web::get().to(move || async move { HttpResponse::Ok().content_type("text/html").body(page) }))
    })
    .workers(workers)
    .tcp_nodelay(true)
    .listen(listener)?;
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?.block_on(server.run())?;
    Ok(())
}

/// A pause in which the machine comes to rest.
pub fn rest() {
    thread::sleep(Duration::from_millis(300));
}
