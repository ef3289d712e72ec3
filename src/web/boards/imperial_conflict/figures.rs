//! Who has what: the players in order of play, the countries in words, and the viewer's own cards.

use askama::Template;

use super::{DrawFault, Scene, parts};
use crate::games::imperial_conflict::cards::TOO_MANY;
use crate::games::imperial_conflict::data::{Code, Symbol};
use crate::games::imperial_conflict::view::{CountryView, PhaseKey, SideView};
use crate::rules::{Fate, Seat};

#[derive(Template)]
#[template(path = "boards/imperial_conflict/figures.html")]
struct FiguresPart {
    powers: Vec<Power>,
    facts: Vec<(&'static str, String)>,
}

/// One player.
struct Power {
    seat: Seat,
    name: String,
    you: bool,
    /// What this player has to do now; empty for the others.
    due: &'static str,
    out: bool,
    /// What the part in the game has come to; empty while in play.
    fate: &'static str,
    countries: usize,
    armies: u32,
    cards: usize,
    income: u32,
}

/// The players in order of play, and what is known of the cards.
pub(super) fn figures(scene: &Scene) -> Result<String, DrawFault> {
    let view = &scene.view;
    let side = |seat: &Seat| view.sides.iter().find(|side| side.seat == *seat);
    let powers = view.order.iter().filter_map(side).map(|side| power(scene, side)).collect();
    Ok(FiguresPart { powers, facts: facts(scene) }.render()?)
}

fn power(scene: &Scene, side: &SideView) -> Power {
    Power {
        seat: side.seat,
        name: match scene.player(side.seat) {
            "" => format!("Player {}", side.seat),
            name => name.to_owned(),
        },
        you: scene.view.viewer == Some(side.seat),
        due: match scene.view.phase {
            _ if !scene.view.due.contains(&side.seat) => "",
            PhaseKey::Placement => "places armies",
            _ => "to move",
        },
        out: !matches!(side.fate, Fate::Active | Fate::Won),
        fate: match side.fate {
            Fate::Active => "",
            Fate::Won => "won",
            Fate::Lost => "beaten",
            Fate::Drew => "drew",
            Fate::Resigned => "resigned",
            Fate::Dropped => "dropped",
        },
        countries: side.countries,
        armies: side.armies,
        cards: side.cards,
        income: side.income,
    }
}

fn facts(scene: &Scene) -> Vec<(&'static str, String)> {
    let view = &scene.view;
    let next = crate::games::imperial_conflict::cards::worth(view.exchanges + 2);
    let mut facts = Vec::new();
    if let Some(now) = &view.now {
        let left = match now.left {
            0 => "all placed".to_owned(),
            left => format!("{} to place", parts::armies(left)),
        };
        facts.push(("Reinforcements", left));
        let card = if now.captured { "a country was captured: a card at the end" } else { "nothing captured yet" };
        facts.push(("This turn", card.to_owned()));
    } else if view.to_place > 0 {
        facts.push(("Starting armies", format!("{} to place", parts::armies(view.to_place))));
    }
    if view.outcome.is_none() {
        facts.push(("A set is worth", format!("{}, the one after it {next}", parts::armies(view.worth))));
    }
    facts.push(("Deck", format!("{}, {} exchanged", parts::cards(view.deck), view.discard.len())));
    facts
}

#[derive(Template)]
#[template(path = "boards/imperial_conflict/list.html")]
struct ListPart {
    continents: Vec<ListContinent>,
}

struct ListContinent {
    name: String,
    bonus: u32,
    /// Who holds it, or who is nearest to it.
    held: String,
    whole: Option<Seat>,
    countries: Vec<ListCountry>,
}

struct ListCountry {
    code: Code,
    name: String,
    owner: Seat,
    owner_words: String,
    armies: u32,
    subject: bool,
    href: String,
}

/// The map in words: continents with their countries, from which one can act as well.
pub(super) fn list(scene: &Scene) -> Result<String, DrawFault> {
    let view = &scene.view;
    let continents = view.continents.iter().enumerate().map(|(at, continent)| {
        let countries: Vec<&CountryView> = view.countries.iter().filter(|country| country.continent == at).collect();
        ListContinent {
            name: continent.name.clone(),
            bonus: continent.bonus,
            held: held(scene, &countries),
            whole: continent.owner,
            countries: countries.into_iter().map(|country| entry(scene, country)).collect(),
        }
    });
    Ok(ListPart { continents: continents.collect() }.render()?)
}

fn entry(scene: &Scene, country: &CountryView) -> ListCountry {
    ListCountry {
        code: country.code,
        name: country.name.clone(),
        owner: country.owner,
        owner_words: parts::who(scene, country.owner),
        armies: country.armies,
        subject: scene.can_act(country.code),
        href: scene.links.on_map(scene, country.code),
    }
}

/// `held by B`, or who has most of it: `A 4, C 2 of 9`.
fn held(scene: &Scene, countries: &[&CountryView]) -> String {
    let mut counts: Vec<(usize, Seat)> = scene
        .view
        .order
        .iter()
        .map(|seat| (countries.iter().filter(|country| country.owner == *seat).count(), *seat))
        .filter(|(count, _)| *count > 0)
        .collect();
    counts.sort_by_key(|(count, seat)| (std::cmp::Reverse(*count), *seat));
    match counts.as_slice() {
        [(_, only)] => format!("held by {}", parts::who(scene, *only)),
        many => {
            let each: Vec<String> = many.iter().map(|(count, seat)| format!("{seat} {count}")).collect();
            format!("{} of {}", each.join(" · "), countries.len())
        }
    }
}

#[derive(Template)]
#[template(path = "boards/imperial_conflict/cards.html")]
struct CardsPart<'a> {
    cards: Vec<CardArt>,
    worth: u32,
    next: u32,
    must: bool,
    /// Whether nobody exchanges any more, and everybody may know.
    over: bool,
    scene: &'a Scene<'a>,
}

/// A card as it is drawn.
pub(super) struct CardArt {
    pub code: Code,
    pub name: String,
    pub symbol: Symbol,
    pub held: bool,
}

/// The viewer's own cards; empty without a seat.
pub(super) fn cards(scene: &Scene) -> Result<String, DrawFault> {
    let view = &scene.view;
    if view.viewer.is_none() {
        return Ok(String::new());
    }
    let cards: Vec<CardArt> = view.cards.iter().map(|card| art(scene, card.code)).collect();
    Ok(CardsPart {
        worth: view.worth,
        next: crate::games::imperial_conflict::cards::worth(view.exchanges + 2),
        must: cards.len() >= TOO_MANY,
        over: view.outcome.is_some(),
        cards,
        scene,
    }
    .render()?)
}

/// The card of a country, for this viewer.
pub(super) fn art(scene: &Scene, code: Code) -> CardArt {
    let country = scene.country(code);
    let at = scene.map.find(code).expect("the view is one of this map");
    CardArt { code, name: country.name.clone(), symbol: scene.map.symbol(at), held: scene.is_own(country) }
}
