//! What becomes of a letter after a try.

use chrono::TimeDelta;
use diesel::QueryResult;

use super::claims::forget;
use super::{Desk, Drained, blocking};
use crate::mail::{self, Delivery};
use crate::store::outbox::{self, Again, End, Row};
use crate::store::{Conn, IdText, LetterKind, Stamp, users};

/// How often a server may say “later” to one letter, or hang before it has it: with waits that double up to six hours,
/// over four days.
const PUT_OFFS: i32 = 24;

/// The longest wait between two tries of a letter that was put off.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(6);

/// The waits, in seconds, after nobody could tell what became of a letter for the first time, the second and so on.
/// The server may have accepted it each time, so the tries are few; they span the time in which a server that fails
/// is repaired. After one more it is set aside.
const AFTER_BREAKS_S: [i64; 4] = [15, 120, 900, 7_200];

/// What became of a try.
pub(super) enum Outcome {
    /// The transport had its say.
    Delivered(Delivery),
    /// The process stops, and the server can't have the letter.
    CalledOff,
}

/// How the letter goes on.
enum Verdict {
    Sent,
    /// Set aside, with the words for its reader's page.
    Aside {
        why: String,
        fault: String,
    },
    Again {
        put_offs: i32,
        breaks: i32,
        not_before: Option<Stamp>,
        why: String,
    },
}

/// Writes down what became of a letter. When its try began, the server had dealt with so many letters (`successes`).
pub(super) async fn settle(
    desk: Desk<'_>,
    letter: Row,
    address: String,
    outcome: Outcome,
    successes: u64,
) -> QueryResult<Drained> {
    let now = desk.clock.now();
    let mut drained = Drained::default();
    if let Outcome::Delivered(Delivery::ServerFault(why)) = &outcome {
        if desk.transport.note_fault(now, successes) {
            tracing::warn!(fault = why, "Letters wait: the mail server can't take them.");
        }
        drained.server_fault = Some(why.clone());
    } else if matches!(outcome, Outcome::Delivered(_)) {
        desk.transport.note_success();
    }
    match verdict(&letter, &address, outcome, now) {
        Verdict::Sent => {
            finish(desk, letter, End::Sent, None, now).await?;
            drained.sent = 1;
        }
        Verdict::Aside { why, fault } => {
            let to = mail::mask(&address);
            let shown = why.replace(&address, &to);
            let (id, kind) = (IdText(letter.id), letter.letter.clone());
            let waiting = finish(desk, letter, End::Dead, Some((why, fault)), now).await?;
            tracing::warn!(
                letter = %id,
                kind,
                mail.to = to,
                why = shown,
                set_aside = waiting,
                "A letter was set aside. `stardate mail` lists such letters and sends them again."
            );
            drained.dead = 1;
        }
        Verdict::Again { put_offs, breaks, not_before, why } => {
            let release = move |conn: &mut Conn| {
                outbox::release(conn, &letter, Again { put_offs, breaks, not_before, why: &why })
            };
            blocking(desk.db, move |db| db.write(&release)).await?;
            drained.waiting = 1;
        }
    }
    Ok(drained)
}

fn verdict(letter: &Row, address: &str, outcome: Outcome, now: Stamp) -> Verdict {
    // The claim counted itself as a try of which nobody knows what became.
    let unbroken = letter.breaks - 1;
    let again = |put_offs, breaks, not_before, why| Verdict::Again { put_offs, breaks, not_before, why };
    match outcome {
        Outcome::Delivered(Delivery::Accepted) => Verdict::Sent,
        Outcome::Delivered(Delivery::AddressRefused(why) | Delivery::LetterRefused(why)) => refused(address, why),
        Outcome::Delivered(Delivery::PutOff(why)) if letter.put_offs + 1 >= PUT_OFFS => put_off(address, &why),
        Outcome::Delivered(Delivery::Hung(why)) if letter.put_offs + 1 >= PUT_OFFS => hung(address, &why),
        Outcome::Delivered(Delivery::PutOff(why) | Delivery::Hung(why)) => {
            let put_offs = letter.put_offs + 1;
            again(put_offs, unbroken, Some(now + put_off_wait(put_offs)), why)
        }
        Outcome::Delivered(Delivery::Broken(why)) => match wait_after_breaks(letter.breaks) {
            Some(wait) => again(letter.put_offs, letter.breaks, Some(now + wait), why),
            None => Verdict::Aside { fault: vanished(address, &why), why: tried_in_vain(letter.breaks, &why) },
        },
        Outcome::Delivered(Delivery::ServerFault(why)) => again(letter.put_offs, unbroken, None, why),
        Outcome::CalledOff => again(letter.put_offs, unbroken, None, "this server was stopped".to_owned()),
    }
}

