//! Tests of what scenario files don't reach: texts, notation, givens that are refused, plots nobody checked.

use std::sync::LazyLock;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

use super::event::Event;
use super::handle::Handle;
use super::order::{BeamEnd, DoctrineOrder, Order};
use super::*;
use crate::rules::{Audience, Entry};

static DATA: LazyLock<Data> = LazyLock::new(|| {
    let rules = ConQuest::new();
    rules.load(&rules.embedded()).expect("the files of the game are fine")
});

fn given(text: &str) -> Result<State, Vec<String>> {
    ConQuest::new().given(&DATA, &text.parse().expect("the test writes TOML"))
}

/// Both sides on one planet and in one region, a Q aboard, items about.
const MELEE: &str = r#"
map = "elemental-rim"
phase = "attack"
cp = { A = 9, B = 7 }
group = { A = ["klingon-lieutenant", "batleth"], B = ["batleth"] }
pieces.A0 = { at = "A3" }
pieces.A1 = { type = "klingon-lieutenant", at = "brine", items = ["batleth", "assimilation-tubules"] }
pieces.A2 = { type = "borg-drone", at = "brine", damage = 2 }
pieces.A3 = { type = "borg-cube", at = "neutral-zone", damage = 12 }
pieces.A4 = { type = "locutus", at = "A3" }
pieces.B0 = { at = "loam" }
pieces.B1 = { type = "heavy-drone", at = "brine" }
pieces.B2 = { type = "borg-drone", at = "brine" }
pieces.B3 = { type = "unicomplex-shard", at = "neutral-zone" }
"#;

fn resolved(state: State, plots: &[(Seat, &str)], dice: Vec<i64>) -> (State, Vec<Entry<Event>>) {
    let rules = ConQuest::new();
    let plots = plots.iter().map(|(seat, text)| {
        let view = rules.orders_view(&DATA, &state, *seat);
        let lines = rules.parse(&DATA, &view, text).expect("the test writes orders that can be read");
        (*seat, lines.into_iter().map(|line| line.order).collect())
    });
    let plots = plots.collect();
    let step = rules.resolve(&DATA, state, &plots, edition::CURRENT, &mut Dice::scripted(dice));
    (step.state, step.report)
}

#[test]
fn a_plot_that_leaves_damage_unassigned_says_what_becomes_of_it() {
    let rules = ConQuest::new();
    let attack = given(MELEE).expect("the position is fine");
    let (defence, _) = resolved(attack, &[(Seat::A, "attack A1 B1\nattack A2 B1")], vec![]);
    let (damage, _) = resolved(defence, &[(Seat::B, "defend B1 against A1\ndefend B2 against A1")], vec![1, 1, 2, 3]);
    assert_eq!(damage.stage.phase(), PhaseKey::Damage);
    let view = rules.orders_view(&DATA, &damage, Seat::A);
    let amounts: Vec<i32> = view.blows.iter().filter(|blow| blow.seat == Seat::A).map(|blow| blow.amount).collect();
    let [first, second] = amounts[..] else { panic!("A has two amounts to assign, not {amounts:?}") };
    let read = |text: &str| rules.left_open(&view, &rules.parse(&DATA, &view, text).expect("legal orders"));
    let default = "the default doctrine: lose the fewest pieces, then the cheapest.";
    assert_eq!(read("pass"), [format!("Not assigned: {first} and {second}. These amounts go by {default}")]);
    let one = format!("damage {first} A2\n");
    assert_eq!(read(&one), [format!("Not assigned: {second}. This amount goes by {default}")]);
    let spare = read(&format!("{one}doctrine spare A1"));
    assert!(
        spare[0].contains("This amount goes by your doctrine: spare A1 Klingon Lieutenant; otherwise"),
        "{spare:?}"
    );
    assert_eq!(read(&format!("{one}damage {second} A1")), Vec::<String>::new());
}

