//! Where everything is in the drawing of a ConQuest board: one drawing a region, pure figures without
//! colours. The templates only print what is laid out here.

use crate::games::conquest::data::Kind;
use crate::games::conquest::view::{PieceView, Place, View};
use crate::rules::{Seat, Slot};

use super::words;

/// Width of a region's drawing in its own units; about the pixels it gets on a phone.
const WIDTH: i32 = 340;
const SHIP_WIDTH: i32 = 162;
const SHIP_HEIGHT: i32 = 46;
const CHIP_STEP: i32 = 39;
const CHIPS_A_ROW: usize = 4;
const CHIP_ROW: i32 = 25;
const TAG_ROW: i32 = 14;
const PERSON_WIDTH: i32 = 130;
const PERSON_HEIGHT: i32 = 39;
const GAP: i32 = 6;
const EDGE: i32 = 5;
const TITLE_BAR: i32 = 30;
const PLANET_TITLE: i32 = 22;
const PLANET_DISC: i32 = 68;
/// So many people of one side stand in one column before they use the other side's as well.
const ONE_COLUMN: usize = 2;

/// A whole board.
pub(super) struct Art {
    /// The viewer's home first.
    pub regions: Vec<RegionArt>,
}

/// One region.
pub(super) struct RegionArt {
    pub id: String,
    pub name: String,
    pub note: &'static str,
    pub height: i32,
    pub ships: Vec<Token>,
    pub planets: Vec<PlanetArt>,
    pub marks: Marks,
}

/// A planet with who is on it.
pub(super) struct PlanetArt {
    pub id: String,
    pub name: String,
    pub title: String,
    pub income: i32,
    /// `near`, `far` or `none`.
    pub side: &'static str,
    pub letter: String,
    /// Which of the looks it has.
    pub look: usize,
    pub top: i32,
    pub height: i32,
    pub centre: i32,
    pub cheq: bool,
    pub people: Vec<Token>,
    pub marks: Marks,
}

/// What a thing on the board can be clicked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Marks {
    pub subject: bool,
    pub selected: bool,
}

/// A ship, a person or a Q.
pub(super) struct Token {
    pub handle: String,
    pub short: String,
    pub title: String,
    /// `near` or `far`.
    pub side: &'static str,
    pub q: bool,
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
    /// Left edge of the silhouette, and of the text.
    pub icon_x: i32,
    pub text_x: i32,
    /// Silhouette size of a ship: 1 to 3.
    pub size: u8,
    pub left: i32,
    pub most: i32,
    /// Filled length of the bar out of [`Token::bar_most`].
    pub bar: i32,
    pub bar_most: i32,
    /// One entry an action: still to be had or spent.
    pub actions: Vec<Dot>,
    pub spent: bool,
    /// Small signs in a row behind the handle.
    pub signs: Vec<Sign>,
    pub cheq: bool,
    pub chips: Vec<Chip>,
    pub tags: Vec<Tag>,
    pub marks: Marks,
}

impl Token {
    /// Height of the first, second or third line of its text.
    pub fn line(&self, number: i32) -> i32 {
        let (first, step) = if self.width == SHIP_WIDTH { (15, 13) } else { (13, 11) };
        first + (number - 1) * step
    }

    /// Left edge of the lines about fights.
    pub fn fight_x(&self) -> i32 {
        if self.side == "near" { 8 } else { self.text_x }
    }

    /// Whether half or more is lost.
    pub fn low(&self) -> bool {
        self.left * 2 <= self.most
    }
}

pub(super) struct Dot {
    pub x: i32,
    pub ready: bool,
}

pub(super) struct Sign {
    pub x: i32,
    /// Name of the symbol: `hit`, `damaged` or `item`.
    pub symbol: &'static str,
    pub text: String,
}

/// Somebody aboard a ship.
pub(super) struct Chip {
    pub handle: String,
    pub title: String,
    pub x: i32,
    pub y: i32,
    pub q: bool,
    pub spent: bool,
    pub marks: Marks,
}

/// A line of words under a piece that fights.
pub(super) struct Tag {
    pub y: i32,
    /// `attacked` or `defends`.
    pub kind: &'static str,
    pub text: String,
}

