//! The piece viewer: all that is known of one thing on the board or in the own Control Group.

use askama::Template;

use super::links::Links;
use super::words;
use super::{DrawFault, Scene};
use crate::games::conquest::data::Kind;
use crate::games::conquest::view::{PieceView, Place, TypeView, View};

#[derive(Template)]
#[template(path = "boards/conquest/sheet.html")]
struct SheetPart<'a> {
    sheet: Option<Sheet>,
    links: &'a Links,
}

/// What the viewer shows.
#[derive(Default)]
struct Sheet {
    title: String,
    /// `near`, `far` or empty.
    side: &'static str,
    /// One line of what it is: `Ship · Klingon · unique · costs 7 CP`.
    sort: String,
    facts: Vec<Fact>,
    figures: Vec<Figure>,
    skills: String,
    abilities: Vec<String>,
    crew: Vec<(String, String)>,
    items: Vec<ItemPart>,
    text: String,
}

struct Fact {
    label: &'static str,
    text: String,
    /// Id of a thing to link to.
    link: Option<String>,
}

/// A figure now and as the type alone has it.
struct Figure {
    label: &'static str,
    now: String,
    base: Option<String>,
}

struct ItemPart {
    id: String,
    name: String,
    owner: String,
    abilities: Vec<String>,
}

/// Draws the piece viewer for the selected thing; a hint where nothing is selected or it is gone.
pub(super) fn sheet(scene: &Scene, links: &Links) -> Result<String, DrawFault> {
    let found = scene.selected.and_then(|id| find(scene, id));
    Ok(SheetPart { sheet: found, links }.render()?)
}

/// A type's figures in a few letters: `fights 2–4, 6 hit points`.
pub(super) fn figures_in_short(sort: &TypeView) -> String {
    match sort.kind {
        Kind::Ship => format!("{} fire, {} shields", range(sort.combat), sort.toughness),
        Kind::Person => format!("{} combat, {} hit points", range(sort.combat), sort.toughness),
        Kind::Item => sort.bearer.clone().unwrap_or_default(),
        Kind::Q => String::new(),
    }
}

/// Least and most damage: `2–4`, or one figure when they are the same.
pub(super) fn range((low, high): (i32, i32)) -> String {
    if low == high { low.to_string() } else { format!("{low}–{high}") }
}

fn find(scene: &Scene, id: &str) -> Option<Sheet> {
    let view = scene.view;
    if let Some(piece) = view.pieces.iter().find(|piece| piece.handle.to_string() == id) {
        return Some(piece_sheet(scene, piece));
    }
    if let Some(gone) = view.removed.iter().find(|gone| gone.handle.to_string() == id) {
        let mut sheet = view.types.get(&gone.type_id).map(type_sheet).unwrap_or_default();
        sheet.title = format!("{} {}", gone.handle, gone.name);
        sheet.side = scene.side(gone.handle.seat);
        sheet.facts.insert(0, fact("State", "removed from the game".to_owned()));
        return Some(sheet);
    }
    if let Some(sort) = view.types.get(id) {
        let mut sheet = type_sheet(sort);
        if let Some(entry) = view.group.iter().find(|entry| entry.type_id == id) {
            let text = format!("{} left in your Control Group, {} affordable now", entry.count, entry.affordable);
            sheet.facts.insert(0, fact("Yours", text));
        }
        return Some(sheet);
    }
    place_sheet(scene, id)
}

fn fact(label: &'static str, text: String) -> Fact {
    Fact { label, text, link: None }
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Ship => "Ship",
        Kind::Person => "Person",
        Kind::Item => "Item",
        Kind::Q => "Q",
    }
}

fn sort_line(sort: &TypeView) -> String {
    let mut parts = vec![kind_word(sort.kind).to_owned(), sort.affiliation.clone()];
    if sort.unique {
        parts.push("unique".to_owned());
    }
    if sort.kind != Kind::Q {
        parts.push(format!("costs {} CP", sort.cost));
    }
    parts.join(" · ")
}

fn toughness_label(kind: Kind) -> &'static str {
    if kind == Kind::Ship { "Shields" } else { "Hit points" }
}

fn type_sheet(sort: &TypeView) -> Sheet {
    let mut figures = Vec::new();
    if matches!(sort.kind, Kind::Ship | Kind::Person) {
        figures.push(Figure { label: "Combat", now: range(sort.combat), base: None });
        figures.push(Figure { label: toughness_label(sort.kind), now: sort.toughness.to_string(), base: None });
    }
    let mut facts = Vec::new();
    if let Some(bearer) = &sort.bearer {
        facts.push(fact("Goes", bearer.clone()));
    }
    Sheet {
        title: sort.name.clone(),
        sort: sort_line(sort),
        facts,
        figures,
        skills: sort.skills.join(", "),
        abilities: sort.abilities.clone(),
        text: sort.text.clone(),
        ..Sheet::default()
    }
}

