//! Imperial Conflict: two to six players on a map of countries, one turn at a time.
//!
//! `data` and `load` hold what the files say, `state` a running game, `legal` decides whether an order can be
//! carried out, `resolve` and `turn` carry it out, `view` builds what a viewer may know, and `tell` and
//! `digest` put into words what happened. A turn is many small steps; each is a phase that inherits the clock.

mod bots;
pub mod cards;
pub mod data;
mod digest;
mod edition;
mod event;
mod facts;
mod given;
mod legal;
pub mod load;
mod names;
pub mod odds;
mod offers;
mod order;
mod parse;
mod placement;
mod resolve;
mod setup;
mod state;
mod tell;
#[cfg(test)]
mod tests;
mod turn;
pub mod view;
mod words;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

pub use event::{Draw, Event};
pub use order::Order;
pub use state::State;

use self::data::Data;
use self::edition::Policy;
use self::state::Stage;
use self::view::{Known, PhaseKey, View};
use crate::rules::{
    Bot, ClockUse, Content, DataFault, Dice, Due, Fate, Fault, Field, Leaving, Line, Meta, Openness, Phase, Rules,
    Seat, Setup, Slot, Step, StockLoadout,
};

/// The rules of Imperial Conflict.
pub struct ImperialConflict {
    meta: Meta,
    /// Kept, because the stronger one works out its odds once.
    bots: Vec<Arc<dyn Bot>>,
}

impl ImperialConflict {
    /// The rules, to be listed among the games.
    pub fn new() -> ImperialConflict {
        ImperialConflict {
            bots: bots::all(),
            meta: Meta {
                id: "imperial-conflict",
                name: "Imperial Conflict",
                blurb: "Two to six players fight for the countries of a map with armies, dice and cards, one player's \
                        turn at a time. You win by holding every country, or by being the last player left.",
                seats: setup::LEAST_SEATS..=setup::MOST_SEATS,
                edition: edition::CURRENT,
                format: 1,
                rules_text: include_str!("../../../../config/games/imperial-conflict/rules.md"),
            },
        }
    }
}

impl Default for ImperialConflict {
    fn default() -> ImperialConflict {
        ImperialConflict::new()
    }
}

impl Rules for ImperialConflict {
    type Data = Data;
    type State = State;
    type Order = Order;
    type Event = Event;
    type View = View;

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn embedded(&self) -> Content {
        macro_rules! files {
            ($($path:literal),*) => {
                [$(($path, include_str!(concat!("../../../../config/games/imperial-conflict/", $path)))),*]
            };
        }
        let files = files!["maps/sector.toml", "maps/world.toml"];
        files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
    }

    fn load(&self, files: &Content) -> Result<Data, Vec<DataFault>> {
        load::load(files)
    }

    fn table_fields(&self, data: &Data) -> Vec<Field> {
        setup::table_fields(data)
    }

    fn seats(&self, data: &Data, options: &BTreeMap<String, String>) -> RangeInclusive<usize> {
        setup::seats(data, options)
    }

    fn seat_fields(&self, _: &Data) -> Vec<Field> {
        Vec::new()
    }

    fn stock_loadouts(&self, _: &Data) -> Vec<StockLoadout> {
        Vec::new()
    }

    fn check_loadout(&self, _: &Data, _: &str) -> Result<String, Vec<Fault>> {
        let message = "Players of Imperial Conflict bring nothing to the table.".to_owned();
        Err(vec![Fault { line: None, message }])
    }

    fn setup(&self, data: &Data, setup: &Setup, _: u32, dice: &mut Dice) -> Result<Step<State, Event>, Vec<String>> {
        setup::setup(data, setup, dice)
    }

    fn phase(&self, _: &Data, state: &State) -> Option<Phase> {
        let running = match &state.stage {
            Stage::Placement { running, .. } => *running,
            Stage::Turn(turn) => turn.running,
            Stage::Over { .. } => return None,
        };
        let key = PhaseKey::of(state);
        Some(Phase {
            key: key.key().to_owned(),
            name: key.name().to_owned(),
            turn: state.turn_no,
            due: view::due(state).into_iter().map(|seat| Due { seat, required: true }).collect(),
            clock: if running { ClockUse::Inherit } else { ClockUse::Fresh },
            simultaneous: key == PhaseKey::Placement,
        })
    }

    fn fates(&self, state: &State) -> Vec<Fate> {
        state.fates.clone()
    }

    fn view(&self, data: &Data, state: &State, viewer: Option<Seat>) -> View {
        view::view(data, state, viewer)
    }

    fn parse(&self, data: &Data, view: &View, text: &str) -> Result<Vec<Line<Order>>, Vec<Fault>> {
        parse::parse(Known::of(data, view).map(), text)
    }

