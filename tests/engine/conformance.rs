//! The laws every game keeps, checked on random legal play made of what the game itself offers.
//!
//! Nothing here knows a game, except for what `conserved` counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use stardate_engine::games;
use stardate_engine::rules::bot::ask;
use stardate_engine::rules::{
    Content, Desk, Dice, Engine, Fate, FieldKind, Game, Leaving, Phase, ReportEntry, Seat, SeatSetup, Setup, StepJson,
};

use crate::shared::long::times;

/// Whole games of ConQuest and of other games played at random: in every run, and under `tests/run --long`.
const GAMES: [(u64, u64); 2] = [(40, 500), (40, 300)];

/// Every so many phases all laws are checked; the cheap ones always.
const EVERY: u32 = 48;

/// No game may need more phases than this.
const MOST_PHASES: u32 = 400;

/// Phases after which the clock takes over a game in which nobody need ever attack: from then on whoever is due is
/// dropped. Every eighth game goes on for eight times as long.
const PATIENCE: u32 = 40;

/// One in so many games is played by the game's own bots, and so to an end by its own rules.
const BOTS_EVERY: u64 = 20;

/// No game of bots may need more phases than this.
const MOST_PHASES_OF_BOTS: u32 = 8_000;

/// At most so many offers of one seat are examined one by one.
const MOST_EXAMINED: usize = 40;

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
    let options = answers(game, game.table_fields(), chance);
    let counts: Vec<usize> = game.seats(&options).collect();
    let seats = counts[chance.below(counts.len())];
    let seats = (0..seats).map(|_| answers(game, game.seat_fields(), chance)).collect();
    Setup { options, seats }
}