fn piece_sheet(scene: &Scene, piece: &PieceView) -> Sheet {
    let view = scene.view;
    let sort = view.types.get(&piece.type_id);
    let mut facts = vec![fact("Whose", words::whose(view, piece.seat))];
    let link = match piece.place {
        Place::Aboard(ship) => ship.to_string(),
        Place::Planet(_) | Place::Region(_) => view.place_id(piece.place),
    };
    facts.push(Fact { label: "Where", text: view.place_words(piece.place), link: Some(link) });
    let mut state = Vec::new();
    for (shown, text) in [
        (piece.hit, "hit this turn"),
        (piece.damaged, "damaged: has lost half or more"),
        (piece.in_cheq, "in Cheq: it is on a planet its owner does not control"),
    ] {
        if shown {
            state.push(text.to_owned());
        }
    }
    state.extend(words::fights(view, piece).into_iter().map(|(_, text)| text));
    if !state.is_empty() {
        facts.push(fact("State", state.join("; ")));
    }
    Sheet {
        title: piece.title(),
        side: scene.side(piece.seat),
        sort: sort.map(sort_line).unwrap_or_default(),
        facts,
        figures: piece_figures(piece),
        skills: sort.map(|sort| sort.skills.join(", ")).unwrap_or_default(),
        abilities: piece.powers.in_words.clone(),
        crew: crew(view, piece),
        items: items(view, piece),
        text: sort.map(|sort| sort.text.clone()).unwrap_or_default(),
    }
}

fn piece_figures(piece: &PieceView) -> Vec<Figure> {
    if piece.kind == Kind::Q {
        return Vec::new();
    }
    let mut figures = vec![
        Figure {
            label: "Combat",
            now: range(piece.combat),
            base: (piece.combat != piece.base_combat).then(|| range(piece.base_combat)),
        },
        Figure {
            label: toughness_label(piece.kind),
            now: format!("{} of {}", piece.left.max(0), piece.toughness),
            base: (piece.toughness != piece.base_toughness).then(|| piece.base_toughness.to_string()),
        },
        Figure { label: "Actions left", now: format!("{} of {}", piece.actions, piece.actions_most), base: None },
    ];
    if piece.kind == Kind::Ship {
        let reach = match piece.powers.reach {
            0 => "cannot move".to_owned(),
            1 => "1 region".to_owned(),
            many => format!("{many} regions"),
        };
        figures.push(Figure { label: "Moves", now: reach, base: None });
        if let Some(room) = piece.powers.capacity {
            figures.push(Figure { label: "Room aboard", now: room.to_string(), base: None });
        }
    }
    figures
}

fn crew(view: &View, piece: &PieceView) -> Vec<(String, String)> {
    let aboard = piece.crew.iter().filter_map(|handle| view.piece(*handle));
    aboard.map(|member| (member.handle.to_string(), member.title())).collect()
}

fn items(view: &View, piece: &PieceView) -> Vec<ItemPart> {
    let part = |item: &crate::games::conquest::view::ItemView| ItemPart {
        id: item.type_id.clone(),
        name: item.name.clone(),
        owner: if item.owner == piece.seat { String::new() } else { format!("put there by {}", item.owner) },
        abilities: view.types.get(&item.type_id).map(|sort| sort.abilities.clone()).unwrap_or_default(),
    };
    piece.items.iter().map(part).collect()
}

fn place_sheet(scene: &Scene, id: &str) -> Option<Sheet> {
    let view = scene.view;
    if let Some(index) = view.map.planets.iter().position(|planet| planet.id == id) {
        let planet = &view.map.planets[index];
        let region = &view.map.regions[planet.region];
        let mut facts = vec![
            Fact { label: "Where", text: region.name.clone(), link: Some(region.id.clone()) },
            fact("Control", words::control(view, planet.control)),
            fact("Pays", format!("{} CP at the start of each turn", planet.income)),
        ];
        if let Some(home) = planet.home {
            facts.push(fact("Home of", home.to_string()));
        }
        let crew = super::art::on_planet(view, index).map(|piece| (piece.handle.to_string(), piece.title()));
        return Some(Sheet {
            title: planet.name.clone(),
            side: planet.control.map_or("", |seat| scene.side(seat)),
            sort: "Planet".to_owned(),
            facts,
            crew: crew.collect(),
            text: format!("Orders name it {}.", planet.id),
            ..Sheet::default()
        });
    }
    let index = view.map.regions.iter().position(|region| region.id == id)?;
    let region = &view.map.regions[index];
    let ships = view.pieces.iter().filter(|piece| piece.place == Place::Region(index));
    Some(Sheet {
        title: region.name.clone(),
        sort: "Region".to_owned(),
        facts: region.home.map(|seat| fact("Home of", seat.to_string())).into_iter().collect(),
        crew: ships.map(|piece| (piece.handle.to_string(), piece.title())).collect(),
        text: format!("Orders name it {}.", region.id),
        ..Sheet::default()
    })
}
