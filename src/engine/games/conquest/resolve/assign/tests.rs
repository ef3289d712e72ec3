//! The search against a plain enumeration of everything the rules allow.

use proptest::prelude::{Just, ProptestConfig, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::*;

fn taker(left: i32, cost: i32) -> Taker {
    let loss = Loss { pieces: 1, cost, ..Loss::default() };
    Taker { left, loss, spared: false, soaks: false }
}

fn spared(left: i32) -> Taker {
    let plain = taker(left, 3);
    Taker { spared: true, loss: Loss { spared: 1, ..plain.loss }, ..plain }
}

fn soaking(left: i32) -> Taker {
    Taker { soaks: true, ..taker(left, 3) }
}

/// What each piece gets, for amounts that everybody takes whole.
fn dealt(takers: &[Taker], amounts: &[i32]) -> Vec<Vec<i32>> {
    let table: Vec<Amount> = amounts.iter().map(|amount| vec![Some(*amount); takers.len()]).collect();
    let mut dealt = vec![Vec::new(); takers.len()];
    for (amount, taker) in best(takers, &table) {
        if let Some(taker) = taker {
            dealt[taker].push(amounts[amount]);
        }
    }
    dealt
}

#[test]
fn nobody_is_lost_when_it_can_be_helped() {
    assert_eq!(dealt(&[taker(5, 1), taker(5, 9)], &[4, 4]), [vec![4], vec![4]]);
    assert_eq!(dealt(&[taker(3, 1), taker(9, 9)], &[4, 4]), [vec![], vec![4, 4]]);
    assert_eq!(dealt(&[spared(12), spared(3)], &[4]), [vec![4], vec![]], "by pieces lost and not by damage");
}

#[test]
fn what_is_lost_with_a_piece_counts() {
    let manned = Taker { loss: Loss { pieces: 3, cost: 7, crew: 6, ..Loss::default() }, ..taker(5, 1) };
    assert_eq!(dealt(&[manned, taker(5, 9)], &[8]), [vec![], vec![8]]);
    let unique = Taker { loss: Loss { pieces: 2, precious: 1, cost: 2, ..Loss::default() }, ..taker(5, 1) };
    let plain = Taker { loss: Loss { pieces: 2, cost: 9, ..Loss::default() }, ..taker(5, 1) };
    assert_eq!(dealt(&[unique, plain], &[8]), [vec![], vec![8]]);
}

#[test]
fn soaking_pieces_take_amounts_until_they_fall() {
    assert_eq!(dealt(&[soaking(4), taker(12, 3), taker(3, 3)], &[2, 4, 4]), [vec![2, 4], vec![4], vec![]]);
    assert_eq!(dealt(&[soaking(5), taker(9, 1)], &[2, 4]), [vec![2, 4], vec![]]);
}

#[test]
fn what_all_pieces_stand_at_zero_for_lapses() {
    let all = dealt(&[taker(5, 9), taker(5, 1)], &[8, 8, 8]);
    assert_eq!(all.iter().map(Vec::len).sum::<usize>(), 2);
}

#[test]
fn a_huge_wave_is_settled_in_bounded_steps() {
    let takers: Vec<Taker> = (1..40).map(|n| Taker { soaks: n % 5 == 0, ..taker(20 + n % 7, n) }).collect();
    let amounts: Vec<Amount> = (0..60).map(|n| vec![Some(5 + n % 6); takers.len()]).collect();
    let mut search = Search::new(&takers, &amounts);
    search.run();
    assert!(search.steps < 2 * MOST_STEPS, "{} steps", search.steps);
    assert_eq!(best(&takers, &amounts).iter().filter(|(_, taker)| taker.is_some()).count(), 60);
}

/// Deals amounts in every order to every piece that stands above zero, and keeps the least measure.
struct Plain<'a> {
    takers: &'a [Taker],
    amounts: &'a [Amount],
    least: Option<Price>,
}

