//! What players have seen: noted at once when nobody else is writing, and otherwise kept for the loop that fires
//! deadlines, which notes it before it fires any.
//!
//! So reading a page never waits for a write, and what was seen before a deadline counts at that deadline. Marks are
//! lost only with the process. A lost one is to the player's favour: it is as if they had not seen the page, and a clock
//! that ran out unseen is given again.

use std::collections::BTreeMap;
use std::sync::Arc;

use diesel::QueryResult;
use parking_lot::Mutex;

use super::turn::mark_seen;
use crate::store::{Conn, Database, PhaseNo, Stamp, TableId, UserId};
use crate::tables::Refused;
use crate::tables::talk::conversation::mark_talk_seen;

/// Most marks kept in memory while the database is busy.
const MOST: usize = 20_000;

/// Something a player has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The page of a phase in which they owe orders.
    Phase {
        /// Table.
        table_id: TableId,
        /// Who.
        user_id: UserId,
        /// Number of the phase.
        phase_no: PhaseNo,
    },
    /// The talk of a table up to a message.
    Talk {
        /// Table.
        table_id: TableId,
        /// Who.
        user_id: UserId,
        /// Number of the message.
        no: i32,
    },
}

/// Marks not noted yet. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Marks(Arc<Mutex<BTreeMap<Mark, Stamp>>>);

impl Marks {
    /// Keeps a mark made at `now`; of a mark made twice the first time counts.
    pub fn keep(&self, mark: Mark, now: Stamp) {
        let mut kept = self.0.lock();
        if kept.len() < MOST {
            kept.entry(mark).or_insert(now);
        } else {
            tracing::warn!(?mark, "Too many marks wait for the database; this one is lost, to the player's favour.");
        }
    }

    /// Notes what is kept, unless somebody else is writing just now: then it stays kept.
    pub fn try_note(&self, db: &Database) -> QueryResult<()> {
        self.note_by(|marks| db.try_write(|conn| note(conn, marks)).map(|done| done.is_some()))
    }

    /// Notes what is kept and waits for its turn. What cannot be noted stays kept.
    pub fn note(&self, db: &Database) -> QueryResult<()> {
        self.note_by(|marks| db.write(|conn| note(conn, marks)).map(|()| true))
    }

    /// How many marks are kept.
    pub fn waiting(&self) -> usize {
        self.0.lock().len()
    }

    fn note_by(&self, noting: impl FnOnce(&BTreeMap<Mark, Stamp>) -> QueryResult<bool>) -> QueryResult<()> {
        let marks = self.0.lock().clone();
        if marks.is_empty() || !noting(&marks)? {
            return Ok(());
        }
        // Removed only now: a mark is never out of both places.
        self.0.lock().retain(|mark, _| !marks.contains_key(mark));
        Ok(())
    }
}

fn note(conn: &mut Conn, marks: &BTreeMap<Mark, Stamp>) -> QueryResult<()> {
    for (mark, at) in marks {
        let noted = match *mark {
            Mark::Phase { table_id, user_id, phase_no } => mark_seen(conn, *at, table_id, user_id, phase_no),
            Mark::Talk { table_id, user_id, no } => mark_talk_seen(conn, table_id, user_id, no),
        };
        match noted {
            Ok(()) => {}
            Err(Refused::Database(error)) => return Err(error),
            // The table is gone meanwhile.
            Err(refused) => tracing::debug!(?mark, %refused, "A mark was dropped."),
        }
    }
    Ok(())
}
