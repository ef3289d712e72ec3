//! Runs every scenario file of the game.

use std::path::Path;

use stardate::rules::scenario;

use super::Once;

#[test]
fn every_scenario_holds() {
    let engines = [Once::engine()];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/imperial-conflict");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 55, "only {} scenario files", files.len());
    let mut failed = String::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        match scenario::run(&name, &text, &engines) {
            Ok(outcome) => {
                for failure in outcome.failures {
                    failed.push_str(&format!("\n{name}: {failure}"));
                }
            }
            Err(faults) => faults.iter().for_each(|fault| failed.push_str(&format!("\n{fault}"))),
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
