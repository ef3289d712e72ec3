//! Letters of the game as it goes: due, reminder, resolved, dropped, beaten, over.

use super::Context;
use super::page::Page;
use crate::mail::{Section, TableRef};
use crate::store::{PhaseNo, Stamp};
use crate::when;

const SINCE: &str = "Since your last orders";
const POSITION: &str = "The position";
const TOGETHER: &str = "You can change your orders until the phase resolves, which happens as soon as everybody's orders \
                        are in.";
const AT_ONCE: &str = "What you hand in is carried out at once, and you see the result before you go on. One clock runs \
                       for the whole turn.";

#[expect(clippy::too_many_arguments, reason = "the fields of one letter")]
pub(super) fn due(
    context: &Context<'_>,
    table: &TableRef,
    phase_no: PhaseNo,
    phase: &str,
    deadline: Stamp,
    since: &[Section],
    at_deadline: &str,
    position: &str,
    at_once: bool,
) -> Page {
    let by = when::in_zone(deadline, context.to.zone);
    let subject = format!("{}, phase {phase_no}: {phase} is due by {by}", table.title());
    Page::new(subject, format!("You owe orders for {phase}."))
        .preview(preview(context, deadline, at_deadline))
        .about(table, Some(phase_no))
        .facts(due_facts(context, phase, deadline, at_deadline))
        .table_button(context, "Give your orders", table)
        .text(if at_once { AT_ONCE } else { TOGETHER })
        .happened(SINCE, since)
        .position(POSITION, position)
}

pub(super) fn reminder(
    context: &Context<'_>,
    table: &TableRef,
    phase_no: PhaseNo,
    phase: &str,
    deadline: Stamp,
    at_deadline: &str,
    position: &str,
) -> Page {
    let left = when::relative(context.now, deadline);
    let by = when::in_zone(deadline, context.to.zone);
    let subject = format!("{}, phase {phase_no}: your time for {phase} ends {left}, {by}", table.title());
    Page::new(subject, format!("You have not handed in orders for {phase} yet. Your time ends {left}."))
        .preview(preview(context, deadline, at_deadline))
        .about(table, Some(phase_no))
        .facts(due_facts(context, phase, deadline, at_deadline))
        .table_button(context, "Give your orders", table)
        .text("A saved draft counts: if it is legal, it is handed in for you when your time ends.")
        .position(POSITION, position)
}

pub(super) fn resolved(
    context: &Context<'_>,
    table: &TableRef,
    phase_no: PhaseNo,
    phase: &str,
    what: &[Section],
    position: &str,
    next: &str,
) -> Page {
    let subject = format!("{}, phase {phase_no}: {phase} is resolved", table.title());
    Page::new(subject, format!("{phase} has been resolved. You owe no orders now."))
        .preview(next.to_owned())
        .about(table, Some(phase_no))
        .text(next)
        .table_button(context, "Look at the table", table)
        .happened("What happened", what)
        .position(POSITION, position)
}

pub(super) fn beaten(
    context: &Context<'_>,
    table: &TableRef,
    phase_no: PhaseNo,
    phase: &str,
    score_change: Option<i32>,
    what: &[Section],
    position: &str,
) -> Page {
    Page::new(
        format!("{}, phase {phase_no}: you are out of the game", table.title()),
        "You are out of the game.".to_owned(),
    )
    .about(table, Some(phase_no))
    .text(format!("You were beaten in {phase}. The others play on."))
    .text(match score_change {
        Some(change) => format!("That {} when the table ends.", signed_points(change)),
        None => "This table is not ranked, so your score does not change.".to_owned(),
    })
    .table_button(context, "Look at the table", table)
    .text("You will get one more letter, when the game is over. You can keep watching until then.")
    .happened(SINCE, what)
    .position(POSITION, position)
}

/// What lists of letters show beside the subject of a letter about a deadline.
fn preview(context: &Context<'_>, deadline: Stamp, at_deadline: &str) -> String {
    format!("By {}. {at_deadline}", when::in_zone_and_utc(deadline, context.to.zone))
}

fn due_facts(context: &Context<'_>, phase: &str, deadline: Stamp, at_deadline: &str) -> Vec<(String, String)> {
    let by = format!(
        "{}, {} as this letter is written",
        when::in_zone_and_utc(deadline, context.to.zone),
        when::relative(context.now, deadline)
    );
    vec![
        ("Due".to_owned(), phase.to_owned()),
        ("By".to_owned(), by),
        ("At the deadline".to_owned(), at_deadline.to_owned()),
    ]
}

pub(super) fn dropped(
    context: &Context<'_>,
    table: &TableRef,
    phase_no: PhaseNo,
    phase: &str,
    deadline: Stamp,
    score_change: Option<i32>,
    after: &str,
) -> Page {
    let passed = when::in_zone_and_utc(deadline, context.to.zone);
    let score = match score_change {
        Some(change) => {
            format!("This counts as a drop and {}.", signed_points(change))
        }
        None => "This table is not ranked, so your score does not change.".to_owned(),
    };
    Page::new(
        format!("{}, phase {phase_no}: your time for {phase} ran out", table.title()),
        "Your time ran out, and you were dropped from this table.".to_owned(),
    )
    .about(table, Some(phase_no))
    .text(format!(
        "When your time ended ({passed}) you had not handed in orders for {phase}, and there was no legal draft."
    ))
    .text(score)
    .text(after)
    .table_button(context, "Look at the table", table)
    .text(
        "Drops that still count limit how many games you may play at a time. A drop stops counting after 90 days, or \
         once you have finished 20 ranked games after it against three different opponents.",
    )
}

#[expect(clippy::too_many_arguments, reason = "the fields of one letter")]
pub(super) fn over(
    context: &Context<'_>,
    table: &TableRef,
    result: &str,
    reason: &str,
    (score_change, not_counted): (Option<i32>, Option<&str>),
    score: i32,
    what: &[Section],
    position: &str,
) -> Page {
    let points = match (score_change, not_counted) {
        (Some(_), Some(why)) => format!("stays at {score}; this result is not counted. {why}"),
        (Some(change), None) => format!("{change:+}, now {score}"),
        (None, _) => format!("stays at {score}; this table is not ranked"),
    };
    Page::new(format!("{}: the game is over. {result}", table.title()), format!("The game is over. {result}"))
        .about(table, None)
        .text(reason)
        .facts(vec![("Your score".to_owned(), points)])
        .table_button(context, "Look at the whole game", table)
        .text(
            "On the table's page you can now download the record, see the secret of the dice, and check that every throw \
             and every sealed plot was honest.",
        )
        .happened(SINCE, what)
        .position("The last position", position)
}

/// What a change of score costs or adds, as a verb.
fn signed_points(change: i32) -> String {
    match change {
        0 => "costs no point".to_owned(),
        -1 => "costs 1 point".to_owned(),
        ..0 => format!("costs {} points", -change),
        1 => "adds 1 point".to_owned(),
        _ => format!("adds {change} points"),
    }
}
