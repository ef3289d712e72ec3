//! Events as sentences for a viewer: `You` for the own seat.

use super::data::Symbol;
use super::event::{Draw, Event};
use super::legal::{count, more};
use crate::rules::{Leaving, Seat};

/// Speaks of seats to a viewer.
#[derive(Clone, Copy)]
pub struct Teller {
    /// To whom; `None` for somebody without a seat.
    pub viewer: Option<Seat>,
}

impl Teller {
    fn is_you(self, seat: Seat) -> bool {
        self.viewer == Some(seat)
    }

    /// The seat at the beginning of a sentence with its verb: `B attacks`, `You attack`.
    pub fn begins(self, seat: Seat, third: &str, second: &str) -> String {
        if self.is_you(seat) { format!("You {second}") } else { format!("{seat} {third}") }
    }

    /// The seat within a sentence with its verb: `B loses`, `you lose`.
    fn does(self, seat: Seat, third: &str, second: &str) -> String {
        if self.is_you(seat) { format!("you {second}") } else { format!("{seat} {third}") }
    }

    /// The seat as an object: `from B`, `from you`.
    pub fn whom(self, seat: Seat) -> String {
        if self.is_you(seat) { "you".to_owned() } else { seat.to_string() }
    }

    /// The seat's, at the beginning of a sentence.
    fn whose(self, seat: Seat) -> String {
        if self.is_you(seat) { "Your".to_owned() } else { format!("{seat}'s") }
    }
}

