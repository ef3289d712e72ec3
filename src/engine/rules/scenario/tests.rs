use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::{ProptestConfig, any, proptest};
use serde::{Deserialize, Serialize};

use super::{Outcome, run};
use crate::rules::{
    Audience, ClockUse, Content, DataFault, Dice, Due, Engine, Entry, Fate, Fault, Field, FieldChoice, FieldKind,
    Leaving, Line, Meta, Phase, Rules, Seat, Setup, Slot, Step, StockLoadout, engine,
};

/// A game as small as can be: the seats secretly say numbers, a die is added, the first to ten wins.
struct Ten {
    meta: Meta,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    sums: Vec<i64>,
    left: Option<(Seat, Leaving)>,
}

type Order = i64;

impl Rules for Ten {
    type Data = i64;
    type State = State;
    type Order = Order;
    type Event = String;
    type View = Option<Seat>;

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn embedded(&self) -> Content {
        Content::from([("sides.txt".to_owned(), "6".to_owned())])
    }

    fn load(&self, files: &Content) -> Result<i64, Vec<DataFault>> {
        files["sides.txt"].trim().parse().map_err(|_| {
            vec![DataFault { file: "sides.txt".to_owned(), line: Some(1), message: "no number".to_owned() }]
        })
    }

    fn table_fields(&self, _: &i64) -> Vec<Field> {
        let choice =
            |value: &str| FieldChoice { value: value.to_owned(), label: value.to_owned(), summary: String::new() };
        let kind = FieldKind::Choice(vec![choice("0"), choice("5")]);
        vec![Field { key: "start", label: "Start", help: "Where both start.", kind }]
    }

    fn seat_fields(&self, _: &i64) -> Vec<Field> {
        vec![Field { key: "deck", label: "Deck", help: "Yours.", kind: FieldKind::Loadout }]
    }

    fn stock_loadouts(&self, _: &i64) -> Vec<StockLoadout> {
        let text = "stock".to_owned();
        vec![StockLoadout { id: "plain".to_owned(), name: "Plain".to_owned(), summary: String::new(), text }]
    }

    fn check_loadout(&self, _: &i64, text: &str) -> Result<String, Vec<Fault>> {
        let fault = Fault { line: Some(1), message: "too long".to_owned() };
        if text.len() > 9 { Err(vec![fault]) } else { Ok(text.to_owned()) }
    }

    fn setup(&self, sides: &i64, setup: &Setup, _: u32, dice: &mut Dice) -> Result<Step<State, String>, Vec<String>> {
        let start: i64 = setup.options["start"].parse().expect("checked");
        let bonus = dice.roll("the start", 1, *sides);
        let decks: Vec<&str> = setup.seats.iter().map(|seat| seat["deck"].as_str()).collect();
        let report = vec![Entry { audience: Audience::All, event: format!("starts with {}", decks.join(" and ")) }];
        Ok(Step { state: State { sums: vec![start + bonus, start], left: None }, report })
    }

    fn phase(&self, _: &i64, state: &State) -> Option<Phase> {
        let over = state.left.is_some() || state.sums.iter().any(|sum| *sum >= 10);
        let due = Seat::first(2).map(|seat| Due { seat, required: true }).collect();
        let (key, name) = ("say".to_owned(), "Say".to_owned());
        (!over).then_some(Phase { key, name, turn: 1, due, clock: ClockUse::Fresh, simultaneous: true })
    }

    fn fates(&self, state: &State) -> Vec<Fate> {
        let fate = |seat: Seat| match &state.left {
            Some((gone, Leaving::Resigned)) if *gone == seat => Fate::Resigned,
            Some((gone, Leaving::Dropped)) if *gone == seat => Fate::Dropped,
            Some(_) => Fate::Won,
            None if state.sums[seat.index()] >= 10 => Fate::Won,
            None if state.sums.iter().any(|sum| *sum >= 10) => Fate::Lost,
            None => Fate::Active,
        };
        Seat::first(2).map(fate).collect()
    }

    fn view(&self, _: &i64, _: &State, viewer: Option<Seat>) -> Option<Seat> {
        viewer
    }

