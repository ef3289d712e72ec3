//! Sends the letters of the outbox: claim, send outside any transaction, finish.
//!
//! A letter leaves at least once. A process killed between a mail server's “accepted” and [`finish`] sends it
//! again after the lease, with the same Message-ID. Nothing else sends a letter twice: a claim is a guarded
//! update, and a sender whose lease ran out can't finish what another one has claimed since.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use diesel::QueryResult;

use crate::clock::Clock;
use crate::mail::{self, Delivery, Outgoing, Site, Transport};
use crate::store::outbox::{self, End, Forget, Row};
use crate::store::{Conn, Database, Stamp, users};
use crate::tables::{self, TalkLetter};

/// Letters sent in one run, so that a shutdown never waits long for the run to end.
const PER_RUN: usize = 60;

/// How often a server may say “later” to one letter: with waits that double up to six hours, over four days.
const PUT_OFFS: i32 = 24;

/// The longest wait between two tries of a letter that was put off.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(6);

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drained {
    /// Letters accepted by the mail server.
    pub sent: usize,
    /// Letters that were no longer wanted.
    pub dropped: usize,
    /// Letters refused for good.
    pub dead: usize,
    /// Letters that wait for another try.
    pub waiting: usize,
    /// Why nothing can be sent at all, in the mail server's words.
    pub server_fault: Option<String>,
}

impl Drained {
    /// Whether the run found nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Drained::default()
    }

    fn add(&mut self, other: Drained) {
        self.sent += other.sent;
        self.dropped += other.dropped;
        self.dead += other.dead;
        self.waiting += other.waiting;
        self.server_fault = self.server_fault.take().or(other.server_fault);
    }
}

/// One run of the outbox loop: sends what is due, and gives how long until something is due again.
pub async fn run(db: &Database, transport: &Transport, site: &Site, clock: &Clock) -> QueryResult<Option<Duration>> {
    drain(db, transport, site, clock).await?;
    let next = next_due(db, transport, clock).await?;
    Ok(next.map(|next| (next - clock.now()).to_std().unwrap_or_default()))
}

/// Sends the letters that are due, at most [`PER_RUN`] of them, with as many senders as the transport takes.
pub async fn drain(db: &Database, transport: &Transport, site: &Site, clock: &Clock) -> QueryResult<Drained> {
    let budget = AtomicUsize::new(PER_RUN);
    let sender = async |number: usize| {
        if number < transport.senders() {
            send_letters(db, transport, site, clock, &budget).await
        } else {
            Ok(Drained::default())
        }
    };
    let (first, second, third, fourth) = tokio::join!(sender(0), sender(1), sender(2), sender(3));
    let mut drained = Drained::default();
    for part in [first, second, third, fourth] {
        drained.add(part?);
    }
    report(&drained);
    Ok(drained)
}

/// When the next letter is due: not before the mail server is believed to work again. `None`: none waits.
pub async fn next_due(db: &Database, transport: &Transport, clock: &Clock) -> QueryResult<Option<Stamp>> {
    let next = blocking(db, |db| outbox::next_due(&mut *db.connection()?)).await?;
    let closed_until = transport.closed_until(clock.now());
    Ok(next.map(|next| closed_until.map_or(next, |until| next.max(until))))
}

fn report(drained: &Drained) {
    let Drained { sent, dropped, dead, waiting, server_fault } = drained;
    match server_fault {
        Some(fault) => tracing::warn!(sent, waiting, fault, "Letters wait: the mail server can't take them."),
        None if drained.is_empty() => {}
        None => tracing::info!(sent, dropped, dead, waiting, "Letters were sent."),
    }
}

/// One sender: letter after letter until none is due, the run's share is used up, or the server fails.
async fn send_letters(
    db: &Database,
    transport: &Transport,
    site: &Site,
    clock: &Clock,
    budget: &AtomicUsize,
) -> QueryResult<Drained> {
    let mut drained = Drained::default();
    while budget.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
        let now = clock.now();
        if transport.closed_until(now).is_some() {
            break;
        }
        let lease_until = now + transport.lease();
        let known = site.clone();
        let claimed = blocking(db, move |db| db.write(|conn| claim(conn, &known, now, lease_until))).await?;
        let Some(claimed) = claimed else { break };
        let (letter, address) = match claimed {
            Claimed::Unwanted => {
                drained.dropped += 1;
                continue;
            }
            Claimed::Later => {
                drained.waiting += 1;
                continue;
            }
            Claimed::Wanted { letter, address } => (letter, address),
        };
        let delivery = match mail::build(site, &letter, &address) {
            Ok(outgoing) => send(transport, &outgoing).await,
            Err(error) => Delivery::LetterRefused(error.to_string()),
        };
        let failed = matches!(delivery, Delivery::ServerFault(_));
        drained.add(settle(db, transport, clock, *letter, address, delivery).await?);
        if failed {
            break;
        }
    }
    Ok(drained)
}

