//! Which letter goes next, and who may send it.

use diesel::prelude::*;

use super::Row;
use crate::store::dialect::Keep;
use crate::store::schema::outbox;
use crate::store::{Conn, MultiBackend, Stamp, UserId};

/// Which letters a sender takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All; those tried for the first time come first.
    All,
    /// Only those to people of whom no letter waits that has failed before, so that they never all wait behind ones
    /// that hang.
    Untried,
}

/// How many candidates a claim looks at before it gives up; the others were claimed by somebody faster.
const CANDIDATES: i64 = 8;

/// Whom a letter is for: the account, and the address.
type Addressee = (Option<UserId>, String);

/// The order in which letters go.
const IN_ORDER: (outbox::put_offs, outbox::next_attempt_at, outbox::id) =
    (outbox::put_offs, outbox::next_attempt_at, outbox::id);

/// Whom the letters are for that may be claimed now, in the order in which they go.
fn candidates(conn: &mut Conn, now: Stamp, which: Which) -> QueryResult<Vec<Addressee>> {
    let (users, addresses) = people_served(conn, now)?;
    waiting(which)
        .filter(outbox::next_attempt_at.le(now))
        .filter(outbox::leased_until.is_null().or(outbox::leased_until.le(now)))
        .filter(outbox::user_id.is_not_null().or(outbox::to_address.ne_all(addresses)))
        .filter(outbox::user_id.is_null().or(outbox::user_id.ne_all(users)))
        .order(IN_ORDER)
        .limit(CANDIDATES)
        .select((outbox::user_id, outbox::to_address))
        .load(conn)
}

/// Letters that wait and that such a sender takes, whether their time has come or not.
fn waiting<'a>(which: Which) -> outbox::BoxedQuery<'a, MultiBackend> {
    let all = outbox::table.filter(outbox::status.eq("queued")).into_boxed();
    if which == Which::All {
        return all;
    }
    let failed = diesel::alias!(outbox as failed);
    let theirs = || {
        failed
            .filter(failed.field(outbox::status).eq("queued"))
            .filter(failed.field(outbox::put_offs).gt(0).or(failed.field(outbox::breaks).gt(0)))
    };
    let users = theirs().filter(failed.field(outbox::user_id).is_not_null()).select(failed.field(outbox::user_id));
    let strangers = theirs().filter(failed.field(outbox::user_id).is_null()).select(failed.field(outbox::to_address));
    all.filter(outbox::user_id.is_null().or(outbox::user_id.ne_all(users)))
        .filter(outbox::user_id.is_not_null().or(outbox::to_address.ne_all(strangers)))
}

/// The people to whom a letter is on its way: accounts, and addresses of people without one.
fn people_served(conn: &mut Conn, now: Stamp) -> QueryResult<(Vec<Option<UserId>>, Vec<String>)> {
    let served: Vec<(Option<UserId>, String)> = outbox::table
        .filter(outbox::status.eq("queued"))
        .filter(outbox::leased_until.gt(now))
        .select((outbox::user_id, outbox::to_address))
        .load(conn)?;
    let (users, strangers): (Vec<_>, Vec<_>) = served.into_iter().partition(|(user_id, _)| user_id.is_some());
    Ok((
        users.into_iter().map(|(user_id, _)| user_id).collect(),
        strangers.into_iter().map(|(_, address)| address).collect(),
    ))
}

/// Whether [`claim`] would find a letter. Asked before it, because a claim makes all other writers of SQLite wait.
pub fn any_due(conn: &mut Conn, now: Stamp, which: Which) -> QueryResult<bool> {
    Ok(!candidates(conn, now, which)?.is_empty())
}

/// Claims the letter whose turn it is until `lease_until`, so that nobody else sends it before.
pub fn claim(conn: &mut Conn, now: Stamp, lease_until: Stamp, which: Which) -> QueryResult<Option<Row>> {
    for (user_id, to_address) in candidates(conn, now, which)? {
        let Some((id, attempts, breaks)) = first_letter_to(conn, now, user_id, &to_address)? else { continue };
        let claimed = diesel::update(
            outbox::table
                .filter(outbox::id.eq(id))
                .filter(outbox::status.eq("queued"))
                .filter(outbox::attempts.eq(attempts)),
        )
        .set((
            outbox::attempts.eq(attempts + 1),
            outbox::breaks.eq(breaks + 1),
            outbox::leased_until.eq(Some(lease_until)),
        ))
        .kept()
        .execute(conn)?;
        if claimed == 1 {
            return outbox::table.find(id).select(Row::as_select()).first(conn).optional();
        }
    }
    Ok(None)
}

/// The letter that goes to this person next, with its `attempts` and `breaks`; `None` if one is on its way or none is
/// due. Keeps others from claiming one until this transaction ends, by holding the person's oldest letter that waits,
/// and looks again under that hold: meanwhile an earlier letter may have been given back. Only PostgreSQL has two such
/// transactions at a time.
fn first_letter_to(
    conn: &mut Conn,
    now: Stamp,
    user_id: Option<UserId>,
    to_address: &str,
) -> QueryResult<Option<(i64, i32, i32)>> {
    // No account has the id 0, and no address is empty.
    let (user_id, stranger) = (user_id.unwrap_or(UserId(0)), if user_id.is_some() { "" } else { to_address });
    let theirs = || {
        outbox::table
            .filter(outbox::status.eq("queued"))
            .filter(outbox::user_id.eq(user_id).or(outbox::user_id.is_null().and(outbox::to_address.eq(stranger))))
    };
    loop {
        let oldest: Option<i64> = theirs().select(diesel::dsl::min(outbox::id)).first(conn)?;
        let Some(oldest) = oldest else { return Ok(None) };
        let held = diesel::update(outbox::table.filter(outbox::id.eq(oldest)).filter(outbox::status.eq("queued")))
            .set(outbox::put_offs.eq(outbox::put_offs))
            .kept()
            .execute(conn)?;
        // Else it has ended meanwhile, and others hold the next one.
        if held == 1 {
            break;
        }
    }
    let on_their_way: i64 = theirs().filter(outbox::leased_until.gt(now)).count().get_result(conn)?;
    if on_their_way > 0 {
        return Ok(None);
    }
    theirs()
        .filter(outbox::next_attempt_at.le(now))
        .order(IN_ORDER)
        .select((outbox::id, outbox::attempts, outbox::breaks))
        .first(conn)
        .optional()
}

/// When the next letter may be sent, as known at `now`. One to a person to whom another letter is on its way counts
/// from the end of that lease.
pub fn next_due(conn: &mut Conn, now: Stamp, which: Which) -> QueryResult<Option<Stamp>> {
    let (users, addresses) = people_served(conn, now)?;
    let free: Option<Stamp> = waiting(which)
        .filter(outbox::leased_until.is_null().or(outbox::leased_until.le(now)))
        .filter(outbox::user_id.is_not_null().or(outbox::to_address.ne_all(addresses)))
        .filter(outbox::user_id.is_null().or(outbox::user_id.ne_all(users)))
        .select(diesel::dsl::min(outbox::next_attempt_at))
        .first(conn)?;
    let leased: Option<Stamp> = outbox::table
        .filter(outbox::status.eq("queued"))
        .filter(outbox::leased_until.gt(now))
        .select(diesel::dsl::min(outbox::leased_until))
        .first(conn)?;
    Ok(free.into_iter().chain(leased).min())
}
