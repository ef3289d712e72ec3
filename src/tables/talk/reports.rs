//! Reporting messages to the operator, and what the operator does about them.

use crate::mail::{self, Letter, Recipient};
use crate::store::reports::{self, ReportRow, Verdict};
use crate::store::{Conn, Stamp, TableId, UserId, messages, new_id, users};

use super::conversation;
use crate::tables::{At, Ctx, FieldFault, Message, Refused, Speaker, access, plain};

/// Longest reason, in characters.
pub const LONGEST_REASON: usize = 500;

/// A message that was reported, as the operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Id of the report.
    pub report_id: i64,
    /// The message.
    pub body: String,
    /// Who said it.
    pub author: String,
    /// Whether it was said to one person alone.
    pub private: bool,
    /// The table.
    pub table_id: TableId,
    /// Its title.
    pub title: String,
    /// Who reported it.
    pub reporter: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Stamp,
}

/// The message that somebody is about to report.
pub fn reportable(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    message_id: i64,
    reporter_id: UserId,
) -> Result<Message, Refused> {
    let table = access::visible(conn, ctx, table_id, Some(reporter_id), None)?;
    let row = conversation::readable(conn, &table, Some(reporter_id), message_id)?;
    if row.author_id == reporter_id || row.removed_at.is_some() {
        return Err(Refused::NoMessage);
    }
    if !reports::reported_by(conn, reporter_id, &[message_id])?.is_empty() {
        return Err(Refused::AlreadyReported);
    }
    let name = users::names(conn, &[row.author_id])?.remove(&row.author_id).unwrap_or_default();
    let seat = access::seat_of(conn, table_id, row.author_id)?;
    Ok(Message {
        id: row.id,
        author: Speaker { user_id: row.author_id, name, seat },
        to: None,
        body: row.body,
        at: row.at,
        mine: false,
        new: false,
        removed: false,
        muted: false,
        reported: false,
    })
}

/// Reports a message to the operator, by letter if the settings name an address. The reason may be empty; a
/// fault of it is reported with the field name `reason`.
pub fn report(conn: &mut Conn, ctx: &Ctx, at: At, message_id: i64, reason: &str) -> Result<(), Refused> {
    let At { now, table: table_id, user: reporter_id } = at;
    let table = access::visible(conn, ctx, table_id, Some(reporter_id), None)?;
    let message = reportable(conn, ctx, table_id, message_id, reporter_id)?;
    let reason = plain::text(reason);
    let long = reason.chars().count();
    if long > LONGEST_REASON {
        let message = format!("The reason has {long} characters; it may have {LONGEST_REASON}. Shorten it.");
        return Err(Refused::Form(vec![FieldFault { field: "reason".to_owned(), message }]));
    }
    let row = ReportRow { id: new_id(now), message_id, reporter_id, reason, at: now, outcome: None, decided_at: None };
    if !reports::insert(conn, &row)? {
        return Err(Refused::AlreadyReported);
    }
    let reporter = users::names(conn, &[reporter_id])?.remove(&reporter_id).unwrap_or_default();
    tracing::warn!(report = %row.id, table = %table_id, "A message was reported to the operator.");
    let Some(operator) = &ctx.site.operator else { return Ok(()) };
    let letter = Letter::Reported {
        report: row.id.to_string(),
        title: table.row.title.clone(),
        table_url: ctx.site.url(&format!("/t/{}", table_id)),
        author: message.author.name,
        text: message.body,
        reporter,
        reason: row.reason,
    };
    let to = Recipient::stranger(operator);
    mail::queue(conn, &ctx.site, now, &to, &letter, &format!("report:{}", row.id))?;
    Ok(())
}

/// Reports that wait for the operator, oldest first.
pub fn open_reports(conn: &mut Conn) -> Result<Vec<Reported>, Refused> {
    let told = reports::open(conn)?;
    let authors: Vec<UserId> = told.iter().map(|told| told.author_id).collect();
    let names = users::names(conn, &authors)?;
    let reported = |told: reports::Told| Reported {
        report_id: told.report.id,
        body: told.body,
        author: names.get(&told.author_id).cloned().unwrap_or_default(),
        private: told.private,
        table_id: told.table_id,
        title: told.title,
        reporter: told.reporter,
        reason: told.report.reason,
        at: told.report.at,
    };
    Ok(told.into_iter().map(reported).collect())
}

/// What the operator decides about a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The message is removed for everybody.
    Remove,
    /// The message stands.
    Dismiss,
}

/// Carries out what the operator has decided; it settles all waiting reports of the same message. False: no
/// report of this id waits.
pub fn decide_report(conn: &mut Conn, now: Stamp, report_id: i64, decision: Decision) -> Result<bool, Refused> {
    let Some(message_id) = reports::waiting(conn, report_id)? else { return Ok(false) };
    let outcome = match decision {
        Decision::Remove => {
            messages::remove(conn, message_id, now)?;
            Verdict::Removed
        }
        Decision::Dismiss => Verdict::Dismissed,
    };
    reports::decide(conn, message_id, outcome, now)?;
    Ok(true)
}
