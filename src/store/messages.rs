//! What is said at tables, up to where it was read, and who is muted by whom.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;

use super::dialect::Both;
use super::dialect::Keep;
use super::schema::{messages, mutes, outbox, talk_marks, users};
use super::{Conn, MultiBackend, Stamp, TableId, UserId};

/// Something said at a table.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = messages)]
#[diesel(check_for_backend(MultiBackend))]
pub struct MessageRow {
    /// Id, the one that is shown in addresses.
    pub id: i64,
    /// Table.
    pub table_id: TableId,
    /// Number in the order of saying, counted from 1; never shown: gaps would tell of messages to others.
    pub no: i32,
    /// Who said it.
    pub author_id: UserId,
    /// To whom alone; `None`: to everybody.
    pub to_user_id: Option<UserId>,
    /// The text, with its line breaks.
    pub body: String,
    /// When.
    pub at: Stamp,
    /// When the operator removed it.
    pub removed_at: Option<Stamp>,
}

/// Stores a message.
pub fn insert(conn: &mut Conn, row: &MessageRow) -> QueryResult<()> {
    diesel::insert_into(messages::table).values(row.clone()).kept().execute(conn)?;
    Ok(())
}

/// The number of a table's last message, whoever it is for; 0 before the first.
pub fn last_no(conn: &mut Conn, table_id: TableId) -> QueryResult<i32> {
    let last: Option<i32> = messages::table
        .filter(messages::table_id.eq(table_id))
        .select(diesel::dsl::max(messages::no))
        .get_result(conn)?;
    Ok(last.unwrap_or(0))
}

/// One message.
pub fn find(conn: &mut Conn, id: i64) -> QueryResult<Option<MessageRow>> {
    messages::table.find(id).select(MessageRow::as_select()).first(conn).optional()
}

/// The last message that this person said at a table.
pub fn last_of(conn: &mut Conn, table_id: TableId, author_id: UserId) -> QueryResult<Option<MessageRow>> {
    messages::table
        .filter(messages::table_id.eq(table_id))
        .filter(messages::author_id.eq(author_id))
        .order(messages::no.desc())
        .select(MessageRow::as_select())
        .first(conn)
        .optional()
}

/// The condition that a message may be read by this person ([`super::game_tables::NOBODY`] for a stranger).
#[diesel::dsl::auto_type(no_type_alias)]
fn readable_by(user_id: UserId) -> _ {
    messages::to_user_id.is_null().or(messages::to_user_id.eq(user_id)).or(messages::author_id.eq(user_id))
}

/// The messages that this person may read with numbers below `before`, newest first, with their authors' names.
pub fn readable(
    conn: &mut Conn,
    table_id: TableId,
    user_id: UserId,
    before: i32,
    limit: i64,
) -> QueryResult<Vec<(MessageRow, String)>> {
    messages::table
        .inner_join(users::table)
        .filter(messages::table_id.eq(table_id))
        .filter(messages::no.lt(before))
        .filter(readable_by(user_id))
        .order(messages::no.desc())
        .limit(limit)
        .select((MessageRow::as_select(), users::name))
        .load(conn)
}

/// What others have said to this person, or to everybody, since the message `after`, oldest first, with the
/// authors' names. What was removed, and what people said whom this person has muted, is left out.
pub fn unheard(
    conn: &mut Conn,
    table_id: TableId,
    user_id: UserId,
    after: i32,
) -> QueryResult<Vec<(MessageRow, String)>> {
    let muted = mutes::table.filter(mutes::user_id.eq(user_id)).filter(mutes::muted_id.eq(messages::author_id));
    messages::table
        .inner_join(users::table)
        .filter(messages::table_id.eq(table_id))
        .filter(messages::no.gt(after))
        .filter(messages::author_id.ne(user_id))
        .filter(messages::removed_at.is_null())
        .filter(readable_by(user_id))
        .filter(diesel::dsl::not(diesel::dsl::exists(muted)))
        .order(messages::no)
        .select((MessageRow::as_select(), users::name))
        .load(conn)
}

