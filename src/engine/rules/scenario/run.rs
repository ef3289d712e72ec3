//! Playing a scenario: position, steps, dice.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::{Seen, check};
use super::format::{Scenario, Start, Step, unknown_game};
use super::{Failure, Outcome};
use crate::rules::{
    Content, DataFault, Dice, Engine, Examined, FieldKind, Game, ReportEntry, Seat, SeatSetup, Setup, StateFault,
};

/// Plays the scenario to its end, or to the first step after which nothing more can be said.
pub(super) fn run(path: &str, scenario: &Scenario, engines: &[Arc<dyn Engine>]) -> Result<Outcome, Vec<DataFault>> {
    let game = load(path, scenario, engines)?;
    let at_start = |message: String| DataFault { file: path.to_owned(), line: Some(scenario.start_line), message };
    let mut failures = Vec::new();
    let (mut state, report) = match &scenario.start {
        Start::Given(given) => {
            let state = game.given(given).map_err(|faults| faults.into_iter().map(at_start).collect::<Vec<_>>())?;
            (state, Vec::new())
        }
        Start::Setup { options, seats, dice } => {
            let setup = fill(game.as_ref(), options, seats)
                .map_err(|faults| faults.into_iter().map(at_start).collect::<Vec<_>>())?;
            let mut dice = Dice::scripted(dice.clone());
            let step = game
                .setup(&setup, game.meta().edition, &mut dice)
                .map_err(|faults| faults.into_iter().map(at_start).collect::<Vec<_>>())?;
            failures.extend(dice_failures(None, &dice));
            (step.state, step.report)
        }
    };
    let mut player = Player { game: game.as_ref(), failures };
    let result = player.look(None, &state, &report, &BTreeMap::new(), &scenario.expect).and_then(|()| {
        for (index, step) in scenario.steps.iter().enumerate() {
            state = player.step(index + 1, state.clone(), step)?;
        }
        Ok(())
    });
    if let Err(fault) = result {
        player.failures.push(Failure {
            step: None,
            what: "what the game hands on".to_owned(),
            expected: "a text it can read back".to_owned(),
            found: fault.to_string(),
        });
    }
    Ok(Outcome { title: scenario.title.clone(), rule: scenario.rule.clone(), failures: player.failures })
}

fn load(path: &str, scenario: &Scenario, engines: &[Arc<dyn Engine>]) -> Result<Arc<dyn Game>, Vec<DataFault>> {
    let Some(engine) = engines.iter().find(|engine| engine.meta().id == scenario.game) else {
        let known: Vec<&str> = engines.iter().map(|engine| engine.meta().id).collect();
        return Err(vec![unknown_game(path, scenario.game_line, &scenario.game, &known)]);
    };
    let mut files: Content = engine.embedded();
    files.extend(scenario.files.clone());
    engine.load(&files).map_err(|faults| {
        let within = |fault: DataFault| DataFault { file: format!("{path}, file “{}”", fault.file), ..fault };
        faults.into_iter().map(within).collect()
    })
}

/// Fills in defaults and copies stock loadouts in as text, as the server does when a table is made.
fn fill(game: &dyn Game, options: &BTreeMap<String, String>, seats: &[SeatSetup]) -> Result<Setup, Vec<String>> {
    let mut faults = Vec::new();
    let options = answers(game, &game.table_fields(), options, "setup, field “options”", &mut faults);
    let counts = &game.meta().seats;
    if !counts.contains(&seats.len()) {
        faults.push(format!(
            "setup, field “seats”: {} has {} to {} seats, found {}",
            game.meta().name,
            counts.start(),
            counts.end(),
            seats.len()
        ));
    }
    let fields = game.seat_fields();
    let seats = seats.iter().enumerate().map(|(index, seat)| {
        answers(game, &fields, seat, &format!("setup, field “seats”, entry {}", index + 1), &mut faults)
    });
    let setup = Setup { options, seats: seats.collect() };
    if faults.is_empty() { Ok(setup) } else { Err(faults) }
}

fn answers(
    game: &dyn Game,
    fields: &[crate::rules::Field],
    given: &BTreeMap<String, String>,
    owner: &str,
    faults: &mut Vec<String>,
) -> BTreeMap<String, String> {
    for key in given.keys().filter(|key| fields.iter().all(|field| field.key != key.as_str())) {
        let known: Vec<&str> = fields.iter().map(|field| field.key).collect();
        faults.push(format!("{owner}: there is nothing called “{key}” to choose; there is {}", known.join(", ")));
    }
    let mut answers = BTreeMap::new();
    for field in fields {
        let answer = given.get(field.key).map(String::as_str);
        let value = match &field.kind {
            FieldKind::Choice(choices) => choice(choices, answer, field.key, owner, faults),
            FieldKind::Loadout => loadout(game, answer, field.key, owner, faults),
        };
        answers.insert(field.key.to_owned(), value);
    }
    answers
}

