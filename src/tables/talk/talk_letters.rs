//! Table talk in letters. Every letter about a table carries what its reader has neither read on the pages nor
//! been sent. Where no such letter comes, one of its own does: it waits a while, is worded when it leaves, and
//! is dropped when there is nothing left to tell by then.

use chrono::TimeDelta;
use diesel::QueryResult;

use crate::mail::{self, Letter, Recipient, Said, Site, TableRef, TableTalk};
use crate::store::messages::{self, MessageRow};
use crate::store::outbox::{self, Row};
use crate::store::seats::{self, Seated};
use crate::store::{Conn, Stamp, TableId, UserId, game_tables, users};

use crate::tables::access::Table;
use crate::tables::{Ctx, Refused, letters, words};

/// Messages that one letter carries at most; the others stand on the page.
const MOST_IN_LETTER: usize = 30;

/// How long a letter of talk alone waits while another letter with the same talk has not left.
pub const WAITS_FOR_OTHERS: TimeDelta = TimeDelta::minutes(10);

/// Sees to it that whoever a message is for hears of it.
pub fn announce(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table: &Table,
    seated: &[Seated],
    row: &MessageRow,
) -> Result<(), Refused> {
    let deaf = messages::muters_of(conn, row.author_id)?;
    for to in seated.iter().map(|seated| seated.row.user_id) {
        let concerned = to != row.author_id && row.to_user_id.is_none_or(|only| only == to) && !deaf.contains(&to);
        if !concerned || outbox::holds_talk_letter(conn, row.table_id, to)? {
            continue;
        }
        let key = format!("talk:{}:{}:{}", row.table_id, to, row.id);
        letters::send(conn, ctx, now, to, &Letter::Talk { table: letters::table_ref(table) }, &key)?;
    }
    Ok(())
}

/// What a letter about a table has to tell this person of its talk, apart from what others told or will tell.
pub fn unsent(conn: &mut Conn, table_id: TableId, user_id: UserId) -> QueryResult<TableTalk> {
    if seats::of_user(conn, table_id, user_id)?.is_none() {
        return Ok(TableTalk::default());
    }
    let carried = messages::carried(conn, table_id, user_id, None)?;
    let seen = messages::seen_no(conn, table_id, user_id)?;
    talk_since(conn, table_id, user_id, seen.max(carried.sent).max(carried.waiting))
}

fn talk_since(conn: &mut Conn, table_id: TableId, user_id: UserId, after: i32) -> QueryResult<TableTalk> {
    let rows = messages::unheard(conn, table_id, user_id, after)?;
    if rows.is_empty() {
        return Ok(TableTalk::default());
    }
    let seated = seats::of_table(conn, table_id)?;
    let up_to = rows.last().map(|(row, _)| row.no);
    let left_out = rows.len().saturating_sub(MOST_IN_LETTER);
    let said = rows.into_iter().skip(left_out).map(|(row, name)| said(&seated, row, name)).collect();
    Ok(TableTalk { said, left_out, up_to })
}

fn said(seated: &[Seated], row: MessageRow, name: String) -> Said {
    let seat = seated.iter().find(|seated| seated.row.user_id == row.author_id).and_then(|seated| seated.row.seat);
    Said {
        who: match seat {
            Some(seat) => format!("{name} ({})", words::seat(seat)),
            None => name,
        },
        alone: row.to_user_id.is_some(),
        at: row.at,
        text: row.body,
    }
}

/// What becomes of a letter of talk alone that is about to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TalkLetter {
    /// It goes, with the words it has now.
    Goes,
    /// Another letter that waits carries the same; this one looks again later.
    Waits,
    /// There is nothing to tell any more.
    IsVain,
}

/// Gives a letter of talk alone, which its sender has claimed, its words. Once worded it keeps them, so that one
/// that is sent twice is the same letter.
pub fn word_talk_letter(conn: &mut Conn, site: &Site, now: Stamp, letter: &Row) -> QueryResult<TalkLetter> {
    let (Some(table_id), Some(user_id)) = (letter.table_id, letter.user_id) else { return Ok(TalkLetter::IsVain) };
    // Whoever has left or was taken from their seat since reads along no more.
    if seats::of_user(conn, table_id, user_id)?.is_none() {
        return Ok(TalkLetter::IsVain);
    }
    let seen = messages::seen_no(conn, table_id, user_id)?;
    if let Some(up_to) = letter.talk_no {
        return Ok(if seen >= up_to { TalkLetter::IsVain } else { TalkLetter::Goes });
    }
    let carried = messages::carried(conn, table_id, user_id, Some(letter.id))?;
    let talk = talk_since(conn, table_id, user_id, seen.max(carried.sent))?;
    let Some(up_to) = talk.up_to else { return Ok(TalkLetter::IsVain) };
    if carried.waiting > seen.max(carried.sent) {
        return Ok(TalkLetter::Waits);
    }
    let (Some(table), Some(user)) = (game_tables::find(conn, table_id)?, users::find(conn, user_id)?) else {
        return Ok(TalkLetter::IsVain);
    };
    let Some(to) = Recipient::of(&user) else { return Ok(TalkLetter::IsVain) };
    // The game's name does not stand in this letter.
    let table = TableRef { id: table.id, title: table.title, game: String::new() };
    mail::reword(conn, site, now, &to, &Letter::Talk { table }, &talk, up_to, letter)?;
    Ok(TalkLetter::Goes)
}
