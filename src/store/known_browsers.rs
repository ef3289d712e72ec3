//! Browsers that have signed in to an account before. Only a hash of a browser's secret is stored, another one for
//! each account.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::known_browsers;
use super::{Conn, Stamp, UserId};

/// Notes that the browser with this hash was used for an account; forgets the account's browsers that were not used
/// for longest, down to `most`.
pub fn note(conn: &mut Conn, id: &str, user_id: UserId, now: Stamp, most: i64) -> QueryResult<()> {
    let seen =
        diesel::update(known_browsers::table.find(id)).set(known_browsers::seen_at.eq(now)).kept().execute(conn)?;
    if seen > 0 {
        return Ok(());
    }
    let row = (known_browsers::id.eq(id), known_browsers::user_id.eq(user_id), known_browsers::seen_at.eq(now));
    diesel::insert_into(known_browsers::table).values(row).kept().execute(conn)?;
    let all: Vec<String> = known_browsers::table
        .filter(known_browsers::user_id.eq(user_id))
        .order((known_browsers::seen_at.desc(), known_browsers::id))
        .select(known_browsers::id)
        .load(conn)?;
    let old: Vec<&String> =
        all.iter().filter(|other| *other != id).skip(usize::try_from(most - 1).unwrap_or(0)).collect();
    diesel::delete(known_browsers::table.filter(known_browsers::id.eq_any(old))).execute(conn).map(drop)
}

/// Whether the browser with this hash was used for its account before.
pub fn is_known(conn: &mut Conn, id: &str) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(known_browsers::table.find(id))).get_result(conn)
}

/// Forgets all browsers of an account.
pub fn forget_all(conn: &mut Conn, user_id: UserId) -> QueryResult<()> {
    diesel::delete(known_browsers::table.filter(known_browsers::user_id.eq(user_id))).execute(conn).map(drop)
}

/// Forgets browsers not used since `before`; returns how many.
pub fn purge(conn: &mut Conn, before: Stamp) -> QueryResult<usize> {
    diesel::delete(known_browsers::table.filter(known_browsers::seen_at.lt(before))).execute(conn)
}
