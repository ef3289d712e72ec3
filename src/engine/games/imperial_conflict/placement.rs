//! Placing the starting armies by plot: everybody at once, on own countries. What a plot leaves over is
//! spread evenly.

use super::data::GameMap;
use super::legal::count;
use super::order::Order;
use crate::rules::{Fault, Line};

/// Checks a plot; empty means legal.
pub fn check(map: &GameMap, own: impl Fn(usize) -> bool, armies: u32, plot: &[Line<Order>]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut total = 0_u32;
    for line in plot {
        let mut fault = |message: String| faults.push(Fault { line: Some(line.no), message });
        match &line.order {
            Order::Deploy { armies, country } => {
                total = total.saturating_add(*armies);
                match map.find(*country) {
                    Some(country) if own(country) => {}
                    Some(country) => fault(format!("{} is not yours.", map.name_of(country))),
                    None => fault(format!("There is no country {country} on this map.")),
                }
            }
            Order::Resign => fault("To resign now, use the page of the table.".to_owned()),
            _ => fault("Starting armies are placed now; the only order is like this: deploy 3 Alaska.".to_owned()),
        }
    }
    if faults.is_empty() && total > armies {
        let message = format!("These orders place {}; you have only {armies} to place.", count(total));
        faults.push(Fault { line: None, message });
    }
    faults
}

/// The armies a legal plot places, by country in map order, with what it leaves over spread evenly; `None`
/// when it is not legal.
pub fn read(map: &GameMap, own: impl Fn(usize) -> bool, armies: u32, plot: &[Order]) -> Option<Vec<(usize, u32)>> {
    let mut placed = vec![0_u32; map.countries.len()];
    let mut left = armies;
    for order in plot {
        let Order::Deploy { armies, country } = order else { return None };
        let country = map.find(*country).filter(|country| own(*country))?;
        left = left.checked_sub(*armies)?;
        placed[country] += armies;
    }
    for (country, armies) in spread((0..placed.len()).filter(|country| own(*country)), left) {
        placed[country] += armies;
    }
    Some(placed.into_iter().enumerate().filter(|(_, armies)| *armies > 0).collect())
}

/// The armies spread evenly over these countries, the first ones getting what does not divide.
pub fn spread(countries: impl Iterator<Item = usize>, armies: u32) -> Vec<(usize, u32)> {
    let countries: Vec<usize> = countries.collect();
    let Ok(number) = u32::try_from(countries.len()) else { return Vec::new() };
    if number == 0 {
        return Vec::new();
    }
    let (each, over) = (armies / number, armies % number);
    let share = |(at, country)| (country, each + u32::from(at < over));
    (0..number).zip(countries).map(share).filter(|(_, armies)| *armies > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_spread_places_every_army() {
        assert_eq!(spread([4, 7, 9].into_iter(), 8), [(4, 3), (7, 3), (9, 2)]);
        assert_eq!(spread([4, 7, 9].into_iter(), 1), [(4, 1)]);
        assert_eq!(spread(std::iter::empty(), 5), []);
    }
}
