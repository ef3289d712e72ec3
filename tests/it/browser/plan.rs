//! How the two play: one carries a soldier to the other's home planet and stays there, the other puts a ship
//! into the way and sleeps. The Q at home is in Cheq at the next start and Cheqmated at the end of that turn.

use crate::harness::Page;
use crate::harness::visitor::{attribute, tags};

/// The ready-made Control Group both play: it has a cheap ship and cheap people.
pub const GROUP: &str = "closed-hand";

const SHIP: &str = "deploy romulan-shuttle";
const SOLDIER: &str = "deploy romulan-conscript";

/// Who plays how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Raider,
    Sleeper,
}

/// Home planet and home region, by seat.
fn home(seat: char) -> (&'static str, &'static str) {
    match seat {
        'A' => ("corwen", "home-a"),
        _ => ("thessaly", "home-b"),
    }
}

/// The seat of the player whose page this is: the one with “(you)”.
pub fn seat_of(page: &Page) -> char {
    let before = page.body.split(" (you)").next().expect("there is a first part");
    let letter = before.rsplit("<strong>").next().and_then(|rest| rest.chars().next());
    letter.filter(char::is_ascii_uppercase).unwrap_or_else(|| panic!("no seat is mine:\n{}", page.body))
}

/// `deploy`, `move` …, for the names of pictures.
pub fn phase_of(page: &Page) -> String {
    let heading = page.body.split("<h2>Turn ").nth(1).unwrap_or_default().split("</h2>").next().unwrap_or_default();
    heading.split(", ").nth(1).unwrap_or("turn").to_lowercase()
}

fn offered(page: &Page) -> Vec<String> {
    let form = page.form("/t/");
    let lists = form.lists.into_iter().filter(|(name, _)| name.starts_with("slot."));
    lists.flat_map(|(_, values)| values).filter(|value| !value.is_empty()).collect()
}

/// Any order the page offers.
pub fn any_order(page: &Page) -> Option<String> {
    offered(page).into_iter().find(|order| order == SHIP)
}

/// The orders of this turn; none means pass. `landed`: the soldier is where it wants to be.
pub fn orders_for(role: Role, seat: char, landed: bool, page: &Page) -> Vec<String> {
    let offered = offered(page);
    let has = |order: &str| offered.iter().any(|one| one == order);
    let enemy = if seat == 'A' { 'B' } else { 'A' };
    let first = |find: &dyn Fn(&str) -> bool| offered.iter().find(|order| find(order)).cloned();
    let in_play = |letter: char| page.body.contains(&format!("data-piece=\"{letter}1\""));
    if has(SHIP) {
        // The first pieces, once; later there is nothing more to bring.
        let wanted: &[&str] = match role {
            _ if in_play(seat) => &[],
            Role::Raider => &[SHIP, SOLDIER],
            Role::Sleeper => &[SHIP],
        };
        return wanted.iter().filter(|order| has(order)).map(|order| (*order).to_owned()).collect();
    }
    let outward = first(&|order| order.starts_with("move ") && order.ends_with(" neutral-zone"));
    if role == Role::Sleeper {
        // Out of its home once, so that there is something to see; from there nothing leads outward.
        return outward.into_iter().collect();
    }
    if landed {
        return Vec::new();
    }
    let (enemy_home, enemy_region) = home(enemy);
    let (own_home, _) = home(seat);
    let landing = first(&|order| order.starts_with("beam ") && order.ends_with(&format!(" to {enemy_home}")));
    let back = first(&|order| order.starts_with("beam ") && order.ends_with(&format!(" to {own_home}")));
    let onward = first(&|order| order.starts_with("move ") && order.ends_with(&format!(" {enemy_region}")));
    let aboard = first(&|order| {
        let who = order.strip_prefix("beam ").and_then(|rest| rest.split(' ').next());
        who.is_some_and(|who| !who.ends_with('0')) && order.ends_with(&format!(" to {}", ship_of(&offered)))
    });
    let next = match (landing, back, onward) {
        (Some(landing), ..) => Some(landing),
        // The ship lies at home with the soldier aboard.
        (_, Some(_), _) => outward,
        (_, _, Some(onward)) => Some(onward),
        _ => aboard,
    };
    next.into_iter().collect()
}

/// Whether one of these orders puts the soldier on the enemy's home planet.
pub fn lands(seat: char, orders: &[String]) -> bool {
    let (enemy_home, _) = home(if seat == 'A' { 'B' } else { 'A' });
    orders.iter().any(|order| order.starts_with("beam ") && order.ends_with(&format!(" to {enemy_home}")))
}

/// The handle of the raider's one ship: the one that can be moved.
fn ship_of(offered: &[String]) -> String {
    let handle = offered.iter().find_map(|order| order.strip_prefix("move ")?.split(' ').next());
    handle.unwrap_or_default().to_owned()
}

/// What on the board an order is about.
pub fn subject_of(page: &Page, order: &str) -> Option<String> {
    let list = list_of(page, order)?;
    let select =
        tags(&page.body).find(|(tag, _)| tag.starts_with("select") && attribute(tag, "name").as_ref() == Some(&list));
    attribute(select?.0, "data-for")
}

/// The name of the list that offers an order.
pub fn list_of(page: &Page, order: &str) -> Option<String> {
    let lists = page.form("/t/").lists;
    lists.into_iter().find(|(_, values)| values.iter().any(|value| value == order)).map(|(name, _)| name)
}