fn refused(address: &str, why: String) -> Verdict {
    let fault = format!(
        "The mail server of {address} refused a letter: “{why}”. Until that changes, letters may not reach you."
    );
    Verdict::Aside { why, fault }
}

/// What is said of a letter that was put off as often as it may be; some of the tries may have hung.
fn put_off(address: &str, why: &str) -> Verdict {
    Verdict::Aside {
        fault: format!(
            "A letter to {address} was put off by its mail server for days: “{why}”. Until that changes, letters may \
             not reach you."
        ),
        why: format!("tried {PUT_OFFS} times and never taken; the last time the mail server said “later”: {why}"),
    }
}

/// The same when there was no answer the last time: nobody has refused it.
fn hung(address: &str, why: &str) -> Verdict {
    Verdict::Aside {
        fault: format!(
            "A letter to {address} was tried for days, and its mail server gave no answer: “{why}”. Until that \
             changes, letters may not reach you."
        ),
        why: format!("tried {PUT_OFFS} times and never taken; the last time there was no answer: {why}"),
    }
}

fn vanished(address: &str, why: &str) -> String {
    format!(
        "A letter to {address} was sent several times, and its mail server never said that it arrived: “{why}”. Until \
         that changes, letters may not reach you, or may reach you more than once."
    )
}

fn tried_in_vain(breaks: i32, why: &str) -> String {
    format!("sent {breaks} times without an answer; the last time: {why}")
}

/// Whether a letter was sent without an answer as often as it may be.
pub(super) fn is_broken_too_often(breaks: i32) -> bool {
    breaks > 0 && wait_after_breaks(breaks).is_none()
}

fn wait_after_breaks(breaks: i32) -> Option<TimeDelta> {
    let index = usize::try_from(breaks).ok()?.checked_sub(1)?;
    AFTER_BREAKS_S.get(index).map(|seconds| TimeDelta::seconds(*seconds))
}

/// The wait after a letter was put off so many times: 2, 4, 8 … minutes, at most six hours.
fn put_off_wait(put_offs: i32) -> TimeDelta {
    let doublings = put_offs.clamp(0, 20);
    TimeDelta::minutes(1 << doublings).min(LONGEST_WAIT)
}

/// A letter given back as it was before its claim.
pub(super) fn unchanged<'a>(letter: &Row, why: &'a str) -> Again<'a> {
    Again { put_offs: letter.put_offs, breaks: letter.breaks - 1, not_before: None, why }
}

/// Sets a claimed letter aside whose senders were killed again and again while they sent it.
pub(super) fn set_aside_silent(conn: &mut Conn, letter: &Row, now: Stamp) -> QueryResult<()> {
    let why = tried_in_vain(letter.breaks - 1, "its sender ended before the answer came");
    outbox::finish(conn, letter, End::Dead, Some(&why), forget(letter), now)?;
    tracing::warn!(letter = %IdText(letter.id), why, "A letter was set aside. `stardate mail` lists such letters.");
    Ok(())
}

/// Ends a letter, and tells the player on the site whether letters arrive: `failure` is why not, for the operator and
/// in words for the player. Returns how many letters are set aside then.
async fn finish(
    desk: Desk<'_>,
    letter: Row,
    end: End,
    failure: Option<(String, String)>,
    now: Stamp,
) -> QueryResult<i64> {
    // A letter that checks another address says nothing about the account's own.
    let user_id = letter.user_id.filter(|_| letter.kind() != Some(LetterKind::ChangeAddress));
    blocking(desk.db, move |db| {
        db.write(|conn| {
            let why = failure.as_ref().map(|(why, _)| why.as_str());
            let held = outbox::finish(conn, &letter, end, why, forget(&letter), now)?;
            match (user_id, &failure) {
                (Some(user_id), Some((_, fault))) if held => users::set_mail_fault(conn, user_id, Some(fault))?,
                (Some(user_id), None) if held => users::clear_mail_fault(conn, user_id)?,
                _ => {}
            }
            if failure.is_some() { outbox::count_set_aside(conn) } else { Ok(0) }
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_put_off_is_tried_for_days() {
        let waits: Vec<i64> = (1..=10).map(|put_offs| put_off_wait(put_offs).num_minutes()).collect();
        assert_eq!(waits, [2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
        let whole: TimeDelta = (1..PUT_OFFS).map(put_off_wait).sum();
        assert!(whole > TimeDelta::days(3) && whole < TimeDelta::days(5), "{whole}");
    }

    #[test]
    fn a_letter_without_an_answer_is_sent_five_times() {
        let broken: Vec<bool> = (0..=6).map(is_broken_too_often).collect();
        assert_eq!(broken, [false, false, false, false, false, true, true]);
    }
}
