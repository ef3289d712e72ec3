//! Orders for a war that is to end soon: one side conquers with all it has, the other keeps quiet.

use stardate::games::imperial_conflict::view::{CountryView, PhaseKey, View};
use stardate::rules::Seat;
use stardate::tables::Turn;

/// How a side plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Attacks wherever it is stronger, many orders at once.
    Conquer,
    /// Places its armies and ends its turn.
    KeepQuiet,
}

/// What a side of this manner hands in now.
pub fn orders(turn: &Turn, manner: Manner) -> String {
    let view: View = serde_json::from_str(&turn.sight.view).unwrap();
    let now = view.now.as_ref().expect("a turn runs");
    if view.phase == PhaseKey::Exchange {
        let mut offers = turn.sight.slots.iter().flat_map(|slot| &slot.offers);
        return offers.find(|offer| offer.order.starts_with("exchange")).expect("a set is offered").order.clone();
    }
    let field = Field { view: &view, me: now.seat };
    if manner == Manner::KeepQuiet {
        let place = field.own().next().expect("a side that plays has a country").code;
        return if now.left > 0 { format!("deploy {} {place}\nend", now.left) } else { "end".to_owned() };
    }
    let mut lines = Vec::new();
    // Armies by country, as they stand after the orders so far.
    let mut strongest = field.strongest();
    if let Some(way) = &now.occupy {
        lines.push(format!("occupy {}", way.most));
        strongest = view.country(way.to).filter(|to| way.most > 2 && field.hostile(to).next().is_some());
    } else if now.left > 0 {
        let front = strongest.expect("the war goes on");
        lines.push(format!("deploy {} {}", now.left, front.code));
    } else {
        strongest = strongest.filter(|front| front.armies > 3);
    }
    match strongest {
        Some(front) => {
            let mut targets: Vec<_> = field.hostile(front).collect();
            targets.sort_by_key(|target| target.armies);
            // One capture a text: what moves in is decided when the dice are seen.
            lines.push(format!("attack {} {} until 2", front.code, targets[0].code));
        }
        None => lines.push("end".to_owned()),
    }
    lines.join("\n")
}

struct Field<'v> {
    view: &'v View,
    me: Seat,
}

impl<'v> Field<'v> {
    fn own(&self) -> impl Iterator<Item = &'v CountryView> {
        let me = self.me;
        self.view.countries.iter().filter(move |country| country.owner == me)
    }

    fn hostile(&self, country: &'v CountryView) -> impl Iterator<Item = &'v CountryView> {
        let (view, me) = (self.view, self.me);
        country.neighbours.iter().map(|at| &view.countries[*at]).filter(move |country| country.owner != me)
    }

    /// The own country with most armies of those that can attack.
    fn strongest(&self) -> Option<&'v CountryView> {
        self.own().filter(|country| self.hostile(country).next().is_some()).max_by_key(|country| country.armies)
    }
}
