//! Every scenario file holds, and the runner notices when one does not.

use std::path::{Path, PathBuf};

use stardate::games;
use stardate::rules::scenario;
use stardate::scenario_cli;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

fn run(paths: &[PathBuf]) -> (bool, String) {
    let mut out = Vec::new();
    let holds = scenario_cli::run(paths, &games::all(), &mut out).expect("a list of bytes can be written to");
    (holds, String::from_utf8(out).expect("the output is text"))
}

#[test]
fn every_scenario_file_holds_and_names_its_rule() {
    let (holds, out) = run(&[folder()]);
    let failures: Vec<&str> = out.lines().filter(|line| !line.starts_with("ok ")).collect();
    assert!(holds, "{}", failures.join("\n"));
    let mut titles: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("ok   ")).collect();
    assert!(titles.len() >= 120, "only {} scenarios were found", titles.len());
    let nameless: Vec<&&str> = titles.iter().filter(|title| !title.contains("(rules/")).collect();
    assert!(nameless.is_empty(), "no page of rules is named by {nameless:?}");
    titles.sort_unstable();
    let twice: Vec<&[&str]> = titles.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "two scenarios have the same title: {twice:?}");
}

/// A case that holds, to be broken in one place at a time.
const CASE: &str = r#"
game = "conquest"
title = "A scrapper on a scrapper"
rule = "rules/conquest.md, Turn, 3 Attack"

[given]
map = "preceptor-nebula"
phase = "attack"
cp = { A = 9, B = 5 }
pieces.A1 = { type = "klingon-lieutenant", at = "lantern" }
pieces.B1 = { type = "heavy-drone", at = "lantern", actions = 0 }
pieces.A9 = { type = "runabout", at = "home-a" }
pieces.B9 = { type = "runabout", at = "home-b" }

[[step]]
orders.A = "attack A1 B1"
dice = [3]
[step.expect]
phase = "move"
due = ["A", "B"]
facts = { "B1.damage" = 3, "A1.damage" = 0 }
report = ["A1 Klingon Lieutenant fires at B1 Heavy Drone: 3 damage"]
"#;

fn failures(text: &str) -> Vec<String> {
    let outcome = scenario::run("case.toml", text, &games::all()).expect("the file can be read");
    outcome.failures.iter().map(ToString::to_string).collect()
}

fn broken(from: &str, to: &str) -> String {
    assert!(CASE.contains(from), "{from}");
    CASE.replacen(from, to, 1)
}

#[test]
fn a_wrong_expectation_fails_with_both_sides() {
    assert_eq!(failures(CASE), [] as [String; 0]);
    let told = failures(&broken("\"B1.damage\" = 3", "\"B1.damage\" = 4"));
    assert_eq!(told, ["step 1, fact B1.damage\n  expected: 4\n  found:    3"]);
    let told = failures(&broken("phase = \"move\"", "phase = \"defence\""));
    assert_eq!(told, ["step 1, phase\n  expected: defence\n  found:    move"]);
    let told = failures(&broken("attack A1 B1", "attack A1 B9"));
    assert!(
        told[0].starts_with("step 1, refusal of A’s orders\n  expected: accepted\n  found:    Line 1: "),
        "{told:?}"
    );
}

#[test]
fn dice_left_over_and_dice_beyond_the_script_fail() {
    let told = failures(&broken("dice = [3]", "dice = [3, 1]"));
    assert!(told[0].contains("the script has values left over: [1]"), "{told:?}");
    let told = failures(&broken("dice = [3]", "dice = []"));
    assert!(told[0].contains("the script has no value left for"), "{told:?}");
    let told = failures(&broken("dice = [3]", "dice = [5]"));
    assert!(told[0].contains("the script has 5 where"), "{told:?}");
}

#[test]
fn a_bad_position_and_bad_data_are_told_with_file_and_line() {
    let faults = |text: &str| -> Vec<String> {
        let faults = scenario::run("case.toml", text, &games::all()).expect_err("it cannot be run");
        faults.iter().map(ToString::to_string).collect()
    };
    let told = faults(&broken("\"heavy-drone\"", "\"heavy-dron\""));
    assert!(told[0].starts_with("case.toml, line 6: ") && told[0].contains("heavy-dron"), "{told:?}");
    let told = faults(&broken("[given]", "[files]\n\"pieces/x.toml\" = \"[[piece]]\"\n[given]"));
    assert!(told[0].starts_with("case.toml, file “pieces/x.toml”, line 1: piece lacks the field"), "{told:?}");
}

#[test]
fn the_command_prints_a_line_each_and_what_was_expected_and_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path
    };
    write("a-holds.toml", CASE);
    let fails = write("b-fails.toml", &broken("\"B1.damage\" = 3", "\"B1.damage\" = 4"));
    write("c-broken.toml", "game = ");
    write("notes.txt", "not a scenario");
    let (holds, out) = run(&[folder.path().to_owned()]);
    assert!(!holds);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "ok   A scrapper on a scrapper (rules/conquest.md, Turn, 3 Attack)");
    assert_eq!(lines[1], "FAIL A scrapper on a scrapper (rules/conquest.md, Turn, 3 Attack)");
    assert_eq!(lines[2].trim(), fails.display().to_string());
    assert_eq!(&lines[3..6], ["     step 1, fact B1.damage", "       expected: 4", "       found:    3"]);
    assert!(lines[6].starts_with("FAIL ") && lines[6].ends_with("c-broken.toml: it cannot be run"), "{out}");
    assert!(lines[7].contains("c-broken.toml, line 1: this is no valid TOML"), "{out}");
    assert_eq!(lines.last(), Some(&"2 of 3 scenarios fail."));

    let (holds, out) = run(&[folder.path().join("a-holds.toml")]);
    assert!(holds && out.ends_with("All 1 scenarios hold.\n"), "{out}");
    let (holds, out) = run(&[folder.path().join("missing.toml")]);
    assert!(!holds && out.contains("missing.toml: it cannot be read"), "{out}");
    let empty = tempfile::tempdir().expect("a folder");
    let (holds, out) = run(&[empty.path().to_owned()]);
    assert!(!holds && out.contains("There is no scenario file"), "{out}");
}
