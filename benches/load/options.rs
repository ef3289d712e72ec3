//! What the command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

/// Measures the real server under load, beside what the machine itself can do in the same minutes.
#[derive(Debug, Parser)]
#[command(name = "load", about)]
pub struct Options {
    /// Measure on PostgreSQL instead of SQLite: on a cluster of its own that is thrown away afterwards. It syncs.
    #[arg(long)]
    pub postgres: bool,
    /// All rows in under a minute, on less data and for less time: to see that it works, not for figures.
    #[arg(long)]
    pub quick: bool,
    /// Only these rows; may be given several times.
    #[arg(long, value_enum, value_name = "ROW")]
    pub only: Vec<Group>,
    /// Also write all figures to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Seconds each load is measured.
    #[arg(long, value_name = "SECONDS", default_value_t = 8.0)]
    pub seconds: f64,
    /// Seconds of the same load before that.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    pub warm: f64,
    /// How many live tables there are.
    #[arg(long, value_name = "TABLES", default_value_t = 1000)]
    pub tables: usize,
    /// Also measure lists and pages with a million tables; takes several gigabytes and minutes.
    #[arg(long)]
    pub million: bool,
    /// Measure this binary of the server instead of the one that was built with the benchmark.
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
    /// Threads of the server that answer requests (`server.workers`).
    #[arg(long, value_name = "THREADS", default_value_t = 2)]
    pub workers: usize,
    /// Further lines for the settings file of the server: sections that are not set otherwise.
    #[arg(long, value_name = "TOML", default_value = "")]
    pub settings: String,
    /// Given by cargo; means nothing.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Rows that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Group {
    /// Plots accepted.
    Plots,
    /// The turn page.
    Turn,
    /// Resident memory.
    Memory,
    /// Due tables resolved.
    Due,
    /// Sweeps with nothing due.
    Sweep,
    /// Lists and pages among many tables.
    Lists,
    /// What is stored per phase.
    Stored,
    /// The size of the binary.
    Binary,
}

impl Options {
    /// Whether these rows are wanted.
    pub fn wants(&self, group: Group) -> bool {
        self.only.is_empty() || self.only.contains(&group)
    }

    /// For how long each load is measured.
    pub fn measure(&self) -> Duration {
        Duration::from_secs_f64(if self.quick { 1.0 } else { self.seconds.max(0.1) })
    }

    /// For how long the same load runs before that.
    pub fn warm(&self) -> Duration {
        Duration::from_secs_f64(if self.quick { 0.3 } else { self.warm.max(0.0) })
    }

    /// How many live tables there are; one client replaces plots at a sixteenth of them.
    pub fn tables(&self) -> usize {
        if self.quick { 128 } else { self.tables.max(32) }
    }

    /// `full`, or `quick` in quick mode.
    pub fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    /// The binary of the server.
    pub fn binary(&self) -> PathBuf {
        self.binary.clone().unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_stardate")))
    }
}
