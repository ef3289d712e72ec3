//! The command that runs scenario files from anywhere.

use std::path::PathBuf;

use stardate::games;
use stardate::scenario_cli;

fn run(paths: &[PathBuf]) -> (bool, String) {
    let mut out = Vec::new();
    let holds = scenario_cli::run(paths, &games::all(), &mut out).expect("a list of bytes can be written to");
    (holds, String::from_utf8(out).expect("the output is text"))
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

fn broken(from: &str, to: &str) -> String {
    assert!(CASE.contains(from), "{from}");
    CASE.replacen(from, to, 1)
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
    assert_eq!(lines[0], "ok   A scrapper on a scrapper (C8.1)");
    assert_eq!(lines[1], "FAIL A scrapper on a scrapper (C8.1)");
    assert_eq!(lines[2].trim(), fails.display().to_string());
    assert_eq!(&lines[3..6], ["     step 1, fact B1.damage", "       expected: 4", "       found:    3"]);
    assert!(lines[6].starts_with("FAIL ") && lines[6].ends_with("c-broken.toml: it cannot be run"), "{out}");
    assert!(lines[7].contains("c-broken.toml, line 1: this is not valid TOML"), "{out}");
    assert_eq!(lines.last(), Some(&"2 of 3 scenarios fail."));

    let (holds, out) = run(&[folder.path().join("a-holds.toml")]);
    assert!(holds && out.ends_with("All 1 scenarios hold.\n"), "{out}");
    let (holds, out) = run(&[folder.path().join("missing.toml")]);
    assert!(!holds && out.contains("missing.toml: it cannot be read"), "{out}");
    let empty = tempfile::tempdir().expect("a folder");
    let (holds, out) = run(&[empty.path().to_owned()]);
    assert!(!holds && out.contains("There is no scenario file"), "{out}");
}
