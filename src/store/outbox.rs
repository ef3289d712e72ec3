//! Letters not yet accepted by a mail server, and for a while those that were.
//!
//! A sender claims a letter by a guarded update that raises `attempts` and sets the lease; `attempts` is the fencing
//! token that a late finish must still hold. A claim leaves `next_attempt_at` alone, so a letter that is given back
//! unsent keeps its place. At most one letter to a person is on its way, so that they arrive in the order in which
//! they were queued.

use diesel::prelude::*;

use super::dialect::Both;
use super::dialect::Keep;
use super::schema::{outbox, phases, plots, results, seats, users};
use super::{Conn, LetterKind, PhaseNo, Stamp, TableId, UserId, new_id_after};

mod claim;

pub use claim::{Which, any_due, claim, next_due};

/// A letter to be queued. The status, the counters and the id are not the caller's business.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = outbox)]
pub struct NewLetter {
    /// The id.
    pub id: i64,
    /// A letter with the same key as another is not queued again.
    pub dedupe_key: String,
    /// The account it goes to.
    pub user_id: Option<UserId>,
    /// The address it goes to.
    pub to_address: String,
    /// The name it goes to.
    pub to_name: String,
    /// The word of its [`LetterKind`].
    pub letter: String,
    /// The table it is about.
    pub table_id: Option<TableId>,
    /// The phase it is about.
    pub phase_no: Option<PhaseNo>,
    /// The deadline it warns of, or the moment from which its link is useless.
    pub deadline_at: Option<Stamp>,
    /// The subject.
    pub subject: String,
    /// The text part.
    pub body_text: String,
    /// The HTML part.
    pub body_html: String,
    /// The Message-ID with its angle brackets.
    pub message_id: String,
    /// The id of the table's thread.
    pub thread_id: Option<String>,
    /// The address that stops such letters.
    pub unsubscribe_url: Option<String>,
    /// Always `queued`.
    pub status: &'static str,
    /// Always 0.
    pub attempts: i32,
    /// Always 0.
    pub put_offs: i32,
    /// Not to be sent before.
    pub next_attempt_at: Stamp,
    /// Now.
    pub created_at: Stamp,
    /// The last message of the table's talk that it carries.
    pub talk_no: Option<i32>,
}

/// Queues a letter unless one with its dedupe key was queued before; tells whether it was queued.
pub fn insert(conn: &mut Conn, letter: &NewLetter) -> QueryResult<bool> {
    let statement = diesel::insert_into(outbox::table).values(letter).on_conflict(outbox::dedupe_key).do_nothing();
    Ok(Both(statement).kept().execute(conn)? == 1)
}

/// A letter of the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = outbox)]
#[expect(missing_docs, reason = "as in NewLetter")]
pub struct Row {
    pub id: i64,
    pub dedupe_key: String,
    pub user_id: Option<UserId>,
    pub to_address: String,
    pub to_name: String,
    pub letter: String,
    pub table_id: Option<TableId>,
    pub phase_no: Option<PhaseNo>,
    pub deadline_at: Option<Stamp>,
    pub subject: String,
    pub body_text: String,
    pub body_html: String,
    pub message_id: String,
    pub thread_id: Option<String>,
    pub unsubscribe_url: Option<String>,
    /// `queued`, `sent`, `dead` or `dropped`.
    pub status: String,
    /// How often it was claimed: the fencing token.
    pub attempts: i32,
    /// How often a server said “later” to this very letter.
    pub put_offs: i32,
    pub next_attempt_at: Stamp,
    pub last_error: Option<String>,
    pub created_at: Stamp,
    pub finished_at: Option<Stamp>,
    pub talk_no: Option<i32>,
    /// How often it was claimed and nobody knows what became of it: the connection ended before the answer to the
    /// whole letter came, or the sender was killed. A claim counts itself; [`release`] takes that back.
    pub breaks: i32,
    /// While it is claimed: until when it belongs to its sender.
    pub leased_until: Option<Stamp>,
}

impl Row {
    /// Its kind; `None`: another version of the server queued it.
    pub fn kind(&self) -> Option<LetterKind> {
        LetterKind::from_text(&self.letter)
    }
}

/// An id for a letter queued at `now` that sorts after all letters queued for the same person before.
pub fn next_id(conn: &mut Conn, now: Stamp, user_id: Option<UserId>, to_address: &str) -> QueryResult<i64> {
    let newest = diesel::dsl::max(outbox::id);
    let last: Option<i64> = match user_id {
        Some(user_id) => outbox::table.filter(outbox::user_id.eq(user_id)).select(newest).first(conn)?,
        None => outbox::table
            .filter(outbox::user_id.is_null())
            .filter(outbox::to_address.eq(to_address))
            .select(newest)
            .first(conn)?,
    };
    Ok(new_id_after(now, last.unwrap_or_default()))
}

