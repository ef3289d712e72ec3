//! Table talk: messages to everybody at a table or to one person there, and muting.
//!
//! Whoever has a seat may write, before the start, during play and after the end, also when their own part is
//! over. Anyone who may see the table reads what is said to everybody. A message to one person is there for its two
//! people alone: nobody else learns that it exists, so its number is never shown.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::Seat;
use crate::store::messages::{self, MessageRow};
use crate::store::seats::{self, Seated};
use crate::store::{Conn, Stamp, TableId, UserId, game_tables, new_id, reports, users};

use super::talk_letters;
use crate::tables::access::{self, Table};
use crate::tables::{At, Ctx, FieldFault, Refused, plain, words};

/// Longest message, in characters.
pub const LONGEST_MESSAGE: usize = 2000;
/// Most lines of a message.
const MOST_LINES: usize = 60;
/// Messages on one page of all of them.
pub const MESSAGES_A_PAGE: i64 = 50;
/// Messages that stand on the table's own page when all of them were read before.
const LATEST: i64 = 5;
/// Most messages on the table's own page.
const MOST_ON_TABLE: i64 = 20;
/// The same words said again within this time are the same form sent twice.
const TWICE_S: i64 = 60;

/// Somebody at a table, or who was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// Player.
    pub user_id: UserId,
    /// Name.
    pub name: String,
    /// Seat, once dealt; `None` also for somebody who has left.
    pub seat: Option<Seat>,
}

/// A message as its reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Id.
    pub id: i64,
    /// Who said it.
    pub author: Speaker,
    /// To whom alone; `None`: to everybody.
    pub to: Option<Speaker>,
    /// The text; empty when it was removed or the reader has muted its author.
    pub body: String,
    /// When.
    pub at: Stamp,
    /// Whether the reader said it.
    pub mine: bool,
    /// Whether the reader had not seen it before.
    pub new: bool,
    /// Whether the operator removed it.
    pub removed: bool,
    /// Whether the reader has muted its author.
    pub muted: bool,
    /// Whether the reader has reported it.
    pub reported: bool,
}

/// The talk of a table for one reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Talk {
    /// Whether the talk is for the people of a private table, which is open to others only now that it is over.
    pub closed: bool,
    /// Messages, newest first.
    pub messages: Vec<Message>,
    /// Whether there are older ones that the reader may read.
    pub has_older: bool,
    /// Unread messages that are not among these.
    pub unread_elsewhere: usize,
    /// Whether the reader may write.
    pub may_write: bool,
    /// Whether messages to one person alone are allowed.
    pub private_allowed: bool,
    /// To whom alone the reader may write; empty where that is not allowed.
    pub partners: Vec<Speaker>,
    /// What [`mark_talk_seen`] is to be told once the page is shown; `None`: nothing new.
    pub read_up_to: Option<i32>,
}

/// The latest messages, for the table's own page: the unread ones, and a few at least.
pub fn latest(conn: &mut Conn, table: &Table, seated: &[Seated], viewer: Option<UserId>) -> Result<Talk, Refused> {
    let unheard = unheard(conn, table.row.id, viewer)?;
    let wanted = i64::try_from(unheard.len()).unwrap_or(MOST_ON_TABLE).clamp(LATEST, MOST_ON_TABLE);
    part(conn, table, seated, viewer, Part { before: i32::MAX, wanted, unheard })
}

/// A page of all messages: those before the message `before`, or the newest.
pub fn talk(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    viewer: Option<UserId>,
    before: Option<i64>,
) -> Result<Talk, Refused> {
    let table = access::visible(conn, ctx, table_id, viewer, None)?;
    let seated = seats::of_table(conn, table_id)?;
    let before = match before {
        Some(id) => readable(conn, &table, viewer, id)?.no,
        None => i32::MAX,
    };
    let unheard = unheard(conn, table_id, viewer)?;
    part(conn, &table, &seated, viewer, Part { before, wanted: MESSAGES_A_PAGE, unheard })
}

/// The numbers of the messages that this reader has not seen, for people with a seat.
fn unheard(conn: &mut Conn, table_id: TableId, viewer: Option<UserId>) -> Result<BTreeSet<i32>, Refused> {
    let Some(user_id) = viewer else { return Ok(BTreeSet::new()) };
    if seats::of_user(conn, table_id, user_id)?.is_none() {
        return Ok(BTreeSet::new());
    }
    let seen = messages::seen_no(conn, table_id, user_id)?;
    Ok(messages::unheard(conn, table_id, user_id, seen)?.into_iter().map(|(row, _)| row.no).collect())
}

