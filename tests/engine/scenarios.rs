//! Every scenario file holds, and a case that does not hold is noticed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use stardate_engine::games;
use stardate_engine::rules::scenario;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios")
}

/// Every `*.toml` below a folder.
pub fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            files_below(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            into.push(path);
        }
    }
}

#[test]
fn every_scenario_file_holds() {
    let engines: Vec<_> = games::all().into_iter().map(scenario::load_once).collect();
    let mut paths = Vec::new();
    files_below(&folder(), &mut paths);
    paths.sort();
    assert!(paths.len() >= 120, "only {} scenarios were found", paths.len());
    let (mut wrong, mut titles) = (Vec::new(), BTreeSet::new());
    for path in paths {
        let (name, text) = (path.display().to_string(), fs::read_to_string(&path).expect("it can be read"));
        match scenario::run(&name, &text, &engines) {
            Ok(outcome) => {
                wrong.extend(outcome.failures.iter().map(|failure| format!("{name}: {failure}")));
                if !titles.insert(outcome.title) {
                    wrong.push(format!("{name}: another scenario has the same title"));
                }
            }
            Err(faults) => wrong.extend(faults.iter().map(ToString::to_string)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A case that holds, to be broken in one place at a time.
const CASE: &str = r#"
game = "conquest"
title = "A scrapper on a scrapper"
rule = "C8.1"

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