fn choice(
    choices: &[crate::rules::FieldChoice],
    answer: Option<&str>,
    key: &str,
    owner: &str,
    faults: &mut Vec<String>,
) -> String {
    let answer = answer.or_else(|| choices.first().map(|choice| choice.value.as_str())).unwrap_or_default();
    if choices.iter().all(|choice| choice.value != answer) {
        let known: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
        faults.push(format!("{owner}: “{key}” cannot be “{answer}”; it can be {}", known.join(", ")));
    }
    answer.to_owned()
}

fn loadout(game: &dyn Game, answer: Option<&str>, key: &str, owner: &str, faults: &mut Vec<String>) -> String {
    let stock = game.stock_loadouts();
    let Some(answer) = answer.or_else(|| stock.first().map(|stock| stock.id.as_str())) else {
        faults.push(format!("{owner}: “{key}” is missing"));
        return String::new();
    };
    if let Some(stock) = stock.iter().find(|stock| stock.id == answer) {
        return stock.text.clone();
    }
    match game.check_loadout(answer) {
        Ok(text) => text,
        Err(all) => {
            faults.extend(all.iter().map(|fault| format!("{owner}, “{key}”: {fault}")));
            String::new()
        }
    }
}

fn dice_failures(step: Option<usize>, dice: &Dice) -> Vec<Failure> {
    let thrown: Vec<String> =
        dice.throws().iter().map(|throw| format!("{} for {}", throw.value, throw.purpose)).collect();
    let faults = dice.script_faults();
    let failure = |fault: String| Failure {
        step,
        what: "dice".to_owned(),
        expected: "a script that is used up exactly".to_owned(),
        found: format!("{fault}; thrown: {}", if thrown.is_empty() { "nothing".to_owned() } else { thrown.join(", ") }),
    };
    faults.into_iter().map(failure).collect()
}

struct Player<'g> {
    game: &'g dyn Game,
    failures: Vec<Failure>,
}

impl Player<'_> {
    fn fail(&mut self, step: usize, what: String, expected: impl Into<String>, found: impl Into<String>) {
        self.failures.push(Failure { step: Some(step), what, expected: expected.into(), found: found.into() });
    }

    /// Plays one step and returns the state after it.
    fn step(&mut self, no: usize, state: String, step: &Step) -> Result<String, StateFault> {
        let due: Vec<Seat> = match self.game.phase(&state)? {
            Some(phase) => phase.due.iter().map(|due| due.seat).collect(),
            None => {
                self.fail(no, "phase".to_owned(), "a phase in which somebody is due", "the game is over");
                return Ok(state);
            }
        };
        let mut refused: BTreeMap<Seat, Vec<String>> = BTreeMap::new();
        let mut plots: BTreeMap<Seat, String> = BTreeMap::new();
        for (seat, text) in &step.orders {
            if !due.contains(seat) {
                let found = due.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                self.fail(no, format!("orders of {seat}"), format!("{seat} is due"), format!("due: {found}"));
                return Ok(state);
            }
            let examined: Examined = self.game.examine(&state, *seat, text)?;
            if examined.faults.is_empty() {
                plots.insert(*seat, examined.canonical());
            } else {
                refused.insert(*seat, examined.faults.iter().map(ToString::to_string).collect());
            }
        }
        let stands = step.only_check || !refused.is_empty() || !step.expect.refused.is_empty();
        let (state, report) = if stands {
            (state, Vec::new())
        } else {
            let mut dice = Dice::scripted(step.dice.clone());
            let done = if step.leave.is_empty() {
                self.game.resolve(&state, &plots, self.game.meta().edition, &mut dice)?
            } else {
                let leavers: Vec<_> = step.leave.iter().map(|(seat, leaving)| (*seat, *leaving)).collect();
                self.game.leave(&state, &leavers, self.game.meta().edition, &mut dice)?
            };
            self.failures.extend(dice_failures(Some(no), &dice));
            (done.state, done.report)
        };
        self.look(Some(no), &state, &report, &refused, &step.expect)?;
        Ok(state)
    }

    /// Compares what is to be seen now with what is expected.
    fn look(
        &mut self,
        step: Option<usize>,
        state: &str,
        report: &[ReportEntry],
        refused: &BTreeMap<Seat, Vec<String>>,
        expect: &super::format::Expect,
    ) -> Result<(), StateFault> {
        let phase = self.game.phase(state)?;
        let ended = phase.is_none();
        let told = |viewer: Option<Seat>, ended: bool| -> Result<Vec<String>, StateFault> {
            let mut lines = Vec::new();
            for entry in report {
                lines.extend(self.game.tell(entry, viewer, ended)?);
            }
            Ok(lines)
        };
        let fates = self.game.fates(state)?;
        let mut report_for = BTreeMap::new();
        for seat in Seat::first(fates.len()) {
            report_for.insert(seat, told(Some(seat), ended)?);
        }
        let seen = Seen {
            refused,
            phase: phase.as_ref().map_or("over", |phase| phase.key.as_str()),
            due: phase.iter().flat_map(|phase| phase.due.iter().map(|due| due.seat)).collect(),
            facts: self.game.facts(state)?,
            report: told(None, ended)?,
            report_for,
            fates,
        };
        self.failures.extend(check(step, expect, &seen));
        Ok(())
    }
}