/// What the drawing is made from.
pub(super) struct Sitting<'a> {
    pub view: &'a View,
    /// The side drawn on the left in blue.
    pub near: Seat,
    pub slots: &'a [Slot],
    pub selected: Option<&'a str>,
}

impl Sitting<'_> {
    pub fn side(&self, seat: Seat) -> &'static str {
        if seat == self.near { "near" } else { "far" }
    }

    pub fn marks(&self, id: &str) -> Marks {
        let subject = self.slots.iter().any(|slot| slot.subject.as_deref() == Some(id));
        Marks { subject, selected: self.selected == Some(id) }
    }
}

impl Art {
    /// Lays out the whole board.
    pub fn new(sitting: &Sitting) -> Art {
        let mut order: Vec<usize> = (0..sitting.view.map.regions.len()).collect();
        if sitting.near == Seat::B {
            order.reverse();
        }
        Art { regions: order.into_iter().map(|region| region_art(sitting, region)).collect() }
    }
}

fn region_art(sitting: &Sitting, index: usize) -> RegionArt {
    let view = sitting.view;
    let region = &view.map.regions[index];
    let mut ships: Vec<Token> = pieces_at(view, Place::Region(index)).map(|piece| ship_token(sitting, piece)).collect();
    let below = place_in_columns(&mut ships, TITLE_BAR + 8, 1, WIDTH - EDGE - SHIP_WIDTH);
    let mut top = below + 4;
    let mut planets = Vec::new();
    for (number, planet) in view.map.planets.iter().enumerate() {
        if planet.region == index {
            let art = planet_art(sitting, number, top);
            top = art.top + art.height + 4;
            planets.push(art);
        }
    }
    let note = match region.home {
        Some(seat) if Some(seat) == view.viewer => "your home",
        Some(_) if view.viewer.is_some() => "their home",
        Some(Seat::A) => "home of A",
        Some(_) => "home of B",
        None => "nobody’s home",
    };
    RegionArt {
        id: region.id.clone(),
        name: region.name.clone(),
        note,
        height: top + 6,
        ships,
        planets,
        marks: sitting.marks(&region.id),
    }
}

/// The people and Qs on a planet, without those aboard ships above it.
pub(super) fn on_planet(view: &View, planet: usize) -> impl Iterator<Item = &PieceView> {
    pieces_at(view, Place::Planet(planet))
}

fn pieces_at(view: &View, place: Place) -> impl Iterator<Item = &PieceView> {
    view.pieces.iter().filter(move |piece| piece.place == place)
}

fn planet_art(sitting: &Sitting, index: usize, top: i32) -> PlanetArt {
    let planet = &sitting.view.map.planets[index];
    let mut people: Vec<Token> =
        pieces_at(sitting.view, Place::Planet(index)).map(|piece| person_token(sitting, piece)).collect();
    // The Q is what the game is about: it stands first.
    people.sort_by_key(|token| !token.q);
    let first = top + PLANET_TITLE + 4;
    let below = place_in_columns(&mut people, first, ONE_COLUMN + 1, WIDTH - EDGE - PERSON_WIDTH);
    let height = (below - top).max(PLANET_TITLE + 4 + PLANET_DISC) + 4;
    PlanetArt {
        id: planet.id.clone(),
        name: planet.name.clone(),
        title: words::planet(sitting, index),
        income: planet.income,
        side: planet.control.map_or("none", |seat| sitting.side(seat)),
        letter: planet.control.map(|seat| seat.to_string()).unwrap_or_default(),
        look: index % 5,
        top,
        height,
        centre: top + PLANET_TITLE + (height - PLANET_TITLE) / 2,
        cheq: people.iter().any(|token| token.cheq),
        people,
        marks: sitting.marks(&planet.id),
    }
}

/// Puts tokens below each other, near ones left, far ones right. One side alone uses both columns once it
/// has `spread` tokens or more. Returns the first free height below.
fn place_in_columns(tokens: &mut [Token], top: i32, spread: usize, right: i32) -> i32 {
    let both = tokens.iter().any(|token| token.side == "near") && tokens.iter().any(|token| token.side == "far");
    let alone = !both && tokens.len() >= spread.max(2);
    let mut heights = [top, top];
    for token in tokens {
        let home = usize::from(token.side == "far");
        let column = if alone && heights[1 - home] < heights[home] { 1 - home } else { home };
        token.x = if column == 0 { EDGE } else { right };
        token.y = heights[column];
        heights[column] += token.height + GAP;
    }
    heights[0].max(heights[1])
}