    /// Orders of a turn are carried out up to the first that is illegal when it is reached, so only the first
    /// can be refused beforehand; a placement is one plot and checked as a whole.
    fn check(&self, data: &Data, view: &View, plot: &[Line<Order>]) -> Vec<Fault> {
        let whole = |message: &str| vec![Fault { line: None, message: message.to_owned() }];
        if !view.is_due() {
            return if plot.is_empty() { Vec::new() } else { whole("You owe no orders now.") };
        }
        let known = Known::of(data, view);
        if view.phase == PhaseKey::Placement {
            let own = |country: usize| Some(view.countries[country].owner) == view.viewer;
            return placement::check(known.map(), own, view.to_place, plot);
        }
        let Some(first) = plot.first() else {
            return whole("There is no order in it. To end your turn write: end.");
        };
        let allowed = known.sight().map(|sight| sight.allow(&first.order));
        match allowed {
            Some(Err(message)) => vec![Fault { line: Some(first.no), message }],
            _ => Vec::new(),
        }
    }

    fn words(&self, _: &Data, view: &View, order: &Order) -> String {
        words::words(view, order)
    }

    /// The report tells all that was done. What was written beyond the first order that could not be carried out
    /// was not: it tells of cards in the hand and of plans.
    fn openness(&self, _: &Data, _: &State) -> Openness {
        Openness::Nothing
    }

    fn gives_up(&self, order: &Order) -> bool {
        matches!(order, Order::Resign)
    }

    fn offers(&self, data: &Data, view: &View) -> Vec<Slot> {
        offers::offers(data, view)
    }

    /// Starting armies spread evenly; in a turn what must be done, all armies on one country, and the end.
    fn default_plot(&self, data: &Data, view: &View) -> Vec<Order> {
        let own = view.countries.iter().enumerate().filter(|(_, country)| Some(country.owner) == view.viewer);
        if !view.is_due() {
            return Vec::new();
        }
        if view.phase == PhaseKey::Placement {
            let placed = placement::spread(own.map(|(country, _)| country), view.to_place);
            let order =
                |(country, armies): (usize, u32)| Order::Deploy { armies, country: view.countries[country].code };
            return placed.into_iter().map(order).collect();
        }
        let known = Known::of(data, view);
        let Some(sight) = known.sight() else { return Vec::new() };
        let mut orders = Vec::new();
        let (mut hand, mut left) = (sight.hand.to_vec(), sight.turn.left);
        for nth in view.exchanges + 1.. {
            if hand.len() < cards::TOO_MANY {
                break;
            }
            let set = cards::sets(known.map(), &hand)[0];
            hand.retain(|card| !set.contains(card));
            left += cards::worth(nth);
            orders.push(Order::Exchange(set.map(|card| view.countries[card].code)));
        }
        if left > 0 {
            let front = own.max_by_key(|(at, country)| (hostile(view, *at), std::cmp::Reverse(country.armies)));
            orders.extend(front.map(|(_, country)| Order::Deploy { armies: left, country: country.code }));
        }
        orders.push(Order::End);
        orders
    }

    fn resolve(
        &self,
        data: &Data,
        mut state: State,
        plots: &BTreeMap<Seat, Vec<Order>>,
        edition: u32,
        dice: &mut Dice,
    ) -> Step<State, Event> {
        let map = state.map(data);
        let mut report = Vec::new();
        match &state.stage {
            Stage::Placement { .. } => resolve::resolve_placement(map, &mut state, plots, &mut report),
            Stage::Turn(turn) => {
                let seat = turn.seat;
                let orders = plots.get(&seat).cloned();
                let orders = orders.unwrap_or_else(|| self.default_plot(data, &view::view(data, &state, Some(seat))));
                resolve::resolve_turn(map, &mut state, &orders, Policy::of(edition), dice, &mut report);
            }
            Stage::Over { .. } => {}
        }
        Step { state, report }
    }

    fn leave(
        &self,
        data: &Data,
        mut state: State,
        leavers: &[(Seat, Leaving)],
        _: u32,
        dice: &mut Dice,
    ) -> Step<State, Event> {
        let mut report = Vec::new();
        turn::leave(state.map(data), &mut state, leavers, dice, &mut report);
        Step { state, report }
    }

    fn tell(&self, _: &Data, event: &Event, viewer: Option<Seat>) -> String {
        tell::tell(event, viewer)
    }

    fn digest(&self, _: &Data, events: &[Event], viewer: Option<Seat>) -> Vec<String> {
        digest::digest(events, viewer)
    }

    fn position(&self, _: &Data, view: &View) -> String {
        words::position(view)
    }

    fn bots(&self) -> Vec<Arc<dyn Bot>> {
        self.bots.clone()
    }

    fn given(&self, data: &Data, given: &toml::Table) -> Result<State, Vec<String>> {
        given::given(data, given)
    }

    fn facts(&self, data: &Data, state: &State) -> BTreeMap<String, String> {
        facts::facts(data, state)
    }
}

/// How many adjacent countries of others a country of the viewer has.
fn hostile(view: &View, country: usize) -> usize {
    let neighbours = view.countries[country].neighbours.iter();
    neighbours.filter(|neighbour| Some(view.countries[**neighbour].owner) != view.viewer).count()
}