#[test]
fn the_position_fits_into_a_letter() {
    let rules = ConQuest::new();
    let attack = given(MELEE).expect("the position is fine");
    let (defence, _) = resolved(attack.clone(), &[(Seat::A, "attack A1 B1\nattack A2 B1\nattack A3 B3")], vec![]);
    let orders = "defend B1 against A1\ndefend B2 against A2\ndefend B3 against A3";
    let (damage, _) = resolved(defence.clone(), &[(Seat::B, orders)], vec![2, 1, 4, 2, 8, 6]);
    assert_eq!(damage.stage.phase(), PhaseKey::Damage);
    for state in [attack, defence, damage] {
        for viewer in [Some(Seat::A), Some(Seat::B), None] {
            let text = rules.position(&DATA, &rules.view(&DATA, &state, viewer));
            for line in text.lines() {
                assert!(line.chars().count() <= 72, "{} letters: {line}", line.chars().count());
                assert_eq!(line.trim_end(), line, "no spaces at the end");
            }
            for part in ["A3 Borg Cube", "/22, combat", "A0 Q", "A4 Locutus", "with Bat'leth", "Brine", "in Cheq"] {
                assert!(text.contains(part), "{part} is missing in\n{text}");
            }
            assert_eq!(text.contains("YOUR CONTROL GROUP"), viewer.is_some());
            assert_eq!(text.contains("Klingon Lieutenant (person, 3 CP)"), viewer == Some(Seat::A), "{text}");
        }
    }
}

#[test]
fn sentences_speak_to_their_reader() {
    let (_, report) = resolved(
        given(MELEE).expect("the position is fine"),
        &[(Seat::A, "attack A2 B1"), (Seat::B, "attack B2 A1\ndoctrine spare B2")],
        vec![],
    );
    let told = |viewer: Option<Seat>| -> Vec<String> {
        let entries = report.iter().filter(|entry| entry.audience.includes(viewer));
        entries.map(|entry| tell::tell(&entry.event, viewer)).collect()
    };
    let all = told(None);
    assert!(all.contains(&"In the Attack phase A has initiative with 9 CP to 7.".to_owned()), "{all:?}");
    assert!(told(Some(Seat::A)).contains(&"In the Attack phase you have initiative with 9 CP to 7.".to_owned()));
    let doctrine = "Your doctrine for damage is now: spare B2 Borg Drone; otherwise lose the fewest pieces, then the \
                    cheapest.";
    assert!(told(Some(Seat::B)).contains(&doctrine.to_owned()), "{:?}", told(Some(Seat::B)));
    assert!(all.iter().chain(&told(Some(Seat::A))).all(|line| !line.contains("doctrine")), "{all:?}");
}

#[test]
fn what_is_illegal_in_an_unchecked_plot_is_left_out_and_told_to_its_player_alone() {
    let state = given(MELEE).expect("the position is fine");
    let plot = "attack A1 B1\nattack A1 B2\nattack A4 B1\ndefend A2 against B1\nattack A2 B1";
    let (after, report) = resolved(state, &[(Seat::A, plot)], vec![]);
    let left_out: Vec<&Entry<Event>> =
        report.iter().filter(|entry| matches!(entry.event, Event::LeftOut { .. })).collect();
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    assert!(left_out.iter().all(|entry| entry.audience == Audience::Only(vec![Seat::A])));
    let group = &after.fight().expect("the rest of the plot stands").groups[0];
    assert_eq!(group.attackers.len(), 2, "{group:?}");
}

#[test]
fn a_plot_of_somebody_who_is_not_asked_is_left_out_whole() {
    let state = given(MELEE).expect("the position is fine");
    let (state, _) = resolved(state, &[(Seat::A, "attack A1 B1")], vec![]);
    assert_eq!(state.due, [Seat::B]);
    let (after, report) = resolved(state, &[(Seat::A, "doctrine default")], vec![5]);
    assert_eq!(after.side(Seat::A).doctrine, doctrine::Doctrine::Ask);
    assert!(report.iter().any(|entry| matches!(&entry.event, Event::LeftOut { seat, .. } if *seat == Seat::A)));
}