    fn parse(&self, _: &i64, _: &Option<Seat>, text: &str) -> Result<Vec<Line<Order>>, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut lines = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match line.trim().parse() {
                Ok(order) => lines.push(Line { no: index + 1, order }),
                Err(_) => {
                    faults.push(Fault { line: Some(index + 1), message: format!("“{line}” is not a number.") })
                }
            }
        }
        if faults.is_empty() { Ok(lines) } else { Err(faults) }
    }

    fn check(&self, _: &i64, _: &Option<Seat>, plot: &[Line<Order>]) -> Vec<Fault> {
        let large = plot.iter().filter(|line| line.order > 3);
        large.map(|line| Fault { line: Some(line.no), message: "At most 3.".to_owned() }).collect()
    }

    fn words(&self, _: &i64, _: &Option<Seat>, order: &Order) -> String {
        format!("says {order}")
    }

    fn offers(&self, _: &i64, _: &Option<Seat>) -> Vec<Slot> {
        Vec::new()
    }

    fn default_plot(&self, _: &i64, _: &Option<Seat>) -> Vec<Order> {
        vec![1]
    }

    fn resolve(
        &self,
        sides: &i64,
        mut state: State,
        plots: &BTreeMap<Seat, Vec<Order>>,
        _: u32,
        dice: &mut Dice,
    ) -> Step<State, String> {
        let mut report = Vec::new();
        for seat in Seat::first(2) {
            let said: i64 = plots.get(&seat).map_or(1, |plot| plot.iter().sum());
            if said > 0 {
                let die = dice.roll(&format!("the luck of {seat}"), 1, *sides);
                state.sums[seat.index()] += said + die;
            }
            report.push(Entry { audience: Audience::All, event: format!("{seat} says {said}") });
            report.push(Entry { audience: Audience::Only(vec![seat]), event: format!("{seat} whispers") });
        }
        Step { state, report }
    }

    fn leave(
        &self,
        _: &i64,
        mut state: State,
        leavers: &[(Seat, Leaving)],
        _: u32,
        _: &mut Dice,
    ) -> Step<State, String> {
        state.left = leavers.first().copied();
        Step { state, report: Vec::new() }
    }

    fn tell(&self, _: &i64, event: &String, _: Option<Seat>) -> String {
        event.clone()
    }

    fn position(&self, _: &i64, _: &Option<Seat>) -> String {
        String::new()
    }

    fn given(&self, _: &i64, given: &toml::Table) -> Result<State, Vec<String>> {
        let sum = |key: &str| given.get(key).map_or(Some(0), toml::Value::as_integer);
        match (sum("a"), sum("b")) {
            (Some(a), Some(b)) => Ok(State { sums: vec![a, b], left: None }),
            _ => Err(vec!["a and b are numbers".to_owned()]),
        }
    }

    fn facts(&self, _: &i64, state: &State) -> BTreeMap<String, String> {
        Seat::first(2).map(|seat| (format!("sum.{seat}"), state.sums[seat.index()].to_string())).collect()
    }
}

fn engines() -> Vec<Arc<dyn Engine>> {
    let meta =
        Meta { id: "ten", name: "Ten", blurb: "First to ten.", seats: 2..=2, edition: 1, format: 1, rules_text: "" };
    vec![engine(Ten { meta })]
}

fn outcome(body: &str) -> Outcome {
    match run("case.toml", &format!("game = \"ten\"\ntitle = \"T\"\nrule = \"R\"\n{body}"), &engines()) {
        Ok(outcome) => outcome,
        Err(faults) => panic!("{faults:?}"),
    }
}

fn failures(body: &str) -> Vec<String> {
    outcome(body).failures.iter().map(ToString::to_string).collect()
}

fn faults(text: &str) -> Vec<String> {
    let faults = run("case.toml", text, &engines()).expect_err("the file is faulty");
    faults.iter().map(ToString::to_string).collect()
}

