//! What reads texts of people in the engine: orders, loadouts, data files, scenarios. See [`crate::shared::fuzz`].

use std::collections::BTreeMap;
use std::sync::Arc;

use stardate_engine::games;
use stardate_engine::rules::budget::{MOST_FAULTS, MOST_FILE_FAULTS};
use stardate_engine::rules::{
    Content, DataFault, Desk, Dice, Engine, Fault, FieldKind, Game, Seat, SeatSetup, Setup, scenario,
};

use crate::conformance::middle;
use crate::shared::fuzz::{self, Verdict, ensure, ensure_sentence};

fn loaded(engine: &Arc<dyn Engine>) -> Arc<dyn Game> {
    engine.load(&engine.embedded()).unwrap()
}

/// Faults of a text in lines: sentences, each of a line that is there, and not more than are told.
fn ensure_faults(faults: &[Fault], text: &str) -> Verdict {
    ensure(faults.len() <= MOST_FAULTS + 1, || format!("{} faults are told", faults.len()))?;
    let lines = text.lines().count().max(1);
    for fault in faults {
        ensure(fault.line.is_none_or(|no| (1..=lines).contains(&no)), || format!("{fault:?} of {lines} lines"))?;
        ensure_sentence(&fault.message)?;
    }
    Ok(())
}

/// Orders: read or refused by line; what was read prints as what reads the same; and whatever it is, a phase resolves
/// with it, the same each time.
fn check_orders(game: &dyn Game, state: &str, seat: Seat, desk: &dyn Desk, text: &str) -> Verdict {
    let examined = desk.examine(text);
    ensure_faults(&examined.faults, text)?;
    for line in &examined.lines {
        ensure_sentence(&line.words)?;
    }
    let canonical = examined.canonical();
    if !canonical.is_empty() {
        let again = desk.examine(&canonical);
        ensure(again.canonical() == canonical, || format!("{canonical:?} reads as {:?}", again.canonical()))?;
        let words = |examined: &stardate_engine::rules::Examined| -> Vec<String> {
            examined.lines.iter().map(|line| line.words.clone()).collect()
        };
        ensure(words(&again) == words(&examined), || format!("{canonical:?} means something else"))?;
        ensure(again.faults.len() == examined.faults.len(), || format!("{:?} {:?}", examined.faults, again.faults))?;
    }
    let plots = BTreeMap::from([(seat, text.to_owned())]);
    let resolve = || game.resolve(state, &plots, game.meta().edition, &mut Dice::for_phase(&[7; 32], 1));
    let (one, two) = (resolve().map_err(|fault| fault.to_string())?, resolve().map_err(|fault| fault.to_string())?);
    ensure(one.state == two.state, || "it resolves in two ways".to_owned())
}

fn orders_of(id: &str, target: &str, test: &str) {
    let engine = games::all().into_iter().find(|engine| engine.meta().id == id).unwrap();
    let game = loaded(&engine);
    let positions: Vec<(String, Seat)> = [1, 2, 3, 6, 9, 17, 30]
        .into_iter()
        .map(|phases| {
            let (state, seat, _) = middle(&game, phases);
            (state, seat)
        })
        .collect();
    let desks: Vec<_> = positions.iter().map(|(state, seat)| game.desk(state, *seat).unwrap()).collect();
    let mut seeds = Vec::new();
    for desk in &desks {
        seeds.push(desk.default_plot());
        let offers: Vec<String> =
            desk.offers().into_iter().flat_map(|slot| slot.offers).map(|offer| offer.order).collect();
        // A few at a time, and all together.
        seeds.extend(offers.chunks(offers.len().div_ceil(6).max(1)).map(|orders| orders.join("\n")));
    }
    fuzz::run(target, test, &seeds, 2_000, |text| {
        let mut all = positions.iter().zip(&desks);
        all.try_for_each(|((state, seat), desk)| check_orders(&*game, state, *seat, &**desk, text))
    });
}

#[test]
fn orders_of_conquest() {
    orders_of("conquest", "orders-conquest", "fuzz::orders_of_conquest");
}

#[test]
fn orders_of_imperial_conflict() {
    orders_of("imperial-conflict", "orders-imperial-conflict", "fuzz::orders_of_imperial_conflict");
}

#[test]
fn loadouts() {
    let games: Vec<_> = games::all().iter().map(loaded).collect();
    let stock = games.iter().flat_map(|game| game.stock_loadouts());
    let seeds: Vec<String> = stock.map(|loadout| loadout.text).collect();
    fuzz::run("loadouts", "fuzz::loadouts", &seeds, 10_000, |text| {
        games.iter().try_for_each(|game| match game.check_loadout(text) {
            Ok(canonical) => ensure(game.check_loadout(&canonical) == Ok(canonical.clone()), || {
                format!("{canonical:?} reads as {:?}", game.check_loadout(&canonical))
            }),
            Err(faults) => {
                ensure(!faults.is_empty(), || "it is refused without a word".to_owned())?;
                ensure_faults(&faults, text)
            }
        })
    });
}