/// Which messages of a talk are wanted.
struct Part {
    /// Those before this number,
    before: i32,
    /// and so many of them, the newest.
    wanted: i64,
    /// Numbers of those that the reader has not seen.
    unheard: BTreeSet<i32>,
}

fn part(
    conn: &mut Conn,
    table: &Table,
    seated: &[Seated],
    viewer: Option<UserId>,
    part: Part,
) -> Result<Talk, Refused> {
    let Part { before, wanted, unheard } = part;
    if !access::may_hear(conn, &table.row, viewer)? {
        return Ok(Talk { closed: true, ..Talk::default() });
    }
    let reader = viewer.unwrap_or(game_tables::NOBODY);
    let mut rows = messages::readable(conn, table.row.id, reader, before, wanted + 1)?;
    let has_older = rows.len() > usize::try_from(wanted).unwrap_or(usize::MAX);
    rows.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
    let shown: BTreeSet<i32> = rows.iter().map(|(row, _)| row.no).collect();
    let unread_elsewhere = unheard.difference(&shown).count();
    let seen = Seen::load(conn, seated, viewer, &rows)?;
    let may_write = seated.iter().any(|seated| Some(seated.row.user_id) == viewer);
    let private_allowed = table.row.private_talk;
    let others = seated
        .iter()
        .filter(|seated| may_write && private_allowed && hears(seated) && Some(seated.row.user_id) != viewer);
    Ok(Talk {
        partners: others.map(speaker).collect(),
        read_up_to: unheard.last().copied().filter(|_| unread_elsewhere == 0),
        messages: rows.into_iter().map(|(row, name)| seen.message(row, name, &unheard)).collect(),
        has_older,
        unread_elsewhere,
        may_write,
        private_allowed,
        closed: false,
    })
}

/// Whether somebody reads what is said to this seat alone: no bot does, and nobody whose account was deleted.
fn hears(seated: &Seated) -> bool {
    seated.bot.is_none() && !is_former_name(&seated.name)
}

/// Whether this stands where the name of a player stood whose account was deleted.
pub fn is_former_name(name: &str) -> bool {
    name == users::FORMER
}

fn speaker(seated: &Seated) -> Speaker {
    Speaker { user_id: seated.row.user_id, name: seated.name.clone(), seat: seated.row.seat.map(words::seat) }
}

/// What a reader's view of some messages needs to know.
struct Seen {
    viewer: Option<UserId>,
    seats: BTreeMap<UserId, Seat>,
    names: BTreeMap<UserId, String>,
    muted: BTreeSet<UserId>,
    reported: BTreeSet<i64>,
}

impl Seen {
    fn load(
        conn: &mut Conn,
        seated: &[Seated],
        viewer: Option<UserId>,
        rows: &[(MessageRow, String)],
    ) -> Result<Seen, Refused> {
        let addressed: BTreeSet<UserId> = rows.iter().filter_map(|(row, _)| row.to_user_id).collect();
        let ids: Vec<i64> = rows.iter().map(|(row, _)| row.id).collect();
        let (muted, reported) = match viewer {
            Some(user_id) => (messages::muted_by(conn, user_id)?, reports::reported_by(conn, user_id, &ids)?),
            None => (Vec::new(), Vec::new()),
        };
        Ok(Seen {
            viewer,
            seats: seated.iter().filter_map(|s| Some((s.row.user_id, words::seat(s.row.seat?)))).collect(),
            names: users::names(conn, &addressed.into_iter().collect::<Vec<_>>())?,
            muted: muted.into_iter().map(|(user_id, _)| user_id).collect(),
            reported: reported.into_iter().collect(),
        })
    }

    fn message(&self, row: MessageRow, author: String, unheard: &BTreeSet<i32>) -> Message {
        let speaker =
            |user_id: UserId, name: String| Speaker { user_id, name, seat: self.seats.get(&user_id).copied() };
        let (removed, muted) = (row.removed_at.is_some(), self.muted.contains(&row.author_id));
        Message {
            id: row.id,
            mine: Some(row.author_id) == self.viewer,
            author: speaker(row.author_id, author),
            to: row.to_user_id.map(|id| speaker(id, self.names.get(&id).cloned().unwrap_or_default())),
            body: if removed || muted { String::new() } else { row.body },
            at: row.at,
            new: unheard.contains(&row.no),
            removed,
            muted,
            reported: self.reported.contains(&row.id),
        }
    }
}

/// A message of this table that the viewer may read.
pub fn readable(conn: &mut Conn, table: &Table, viewer: Option<UserId>, id: i64) -> Result<MessageRow, Refused> {
    let row = messages::find(conn, id)?.filter(|row| row.table_id == table.row.id).ok_or(Refused::NoMessage)?;
    let own = viewer.is_some() && (viewer == row.to_user_id || viewer == Some(row.author_id));
    let open = row.to_user_id.is_none() && access::may_hear(conn, &table.row, viewer)?;
    if open || own { Ok(row) } else { Err(Refused::NoMessage) }
}

