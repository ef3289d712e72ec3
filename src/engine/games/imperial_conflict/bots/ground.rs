//! What bots look at: the position as their view tells it.

use crate::games::imperial_conflict::cards::{SET, TOO_MANY, is_set};
use crate::games::imperial_conflict::view::{CountryView, View};
use crate::rules::Seat;

/// A view with questions one asks of it.
pub struct Ground {
    /// The view.
    pub view: View,
    /// The seat played.
    pub me: Seat,
}

impl Ground {
    /// Reads a view; `None` when it is no seat's or cannot be read.
    pub fn read(view: &str) -> Option<Ground> {
        let view: View = serde_json::from_str(view).ok()?;
        let me = view.viewer?;
        Some(Ground { view, me })
    }

    /// A country by its place in the list.
    pub fn at(&self, country: usize) -> &CountryView {
        &self.view.countries[country]
    }

    /// The own countries.
    pub fn own(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.view.countries.len()).filter(|country| self.at(*country).owner == self.me)
    }

    /// The adjacent countries of others.
    pub fn hostile(&self, country: usize) -> impl Iterator<Item = usize> + '_ {
        self.at(country).neighbours.iter().copied().filter(|neighbour| self.at(*neighbour).owner != self.me)
    }

    /// Whether another's country is adjacent.
    pub fn is_front(&self, country: usize) -> bool {
        self.hostile(country).next().is_some()
    }

    /// All attacks that are possible: from, to.
    pub fn attacks(&self) -> Vec<(usize, usize)> {
        let able = self.own().filter(|country| self.at(*country).armies >= 2);
        able.flat_map(|from| self.hostile(from).map(move |to| (from, to))).collect()
    }

    /// A set to exchange, the one with the most own countries first; `None` without a set.
    pub fn best_set(&self) -> Option<String> {
        let cards = &self.view.cards;
        let mut best: Option<(usize, [usize; SET])> = None;
        for i in 0..cards.len() {
            for j in i + 1..cards.len() {
                for k in j + 1..cards.len() {
                    let held = [i, j, k].iter().filter(|card| cards[**card].held).count();
                    let better = best.is_none_or(|(most, _)| held > most);
                    if better && is_set([i, j, k].map(|card| cards[card].symbol)) {
                        best = Some((held, [i, j, k]));
                    }
                }
            }
        }
        let [a, b, c] = best?.1.map(|card| cards[card].code);
        Some(format!("exchange {a} {b} {c}\n"))
    }

    /// Whether a set must be exchanged before anything else.
    pub fn must_exchange(&self) -> bool {
        self.view.cards.len() >= TOO_MANY
    }

    /// Steps through own countries to one that is a front, 0 for a front itself; `None` without a front.
    pub fn to_front(&self, start: usize) -> Option<usize> {
        let mut seen = vec![false; self.view.countries.len()];
        let mut ring = vec![start];
        seen[start] = true;
        for steps in 0.. {
            if ring.iter().any(|country| self.is_front(*country)) {
                return Some(steps);
            }
            let mut next = Vec::new();
            for country in ring {
                for neighbour in &self.at(country).neighbours {
                    if !seen[*neighbour] && self.at(*neighbour).owner == self.me {
                        seen[*neighbour] = true;
                        next.push(*neighbour);
                    }
                }
            }
            if next.is_empty() {
                return None;
            }
            ring = next;
        }
        None
    }

    /// The move that brings the most armies from behind the lines towards the front, or `end`.
    pub fn last_order(&self) -> String {
        let mut best: Option<(u32, usize, usize)> = None;
        for from in self.own().filter(|country| !self.is_front(*country)) {
            let spare = self.at(from).armies - 1;
            let Some(steps) = self.to_front(from) else { continue };
            let own = self.at(from).neighbours.iter().copied().filter(|to| self.at(*to).owner == self.me);
            let nearer = own.filter(|to| self.to_front(*to).is_some_and(|there| there < steps));
            let strongest = nearer.max_by_key(|to| self.at(*to).armies);
            if let Some(to) = strongest.filter(|_| spare > 0 && best.is_none_or(|(most, ..)| spare > most)) {
                best = Some((spare, from, to));
            }
        }
        match best {
            Some((armies, from, to)) => format!("fortify {armies} {} {}\n", self.at(from).code, self.at(to).code),
            None => "end\n".to_owned(),
        }
    }
}
