//! Whether a plot is legal, as far as its seat can see. Every fault is named with its line.

mod fight;
mod movement;

use std::collections::BTreeMap;

use super::data::{Data, Kind, Whose};
use super::handle::Handle;
use super::order::{DoctrineOrder, Order};
use super::view::{PhaseKey, PieceView, View};
use crate::rules::{Fault, Line, Seat};

pub use fight::match_blows;

/// Checks a plot as a whole; empty means legal.
pub fn check(data: &Data, view: &View, plot: &[Line<Order>]) -> Vec<Fault> {
    let mut faults = Faults(Vec::new());
    if plot.is_empty() {
        return faults.0;
    }
    let Some(seat) = view.viewer else {
        faults.whole("Only the players at this table give orders.");
        return faults.0;
    };
    if !view.due.contains(&seat) {
        faults.whole(if view.phase == PhaseKey::Over {
            "The game is over."
        } else {
            "You owe no orders in this phase."
        });
        return faults.0;
    }
    let plotter = Plotter { data, view, seat };
    let fitting = plotter.fitting(plot, &mut faults);
    match view.phase {
        PhaseKey::Deploy => plotter.deploys(&fitting, &mut faults),
        PhaseKey::Attack => plotter.attacks(&fitting, &mut faults),
        PhaseKey::Defence => plotter.defences(&fitting, &mut faults),
        PhaseKey::Damage => plotter.damages(&fitting, &mut faults),
        PhaseKey::Move => plotter.movements(&fitting, &mut faults),
        PhaseKey::Over => {}
    }
    plotter.doctrines(&fitting, &mut faults);
    faults.0.sort_by_key(|fault| fault.line);
    faults.0
}

/// Whether an order is legal by itself.
pub fn is_legal(data: &Data, view: &View, order: &Order) -> bool {
    check(data, view, &[Line { no: 1, order: order.clone() }]).is_empty()
}

/// Faults as they are found.
struct Faults(Vec<Fault>);

impl Faults {
    fn line(&mut self, no: usize, message: impl Into<String>) {
        self.0.push(Fault { line: Some(no), message: message.into() });
    }

    fn whole(&mut self, message: impl Into<String>) {
        self.0.push(Fault { line: None, message: message.into() });
    }
}

/// The orders of a plot that belong to the open phase.
type Orders<'a> = [&'a Line<Order>];

/// Somebody who plots, with what they see.
#[derive(Clone, Copy)]
struct Plotter<'a> {
    data: &'a Data,
    view: &'a View,
    seat: Seat,
}

