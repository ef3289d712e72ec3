//! Messages that players reported to the operator.

use diesel::prelude::*;

use super::dialect::Both;
use super::dialect::Keep;
use super::schema::{game_tables, message_reports, messages, users};
use super::word::word_enum;
use super::{Conn, MultiBackend, Stamp, TableId, UserId};

word_enum! {
    /// What came of a report.
    pub enum Verdict in "message_reports.outcome" {
        /// The operator removed the message.
        Removed = "removed",
        /// The operator let it stand.
        Dismissed = "dismissed",
    }
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = message_reports)]
#[diesel(check_for_backend(MultiBackend))]
pub struct ReportRow {
    /// Id.
    pub id: i64,
    /// The message.
    pub message_id: i64,
    /// Who reported it.
    pub reporter_id: UserId,
    /// Why, in their words.
    pub reason: String,
    /// When.
    pub at: Stamp,
    /// What came of it, once decided.
    pub outcome: Option<Verdict>,
    /// When it was decided.
    pub decided_at: Option<Stamp>,
}

/// Stores a report; tells whether it is this person's first of the message.
pub fn insert(conn: &mut Conn, row: &ReportRow) -> QueryResult<bool> {
    let insert = diesel::insert_into(message_reports::table)
        .values(row.clone())
        .on_conflict((message_reports::message_id, message_reports::reporter_id))
        .do_nothing();
    Ok(Both(insert).kept().execute(conn)? == 1)
}

/// A report with what the operator has to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The report.
    pub report: ReportRow,
    /// The message's text.
    pub body: String,
    /// Who said it.
    pub author_id: UserId,
    /// Whether it was said to one person alone.
    pub private: bool,
    /// The table.
    pub table_id: TableId,
    /// Title of the table.
    pub title: String,
    /// Name of who reported it.
    pub reporter: String,
}

/// Report; body, author and addressee of the message; table and title; who reported it.
type Joined = (ReportRow, String, UserId, Option<UserId>, TableId, String, String);

/// Reports that wait for the operator, oldest first.
pub fn open(conn: &mut Conn) -> QueryResult<Vec<Told>> {
    let rows: Vec<Joined> = message_reports::table
        .inner_join(messages::table.on(messages::id.eq(message_reports::message_id)))
        .inner_join(game_tables::table.on(game_tables::id.eq(messages::table_id)))
        .inner_join(users::table.on(users::id.eq(message_reports::reporter_id)))
        .filter(message_reports::outcome.is_null())
        .order((message_reports::at, message_reports::id))
        .select((
            ReportRow::as_select(),
            messages::body,
            messages::author_id,
            messages::to_user_id,
            messages::table_id,
            game_tables::title,
            users::name,
        ))
        .load(conn)?;
    let told = |(report, body, author_id, to_user_id, table_id, title, reporter): Joined| Told {
        report,
        body,
        author_id,
        private: to_user_id.is_some(),
        table_id,
        title,
        reporter,
    };
    Ok(rows.into_iter().map(told).collect())
}

/// The message of a report that waits; `None` when there is none of this id.
pub fn waiting(conn: &mut Conn, id: i64) -> QueryResult<Option<i64>> {
    message_reports::table
        .find(id)
        .filter(message_reports::outcome.is_null())
        .select(message_reports::message_id)
        .first(conn)
        .optional()
}

/// Notes what came of all waiting reports of a message; returns their number.
pub fn decide(conn: &mut Conn, message_id: i64, outcome: Verdict, now: Stamp) -> QueryResult<usize> {
    let open = message_reports::table
        .filter(message_reports::message_id.eq(message_id))
        .filter(message_reports::outcome.is_null());
    diesel::update(open)
        .set((message_reports::outcome.eq(outcome), message_reports::decided_at.eq(Some(now))))
        .kept()
        .execute(conn)
}

/// Which of these messages this person has reported.
pub fn reported_by(conn: &mut Conn, reporter_id: UserId, message_ids: &[i64]) -> QueryResult<Vec<i64>> {
    message_reports::table
        .filter(message_reports::reporter_id.eq(reporter_id))
        .filter(message_reports::message_id.eq_any(message_ids))
        .select(message_reports::message_id)
        .load(conn)
}
