//! What is beside the map: what the player whose turn it is can do next, each order a button of its own, and
//! for everybody what is known of the country chosen.

use askama::Template;

use super::figures::{CardArt, art};
use super::links::leads;
use super::parts::{self, armies};
use super::{DrawFault, Scene, map};
use crate::games::imperial_conflict::data::Code;
use crate::games::imperial_conflict::odds::Table;
use crate::games::imperial_conflict::view::{CountryView, PhaseKey};
use crate::rules::Seat;

mod fight;

pub(super) use fight::Fight;

/// Everything in the panel.
pub(super) struct Panel {
    /// What is to be done now, in a sentence; empty for those who owe nothing.
    hint: String,
    occupy: Option<Amount>,
    sets: Vec<SetPart>,
    must_exchange: bool,
    focus: Option<Focus>,
    undo: Option<String>,
    end: Option<String>,
}

/// A number of armies to order something with.
pub(super) struct Amount {
    pub heading: String,
    pub words: String,
    /// The order with `{n}` for the number.
    pub order: String,
    pub most: u32,
    /// Numbers on buttons of their own: all, half, one.
    pub quick: Vec<(String, String)>,
    /// What the button beside the typed number says.
    pub verb: &'static str,
    /// What is chosen afterwards.
    pub next: Option<Code>,
}

impl Amount {
    fn new(heading: String, words: String, order: &str, most: u32) -> Amount {
        let mut quick = vec![(if most == 1 { "1 army".to_owned() } else { format!("All {most}") }, most)];
        if most >= 4 {
            quick.push((format!("Half: {}", most / 2), most / 2));
        }
        if most >= 2 {
            quick.push(("1".to_owned(), 1));
        }
        let quick = quick.into_iter().map(|(label, n)| (label, order.replace("{n}", &n.to_string()))).collect();
        Amount { heading, words, order: order.to_owned(), most, quick, verb: "Place", next: None }
    }
}

/// A set of cards that can be exchanged.
struct SetPart {
    cards: Vec<CardArt>,
    order: String,
    /// Where armies stand at once, apart from those to place.
    extra: String,
}

/// The chosen country, with the one chosen after it where an order can lead there.
struct Focus {
    code: Code,
    name: String,
    owner: Seat,
    words: String,
    place: Option<Amount>,
    fight: Option<Fight>,
    fortify: Option<Amount>,
    /// Heading of the list of ways, and the ways.
    ways: Vec<(&'static str, Vec<Way>)>,
    note: Option<String>,
}

/// An order's way to or from a neighbour.
struct Way {
    href: String,
    /// The country a click leads to.
    code: Code,
    name: String,
    owner: Seat,
    armies: u32,
    /// Odds of taking it; empty for an own country.
    odds: String,
}

#[derive(Template)]
#[template(path = "boards/imperial_conflict/panel.html")]
struct PanelPart<'a> {
    panel: &'a Panel,
    scene: &'a Scene<'a>,
    form: &'a str,
    worth: u32,
    marks: &'a str,
    targets: String,
}

impl Panel {
    /// Works out what can be done and shown.
    pub fn new(scene: &Scene) -> Panel {
        let now = scene.view.now.as_ref().filter(|_| scene.acts());
        // Right after a capture the two countries are chosen still, but moving in comes first.
        let occupied = now
            .and_then(|now| now.occupy.as_ref())
            .filter(|way| scene.selected == Some(way.from) && scene.aimed == Some(way.to));
        let focus = if occupied.is_some() { None } else { scene.selected.map(|code| focus(scene, code)) };
        let must_exchange = scene.view.phase == PhaseKey::Exchange && scene.acts();
        Panel {
            hint: hint(scene),
            occupy: occupy(scene),
            sets: sets(scene),
            must_exchange,
            focus,
            undo: scene.slot("undo").filter(|_| scene.acts()).and(now).and_then(|now| now.undo.clone()),
            end: scene.slot("end").and(now).map(|now| {
                match now.captured {
                    true => "You captured a country, so you draw a card.",
                    false => "You captured nothing this turn, so you draw no card.",
                }
                .to_owned()
            }),
        }
    }

    /// The panel as HTML.
    pub fn render(&self, scene: &Scene) -> Result<String, DrawFault> {
        let marks = self.marks(scene)?;
        let targets: Vec<&str> = self.targets().map(|way| way.code.as_str()).collect();
        Ok(PanelPart {
            panel: self,
            scene,
            form: scene.form.unwrap_or_default(),
            worth: scene.view.worth,
            marks: &marks,
            targets: targets.join(" "),
        }
        .render()?)
    }

