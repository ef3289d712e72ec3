//! What is known before a ranked table begins about wins that would not count.

use crate::store::{Conn, Stamp, UserId};
use crate::tables::Refused;
use crate::tables::fair::{self, Beforehand};
use crate::tables::play::book::earlier_wins;

/// What this player should know before a ranked table with these people (id and name) begins: whose win over whom would
/// not count as things are now, a sentence each. Only what concerns the player.
pub fn uncounted(
    conn: &mut Conn,
    now: Stamp,
    user_id: UserId,
    others: &[(UserId, String)],
) -> Result<Vec<String>, Refused> {
    let mine = earlier_wins(conn, user_id, now)?;
    let mut sentences = Vec::new();
    for (other, name) in others.iter().filter(|(other, _)| *other != user_id) {
        match fair::beforehand(&mine, user_id, *other, now) {
            Beforehand::Counts => {}
            Beforehand::Not => sentences.push(format!(
                "A win of yours over {name} would not be counted: you already have {} counted wins over {name} within {} \
                 days.",
                fair::REPEATS,
                fair::REPEAT_DAYS
            )),
            Beforehand::NoWalkover => sentences.push(format!(
                "A walkover would not be counted for you: a win where the others leave before each of them has handed in \
                 orders in {} turns. You already have a counted walkover over {name} within {} days.",
                fair::WALKOVER_TURNS,
                fair::WALKOVER_DAYS
            )),
        }
        let theirs = earlier_wins(conn, *other, now)?;
        if fair::beforehand(&theirs, *other, user_id, now) == Beforehand::Not {
            sentences.push(format!(
                "A win of {name} over you would not be counted: {name} already has {} counted wins over you within {} \
                 days.",
                fair::REPEATS,
                fair::REPEAT_DAYS
            ));
        }
    }
    Ok(sentences)
}