const HOLDS: &str = "
[given]
a = 4
[expect]
phase = \"say\"
due = [\"A\", \"B\"]
facts = { \"sum.A\" = \"4\", \"sum.B\" = 0 }
[[step]]
orders.A = \"2\"
dice = [3, 6]
[step.expect]
phase = \"say\"
facts = { \"sum.A\" = 9, \"sum.B\" = 7 }
report = [\"A says 2\", \"B says 1\"]
report_for.A = [\"A says\", \"A whispers\"]
not_in_report = [\"whispers\"]
not_in_report_for.A = [\"B whispers\"]
result = { A = \"active\" }
[[step]]
orders.A = \"-1\"
orders.B = \"3\"
dice = [1]
[step.expect]
phase = \"over\"
due = []
result = { A = \"lost\", B = \"won\" }
report_for.A = [\"B whispers\"]
";

#[test]
fn a_case_that_holds_holds() {
    let outcome = outcome(HOLDS);
    assert_eq!((outcome.title.as_str(), outcome.rule.as_str()), ("T", "R"));
    assert_eq!(outcome.failures, []);
}

#[test]
fn every_kind_of_wrong_expectation_fails_with_both_sides() {
    let cases = [
        ("[expect]\nphase = \"say\"", "[expect]\nphase = \"speak\"", "at the start, phase", "speak", "say"),
        ("due = [\"A\", \"B\"]", "due = [\"B\"]", "at the start, who is due", "B", "A, B"),
        ("\"sum.A\" = 9", "\"sum.A\" = 8", "step 1, fact sum.A", "8", "9"),
        ("\"sum.A\" = 9", "\"sum.AA\" = 9", "step 1, fact sum.AA", "9", "there is no such fact; did you mean “sum.A”?"),
        (
            "[\"A says 2\", \"B says 1\"]",
            "[\"B says 1\", \"A says 2\"]",
            "step 1, the report",
            "“A says 2” after what is expected before it",
            "A says 2\n            B says 1",
        ),
        (
            "report_for.A = [\"A says\", \"A whispers\"]",
            "report_for.A = [\"B whispers\"]",
            "step 1, the report for A",
            "“B whispers”",
            "A says 2\n            A whispers\n            B says 1",
        ),
        (
            "not_in_report = [\"whispers\"]",
            "not_in_report = [\"B says\"]",
            "step 1, the report",
            "not “B says”",
            "A says 2\n            B says 1",
        ),
        (
            "not_in_report_for.A = [\"B whispers\"]",
            "not_in_report_for.A = [\"A whispers\"]",
            "step 1, the report for A",
            "not “A whispers”",
            "A says 2\n            A whispers\n            B says 1",
        ),
        ("A = \"lost\"", "A = \"won\"", "step 2, result of A", "won", "lost"),
        ("A = \"lost\"", "C = \"lost\"", "step 2, result of C", "lost", "there is no such seat"),
        (
            "dice = [3, 6]",
            "dice = [3, 6, 2]",
            "step 1, dice",
            "a script that is used up exactly",
            "the script has values left over: [2]; thrown: 3 for the luck of A, 6 for the luck of B",
        ),
    ];
    for (from, to, what, expected, found) in cases {
        assert!(HOLDS.contains(from), "{from}");
        let told = failures(&HOLDS.replacen(from, to, 1));
        assert_eq!(told, [format!("{what}\n  expected: {expected}\n  found:    {found}")]);
    }
}

#[test]
fn dice_beyond_the_script_and_out_of_range_fail() {
    let told = failures(&HOLDS.replacen("dice = [1]", "", 1));
    assert!(told[0].contains("the script has no value left for the luck of B (1 to 6)"), "{told:?}");
    let told = failures(&HOLDS.replacen("dice = [1]", "dice = [7]", 1));
    assert!(told[0].contains("the script has 7 where the luck of B needs 1 to 6"), "{told:?}");
    let more_sides = format!("[files]\n\"sides.txt\" = \"8\"\n{}", HOLDS.replacen("dice = [1]", "dice = [7]", 1));
    assert_eq!(failures(&more_sides), [] as [String; 0]);
}

#[test]
fn refusals_must_be_expected_each_and_only_they() {
    let case = |refused: &str| {
        failures(&format!("[given]\n[[step]]\norders.A = \"9\\n1\\n8\"\n[step.expect]\nphase = \"say\"\n{refused}\n"))
    };
    assert_eq!(case("refused.A = [\"At most 3\", \"Line 1: At\"]"), [] as [String; 0]);
    for wrong in
        ["", "refused.A = [\"Line 1\"]", "refused.A = [\"Line 1\", \"Line 2\"]", "refused.A = [\"Line 1\", \"Line 1\"]"]
    {
        let told = case(wrong);
        assert_eq!(told.len(), 1, "{wrong}");
        assert!(told[0].starts_with("step 1, refusal of A’s orders\n  expected: "), "{told:?}");
        assert!(told[0].ends_with("found:    Line 1: At most 3.\n            Line 3: At most 3."), "{told:?}");
    }
    let told = failures("[given]\n[[step]]\norders.A = \"1\"\n[step.expect]\nrefused.A = [\"no\"]\n");
    assert_eq!(told, ["step 1, refusal of A’s orders\n  expected: no\n  found:    accepted"]);
    let told = failures("[given]\n[[step]]\norders.C = \"1\"\n[step.expect]\nphase = \"say\"\n");
    assert_eq!(told, ["step 1, orders of C\n  expected: C is due\n  found:    due: A, B"]);
}

#[test]
fn a_refused_or_checked_step_changes_nothing() {
    let body = "[given]\n[[step]]\norders.A = \"9\"\norders.B = \"1\"\n[step.expect]\nrefused.A = [\"3\"]\n\
                facts = { \"sum.B\" = 0 }\n[[step]]\norders.A = \"1\"\nonly_check = true\n\
                [step.expect]\nfacts = { \"sum.A\" = 0 }\n[[step]]\nleave.B = \"dropped\"\n\
                [step.expect]\nphase = \"over\"\nresult = { A = \"won\", B = \"dropped\" }\n\
                [[step]]\norders.A = \"1\"\n";
    let told = failures(body);
    assert_eq!(told, ["step 4, phase\n  expected: a phase in which somebody is due\n  found:    the game is over"]);
}

#[test]
fn a_whole_game_starts_from_options_and_loadouts() {
    let body = "[setup]\noptions = { start = \"5\" }\nseats = [{ deck = \"mine\" }, {}]\ndice = [2]\n\
                [expect]\nfacts = { \"sum.A\" = 7, \"sum.B\" = 5 }\nreport = [\"starts with mine and stock\"]\n";
    assert_eq!(failures(body), [] as [String; 0]);
    let head = "game = \"ten\"\ntitle = \"T\"\nrule = \"R\"\n";
    let tail = "\n[expect]\nphase = \"say\"\n";
    let told = faults(&format!(
        "{head}[setup]\noptions = {{ start = \"7\", pace = \"1\" }}\nseats = [{{ deck = \"much too long\" }}]{tail}"
    ));
    assert_eq!(
        told,
        [
            "case.toml, line 4: setup, field “options”: there is nothing called “pace” to choose; there is start",
            "case.toml, line 4: setup, field “options”: “start” cannot be “7”; it can be 0, 5",
            "case.toml, line 4: setup, field “seats”: Ten has 2 to 2 seats, found 1",
            "case.toml, line 4: setup, field “seats”, entry 1, “deck”: Line 1: too long",
        ]
    );
}

#[test]
fn malformed_files_are_told_with_file_and_line() {
    let head = "game = \"ten\"\ntitle = \"T\"\nrule = \"R\"\n";
    let cases = [
        ("game = \"ten\"\n[given", "case.toml, line 2: this is not valid TOML"),
        ("title = \"T\"\nrule = \"R\"\n[given]\n[expect]\nphase = \"say\"", "line 1: scenario lacks the field “game”"),
        (
            "title = \"T\"\nrule = \"R\"\ngame = \"tin\"\n[given]\n[expect]\nphase = \"say\"",
            "case.toml, line 3: scenario, field “game”: there is no game “tin”; did you mean “ten”?",
        ),
        ("game = \"ten\"\ntitle = \"T\"\n[given]\n[expect]\nphase = \"say\"", "lacks the field “rule”"),
        (&format!("{head}[given]"), "line 1: this scenario expects nothing"),
        (&format!("{head}[expect]\nphase = \"say\""), "a scenario starts from a [given] position"),
        (&format!("{head}[given]\na = \"x\"\n[expect]\nphase = \"say\""), "case.toml, line 4: a and b are numbers"),
        (
            &format!("{head}[given]\n[[step]]\n[step.expct]"),
            "line 6: step 1: there is no field “expct”; did you mean “expect”?",
        ),
        (
            &format!("{head}[given]\n[[step]]\norders.AB = \"1\"\n[step.expect]\nphase = \"say\""),
            "line 6: step 1, field “orders”: “AB” is not a seat",
        ),
        (
            &format!("{head}[given]\n[[step]]\ndice = [1, \"2\"]\n[step.expect]\nphase = \"say\""),
            "line 6: step 1, field “dice”: expected a list of whole numbers",
        ),
        (
            &format!("{head}[given]\n[[step]]\n[step.expect]\nfacts = {{ sum.A = 1 }}"),
            "line 7: step 1, expect, facts: put the whole name of the fact in quotes",
        ),
        (
            &format!("{head}[given]\n[[step]]\n[step.expect]\nresult.A = \"champion\""),
            "line 7: step 1, expect, field “result.A”: expected won, lost, drew, resigned, dropped or active, found a text",
        ),
        (
            &format!("{head}[given]\n[[step]]\nleave.A = \"left\"\n[step.expect]\nphase = \"say\""),
            "line 6: step 1, field “leave.A”: expected \"resigned\" or \"dropped\", found a text",
        ),
        (
            &format!("{head}[given]\n[[step]]\norders.A = \"1\"\n[step.expect]\nrefused.A = []"),
            "line 7: step 1, field “expect”: refused.A names no fault",
        ),
        (
            &format!("{head}[files]\n\"sides.txt\" = \"many\"\n[given]\n[expect]\nphase = \"say\""),
            "case.toml, file “sides.txt”, line 1: no number",
        ),
    ];
    for (text, fault) in cases {
        let told = faults(text);
        assert!(told.iter().any(|told| told.contains(fault)), "{text}: {told:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in any::<String>(), cut in any::<u16>()) {
        let whole = format!("game = \"ten\"\ntitle = \"T\"\nrule = \"R\"\n{HOLDS}");
        let at = usize::from(cut) % whole.len();
        let _ = run("case.toml", &format!("{}{text}{}", &whole[..at], &whole[at..]), &engines());
        let _ = run("case.toml", &whole[..at], &engines());
        let _ = run("case.toml", &text, &engines());
    }
}
