//! Events as sentences. Each says what happened and why, for a viewer: `You` for the own side.

use super::event::{AssignedBy, Event, FightTurn, Named, NotBeamed, NotDeployed, NotMoved, PieceEvent};
use super::state::{Initiative, Outcome, other};
use super::words::{doctrine_words, listed};
use crate::rules::{Leaving, Seat};

/// The event in a sentence for this viewer.
pub fn tell(event: &Event, viewer: Option<Seat>) -> String {
    let teller = Teller { viewer };
    match event {
        Event::TurnBegins { turn } => format!("Turn {turn} begins."),
        Event::PhaseBegins { phase, turn } => format!("{} phase of turn {turn}.", phase.name()),
        Event::PhasePasses { phase } => {
            format!("Nobody has anything to order in the {} phase: it passes.", phase.name())
        }
        Event::Income { seat, planets, q, pieces, cp } => teller.income(*seat, [*planets, *q, *pieces], *cp),
        Event::Cheq { seat, planet } => format!(
            "{} Q is in Cheq: it is on {}, which {}.",
            teller.whose(*seat, true),
            planet.name,
            teller.does(*seat, "does not control", "do not control")
        ),
        Event::Initiative { phase, initiative } => {
            format!("In the {} phase {}.", phase.name(), teller.initiative(initiative))
        }
        Event::Deployed { seat, name, handle, place, cost, cp } => {
            let what = handle.map_or_else(|| name.clone(), |handle| format!("{handle} {name}"));
            let preposition = if handle.is_some() { "at" } else { "on" };
            format!(
                "{} {what} {preposition} {} for {cost} CP; {cp} CP left.",
                teller.begins(*seat, "deploys", "deploy"),
                place.name
            )
        }
        Event::NotDeployed { seat, name, why } => teller.not_deployed(*seat, name, why),
        Event::LeftOut { seat, order, why } => {
            format!("{} order “{order}” was left out: {why}", teller.whose(*seat, true))
        }
        Event::DoctrineSet { seat, doctrine, pieces } => {
            let title = |handle| {
                let found = pieces.iter().find(|piece| piece.handle == handle);
                found.map_or_else(|| handle.to_string(), title)
            };
            format!("{} doctrine for damage is now: {}.", teller.whose(*seat, true), doctrine_words(doctrine, title))
        }
        Event::Left { seat, how } => match how {
            Leaving::Resigned => format!("{}.", teller.begins(*seat, "resigns", "resign")),
            Leaving::Dropped => {
                format!("{} dropped: the time ran out.", teller.begins(*seat, "is", "are"))
            }
        },
        Event::Over { outcome, last_turn, .. } => outcome_words(outcome, viewer, *last_turn),
        Event::Control { planet, seat, before } => teller.control(&planet.name, *seat, *before),
        Event::Cheqmate { seat, planet } => format!(
            "{} Q is Cheqmated: it was in Cheq when the turn began and is on {}, which {}.",
            teller.whose(*seat, true),
            planet.name,
            teller.does(*seat, "does not control", "do not control")
        ),
        Event::Reckoning { planets, cp } => format!(
            "The last turn is over. A controls {} with {} CP, B {} with {} CP.",
            planets_words(planets.0),
            cp.0,
            planets_words(planets.1),
            cp.1
        ),
        Event::Piece(event) => teller.piece_event(event),
    }
}

fn planets_words(count: usize) -> String {
    if count == 1 { "1 planet".to_owned() } else { format!("{count} planets") }
}

/// How the game ended, in a sentence for this viewer.
pub fn outcome_words(outcome: &Outcome, viewer: Option<Seat>, last_turn: u32) -> String {
    let teller = Teller { viewer };
    let wins = |seat: Seat| teller.begins(seat, "wins", "win");
    match outcome {
        Outcome::Cheqmate(seat) => format!("{}: {} Q is Cheqmated.", wins(*seat), teller.whose(other(*seat), false)),
        Outcome::Planets(seat) => format!("{} with the most planets after turn {last_turn}.", wins(*seat)),
        Outcome::ControlPoints(seat) => {
            format!("{} after turn {last_turn}, with as many planets and more Control Points.", wins(*seat))
        }
        Outcome::TieCheqmate => "The game is a tie: both Qs are Cheqmated.".to_owned(),
        Outcome::Tie => {
            format!("The game is a tie: after turn {last_turn} both sides have as many planets and Control Points.")
        }
        Outcome::Resigned(seat) => {
            format!("{}: {}.", wins(other(*seat)), teller.does(*seat, "has resigned", "have resigned"))
        }
        Outcome::Dropped(seat) => {
            format!("{}: {} out of time.", wins(other(*seat)), teller.does(*seat, "ran", "ran"))
        }
        Outcome::BothLeft => "The game is over: both players have left, so nobody wins.".to_owned(),
    }
}

