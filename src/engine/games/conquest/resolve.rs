//! Carries phases out: from a state and plots to the next state and a report.

mod assign;
mod assign_first;
mod combat;
mod damage;
mod deploy;
mod fight;
mod leaving;
mod movement;
mod turn;

use std::collections::BTreeMap;

use super::board::Board;
use super::check::check;
use super::data::{Data, GameMap};
use super::doctrine::Doctrine;
use super::edition::Policy;
use super::event::{Event, Named, Spot};
use super::handle::Handle;
use super::look;
use super::order::{DoctrineOrder, Order};
use super::state::{Initiative, SEATS, Stage, State};
use super::view::{PhaseKey, Place, View};
use crate::rules::{Audience, Dice, Entry, Leaving, Line, Seat, Step};

/// The plots of a phase, legal and by seat; a seat that is missing orders nothing.
type Plots = BTreeMap<Seat, Vec<Order>>;

/// Closes the open phase with these plots and runs on until somebody is due or the game is over.
pub fn resolve(
    data: &Data,
    state: State,
    plots: &Plots,
    policy: &'static Policy,
    dice: &mut Dice,
) -> Step<State, Event> {
    let mut play = Play { data, state, policy, report: Vec::new(), dice };
    if play.state.outcome().is_none() {
        let legal = play.legal_parts(plots);
        play.close(&legal);
        play.run_on();
    }
    Step { state: play.state, report: play.report }
}

/// Runs on from a state in which nobody need be due, until somebody is or the game is over.
pub fn run_on(data: &Data, state: State, policy: &'static Policy, dice: &mut Dice) -> Step<State, Event> {
    let mut play = Play { data, state, policy, report: Vec::new(), dice };
    play.run_on();
    Step { state: play.state, report: play.report }
}

/// Takes seats out of the running game.
pub fn leave(
    data: &Data,
    state: State,
    leavers: &[(Seat, Leaving)],
    policy: &'static Policy,
    dice: &mut Dice,
) -> Step<State, Event> {
    let mut play = Play { data, state, policy, report: Vec::new(), dice };
    play.leave(leavers);
    Step { state: play.state, report: play.report }
}

/// A game while it is carried out.
struct Play<'a> {
    data: &'a Data,
    state: State,
    policy: &'static Policy,
    report: Vec<Entry<Event>>,
    dice: &'a mut Dice,
}

