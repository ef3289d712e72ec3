//! What a finished ranked table books: scores that two friends, or one person with two addresses, cannot make by
//! arrangement. Pure: a function of the table and of the winner's earlier counted wins.
//!
//! The figures are those of [`score`] for every honest game. A win over the same opponent counts twice in thirty days;
//! a win by walkover, where all others left early, once in ninety days over any of them. An opponent who does not count
//! is left out, and where none is left the win books nothing, nor do the losses of those who played on. What leaving
//! costs is booked in any case.

use chrono::TimeDelta;

use super::{Outcome, score};
pub use crate::store::results::NotCounted;
use crate::store::{Stamp, UserId};

/// So many wins over the same opponent count within [`REPEAT_DAYS`].
pub const REPEATS: usize = 2;
/// Days within which wins over the same opponent are counted.
pub const REPEAT_DAYS: i64 = 30;
/// Turns each of the others must have handed in orders in before they left, or the win is a walkover.
pub const WALKOVER_TURNS: u32 = 3;
/// Days within which one walkover over a player counts.
pub const WALKOVER_DAYS: i64 = 90;
/// Days after which a drop stops counting.
pub const DROP_DAYS: i64 = 90;
/// Different opponents in the games after which a drop stops counting.
pub const DROP_OPPONENTS: usize = 3;

/// Since when wins over the same opponent are counted, for a game that ends at `now`.
pub fn repeats_since(now: Stamp) -> Stamp {
    now - TimeDelta::days(REPEAT_DAYS)
}

/// Since when walkovers are counted.
pub fn walkovers_since(now: Stamp) -> Stamp {
    now - TimeDelta::days(WALKOVER_DAYS)
}

/// One seat's part in a finished ranked table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose record it goes into.
    pub person: UserId,
    /// What it came to.
    pub outcome: Outcome,
    /// What it changes by the figures of the score alone.
    pub change: i32,
    /// Turns in which the player handed in orders.
    pub turns: u32,
}

/// An earlier win that was counted, over one opponent who counted in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The winner.
    pub winner: UserId,
    /// The opponent.
    pub over: UserId,
    /// When it was booked.
    pub at: Stamp,
    /// Whether it was a walkover.
    pub walkover: bool,
}

impl NotCounted {
    /// Why, as a sentence for everybody.
    pub fn words(self) -> String {
        match self {
            NotCounted::Repeat => format!(
                "The winner already had {REPEATS} counted wins over the same opponent within {REPEAT_DAYS} days."
            ),
            NotCounted::Walkover => format!(
                "It was a walkover: the others left before each of them had handed in orders in three turns. The winner \
                 already had a counted walkover over one of them within {WALKOVER_DAYS} days."
            ),
            NotCounted::Loss => "The win at this table is not counted, so the loss is not either.".to_owned(),
        }
    }
}

/// What is booked for one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booking {
    /// The change of score.
    pub change: i32,
    /// Why it books nothing.
    pub not_counted: Option<NotCounted>,
    /// Of a winner: whether the win counts. Of the others: whether they count as its opponents.
    pub counted: bool,
    /// Whether it is a win by walkover.
    pub walkover: bool,
}

