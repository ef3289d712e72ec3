//! What a player does at a table, whichever way it came in.

use crate::store::{PhaseNo, Stamp, TableId, UserId};

/// One thing a player does at a table: by a form of the site, by a letter, by a call of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    /// The table.
    pub table: TableId,
    /// The player.
    pub user: UserId,
    /// The phase that the player was shown. When another one is open by now nothing is done.
    pub phase: PhaseNo,
    /// The version of the orders that the player was shown ([`crate::tables::Turn::version`]), `None` when nothing was
    /// stored. When another text is stored by now both are kept ([`crate::tables::Refused::TwoTabs`]).
    pub base: Option<i64>,
    /// When all of it had arrived. It decides one thing: whether this was in time. No clock starts here, because
    /// the sender has a hand in it; clocks start at the time of the transaction, which use cases take besides.
    pub received: Stamp,
}

impl Act {
    /// An act that is about no one phase, such as resigning: whichever is open when it arrives.
    pub fn in_any_phase(table: TableId, user: UserId, received: Stamp) -> Act {
        Act { table, user, phase: PhaseNo(0), base: None, received }
    }
}