impl<'a> Play<'a> {
    fn map(&self) -> &'a GameMap {
        self.data.map(&self.state.map).expect("a table keeps the content that holds its map")
    }

    fn board(&self) -> Board<'_> {
        Board::new(self.data, &self.state)
    }

    /// Reports to everybody.
    fn tell(&mut self, event: impl Into<Event>) {
        self.report.push(Entry { audience: Audience::All, event: event.into() });
    }

    /// Reports to one seat.
    fn tell_only(&mut self, seat: Seat, event: impl Into<Event>) {
        self.report.push(Entry { audience: Audience::Only(vec![seat]), event: event.into() });
    }

    fn named(&self, handle: Handle) -> Named {
        Named { handle, name: self.board().type_of(handle).name.clone() }
    }

    fn all_named(&self, handles: &[Handle]) -> Vec<Named> {
        handles.iter().map(|handle| self.named(*handle)).collect()
    }

    fn spot(&self, place: Place) -> Spot {
        let map = self.map();
        match place {
            Place::Region(region) => self.region_spot(region),
            Place::Planet(planet) => {
                Spot { id: map.planets[planet].id.clone(), name: map.planets[planet].name.clone() }
            }
            Place::Aboard(ship) => {
                let name = &self.board().type_of(ship).name;
                Spot { id: ship.to_string(), name: format!("{ship} {name}") }
            }
        }
    }

    fn region_spot(&self, region: usize) -> Spot {
        let region = &self.map().regions[region];
        Spot { id: region.id.clone(), name: region.name.clone() }
    }

    /// The parts of the plots that are legal. The server hands in checked plots; what is illegal all the same
    /// is left out, line by line, and its player told.
    fn legal_parts(&mut self, plots: &Plots) -> Plots {
        let mut view = look::open_view(self.board());
        let mut legal = Plots::new();
        for (seat, plot) in plots {
            look::look_as(self.board(), &mut view, Some(*seat));
            legal.insert(*seat, self.legal(*seat, &view, plot));
        }
        legal
    }

    fn legal(&mut self, seat: Seat, view: &View, plot: &[Order]) -> Vec<Order> {
        let mut lines: Vec<Line<Order>> =
            plot.iter().enumerate().map(|(no, order)| Line { no, order: order.clone() }).collect();
        loop {
            let faults = check(self.data, view, &lines);
            let Some(fault) = faults.first() else { break };
            // A fault of the whole plot leaves nothing of it; otherwise every round takes a line out.
            let bad: Vec<usize> = faults.iter().filter_map(|fault| fault.line).collect();
            for line in lines.iter().filter(|line| bad.is_empty() || bad.contains(&line.no)) {
                let why = faults.iter().find(|fault| fault.line == Some(line.no)).unwrap_or(fault);
                let event = Event::LeftOut { seat, order: line.order.to_string(), why: why.message.clone() };
                self.tell_only(seat, event);
            }
            lines.retain(|line| !bad.is_empty() && !bad.contains(&line.no));
        }
        lines.into_iter().map(|line| line.order).collect()
    }

    /// Closes the open phase.
    fn close(&mut self, plots: &Plots) {
        let phase = self.state.stage.phase();
        let asked = std::mem::take(&mut self.state.due);
        if asked.is_empty() && matches!(phase, PhaseKey::Deploy | PhaseKey::Attack | PhaseKey::Move) {
            self.tell(Event::PhasePasses { phase });
        } else if !matches!(self.state.stage, Stage::Start | Stage::Defence(_) | Stage::Damage(_)) {
            let turn = self.state.turn;
            self.tell(Event::PhaseBegins { phase, turn });
        }
        self.set_doctrines(plots);
        match std::mem::replace(&mut self.state.stage, Stage::Start) {
            Stage::Start => self.start_turn(),
            Stage::Deploy => self.deploy(&asked, plots),
            Stage::Attack => self.attack(plots),
            Stage::Defence(fight) => self.defend(fight, plots),
            Stage::Damage(fight) => self.assign(fight, plots),
            Stage::Move => self.movement(plots),
            Stage::Over(outcome) => self.state.stage = Stage::Over(outcome),
        }
    }

    fn run_on(&mut self) {
        while self.state.outcome().is_none() {
            if self.state.stage == Stage::Start {
                self.start_turn();
                continue;
            }
            self.state.due = look::due(self.board(), self.policy.jamming);
            if !self.state.due.is_empty() {
                break;
            }
            self.close(&Plots::new());
        }
    }

    /// Replaces the doctrine of every seat whose plot has one.
    fn set_doctrines(&mut self, plots: &Plots) {
        for (seat, plot) in plots {
            let mut doctrine = None;
            for order in plot {
                let Order::Doctrine(part) = order else { continue };
                doctrine = Some(joined(doctrine, part));
            }
            let Some(doctrine) = doctrine else { continue };
            let pieces = match &doctrine {
                Doctrine::Own { spare, soak } => self.all_named(&[spare.as_slice(), soak.as_slice()].concat()),
                Doctrine::Ask | Doctrine::Default => Vec::new(),
            };
            self.state.side_mut(*seat).doctrine = doctrine.clone();
            self.tell_only(*seat, Event::DoctrineSet { seat: *seat, doctrine, pieces });
        }
    }

    /// Who goes first now. Thrown for only when Control Points are equal.
    fn initiative(&mut self, phase: PhaseKey) -> Initiative {
        let cp = (self.state.sides[0].cp, self.state.sides[1].cp);
        let by_dice = cp.0 == cp.1;
        let first = if by_dice {
            let purpose = format!("initiative in the {} phase of turn {} (0: A, 1: B)", phase.name(), self.state.turn);
            if self.dice.roll(&purpose, 0, 1) == 0 { Seat::A } else { Seat::B }
        } else if cp.0 > cp.1 {
            Seat::A
        } else {
            Seat::B
        };
        let initiative = Initiative { first, cp, by_dice };
        self.tell(Event::Initiative { phase, initiative: initiative.clone() });
        initiative
    }

    /// The seats in the order in which they go. Initiative is settled only where both have something to do;
    /// otherwise the order does not matter.
    fn seat_order(&mut self, phase: PhaseKey, both: bool) -> [Seat; 2] {
        if both && self.initiative(phase).first == Seat::B { [Seat::B, Seat::A] } else { SEATS }
    }
}

/// A doctrine with another part of the same plot added.
pub(super) fn joined(doctrine: Option<Doctrine>, part: &DoctrineOrder) -> Doctrine {
    let (mut spared, mut soaking) = match doctrine {
        Some(Doctrine::Own { spare, soak }) => (spare, soak),
        _ => (Vec::new(), Vec::new()),
    };
    let (list, pieces) = match part {
        DoctrineOrder::Default => return Doctrine::Default,
        DoctrineOrder::Ask => return Doctrine::Ask,
        DoctrineOrder::Spare(pieces) => (&mut spared, pieces),
        DoctrineOrder::Soak(pieces) => (&mut soaking, pieces),
    };
    for handle in pieces {
        if !list.contains(handle) {
            list.push(*handle);
        }
    }
    Doctrine::Own { spare: spared, soak: soaking }
}

/// Whether both seats have a plot with orders other than doctrines in it.
fn both_plot(plots: &Plots, counts: impl Fn(&Order) -> bool) -> bool {
    SEATS.iter().all(|seat| plots.get(seat).is_some_and(|plot| plot.iter().any(&counts)))
}
