//! A server to look at: four players, tables at different phases, letters in a folder. Everything is made by
//! the same use cases that pages call, with orders drawn from what the game offers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{AppFault, Parts, logs, server};
use crate::config::{Config, MailTransport};
use crate::store::{Conn, Database, TableId, settings};

mod chooser;
mod many;
mod seed;

use seed::{PLAYERS, Seeded};

/// Under this name the database keeps what was seeded, once all of it is there.
const SEEDED: &str = "demo";

const DATABASE: &str = "demo.db";
const LETTERS: &str = "letters";

/// Runs the demo in `folder`, which is made if need be and kept between runs. `fresh` throws away what earlier
/// runs left in it. The database and the letters' folder of the settings are not used.
pub fn demo(mut config: Config, folder: &Path, fresh: bool) -> Result<ExitCode, AppFault> {
    std::fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
    config.database.url = format!("sqlite:{}", folder.join(DATABASE).display());
    config.mail.transport = MailTransport::Folder(folder.join(LETTERS));
    if fresh || is_half_seeded(&config, folder)? {
        wipe(&config, folder)?;
    }
    let parts = Parts::new(config)?;
    let seeded = match read_seeded(&parts.db)? {
        Some(seeded) => seeded,
        None => {
            println!("Setting up the demo: four players and their games. This takes a few seconds.");
            seed::seed(&parts)?
        }
    };
    // Not earlier: what seeding does would be hundreds of lines.
    logs::start(&parts.config.log);
    print!("{}", welcome(&parts.ctx.site.base_url, folder, &seeded));
    server::run(parts, server::LongGap::Credit)
}

/// Whether an earlier start was stopped in the middle of making players and tables.
fn is_half_seeded(config: &Config, folder: &Path) -> Result<bool, AppFault> {
    if !folder.join(DATABASE).exists() {
        return Ok(false);
    }
    let db = Database::open(&config.database.url, 1)?;
    db.migrate()?;
    Ok(read_seeded(&db)?.is_none())
}

fn read_seeded(db: &Database) -> Result<Option<Seeded>, AppFault> {
    let text = settings::get(&mut *db.connection()?, SEEDED)?;
    // Of another version: then its tables are still there, and only the links can't be shown.
    Ok(text.map(|text| serde_json::from_str(&text).unwrap_or_default()))
}

fn keep_seeded(conn: &mut Conn, seeded: &Seeded) -> diesel::QueryResult<()> {
    let text = serde_json::to_string(seeded).expect("a list of numbers is always JSON");
    settings::set(conn, SEEDED, &text)
}

/// Removes the demo's own files and nothing else, unless a demo is running on them.
fn wipe(config: &Config, folder: &Path) -> Result<(), AppFault> {
    if folder.join(DATABASE).exists() {
        drop(Database::open(&config.database.url, 1)?);
    }
    let mut files: Vec<PathBuf> =
        ["", "-wal", "-shm"].iter().map(|end| folder.join(format!("{DATABASE}{end}"))).collect();
    if let Ok(letters) = std::fs::read_dir(folder.join(LETTERS)) {
        files.extend(
            letters.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "eml")),
        );
    }
    for file in files.iter().filter(|file| file.exists()) {
        std::fs::remove_file(file).map_err(|error| unusable(file, &error))?;
    }
    Ok(())
}

fn unusable(path: &Path, error: &std::io::Error) -> AppFault {
    AppFault::Other(format!("the demo's {} cannot be used: {error}", path.display()))
}

fn welcome(base_url: &str, folder: &Path, seeded: &Seeded) -> String {
    let mut text = format!("\nStardate's demo runs at {base_url}\n\nSign in as one of four players:\n");
    for player in PLAYERS {
        text.push_str(&format!("  {:<6} {:<20} password: {}\n", player.name, player.email, player.password));
    }
    let link = |table_id: Option<TableId>| table_id.map_or_else(String::new, |id| format!("{base_url}/t/{}", id));
    let lines = [
        (seeded.due, "You owe a plot, and your opponent's is in: hand in yours, and the phase resolves at once."),
        (seeded.waiting, "Your plot is in, and you wait for your opponent. You can still replace or withdraw it."),
        (seeded.open, "Waiting for a second player: join it."),
        (seeded.invited, "You are invited to this one."),
        (seeded.finished, "Over: step through its phases, download its record, see what was checked."),
        (seeded.against_bots, "Your turn on a map against two bots: they move within seconds of your turn's end."),
        (seeded.open_to_many, "Waiting for four players: join it, or watch who sits down."),
        (seeded.finished_by_many, "A game of three that is over."),
    ];
    text.push_str("\nWhat to look at as Ada:\n");
    for (table_id, what) in lines.into_iter().filter(|(table_id, _)| table_id.is_some()) {
        text.push_str(&format!("  {}\n      {what}\n", link(table_id)));
    }
    text.push_str(&format!(
        "\nTo play both sides, sign in as the opponent in a private window. Letters: {base_url}/mail\n\
         Ctrl+C stops it; what you did stays in {}/. To start over: stardate demo --fresh\n\n",
        folder.display()
    ));
    text
}
