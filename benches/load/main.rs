//! The server under load: `cargo bench --bench load`. Starts the real binary on a database that is thrown away, fills
//! it, drives it by clients of its own, and prints what came of it beside what the machine itself can do in the same
//! minutes. BENCHMARKS.md says how to read the figures.

use std::process::ExitCode;

use clap::Parser;

mod crowd;
mod drive;
mod fill;
mod http;
mod machine;
mod options;
mod report;
mod rows;
mod scratch;
mod server;
mod sink;

use options::{Group, Options};
use report::Report;
use scratch::Maker;

/// A result whose error is told as it is: nothing here can be made good.
pub type Res<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let done = match arguments.get(1).map(String::as_str) {
        Some(machine::BARE) => machine::be_bare(arguments.get(2).and_then(|text| text.parse().ok()).unwrap_or(2)),
        _ => run(&Options::parse()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("The benchmark failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Res<()> {
    let maker = Maker::new(options.postgres)?;
    let database = if options.postgres { "PostgreSQL" } else { "SQLite" };
    eprintln!("Measuring on {database}, {} s each load.", options.measure().as_secs_f64());
    let mut report = Report::default();
    if options.wants(Group::Plots)
        || options.wants(Group::Turn)
        || options.wants(Group::Due)
        || options.wants(Group::Memory)
    {
        rows::live::measure(options, &maker, &mut report)?;
    }
    if options.wants(Group::Memory) {
        rows::memory::measure(options, &maker, &mut report)?;
    }
    if options.wants(Group::Sweep) {
        rows::sweep::measure(options, &maker, &mut report)?;
    }
    if options.wants(Group::Lists) {
        rows::lists::measure(options, &maker, &mut report)?;
    }
    if options.wants(Group::Stored) {
        rows::stored::measure(options, &maker, &mut report)?;
    }
    if options.wants(Group::Binary) {
        let megabytes = std::fs::metadata(options.binary())?.len() as f64 / 1024.0 / 1024.0;
        report.add("the binary", format!("{megabytes:.1} MB"), "under 24 MB, stripped", &[("mb", megabytes)]);
    }
    println!("\nOn {database}:\n\n{}", report.text());
    if let Some(path) = &options.json {
        std::fs::write(path, format!("{:#}\n", report.json(database)))?;
    }
    Ok(())
}
