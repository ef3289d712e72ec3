//! ConQuest: two players, three regions, ships, people, items and a Q each.
//!
//! `data` and `load` hold what the files say, `state` a running game, `board` the figures of pieces in it,
//! `look` builds what a viewer may know, `parse`, `check` and `offers` deal with orders by that view alone,
//! and `resolve` carries phases out, by the policies of the `edition` it is given.

mod beams;
mod board;
mod bots;
mod check;
pub mod content;
pub mod data;
pub mod doctrine;
mod edition;
mod event;
mod facts;
mod given;
pub mod group;
pub mod handle;
pub mod left_open;
mod load;
mod look;
mod offers;
mod order;
mod parse;
mod position;
mod resolve;
mod setup;
mod state;
mod tell;
#[cfg(test)]
mod tests;
pub mod view;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use event::Event;
pub use order::Order;
pub use state::State;
use view::{PhaseKey, View};
pub use words::type_view;

use self::board::Board;
use self::data::Data;
use self::edition::Policy;
use self::group::ControlGroup;
use crate::rules::{
    Bot, ClockUse, Content, DataFault, Dice, Due, Fate, Fault, Field, Leaving, Line, Meta, Openness, Phase, Rules,
    Seat, Setup, Slot, Step, StockLoadout,
};

/// The rules of ConQuest.
pub struct ConQuest {
    meta: Meta,
}

impl ConQuest {
    /// The rules, to be listed among the games.
    pub fn new() -> ConQuest {
        ConQuest {
            meta: Meta {
                id: "conquest",
                name: "ConQuest",
                blurb: "Two players deploy ships, people and items, plot in secret phase by phase, and hunt each \
                        other's Q. Cheqmate wins; after turn 20 planets count.",
                seats: 2..=2,
                edition: edition::CURRENT,
                format: 1,
                rules_text: include_str!("../../../../config/games/conquest/rules.md"),
            },
        }
    }
}

impl Default for ConQuest {
    fn default() -> ConQuest {
        ConQuest::new()
    }
}

impl Rules for ConQuest {
    type Data = Data;
    type State = State;
    type Order = Order;
    type Event = Event;
    type View = View;

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn embedded(&self) -> Content {
        content::embedded()
    }

    fn load(&self, files: &Content) -> Result<Data, Vec<DataFault>> {
        load::load(files)
    }

    fn table_fields(&self, data: &Data) -> Vec<Field> {
        setup::table_fields(data)
    }

    fn seat_fields(&self, _: &Data) -> Vec<Field> {
        setup::seat_fields()
    }

    fn stock_loadouts(&self, data: &Data) -> Vec<StockLoadout> {
        setup::stock_loadouts(data)
    }

    fn check_loadout(&self, data: &Data, text: &str) -> Result<String, Vec<Fault>> {
        ControlGroup::parse(data, text).map(|group| group.to_string())
    }

    fn setup(
        &self,
        data: &Data,
        setup: &Setup,
        edition: u32,
        dice: &mut Dice,
    ) -> Result<Step<State, Event>, Vec<String>> {
        Ok(resolve::run_on(data, setup::first_state(data, setup)?, Policy::of(edition), dice))
    }

    fn phase(&self, _: &Data, state: &State) -> Option<Phase> {
        let key = state.stage.phase();
        if key == PhaseKey::Over {
            return None;
        }
        let due = state.due.iter().map(|seat| Due { seat: *seat, required: true }).collect();
        Some(Phase {
            key: key.key().to_owned(),
            name: key.name().to_owned(),
            turn: state.turn,
            due,
            clock: ClockUse::Fresh,
            simultaneous: true,
        })
    }

    fn fates(&self, state: &State) -> Vec<Fate> {
        state.sides.iter().map(|side| side.fate).collect()
    }

    fn view(&self, data: &Data, state: &State, viewer: Option<Seat>) -> View {
        look::view(Board::new(data, state), viewer)
    }

    fn orders_view(&self, data: &Data, state: &State, seat: Seat) -> View {
        look::plain_view(Board::new(data, state), Some(seat))
    }

    fn parse(&self, data: &Data, view: &View, text: &str) -> Result<Vec<Line<Order>>, Vec<Fault>> {
        let parse::Reading { lines, mut faults } = parse::read(data, view, text);
        if faults.is_empty() {
            return Ok(lines);
        }
        // The player learns of all faults at once, those of the readable lines too.
        faults.extend(check::check(data, view, &lines).into_iter().filter(|fault| fault.line.is_some()));
        faults.sort_by_key(|fault| fault.line);
        Err(faults)
    }

    fn check(&self, data: &Data, view: &View, plot: &[Line<Order>]) -> Vec<Fault> {
        check::check(data, view, plot)
    }

    fn words(&self, data: &Data, view: &View, order: &Order) -> String {
        words::order_words(data, view, order)
    }

    fn left_open(&self, view: &View, plot: &[Line<Order>]) -> Vec<String> {
        left_open::unassigned(view, plot).into_iter().collect()
    }

    /// A deploy that came too late (a unique piece the other brought first) would tell what is left in a Control
    /// Group, so nothing of those plots is shown; of the others all but the doctrine, which the other side never
    /// learns.
    fn openness(&self, _: &Data, state: &State) -> Openness {
        match state.stage.phase() {
            PhaseKey::Deploy => Openness::Nothing,
            _ => Openness::WithoutSecrets,
        }
    }

    fn stays_secret(&self, order: &Order) -> bool {
        matches!(order, Order::Doctrine(_) | Order::Deploy { .. })
    }

    fn offers(&self, data: &Data, view: &View) -> Vec<Slot> {
        offers::offers(data, view)
    }

    /// The empty plot: nothing is ordered, and damage goes by doctrine.
    fn default_plot(&self, _: &Data, _: &View) -> Vec<Order> {
        Vec::new()
    }

    fn resolve(
        &self,
        data: &Data,
        state: State,
        plots: &BTreeMap<Seat, Vec<Order>>,
        edition: u32,
        dice: &mut Dice,
    ) -> Step<State, Event> {
        resolve::resolve(data, state, plots, Policy::of(edition), dice)
    }

    fn leave(
        &self,
        data: &Data,
        state: State,
        leavers: &[(Seat, Leaving)],
        edition: u32,
        dice: &mut Dice,
    ) -> Step<State, Event> {
        resolve::leave(data, state, leavers, Policy::of(edition), dice)
    }

    fn tell(&self, _: &Data, event: &Event, viewer: Option<Seat>) -> String {
        tell::tell(event, viewer)
    }

    fn position(&self, _: &Data, view: &View) -> String {
        position::position(view)
    }

    fn bots(&self) -> Vec<Arc<dyn Bot>> {
        bots::all()
    }

    fn given(&self, data: &Data, given: &toml::Table) -> Result<State, Vec<String>> {
        given::given(data, given)
    }

    fn facts(&self, data: &Data, state: &State) -> BTreeMap<String, String> {
        facts::facts(Board::new(data, state))
    }
}
