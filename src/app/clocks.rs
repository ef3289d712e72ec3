//! The `clocks` subcommand: what the operator decides about the deadlines after a long outage, or a wrong clock.

use std::process::ExitCode;

use super::AppFault;
use crate::clock::Clock;
use crate::config::Config;
use crate::jobs;
use crate::store::{Database, Stamp, credits, dialect, heartbeats};
use crate::tables::{self, Refused};
use crate::when;

/// What the database knows about time.
struct Known {
    now: Stamp,
    alive: Option<Stamp>,
    database: Option<Stamp>,
    tables: usize,
    last: Option<(credits::Credit, i64)>,
}

fn known(db: &Database) -> Result<Known, AppFault> {
    let database = dialect::clock(&mut *db.connection()?)?;
    let now = Clock::System.now();
    db.read(|conn| -> Result<Known, Refused> {
        let last = match credits::last(conn)? {
            Some(credit) => {
                let count = credits::count_moved(conn, credit.from_at)?;
                Some((credit, count))
            }
            None => None,
        };
        Ok(Known { now, alive: tables::last_alive(conn)?, database, tables: tables::tables_to_credit(conn)?, last })
    })
    .map_err(|refused| fault(&refused))
}

/// Prints what `credit` and `undo` would do. Changes nothing.
pub fn show_clocks(config: &Config) -> Result<ExitCode, AppFault> {
    let known = known(&open(config)?)?;
    println!("By this computer's clock it is      {} UTC.", known.now);
    if let Some(database) = known.database {
        println!("By the database's clock it is       {database} UTC.");
    }
    match known.alive {
        None => println!("No server has used this database yet."),
        Some(alive) => {
            println!("The database last saw a server at   {alive} UTC.");
            let gap = known.now - alive;
            if gap > jobs::OUTAGE {
                println!(
                    "That is {} ago. `stardate clocks credit` moves the clocks of {} table(s) by as much, and deadlines \
                     fire again.",
                    when::span(gap.num_seconds()),
                    known.tables
                );
            } else if gap < -jobs::TOLERANCE {
                println!(
                    "That is {} in the future. If this computer's clock is right, `stardate clocks credit` forgets it, and \
                     deadlines fire again.",
                    when::span(-gap.num_seconds())
                );
            } else {
                println!("There is nothing to credit.");
            }
        }
    }
    if let Some((credit, count)) = known.last {
        let (from, until) = (credit.from_at, credit.until_at);
        match credit.state.as_str() {
            credits::UNDONE => println!("The last credit, from {from} to {until} UTC, was taken back."),
            _ => println!(
                "The last credit was from {from} to {until} UTC, for {count} table(s). `stardate clocks undo` takes it back."
            ),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Gives the time since the last sign of life back, however long it was. Works while servers run.
pub fn credit_clocks(config: &Config) -> Result<ExitCode, AppFault> {
    super::logs::start(&config.log);
    let db = open(config)?;
    let known = known(&db)?;
    refuse_wrong_clock(&known)?;
    let reaches_ahead = known.last.filter(|(credit, _)| credit.state != credits::UNDONE && credit.until_at > known.now);
    if let Some((credit, _)) = reaches_ahead {
        return Err(AppFault::Other(format!(
            "the last credit ends at {} UTC, which is in the future; take it back first: stardate clocks undo",
            credit.until_at
        )));
    }
    let ahead = db.write(|conn| heartbeats::forget_after(conn, known.now))?;
    let alive = db.read(tables::last_alive).map_err(|refused| fault(&refused))?;
    let credited = match alive {
        Some(alive) => tables::credit_outage(&db, known.now, alive).map_err(|refused| fault(&refused))?,
        None => tables::Credited::default(),
    };
    db.write(|conn| heartbeats::beat(conn, tables::OPERATOR, known.now))?;
    if ahead > 0 {
        println!("{ahead} heartbeat(s) from the future were deleted.");
    }
    println!(
        "The clocks of {} running table(s) were moved. Deadlines fire again within half a minute.",
        credited.tables
    );
    Ok(ExitCode::SUCCESS)
}

/// Takes the last credit back. Works while servers run.
pub fn undo_clocks(config: &Config) -> Result<ExitCode, AppFault> {
    super::logs::start(&config.log);
    let db = open(config)?;
    let known = known(&db)?;
    refuse_wrong_clock(&known)?;
    match tables::undo_credit(&db, known.now).map_err(|refused| fault(&refused))? {
        None => println!("There is no credit to take back."),
        Some(taken) => println!(
            "The credit was taken back from {} table(s). No clock was left with less than an hour by it; tables that have \
             gone on since keep their clocks.",
            taken.tables
        ),
    }
    Ok(ExitCode::SUCCESS)
}

fn refuse_wrong_clock(known: &Known) -> Result<(), AppFault> {
    let Some(database) = known.database else { return Ok(()) };
    if (known.now - database).abs() <= jobs::TOLERANCE {
        return Ok(());
    }
    Err(AppFault::Other(format!(
        "this computer's clock says {} UTC and the database's says {database} UTC; set the wrong one right first. Nothing \
         was changed",
        known.now
    )))
}

fn fault(refused: &Refused) -> AppFault {
    AppFault::Other(jobs::with_causes(refused))
}

fn open(config: &Config) -> Result<Database, AppFault> {
    let db = Database::open_beside(&config.database.url)?;
    db.check_version()?;
    Ok(db)
}