/// A piece in a sentence: `A3 Klingon Lieutenant`.
fn title(piece: &Named) -> String {
    format!("{} {}", piece.handle, piece.name)
}

fn titles(pieces: &[Named]) -> String {
    listed(&pieces.iter().map(title).collect::<Vec<_>>())
}

fn many(pieces: &[Named], one: &'static str, more: &'static str) -> &'static str {
    if pieces.len() == 1 { one } else { more }
}

struct Teller {
    viewer: Option<Seat>,
}

impl Teller {
    fn mine(&self, seat: Seat) -> bool {
        self.viewer == Some(seat)
    }

    /// A side with what it does, at the beginning of a sentence.
    fn begins(&self, seat: Seat, he: &str, you: &str) -> String {
        if self.mine(seat) { format!("You {you}") } else { format!("{seat} {he}") }
    }

    /// A side with what it does, within a sentence.
    fn does(&self, seat: Seat, he: &str, you: &str) -> String {
        if self.mine(seat) { format!("you {you}") } else { format!("{seat} {he}") }
    }

    fn whose(&self, seat: Seat, begins: bool) -> String {
        match (self.mine(seat), begins) {
            (true, true) => "Your".to_owned(),
            (true, false) => "your".to_owned(),
            (false, _) => format!("{seat}'s"),
        }
    }

    /// `B has initiative with 9 CP to 7`.
    fn initiative(&self, initiative: &Initiative) -> String {
        let first = self.does(initiative.first, "has initiative", "have initiative");
        let (a, b) = initiative.cp;
        if initiative.by_dice {
            format!("{first} by the dice, both with {a} CP")
        } else {
            format!("{first} with {} CP to {}", a.max(b), a.min(b))
        }
    }

    fn income(&self, seat: Seat, [planets, q, pieces]: [i32; 3], cp: i32) -> String {
        let mut parts = vec![format!("{planets} from planets"), format!("{q} from Q")];
        if pieces != 0 {
            parts.push(format!("{pieces} from pieces"));
        }
        let total = planets + q + pieces;
        format!(
            "{} {total} CP ({}) and now {} {cp} CP.",
            self.begins(seat, "receives", "receive"),
            parts.join(", "),
            if self.mine(seat) { "have" } else { "has" }
        )
    }

    fn not_deployed(&self, seat: Seat, name: &str, why: &NotDeployed) -> String {
        let why = match why {
            NotDeployed::Unique => "it is unique and already in play".to_owned(),
            NotDeployed::BearerGone(bearer) => format!("{bearer} is out of the game"),
            NotDeployed::Unpaid => "there are not enough pieces or Control Points left".to_owned(),
        };
        format!("{} {name} is not deployed: {why}. It costs nothing.", self.whose(seat, true))
    }

    fn control(&self, planet: &str, seat: Seat, before: Option<Seat>) -> String {
        let takes = self.begins(seat, "takes", "take");
        match before {
            Some(loser) if self.mine(loser) => {
                format!("{takes} control of {planet} from you, with the only people there.")
            }
            Some(loser) => format!("{takes} control of {planet} from {loser}, with the only people there."),
            None => format!("{takes} control of {planet}, with the only people there."),
        }
    }