/// How a letter ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A mail server accepted it.
    Sent,
    /// It was set aside for the operator: refused for good, or tried as often as it may be.
    Dead,
    /// It was no longer wanted.
    Dropped,
}

impl End {
    fn word(self) -> &'static str {
        match self {
            End::Sent => "sent",
            End::Dead => "dead",
            End::Dropped => "dropped",
        }
    }
}

/// Ends a letter, if `token` is still the holder's; tells whether it was. With `forget` its text is
/// removed, because it holds a secret link.
pub fn finish(
    conn: &mut Conn,
    letter: &Row,
    end: End,
    why: Option<&str>,
    forget: Forget,
    now: Stamp,
) -> QueryResult<bool> {
    let held = outbox::table
        .filter(outbox::id.eq(letter.id))
        .filter(outbox::status.eq("queued"))
        .filter(outbox::attempts.eq(letter.attempts));
    let ended = diesel::update(held)
        .set((outbox::status.eq(end.word()), outbox::last_error.eq(why), outbox::finished_at.eq(Some(now))))
        .kept()
        .execute(conn)?;
    if ended == 1 && forget == Forget::Text {
        diesel::update(outbox::table.find(letter.id))
            .set((outbox::body_text.eq(""), outbox::body_html.eq("")))
            .kept()
            .execute(conn)?;
    }
    Ok(ended == 1)
}

/// What becomes of a letter's text once it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forget {
    /// It is kept until the letter is purged.
    Nothing,
    /// It is removed at once.
    Text,
}

/// How a claimed letter waits again.
#[derive(Clone, Copy, Debug)]
pub struct Again<'a> {
    /// How often a mail server has said “later” to it.
    pub put_offs: i32,
    /// How often nobody knows what became of it.
    pub breaks: i32,
    /// Not to be sent before; `None`: it keeps its place, because it was not its own fault.
    pub not_before: Option<Stamp>,
    /// Why it was not sent.
    pub why: &'a str,
}

/// Gives a claimed letter back, if `letter` is still its holder's; tells whether it was.
pub fn release(conn: &mut Conn, letter: &Row, again: Again<'_>) -> QueryResult<bool> {
    let held = outbox::table
        .filter(outbox::id.eq(letter.id))
        .filter(outbox::status.eq("queued"))
        .filter(outbox::attempts.eq(letter.attempts));
    let released = diesel::update(held)
        .set((
            outbox::put_offs.eq(again.put_offs),
            outbox::breaks.eq(again.breaks),
            outbox::last_error.eq(Some(again.why)),
            outbox::next_attempt_at.eq(again.not_before.unwrap_or(letter.next_attempt_at)),
            outbox::leased_until.eq(None::<Stamp>),
        ))
        .kept()
        .execute(conn)?;
    Ok(released == 1)
}

/// Letters that were set aside, newest first, at most `most`.
pub fn set_aside(conn: &mut Conn, most: i64) -> QueryResult<Vec<Row>> {
    outbox::table
        .filter(outbox::status.eq("dead"))
        .order((outbox::finished_at.desc(), outbox::id.desc()))
        .limit(most)
        .select(Row::as_select())
        .load(conn)
}

/// How many letters are set aside.
pub fn count_set_aside(conn: &mut Conn) -> QueryResult<i64> {
    outbox::table.filter(outbox::status.eq("dead")).count().get_result(conn)
}

/// Queues a letter again that was set aside, as if it had never been tried; tells whether there was one that still
/// has its text.
pub fn send_again(conn: &mut Conn, id: i64, now: Stamp) -> QueryResult<bool> {
    let aside =
        outbox::table.filter(outbox::id.eq(id)).filter(outbox::status.eq("dead")).filter(outbox::body_text.ne(""));
    let queued = diesel::update(aside)
        .set((
            outbox::status.eq("queued"),
            outbox::put_offs.eq(0),
            outbox::breaks.eq(0),
            outbox::next_attempt_at.eq(now),
            outbox::finished_at.eq(None::<Stamp>),
            outbox::leased_until.eq(None::<Stamp>),
        ))
        .kept()
        .execute(conn)?;
    Ok(queued == 1)
}

/// Whether a letter about a table's talk waits for this person that nobody has worded yet. Asked in the
/// transaction of something said: the row stays as it is until that ends, so that the letter carries it too.
pub fn holds_talk_letter(conn: &mut Conn, table_id: TableId, user_id: UserId) -> QueryResult<bool> {
    let waiting = outbox::table
        .filter(outbox::table_id.eq(table_id))
        .filter(outbox::user_id.eq(user_id))
        .filter(outbox::letter.eq(LetterKind::Talk.as_str()))
        .filter(outbox::status.eq("queued"))
        .filter(outbox::talk_no.is_null());
    Ok(diesel::update(waiting).set(outbox::put_offs.eq(outbox::put_offs)).kept().execute(conn)? > 0)
}