async fn send(transport: &Transport, outgoing: &Outgoing) -> Delivery {
    let delivery = transport.send(outgoing).await;
    let to = mail::mask(outgoing.to.as_ref());
    // Servers like to repeat the address in their answer.
    let masked = |why: &str| why.replace(AsRef::<str>::as_ref(&outgoing.to), &to);
    match &delivery {
        Delivery::Accepted => tracing::debug!(mail.id = outgoing.message_id, mail.to = to, "A letter was accepted."),
        Delivery::AddressRefused(why) | Delivery::LetterRefused(why) => {
            tracing::warn!(
                mail.id = outgoing.message_id,
                mail.to = to,
                why = masked(why),
                "A letter was refused for good."
            );
        }
        Delivery::PutOff(why) | Delivery::Broken(why) => {
            tracing::info!(
                mail.id = outgoing.message_id,
                mail.to = to,
                why = masked(why),
                "A letter has to be tried again."
            );
        }
        // Reported once for the run, not for every sender.
        Delivery::ServerFault(_) => {}
    }
    delivery
}

enum Claimed {
    Wanted { letter: Box<Row>, address: String },
    Unwanted,
    Later,
}

/// Claims the next letter, and drops it in the same transaction when it is no longer wanted.
fn claim(conn: &mut Conn, site: &Site, now: Stamp, lease_until: Stamp) -> QueryResult<Option<Claimed>> {
    let Some(letter) = outbox::claim(conn, now, lease_until)? else { return Ok(None) };
    match wanted(conn, &letter, now)? {
        Ok(address) if letter.letter == outbox::TALK => claim_talk(conn, site, now, letter, address).map(Some),
        Ok(address) => Ok(Some(Claimed::Wanted { letter: Box::new(letter), address })),
        Err(why) => drop_letter(conn, &letter, why, now).map(Some),
    }
}

fn drop_letter(conn: &mut Conn, letter: &Row, why: &str, now: Stamp) -> QueryResult<Claimed> {
    outbox::finish(conn, letter, End::Dropped, Some(why), forget(letter), now)?;
    Ok(Claimed::Unwanted)
}

/// A letter of table talk gets its words when it leaves, for there may be more to tell by then, or nothing.
fn claim_talk(conn: &mut Conn, site: &Site, now: Stamp, letter: Row, address: String) -> QueryResult<Claimed> {
    match tables::word_talk_letter(conn, site, now, &letter)? {
        TalkLetter::Goes => {
            let worded = outbox::find(conn, letter.id)?.unwrap_or(letter);
            Ok(Claimed::Wanted { letter: Box::new(worded), address })
        }
        TalkLetter::IsVain => drop_letter(conn, &letter, "it was read on the page, or another letter told it", now),
        TalkLetter::Waits => {
            let why = "another letter that waits tells the same";
            outbox::release(conn, &letter, letter.put_offs, why, now + tables::WAITS_FOR_OTHERS)?;
            Ok(Claimed::Later)
        }
    }
}

