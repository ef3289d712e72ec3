//! The `replay` and `verify` subcommands: a downloaded record is checked without the server that wrote it.

use std::path::Path;
use std::process::ExitCode;

use super::AppFault;
use crate::games;
use crate::tables::record::{self, Replayed};
use crate::tables::verify::{self, Check};

/// Plays a record again and prints every phase, what happened in it, and the fingerprint of the position
/// after it. Fails where playing again leads elsewhere.
pub fn replay(path: &Path) -> Result<ExitCode, AppFault> {
    let replayed = record::replay(&read(path)?, &games::all()).map_err(|fault| in_file(path, &fault))?;
    print!("{}", told(&replayed));
    Ok(ExitCode::SUCCESS)
}

/// Checks everything a record promises and prints each check in words. Fails when one does not hold.
pub fn verify(path: &Path) -> Result<ExitCode, AppFault> {
    let checks = verify::verify(&read(path)?, &games::all()).map_err(|fault| in_file(path, &fault))?;
    let wrong = checks.iter().filter(|check| !check.holds).count();
    for Check { holds, words } in &checks {
        println!("{}  {words}", if *holds { "ok  " } else { "FAIL" });
    }
    match wrong {
        0 => println!("All {} checks passed.", checks.len()),
        _ => println!("{wrong} of {} checks failed: this is not the record of a fair game.", checks.len()),
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(path: &Path) -> Result<String, AppFault> {
    std::fs::read_to_string(path)
        .map_err(|error| AppFault::Other(format!("the record {} cannot be read: {error}", path.display())))
}

fn in_file(path: &Path, fault: &record::RecordFault) -> AppFault {
    AppFault::Other(format!("{}: {fault}", path.display()))
}

fn told(replayed: &Replayed) -> String {
    let mut text = format!("{} ({})\n", replayed.title, replayed.game_name);
    for position in &replayed.positions {
        text.push_str(&format!("\n{}. {}\n", position.no, position.name));
        for line in &position.report {
            text.push_str(&format!("   {line}\n"));
        }
        text.push_str(&format!("   position {}\n", position.state_sha256));
    }
    if let Some(last) = replayed.positions.last() {
        text.push_str(&format!("\nThe last position:\n{}\n", last.position.trim_end()));
    }
    text.push('\n');
    for line in &replayed.result {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str("Every throw, report and position is the same as in the record.\n");
    text
}
