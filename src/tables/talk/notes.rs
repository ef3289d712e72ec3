//! Private notes: what somebody writes down for themselves at a table. Nobody else ever sees them.

use crate::store::notes::{self, NoteRow};
use crate::store::{Conn, Stamp, TableId, UserId};

use crate::tables::{At, Ctx, FieldFault, Refused, TwoNotes, access};

/// Longest note, in characters.
pub const LONGEST_NOTE: usize = 8000;

/// A note as its writer sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The text.
    pub text: String,
    /// Version to save over; 0 before the first.
    pub version: i64,
    /// When it was saved.
    pub at: Option<Stamp>,
}

/// This person's note at a table.
pub fn note(conn: &mut Conn, table_id: TableId, user_id: UserId) -> Result<Note, Refused> {
    let row = notes::find(conn, table_id, user_id)?;
    Ok(row.map_or_else(Note::default, |row| Note { text: row.body, version: row.version, at: Some(row.updated_at) }))
}

/// Saves a note over version `base` of it, also when the table is over. When another text was saved in the
/// meantime nothing is lost and both are given back ([`Refused::TwoNotes`]).
pub fn save_note(conn: &mut Conn, ctx: &Ctx, at: At, base: i64, text: &str) -> Result<(), Refused> {
    let At { now, table: table_id, user: user_id } = at;
    access::visible(conn, ctx, table_id, Some(user_id), None)?;
    let text = text.replace("\r\n", "\n");
    let text = text.trim_end();
    let long = text.chars().count();
    if long > LONGEST_NOTE {
        let message = format!("The notes have {long} characters; they may have {LONGEST_NOTE}. Shorten them.");
        return Err(Refused::Form(vec![FieldFault { field: "note".to_owned(), message }]));
    }
    let stored = note(conn, table_id, user_id)?;
    if stored.text == text {
        return Ok(());
    }
    let row = NoteRow { table_id, user_id, body: text.to_owned(), version: stored.version + 1, updated_at: now };
    if stored.version != base || !notes::put(conn, &row)? {
        let stored = note(conn, table_id, user_id)?;
        return Err(Refused::TwoNotes(Box::new(TwoNotes {
            stored: stored.text,
            yours: text.to_owned(),
            version: stored.version,
        })));
    }
    Ok(())
}
