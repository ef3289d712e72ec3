//! The laws every game keeps, checked on random legal play made of what the game itself offers.
//!
//! Nothing here knows a game, except for what `conserved` counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use stardate::games;
use stardate::rules::{
    Content, Dice, Engine, Fate, FieldKind, Game, Leaving, Phase, ReportEntry, Seat, SeatSetup, Setup, StepJson,
};

/// Whole games played at random.
const GAMES: u64 = 100;

/// Every so many phases all laws are checked; the cheap ones always.
const EVERY: u32 = 16;

/// No game may need more phases than this.
const MOST_PHASES: u32 = 400;

/// Random choices of the players, apart from the dice of the game.
struct Chance(ChaCha20Rng);

impl Chance {
    fn new(seed: u64) -> Chance {
        Chance(ChaCha20Rng::seed_from_u64(seed))
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.0.next_u64() % u64::try_from(count.max(1)).unwrap()).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

fn loaded(engine: &Arc<dyn Engine>) -> Arc<dyn Game> {
    engine.load(&engine.embedded()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn secret(seed: u64) -> [u8; 32] {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    secret
}

/// A table with random answers to everything that is chosen.
fn random_setup(game: &dyn Game, chance: &mut Chance) -> Setup {
    let seats = *game.meta().seats.start();
    let options = answers(game, game.table_fields(), chance);
    let seats = (0..seats).map(|_| answers(game, game.seat_fields(), chance)).collect();
    Setup { options, seats }
}

fn answers(game: &dyn Game, fields: Vec<stardate::rules::Field>, chance: &mut Chance) -> SeatSetup {
    fields
        .into_iter()
        .map(|field| {
            let answer = match field.kind {
                FieldKind::Choice(choices) => choices[chance.below(choices.len())].value.clone(),
                FieldKind::Loadout => {
                    let stock = game.stock_loadouts();
                    stock[chance.below(stock.len())].text.clone()
                }
            };
            (field.key.to_owned(), answer)
        })
        .collect()
}

/// A legal plot of what is offered: about half of the slots, lines out again until nothing is wrong.
fn random_plot(game: &dyn Game, state: &str, seat: Seat, chance: &mut Chance) -> String {
    let mut lines: Vec<String> = Vec::new();
    for slot in game.offers(state, seat).unwrap() {
        assert!(!slot.offers.is_empty(), "slot {} of {seat} offers nothing", slot.key);
        if !chance.one_in(3) {
            lines.push(slot.offers[chance.below(slot.offers.len())].order.clone());
        }
    }
    loop {
        let text = lines.join("\n");
        let examined = game.examine(state, seat, &text).unwrap();
        if examined.faults.is_empty() {
            assert_eq!(examined.canonical(), lines.iter().map(|line| format!("{line}\n")).collect::<String>());
            return text;
        }
        let bad: Vec<usize> = examined.faults.iter().filter_map(|fault| fault.line).collect();
        assert!(bad.iter().all(|no| (1..=lines.len()).contains(no)), "{text}\n{:?}", examined.faults);
        if bad.is_empty() {
            lines.remove(chance.below(lines.len()));
        } else {
            let mut no = 0;
            lines.retain(|_| {
                no += 1;
                !bad.contains(&no)
            });
        }
    }
}

struct Playing {
    game: Arc<dyn Game>,
    secret: [u8; 32],
    seats: Vec<Seat>,
    chance: Chance,
}

impl Playing {
    fn new(game: &Arc<dyn Game>, seed: u64) -> Playing {
        let seats = Seat::first(*game.meta().seats.start()).collect();
        Playing { game: Arc::clone(game), secret: secret(seed), seats, chance: Chance::new(seed) }
    }

    fn start(&mut self) -> StepJson {
        let setup = random_setup(&*self.game, &mut self.chance);
        let first = self.game.setup(&setup, &mut Dice::for_phase(&self.secret, 0)).unwrap();
        let again = self.game.setup(&setup, &mut Dice::for_phase(&self.secret, 0)).unwrap();
        assert_eq!(first.state, again.state, "a setup is a function");
        first
    }

    /// Resolves twice with the same dice and sees that nothing differs.
    fn resolve(&self, state: &str, plots: &BTreeMap<Seat, String>, phase_no: u32, twice: bool) -> StepJson {
        let step = self.game.resolve(state, plots, &mut Dice::for_phase(&self.secret, phase_no)).unwrap();
        if twice {
            let again = self.game.resolve(state, plots, &mut Dice::for_phase(&self.secret, phase_no)).unwrap();
            assert_eq!(step.state, again.state, "resolving is a function");
            assert_eq!(step.report, again.report, "resolving is a function");
        }
        step
    }

    fn viewers(&self) -> Vec<Option<Seat>> {
        self.seats.iter().copied().map(Some).chain([None]).collect()
    }

    /// Everything a viewer can be shown can be shown, before and after the end.
    fn check_views(&self, state: &str, report: &[ReportEntry]) {
        for viewer in self.viewers() {
            let view = self.game.view(state, viewer).unwrap();
            assert_eq!(view, self.game.view(state, viewer).unwrap());
            assert!(!self.game.position(state, viewer).unwrap().is_empty());
            for entry in report {
                let told = self.game.tell(entry, viewer, false).unwrap();
                assert_eq!(told.is_some(), entry.audience.includes(viewer));
                let told = self.game.tell(entry, viewer, true).unwrap().expect("afterwards everybody reads all");
                assert!(!told.trim().is_empty());
            }
        }
        let value: serde_json::Value = serde_json::from_str(state).unwrap();
        assert!(value.is_object() || value.is_array() || value.is_string());
    }

    /// Whoever is asked has a choice, each offer is legal by itself, and the plot of those who say nothing is.
    fn check_offers(&self, state: &str, phase: &Phase) {
        assert!(!phase.due.is_empty(), "a phase asks somebody");
        for seat in self.seats.iter().copied() {
            let asked = phase.due.iter().any(|due| due.seat == seat);
            let slots = self.game.offers(state, seat).unwrap();
            assert_eq!(asked, !slots.is_empty(), "{seat} in {}", phase.key);
            let mut keys: Vec<&str> = slots.iter().map(|slot| slot.key.as_str()).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), slots.len(), "the keys of slots are unique");
            for offer in slots.iter().flat_map(|slot| &slot.offers) {
                let examined = self.game.examine(state, seat, &offer.order).unwrap();
                assert!(examined.faults.is_empty(), "{seat}: “{}”: {:?}", offer.order, examined.faults);
                assert_eq!(examined.canonical().trim_end(), offer.order);
                assert!(!examined.lines[0].words.is_empty() && !offer.label.is_empty());
            }
            let nothing = self.game.default_plot(state, seat).unwrap();
            assert!(self.game.examine(state, seat, &nothing).unwrap().faults.is_empty());
        }
    }

    fn check_fates(&self, state: &str, over: bool) {
        let fates = self.game.fates(state).unwrap();
        assert_eq!(fates.len(), self.seats.len());
        if over {
            assert!(fates.iter().all(|fate| *fate != Fate::Active), "{fates:?}");
            for seat in self.seats.iter().copied() {
                assert!(self.game.offers(state, seat).unwrap().is_empty());
            }
        }
    }
}

/// One whole game at random; how many phases it took.
fn play(game: &Arc<dyn Game>, seed: u64) -> u32 {
    let mut playing = Playing::new(game, seed);
    let step = playing.start();
    let total = conserved(&**game, &step.state);
    let (mut state, mut report, mut phase_no) = (step.state, step.report, 0);
    loop {
        let phase = game.phase(&state).unwrap();
        playing.check_fates(&state, phase.is_none());
        assert_eq!(conserved(&**game, &state), total, "nothing appears or vanishes");
        let thorough = (phase_no + u32::try_from(seed % u64::from(EVERY)).unwrap()) % EVERY == 0;
        if thorough || phase.is_none() {
            playing.check_views(&state, &report);
        }
        let Some(phase) = phase else { return phase_no };
        if thorough {
            playing.check_offers(&state, &phase);
        }
        phase_no += 1;
        assert!(phase_no < MOST_PHASES, "a game ends");
        if playing.chance.one_in(MOST_PHASES as usize) {
            let how = if playing.chance.one_in(2) { Leaving::Resigned } else { Leaving::Dropped };
            let leaver = playing.seats[playing.chance.below(playing.seats.len())];
            let step = game.leave(&state, &[(leaver, how)], &mut Dice::for_phase(&playing.secret, phase_no)).unwrap();
            assert_ne!(game.fates(&step.state).unwrap()[leaver.index()], Fate::Active);
            (state, report) = (step.state, step.report);
            continue;
        }
        let mut plots = BTreeMap::new();
        for due in &phase.due {
            if !playing.chance.one_in(20) {
                plots.insert(due.seat, random_plot(&**game, &state, due.seat, &mut playing.chance));
            }
        }
        let step = playing.resolve(&state, &plots, phase_no, thorough);
        (state, report) = (step.state, step.report);
    }
}

/// What never changes over a game.
fn conserved(game: &dyn Game, state: &str) -> i64 {
    let facts = game.facts(state).unwrap();
    match game.meta().id {
        // Every piece is in a Control Group, in play or removed; items count with their bearers.
        "conquest" => {
            let mut pieces = 0;
            let mut kinds = std::collections::BTreeMap::<&str, u32>::new();
            for (key, value) in &facts {
                if key.starts_with("group_size.") {
                    pieces += value.parse::<i64>().unwrap();
                } else if key.starts_with("cp.") {
                    assert!(value.parse::<i64>().unwrap() >= 0, "{key} is {value}");
                } else if let Some(handle) = key.strip_suffix(".type") {
                    pieces += 1;
                    if facts[&format!("{handle}.place")] != "removed" {
                        *kinds.entry(value).or_default() += 1;
                    }
                } else if let Some(handle) = key.strip_suffix(".items") {
                    pieces += i64::try_from(value.split_whitespace().count()).unwrap();
                    if facts[&format!("{handle}.place")] != "removed" {
                        for item in value.split_whitespace() {
                            *kinds.entry(item).or_default() += 1;
                        }
                    }
                }
            }
            assert!(kinds.iter().all(|(id, count)| *count < 2 || !is_unique(id)), "{kinds:?}");
            pieces
        }
        _ => 0,
    }
}

/// The unique types of ConQuest's own set, read from its files without the game's loader.
fn is_unique(id: &str) -> bool {
    static UNIQUE: std::sync::LazyLock<std::collections::BTreeSet<String>> = std::sync::LazyLock::new(|| {
        let engine = games::all().into_iter().find(|engine| engine.meta().id == "conquest").unwrap();
        let files: Content = engine.embedded();
        let mut unique = std::collections::BTreeSet::new();
        for (_, text) in files.iter().filter(|(path, _)| path.starts_with("pieces/")) {
            let table: toml::Table = text.parse().unwrap();
            for piece in table["piece"].as_array().unwrap() {
                if piece.get("unique").and_then(toml::Value::as_bool) == Some(true) {
                    unique.insert(piece["id"].as_str().unwrap().to_owned());
                }
            }
        }
        unique
    });
    UNIQUE.contains(id)
}

#[test]
fn random_games_keep_the_laws() {
    for engine in games::all() {
        let game = loaded(&engine);
        let workers = 4;
        let phases: u32 = std::thread::scope(|scope| {
            let game = &game;
            let threads: Vec<_> = (0..workers)
                .map(|worker| {
                    scope
                        .spawn(move || (0..GAMES).filter(|n| n % workers == worker).map(|n| play(game, n)).sum::<u32>())
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .sum::<u32>()
        });
        assert!(u64::from(phases) > GAMES * 10, "{phases} phases are too few to show anything");
    }
}