/// The event in a sentence for this viewer.
pub fn tell(event: &Event, viewer: Option<Seat>) -> String {
    let teller = Teller { viewer };
    match event {
        Event::Dealt { map, countries, armies, plotted } => dealt(map, countries, *armies, *plotted),
        Event::Placed { seat, armies } => {
            let list: Vec<String> = armies.iter().map(|(country, armies)| format!("{armies} on {country}")).collect();
            match list.is_empty() {
                true => format!("{} armies are where they were dealt.", teller.whose(*seat)),
                false => format!("{} other armies: {}.", teller.whose(*seat), listed(&list)),
            }
        }
        Event::TurnBegins { turn, seat, countries, base, continents, total } => {
            turn_begins(teller, *turn, *seat, *countries, *base, continents, *total)
        }
        Event::Exchanged { seat, cards, nth, armies, bonus } => exchanged(teller, *seat, cards, *nth, *armies, bonus),
        Event::Deployed { seat, armies, country, left } => {
            let rest = if *left > 0 { format!("; {left} left to place") } else { String::new() };
            format!("{} {} on {country}{rest}.", teller.begins(*seat, "places", "place"), count(*armies))
        }
        Event::Rolled { .. } => rolled(teller, event),
        Event::Captured { seat, against, to, armies, .. } => format!(
            "{} {to} from {}; {} {} in.",
            teller.begins(*seat, "captures", "capture"),
            teller.whom(*against),
            count(*armies),
            if *armies == 1 { "moves" } else { "move" }
        ),
        Event::Eliminated { seat, loser, had_left, cards } => eliminated(teller, *seat, *loser, *had_left, *cards),
        Event::TookCards { seat, from, cards } => {
            format!("{} from {}: {}.", teller.begins(*seat, "takes", "take"), teller.whom(*from), card_list(cards))
        }
        Event::MustExchange { seat, cards } => format!(
            "{} {cards} cards and must exchange a set before anything else.",
            teller.begins(*seat, "now holds", "now hold")
        ),
        Event::Occupied { seat, armies, from, to } => {
            format!("{} {} from {from} into {to}.", teller.begins(*seat, "moves", "move"), more(*armies))
        }
        Event::TookBackDeployment { seat, armies, country } => {
            format!("{} {} back from {country}.", teller.begins(*seat, "takes", "take"), count(*armies))
        }
        Event::TookBackOccupation { seat, armies, from, to } => {
            format!("{} {} back from {from} to {to}.", teller.begins(*seat, "takes", "take"), count(*armies))
        }
        Event::Fortified { seat, armies, from, to } => {
            format!("{} {} from {from} to {to}.", teller.begins(*seat, "moves", "move"), count(*armies))
        }
        Event::TurnEnded { seat, draw } => turn_ended(teller, *seat, *draw),
        Event::Drew { seat, card, symbol } => {
            format!("{} {card} ({}).", teller.begins(*seat, "draws the card of", "draw the card of"), symbol.name())
        }
        Event::NotDone { seat, order, reason } => {
            let whose = teller.whose(*seat);
            format!("{whose} order “{order}” was not carried out: {}", lower_start(reason))
        }
        Event::Left { seat, how } => match how {
            Leaving::Resigned => format!("{}.", teller.begins(*seat, "resigns", "resign")),
            Leaving::Dropped => format!("{} dropped: the time ran out.", teller.begins(*seat, "is", "are")),
        },
        Event::Over { winner, conquest } => over(teller, *winner, *conquest),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

fn card_list(cards: &[(String, Symbol)]) -> String {
    listed(&cards.iter().map(|(country, symbol)| format!("{country} ({})", symbol.name())).collect::<Vec<_>>())
}

/// A reason after a colon. Names keep their capital; what is not a name begins small.
fn lower_start(reason: &str) -> String {
    const STARTERS: [&str; 12] = [
        "There ",
        "You ",
        "Nothing ",
        "Cards ",
        "Armies ",
        "At ",
        "Name ",
        "An ",
        "The ",
        "These ",
        "Starting ",
        "To ",
    ];
    if STARTERS.iter().any(|start| reason.starts_with(start)) {
        let mut letters = reason.chars();
        return letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default();
    }
    reason.to_owned()
}

fn dealt(map: &str, countries: &[(Seat, usize)], armies: u32, plotted: bool) -> String {
    let order: Vec<String> =
        countries.iter().map(|(seat, countries)| format!("{seat} ({countries} countries)")).collect();
    let how = if plotted { "everybody places the rest in secret" } else { "the dice place the rest" };
    format!(
        "The countries of the map {map} are dealt. The order of play is {}. Each starts with {}. One goes on each \
         country, and {how}.",
        listed(&order),
        count(armies)
    )
}

fn turn_begins(
    teller: Teller,
    turn: u32,
    seat: Seat,
    countries: usize,
    base: u32,
    continents: &[(String, u32)],
    total: u32,
) -> String {
    let mut parts = vec![format!("{base} for {countries} {}", if countries == 1 { "country" } else { "countries" })];
    parts.extend(continents.iter().map(|(name, bonus)| format!("{bonus} for {name}")));
    let gets = teller.begins(seat, "begins and gets", "begin and get");
    format!("Turn {turn}: {gets} {}: {}.", count(total), listed(&parts))
}

fn exchanged(
    teller: Teller,
    seat: Seat,
    cards: &[(String, Symbol)],
    nth: u32,
    armies: u32,
    bonus: &[String],
) -> String {
    let mut text = format!(
        "{} {} for {}; it is exchange number {nth} of the game.",
        teller.begins(seat, "exchanges", "exchange"),
        card_list(cards),
        count(armies)
    );
    if !bonus.is_empty() {
        let each = if bonus.len() == 1 { "" } else { " each" };
        text.push_str(&format!(" 2 more go on {}{each} at once.", listed(bonus)));
    }
    text
}

fn rolled(teller: Teller, event: &Event) -> String {
    let Event::Rolled { seat, against, from, to, attack, defence, attacker_lost, defender_lost, attackers, defenders } =
        event
    else {
        return String::new();
    };
    let dice = |thrown: &[i64]| thrown.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
    let loses = |who: Seat, armies: u32| format!("{} {armies}", teller.does(who, "loses", "lose"));
    let losses = match (attacker_lost, defender_lost) {
        (0, lost) => loses(*against, *lost),
        (lost, 0) => loses(*seat, *lost),
        (mine, theirs) => format!("{}, {}", loses(*seat, *mine), loses(*against, *theirs)),
    };
    format!(
        "{} {to} from {from} with {} against {}: {losses}; {attackers} to {defenders} are left.",
        teller.begins(*seat, "attacks", "attack"),
        dice(attack),
        dice(defence)
    )
}

fn eliminated(teller: Teller, seat: Seat, loser: Seat, had_left: bool, cards: usize) -> String {
    let what = if had_left {
        let last = format!("the last country of {}, who had left,", teller.whom(loser));
        format!("{} {last}", teller.begins(seat, "takes", "take"))
    } else {
        format!("{} {} out of the game", teller.begins(seat, "puts", "put"), teller.whom(loser))
    };
    let takes = if teller.is_you(seat) { "take" } else { "takes" };
    match cards {
        0 => format!("{}; there were no cards to take.", what.trim_end_matches(',')),
        1 => format!("{what} and {takes} 1 card."),
        _ => format!("{what} and {takes} {cards} cards."),
    }
}

fn turn_ended(teller: Teller, seat: Seat, draw: Draw) -> String {
    let ends = teller.begins(seat, "ends the turn", "end the turn");
    let draws = if teller.is_you(seat) { "draw" } else { "draws" };
    match draw {
        Draw::None => format!("{ends} without a capture, so without a card."),
        Draw::Card => format!("{ends} and {draws} a card."),
        Draw::Reshuffled => format!("{ends} and {draws} a card; the exchanged cards were shuffled for it."),
        Draw::Exhausted => format!("{ends}. Players hold all the cards, so there is none to draw."),
    }
}

fn over(teller: Teller, winner: Option<Seat>, conquest: bool) -> String {
    match winner {
        None => "The game is over: nobody is left, so nobody wins.".to_owned(),
        Some(winner) if conquest => {
            format!("The game is over: {} every country and the game.", teller.does(winner, "holds", "hold"))
        }
        Some(winner) => format!("The game is over: {} as the last one in play.", teller.does(winner, "wins", "win")),
    }
}
