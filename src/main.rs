//! The command line: which subcommand, with which settings. What they do is in the library.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use stardate::app::{self, AppFault};
use stardate::config::{self, Config};
use stardate::tables::Decision;

/// The system's allocator keeps what was freed: after a burst of sign-ins hundreds of megabytes stayed resident. This
/// one returns memory while the server is idle, from a thread of its own.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// A play-by-email turn server for slow games.
#[derive(Parser)]
#[command(name = "stardate", version, about)]
struct CommandLine {
    /// A settings file laid over the built-in settings (see config/default.toml).
    #[arg(long, global = true, value_name = "FILE", env = "STARDATE_CONFIG")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server.
    Serve,
    /// Bring the database to this version; needed on PostgreSQL before the servers of a new version start.
    Migrate,
    /// Run scenario files: one line each, expected and found side by side for a failure.
    Scenario {
        /// Scenario files (TOML), or folders of them; the format is described in tests/scenarios/README.md.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Play a record again, phase by phase, and compare every position and the result.
    Replay {
        /// A record as downloaded from a table that has ended.
        #[arg(value_name = "RECORD")]
        record: PathBuf,
    },
    /// Check a record: the commitment to the dice, every throw, every sealed plot, every position.
    Verify {
        /// A record as downloaded from a table that has ended.
        #[arg(value_name = "RECORD")]
        record: PathBuf,
    },
    /// Messages that players reported: list those that wait, remove one for everybody, or let it stand. May be used
    /// while the server runs.
    Reports {
        #[command(subcommand)]
        what: Option<Reports>,
    },
    /// Write a copy of an SQLite database to a new file. May be used while the server runs.
    Backup {
        /// The file to write; it must not exist yet.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Put a backup in the place of an SQLite database: it is checked, and the old files are kept aside. The server must
    /// not be running.
    Restore {
        /// The backup.
        #[arg(value_name = "BACKUP")]
        backup: PathBuf,
    },
    /// After a long outage, or with a wrong clock: what it means for the deadlines, and what to do about it. May be used
    /// while the server runs.
    Clocks {
        #[command(subcommand)]
        what: Clocks,
    },
    /// Letters that were set aside because they were refused or never answered: list them, or send one again. May be
    /// used while the server runs.
    Mail {
        #[command(subcommand)]
        what: Option<Letters>,
    },
    /// Run a server to look at: four players, tables at different phases, letters in a folder.
    Demo {
        /// Where the demo keeps its database and letters between runs.
        #[arg(long, value_name = "FOLDER", default_value = "data")]
        folder: PathBuf,
        /// Throw away what earlier runs left and start afresh.
        #[arg(long)]
        fresh: bool,
    },
}

#[derive(Subcommand)]
enum Clocks {
    /// Say when the database last saw a server, and what the other two would do.
    Show,
    /// Give the time since then back to every running clock.
    Credit,
    /// Take the last credit back.
    Undo,
}

#[derive(Subcommand)]
enum Reports {
    /// Remove the message of a report for everybody.
    Remove {
        /// Id of the report.
        #[arg(value_name = "REPORT")]
        report: String,
    },
    /// Let the message of a report stand.
    Dismiss {
        /// Id of the report.
        #[arg(value_name = "REPORT")]
        report: String,
    },
}

#[derive(Subcommand)]
enum Letters {
    /// Send a letter again, as if it had never been tried.
    Again {
        /// Id of the letter.
        #[arg(value_name = "LETTER")]
        letter: String,
    },
}

fn main() -> ExitCode {
    let command_line = CommandLine::parse();
    let file = command_line.config.clone();
    match run(command_line) {
        Ok(code) => code,
        Err(fault) => {
            let format = config::log_format(file.as_deref(), config::environment());
            app::print_fault(format, &fault, &mut std::io::stderr());
            ExitCode::FAILURE
        }
    }
}

fn run(command_line: CommandLine) -> Result<ExitCode, AppFault> {
    let settings = || Config::read(command_line.config.as_deref(), config::environment());
    match command_line.command {
        Command::Serve => app::serve(settings()?),
        Command::Migrate => app::migrate(&settings()?),
        Command::Scenario { files } => app::scenario(&files),
        Command::Replay { record } => app::replay(&record),
        Command::Verify { record } => app::verify(&record),
        Command::Reports { what: None } => app::list_reports(&settings()?),
        Command::Reports { what: Some(Reports::Remove { report }) } => {
            app::decide_report(&settings()?, &report, Decision::Remove)
        }
        Command::Reports { what: Some(Reports::Dismiss { report }) } => {
            app::decide_report(&settings()?, &report, Decision::Dismiss)
        }
        Command::Backup { file } => app::backup_to(&settings()?, &file),
        Command::Restore { backup } => app::restore_from(&settings()?, &backup),
        Command::Clocks { what: Clocks::Show } => app::show_clocks(&settings()?),
        Command::Clocks { what: Clocks::Credit } => app::credit_clocks(&settings()?),
        Command::Clocks { what: Clocks::Undo } => app::undo_clocks(&settings()?),
        Command::Mail { what: None } => app::list_letters(&settings()?),
        Command::Mail { what: Some(Letters::Again { letter }) } => app::send_letter_again(&settings()?, &letter),
        Command::Demo { folder, fresh } => app::demo(settings()?, &folder, fresh),
    }
}