impl Plain<'_> {
    fn deal(&mut self, open: &[usize], dealt: &mut [i32], beside: u32) {
        if open.is_empty() {
            let mut price = Price { beside_soakers: beside, ..Price::default() };
            for (taker, sum) in self.takers.iter().zip(dealt.iter()) {
                price.add(taker, (*sum).min(taker.left), *sum >= taker.left);
            }
            self.least = Some(self.least.map_or(price, |least| least.min(price)));
            return;
        }
        for (at, amount) in open.iter().enumerate() {
            let rest: Vec<usize> = open[..at].iter().chain(&open[at + 1..]).copied().collect();
            let row = &self.amounts[*amount];
            let may_take = |taker: &usize| row[*taker].is_some() && dealt[*taker] < self.takers[*taker].left;
            let possible: Vec<usize> = (0..self.takers.len()).filter(may_take).collect();
            let soaker_stands = possible.iter().any(|taker| self.takers[*taker].soaks);
            for taker in &possible {
                let takes = row[*taker].unwrap_or_default();
                dealt[*taker] += takes;
                self.deal(&rest, dealt, beside + u32::from(soaker_stands && !self.takers[*taker].soaks));
                dealt[*taker] -= takes;
            }
            if possible.is_empty() {
                self.deal(&rest, dealt, beside);
            }
        }
    }
}

fn least(takers: &[Taker], amounts: &[Amount]) -> Price {
    let mut plain = Plain { takers, amounts, least: None };
    plain.deal(&(0..amounts.len()).collect::<Vec<_>>(), &mut vec![0; takers.len()], 0);
    plain.least.expect("there is an order")
}

/// The measure of an assignment, dealt as it says; panics where that is not allowed.
fn measured(takers: &[Taker], amounts: &[Amount], assigned: &[(usize, Option<usize>)]) -> Price {
    let (mut dealt, mut price) = (vec![0; takers.len()], Price::default());
    for (amount, target) in assigned {
        let row = &amounts[*amount];
        let stands = |taker: usize| row[taker].is_some() && dealt[taker] < takers[taker].left;
        let soaker_stands = (0..takers.len()).any(|taker| takers[taker].soaks && stands(taker));
        match target {
            Some(taker) => {
                assert!(stands(*taker), "nothing goes to a piece at zero");
                price.beside_soakers += u32::from(soaker_stands && !takers[*taker].soaks);
                dealt[*taker] += row[*taker].unwrap_or_default();
            }
            None => assert!((0..takers.len()).all(|taker| !stands(taker)), "it lapses only when all stand at zero"),
        }
    }
    for (taker, sum) in takers.iter().zip(dealt) {
        price.add(taker, sum.min(taker.left), sum >= taker.left);
    }
    price
}

fn takers() -> impl Strategy<Value = Vec<Taker>> {
    let loss = (0_u32..2, 1_u32..4, 0_u32..2, 1_i32..4, 0_i32..3);
    let one =
        (1_i32..9, loss, prop_oneof![3 => Just((false, false)), 1 => Just((true, false)), 1 => Just((false, true))]);
    let one = one.prop_map(|(left, (aboard, pieces, precious, cost, crew), (spared, soaks))| {
        let loss = Loss { spared: aboard / 2 + u32::from(spared), pieces, precious, cost, crew };
        Taker { left, loss, spared, soaks }
    });
    prop::collection::vec(one, 2..4)
}

fn case() -> impl Strategy<Value = (Vec<Taker>, Vec<Amount>)> {
    takers().prop_flat_map(|takers| {
        // Mostly whole; now and then protected against who dealt it, or out of its reach.
        let takes =
            |amount: i32| prop_oneof![5 => Just(Some(amount)), 1 => Just(Some((amount - 2).max(0))), 1 => Just(None)];
        let pieces = takers.len();
        let amount = (1_i32..8).prop_flat_map(move |amount| prop::collection::vec(takes(amount), pieces));
        let amount = amount.prop_filter("it can go somewhere", |row| row.iter().any(Option::is_some));
        (Just(takers), prop::collection::vec(amount, 1..6))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_search_finds_the_least_of_all_assignments((takers, amounts) in case()) {
        let assigned = best(&takers, &amounts);
        let mut named: Vec<usize> = assigned.iter().map(|(amount, _)| *amount).collect();
        named.sort_unstable();
        prop_assert!(named.iter().copied().eq(0..amounts.len()), "every amount once");
        prop_assert_eq!(measured(&takers, &amounts, &assigned), least(&takers, &amounts));
    }
}
