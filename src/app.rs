//! Wiring: settings, database, games, clock, mail and site are put together here and passed down.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use chrono::TimeDelta;

use crate::clock::Clock;
use crate::config::{Config, ConfigFaults, MailTransport};
use crate::games;
use crate::jobs::Wakers;
use crate::mail::{Site, SiteFault};
use crate::scenario_cli;
use crate::store::backup::BackupFault;
use crate::store::{ConnectFault, Database};
use crate::tables::{Ctx, GameFault, Games, JoinFigures};

mod backups;
mod clocks;
mod demo;
mod game_files;
mod letters;
mod logs;
mod records;
mod reports;
mod server;

pub use backups::{backup_to, restore_from};
pub use clocks::{credit_clocks, show_clocks, undo_clocks};
pub use demo::demo;
pub use game_files::GameFilesFault;
pub use letters::{list_letters, send_letter_again};
pub use logs::print_fault;
pub use records::{replay, verify};
pub use reports::{decide_report, list_reports};

/// Why a subcommand could not do its work: a sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum AppFault {
    /// Wrong settings.
    #[error(transparent)]
    Config(#[from] ConfigFaults),
    /// No database, or one of another version.
    #[error(transparent)]
    Connect(#[from] ConnectFault),
    /// No backup was made, or none brought back.
    #[error(transparent)]
    Backup(#[from] BackupFault),
    /// The operator's data files can't be read.
    #[error(transparent)]
    GameFiles(#[from] GameFilesFault),
    /// A game's data files have faults.
    #[error("{0}")]
    Games(#[from] GameFault),
    /// The site can't be described.
    #[error(transparent)]
    Site(#[from] SiteFault),
    /// A query failed.
    #[error("the database refused: {0}")]
    Query(#[from] diesel::result::Error),
    /// Something else, as a sentence.
    #[error("{0}")]
    Other(String),
}

/// Everything put together, listening, and not yet serving.
pub struct Parts {
    /// The settings.
    pub config: Config,
    /// The database, of this binary's version.
    pub db: Database,
    /// The clock of the whole process.
    pub clock: Clock,
    /// What use cases need.
    pub ctx: Ctx,
    /// Wakes the loops.
    pub wakers: Wakers,
    listener: TcpListener,
}

impl Parts {
    /// Puts the parts together. Nothing is served and no timer fires yet.
    pub fn new(config: Config) -> Result<Parts, AppFault> {
        let games = Arc::new(load_games(&config)?);
        let db = open_database(&config)?;
        let bind = config.server.bind;
        let listener = TcpListener::bind(bind)
            .map_err(|error| AppFault::Other(format!("server.bind: cannot listen on {bind}: {error}")))?;
        let address = listener
            .local_addr()
            .map_err(|error| AppFault::Other(format!("server.bind: {bind} has no address: {error}")))?;
        let base_url = config.server.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let site = Site::new(&config.site.name, &base_url, &config.mail.from.to_string())?;
        let site = Site { operator: config.site.operator.clone(), ..site };
        let join = JoinFigures {
            // No drops: no number of them makes the rule bind.
            drops: if config.joining.drops == 0 { u32::MAX } else { config.joining.drops },
            window: config.joining.window,
            running: config.joining.running,
        };
        let days = config.tables.unjoined_days;
        let unjoined = (days > 0).then(|| TimeDelta::days(i64::from(days)));
        let ctx = Ctx { games, site, join, unjoined };
        Ok(Parts { config, db, clock: Clock::System, ctx, wakers: Wakers::default(), listener })
    }

    /// Where letters are written, if they go to a folder.
    pub fn mail_folder(&self) -> Option<&Path> {
        match &self.config.mail.transport {
            MailTransport::Folder(folder) => Some(folder),
            MailTransport::Smtp(_) => None,
        }
    }
}

/// Runs the server until it is told to stop.
pub fn serve(config: Config) -> Result<ExitCode, AppFault> {
    logs::start(&config.log);
    server::run(Parts::new(config)?, server::LongGap::AskOperator)
}

/// Brings the database to this binary's version.
pub fn migrate(config: &Config) -> Result<ExitCode, AppFault> {
    let ran = Database::open(&config.database.url, 1)?.migrate()?;
    match ran.as_slice() {
        [] => println!("The database is of this version already; nothing was to be done."),
        names => println!("Migrations run: {}.", names.join(", ")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs scenario files and folders of them. Fails when one does not hold, cannot be run, or there is none.
pub fn scenario(paths: &[PathBuf]) -> Result<ExitCode, AppFault> {
    let all_hold = scenario_cli::run(paths, &games::all(), &mut std::io::stdout())
        .map_err(|error| AppFault::Other(format!("the result cannot be written: {error}")))?;
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The games with the built-in data and the operator's own.
fn load_games(config: &Config) -> Result<Games, AppFault> {
    let engines = games::all();
    let files = match &config.games.folder {
        Some(folder) => game_files::read(folder, &engines)?,
        None => BTreeMap::new(),
    };
    Ok(Games::load(engines, &files)?)
}

/// Opens the database. SQLite is migrated, because only this process uses it; with PostgreSQL other
/// processes of the old version may still run, so it is only checked.
fn open_database(config: &Config) -> Result<Database, AppFault> {
    let db = Database::open_patient(&config.database.url, config.database.connections, config.database.wait)?;
    if db.is_sqlite() {
        db.migrate()?;
        db.name_run()?;
    } else {
        db.check_version()?;
    }
    Ok(db)
}
