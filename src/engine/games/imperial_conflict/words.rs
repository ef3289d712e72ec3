//! Orders in words, and the position as plain text.

use std::fmt::Write as _;

use super::data::Code;
use super::legal::{count, more};
use super::order::Order;
use super::view::{PhaseKey, SideView, View};
use crate::rules::Fate;

/// An order as its player reads it back.
pub fn words(view: &View, order: &Order) -> String {
    let name = |code: &Code| view.country(*code).map_or_else(|| code.to_string(), |country| country.name.clone());
    match order {
        Order::Exchange([a, b, c]) => format!("exchange the cards of {}, {} and {}", name(a), name(b), name(c)),
        Order::Deploy { armies, country } => format!("place {} on {}", count(*armies), name(country)),
        Order::Attack { from, to, dice, until } => {
            let mut text = format!("attack {} from {}", name(to), name(from));
            match dice {
                Some(1) => text.push_str(" with 1 die"),
                Some(dice) => _ = write!(text, " with {dice} dice"),
                None => text.push_str(" with as many dice as allowed"),
            }
            match until {
                Some(until) => _ = write!(text, ", until it is captured or {} left", are(*until)),
                None => text.push_str(", one roll"),
            }
            text
        }
        Order::Occupy(armies) => format!("move {} into the captured country", more(*armies)),
        Order::Fortify { armies, from, to } => {
            format!("move {} from {} to {} and end the turn", count(*armies), name(from), name(to))
        }
        Order::End => "end the turn".to_owned(),
        Order::Undo => "take back the armies you placed or moved in last".to_owned(),
        Order::Resign => "resign".to_owned(),
    }
}

fn are(armies: u32) -> String {
    if armies == 1 { "1 army is".to_owned() } else { format!("{armies} armies are") }
}

/// The position as letters carry it.
pub fn position(view: &View) -> String {
    let mut text = String::new();
    _ = writeln!(text, "{}", headline(view));
    if let Some(viewer) = view.viewer {
        _ = writeln!(text, "You are {viewer}.");
    }
    _ = writeln!(text, "\nPlayer        Countries  Armies  Cards  Next turn");
    for seat in &view.order {
        if let Some(side) = view.sides.iter().find(|side| side.seat == *seat) {
            _ = writeln!(
                text,
                "{:<13} {:>9}  {:>6}  {:>5}  {:>9}",
                format!("{}{}", side.seat, standing(side)),
                side.countries,
                side.armies,
                side.cards,
                format!("+{}", side.income)
            );
        }
    }
    cards(&mut text, view);
    let width = view.countries.iter().map(|country| country.name.chars().count()).max().unwrap_or(0);
    for (at, continent) in view.continents.iter().enumerate() {
        let held = continent.owner.map_or(String::new(), |owner| format!(", all held by {owner}"));
        _ = writeln!(text, "\n{} (bonus {}{held})", continent.name, continent.bonus);
        for country in view.countries.iter().filter(|country| country.continent == at) {
            let (code, name, owner) = (country.code, &country.name, country.owner);
            _ = writeln!(text, "  {code} {name:<width$}  {owner} {:>3}", country.armies);
        }
    }
    text
}

fn standing(side: &SideView) -> &'static str {
    match side.fate {
        Fate::Active => "",
        Fate::Won => " (won)",
        Fate::Lost => " (beaten)",
        Fate::Drew => " (drew)",
        Fate::Resigned => " (resigned)",
        Fate::Dropped => " (dropped)",
    }
}

fn headline(view: &View) -> String {
    let map = &view.map_name;
    if let Some(outcome) = view.outcome {
        return match outcome.winner {
            Some(winner) => format!("Map {map}. The game is over: {winner} has won."),
            None => format!("Map {map}. The game is over: nobody was left to win."),
        };
    }
    let Some(now) = &view.now else {
        let place =
            if view.to_place > 0 { format!(" You have {} to place.", count(view.to_place)) } else { String::new() };
        return format!("Map {map}. Everybody places the starting armies.{place}");
    };
    let step = match view.phase {
        PhaseKey::Exchange => "a set of cards must be exchanged".to_owned(),
        PhaseKey::Deploy => format!("{} to place", count(now.left)),
        _ => "attack, fortify or end the turn".to_owned(),
    };
    let whose = if view.viewer == Some(now.seat) { "your turn".to_owned() } else { format!("{}'s turn", now.seat) };
    let mut text = format!("Map {map}, turn {}. It is {whose}: {step}.", view.turn);
    if let Some(way) = &now.occupy
        && way.most > 0
    {
        _ = write!(text, " Up to {} may still move from {} into {}.", count(way.most), way.from, way.to);
    }
    text
}

fn cards(text: &mut String, view: &View) {
    if !view.cards.is_empty() {
        let card = |card: &super::view::CardView| {
            format!("{} {} ({}{})", card.code, card.name, card.symbol.name(), if card.held { ", yours" } else { "" })
        };
        let cards: Vec<String> = view.cards.iter().map(card).collect();
        _ = writeln!(text, "\nYour cards: {}.", cards.join(", "));
    }
    _ = writeln!(
        text,
        "{}The next exchange of a set is worth {}.",
        if view.cards.is_empty() { "\n" } else { "" },
        count(view.worth)
    );
}