/// Removes a message for everybody; its text stays stored for anyone who has to look into the matter.
pub fn remove(conn: &mut Conn, id: i64, now: Stamp) -> QueryResult<()> {
    diesel::update(messages::table.find(id).filter(messages::removed_at.is_null()))
        .set(messages::removed_at.eq(Some(now)))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// The number of the last message this person has read on the table's pages; 0 before the first.
pub fn seen_no(conn: &mut Conn, table_id: TableId, user_id: UserId) -> QueryResult<i32> {
    let seen: Option<i32> =
        talk_marks::table.find((table_id, user_id)).select(talk_marks::seen_no).first(conn).optional()?;
    Ok(seen.unwrap_or(0))
}

/// Notes that this person has read up to this message; an earlier one changes nothing.
pub fn mark_seen(conn: &mut Conn, table_id: TableId, user_id: UserId, no: i32) -> QueryResult<()> {
    let mark = (talk_marks::table_id.eq(table_id), talk_marks::user_id.eq(user_id), talk_marks::seen_no.eq(no));
    let insert = diesel::insert_into(talk_marks::table)
        .values(mark)
        .on_conflict((talk_marks::table_id, talk_marks::user_id))
        .do_nothing();
    Both(insert).kept().execute(conn)?;
    diesel::update(talk_marks::table.find((table_id, user_id)).filter(talk_marks::seen_no.lt(no)))
        .set(talk_marks::seen_no.eq(no))
        .kept()
        .execute(conn)?;
    Ok(())
}

/// A count of unheard messages.
#[derive(QueryableByName)]
struct Unheard {
    #[diesel(sql_type = BigInt)]
    table_id: TableId,
    #[diesel(sql_type = BigInt)]
    messages: i64,
}

/// How many messages this person has not read at each of these tables; tables without are left out.
pub fn unheard_counts(conn: &mut Conn, user_id: UserId, table_ids: &[TableId]) -> QueryResult<BTreeMap<TableId, i64>> {
    if table_ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list = table_ids.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(", ");
    let query = format!(
        "SELECT m.table_id AS table_id, CAST(COUNT(*) AS BIGINT) AS messages FROM messages m \
         LEFT JOIN talk_marks k ON k.table_id = m.table_id AND k.user_id = $1 \
         WHERE m.table_id IN ({list}) AND m.author_id <> $1 AND (m.to_user_id IS NULL OR m.to_user_id = $1) \
         AND m.removed_at IS NULL AND m.no > COALESCE(k.seen_no, 0) \
         AND NOT EXISTS (SELECT 1 FROM mutes x WHERE x.user_id = $1 AND x.muted_id = m.author_id) GROUP BY m.table_id"
    );
    let counts: Vec<Unheard> = sql_query(query).bind::<BigInt, _>(user_id).load(conn)?;
    Ok(counts.into_iter().map(|count| (count.table_id, count.messages)).collect())
}

/// The last message carried by letters about a table to a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// By those a mail server has accepted.
    pub sent: i32,
    /// By those that wait.
    pub waiting: i32,
}

/// How far letters carry a table's talk to this person; the letter `except` is not looked at.
pub fn carried(conn: &mut Conn, table_id: TableId, user_id: UserId, except: Option<i64>) -> QueryResult<Carried> {
    let mut last = |status: &str| -> QueryResult<i32> {
        let no: Option<i32> = outbox::table
            .filter(outbox::table_id.eq(table_id))
            .filter(outbox::user_id.eq(user_id))
            .filter(outbox::status.eq(status))
            // No letter has this id.
            .filter(outbox::id.ne(except.unwrap_or(0)))
            .select(diesel::dsl::max(outbox::talk_no))
            .get_result(conn)?;
        Ok(no.unwrap_or(0))
    };
    Ok(Carried { sent: last("sent")?, waiting: last("queued")? })
}

/// Mutes somebody for this person; again changes nothing.
pub fn mute(conn: &mut Conn, user_id: UserId, muted_id: UserId, now: Stamp) -> QueryResult<()> {
    let row = (mutes::user_id.eq(user_id), mutes::muted_id.eq(muted_id), mutes::at.eq(now));
    let insert =
        diesel::insert_into(mutes::table).values(row).on_conflict((mutes::user_id, mutes::muted_id)).do_nothing();
    Both(insert).kept().execute(conn)?;
    Ok(())
}

/// Hears somebody again.
pub fn unmute(conn: &mut Conn, user_id: UserId, muted_id: UserId) -> QueryResult<()> {
    diesel::delete(mutes::table.find((user_id, muted_id))).execute(conn)?;
    Ok(())
}

/// Whom this person has muted, by name.
pub fn muted_by(conn: &mut Conn, user_id: UserId) -> QueryResult<Vec<(UserId, String)>> {
    mutes::table
        .inner_join(users::table.on(users::id.eq(mutes::muted_id)))
        .filter(mutes::user_id.eq(user_id))
        .order(users::name_key)
        .select((users::id, users::name))
        .load(conn)
}

/// Who has muted this person.
pub fn muters_of(conn: &mut Conn, muted_id: UserId) -> QueryResult<BTreeSet<UserId>> {
    let ids: Vec<UserId> = mutes::table.filter(mutes::muted_id.eq(muted_id)).select(mutes::user_id).load(conn)?;
    Ok(ids.into_iter().collect())
}