/// What a table that ends at `now` books for each seat, in the order of `parts`. `earlier`: the counted wins of its
/// winner; others' are passed over.
pub fn book(parts: &[Part], earlier: &[Earlier], now: Stamp) -> Vec<Booking> {
    let plain = |part: &Part| Booking { change: part.change, not_counted: None, counted: true, walkover: false };
    let mut booked: Vec<Booking> = parts.iter().map(plain).collect();
    // Without a winner the figures stand: nobody gains by it.
    let Some(won) = parts.iter().position(|part| part.outcome == Outcome::Won) else { return booked };
    let winner = parts[won].person;
    let walkover = is_walkover(parts);
    let mine: Vec<&Earlier> = earlier.iter().filter(|win| win.winner == winner).collect();
    let had_one = walkover
        && mine.iter().any(|win| {
            win.walkover && win.at > walkovers_since(now) && parts.iter().any(|part| part.person == win.over)
        });
    for (index, part) in parts.iter().enumerate().filter(|(index, _)| *index != won) {
        booked[index].counted = !had_one && part.person != winner && !is_worn_out(&mine, part.person, now);
    }
    let counted = booked.iter().enumerate().filter(|(index, booking)| *index != won && booking.counted).count();
    let others = parts.len() - 1;
    booked[won].walkover = walkover;
    if counted > 0 {
        // With everybody counted it is the figure of the table.
        booked[won].change = if counted == others { parts[won].change } else { score::win_change(counted + 1) };
        return booked;
    }
    let why = if had_one { NotCounted::Walkover } else { NotCounted::Repeat };
    booked[won] = Booking { change: 0, not_counted: Some(why), counted: false, walkover };
    for (index, _) in parts.iter().enumerate().filter(|(_, part)| part.outcome == Outcome::Lost) {
        booked[index] = Booking { change: 0, not_counted: Some(NotCounted::Loss), counted: false, walkover: false };
    }
    booked
}

/// Whether all others left, and not each of them had handed in orders in three turns.
fn is_walkover(parts: &[Part]) -> bool {
    let mut others = parts.iter().filter(|part| part.outcome != Outcome::Won).peekable();
    let left = |part: &Part| matches!(part.outcome, Outcome::Resigned | Outcome::Dropped);
    others.peek().is_some() && others.clone().all(left) && others.any(|part| part.turns < WALKOVER_TURNS)
}

/// Whether further wins over this opponent book nothing for now.
fn is_worn_out(mine: &[&Earlier], over: UserId, now: Stamp) -> bool {
    mine.iter().filter(|win| win.over == over && win.at > repeats_since(now)).count() >= REPEATS
}

/// What is known before a game begins about wins over one opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beforehand {
    /// A win counts.
    Counts,
    /// A win counts, unless the others leave early.
    NoWalkover,
    /// The opponent does not count in a win.
    Not,
}

/// What is known before a game begins about a win of this player over this opponent, if it ended at `now`.
pub fn beforehand(earlier: &[Earlier], winner: UserId, over: UserId, now: Stamp) -> Beforehand {
    let mine: Vec<&Earlier> = earlier.iter().filter(|win| win.winner == winner && win.over == over).collect();
    if is_worn_out(&mine, over, now) {
        Beforehand::Not
    } else if mine.iter().any(|win| win.walkover && win.at > walkovers_since(now)) {
        Beforehand::NoWalkover
    } else {
        Beforehand::Counts
    }
}

/// A ranked result as the rule about drops sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// When it was decided.
    pub at: Stamp,
    /// What it came to.
    pub outcome: Outcome,
    /// Whether it books nothing.
    pub not_counted: bool,
    /// The opponents.
    pub opponents: Vec<UserId>,
}

impl Played {
    /// Whether it is one of the games after which a drop stops counting: played to its end, and counted.
    fn heals(&self) -> bool {
        !self.not_counted && matches!(self.outcome, Outcome::Won | Outcome::Lost | Outcome::Drew)
    }
}

/// Which of these results, newest first, are drops that still count: for ninety days, or until `window` ranked games
/// with three different opponents were played after them, whichever comes first.
pub fn counting_drops(played: &[Played], window: usize, now: Stamp) -> Vec<usize> {
    let mut drops = Vec::new();
    let mut games = 0;
    let mut opponents: Vec<UserId> = Vec::new();
    for (index, result) in played.iter().enumerate() {
        let is_old = result.at <= now - TimeDelta::days(DROP_DAYS);
        let is_played_off = games >= window && opponents.len() >= DROP_OPPONENTS;
        if is_old || is_played_off {
            break;
        }
        if result.outcome == Outcome::Dropped {
            drops.push(index);
        }
        if result.heals() {
            games += 1;
            for opponent in &result.opponents {
                if !opponents.contains(opponent) {
                    opponents.push(*opponent);
                }
            }
        }
    }
    drops
}

#[cfg(test)]
mod tests;
