//! Scenario files: one rule case each, run against any game. Text in, outcome out; reading files is done
//! by the caller. The format is described in `tests/scenarios/README.md`.

mod check;
mod format;
mod once;
mod run;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use super::{DataFault, Engine, tame};

pub use once::load_once;

/// What came of a scenario that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the case shows, in words.
    pub title: String,
    /// The rule it tests.
    pub rule: String,
    /// What was not as expected; empty means it holds.
    pub failures: Vec<Failure>,
}

/// An expectation that does not hold, with both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The step, counted from 1; `None` for the position at the start.
    pub step: Option<usize>,
    /// What was looked at: `fact A1.damage`.
    pub what: String,
    /// What the file says.
    pub expected: String,
    /// What the game says.
    pub found: String,
}

impl fmt::Display for Failure {
    /// Three lines, expected above found.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => writeln!(f, "step {step}, {}", self.what)?,
            None => writeln!(f, "at the start, {}", self.what)?,
        }
        let indented = |text: &str| text.replace('\n', "\n            ");
        writeln!(f, "  expected: {}", indented(&self.expected))?;
        write!(f, "  found:    {}", indented(&self.found))
    }
}

/// Runs a scenario. `path` only names the file in faults.
///
/// # Errors
/// The faults of a file that cannot be run: no TOML, unknown fields, a game there is not, data or a given
/// position that the game refuses.
pub fn run(path: &str, text: &str, engines: &[Arc<dyn Engine>]) -> Result<Outcome, Vec<DataFault>> {
    let outcome = format::read(path, text).and_then(|scenario| run::run(path, &scenario, engines));
    let tamed = |fault: DataFault| DataFault { message: tame(&fault.message), ..fault };
    outcome.map_err(|faults| faults.into_iter().map(tamed).collect())
}