fn ship_token(sitting: &Sitting, piece: &PieceView) -> Token {
    let near = piece.seat == sitting.near;
    let mut token = token(sitting, piece, if near { 52 } else { 8 });
    token.width = SHIP_WIDTH;
    token.icon_x = if near { 4 } else { SHIP_WIDTH - 46 };
    token.short = shortened(&piece.name, 18);
    token.bar_most = 66;
    token.size = match piece.base_toughness {
        ..=8 => 1,
        9..=15 => 2,
        _ => 3,
    };
    let mut height = SHIP_HEIGHT;
    for (number, handle) in piece.crew.iter().enumerate() {
        let Some(member) = sitting.view.piece(*handle) else { continue };
        let column = i32::try_from(number % CHIPS_A_ROW).unwrap_or(0);
        let row = i32::try_from(number / CHIPS_A_ROW).unwrap_or(0);
        let id = handle.to_string();
        token.chips.push(Chip {
            title: words::piece(sitting, member),
            x: 4 + column * CHIP_STEP,
            y: SHIP_HEIGHT + row * CHIP_ROW,
            q: member.kind == Kind::Q,
            spent: member.kind != Kind::Q && member.actions <= 0,
            marks: sitting.marks(&id),
            handle: id,
        });
        height = SHIP_HEIGHT + (row + 1) * CHIP_ROW;
    }
    finish(sitting, piece, token, height)
}

fn person_token(sitting: &Sitting, piece: &PieceView) -> Token {
    let near = piece.seat == sitting.near;
    let mut token = token(sitting, piece, if near { 35 } else { 5 });
    token.width = PERSON_WIDTH;
    token.icon_x = if near { 3 } else { PERSON_WIDTH - 31 };
    token.short = shortened(&piece.name, 16);
    token.bar_most = 54;
    finish(sitting, piece, token, PERSON_HEIGHT)
}

fn token(sitting: &Sitting, piece: &PieceView, text_x: i32) -> Token {
    let handle = piece.handle.to_string();
    let q = piece.kind == Kind::Q;
    let mut x = text_x + 10 + 8 * i32::try_from(handle.len()).unwrap_or(3);
    let mut actions = Vec::new();
    if !q {
        for number in 0..piece.actions_most.max(piece.actions).clamp(0, 4) {
            actions.push(Dot { x, ready: number < piece.actions });
            x += 9;
        }
    }
    let mut signs = Vec::new();
    let counted = if piece.items.is_empty() { String::new() } else { piece.items.len().to_string() };
    for (shown, symbol, text) in [
        (piece.hit, "hit", String::new()),
        (piece.damaged, "damaged", String::new()),
        (!piece.items.is_empty(), "item", counted),
    ] {
        if shown {
            signs.push(Sign { x: x - 3, symbol, text });
            x += 14;
        }
    }
    Token {
        title: words::piece(sitting, piece),
        short: String::new(),
        side: sitting.side(piece.seat),
        q,
        x: 0,
        y: 0,
        width: 0,
        height: 0,
        icon_x: 0,
        text_x,
        size: 1,
        left: piece.left.max(0),
        most: piece.toughness,
        bar: 0,
        bar_most: 0,
        spent: !q && piece.actions <= 0,
        actions,
        signs,
        cheq: piece.in_cheq,
        chips: Vec::new(),
        tags: Vec::new(),
        marks: sitting.marks(&handle),
        handle,
    }
}

/// Adds what depends on the size: the bar and the lines about fights below everything else.
fn finish(sitting: &Sitting, piece: &PieceView, mut token: Token, height: i32) -> Token {
    if token.most > 0 {
        token.bar = (token.bar_most * token.left.min(token.most) / token.most).max(i32::from(token.left > 0) * 2);
    }
    token.height = height;
    for (kind, text) in words::fights(sitting.view, piece) {
        token.tags.push(Tag { y: token.height + 10, kind, text: shortened(&text, token.width as usize / 6) });
        token.height += TAG_ROW;
    }
    token
}

/// A text cut to so many letters, with an ellipsis where something is missing.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{}…", kept.trim_end())
}