impl<'a> Plotter<'a> {
    /// The orders that may stand in this phase at all; the others become faults.
    fn fitting<'p>(self, plot: &'p [Line<Order>], faults: &mut Faults) -> Vec<&'p Line<Order>> {
        let fights = matches!(self.view.phase, PhaseKey::Attack | PhaseKey::Defence | PhaseKey::Damage);
        let mut fitting = Vec::new();
        for line in plot {
            let phase = match line.order {
                Order::Deploy { .. } => PhaseKey::Deploy,
                Order::Attack { .. } => PhaseKey::Attack,
                Order::Defend { .. } => PhaseKey::Defence,
                Order::Damage { .. } => PhaseKey::Damage,
                Order::Move { .. } | Order::Beam { .. } => PhaseKey::Move,
                Order::Doctrine(_) if fights => self.view.phase,
                Order::Doctrine(_) => PhaseKey::Attack,
                Order::Pass if plot.len() == 1 => self.view.phase,
                Order::Pass => {
                    faults.line(line.no, "“pass” cannot go with other orders: remove it or the others.");
                    continue;
                }
            };
            if phase == self.view.phase {
                fitting.push(line);
            } else {
                faults.line(
                    line.no,
                    format!(
                        "“{}” is an order of the {} phase; this is the {} phase.",
                        line.order.verb(),
                        phase.name(),
                        self.view.phase.name()
                    ),
                );
            }
        }
        fitting
    }

    /// A piece in play, or why it is none.
    fn in_play(self, handle: Handle) -> Result<&'a PieceView, String> {
        if let Some(piece) = self.view.piece(handle) {
            return Ok(piece);
        }
        match self.view.removed.iter().find(|removed| removed.handle == handle) {
            Some(removed) => Err(format!("{handle} {} is out of the game.", removed.name)),
            None => Err(format!("There is no piece {handle} in play.")),
        }
    }

    /// An own piece in play, or why it is none.
    fn own(self, handle: Handle) -> Result<&'a PieceView, String> {
        let piece = self.in_play(handle)?;
        if piece.seat == self.seat { Ok(piece) } else { Err(format!("{} is not yours.", piece.title())) }
    }

    /// Where a piece is, for refusals.
    fn where_is(self, piece: &PieceView) -> String {
        let words = self.view.place_words(piece.place);
        if words.starts_with("aboard") { words } else { format!("at {words}") }
    }

    fn deploys(self, orders: &Orders<'_>, faults: &mut Faults) {
        let cp = self.view.side(self.seat).cp;
        let (mut taken, mut cost, mut over) = (BTreeMap::<&str, u32>::new(), 0_i32, None);
        for line in orders {
            let Order::Deploy { what, count, on } = &line.order else { continue };
            if let Err(message) = self.deploy(what, *on) {
                faults.line(line.no, message);
                continue;
            }
            let piece = &self.data.pieces[what];
            let total = taken.entry(what).or_default();
            *total = total.saturating_add(*count);
            let held = self.view.group.iter().find(|entry| entry.type_id == *what).map_or(0, |entry| entry.count);
            if *total > held {
                faults.line(
                    line.no,
                    match held {
                        0 => format!("Your Control Group holds no {}.", piece.name),
                        held => format!("Your Control Group holds only {held} × {}, not {total}.", piece.name),
                    },
                );
            } else if piece.unique && *total > 1 {
                faults.line(line.no, format!("{} is unique: only one of it can be in play.", piece.name));
            }
            let copies = i32::try_from(*count).unwrap_or(i32::MAX);
            cost = cost.saturating_add(piece.cost.saturating_mul(copies));
            if cost > cp && over.is_none() {
                over = Some(line.no);
            }
        }
        if let Some(no) = over {
            faults.line(no, format!("You can't pay this any more: the plot costs {cost} CP and you have {cp} CP."));
        }
    }

    /// Whether one piece of this type could be deployed, money and number aside.
    fn deploy(self, what: &str, on: Option<Handle>) -> Result<(), String> {
        let Some(piece) = self.data.piece(what) else {
            return Err(format!("There is no piece type “{what}”."));
        };
        if piece.kind == Kind::Q {
            return Err("A Q is in play from the start and is never deployed.".to_owned());
        }
        if piece.unique && self.type_in_play(what) {
            return Err(format!("{} is unique and in play already.", piece.name));
        }
        match (&piece.item, on) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(format!(
                "{} is a {}, not an item: it appears at home and is deployed on nothing.",
                piece.name,
                piece.kind.word()
            )),
            (Some(_), None) => Err(format!("{0} is an item and needs a bearer: deploy {what} on A3.", piece.name)),
            (Some(item), Some(bearer)) => {
                let bearer = self.in_play(bearer)?;
                let own = bearer.seat == self.seat;
                let bearer_type = &self.data.pieces[&bearer.type_id];
                let whose = match item.whose {
                    Whose::Own => own,
                    Whose::Enemy => !own,
                    Whose::Any => true,
                };
                if bearer.kind == Kind::Q {
                    Err("A Q holds no items.".to_owned())
                } else if whose && item.suits(bearer_type) {
                    Ok(())
                } else {
                    let place = super::words::bearer_words(item);
                    Err(format!("{} goes {place}; {} is not one of them.", piece.name, bearer.title()))
                }
            }
        }
    }

    fn type_in_play(self, type_id: &str) -> bool {
        self.view
            .pieces
            .iter()
            .any(|piece| piece.type_id == type_id || piece.items.iter().any(|item| item.type_id == type_id))
    }

    fn doctrines(self, orders: &Orders<'_>, faults: &mut Faults) {
        let (mut named, mut whole, mut lists) = (BTreeMap::<Handle, &str>::new(), 0, 0);
        for line in orders {
            let Order::Doctrine(doctrine) = &line.order else { continue };
            let (word, pieces) = match doctrine {
                DoctrineOrder::Spare(pieces) => ("spare", pieces),
                DoctrineOrder::Soak(pieces) => ("soak", pieces),
                DoctrineOrder::Default | DoctrineOrder::Ask => {
                    whole += 1;
                    if whole > 1 || lists > 0 {
                        faults.line(
                            line.no,
                            "“doctrine default” and “doctrine ask” cannot go with other doctrines: a plot has one.",
                        );
                    }
                    continue;
                }
            };
            lists += 1;
            if whole > 0 {
                faults.line(
                    line.no,
                    "“doctrine default” and “doctrine ask” cannot go with other doctrines: a plot has one.",
                );
            }
            for handle in pieces {
                match self.own(*handle) {
                    Err(message) => faults.line(line.no, message),
                    Ok(piece) if piece.kind == Kind::Q => faults.line(line.no, "A Q takes no damage."),
                    Ok(piece) => {
                        if named.insert(*handle, word).is_some_and(|before| before != word) {
                            faults.line(line.no, format!("{} can't be spared and soak damage.", piece.title()));
                        }
                    }
                }
            }
        }
    }
}
