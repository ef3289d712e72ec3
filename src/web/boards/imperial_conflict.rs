//! The board of Imperial Conflict: a map drawn from its outlines, countries in the colour and pattern of whoever
//! holds them, and beside it everything the player whose turn it is can do, one click an order.

mod catalogue;
mod figures;
mod happened;
mod links;
mod map;
mod panel;
mod parts;

use askama::Template;

use self::links::Links;
use self::map::MapArt;
use super::{Board, DrawFault, Drawing, Sitting};
use crate::games::imperial_conflict::Event;
use crate::games::imperial_conflict::data::{Code, Data, GameMap};
use crate::games::imperial_conflict::view::{CountryView, View};
use crate::rules::{ReportEntry, Seat, Slot};

/// Draws Imperial Conflict.
pub struct ImperialBoard;

const GAME: &str = "imperial-conflict";
const SYMBOLS: &str = include_str!("../../../templates/boards/imperial_conflict/symbols.html");
const LEGEND: &str = include_str!("../../../templates/boards/imperial_conflict/legend.html");

/// What the parts of the drawing are made from.
struct Scene<'a> {
    view: View,
    data: &'a Data,
    map: &'a GameMap,
    players: &'a [String],
    slots: &'a [Slot],
    events: Vec<Event>,
    /// What the address chooses, as far as it is on the map.
    selected: Option<Code>,
    aimed: Option<Code>,
    form: Option<&'a str>,
    links: Links<'a>,
}

impl Scene<'_> {
    fn country(&self, code: Code) -> &CountryView {
        self.view.country(code).expect("codes were looked up on this map")
    }

    fn is_own(&self, country: &CountryView) -> bool {
        self.view.viewer == Some(country.owner)
    }

    fn player(&self, seat: Seat) -> &str {
        self.players.get(seat.index()).map_or("", String::as_str)
    }

    /// Whether something can be ordered with this country.
    fn can_act(&self, code: Code) -> bool {
        self.slots.iter().any(|slot| slot.subject.as_deref() == Some(code.as_str()))
    }

    /// Who holds a continent whole.
    fn holder(&self, continent: &str) -> Option<Seat> {
        self.view.continents.iter().find(|it| it.name == continent).and_then(|it| it.owner)
    }

    /// Whether orders can be handed in one by one here.
    fn acts(&self) -> bool {
        self.form.is_some()
    }

    /// The slot with this key.
    fn slot(&self, key: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.key == key)
    }

    fn neighbours<'s>(&'s self, country: &'s CountryView) -> impl Iterator<Item = &'s CountryView> {
        country.neighbours.iter().map(|at| &self.view.countries[*at])
    }
}

fn unreadable(reason: impl ToString) -> DrawFault {
    DrawFault::View { game: GAME, reason: reason.to_string() }
}

fn scene<'a>(sitting: &Sitting<'a>) -> Result<Scene<'a>, DrawFault> {
    let view: View = serde_json::from_str(sitting.view).map_err(unreadable)?;
    let data = sitting.data.downcast_ref::<Data>().ok_or_else(|| unreadable("the data is another game's"))?;
    let map = data.map(&view.map).ok_or_else(|| unreadable("there is no such map"))?;
    let code = |id: Option<&str>| {
        let code: Code = id?.parse().ok()?;
        view.country(code).map(|country| country.code)
    };
    let events: Result<Vec<Event>, _> =
        sitting.last.iter().map(|entry| serde_json::from_value(entry.event.clone())).collect();
    let (selected, aimed) = (code(sitting.selected), code(sitting.aimed));
    Ok(Scene {
        data,
        map,
        players: sitting.players,
        slots: sitting.slots,
        events: events.map_err(unreadable)?,
        selected,
        aimed: aimed.filter(|_| selected.is_some()),
        form: sitting.form,
        links: Links { before: sitting.link },
        view,
    })
}

impl Board for ImperialBoard {
    fn game(&self) -> &'static str {
        GAME
    }

    fn styles(&self) -> &'static [&'static str] {
        &["imperial.css"]
    }

    fn draw(&self, sitting: &Sitting) -> Result<Drawing, DrawFault> {
        let scene = scene(sitting)?;
        let panel = panel::Panel::new(&scene);
        Ok(Drawing {
            symbols: SYMBOLS,
            legend: LEGEND,
            figures: figures::figures(&scene)?,
            board: BoardPart {
                art: MapArt::new(scene.map),
                lands: lands(&scene),
                marks: &panel.marks(&scene)?,
                scene: &scene,
            }
            .render()?,
            list: figures::list(&scene)?,
            sheet: panel.render(&scene)?,
            sheet_title: if scene.acts() { "Your move" } else { "Country" },
            reserve: figures::cards(&scene)?,
            reserve_title: "Your cards",
            last: happened::happened(&scene)?,
            unfinished: happened::unfinished(&scene),
            acts: scene.acts(),
            beside: true,
        })
    }

    fn leaves_undone(&self, told: &[ReportEntry]) -> bool {
        told.iter().any(|entry| {
            serde_json::from_value(entry.event.clone()).is_ok_and(|event| matches!(event, Event::NotDone { .. }))
        })
    }
}

#[derive(Template)]
#[template(path = "boards/imperial_conflict/board.html")]
struct BoardPart<'a> {
    art: MapArt,
    lands: Vec<Land>,
    marks: &'a str,
    scene: &'a Scene<'a>,
}

/// A country as it stands.
struct Land {
    code: Code,
    owner: Seat,
    armies: u32,
    /// How many digits the number has, at most 3 are drawn with room.
    digits: usize,
    title: String,
    subject: bool,
    selected: bool,
    href: String,
}

fn lands(scene: &Scene) -> Vec<Land> {
    let land = |country: &CountryView| Land {
        code: country.code,
        owner: country.owner,
        armies: country.armies,
        digits: country.armies.to_string().len().min(3),
        title: parts::title(scene, country),
        subject: scene.can_act(country.code),
        selected: scene.selected == Some(country.code),
        href: scene.links.on_map(scene, country.code),
    };
    scene.view.countries.iter().map(land).collect()
}

#[cfg(test)]
mod tests;
