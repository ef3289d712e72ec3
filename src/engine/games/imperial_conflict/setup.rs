//! The start of a game: dealing countries and placing the starting armies.

use std::collections::BTreeMap;

use super::data::{Data, GameMap};
use super::event::Event;
use super::state::{Holding, Stage, State};
use super::turn::begin_turn;
use crate::rules::{Audience, Dice, Entry, Fate, Field, FieldChoice, FieldKind, Seat, Setup, Step};

/// Fewest seats.
pub const LEAST_SEATS: usize = 2;
/// Most seats.
pub const MOST_SEATS: usize = 6;

/// Option: which map.
pub const MAP: &str = "map";
/// Option: how starting armies are placed.
pub const PLACEMENT: &str = "placement";
/// By the dice.
pub const RANDOM: &str = "random";
/// By everybody at once, hidden until all are in.
pub const PLOTTED: &str = "plotted";

/// Starting armies of each player.
pub fn starting_armies(seats: usize) -> u32 {
    match seats {
        0..=2 => 40,
        3 => 35,
        4 => 30,
        5 => 25,
        _ => 20,
    }
}

/// What is chosen when a table is made.
pub fn table_fields(data: &Data) -> Vec<Field> {
    let map = |map: &GameMap| FieldChoice {
        value: map.id.clone(),
        label: map.name.clone(),
        summary: format!(
            "{} countries on {} continents, {} to {} players.",
            map.countries.len(),
            map.continents.len(),
            map.least_players,
            map.most_players
        ),
    };
    let placement = |value: &str, label: &str, summary: &str| FieldChoice {
        value: value.to_owned(),
        label: label.to_owned(),
        summary: summary.to_owned(),
    };
    vec![
        Field {
            key: MAP,
            label: "Map",
            help: "The world the game is played on.",
            kind: FieldKind::Choice(data.maps.iter().map(map).collect()),
        },
        Field {
            key: PLACEMENT,
            label: "Starting armies",
            help: "How the starting armies are placed.",
            kind: FieldKind::Choice(vec![
                placement(RANDOM, "Placed by the dice", "Play starts at once."),
                placement(
                    PLOTTED,
                    "Placed by the players",
                    "Everybody places in secret. The armies are shown when all are in.",
                ),
            ]),
        },
    ]
}

/// How many seats a table with these options may have.
pub fn seats(data: &Data, options: &BTreeMap<String, String>) -> std::ops::RangeInclusive<usize> {
    match chosen_map(data, options) {
        Ok(map) => map.least_players..=map.most_players,
        Err(_) => LEAST_SEATS..=MOST_SEATS,
    }
}

fn chosen_map<'d>(data: &'d Data, options: &BTreeMap<String, String>) -> Result<&'d GameMap, String> {
    match options.get(MAP) {
        None => Ok(&data.maps[0]),
        Some(id) => data.map(id).ok_or_else(|| {
            let known: Vec<&str> = data.maps.iter().map(|map| map.id.as_str()).collect();
            format!("There is no map “{id}”. The maps are: {}.", known.join(", "))
        }),
    }
}

/// The first state: countries dealt round the seats, one army on each, the rest placed or to be placed.
///
/// # Errors
/// Sentences about options or a number of seats that cannot be played.
pub fn setup(data: &Data, setup: &Setup, dice: &mut Dice) -> Result<Step<State, Event>, Vec<String>> {
    let count = setup.seats.len();
    let mut faults = Vec::new();
    let plotted = match setup.options.get(PLACEMENT).map_or(RANDOM, String::as_str) {
        RANDOM => false,
        PLOTTED => true,
        other => {
            faults.push(format!("Starting armies are placed “{RANDOM}” or “{PLOTTED}”, not “{other}”."));
            false
        }
    };
    let map = match chosen_map(data, &setup.options) {
        Ok(map) => map,
        Err(fault) => {
            faults.push(fault);
            return Err(faults);
        }
    };
    if !(map.least_players..=map.most_players).contains(&count) {
        let (least, most) = (map.least_players, map.most_players);
        faults.push(format!("The map {} is for {least} to {most} players; this table has {count}.", map.name));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(start(map, count, plotted, dice))
}

fn start(map: &GameMap, count: usize, plotted: bool, dice: &mut Dice) -> Step<State, Event> {
    let seats: Vec<Seat> = Seat::first(count).collect();
    let mut countries: Vec<usize> = (0..map.countries.len()).collect();
    dice.shuffle("dealing the countries", &mut countries);
    let mut holdings = vec![Holding { owner: Seat::A, armies: 1 }; countries.len()];
    for (round, country) in countries.into_iter().enumerate() {
        holdings[country].owner = seats[round % count];
    }
    let mut deck: Vec<usize> = (0..map.countries.len()).collect();
    dice.shuffle("shuffling the cards", &mut deck);
    let mut state = State {
        map: map.id.clone(),
        order: seats.clone(),
        holdings,
        hands: vec![Vec::new(); count],
        deck,
        discard: Vec::new(),
        exchanges: 0,
        fates: vec![Fate::Active; count],
        turn_no: 1,
        stage: Stage::Over { winner: None },
    };
    // A stable sort: fewer countries first, otherwise the seating order.
    state.order.sort_by_key(|seat| holding_count(&state.holdings, *seat));
    let dealt = state.order.iter().map(|seat| (*seat, state.countries_of(*seat))).collect();
    let armies = starting_armies(count);
    let mut report = vec![Entry {
        audience: Audience::All,
        event: Event::Dealt { map: map.name.clone(), countries: dealt, armies, plotted },
    }];
    let left = |seat: &Seat| {
        let standing = u32::try_from(state.countries_of(*seat)).expect("few countries");
        armies.saturating_sub(standing)
    };
    let left: Vec<u32> = seats.iter().map(left).collect();
    if plotted && left.iter().any(|armies| *armies > 0) {
        state.stage = Stage::Placement { left, running: false };
    } else {
        for (seat, armies) in seats.iter().zip(left) {
            report.push(place_by_dice(map, &mut state, *seat, armies, dice));
        }
        let first = state.order[0];
        begin_turn(map, &mut state, first, 1, &mut report);
    }
    Step { state, report }
}

fn holding_count(holdings: &[Holding], seat: Seat) -> usize {
    holdings.iter().filter(|holding| holding.owner == seat).count()
}

/// Puts each army on a country of the seat that the dice pick.
pub fn place_by_dice(map: &GameMap, state: &mut State, seat: Seat, armies: u32, dice: &mut Dice) -> Entry<Event> {
    let own: Vec<usize> = (0..state.holdings.len()).filter(|country| state.holdings[*country].owner == seat).collect();
    let purpose = format!("{seat} places an army");
    let mut placed = vec![0; own.len()];
    for _ in 0..armies {
        placed[dice.pick(&purpose, own.len())] += 1;
    }
    let armies = own.into_iter().zip(placed).filter(|(_, armies)| *armies > 0).collect();
    place(map, state, seat, armies)
}

/// Puts a seat's starting armies on its countries and reports it.
pub fn place(map: &GameMap, state: &mut State, seat: Seat, armies: Vec<(usize, u32)>) -> Entry<Event> {
    for (country, armies) in &armies {
        state.holdings[*country].armies += armies;
    }
    let armies = armies.into_iter().map(|(country, armies)| (map.name_of(country).to_owned(), armies)).collect();
    Entry { audience: Audience::All, event: Event::Placed { seat, armies } }
}