#[test]
fn givens_are_refused_in_sentences() {
    let cases = [
        ("", "the field “map” is missing"),
        ("map = \"nowhere\"", "there is no map “nowhere”"),
        ("phase = \"damage\"", "the field “phase” is"),
        ("turns = 3", "there is no field “turns”"),
        ("turn = 21", "the field “turn” is a whole number from 1 to 20"),
        ("cp = { A = -1 }", "the field “cp.A” is a whole number from 0"),
        ("cp = 3", "the field “cp” is a table by seats"),
        ("control = { mars = \"A\" }", "there is no planet “mars”"),
        ("control = { brine = \"C\" }", "control of “brine” is"),
        ("group = { A = [\"klingon-leutnant\"] }", "did you mean “klingon-lieutenant”?"),
        ("group = { A = [\"q\"] }", "which is in play from the start"),
        ("cheq = [\"C\"]", "“C” is not a seat"),
        ("doctrine = { A = [\"spar A1\"] }", "“spar” is not a doctrine"),
        ("pieces.X1 = { type = \"borg-drone\" }", "“X1” is not a handle"),
        ("pieces.A1 = { at = \"brine\" }", "the field “type” is missing"),
        ("pieces.A1 = { type = \"batleth\" }", "is of kind item"),
        ("pieces.A1 = { type = \"borg-drone\", at = \"moon\" }", "“moon” is not a region, planet or ship"),
        ("pieces.A1 = { type = \"borg-drone\", at = \"A7\" }", "aboard ships of their side"),
        ("pieces.A1 = { type = \"borg-drone\", at = \"home-a\" }", "ships are in regions"),
        ("pieces.A1 = { type = \"borg-drone\", damage = 4 }", "it has only 4 to lose"),
        ("pieces.A1 = { type = \"borg-drone\", items = [\"batleth\"] }", "goes on your own Klingon people"),
        ("pieces.A1 = { type = \"locutus\" }\npieces.B1 = { type = \"locutus\" }", "is unique and is listed 2 times"),
    ];
    for (text, part) in cases {
        let map = if text.starts_with("map") || text.is_empty() { "" } else { "map = \"elemental-rim\"\n" };
        let faults = given(&format!("{map}{text}")).expect_err(text);
        assert!(faults.iter().any(|fault| fault.contains(part)), "{text}: {faults:?}");
        assert!(faults.iter().all(|fault| fault.ends_with(['.', '?'])), "{faults:?}");
    }
}

fn handles() -> impl Strategy<Value = Handle> {
    (any::<bool>(), 0_u32..=999_999).prop_map(|(first, no)| Handle { seat: if first { Seat::A } else { Seat::B }, no })
}

fn orders() -> impl Strategy<Value = Order> {
    let types: Vec<String> = DATA.pieces.keys().cloned().collect();
    let map = &DATA.maps[0];
    let planets: Vec<String> = map.planets.iter().map(|planet| planet.id.clone()).collect();
    let regions: Vec<String> = map.regions.iter().map(|region| region.id.clone()).collect();
    let several = || prop::collection::vec(handles(), 1..5);
    let end = prop_oneof![prop::sample::select(planets).prop_map(BeamEnd::Planet), handles().prop_map(BeamEnd::Ship)];
    let doctrine = prop_oneof![
        several().prop_map(DoctrineOrder::Spare),
        several().prop_map(DoctrineOrder::Soak),
        Just(DoctrineOrder::Default),
        Just(DoctrineOrder::Ask),
    ];
    prop_oneof![
        (prop::sample::select(types), 1_u32..=99, prop::option::of(handles()))
            .prop_map(|(what, count, on)| Order::Deploy { what, count, on }),
        (handles(), handles()).prop_map(|(who, target)| Order::Attack { who, target }),
        (handles(), handles()).prop_map(|(who, against)| Order::Defend { who, against }),
        (1_i32..=i32::MAX, handles()).prop_map(|(amount, to)| Order::Damage { amount, to }),
        doctrine.prop_map(Order::Doctrine),
        (handles(), prop::sample::select(regions)).prop_map(|(ship, to)| Order::Move { ship, to }),
        (several(), end).prop_map(|(who, to)| Order::Beam { who, to }),
        Just(Order::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_order_reads_back_as_it_is_written(orders in prop::collection::vec(orders(), 0..8)) {
        static VIEW: LazyLock<View> = LazyLock::new(|| {
            let state = given(&format!("map = \"{}\"", DATA.maps[0].id)).expect("the position is fine");
            ConQuest::new().view(&DATA, &state, Some(Seat::A))
        });
        let text: String = orders.iter().map(|order| format!("  {order} # as it is\n\n")).collect();
        let read = parse::read(&DATA, &VIEW, &text);
        prop_assert_eq!(&read.faults, &Vec::new());
        prop_assert_eq!(read.lines.iter().map(|line| line.order.clone()).collect::<Vec<_>>(), orders.clone());
        let shouted = parse::read(&DATA, &VIEW, &text.to_uppercase());
        prop_assert_eq!(shouted.lines.into_iter().map(|line| line.order).collect::<Vec<_>>(), orders);
    }
}
