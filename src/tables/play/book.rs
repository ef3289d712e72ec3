//! Booking the results of a table that has ended.

use std::collections::BTreeSet;

use crate::store::results::{self, ResultRow};
use crate::store::{Conn, Stamp, UserId, plots, users};
use crate::tables::access::Table;
use crate::tables::fair::{self, Earlier, Part};
use crate::tables::{Outcome, Refused};

/// Books all results of a table. What a ranked one books is decided by [`fair::book`].
pub fn book(conn: &mut Conn, now: Stamp, table: &Table) -> Result<(), Refused> {
    let rows = results::of_table(conn, table.row.id)?;
    if table.row.ranked {
        book_ranked(conn, now, rows)?;
    }
    Ok(results::book(conn, table.row.id, now)?)
}

fn book_ranked(conn: &mut Conn, now: Stamp, rows: Vec<ResultRow>) -> Result<(), Refused> {
    let winners: BTreeSet<UserId> = rows.iter().filter(|row| is_won(row)).map(|row| row.person_id).collect();
    let winners: Vec<UserId> = winners.into_iter().collect();
    // Two tables of one winner that end at the same moment are booked one after the other: the second sees the first.
    users::bump_bookings(conn, &winners)?;
    let mut earlier = Vec::new();
    for winner in &winners {
        earlier.extend(earlier_wins(conn, *winner, now)?);
    }
    let mut parts = Vec::with_capacity(rows.len());
    for row in &rows {
        let turns = plots::turns_handed_in(conn, row.table_id, row.seat)?;
        let turns = u32::try_from(turns).unwrap_or(u32::MAX);
        parts.push(Part { person: row.person_id, outcome: row.result, change: row.score_change, turns });
    }
    for (row, booking) in rows.into_iter().zip(fair::book(&parts, &earlier, now)) {
        let fair::Booking { not_counted, counted, walkover, .. } = booking;
        results::settle(conn, &ResultRow { score_change: booking.change, counted, walkover, not_counted, ..row })?;
    }
    Ok(())
}

fn is_won(row: &ResultRow) -> bool {
    row.result == Outcome::Won
}

/// The counted wins of a player that may still matter to a win at `now`.
pub fn earlier_wins(conn: &mut Conn, winner: UserId, now: Stamp) -> Result<Vec<Earlier>, Refused> {
    let since = fair::walkovers_since(now).min(fair::repeats_since(now));
    let wins = results::counted_wins(conn, winner, since)?;
    let earlier = |(over, at, walkover): (UserId, Stamp, bool)| Earlier { winner, over, at, walkover };
    Ok(wins.into_iter().map(earlier).collect())
}
