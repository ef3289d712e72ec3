use super::*;
use crate::store::UserId;

const DAY: i64 = 24 * 3600;
const A: UserId = UserId(1);
const B: UserId = UserId(2);
const C: UserId = UserId(3);

fn at(days: i64) -> Stamp {
    chrono::DateTime::from_timestamp(1_800_000_000 + days * DAY, 0).unwrap().naive_utc()
}

/// The parts of a table: person, outcome and turns, with the figures of the score.
fn table(parts: &[(UserId, Outcome, u32)]) -> Vec<Part> {
    let part = |(person, outcome, turns): &(UserId, Outcome, u32)| Part {
        person: *person,
        outcome: *outcome,
        change: score::change(*outcome, parts.len(), 1),
        turns: *turns,
    };
    parts.iter().map(part).collect()
}

fn win(winner: UserId, over: UserId, days: i64, walkover: bool) -> Earlier {
    Earlier { winner, over, at: at(days), walkover }
}

/// Changes and reasons.
fn booked(parts: &[(UserId, Outcome, u32)], earlier: &[Earlier]) -> Vec<(i32, Option<NotCounted>)> {
    book(&table(parts), earlier, at(0)).into_iter().map(|booking| (booking.change, booking.not_counted)).collect()
}

#[test]
fn an_honest_game_books_the_figures_of_the_score() {
    use Outcome::{Drew, Dropped, Lost, Resigned, Won};
    let whole = [
        (A, Won, 9),
        (B, Lost, 9),
        (C, Resigned, 4),
        (UserId(4), Dropped, 0),
        (UserId(5), Lost, 9),
        (UserId(6), Lost, 9),
    ];
    let changes: Vec<i32> = booked(&whole, &[]).into_iter().map(|(change, _)| change).collect();
    assert_eq!(changes, [7, -1, -1, -3, -1, -1]);
    assert_eq!(booked(&[(A, Drew, 9), (B, Drew, 9)], &[win(A, B, -1, true); 9]), [(0, None), (0, None)]);
    // Nobody wins: the losses and drops stand, whatever was before.
    let nobody = [(A, Dropped, 0), (B, Dropped, 0), (C, Lost, 4)];
    assert_eq!(booked(&nobody, &[win(A, C, -1, true); 9]), [(-3, None), (-3, None), (-1, None)]);
}

#[test]
fn two_wins_over_the_same_opponent_count_within_thirty_days() {
    use Outcome::{Lost, Resigned, Won};
    let again = [(A, Won, 9), (B, Lost, 9)];
    let counts = [(1, None), (-1, None)];
    let not = [(0, Some(NotCounted::Repeat)), (0, Some(NotCounted::Loss))];
    assert_eq!(booked(&again, &[win(A, B, -1, false)]), counts);
    assert_eq!(booked(&again, &[win(A, B, -1, false), win(A, B, -29, false)]), not);
    assert_eq!(booked(&again, &[win(A, B, -1, false), win(A, B, -30, false)]), counts, "thirty days are over");
    // Wins of others, over others, and the other way round do not matter.
    let others = [win(B, A, -1, false), win(B, A, -1, false), win(A, C, -1, false), win(A, C, -1, false)];
    assert_eq!(booked(&again, &others), counts);
    // Who left pays in any case.
    let left = [(A, Won, 9), (B, Resigned, 9)];
    assert_eq!(booked(&left, &[win(A, B, -1, false); 2]), [(0, Some(NotCounted::Repeat)), (-1, None)]);
}

#[test]
fn one_walkover_counts_within_ninety_days() {
    use Outcome::{Dropped, Lost, Resigned, Won};
    let before = [win(A, B, -89, true)];
    for left in [Resigned, Dropped] {
        let early = [(A, Won, 2), (B, left, 2)];
        assert_eq!(booked(&early, &[])[0], (1, None), "the first one counts");
        let second = booked(&early, &before);
        assert_eq!(second[0], (0, Some(NotCounted::Walkover)));
        assert!(second[1].0 < 0 && second[1].1.is_none(), "who left pays");
        assert_eq!(booked(&early, &[win(A, B, -90, true)])[0].0, 1, "ninety days are over");
        assert_eq!(booked(&early, &[win(A, B, -89, false)])[0].0, 1, "that one was played");
        assert_eq!(booked(&early, &[win(A, C, -1, true)])[0].0, 1, "that one was over somebody else");
        assert_eq!(booked(&[(A, Won, 3), (B, left, 3)], &before)[0].0, 1, "three turns were played");
    }
    assert_eq!(booked(&[(A, Won, 1), (B, Lost, 1)], &before)[0].0, 1, "beaten early is beaten");
    // At a table of several: one who was won over so before is enough; but not where somebody played on.
    let six = |last: Outcome| {
        [
            (A, Won, 1),
            (B, Resigned, 1),
            (C, Resigned, 5),
            (UserId(4), Resigned, 1),
            (UserId(5), Resigned, 1),
            (UserId(6), last, 1),
        ]
    };
    assert_eq!(booked(&six(Dropped), &[])[0].0, 7);
    assert_eq!(booked(&six(Dropped), &before)[0], (0, Some(NotCounted::Walkover)));
    assert_eq!(booked(&six(Lost), &before)[0].0, 7);
}