/// Notes that this person has read up to the message with this number (see [`Talk::read_up_to`]).
pub fn mark_talk_seen(conn: &mut Conn, table_id: TableId, user_id: UserId, no: i32) -> Result<(), Refused> {
    Ok(messages::mark_seen(conn, table_id, user_id, no)?)
}

/// Says something at a table, to everybody or to one person (`to`) alone. The reader hears of it with the
/// next letter about the table, or with one of its own. Faults are told with the field names `text` and `to`.
pub fn say(conn: &mut Conn, ctx: &Ctx, at: At, to: Option<UserId>, text: &str) -> Result<(), Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let table = access::lock(conn, ctx, table_id)?;
    if !access::may_see(conn, &table.row, Some(user_id), None)? {
        return Err(Refused::NoTable);
    }
    let seated = seats::of_table(conn, table_id)?;
    if seated.iter().all(|seated| seated.row.user_id != user_id) {
        return Err(Refused::NoSeat);
    }
    let body = plain::text(text);
    let mut faults: Vec<FieldFault> = Vec::new();
    faults.extend(text_fault(&body).map(|message| FieldFault { field: "text".to_owned(), message }));
    faults.extend(to_fault(&table, &seated, user_id, to).map(|message| FieldFault { field: "to".to_owned(), message }));
    if !faults.is_empty() {
        return Err(Refused::Form(faults));
    }
    let before = messages::last_of(conn, table_id, user_id)?;
    let twice =
        |last: &MessageRow| last.to_user_id == to && last.body == body && (now - last.at).num_seconds() < TWICE_S;
    if before.as_ref().is_some_and(twice) {
        return Ok(());
    }
    let no = messages::last_no(conn, table_id)? + 1;
    let row = MessageRow {
        id: new_id(now),
        table_id,
        no,
        author_id: user_id,
        to_user_id: to,
        body,
        at: now,
        removed_at: None,
    };
    messages::insert(conn, &row)?;
    talk_letters::announce(conn, ctx, now, &table, &seated, &row)
}

fn text_fault(body: &str) -> Option<String> {
    match body.chars().count() {
        0 => Some("Write something first.".to_owned()),
        long if long > LONGEST_MESSAGE => {
            Some(format!("This has {long} characters; a message may have {LONGEST_MESSAGE}. Shorten it, or send two."))
        }
        _ => match body.lines().count() {
            lines if lines > MOST_LINES => {
                Some(format!("This has {lines} lines; a message may have {MOST_LINES}. Use fewer lines."))
            }
            _ => None,
        },
    }
}

fn to_fault(table: &Table, seated: &[Seated], user_id: UserId, to: Option<UserId>) -> Option<String> {
    let to = to?;
    if !table.row.private_talk {
        return Some("At this table all messages go to everybody.".to_owned());
    }
    if to == user_id {
        return Some("You cannot write to yourself. Use your notes instead.".to_owned());
    }
    let sits = seated.iter().any(|seated| seated.row.user_id == to && hears(seated));
    (!sits).then(|| "Nobody at this table with that name reads messages. Choose somebody else.".to_owned())
}

/// Mutes a player for this person, at all tables: what they say is no longer shown, and no letter carries it.
pub fn mute(conn: &mut Conn, now: Stamp, user_id: UserId, muted_id: UserId) -> Result<(), Refused> {
    if user_id == muted_id {
        return Err(Refused::NoPlayer("yourself".to_owned()));
    }
    users::find(conn, muted_id)?.filter(users::User::is_active).ok_or(Refused::NoTable)?;
    Ok(messages::mute(conn, user_id, muted_id, now)?)
}

/// Hears a player again.
pub fn unmute(conn: &mut Conn, user_id: UserId, muted_id: UserId) -> Result<(), Refused> {
    Ok(messages::unmute(conn, user_id, muted_id)?)
}

/// Whom this person has muted: id and name.
pub fn muted(conn: &mut Conn, user_id: UserId) -> Result<Vec<(UserId, String)>, Refused> {
    Ok(messages::muted_by(conn, user_id)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_counted_in_characters() {
        assert_eq!(text_fault(&"é".repeat(LONGEST_MESSAGE)), None);
        let fault = text_fault(&"é".repeat(LONGEST_MESSAGE + 1)).unwrap();
        assert!(fault.starts_with("This has 2001 characters"), "{fault}");
        assert!(text_fault("").is_some());
    }
}