/// The address a letter goes to now, or why nobody wants it any more.
fn wanted(conn: &mut Conn, letter: &Row, now: Stamp) -> QueryResult<Result<String, &'static str>> {
    let link_is_dead = mail::holds_secret(&letter.letter) && letter.deadline_at.is_some_and(|until| until <= now);
    if link_is_dead {
        return Ok(Err("its link has stopped working"));
    }
    let Some(user_id) = letter.user_id else { return Ok(Ok(letter.to_address.clone())) };
    let Some(user) = outbox::recipient_now(conn, user_id)? else { return Ok(Err("the account was deleted")) };
    let Some(table_id) = letter.table_id else { return Ok(Ok(letter.to_address.clone())) };
    let wished = match letter.letter.as_str() {
        "due" => user.wants_due,
        "reminder" => user.wants_reminders,
        "resolved" => user.wants_resolved,
        outbox::TALK => user.wants_talk,
        _ => user.wants_news,
    };
    if !wished {
        return Ok(Err("the player doesn't want such letters"));
    }
    if let ("due" | "reminder", Some(phase_no)) = (letter.letter.as_str(), letter.phase_no) {
        let standing = outbox::standing(conn, table_id, phase_no, user_id)?;
        if !standing.phase_open {
            return Ok(Err("the phase is over"));
        }
        if standing.out {
            return Ok(Err("the player has left the table"));
        }
        if standing.plot_in {
            return Ok(Err("the player has handed in"));
        }
        // A deadline that moved warns again with a letter of its own.
        if letter.letter == "reminder" && standing.deadline_at > letter.deadline_at {
            return Ok(Err("the deadline has moved"));
        }
    }
    // Letters about tables follow the player to a new address; those about the account prove an address.
    Ok(user.email.ok_or("the account has no address"))
}

fn forget(letter: &Row) -> Forget {
    if mail::holds_secret(&letter.letter) { Forget::Text } else { Forget::Nothing }
}

/// Writes down what became of a letter.
async fn settle(
    db: &Database,
    transport: &Transport,
    clock: &Clock,
    letter: Row,
    address: String,
    delivery: Delivery,
) -> QueryResult<Drained> {
    let now = clock.now();
    let mut drained = Drained::default();
    let (again_at, put_off, why) = match delivery {
        Delivery::Accepted => {
            transport.note_success();
            finish(db, letter, address, End::Sent, None, now).await?;
            return Ok(Drained { sent: 1, ..drained });
        }
        Delivery::AddressRefused(why) | Delivery::LetterRefused(why) => {
            transport.note_success();
            finish(db, letter, address, End::Dead, Some(why), now).await?;
            return Ok(Drained { dead: 1, ..drained });
        }
        Delivery::PutOff(why) if letter.put_offs + 1 >= PUT_OFFS => {
            transport.note_success();
            finish(db, letter, address, End::Dead, Some(why), now).await?;
            return Ok(Drained { dead: 1, ..drained });
        }
        Delivery::PutOff(why) => {
            transport.note_success();
            (now + put_off_wait(letter.put_offs + 1), 1, why)
        }
        // One letter that breaks every connection must not hold up the others, so the server isn't blamed.
        Delivery::Broken(why) => (now + mail::server_wait(u32::try_from(letter.attempts).unwrap_or(u32::MAX)), 0, why),
        Delivery::ServerFault(why) => {
            drained.server_fault = Some(why.clone());
            (transport.note_fault(now), 0, why)
        }
    };
    let put_offs = letter.put_offs + put_off;
    blocking(db, move |db| db.write(|conn| outbox::release(conn, &letter, put_offs, &why, again_at))).await?;
    drained.waiting = 1;
    Ok(drained)
}

/// The wait after a letter was put off so many times: 2, 4, 8 … minutes, at most six hours.
fn put_off_wait(put_offs: i32) -> TimeDelta {
    let doublings = put_offs.clamp(0, 20);
    TimeDelta::minutes(1 << doublings).min(LONGEST_WAIT)
}

/// Ends a letter, and tells the player on the site whether letters arrive.
async fn finish(
    db: &Database,
    letter: Row,
    address: String,
    end: End,
    why: Option<String>,
    now: Stamp,
) -> QueryResult<()> {
    // A letter that checks another address says nothing about the account's own.
    let user_id = letter.user_id.filter(|_| letter.letter != "change-address");
    blocking(db, move |db| {
        db.write(|conn| {
            let held = outbox::finish(conn, &letter, end, why.as_deref(), forget(&letter), now)?;
            match (user_id, &why) {
                (Some(user_id), Some(why)) if held => {
                    let fault = format!(
                        "A letter to {address} was refused by its mail server: “{why}”. Until that changes, \
                         letters may not reach you."
                    );
                    users::set_mail_fault(conn, user_id, Some(&fault))
                }
                (Some(user_id), None) if held => users::clear_mail_fault(conn, user_id),
                _ => Ok(()),
            }
        })
    })
    .await
}

/// Runs database work off the threads that wait for the network.
async fn blocking<T: Send + 'static>(
    db: &Database,
    work: impl FnOnce(Database) -> QueryResult<T> + Send + 'static,
) -> QueryResult<T> {
    db.run(|db| work(db.clone())).await
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
}
