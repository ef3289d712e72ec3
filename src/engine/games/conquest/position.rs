//! The position as plain text, as letters carry it. Lines are at most [`WIDTH`] letters wide.

use std::fmt::Write;

use super::data::Kind;
use super::view::{PhaseKey, PieceView, Place, SideView, View};
use super::words::{doctrine_words, listed, piece_words};
use crate::rules::Seat;

/// Most letters of a line.
const WIDTH: usize = 72;

/// The whole position.
pub fn position(view: &View) -> String {
    let mut text = String::new();
    let heading = match view.phase {
        PhaseKey::Over => format!("{}, turn {} of {}, over", view.map.name, view.turn, view.last_turn),
        phase => format!("{}, turn {} of {}, {} phase", view.map.name, view.turn, view.last_turn, phase.name()),
    };
    line(&mut text, 0, &heading);
    if let Some(outcome) = &view.outcome {
        line(&mut text, 0, &outcome.words);
    }
    for side in &view.sides {
        line(&mut text, 0, &side_words(view, side));
    }
    for region in 0..view.map.regions.len() {
        region_lines(&mut text, view, region);
    }
    combat_lines(&mut text, view);
    group_lines(&mut text, view);
    if let (Some(doctrine), true) = (&view.doctrine, view.phase != PhaseKey::Over) {
        let words = doctrine_words(doctrine, |handle| piece_words(view, handle));
        text.push('\n');
        line(&mut text, 0, &format!("Your doctrine for damage: {words}."));
    }
    text
}

/// Writes a line, broken at words where it gets too wide; further lines are indented by two more.
fn line(text: &mut String, indent: usize, words: &str) {
    let mut width = 0;
    for word in words.split_whitespace() {
        let letters = word.chars().count();
        if width > 0 && width + 1 + letters > WIDTH {
            text.push('\n');
            width = 0;
            text.push_str(&" ".repeat(indent + 2));
            width += indent + 2;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        } else {
            text.push_str(&" ".repeat(indent));
            width += indent;
        }
        text.push_str(word);
        width += letters;
    }
    text.push('\n');
}

fn seat_words(view: &View, seat: Seat) -> String {
    if view.viewer == Some(seat) { format!("{seat} (you)") } else { seat.to_string() }
}

fn side_words(view: &View, side: &SideView) -> String {
    let planets = if side.planets == 1 { "planet" } else { "planets" };
    let pieces = if side.group_size == 1 { "piece" } else { "pieces" };
    let cheq = if side.cheq { ", Q was in Cheq when the turn began" } else { "" };
    format!(
        "{}: {} CP ({:+} a turn), {} {planets}, {} {pieces} in the Control Group{cheq}",
        seat_words(view, side.seat),
        side.cp,
        side.income,
        side.planets,
        side.group_size
    )
}

fn region_lines(text: &mut String, view: &View, region: usize) {
    let at = &view.map.regions[region];
    let home = at.home.map(|seat| format!(" (home of {})", seat_words(view, seat))).unwrap_or_default();
    text.push('\n');
    line(text, 0, &format!("{}{home}", at.name.to_uppercase()));
    let ships: Vec<&PieceView> = view.pieces.iter().filter(|piece| piece.place == Place::Region(region)).collect();
    for ship in &ships {
        piece_lines(text, view, ship, 2);
    }
    if ships.is_empty() {
        line(text, 2, "no ships");
    }
    for (index, planet) in view.map.planets.iter().enumerate().filter(|(_, planet)| planet.region == region) {
        let control = match planet.control {
            Some(seat) => format!("controlled by {}", seat_words(view, seat)),
            None => "controlled by nobody".to_owned(),
        };
        line(text, 2, &format!("{}, {:+} CP, {control}:", planet.name, planet.income));
        let mut empty = true;
        for piece in view.pieces.iter().filter(|piece| piece.place == Place::Planet(index)) {
            piece_lines(text, view, piece, 4);
            empty = false;
        }
        if empty {
            line(text, 4, "nobody");
        }
    }
}

fn piece_lines(text: &mut String, view: &View, piece: &PieceView, indent: usize) {
    let name_width = 26_usize;
    let mut words = piece.title();
    if piece.kind == Kind::Q {
        if piece.in_cheq {
            words.push_str("  in Cheq");
        }
    } else {
        let pad = name_width.saturating_sub(words.chars().count() + indent);
        let toughness = if piece.kind == Kind::Ship { "shields" } else { "hit points" };
        let (low, high) = piece.combat;
        let _ = write!(
            words,
            "{}  {toughness} {}/{}, combat {low}-{high}{}",
            " ".repeat(pad),
            piece.left.max(0),
            piece.toughness,
            marks(piece)
        );
    }
    // The columns of a line that fits are kept; only one that does not is broken at words.
    if words.chars().count() + indent <= WIDTH {
        let _ = writeln!(text, "{}{words}", " ".repeat(indent));
    } else {
        line(text, indent, &words);
    }
    if !piece.items.is_empty() {
        let items: Vec<String> = piece
            .items
            .iter()
            .map(|item| {
                if item.owner == piece.seat { item.name.clone() } else { format!("{} (by {})", item.name, item.owner) }
            })
            .collect();
        line(text, indent + 2, &format!("with {}", listed(&items)));
    }
    for member in piece.crew.iter().filter_map(|member| view.piece(*member)) {
        piece_lines(text, view, member, indent + 2);
    }
}

fn marks(piece: &PieceView) -> String {
    let mut marks = String::new();
    if piece.actions != 1 {
        let _ = write!(marks, ", {} actions", piece.actions);
    }
    if piece.hit {
        marks.push_str(", hit");
    }
    if piece.damaged {
        marks.push_str(", damaged");
    }
    marks
}

fn combat_lines(text: &mut String, view: &View) {
    if view.combats.is_empty() {
        return;
    }
    text.push('\n');
    line(text, 0, "ATTACKS");
    for combat in &view.combats {
        let names = |handles: &[super::handle::Handle]| {
            listed(&handles.iter().map(|handle| piece_words(view, *handle)).collect::<Vec<_>>())
        };
        let defenders = if combat.defenders.is_empty() {
            String::new()
        } else {
            format!(", defended by {}", names(&combat.defenders))
        };
        line(text, 2, &format!("{} on {}{defenders}", names(&combat.attackers), piece_words(view, combat.target)));
    }
    for blow in &view.blows {
        let possible: Vec<String> = blow.possible.iter().map(|(handle, _)| piece_words(view, *handle)).collect();
        let from = piece_words(view, blow.from);
        line(
            text,
            2,
            &format!("{} damage from {from}, for {} to assign to {}", blow.amount, blow.seat, listed_or(&possible)),
        );
    }
}

fn listed_or(names: &[String]) -> String {
    listed(names).replace(" and ", " or ")
}

fn group_lines(text: &mut String, view: &View) {
    if view.group.is_empty() {
        return;
    }
    text.push('\n');
    line(text, 0, "YOUR CONTROL GROUP");
    for entry in &view.group {
        if let Some(piece) = view.types.get(&entry.type_id) {
            let unique = if piece.unique { ", unique" } else { "" };
            line(
                text,
                2,
                &format!("{} {} ({}, {} CP{unique})", entry.count, piece.name, piece.kind.word(), piece.cost),
            );
        }
    }
}