fn answers(game: &dyn Game, fields: Vec<stardate_engine::rules::Field>, chance: &mut Chance) -> SeatSetup {
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

/// A legal plot of what is offered: most of the slots, faulty lines out again until nothing is wrong.
fn random_plot(desk: &dyn Desk, chance: &mut Chance) -> String {
    let mut lines: Vec<String> = Vec::new();
    for slot in desk.offers() {
        assert!(!slot.offers.is_empty(), "slot {} offers nothing", slot.key);
        if !chance.one_in(3) {
            lines.push(slot.offers[chance.below(slot.offers.len())].order.clone());
        }
    }
    loop {
        let text = lines.join("\n");
        let examined = desk.examine(&text);
        if examined.faults.is_empty() {
            assert_eq!(examined.canonical(), lines.iter().map(|line| format!("{line}\n")).collect::<String>());
            return text;
        }
        if lines.is_empty() {
            // In this game saying nothing is no plot.
            return desk.default_plot();
        }
        let mut bad: Vec<usize> = examined.faults.iter().filter_map(|fault| fault.line).collect();
        assert!(bad.iter().all(|no| (1..=lines.len()).contains(no)), "{text}\n{:?}", examined.faults);
        if bad.is_empty() {
            bad.push(chance.below(lines.len()) + 1);
        }
        let mut no = 0;
        lines.retain(|_| {
            no += 1;
            !bad.contains(&no)
        });
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
        Playing { game: Arc::clone(game), secret: secret(seed), seats: Vec::new(), chance: Chance::new(seed) }
    }

    fn start(&mut self) -> StepJson {
        let setup = random_setup(&*self.game, &mut self.chance);
        self.seats = Seat::first(setup.seats.len()).collect();
        let first = self.game.setup(&setup, self.game.meta().edition, &mut Dice::for_phase(&self.secret, 0)).unwrap();
        let again = self.game.setup(&setup, self.game.meta().edition, &mut Dice::for_phase(&self.secret, 0)).unwrap();
        assert_eq!(first.state, again.state, "a setup is a function");
        first
    }

    /// Resolves twice with the same dice and sees that nothing differs.
    fn resolve(&self, state: &str, plots: &BTreeMap<Seat, String>, phase_no: u32, twice: bool) -> StepJson {
        let step = self
            .game
            .resolve(state, plots, self.game.meta().edition, &mut Dice::for_phase(&self.secret, phase_no))
            .unwrap();
        if twice {
            let again = self
                .game
                .resolve(state, plots, self.game.meta().edition, &mut Dice::for_phase(&self.secret, phase_no))
                .unwrap();
            assert_eq!(step.state, again.state, "resolving is a function");
            assert_eq!(step.report, again.report, "resolving is a function");
        }
        step
    }

    /// What the game's bots order, each at a seat.
    fn plots_of_bots(&mut self, state: &str, phase: &Phase) -> BTreeMap<Seat, String> {
        let bots = self.game.bots();
        let mut chooser = Dice::for_seating(&secret(self.chance.0.next_u64()));
        let mut plots = BTreeMap::new();
        for due in &phase.due {
            let bot = &*bots[due.seat.index() % bots.len()];
            let text = ask(&*self.game, bot, state, due.seat, &mut chooser).unwrap();
            let examined = self.game.examine(state, due.seat, &text).unwrap();
            assert!(examined.faults.is_empty(), "{}: {text}{:?}", bot.id(), examined.faults);
            plots.insert(due.seat, examined.canonical());
        }
        plots
    }

    fn viewers(&self) -> Vec<Option<Seat>> {
        self.seats.iter().copied().map(Some).chain([None]).collect()
    }

    /// Everything a viewer can be shown can be shown, before and after the end.
    fn check_views(&self, state: &str, report: &[ReportEntry]) {
        for viewer in self.viewers() {
            let view: serde_json::Value = serde_json::from_str(&self.game.view(state, viewer).unwrap()).unwrap();
            assert!(view.is_object());
            assert!(!self.game.position(state, viewer).unwrap().is_empty());
            for ended in [false, true] {
                let condensed = self.game.digest(report, viewer, ended).unwrap();
                assert!(condensed.iter().all(|line| !line.trim().is_empty()));
            }
            for entry in report {
                let told = self.game.tell(entry, viewer, false).unwrap();
                assert_eq!(told.is_some(), entry.audience.includes(viewer));
                let told = self.game.tell(entry, viewer, true).unwrap().expect("afterwards everybody reads all");
                assert!(!told.trim().is_empty());
            }
        }
    }

    /// Whoever is asked has a choice, each offer is legal by itself, and the plot of those who say nothing is.
    fn check_offers(&self, state: &str, phase: &Phase) {
        assert!(!phase.due.is_empty(), "a phase asks somebody");
        for seat in self.seats.iter().copied() {
            let asked = phase.due.iter().any(|due| due.seat == seat);
            let desk = self.game.desk(state, seat).unwrap();
            let slots = desk.offers();
            assert_eq!(asked, !slots.is_empty(), "{seat} in {}", phase.key);
            let mut keys: Vec<&str> = slots.iter().map(|slot| slot.key.as_str()).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), slots.len(), "the keys of slots are unique");
            let offers: Vec<_> = slots.iter().flat_map(|slot| &slot.offers).collect();
            for offer in offers.iter().step_by(offers.len() / MOST_EXAMINED + 1) {
                let examined = desk.examine(&offer.order);
                assert!(examined.faults.is_empty(), "{seat}: “{}”: {:?}", offer.order, examined.faults);
                assert_eq!(examined.canonical().trim_end(), offer.order);
                assert!(!examined.lines[0].words.is_empty() && !offer.label.is_empty());
            }
            let nothing = desk.default_plot();
            assert!(desk.examine(&nothing).faults.is_empty());
            assert_eq!(nothing, self.game.default_plot(state, seat).unwrap());
        }
    }

    /// What only one seat knows changes nothing for the others: not what they see, not what they may order,
    /// not how they are refused.
    fn check_secrets(&mut self, state: &str, phase: &Phase) {
        for keeper in self.seats.clone() {
            let Some(twin) = other_secrets(&*self.game, state, keeper, &mut self.chance) else { continue };
            assert_ne!(twin, state);
            // Who owes orders is open to all, though it follows from what they hold.
            assert_eq!(self.game.phase(&twin).unwrap().as_ref(), Some(phase));
            let orders = |seat: Seat| {
                let slots = self.game.offers(state, seat).unwrap();
                slots.into_iter().flat_map(|slot| slot.offers).map(|offer| offer.order).take(40).collect::<Vec<_>>()
            };
            let texts: Vec<String> = self.seats.iter().flat_map(|seat| orders(*seat)).collect();
            for viewer in self.viewers().into_iter().filter(|viewer| *viewer != Some(keeper)) {
                assert_eq!(self.game.view(state, viewer).unwrap(), self.game.view(&twin, viewer).unwrap());
                assert_eq!(self.game.position(state, viewer).unwrap(), self.game.position(&twin, viewer).unwrap());
                let Some(seat) = viewer else { continue };
                let (desk, other) = (self.game.desk(state, seat).unwrap(), self.game.desk(&twin, seat).unwrap());
                assert_eq!(desk.offers(), other.offers());
                for text in texts.iter().chain([&texts.join("\n")]) {
                    assert_eq!(desk.examine(text), other.examine(text), "{text}");
                }
            }
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
    let mut total = conserved(&**game, &step.state);
    let patience = patience(&**game, seed);
    let by_bots = seed % BOTS_EVERY == 3;
    let (mut state, mut report, mut phase_no) = (step.state, step.report, 0);
    loop {
        let phase = game.phase(&state).unwrap();
        if phase_no > 0 {
            total += accounted(&**game, &report);
        }
        let thorough = (phase_no + u32::try_from(seed % u64::from(EVERY)).unwrap()) % EVERY == 0;
        if thorough || phase.is_none() || phase_no % 4 == 0 {
            assert_eq!(conserved(&**game, &state), total, "nothing appears or vanishes");
        }
        if thorough || phase.is_none() {
            playing.check_fates(&state, phase.is_none());
            playing.check_views(&state, &report);
        }
        let Some(phase) = phase else {
            let left = |fate: &Fate| matches!(fate, Fate::Resigned | Fate::Dropped);
            assert!(!by_bots || !game.fates(&state).unwrap().iter().any(left), "no bot leaves");
            return phase_no;
        };
        if thorough {
            playing.check_offers(&state, &phase);
            playing.check_secrets(&state, &phase);
        }
        phase_no += 1;
        assert!(phase_no < if by_bots { MOST_PHASES_OF_BOTS } else { MOST_PHASES }, "a game ends");
        if by_bots {
            let plots = playing.plots_of_bots(&state, &phase);
            let step = playing.resolve(&state, &plots, phase_no, thorough);
            (state, report) = (step.state, step.report);
            continue;
        }
        let tired = patience.is_some_and(|patience| phase_no > patience);
        if tired || playing.chance.one_in(MOST_PHASES as usize) {
            let how = if tired || playing.chance.one_in(2) { Leaving::Dropped } else { Leaving::Resigned };
            let any = playing.seats[playing.chance.below(playing.seats.len())];
            let leaver = if tired { phase.due[0].seat } else { any };
            let step = game
                .leave(&state, &[(leaver, how)], game.meta().edition, &mut Dice::for_phase(&playing.secret, phase_no))
                .unwrap();
            assert_ne!(game.fates(&step.state).unwrap()[leaver.index()], Fate::Active);
            (state, report) = (step.state, step.report);
            continue;
        }
        let mut plots = BTreeMap::new();
        for due in &phase.due {
            if !playing.chance.one_in(20) {
                let desk = game.desk(&state, due.seat).unwrap();
                plots.insert(due.seat, random_plot(&*desk, &mut playing.chance));
            }
        }
        let step = playing.resolve(&state, &plots, phase_no, thorough);
        (state, report) = (step.state, step.report);
    }
}

/// After how many phases the clock ends a game that need not end by itself.
fn patience(game: &dyn Game, seed: u64) -> Option<u32> {
    let long = seed.is_multiple_of(8);
    (game.meta().id == "imperial-conflict").then_some(if long { 8 * PATIENCE } else { PATIENCE })
}

/// How many whole games are played.
fn games_of(game: &dyn Game) -> u64 {
    let (short, long) = if game.meta().id == "conquest" { GAMES[0] } else { GAMES[1] };
    times(short, long)
}

/// What the report says has come to be or is gone of what is conserved otherwise.
fn accounted(game: &dyn Game, report: &[ReportEntry]) -> i64 {
    if game.meta().id != "imperial-conflict" {
        return 0;
    }
    // Armies come by placing and by matching cards, and go by dice.
    let of = |entry: &ReportEntry| {
        let (kind, event) = entry.event.as_object().unwrap().iter().next().unwrap();
        let number = |key: &str| event[key].as_i64().unwrap();
        match kind.as_str() {
            "deployed" => number("armies"),
            "took_back_deployment" => -number("armies"),
            "exchanged" => 2 * i64::try_from(event["bonus"].as_array().unwrap().len()).unwrap(),
            "placed" => event["armies"].as_array().unwrap().iter().map(|one| one[1].as_i64().unwrap()).sum(),
            "rolled" => -number("attacker_lost") - number("defender_lost"),
            _ => 0,
        }
    };
    report.iter().map(of).sum()
}

/// What never changes over a game, besides what its reports account for.
fn conserved(game: &dyn Game, state: &str) -> i64 {
    match game.meta().id {
        "conquest" => conquest_pieces(&game.facts(state).unwrap()),
        "imperial-conflict" => imperial_armies(&game.facts(state).unwrap()),
        other => panic!("say here what {other} conserves"),
    }
}

/// Every piece is in a Control Group, in play or removed; items count with their bearers. On the way: no
/// Control Points below zero, no unique type twice in play.
fn conquest_pieces(facts: &BTreeMap<String, String>) -> i64 {
    let mut pieces = 0;
    let mut in_play = BTreeMap::<&str, u32>::new();
    for (key, value) in facts {
        if key.starts_with("group_size.") {
            pieces += value.parse::<i64>().unwrap();
        } else if key.starts_with("cp.") {
            assert!(value.parse::<i64>().unwrap() >= 0, "{key} is {value}");
        } else if let Some((handle, "type" | "items")) = key.split_once('.') {
            for kind in value.split_whitespace() {
                pieces += 1;
                if facts[&format!("{handle}.place")] != "removed" {
                    *in_play.entry(kind).or_default() += 1;
                }
            }
        }
    }
    assert!(in_play.iter().all(|(id, count)| *count < 2 || !is_unique(id)), "{in_play:?}");
    pieces
}

/// Armies on the map. On the way: every card is in one place.
fn imperial_armies(facts: &BTreeMap<String, String>) -> i64 {
    let piles = facts.iter().filter(|(key, _)| key.starts_with("cards.") || *key == "deck" || *key == "discard");
    let mut cards: Vec<&str> = piles.flat_map(|(_, codes)| codes.split_whitespace()).collect();
    cards.sort_unstable();
    let is_code = |key: &&str| key.len() == 3 && key.bytes().all(|letter| letter.is_ascii_uppercase());
    let countries: Vec<&str> = facts.keys().map(String::as_str).filter(is_code).collect();
    assert_eq!(cards, countries, "every country has one card");
    let armies = facts.iter().filter(|(key, _)| key.starts_with("armies."));
    armies.map(|(_, armies)| armies.parse::<i64>().unwrap()).sum()
}

/// The same position as others see it, with other secrets of this seat; `None` when it has none.
fn other_secrets(game: &dyn Game, state: &str, keeper: Seat, chance: &mut Chance) -> Option<String> {
    match game.meta().id {
        "conquest" => Some(other_group(game, state, keeper, chance)),
        "imperial-conflict" => other_cards(state, keeper),
        other => panic!("say here what is secret in {other}"),
    }
}

/// One card of the hand changes places with one of the deck, which lies the other way round.
fn other_cards(state: &str, keeper: Seat) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(state).unwrap();
    let (hand, deck) = (value["hands"][keeper.index()][0].clone(), value["deck"][0].clone());
    if hand.is_null() || deck.is_null() {
        return None;
    }
    value["hands"][keeper.index()][0] = deck;
    value["hands"][keeper.index()].as_array_mut().unwrap().sort_by_key(serde_json::Value::as_u64);
    value["deck"][0] = hand;
    value["deck"].as_array_mut().unwrap().reverse();
    Some(value.to_string())
}