#[test]
fn an_opponent_who_does_not_count_is_left_out() {
    use Outcome::{Lost, Resigned, Won};
    let four = [(A, Won, 9), (B, Lost, 9), (C, Lost, 9), (UserId(4), Resigned, 9)];
    let worn = |who: &[UserId]| -> Vec<Earlier> {
        who.iter().flat_map(|over| [win(A, *over, -1, false), win(A, *over, -2, false)]).collect()
    };
    let change = |who: &[UserId]| booked(&four, &worn(who)).iter().map(|(change, _)| *change).collect::<Vec<_>>();
    assert_eq!(change(&[]), [4, -1, -1, -1]);
    assert_eq!(change(&[B]), [2, -1, -1, -1], "the figure of three; the losses stand");
    assert_eq!(change(&[B, C]), [1, -1, -1, -1], "the figure of two");
    assert_eq!(change(&[B, C, UserId(4)]), [0, 0, 0, -1], "plain losses go with the win; who resigned pays");
    let counted: Vec<bool> = book(&table(&four), &worn(&[B]), at(0)).iter().map(|booking| booking.counted).collect();
    assert_eq!(counted, [true, false, true, true], "a left-out opponent is not won over");
}

/// Plays the same table over and over, each game a minute after the other, and sums up what the winner gets.
fn farm(parts: &[(UserId, Outcome, u32)], games: usize, minutes_apart: i64) -> i32 {
    let mut earlier: Vec<Earlier> = Vec::new();
    let mut sum = 0;
    for game in 0..games {
        let now = at(0) + TimeDelta::minutes(minutes_apart * i64::try_from(game).unwrap());
        let bookings = book(&table(parts), &earlier, now);
        sum += bookings[0].change;
        if bookings[0].counted {
            let over = parts.iter().zip(&bookings).skip(1).filter(|(_, booking)| booking.counted);
            let walkover = bookings[0].walkover;
            earlier.extend(over.map(|((person, _, _), _)| Earlier {
                winner: parts[0].0,
                over: *person,
                at: now,
                walkover,
            }));
        }
    }
    sum
}

#[test]
fn what_can_be_had_by_arrangement() {
    use Outcome::{Lost, Resigned, Won};
    // A second account that joins by link and resigns: 25 wins were 25 points.
    assert_eq!(farm(&[(A, Won, 0), (B, Resigned, 0)], 25, 0), 1);
    // One that hands in three times first: two in thirty days.
    assert_eq!(farm(&[(A, Won, 3), (B, Resigned, 3)], 25, 0), 2);
    assert_eq!(farm(&[(A, Won, 9), (B, Lost, 9)], 25, 0), 2);
    // For a year, a game an hour: no more than two for each thirty days.
    let year = farm(&[(A, Won, 9), (B, Lost, 9)], 24 * 365, 60);
    assert!((24..=26).contains(&year), "{year}");
    // Six seats of friends, 20 games: 140 points before.
    let six = |outcome, turns| {
        [A, B, C, UserId(4), UserId(5), UserId(6)].map(|who| (who, if who == A { Won } else { outcome }, turns))
    };
    assert_eq!(farm(&six(Resigned, 0), 20, 0), 7);
    assert_eq!(farm(&six(Lost, 9), 20, 0), 14);
}

#[test]
fn what_is_known_is_said_before_the_table_begins() {
    let worn = [win(A, B, -1, false), win(A, B, -2, true)];
    assert_eq!(beforehand(&worn, A, B, at(0)), Beforehand::Not);
    assert_eq!(beforehand(&worn[1..], A, B, at(0)), Beforehand::NoWalkover);
    assert_eq!(beforehand(&worn[..1], A, B, at(0)), Beforehand::Counts);
    assert_eq!(beforehand(&worn, B, A, at(0)), Beforehand::Counts);
    assert_eq!(beforehand(&worn, A, B, at(29)), Beforehand::NoWalkover);
    assert_eq!(beforehand(&worn, A, B, at(90)), Beforehand::Counts);
}

#[test]
fn a_drop_stops_counting_after_ninety_days_or_twenty_games_with_three_opponents() {
    let drop = Played { at: at(-10), outcome: Outcome::Dropped, not_counted: false, opponents: vec![UserId(9)] };
    let game = |outcome, not_counted, opponent: i64| Played {
        at: at(-1),
        outcome,
        not_counted,
        opponents: vec![UserId(opponent)],
    };
    let counts = |games: Vec<Played>| {
        let mut played = games;
        played.push(drop.clone());
        !counting_drops(&played, 20, at(0)).is_empty()
    };
    let many = |number: i64, opponents: i64| (0..number).map(|n| game(Outcome::Lost, false, n % opponents)).collect();
    assert!(counts(many(19, 3)));
    assert!(!counts(many(20, 3)));
    assert!(counts(many(400, 2)), "with three different opponents");
    // Games that do not count, and those left, do not help; nor does a further drop.
    assert!(counts((0..40).map(|n| game(Outcome::Won, true, n % 5)).collect()));
    assert!(counts((0..40).map(|n| game(Outcome::Resigned, false, n % 5)).collect()));
    assert_eq!(counting_drops(&[drop.clone(), drop.clone()], 20, at(0)), [0, 1]);
    // By time.
    assert_eq!(counting_drops(std::slice::from_ref(&drop), 20, at(79)), [0]);
    assert_eq!(counting_drops(std::slice::from_ref(&drop), 20, at(80)), [0_usize; 0]);
}