    fn targets(&self) -> impl Iterator<Item = &Way> {
        self.focus
            .iter()
            .flat_map(|focus| focus.ways.iter().filter(|(heading, _)| *heading != FROM))
            .flat_map(|(_, ways)| ways)
    }

    /// What is drawn over the map for what is chosen: outlines, the odds at each target, and an arrow.
    pub fn marks(&self, scene: &Scene) -> Result<String, DrawFault> {
        let place =
            |code: Code| scene.map.find(code).map(|at| map::middle(&scene.map.countries[at])).unwrap_or_default();
        let mut marks = MarksPart { chosen: Vec::new(), possible: Vec::new(), odds: Vec::new(), arrow: None };
        let Some(focus) = &self.focus else {
            marks.chosen.extend(self.occupy.iter().filter_map(|amount| amount.next));
            return Ok(marks.render()?);
        };
        marks.chosen.push(focus.code);
        if let Some(fight) = &focus.fight {
            marks.possible.push(fight.to);
            marks.arrow = arrow(scene, fight.from, fight.to, place);
        }
        for way in self.targets().filter(|_| focus.fight.is_none() && focus.fortify.is_none()) {
            marks.possible.push(way.code);
            if !way.odds.is_empty() {
                let (x, y) = place(way.code);
                marks.odds.push((x, y - 30, way.odds.clone()));
            }
        }
        Ok(marks.render()?)
    }
}

#[derive(Template)]
#[template(path = "boards/imperial_conflict/marks.html")]
struct MarksPart {
    chosen: Vec<Code>,
    possible: Vec<Code>,
    odds: Vec<(i64, i64, String)>,
    arrow: Option<String>,
}

/// An arrow between two badges; none where the way leaves the map on one side and comes back on the other.
fn arrow(scene: &Scene, from: Code, to: Code, place: impl Fn(Code) -> (i64, i64)) -> Option<String> {
    let ends = |code: Code| scene.map.find(code);
    let (one, other) = (ends(from)?, ends(to)?);
    let split = scene
        .map
        .links
        .iter()
        .any(|link| link.paths.len() > 1 && [(one, other), (other, one)].contains(&(link.from, link.to)));
    let ((x, y), (to_x, to_y)) = (place(from), place(to));
    (!split).then(|| format!("M{x} {y}L{to_x} {to_y}"))
}

fn hint(scene: &Scene) -> String {
    let Some(now) = scene.view.now.as_ref().filter(|_| scene.acts()) else { return String::new() };
    match scene.view.phase {
        PhaseKey::Exchange => "Exchange a set of cards before anything else.".to_owned(),
        PhaseKey::Deploy => format!("Place {}: choose one of your countries.", armies(now.left)),
        _ => "Attack: choose one of your countries, then a neighbour. Or move armies once and end the turn.".to_owned(),
    }
}

fn occupy(scene: &Scene) -> Option<Amount> {
    scene.slot("occupy").filter(|_| scene.acts())?;
    let way = scene.view.now.as_ref()?.occupy.as_ref()?;
    let (from, to) = (scene.country(way.from), scene.country(way.to));
    let words = format!(
        "{} now has {}, {} has {}. You may move more in now, before any other order.",
        to.name,
        armies(to.armies),
        from.name,
        armies(from.armies)
    );
    let mut amount = Amount::new(format!("Move into {}", to.name), words, "occupy {n}", way.most);
    amount.verb = "Move in";
    amount.next = Some(way.to);
    Some(amount)
}

fn sets(scene: &Scene) -> Vec<SetPart> {
    let Some(slot) = scene.slot("exchange").filter(|_| scene.acts()) else { return Vec::new() };
    let mut sets: Vec<SetPart> = slot
        .offers
        .iter()
        .map(|offer| {
            let codes = offer.order.split_whitespace().skip(1).filter_map(|word| word.parse::<Code>().ok());
            let cards: Vec<CardArt> = codes.map(|code| art(scene, code)).collect();
            let held: Vec<&str> = cards.iter().filter(|card| card.held).map(|card| card.name.as_str()).collect();
            let extra = if held.is_empty() { String::new() } else { format!("and 2 on {}", held.join(", 2 on ")) };
            SetPart { order: offer.order.clone(), extra, cards }
        })
        .collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.cards.iter().filter(|card| card.held).count()));
    sets
}

const ATTACK: &str = "Attack from here";
const MOVE: &str = "Move armies, which ends the turn";
const FROM: &str = "Attack it from";

