//! A score over time as a small drawing, with the same figures in words.

use crate::store::Stamp;
use crate::tables::ScoreStep;
use crate::web::base::page::Page;

/// Everybody's score before their first game.
const START: i64 = 100;
/// Width of the drawing; it is stretched to the page.
const WIDTH: i64 = 1000;
/// Height of the drawing.
const HEIGHT: i64 = 160;
/// Space above the highest and below the lowest score.
const MARGIN: i64 = 12;

/// A drawn score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// The line, as the `d` of a path.
    pub line: String,
    /// A dot for the score as it is now, as the `d` of a path with round ends.
    pub now: String,
    /// How far down the score of the start lies.
    pub start_y: i64,
    /// The highest score shown.
    pub highest: i64,
    /// The lowest score shown.
    pub lowest: i64,
    /// Date of the first change.
    pub from: String,
    /// What the drawing shows, in sentences.
    pub words: String,
}

/// The chart of a score that came about by `steps`, oldest first; `None` before the first.
pub fn chart(page: &Page, steps: &[ScoreStep]) -> Option<Chart> {
    let (first, last) = (steps.first()?, steps.last()?);
    let highest = steps.iter().map(|step| step.score).max()?.max(START);
    let lowest = steps.iter().map(|step| step.score).min()?.min(START);
    let y = |score: i64| {
        let span = (highest - lowest).max(1);
        MARGIN + (highest - score) * (HEIGHT - 2 * MARGIN) / span
    };
    let x = across(first.at, page.now);
    let mut line = format!("M0 {}", y(START));
    let mut drawn = steps.iter().peekable();
    while let Some(step) = drawn.next() {
        // Of changes that fall on the same spot only the last is seen.
        if drawn.peek().is_none_or(|next| x(next.at) > x(step.at)) {
            line.push_str(&format!("H{}V{}", x(step.at), y(step.score)));
        }
    }
    line.push_str(&format!("H{WIDTH}"));
    Some(Chart {
        line,
        now: format!("M{WIDTH} {}h0", y(last.score)),
        start_y: y(START),
        highest,
        lowest,
        from: page.time(&first.at).day,
        words: words(page, steps, last),
    })
}

/// How far across a moment lies: a little after the left edge for the first change, at the right edge for now.
fn across(first: Stamp, now: Stamp) -> impl Fn(Stamp) -> i64 {
    let span = (now - first).num_seconds().max(1);
    let lead = WIDTH / 25;
    move |at| lead + (at - first).num_seconds().clamp(0, span) * (WIDTH - lead) / span
}

fn words(page: &Page, steps: &[ScoreStep], last: &ScoreStep) -> String {
    let games = if steps.len() == 1 { "1 ranked game".to_owned() } else { format!("{} ranked games", steps.len()) };
    let day = |step: &ScoreStep| page.time(&step.at).day;
    let mut words = format!("From {START} at the start to {} after {games}.", last.score);
    // The first time a mark was reached.
    let best = steps.iter().rev().max_by_key(|step| step.score).filter(|step| step.score > START.max(last.score));
    let worst = steps.iter().min_by_key(|step| step.score).filter(|step| step.score < START.min(last.score));
    for (which, step) in [("Highest", best), ("Lowest", worst)] {
        if let Some(step) = step {
            words.push_str(&format!(" {which}: {} on {}.", step.score, day(step)));
        }
    }
    words
}
