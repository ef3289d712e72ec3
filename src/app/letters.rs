//! The `mail` subcommand: letters that were set aside, and sending one of them again.

use std::process::ExitCode;

use super::AppFault;
use crate::clock::Clock;
use crate::config::Config;
use crate::mail;
use crate::store::outbox::{self, Row};
use crate::store::{ConnectFault, Database, IdText};

/// The most letters that are listed.
const MOST_LISTED: i64 = 200;

/// Prints how many letters wait and those that were set aside, newest first. Works while servers run.
pub fn list_letters(config: &Config) -> Result<ExitCode, AppFault> {
    let (counts, rows) = open(config)?
        .read(|conn| Ok::<_, diesel::result::Error>((outbox::counts(conn)?, outbox::set_aside(conn, MOST_LISTED)?)))
        .map_err(|error| AppFault::Other(error.to_string()))?;
    let count = |status: &str| counts.iter().find(|(known, _)| known == status).map_or(0, |(_, count)| *count);
    println!("Letters waiting: {}. Letters set aside: {}.", count("queued"), count("dead"));
    for row in &rows {
        println!("{}", told(row));
    }
    Ok(ExitCode::SUCCESS)
}

fn told(row: &Row) -> String {
    let id = row.id;
    let why = row.last_error.as_deref().unwrap_or("(no reason is known)").replace(&row.to_address, "(the address)");
    let cure = if row.body_text.is_empty() {
        "It had a secret link, which was removed: the player can ask for a new one on the site.".to_owned()
    } else {
        format!("stardate mail again {id}")
    };
    format!(
        "\n{id}  {} UTC, {} to {}\n  {}\n  Why: {}\n  {cure}",
        row.created_at,
        row.letter,
        plain(&mail::mask(&row.to_address)),
        plain(&row.subject),
        plain(&why)
    )
}

/// What people and mail servers wrote, as a terminal may show it: on one line, and without what moves its cursor or
/// turns its direction of writing.
fn plain(text: &str) -> String {
    let unsafe_to_show = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if unsafe_to_show(c) { ' ' } else { c }).collect()
}

/// Queues a letter again that was set aside. Works while servers run; they find it within half a minute.
pub fn send_letter_again(config: &Config, letter: &str) -> Result<ExitCode, AppFault> {
    let none =
        || AppFault::Other(format!("there is no letter {letter} set aside with its text; `stardate mail` lists them"));
    let IdText(id) = letter.parse().map_err(|_| none())?;
    let now = Clock::System.now();
    let queued = open(config)?.write(|conn| outbox::send_again(conn, id, now));
    if !queued.map_err(|error: diesel::result::Error| AppFault::Other(error.to_string()))? {
        return Err(none());
    }
    println!("The letter will be sent again.");
    Ok(ExitCode::SUCCESS)
}

fn open(config: &Config) -> Result<Database, ConnectFault> {
    let db = Database::open_beside(&config.database.url)?;
    db.check_version()?;
    Ok(db)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_can_not_steer_the_terminal() {
        assert_eq!(plain("a\u{1b}[2J\nb\u{202e}c"), "a [2J b c");
    }
}
