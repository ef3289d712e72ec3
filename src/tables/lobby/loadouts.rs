//! Loadouts that players build and keep. A table copies one when its player sits down.

use crate::rules::Fault;
use crate::store::loadouts::{self as rows, LoadoutRow};
use crate::store::{Conn, Stamp, UserId, new_id};

use crate::tables::{Ctx, FieldFault, Refused, plain};

/// Most loadouts a player keeps for one game.
const MOST_LOADOUTS: usize = 100;
/// Longest name of a loadout, in characters.
const LONGEST_NAME: usize = 60;
/// Longest text of a loadout, in bytes.
const LONGEST_TEXT: usize = 16 * 1024;

/// A player's loadouts for a game, by name.
pub fn my_loadouts(conn: &mut Conn, user_id: UserId, game: &str) -> Result<Vec<LoadoutRow>, Refused> {
    Ok(rows::of_user(conn, user_id, game)?)
}

/// One of the player's own loadouts.
pub fn loadout(conn: &mut Conn, user_id: UserId, id: i64) -> Result<Option<LoadoutRow>, Refused> {
    Ok(rows::find(conn, user_id, id)?)
}

/// Checks a loadout and keeps it in canonical form, as a new one or in place of `id`. Returns its id. Faults of
/// the content are [`Refused::Faulty`], those of the name [`Refused::Form`] with the field `name`.
#[expect(clippy::too_many_arguments, reason = "a form has that many parts")]
pub fn save_loadout(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    user_id: UserId,
    game: &str,
    id: Option<i64>,
    name: &str,
    text: &str,
) -> Result<i64, Refused> {
    let loaded = ctx.games.current(game).ok_or_else(|| Refused::NoGame(game.to_owned()))?;
    let name = plain::line(name);
    let name = name.as_str();
    let mine = rows::of_user(conn, user_id, game)?;
    // A form sent twice has saved one.
    let same = |other: &&LoadoutRow| {
        id.is_none() && other.name == name && loaded.check_loadout(text) == Ok(other.body.clone())
    };
    if text.len() <= LONGEST_TEXT
        && let Some(saved) = mine.iter().find(same)
    {
        return Ok(saved.id);
    }
    let fault = if name.is_empty() || name.chars().count() > LONGEST_NAME {
        Some(format!("The name must have 1 to {LONGEST_NAME} visible characters."))
    } else if mine.iter().any(|other| other.name.to_lowercase() == name.to_lowercase() && Some(other.id) != id) {
        Some(format!("You already have one called “{name}”. Choose another name."))
    } else if id.is_none() && mine.len() >= MOST_LOADOUTS {
        Some(format!("You already have {MOST_LOADOUTS}, which is the limit. Delete one first."))
    } else {
        None
    };
    if let Some(message) = fault {
        return Err(Refused::Form(vec![FieldFault { field: "name".to_owned(), message }]));
    }
    if text.len() > LONGEST_TEXT {
        let message = format!("This text is too long: at most {LONGEST_TEXT} bytes are read.");
        return Err(Refused::Faulty(vec![Fault { line: None, message }]));
    }
    let body = loaded.check_loadout(text).map_err(Refused::Faulty)?;
    match id {
        Some(id) if rows::update(conn, user_id, id, name, &body, now)? => Ok(id),
        Some(_) => Err(Refused::Form(vec![FieldFault {
            field: "name".to_owned(),
            message: "It was deleted in the meantime. Save it as a new one.".to_owned(),
        }])),
        None => {
            let row = LoadoutRow {
                id: new_id(now),
                user_id,
                game: game.to_owned(),
                name: name.to_owned(),
                body,
                updated_at: now,
            };
            rows::insert(conn, &row)?;
            Ok(row.id)
        }
    }
}

/// Deletes one of the player's own loadouts; tables that copied it keep their copy. False: there was none.
pub fn delete_loadout(conn: &mut Conn, user_id: UserId, id: i64) -> Result<bool, Refused> {
    Ok(rows::delete(conn, user_id, id)?)
}
