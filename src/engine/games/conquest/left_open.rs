//! What a plot leaves to the doctrine, for its player to read back below the orders.

use std::collections::BTreeSet;

use super::check::match_blows;
use super::doctrine::Doctrine;
use super::handle::Handle;
use super::order::Order;
use super::resolve::joined;
use super::view::View;
use super::words::{doctrine_words, listed, piece_words};
use crate::rules::Line;

/// Which of the viewer's amounts of damage a plot leaves to the doctrine, and what that does (C9.6); `None` where it
/// leaves none.
pub fn unassigned(view: &View, plot: &[Line<Order>]) -> Option<String> {
    let seat = view.viewer?;
    let blows = view.blows.iter().filter(|blow| blow.seat == seat);
    let open: Vec<(i32, Vec<Handle>)> =
        blows.map(|blow| (blow.amount, blow.possible.iter().map(|(handle, _)| *handle).collect())).collect();
    let (mut wanted, mut ordered) = (Vec::new(), None);
    for line in plot {
        match &line.order {
            Order::Damage { amount, to } => wanted.push((*amount, *to)),
            Order::Doctrine(part) => ordered = Some(joined(ordered, part)),
            _ => {}
        }
    }
    let assigned: BTreeSet<usize> = match_blows(&wanted, &open).into_iter().flatten().collect();
    let left = open.iter().enumerate().filter(|(at, _)| !assigned.contains(at));
    let left: Vec<String> = left.map(|(_, (amount, _))| amount.to_string()).collect();
    if left.is_empty() {
        return None;
    }
    let which = if left.len() == 1 { "This amount goes" } else { "These amounts go" };
    let doctrine = match ordered.or_else(|| view.doctrine.clone()).unwrap_or_default() {
        Doctrine::Ask => format!("the default doctrine: {}", doctrine_words(&Doctrine::Default, |_| String::new())),
        own => format!("your doctrine: {}", doctrine_words(&own, |handle| piece_words(view, handle))),
    };
    Some(format!("Not assigned: {}. {which} by {doctrine}.", listed(&left)))
}