fn focus(scene: &Scene, code: Code) -> Focus {
    let country = scene.country(code);
    let mut focus = Focus {
        code,
        name: country.name.clone(),
        owner: country.owner,
        words: words(scene, country),
        place: None,
        fight: None,
        fortify: None,
        ways: Vec::new(),
        note: None,
    };
    if !scene.acts() {
        return focus;
    }
    let aimed = scene.aimed.filter(|aimed| scene.neighbours(country).any(|near| near.code == *aimed));
    if let Some(target) = aimed.map(|aimed| scene.country(aimed)).filter(|_| scene.is_own(country)) {
        if scene.is_own(target) {
            focus.fortify = fortify(scene, country, target);
        } else if country.armies > 1 {
            focus.fight = Some(Fight::new(scene, country, target));
        }
        if focus.fortify.is_some() || focus.fight.is_some() {
            return focus;
        }
    }
    if scene.is_own(country) {
        own(scene, country, &mut focus);
    } else {
        theirs(scene, country, &mut focus);
    }
    focus
}

fn words(scene: &Scene, country: &CountryView) -> String {
    let continent = &scene.view.continents[country.continent];
    format!(
        "{} of {}. {}, worth {} to the player who holds all of it.",
        armies(country.armies),
        parts::who(scene, country.owner),
        continent.name,
        continent.bonus
    )
}

/// What can be done from an own country.
fn own(scene: &Scene, country: &CountryView, focus: &mut Focus) {
    let left = scene.view.now.as_ref().map_or(0, |now| now.left);
    if left > 0 && scene.slot(&format!("deploy-{}", country.code)).is_some() {
        let words = format!("{} to place.", armies(left));
        let mut amount =
            Amount::new(format!("Place on {}", country.name), words, &format!("deploy {{n}} {}", country.code), left);
        amount.next = Some(country.code);
        focus.place = Some(amount);
        return;
    }
    let able = |own: bool| scene.neighbours(country).filter(move |near| scene.is_own(near) == own);
    let reach = |near: &&CountryView| leads(scene, country.code, near.code);
    let table = Table::up_to(country.armies - 1, able(false).map(|near| near.armies).max().unwrap_or(0));
    let way = |near: &CountryView| Way {
        href: scene.links.pair(country.code, near.code),
        code: near.code,
        name: near.name.clone(),
        owner: near.owner,
        armies: near.armies,
        odds: if scene.is_own(near) { String::new() } else { odds(&table, country, near) },
    };
    let mut attacks: Vec<Way> = able(false).filter(reach).map(way).collect();
    attacks.sort_by_key(|way| way.armies);
    let moves: Vec<Way> = able(true).filter(reach).map(way).collect();
    if attacks.is_empty() && moves.is_empty() && scene.view.phase != PhaseKey::Exchange {
        let alone = "One army must stay, so nothing can leave this country.";
        focus.note = Some(if country.armies == 1 { alone } else { "You can do nothing from here now." }.to_owned());
    }
    focus.ways.extend([(ATTACK, attacks), (MOVE, moves)].into_iter().filter(|(_, ways)| !ways.is_empty()));
}

/// From where a country of somebody else can be attacked.
fn theirs(scene: &Scene, country: &CountryView, focus: &mut Focus) {
    let from = scene.neighbours(country).filter(|near| scene.is_own(near) && near.armies > 1);
    let mut ways: Vec<Way> = from
        .map(|near| Way {
            href: scene.links.pair(near.code, country.code),
            code: near.code,
            name: near.name.clone(),
            owner: near.owner,
            armies: near.armies,
            odds: odds(&Table::up_to(near.armies - 1, country.armies), near, country),
        })
        .collect();
    ways.sort_by_key(|way| std::cmp::Reverse(way.armies));
    if ways.is_empty() {
        focus.note = Some("None of your neighbouring countries has an army to attack with.".to_owned());
    } else {
        focus.ways.push((FROM, ways));
    }
}

/// The odds in words; a word where they are beyond what is worked out.
fn odds(table: &Table, from: &CountryView, to: &CountryView) -> String {
    table.odds(from.armies - 1, to.armies).map_or_else(|| "not worked out".to_owned(), |odds| odds.words())
}

fn fortify(scene: &Scene, from: &CountryView, to: &CountryView) -> Option<Amount> {
    if !leads(scene, from.code, to.code) {
        return None;
    }
    let card = scene.view.now.as_ref().is_some_and(|now| now.captured);
    let words = format!(
        "{} has {}, {} has {}. The move ends your turn{}.",
        from.name,
        armies(from.armies),
        to.name,
        armies(to.armies),
        if card { "; you draw a card" } else { " without a card" }
    );
    let order = format!("fortify {{n}} {} {}", from.code, to.code);
    let mut amount = Amount::new(format!("{} to {}", from.name, to.name), words, &order, from.armies - 1);
    amount.verb = "Move and end the turn";
    Some(amount)
}
