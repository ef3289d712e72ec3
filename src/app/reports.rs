//! The `reports` subcommand: messages that players reported, and what the operator does about them.

use std::process::ExitCode;

use super::AppFault;
use crate::clock::Clock;
use crate::config::Config;
use crate::jobs;
use crate::store::{Database, IdText};
use crate::tables::{self, Decision, Reported, plain};

/// Prints the reports that wait, oldest first. Works while servers run.
pub fn list_reports(config: &Config) -> Result<ExitCode, AppFault> {
    let db = open(config)?;
    let reports = db.read(tables::open_reports).map_err(|refused| AppFault::Other(jobs::with_causes(&refused)))?;
    if reports.is_empty() {
        println!("There are no open reports.");
    }
    for report in &reports {
        println!("{}", told(report));
    }
    Ok(ExitCode::SUCCESS)
}

fn told(report: &Reported) -> String {
    let Reported { report_id, body, author, private, table_id, title, reporter, reason, at } = report;
    let to = if *private { "one person alone" } else { "everybody" };
    // Also what was written before texts were cleaned when they came in.
    let (title, reason) = (plain::line(title), plain::line(reason));
    let reason = if reason.is_empty() { "(no reason given)" } else { reason.as_str() };
    let body = plain::text(body);
    let body = body.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let id = IdText(*report_id);
    format!(
        "{id}  {at} UTC, table {} “{title}”\n  {author} to {to}:\n{body}  reported by {reporter}: {reason}\n  \
         stardate reports remove {id}   |   stardate reports dismiss {id}\n",
        *table_id
    )
}

/// Removes the message of a report for everybody, or lets it stand. Works while servers run.
pub fn decide_report(config: &Config, report: &str, decision: Decision) -> Result<ExitCode, AppFault> {
    let none = || AppFault::Other(format!("there is no open report {report}; `stardate reports` lists them"));
    let IdText(id) = report.parse().map_err(|_| none())?;
    let now = Clock::System.now();
    let done = tables::run(&open(config)?, |conn| tables::decide_report(conn, now, id, decision));
    if !done.map_err(|refused| AppFault::Other(jobs::with_causes(&refused)))? {
        return Err(none());
    }
    match decision {
        Decision::Remove => println!("The message is removed for everybody."),
        Decision::Dismiss => println!("The message stays, and the report is closed."),
    }
    Ok(ExitCode::SUCCESS)
}

fn open(config: &Config) -> Result<Database, AppFault> {
    let db = Database::open_beside(&config.database.url)?;
    db.check_version()?;
    Ok(db)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_does_not_steer_the_terminal() {
        let dirty = "\u{1b}[2J\u{202e}evil\u{7}\r\nnext".to_owned();
        let report = Reported {
            report_id: 1,
            body: dirty.clone(),
            author: "Ann".to_owned(),
            private: false,
            table_id: crate::store::TableId(2),
            title: dirty.clone(),
            reporter: "Ben".to_owned(),
            reason: dirty,
            at: chrono::NaiveDateTime::default(),
        };
        let told = told(&report);
        let steers = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202a}'..='\u{202e}'));
        assert!(!told.contains(steers), "{told:?}");
        assert!(told.contains("    next\n"), "lines of a message stay lines: {told:?}");
    }
}
