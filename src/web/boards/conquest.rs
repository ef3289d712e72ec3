//! The board of ConQuest: three regions with planets, ships, people and the two Qs, drawn as inline SVG.
//! The viewer's home is on the left; their own side is blue and round, the other red and pointed.

mod art;
mod catalogue;
mod links;
mod sheet;
mod words;

use askama::Template;

use self::art::{Art, Sitting as Scene};
use self::links::Links;
use super::{Board, DrawFault, Drawing, Sitting};
use crate::games::conquest::data::Kind;
use crate::games::conquest::view::{PieceView, View};
use crate::rules::Seat;

/// Draws ConQuest.
pub struct ConquestBoard;

const GAME: &str = "conquest";
const SYMBOLS: &str = include_str!("../../../templates/boards/conquest/symbols.html");
const LEGEND: &str = include_str!("../../../templates/boards/conquest/legend.html");

impl Board for ConquestBoard {
    fn game(&self) -> &'static str {
        GAME
    }

    fn draw(&self, sitting: &Sitting) -> Result<Drawing, DrawFault> {
        let view: View = serde_json::from_str(sitting.view)
            .map_err(|error| DrawFault::View { game: GAME, reason: error.to_string() })?;
        let scene = Scene {
            near: view.viewer.unwrap_or(Seat::A),
            view: &view,
            slots: sitting.slots,
            selected: sitting.selected,
        };
        let links = Links { before: sitting.link.to_owned() };
        Ok(Drawing {
            symbols: SYMBOLS,
            legend: LEGEND,
            figures: FiguresPart { sides: sides(&scene, sitting.players) }.render()?,
            board: BoardPart { art: Art::new(&scene), links: &links }.render()?,
            list: ListPart { regions: list(&scene), links: &links }.render()?,
            sheet: sheet::sheet(&scene, &links)?,
            reserve: reserve(&scene, &links)?,
            reserve_title: "Your Control Group",
            ..Drawing::EMPTY
        })
    }
}

#[derive(Template)]
#[template(path = "boards/conquest/board.html")]
struct BoardPart<'a> {
    art: Art,
    links: &'a Links,
}

#[derive(Template)]
#[template(path = "boards/conquest/figures.html")]
struct FiguresPart {
    sides: Vec<SidePart>,
}

/// The figures of one side.
struct SidePart {
    class: &'static str,
    letter: String,
    name: String,
    you: bool,
    cp: i32,
    income: i32,
    planets: u32,
    group_size: u32,
    cheq: bool,
    first: Option<String>,
}

fn sides(scene: &Scene, players: &[String]) -> Vec<SidePart> {
    let view = scene.view;
    let mut parts: Vec<SidePart> = view
        .sides
        .iter()
        .map(|side| SidePart {
            class: scene.side(side.seat),
            letter: side.seat.to_string(),
            name: players.get(side.seat.index()).cloned().unwrap_or_else(|| format!("Player {}", side.seat)),
            you: view.viewer == Some(side.seat),
            cp: side.cp,
            income: side.income,
            planets: side.planets,
            group_size: side.group_size,
            cheq: side.cheq,
            first: first(view, side.seat),
        })
        .collect();
    parts.sort_by_key(|part| part.class == "far");
    parts
}

/// Why this side goes first, if it does: as fixed for the running fights, or as it would be decided now.
fn first(view: &View, seat: Seat) -> Option<String> {
    if let Some(fixed) = &view.initiative {
        let (a, b) = fixed.cp;
        let why = if fixed.by_dice { "by the dice".to_owned() } else { format!("{} CP to {}", a.max(b), a.min(b)) };
        return (fixed.first == seat).then(|| format!("goes first in these fights ({why})"));
    }
    if view.outcome.is_some() {
        return None;
    }
    let mine = view.side(seat).cp;
    let others = view.sides.iter().filter(|side| side.seat != seat).map(|side| side.cp).max().unwrap_or(0);
    match mine.cmp(&others) {
        std::cmp::Ordering::Greater => Some("goes first for now".to_owned()),
        std::cmp::Ordering::Equal => Some("equal: the dice decide who goes first".to_owned()),
        std::cmp::Ordering::Less => None,
    }
}

#[derive(Template)]
#[template(path = "boards/conquest/list.html")]
struct ListPart<'a> {
    regions: Vec<ListRegion>,
    links: &'a Links,
}

struct ListRegion {
    name: String,
    ships: Vec<ListPiece>,
    planets: Vec<(String, Vec<ListPiece>)>,
}

struct ListPiece {
    id: String,
    text: String,
    crew: Vec<ListPiece>,
}

fn list(scene: &Scene) -> Vec<ListRegion> {
    let view = scene.view;
    let entry = |piece: &PieceView| ListPiece {
        id: piece.handle.to_string(),
        text: words::piece(scene, piece),
        crew: piece
            .crew
            .iter()
            .filter_map(|handle| view.piece(*handle))
            .map(|member| ListPiece {
                id: member.handle.to_string(),
                text: words::piece(scene, member),
                crew: Vec::new(),
            })
            .collect(),
    };
    let mut regions: Vec<ListRegion> = (0..view.map.regions.len())
        .map(|region| ListRegion {
            name: view.map.regions[region].name.clone(),
            ships: view
                .pieces
                .iter()
                .filter(|piece| piece.kind == Kind::Ship && piece.region == region)
                .map(entry)
                .collect(),
            planets: (0..view.map.planets.len())
                .filter(|planet| view.map.planets[*planet].region == region)
                .map(|planet| (words::planet(scene, planet), art::on_planet(view, planet).map(entry).collect()))
                .collect(),
        })
        .collect();
    if scene.near == Seat::B {
        regions.reverse();
    }
    regions
}

#[derive(Template)]
#[template(path = "boards/conquest/reserve.html")]
struct ReservePart<'a> {
    kinds: Vec<(&'static str, Vec<ReserveEntry>)>,
    size: u32,
    cp: i32,
    links: &'a Links,
}

struct ReserveEntry {
    id: String,
    name: String,
    count: u32,
    cost: i32,
    affordable: bool,
    unique: bool,
    figures: String,
    subject: bool,
    selected: bool,
}

/// What is left of the viewer's own Control Group.
fn reserve(scene: &Scene, links: &Links) -> Result<String, DrawFault> {
    let view = scene.view;
    let Some(viewer) = view.viewer else { return Ok(String::new()) };
    let mut kinds = vec![(Kind::Ship, "Ships", Vec::new()), (Kind::Person, "People", Vec::new())];
    kinds.push((Kind::Item, "Items", Vec::new()));
    for entry in &view.group {
        let Some(sort) = view.types.get(&entry.type_id) else { continue };
        let marks = scene.marks(&entry.type_id);
        if let Some((_, _, entries)) = kinds.iter_mut().find(|(kind, _, _)| *kind == sort.kind) {
            entries.push(ReserveEntry {
                id: sort.id.clone(),
                name: sort.name.clone(),
                count: entry.count,
                cost: sort.cost,
                affordable: entry.affordable > 0,
                unique: sort.unique,
                figures: sheet::figures_in_short(sort),
                subject: marks.subject,
                selected: marks.selected,
            });
        }
    }
    let kinds = kinds.into_iter().map(|(_, name, entries)| (name, entries)).filter(|(_, list)| !list.is_empty());
    let side = view.side(viewer);
    Ok(ReservePart { kinds: kinds.collect(), size: side.group_size, cp: side.cp, links }.render()?)
}

#[cfg(test)]
mod tests;