/// Faults of data files or scenarios: sentences that name a file, and a line that is there.
fn ensure_data_faults(faults: &[DataFault], lines_of: impl Fn(&str) -> Option<usize>) -> Verdict {
    ensure(!faults.is_empty(), || "it is refused without a word".to_owned())?;
    for fault in faults {
        ensure_sentence(&fault.message)?;
        let lines = lines_of(&fault.file).ok_or_else(|| format!("no such file: {fault}"))?;
        ensure(fault.line.is_none_or(|no| (1..=lines).contains(&no)), || format!("{lines} lines, but: {fault}"))?;
    }
    Ok(())
}

/// The first answer to everything that is chosen.
fn first_answers(game: &dyn Game, fields: Vec<stardate_engine::rules::Field>) -> SeatSetup {
    let answer = |kind| match kind {
        FieldKind::Choice(choices) => choices.into_iter().next().map(|choice| choice.value),
        FieldKind::Loadout => game.stock_loadouts().into_iter().next().map(|stock| stock.text),
    };
    fields.into_iter().filter_map(|field| Some((field.key.to_owned(), answer(field.kind)?))).collect()
}

/// Files that were taken make a game that can be played.
fn check_playable(game: &dyn Game) -> Verdict {
    let options = first_answers(game, game.table_fields());
    let seats = *game.seats(&options).start();
    let setup = Setup { seats: vec![first_answers(game, game.seat_fields()); seats], options };
    let edition = game.meta().edition;
    let mut state = match game.setup(&setup, edition, &mut Dice::for_phase(&[7; 32], 0)) {
        Ok(step) => step.state,
        Err(faults) => {
            ensure(!faults.is_empty(), || "the set-up is refused without a word".to_owned())?;
            return faults.iter().try_for_each(|fault| ensure_sentence(fault));
        }
    };
    for phase_no in 1..8 {
        let Some(phase) = game.phase(&state).map_err(|fault| fault.to_string())? else { break };
        let mut plots = BTreeMap::new();
        for due in &phase.due {
            let desk = game.desk(&state, due.seat).map_err(|fault| fault.to_string())?;
            let text = desk.default_plot();
            let examined = desk.examine(&text);
            ensure(examined.faults.is_empty(), || format!("the default orders are refused: {:?}", examined.faults))?;
            // With as much as is offered on top, where that is legal.
            let offered: Vec<String> =
                desk.offers().into_iter().filter_map(|slot| Some(slot.offers.into_iter().next()?.order)).collect();
            let offered = offered.join("\n");
            let is_legal = desk.examine(&offered).faults.is_empty();
            plots.insert(due.seat, if is_legal { offered } else { text });
        }
        let step = game.resolve(&state, &plots, edition, &mut Dice::for_phase(&[7; 32], phase_no));
        state = step.map_err(|fault| fault.to_string())?.state;
    }
    Ok(())
}

/// A text whose first line is a path below the game's folder: the game's own files with this one in its place.
fn check_files(engine: &Arc<dyn Engine>, text: &str) -> Verdict {
    let (path, text) = text.split_once('\n').unwrap_or(("", text));
    let mut content: Content = engine.embedded();
    let count = content.len() + 1;
    content.insert(path.to_owned(), text.to_owned());
    match engine.load(&content) {
        Ok(game) => check_playable(&*game),
        Err(faults) => {
            ensure(faults.len() <= MOST_FILE_FAULTS * count, || format!("{} faults are told", faults.len()))?;
            ensure_data_faults(&faults, |file| content.get(file).map(|text| text.lines().count().max(1) + 1))
        }
    }
}

fn files_of(id: &str, target: &str, test: &str) {
    let engine = games::all().into_iter().find(|engine| engine.meta().id == id).unwrap();
    let seeds: Vec<String> = engine.embedded().iter().map(|(path, text)| format!("{path}\n{text}")).collect();
    fuzz::run(target, test, &seeds, 3_000, |text| check_files(&engine, text));
}

#[test]
fn files_of_conquest() {
    files_of("conquest", "files-conquest", "fuzz::files_of_conquest");
}

#[test]
fn files_of_imperial_conflict() {
    files_of("imperial-conflict", "files-imperial-conflict", "fuzz::files_of_imperial_conflict");
}

#[test]
fn scenarios() {
    let engines: Vec<_> = games::all().into_iter().map(scenario::load_once).collect();
    let mut paths = Vec::new();
    crate::scenarios::files_below(&crate::scenarios::folder(), &mut paths);
    paths.sort();
    let seeds: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    fuzz::run("scenarios", "fuzz::scenarios", &seeds, 3_000, |text| {
        match scenario::run("case.toml", text, &engines) {
            Ok(_) => Ok(()),
            Err(faults) => {
                ensure(faults.len() <= MOST_FILE_FAULTS * 2, || format!("{} faults are told", faults.len()))?;
                // Faults of a file within the scenario name that one, and its lines.
                let lines = text.lines().count() + 1;
                ensure_data_faults(&faults, |file| file.starts_with("case.toml").then_some(lines))
            }
        }
    });
}
