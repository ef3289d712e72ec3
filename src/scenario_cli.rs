//! `stardate scenario FILE…`: runs scenario files from anywhere and prints a line each.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::rules::{Engine, scenario};

/// Runs the files, and all `*.toml` files in and below the folders, in order of their names. Prints `ok` or
/// `FAIL` with title and rule for each, and for a failure what was expected and what was found.
/// True if all hold and there was at least one.
///
/// # Errors
/// When `out` cannot be written to. A scenario that cannot be read is a failure, not an error.
pub fn run(paths: &[PathBuf], engines: &[Arc<dyn Engine>], out: &mut dyn Write) -> io::Result<bool> {
    let engines: Vec<Arc<dyn Engine>> = engines.iter().map(|engine| scenario::load_once(Arc::clone(engine))).collect();
    let mut passed = 0_usize;
    let mut failed = 0_usize;
    for path in paths {
        let mut files = Vec::new();
        if let Err(error) = collect(path, Named::ByCaller, &mut files) {
            failed += 1;
            writeln!(out, "FAIL {}: it cannot be read: {error}", path.display())?;
        }
        for file in files {
            if run_file(&file, &engines, out)? {
                passed += 1;
            } else {
                failed += 1;
            }
        }
    }
    match (passed, failed) {
        (0, 0) => writeln!(out, "There is no scenario file (*.toml) here.")?,
        (passed, 0) => writeln!(out, "All {passed} scenarios hold.")?,
        (passed, failed) => writeln!(out, "{failed} of {} scenarios fail.", passed + failed)?,
    }
    Ok(passed > 0 && failed == 0)
}

/// Whether a path was named or found in a folder; a named file runs whatever it is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    ByCaller,
    Found,
}

fn collect(path: &Path, named: Named, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        let mut entries = Vec::new();
        for entry in path.read_dir()? {
            entries.push(entry?.path());
        }
        entries.sort();
        for entry in entries {
            collect(&entry, Named::Found, files)?;
        }
    } else if named == Named::ByCaller || path.extension().is_some_and(|extension| extension == "toml") {
        files.push(path.to_owned());
    }
    Ok(())
}

fn run_file(path: &Path, engines: &[Arc<dyn Engine>], out: &mut dyn Write) -> io::Result<bool> {
    let name = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            writeln!(out, "FAIL {name}: it cannot be read: {error}")?;
            return Ok(false);
        }
    };
    match scenario::run(&name, &text, engines) {
        Ok(outcome) if outcome.failures.is_empty() => {
            writeln!(out, "ok   {} ({})", outcome.title, outcome.rule)?;
            Ok(true)
        }
        Ok(outcome) => {
            writeln!(out, "FAIL {} ({})", outcome.title, outcome.rule)?;
            writeln!(out, "     {name}")?;
            for failure in &outcome.failures {
                writeln!(out, "     {}", failure.to_string().replace('\n', "\n     "))?;
            }
            Ok(false)
        }
        Err(faults) => {
            writeln!(out, "FAIL {name}: it cannot be run")?;
            for fault in faults {
                writeln!(out, "     {fault}")?;
            }
            Ok(false)
        }
    }
}