/// One letter.
pub fn find(conn: &mut Conn, id: i64) -> QueryResult<Option<Row>> {
    outbox::table.find(id).select(Row::as_select()).first(conn).optional()
}

/// Gives a letter that is claimed its words.
pub fn reword(
    conn: &mut Conn,
    letter: &Row,
    subject: &str,
    body_text: &str,
    body_html: &str,
    talk_no: i32,
) -> QueryResult<()> {
    diesel::update(outbox::table.find(letter.id))
        .set((
            outbox::subject.eq(subject),
            outbox::body_text.eq(body_text),
            outbox::body_html.eq(body_html),
            outbox::talk_no.eq(Some(talk_no)),
        ))
        .kept()
        .execute(conn)
        .map(drop)
}

/// What the outbox must know about a table letter at the moment of sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The phase has not closed.
    pub phase_open: bool,
    /// The deadline as it is now.
    pub deadline_at: Option<Stamp>,
    /// The recipient's plot for the phase is in.
    pub plot_in: bool,
    /// The recipient has resigned, was dropped, or is out of the game otherwise.
    pub out: bool,
}

/// How the phase of a letter stands for its recipient.
pub fn standing(conn: &mut Conn, table_id: TableId, phase_no: PhaseNo, user_id: UserId) -> QueryResult<Standing> {
    let phase: Option<(Option<Stamp>, Option<Stamp>)> = phases::table
        .find((table_id, phase_no))
        .select((phases::closed_at, phases::deadline_at))
        .first(conn)
        .optional()?;
    let seat: Option<Option<i32>> = seats::table
        .filter(seats::table_id.eq(table_id))
        .filter(seats::user_id.eq(user_id))
        .select(seats::seat)
        .first(conn)
        .optional()?;
    let (mut plot_in, mut out) = (false, false);
    if let Some(seat) = seat.flatten() {
        let plot = plots::table.find((table_id, phase_no, seat));
        plot_in = diesel::select(diesel::dsl::exists(plot)).get_result(conn)?;
        let result = results::table.find((table_id, seat));
        out = diesel::select(diesel::dsl::exists(result)).get_result(conn)?;
    }
    let phase_open = matches!(phase, Some((None, _)));
    Ok(Standing { phase_open, deadline_at: phase.and_then(|(_, deadline)| deadline), plot_in, out })
}

/// Whether a mail server has accepted a letter that told this player of this very deadline; many phases of one
/// turn may have the same.
pub fn told_of_deadline(conn: &mut Conn, user_id: UserId, table_id: TableId, deadline: Stamp) -> QueryResult<bool> {
    let letters = outbox::table
        .filter(outbox::table_id.eq(table_id))
        .filter(outbox::user_id.eq(user_id))
        .filter(outbox::letter.eq_any([LetterKind::Due.as_str(), LetterKind::Reminder.as_str()]))
        .filter(outbox::deadline_at.eq(deadline))
        .filter(outbox::status.eq("sent"));
    diesel::select(diesel::dsl::exists(letters)).get_result(conn)
}

/// Drops all letters that wait for a player, whose account is going; returns how many.
pub fn drop_for_user(conn: &mut Conn, user_id: UserId, now: Stamp) -> QueryResult<usize> {
    diesel::update(outbox::table.filter(outbox::user_id.eq(user_id)).filter(outbox::status.eq("queued")))
        .set((
            outbox::status.eq("dropped"),
            outbox::last_error.eq(Some("the account was deleted")),
            outbox::finished_at.eq(Some(now)),
            outbox::body_text.eq(""),
            outbox::body_html.eq(""),
        ))
        .kept()
        .execute(conn)
}

/// The address a player has now and which letters are wanted, for the moment of sending.
pub fn recipient_now(conn: &mut Conn, user_id: UserId) -> QueryResult<Option<super::users::User>> {
    users::table
        .find(user_id)
        .filter(users::deleted_at.is_null())
        .select(super::users::User::as_select())
        .first(conn)
        .optional()
}

/// How many letters have which status, for the operator.
pub fn counts(conn: &mut Conn) -> QueryResult<Vec<(String, i64)>> {
    outbox::table
        .group_by(outbox::status)
        .select((outbox::status, diesel::dsl::count_star()))
        .order(outbox::status)
        .load(conn)
}

/// Removes letters that ended before `before`; returns how many.
pub fn purge(conn: &mut Conn, before: Stamp) -> QueryResult<usize> {
    diesel::delete(outbox::table.filter(outbox::status.ne("queued")).filter(outbox::finished_at.lt(before)))
        .execute(conn)
}
