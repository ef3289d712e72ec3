//! What happened over several turns, condensed: a line a turn, and one for everything that changes who plays.

use super::event::{Draw, Event};
use super::legal::count;
use super::tell::{Teller, listed, tell};
use crate::rules::Seat;

/// What one turn came to.
struct TurnSum {
    turn: u32,
    seat: Seat,
    placed: u32,
    exchanges: Vec<u32>,
    /// Captures by loser, in order of the first.
    captured: Vec<(Seat, Vec<String>)>,
    /// Attacks that took nothing.
    attacked: Vec<String>,
    lost: u32,
    destroyed: u32,
    fortified: Option<String>,
    card: bool,
}

/// The events condensed for this viewer.
pub fn digest(events: &[Event], viewer: Option<Seat>) -> Vec<String> {
    let teller = Teller { viewer };
    let mut lines = Vec::new();
    let mut open: Option<TurnSum> = None;
    for event in events {
        match event {
            Event::TurnBegins { turn, seat, .. } => {
                close(&mut lines, &mut open, teller);
                open = Some(TurnSum::new(*turn, *seat));
            }
            // Whatever changes who plays is told in full, after the turn so far.
            Event::Eliminated { .. } | Event::Left { .. } | Event::Over { .. } => {
                let rest = open.as_ref().map(|sum| TurnSum::new(sum.turn, sum.seat));
                close(&mut lines, &mut open, teller);
                open = rest;
                lines.push(tell(event, viewer));
            }
            Event::Dealt { .. } | Event::TookCards { .. } | Event::Drew { .. } | Event::NotDone { .. } => {
                lines.push(tell(event, viewer));
            }
            _ => {
                let sum = open.get_or_insert_with(|| TurnSum::new(0, seat_of(event)));
                sum.add(event);
            }
        }
    }
    close(&mut lines, &mut open, teller);
    lines
}

fn close(lines: &mut Vec<String>, open: &mut Option<TurnSum>, teller: Teller) {
    if let Some(line) = open.take().and_then(|sum| sum.line(teller)) {
        lines.push(line);
    }
}

/// Whose doing an event of a turn is.
fn seat_of(event: &Event) -> Seat {
    match event {
        Event::Exchanged { seat, .. }
        | Event::Placed { seat, .. }
        | Event::Deployed { seat, .. }
        | Event::Rolled { seat, .. }
        | Event::Captured { seat, .. }
        | Event::Occupied { seat, .. }
        | Event::MustExchange { seat, .. }
        | Event::TookBackDeployment { seat, .. }
        | Event::TookBackOccupation { seat, .. }
        | Event::Fortified { seat, .. }
        | Event::TurnEnded { seat, .. } => *seat,
        _ => Seat::A,
    }
}

impl TurnSum {
    fn new(turn: u32, seat: Seat) -> TurnSum {
        TurnSum {
            turn,
            seat,
            placed: 0,
            exchanges: Vec::new(),
            captured: Vec::new(),
            attacked: Vec::new(),
            lost: 0,
            destroyed: 0,
            fortified: None,
            card: false,
        }
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::Exchanged { armies, .. } => self.exchanges.push(*armies),
            Event::Deployed { armies, .. } => self.placed += armies,
            Event::TookBackDeployment { armies, .. } => self.placed = self.placed.saturating_sub(*armies),
            Event::Rolled { to, attacker_lost, defender_lost, .. } => {
                self.lost += attacker_lost;
                self.destroyed += defender_lost;
                if !self.attacked.contains(to) {
                    self.attacked.push(to.clone());
                }
            }
            Event::Captured { against, to, .. } => {
                self.attacked.retain(|country| country != to);
                match self.captured.iter_mut().find(|(loser, _)| loser == against) {
                    Some((_, countries)) => countries.push(to.clone()),
                    None => self.captured.push((*against, vec![to.clone()])),
                }
            }
            Event::Fortified { armies, from, to, .. } => {
                self.fortified = Some(format!("{} from {from} to {to}", count(*armies)));
            }
            Event::TurnEnded { draw, .. } => self.card = matches!(draw, Draw::Card | Draw::Reshuffled),
            _ => {}
        }
    }

    /// The turn in one line; `None` when nothing happened in it yet.
    fn line(&self, teller: Teller) -> Option<String> {
        let mut parts = Vec::new();
        for armies in &self.exchanges {
            parts.push(format!("exchanged cards for {}", count(*armies)));
        }
        if self.placed > 0 {
            parts.push(format!("placed {}", count(self.placed)));
        }
        for (loser, countries) in &self.captured {
            parts.push(format!("took {} from {}", listed(countries), teller.whom(*loser)));
        }
        if !self.attacked.is_empty() {
            parts.push(format!("attacked {} in vain", listed(&self.attacked)));
        }
        if self.lost + self.destroyed > 0 {
            parts.push(format!("lost {} and destroyed {}", count(self.lost), self.destroyed));
        }
        if let Some(fortified) = &self.fortified {
            parts.push(format!("moved {fortified}"));
        }
        if self.card {
            parts.push("drew a card".to_owned());
        }
        let who = if self.turn > 0 { format!("Turn {}: ", self.turn) } else { String::new() };
        (!parts.is_empty()).then(|| format!("{who}{}.", teller.begins(self.seat, &listed(&parts), &listed(&parts))))
    }
}
