//! The subcommands `backup` and `restore`.

use std::path::Path;
use std::process::ExitCode;

use super::AppFault;
use crate::clock::Clock;
use crate::config::Config;
use crate::store::backup;

/// Writes a copy of the database to a new file. Works while the server runs.
pub fn backup_to(config: &Config, to: &Path) -> Result<ExitCode, AppFault> {
    backup::backup(&config.database.url, to)?;
    println!("The database was copied to {}.", to.display());
    Ok(ExitCode::SUCCESS)
}

/// Puts a backup in the place of the database.
pub fn restore_from(config: &Config, from: &Path) -> Result<ExitCode, AppFault> {
    let restored = backup::restore(&config.database.url, from, Clock::System.now())?;
    println!("{} was checked and is now the database {}.", from.display(), restored.database.display());
    if let Some(aside) = &restored.aside {
        println!("What was there before is now {} (and, if there was one, its -wal next to it).", aside.display());
    }
    if let Some(alive) = restored.last_alive {
        println!(
            "\nThe backup last saw a server at {alive} UTC. What happened since is not in it. Start the server; if the \
             backup is more than an hour old, no deadline fires until you type\n  stardate clocks credit\nwhich gives every \
             running clock the time since the backup. Letters that had left since then may be sent once more."
        );
    }
    Ok(ExitCode::SUCCESS)
}
