//! What all use cases need, and how a changing one is run.

use std::sync::Arc;

use chrono::TimeDelta;

use crate::mail::Site;
use crate::store::{Conn, Database, Stamp, TableId, UserId};

use super::{Games, Refused};

/// How often a use case that lost a race is run again on fresh data.
const TRIES: usize = 4;

/// What use cases need apart from the connection and the time.
#[derive(Clone)]
pub struct Ctx {
    /// The games this server plays.
    pub games: Arc<Games>,
    /// The site, for letters.
    pub site: Site,
    /// The joining rule's figures.
    pub join: JoinFigures,
    /// How long a table waits for somebody to join before it is closed; `None`: for ever.
    pub unjoined: Option<TimeDelta>,
}

/// Who does something at which table, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The time of the transaction.
    pub now: Stamp,
    /// The table.
    pub table: TableId,
    /// The player.
    pub user: UserId,
}

impl At {
    /// Puts the three together.
    pub fn new(now: Stamp, table: TableId, user: UserId) -> At {
        At { now, table, user }
    }
}

/// The server-wide joining rule: with `drops` or more drops among the last `window` ranked games, a player may
/// hold `running` games at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinFigures {
    /// Number of drops from which the rule applies; 0 switches it off.
    pub drops: u32,
    /// How many of the last finished or left ranked games are looked at.
    pub window: u32,
    /// How many games, running or waiting to start, may be held then.
    pub running: u32,
}

impl Default for JoinFigures {
    fn default() -> JoinFigures {
        JoinFigures { drops: 3, window: 20, running: 1 }
    }
}

/// Runs a use case in a write transaction, again on fresh data if somebody else changed the table meanwhile.
pub fn run<T>(db: &Database, mut work: impl FnMut(&mut Conn) -> Result<T, Refused>) -> Result<T, Refused> {
    let mut tries = 1;
    loop {
        match db.write(&mut work) {
            Err(Refused::Conflict) if tries < TRIES => tries += 1,
            other => return other,
        }
    }
}