fn other_group(game: &dyn Game, state: &str, keeper: Seat, chance: &mut Chance) -> String {
    let mut value: serde_json::Value = serde_json::from_str(state).unwrap();
    let side = &mut value["sides"][keeper.index()];
    // Another Control Group of the same size.
    let held = side["group"].as_object().unwrap();
    let size: u64 = held.values().map(|count| count.as_u64().unwrap()).sum();
    let stock = game.stock_loadouts();
    let text = &stock[chance.below(stock.len())].text;
    // The first line is the Q, which is in play.
    let pieces = text.lines().skip(1).filter_map(|line| line.split_once(' '));
    let pieces = pieces.flat_map(|(count, id)| vec![id; count.parse().unwrap()]);
    let mut group = serde_json::Map::new();
    for id in pieces.skip(usize::try_from(40 - size).unwrap()) {
        let count = group.get(id).and_then(serde_json::Value::as_u64).unwrap_or(0);
        group.insert(id.to_owned(), (count + 1).into());
    }
    side["group"] = group.into();
    // And another doctrine.
    side["doctrine"] = if side["doctrine"] == "ask" { "default" } else { "ask" }.into();
    value.to_string()
}

/// The unique types of ConQuest's own set, read from its files without the game's loader.
fn is_unique(id: &str) -> bool {
    static UNIQUE: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let engine = games::all().into_iter().find(|engine| engine.meta().id == "conquest").unwrap();
        let files: Content = engine.embedded();
        let mut unique = BTreeSet::new();
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
        let count = games_of(&*game);
        let phases: u32 = std::thread::scope(|scope| {
            let game = &game;
            let threads: Vec<_> = (0..workers)
                .map(|worker| {
                    scope
                        .spawn(move || (0..count).filter(|n| n % workers == worker).map(|n| play(game, n)).sum::<u32>())
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .sum::<u32>()
        });
        eprintln!("{}: {count} games, {phases} phases.", game.meta().name);
        assert!(u64::from(phases) > count * 10, "{phases} phases are too few to show anything");
    }
}

/// A position in the middle of a game, with the words that orders in it are made of.
pub fn middle(game: &Arc<dyn Game>, phases: u32) -> (String, Seat, Vec<String>) {
    let mut playing = Playing::new(game, 77);
    let mut state = playing.start().state;
    let mut words = BTreeSet::new();
    let mut asked = Seat::A;
    for phase_no in 1..=phases {
        let Some(phase) = game.phase(&state).unwrap() else { break };
        let mut plots = BTreeMap::new();
        for due in &phase.due {
            let desk = game.desk(&state, due.seat).unwrap();
            for offer in desk.offers().into_iter().flat_map(|slot| slot.offers) {
                words.extend(offer.order.split_whitespace().map(str::to_owned));
            }
            plots.insert(due.seat, random_plot(&*desk, &mut playing.chance));
        }
        asked = phase.due[0].seat;
        if phase_no < phases {
            state = playing.resolve(&state, &plots, phase_no, false).state;
        }
    }
    (state, asked, words.into_iter().collect())
}

/// Texts handed in: nonsense, and words of real orders put together anyhow.
fn texts(words: Vec<String>) -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => prop::sample::select(words),
        1 => "[ -~]{0,8}",
        1 => any::<String>(),
        1 => prop::sample::select(vec!["#", "x2", "x99999999999", "q", "Q", "on", "to", "against", "A0", "B999999", "-1"])
            .prop_map(str::to_owned),
    ];
    let line = prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

#[test]
fn any_text_is_read_or_refused_by_line_and_reads_back_as_itself() {
    for engine in games::all() {
        let game = loaded(&engine);
        for phases in [1, 4, 9, 17, 30] {
            let (state, seat, words) = middle(&game, phases);
            let desk = game.desk(&state, seat).unwrap();
            let mut runner =
                TestRunner::new(Config { cases: times(200, 2_000), failure_persistence: None, ..Config::default() });
            let outcome = runner.run(&texts(words), |text| {
                let examined = desk.examine(&text);
                let lines = text.lines().count();
                for fault in &examined.faults {
                    prop_assert!(fault.line.is_none_or(|no| (1..=lines).contains(&no)), "{fault} of {text:?}");
                    prop_assert!(!fault.message.is_empty());
                }
                let canonical = examined.canonical();
                let again = desk.examine(&canonical);
                prop_assert_eq!(again.canonical(), canonical.clone(), "{:?}", text);
                if !canonical.is_empty() {
                    prop_assert_eq!(again.faults.len(), examined.faults.len());
                }
                Ok(())
            });
            assert!(outcome.is_ok(), "{outcome:?}");
        }
    }
}
