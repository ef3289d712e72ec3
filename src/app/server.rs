//! The running server: loops and listener, from the first beat to the orderly end.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Data;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::{AppFault, Parts};
use crate::config::{Config, MailTransport, Tls};
use crate::jobs::{self, Heartbeat, Readiness, Work};
use crate::mail::{Encryption, Folder, Server, Smtp, Transport};
use crate::web;

/// How long the loops may take to finish the run they are in.
const LOOPS_MAY_TAKE: Duration = Duration::from_secs(20);

/// How long an answer of the database is waited for once the server was told to stop.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(2);

/// When the process ends after it was told to stop, whatever still hangs. Nothing is lost by it: what was answered is
/// stored, and what was not is undone by the database.
const AT_THE_LATEST: Duration = Duration::from_secs(45);

/// What becomes of a long time without a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongGap {
    /// The operator says whether it was an outage or the clock is wrong.
    AskOperator,
    /// It is given back: nobody operates this server.
    Credit,
}

/// Serves until SIGTERM, SIGINT, SIGHUP or SIGQUIT: then no connection is accepted any more, running requests and the runs
/// of the loops are finished, and the process ends.
pub fn run(parts: Parts, gap: LongGap) -> Result<ExitCode, AppFault> {
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| AppFault::Other(format!("the runtime cannot be started: {error}")))?;
    let ended = runtime.block_on(serve(parts, gap));
    // Dropping it would wait for threads that may hang.
    runtime.shutdown_background();
    ended
}

async fn serve(parts: Parts, gap: LongGap) -> Result<ExitCode, AppFault> {
    let Parts { config, db, clock, ctx, wakers, listener } = parts;
    // Before the first request and the first timer: time in which nobody could hand in is given back.
    let readiness = Readiness::default();
    let mut heartbeat = Heartbeat::new(readiness.clone());
    if gap == LongGap::Credit {
        heartbeat = heartbeat.trusting();
    }
    heartbeat.keep(&db, &clock).map_err(|refused| AppFault::Other(jobs::with_causes(&refused)))?;

    let base_url = ctx.site.base_url.clone();
    let address = listener.local_addr().unwrap_or(config.server.bind);
    let mut app = web::App::new(db.clone(), clock.clone(), wakers.clone(), ctx.clone(), figures(&config));
    app.readiness = readiness.clone();
    let marks = app.marks.clone();

    let (stopper, stop) = watch::channel(false);
    let transport = Arc::new(transport(&config.mail.transport, &ctx.site.mail_domain)?);
    let running = jobs::start(
        Work { db: db.clone(), clock, ctx, wakers, transport, marks: marks.clone(), readiness },
        heartbeat,
        stop,
    )
    .await
    .map_err(|error| AppFault::Other(format!("the scheduler cannot be started: {error}")))?;

    let server = web::serve(Data::new(app), listener, config.server.workers)
        .map_err(|error| AppFault::Other(format!("server.bind: cannot serve on {address}: {error}")))?;
    // Before anybody can know that it runs: a signal from now on is an orderly stop.
    let signals = Signals::listen().map_err(|error| AppFault::Other(format!("signals cannot be heard: {error}")))?;
    tracing::info!("Stardate is listening on http://{address} and known as {base_url}.");

    let (handle, early, hurried) = (server.handle(), stopper.clone(), db.clone());
    tokio::spawn(async move {
        signals.wait().await;
        tracing::info!("Stopping; running requests are finished first.");
        std::thread::spawn(end_at_the_latest);
        hurried.set_patience(PATIENCE_AT_THE_END);
        let _ = early.send(true);
        handle.stop(true).await;
    });
    let ended = server.await;
    let _ = stopper.send(true);
    running.finish(LOOPS_MAY_TAKE).await;
    if let Err(error) = db.run(move |db| marks.note(db)).await {
        tracing::warn!(%error, "What players saw last could not be stored; they keep the benefit of the doubt.");
    }
    ended.map_err(|error| AppFault::Other(format!("the server stopped: {error}")))?;
    tracing::info!("Stopped.");
    Ok(ExitCode::SUCCESS)
}

/// Asks for as many open files as the system lets this process have: each connection is one, and the usual thousand
/// are soon held by a few visitors.
fn raise_file_limit() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => tracing::debug!(limit, "Open files are limited."),
        Err(error) => tracing::warn!(%error, "The limit of open files could not be raised."),
    }
}

/// Ends the process when it has not ended by itself. A thread that waits for a database that hangs cannot be ended.
fn end_at_the_latest() {
    std::thread::sleep(AT_THE_LATEST);
    tracing::warn!("Something still hangs after {} s; the process ends anyway.", AT_THE_LATEST.as_secs());
    std::process::exit(0);
}

/// The signals that mean “stop”. A hang-up (a closed terminal, a lost connection) is one of them: ended without order,
/// the server would leave letters in flight.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    quit: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
        })
    }

    async fn wait(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hang_up.recv() => {}
            _ = self.quit.recv() => {}
        }
    }
}

/// The way out for letters that the settings ask for.
fn transport(mail: &MailTransport, hello: &str) -> Result<Transport, AppFault> {
    match mail {
        MailTransport::Folder(path) => {
            let folder = Folder::open(path)
                .map_err(|error| AppFault::Other(format!("mail.folder: {} cannot be used: {error}", path.display())))?;
            tracing::warn!(folder = %path.display(), "Letters are only written to a folder; nothing is sent.");
            Ok(Transport::folder(folder))
        }
        MailTransport::Smtp(smtp) => {
            let extra_root = match &smtp.ca_file {
                Some(path) => Some(std::fs::read(path).map_err(|error| {
                    AppFault::Other(format!("mail.ca_file: {} cannot be read: {error}", path.display()))
                })?),
                None => None,
            };
            let encryption = match smtp.tls {
                Tls::None => Encryption::None,
                Tls::StartTls => Encryption::StartTls,
                Tls::Tls => Encryption::Tls,
            };
            let server =
                Server { host: smtp.host.clone(), port: smtp.port, encryption, login: smtp.login.clone(), extra_root };
            let smtp = Smtp::new(server, hello).map_err(|fault| AppFault::Other(fault.to_string()))?;
            Ok(Transport::smtp(smtp))
        }
    }
}

/// What pages need of the settings.
fn figures(config: &Config) -> web::Figures {
    web::Figures {
        trusted_proxies: config.server.trusted_proxies,
        mail_folder: match &config.mail.transport {
            MailTransport::Folder(path) => Some(path.clone()),
            MailTransport::Smtp(_) => None,
        },
        limits: web::LimitFigures::per(config.limits.sign_in_per_minute, config.limits.mail_forms_per_hour),
        bodies: web::base::body::BodyFigures {
            patience: Duration::from_secs(u64::from(config.limits.body_seconds)),
            unfinished: usize::try_from(config.limits.unfinished_requests).unwrap_or(usize::MAX),
        },
        least_games: config.standings.least_games,
    }
}
