//! Every game's bots play legal games to their end, and the stronger one is stronger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stardate_engine::games;
use stardate_engine::rules::bot::ask;
use stardate_engine::rules::{Bot, Dice, Fate, Field, FieldKind, Game, Seat, SeatSetup, Setup};

/// Steps after which a game would be endless.
const MOST_STEPS: u32 = 8_000;

/// Games between the two bots of a game.
const DUELS: u64 = 24;

fn loaded() -> impl Iterator<Item = Arc<dyn Game>> {
    games::all().into_iter().map(|engine| engine.load(&engine.embedded()).unwrap())
}

/// Answers to everything that is chosen; another one for another number.
fn setup(game: &dyn Game, seats: usize, nth: usize) -> Setup {
    let mut rest = nth;
    let mut answers = |fields: Vec<Field>| -> SeatSetup {
        let answer = |field: Field| {
            let values: Vec<String> = match field.kind {
                FieldKind::Choice(choices) => choices.into_iter().map(|choice| choice.value).collect(),
                FieldKind::Loadout => game.stock_loadouts().into_iter().map(|stock| stock.text).collect(),
            };
            let value = values[rest % values.len()].clone();
            rest /= values.len();
            (field.key.to_owned(), value)
        };
        fields.into_iter().map(answer).collect()
    };
    let options = answers(game.table_fields());
    Setup { options, seats: (0..seats).map(|_| answers(game.seat_fields())).collect() }
}

/// Plays one game; the fates, and the texts of all orders.
fn play(game: &dyn Game, seats: &[&dyn Bot], setup: &Setup, seed: u64) -> (Vec<Fate>, String) {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    let mut chooser = Dice::for_seating(&secret);
    let mut state = game.setup(setup, game.meta().edition, &mut Dice::for_phase(&secret, 0)).unwrap().state;
    let mut orders = String::new();
    for step in 1.. {
        let Some(phase) = game.phase(&state).unwrap() else { break };
        assert!(step < MOST_STEPS, "an endless game, seed {seed}");
        let mut plots = BTreeMap::new();
        for due in phase.due {
            let text = ask(game, seats[due.seat.index()], &state, due.seat, &mut chooser).unwrap();
            let examined = game.examine(&state, due.seat, &text).unwrap();
            assert!(examined.faults.is_empty(), "seed {seed}: {text}{:?}", examined.faults);
            orders.push_str(&text);
            plots.insert(due.seat, examined.canonical());
        }
        state = game.resolve(&state, &plots, game.meta().edition, &mut Dice::for_phase(&secret, step)).unwrap().state;
    }
    (game.fates(&state).unwrap(), orders)
}

#[test]
fn every_game_has_bots_of_two_strengths_told_apart_by_name() {
    for game in loaded() {
        let bots = game.bots();
        assert!(bots.len() >= 2, "{}", game.meta().id);
        assert!(bots.is_sorted_by(|one, next| one.strength() < next.strength()), "the weakest first");
        let different =
            |of: fn(&dyn Bot) -> &'static str| bots.iter().map(|bot| of(&**bot)).collect::<BTreeSet<_>>().len();
        assert_eq!(different(|bot| bot.id()), bots.len());
        assert_eq!(different(|bot| bot.name()), bots.len());
        assert_eq!(different(|bot| bot.summary()), bots.len());
    }
}

/// `cargo bench --bench engine` measures it over 500 games, where 70 % are asked for: 90 % in ConQuest and 95 % in
/// Imperial Conflict. Of these few games the stronger must win three of four, each sitting first as often.
#[test]
fn the_stronger_bot_wins_clearly() {
    for game in loaded() {
        let bots = game.bots();
        let (weak, strong) = (&*bots[0], &*bots[bots.len() - 1]);
        let mut won = 0;
        for nth in 0..DUELS {
            let first = nth % 2 == 0;
            let (seats, stronger) = if first { ([strong, weak], Seat::A) } else { ([weak, strong], Seat::B) };
            let setup = setup(&*game, 2, usize::try_from(nth / 2 * 7).unwrap());
            let (fates, _) = play(&*game, &seats, &setup, nth);
            won += u64::from(fates[stronger.index()] == Fate::Won);
        }
        let name = game.meta().name;
        assert!(won * 4 >= DUELS * 3, "the stronger bot of {name} won {won} of {DUELS} games");
    }
}

#[test]
fn bots_play_tables_of_every_size_to_the_end_and_alike_with_the_same_dice() {
    for game in loaded() {
        for seats in game.meta().seats.clone() {
            let choices = setup(&*game, seats, seats);
            if !game.seats(&choices.options).contains(&seats) {
                continue;
            }
            let bots = game.bots();
            let playing: Vec<&dyn Bot> = (0..seats).map(|seat| &*bots[seat % bots.len()]).collect();
            let (fates, orders) = play(&*game, &playing, &choices, 7);
            assert!(!fates.contains(&Fate::Active), "{fates:?}");
            let again = play(&*game, &playing, &choices, 7);
            assert_eq!((fates, orders), again, "a bot's choices come from its own dice alone");
        }
    }
}
