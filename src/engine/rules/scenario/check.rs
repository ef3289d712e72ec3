//! Comparing what is expected with what is there.

use std::collections::BTreeMap;

use super::Failure;
use super::format::Expect;
use crate::rules::nearest::did_you_mean;
use crate::rules::{Fate, Seat};

/// What there is to be seen after a step.
pub(super) struct Seen<'s> {
    pub refused: &'s BTreeMap<Seat, Vec<String>>,
    pub phase: &'s str,
    pub due: Vec<Seat>,
    pub facts: BTreeMap<String, String>,
    /// What somebody without a seat reads.
    pub report: Vec<String>,
    pub report_for: BTreeMap<Seat, Vec<String>>,
    pub fates: Vec<Fate>,
}

/// All expectations that do not hold.
pub(super) fn check(step: Option<usize>, expect: &Expect, seen: &Seen) -> Vec<Failure> {
    let mut notes = Notes { step, failures: Vec::new() };
    notes.refusals(expect, seen);
    if let Some(phase) = expect.phase.as_deref().filter(|phase| *phase != seen.phase) {
        notes.fail("phase", phase, seen.phase);
    }
    if let Some(due) = expect.due.as_ref().filter(|due| **due != seen.due) {
        notes.fail("who is due", seats(due), seats(&seen.due));
    }
    for (name, value) in &expect.facts {
        match seen.facts.get(name) {
            Some(found) if found == value => {}
            Some(found) => notes.fail(format!("fact {name}"), value, found),
            None => {
                let hint = did_you_mean(name, seen.facts.keys().map(String::as_str));
                notes.fail(format!("fact {name}"), value, format!("there is no such fact{hint}"));
            }
        }
    }
    notes.report("the report", &expect.report, &expect.not_in_report, &seen.report);
    let nothing = Vec::new();
    for (seat, expected) in &expect.report_for {
        notes.report(&format!("the report for {seat}"), expected, &[], seen.report_for.get(seat).unwrap_or(&nothing));
    }
    for (seat, unwanted) in &expect.not_in_report_for {
        notes.report(&format!("the report for {seat}"), &[], unwanted, seen.report_for.get(seat).unwrap_or(&nothing));
    }
    for (seat, fate) in &expect.result {
        match seen.fates.get(seat.index()) {
            Some(found) if found == fate => {}
            Some(found) => notes.fail(format!("result of {seat}"), fate_word(*fate), fate_word(*found)),
            None => notes.fail(format!("result of {seat}"), fate_word(*fate), "there is no such seat"),
        }
    }
    notes.failures
}

struct Notes {
    step: Option<usize>,
    failures: Vec<Failure>,
}

impl Notes {
    fn fail(&mut self, what: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) {
        let (what, expected, found) = (what.into(), expected.into(), found.into());
        self.failures.push(Failure { step: self.step, what, expected, found });
    }

    /// Every expected text must be part of a fault of its own, and every fault must be expected.
    fn refusals(&mut self, expect: &Expect, seen: &Seen) {
        let nothing = Vec::new();
        let mut seats: Vec<&Seat> = expect.refused.keys().chain(seen.refused.keys()).collect();
        seats.sort();
        seats.dedup();
        for seat in seats {
            let expected = expect.refused.get(seat).unwrap_or(&nothing);
            let found = seen.refused.get(seat).unwrap_or(&nothing);
            if pair_up(expected, found) {
                continue;
            }
            let lines = |list: &[String]| if list.is_empty() { "accepted".to_owned() } else { list.join("\n") };
            self.fail(format!("refusal of {seat}’s orders"), lines(expected), lines(found));
        }
    }

    /// The expected texts stand in the report in their order; the unwanted ones stand nowhere.
    fn report(&mut self, what: &str, expected: &[String], unwanted: &[String], lines: &[String]) {
        let whole = || if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") };
        let mut next = 0;
        for text in expected {
            match lines.iter().skip(next).position(|line| line.contains(text.as_str())) {
                Some(further) => next += further,
                None => {
                    let after = if next > 0 { " after what is expected before it" } else { "" };
                    self.fail(what, format!("“{text}”{after}"), whole());
                    break;
                }
            }
        }
        for text in unwanted {
            if lines.iter().any(|line| line.contains(text.as_str())) {
                self.fail(what, format!("not “{text}”"), whole());
            }
        }
    }
}

/// Whether each expected text can be given a fault of its own that holds it, with none left on either side.
/// One text may fit several faults, so earlier choices are changed where that helps.
fn pair_up(expected: &[String], found: &[String]) -> bool {
    let mut taken: Vec<Option<usize>> = vec![None; found.len()];
    expected.len() == found.len()
        && (0..expected.len()).all(|text| give(text, expected, found, &mut taken, &mut vec![false; found.len()]))
}

/// Gives this text a fault, moving others to other faults if need be.
fn give(
    text: usize,
    expected: &[String],
    found: &[String],
    taken: &mut Vec<Option<usize>>,
    tried: &mut Vec<bool>,
) -> bool {
    for fault in 0..found.len() {
        if tried[fault] || !found[fault].contains(expected[text].as_str()) {
            continue;
        }
        tried[fault] = true;
        let free = match taken[fault] {
            None => true,
            Some(other) => give(other, expected, found, taken, tried),
        };
        if free {
            taken[fault] = Some(text);
            return true;
        }
    }
    false
}

fn seats(list: &[Seat]) -> String {
    if list.is_empty() {
        return "nobody".to_owned();
    }
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn fate_word(fate: Fate) -> &'static str {
    match fate {
        Fate::Active => "active",
        Fate::Won => "won",
        Fate::Lost => "lost",
        Fate::Drew => "drew",
        Fate::Resigned => "resigned",
        Fate::Dropped => "dropped",
    }
}
