//! Orders of the Move phase: beams and moves.

use std::collections::{BTreeMap, BTreeSet};

use super::{Faults, Orders, Plotter};
use crate::games::conquest::beams::{Leg, leg};
use crate::games::conquest::data::Kind;
use crate::games::conquest::handle::Handle;
use crate::games::conquest::order::{BeamEnd, Order};
use crate::games::conquest::view::PieceView;

/// What the plot makes one ship do.
#[derive(Default)]
struct Work {
    /// Its beam action, with the line it began at.
    beam: Option<Leg>,
    /// Who takes part, with their lines.
    beamed: Vec<(usize, Handle)>,
    moves: bool,
}

impl Work {
    fn actions(&self) -> i32 {
        i32::from(self.beam.is_some()) + i32::from(self.moves)
    }
}

impl Plotter<'_> {
    pub(super) fn movements(self, orders: &Orders<'_>, faults: &mut Faults) {
        let mut work: BTreeMap<Handle, Work> = BTreeMap::new();
        let mut acting: Vec<Handle> = Vec::new();
        let mut beamed = BTreeSet::new();
        for line in orders {
            match &line.order {
                Order::Beam { who, to } => {
                    for handle in who {
                        if !beamed.insert(*handle) {
                            faults.line(line.no, format!("{handle} takes part in one beam a phase, not in two."));
                        } else if let Err(message) = self.beam(line.no, *handle, to, &mut work, &mut acting) {
                            faults.line(line.no, message);
                        }
                    }
                }
                Order::Move { ship, to } => {
                    if let Err(message) = self.movement(*ship, to, &mut work) {
                        faults.line(line.no, message);
                    }
                }
                _ => {}
            }
        }
        self.room(&work, &acting, faults);
    }

    fn beam(
        self,
        no: usize,
        who: Handle,
        to: &BeamEnd,
        work: &mut BTreeMap<Handle, Work>,
        acting: &mut Vec<Handle>,
    ) -> Result<(), String> {
        let piece = self.own(who)?;
        if piece.kind == Kind::Ship {
            return Err(format!("{} is a ship: people and Q are beamed, ships move.", piece.title()));
        }
        let planet = |id: &str| self.view.map.planets.iter().position(|planet| planet.id == id);
        let Some((ship, leg)) = leg(piece.place, to, planet) else {
            return Err(match to {
                BeamEnd::Planet(_) => format!(
                    "{} is {}: beam it aboard a ship first, and to a planet in a later turn.",
                    piece.title(),
                    self.where_is(piece)
                ),
                BeamEnd::Ship(_) => format!("{} is {} already.", piece.title(), self.where_is(piece)),
            });
        };
        let ship = self.own(ship)?;
        self.ends(ship, leg)?;
        let job = work.entry(ship.handle).or_default();
        if let Some(before) = job.beam
            && before != leg
        {
            return Err(format!(
                "{} beams {} already: one beam action goes between the ship and one other end.",
                ship.title(),
                self.leg_words(before)
            ));
        }
        if job.beam.is_none() {
            self.pay(ship, job, "beam")?;
            job.beam = Some(leg);
            acting.push(ship.handle);
        }
        job.beamed.push((no, who));
        Ok(())
    }

    /// Whether both ends lie in one region and are of the right kind. A jammer does not count before the beam is
    /// carried out.
    fn ends(self, ship: &PieceView, leg: Leg) -> Result<(), String> {
        if ship.kind != Kind::Ship {
            return Err(format!("{} is not a ship: a beam goes to a planet or aboard a ship.", ship.title()));
        }
        match leg {
            Leg::Up(planet) | Leg::Down(planet) => {
                let at = &self.view.map.planets[planet];
                if at.region != ship.region {
                    return Err(format!(
                        "{} is {} and {} is not there: a ship beams within its region.",
                        ship.title(),
                        self.where_is(ship),
                        at.name
                    ));
                }
            }
            Leg::Across(to) => {
                let to = self.own(to)?;
                if to.kind != Kind::Ship {
                    return Err(format!("{} is not a ship: a beam goes to a planet or aboard a ship.", to.title()));
                }
                if to.region != ship.region {
                    return Err(format!(
                        "{} is {}, {} is {}: a ship beams within its region.",
                        ship.title(),
                        self.where_is(ship),
                        to.title(),
                        self.where_is(to)
                    ));
                }
            }
        }
        Ok(())
    }

    fn leg_words(self, leg: Leg) -> String {
        match leg {
            Leg::Up(planet) => format!("up from {}", self.view.map.planets[planet].name),
            Leg::Down(planet) => format!("down to {}", self.view.map.planets[planet].name),
            Leg::Across(ship) => format!("to {ship}"),
        }
    }

    /// Whether the ship has an action for one thing more.
    fn pay(self, ship: &PieceView, job: &Work, what: &str) -> Result<(), String> {
        if ship.actions > job.actions() {
            return Ok(());
        }
        Err(match (ship.actions, job.actions()) {
            (0, _) => format!("{} has no action left this turn.", ship.title()),
            (left, _) => format!(
                "{} has {left} action left and is ordered to {} already: it can't {what} as well.",
                ship.title(),
                if job.beam.is_some() { "beam" } else { "move" }
            ),
        })
    }

    fn movement(self, handle: Handle, to: &str, work: &mut BTreeMap<Handle, Work>) -> Result<(), String> {
        let ship = self.own(handle)?;
        if ship.kind != Kind::Ship {
            return Err(format!("{} is not a ship: people and Q are carried by ships.", ship.title()));
        }
        let Some(region) = self.view.map.regions.iter().position(|region| region.id == to) else {
            return Err(format!("There is no region “{to}”."));
        };
        let distance = region.abs_diff(ship.region);
        if distance == 0 {
            return Err(format!("{} is {} already.", ship.title(), self.where_is(ship)));
        }
        if distance > ship.powers.reach {
            return Err(match ship.powers.reach {
                0 => format!("{} cannot move.", ship.title()),
                1 => format!(
                    "{} is {distance} regions away from {}, which moves to a neighbouring region.",
                    self.view.map.regions[region].name,
                    ship.title()
                ),
                reach => format!("{} moves up to {reach} regions.", ship.title()),
            });
        }
        let job = work.entry(handle).or_default();
        if job.moves {
            return Err(format!("{} moves already: a ship moves once a phase.", ship.title()));
        }
        self.pay(ship, job, "move")?;
        job.moves = true;
        Ok(())
    }

    /// Whether everybody finds room aboard, beam by beam in the order in which they are carried out.
    fn room(self, work: &BTreeMap<Handle, Work>, acting: &[Handle], faults: &mut Faults) {
        let kind = |handle: &Handle| self.view.piece(*handle).map(|piece| piece.kind);
        let mut aboard: BTreeMap<Handle, usize> = BTreeMap::new();
        for ship in &self.view.pieces {
            let people = ship.crew.iter().filter(|member| kind(member) == Some(Kind::Person)).count();
            aboard.insert(ship.handle, people);
        }
        let first = |handle: &Handle| self.view.piece(*handle).is_some_and(|ship| ship.powers.move_priority);
        let mut acting: Vec<Handle> = acting.to_vec();
        acting.sort_by_key(|handle| !first(handle));
        for handle in acting {
            let job = &work[&handle];
            let Some(leg) = job.beam else { continue };
            for (no, who) in job.beamed.iter().filter(|(_, who)| kind(who) == Some(Kind::Person)) {
                let into = match leg {
                    Leg::Up(_) => Some(handle),
                    Leg::Across(to) => Some(to),
                    Leg::Down(_) => None,
                };
                if let Some(ship) = into.and_then(|into| self.view.piece(into)) {
                    let people = aboard.entry(ship.handle).or_default();
                    if let Some(most) = ship.powers.capacity
                        && *people >= most
                    {
                        faults.line(
                            *no,
                            format!("{} has room for {most} aboard: there is none left for {who}.", ship.title()),
                        );
                        continue;
                    }
                    *people += 1;
                }
                if !matches!(leg, Leg::Up(_)) {
                    let people = aboard.entry(handle).or_default();
                    *people = people.saturating_sub(1);
                }
            }
        }
    }
}