    /// Events about pieces; they sound the same to everybody but for initiative.
    fn piece_event(&self, event: &PieceEvent) -> String {
        match event {
            PieceEvent::Attack { attackers, target, place, priority, lost_priority } => {
                attack(attackers, target, &place.name, *priority, lost_priority)
            }
            PieceEvent::Defends { who, target, attackers, free } => format!(
                "{} defends {} against {}{}.",
                title(who),
                if who.handle == target.handle { "itself".to_owned() } else { title(target) },
                titles(attackers),
                if *free { ", without spending an action" } else { "" }
            ),
            PieceEvent::Fight { target, attackers, turn } => self.fight(target, attackers, turn),
            PieceEvent::Void { target, attackers, target_gone } => {
                let why = if *target_gone { "the target is out of the game" } else { "no attacker is left" };
                format!("The attack of {} on {} is void: {why}.", titles(attackers), title(target))
            }
            PieceEvent::Fires { from, at, back, amount, low, high } => {
                let verb = if *back { "fires back at" } else { "fires at" };
                let range = if low == high { format!("always {low}") } else { format!("out of {low} to {high}") };
                format!("{} {verb} {}: {amount} damage ({range}).", title(from), titles(at))
            }
            PieceEvent::Damaged { who, amount, takes, from, left, by } => {
                damaged(who, *amount, *takes, from, *left, *by)
            }
            PieceEvent::Lapsed { amount, from } => {
                format!("The {amount} damage of {} lapses: every piece it could go to is at zero.", title(from))
            }
            PieceEvent::Removed { who, items, with } => removed(who, items, with.as_ref()),
            PieceEvent::QDrops { who, planet } => {
                format!("{} loses its ship and drops to {}.", title(who), planet.name)
            }
            PieceEvent::Beamed { ship, who, from, to } => format!(
                "{} beams {} from {} to {}.",
                title(ship),
                titles(who),
                if from.id == ship.handle.to_string() { "aboard" } else { &from.name },
                if to.id == ship.handle.to_string() { "aboard".to_owned() } else { to.name.clone() }
            ),
            PieceEvent::NotBeamed { ship, who, why } => not_beamed(ship, who, why),
            PieceEvent::Moved { ship, from, to } => format!("{} moves from {} to {}.", title(ship), from.name, to.name),
            PieceEvent::NotMoved { ship, to, why } => {
                let why = match why {
                    NotMoved::Blockade { by, region } => format!("{} blockades {}", title(by), region.name),
                    NotMoved::Reach => "it can no longer move that far".to_owned(),
                };
                format!("{} does not move to {}: {why}. Its action is spent.", title(ship), to.name)
            }
            PieceEvent::Mended { who, amount, by, left } => {
                format!("{} gets {amount} back from {}; {left} left.", title(who), titles(by))
            }
        }
    }

    fn fight(&self, target: &Named, attackers: &[Named], turn: &FightTurn) -> String {
        let order = if turn.first { "is attacked first" } else { "is attacked next" };
        let mut reasons = Vec::new();
        if turn.priority {
            reasons.push(
                many(attackers, "the attacker has attack priority", "all attackers have attack priority").to_owned(),
            );
        }
        if let Some(initiative) = &turn.initiative {
            let first = self.initiative(initiative);
            let second = attackers.iter().find(|attacker| attacker.handle.seat != initiative.first);
            reasons.push(match second {
                Some(attacker) => format!("{} second, because {first}", self.does(attacker.handle.seat, "goes", "go")),
                None => first,
            });
        }
        let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", and ")) };
        format!("{} {order} by {}{why}.", title(target), titles(attackers))
    }
}

fn attack(attackers: &[Named], target: &Named, place: &str, priority: bool, lost: &[Named]) -> String {
    let attack = format!(
        "{} {} {} at {place}{}.",
        titles(attackers),
        many(attackers, "attacks", "attack"),
        title(target),
        if priority { ", with priority" } else { "" }
    );
    if lost.is_empty() {
        return attack;
    }
    format!("{attack} The group has no priority, because {} alone {} it.", titles(lost), many(lost, "has", "have"))
}

fn damaged(who: &Named, amount: i32, takes: i32, from: &Named, left: i32, by: AssignedBy) -> String {
    let takes = if takes == amount {
        format!("{} takes the {amount} of {}", title(who), title(from))
    } else {
        format!("{} takes {takes} of the {amount} of {}", title(who), title(from))
    };
    let by = match by {
        AssignedBy::Rules => "",
        AssignedBy::Player => ", as assigned",
        AssignedBy::Doctrine => ", by doctrine",
    };
    format!("{takes}{by}; {} left.", left.max(0))
}

fn removed(who: &Named, items: &[String], with: Option<&Named>) -> String {
    let goods = if items.is_empty() { String::new() } else { format!(", with {}", listed(items)) };
    match with {
        Some(ship) => format!("{} is lost aboard {}{goods}.", title(who), title(ship)),
        None => format!("{} is removed from the game{goods}.", title(who)),
    }
}

fn not_beamed(ship: &Named, who: &[Named], why: &NotBeamed) -> String {
    let why = match why {
        NotBeamed::Jammed(by) => format!("{} jams the beam", title(by)),
        NotBeamed::NoRoom(ship) => format!("{} has no room left", title(ship)),
        NotBeamed::Gone => "an end of the beam is out of the game".to_owned(),
    };
    format!("{} does not beam {}: {why}. Its action is spent.", title(ship), titles(who))
}
