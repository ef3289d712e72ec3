//! Sends the letters of the outbox: claim, send outside any transaction, settle.
//!
//! A letter leaves at least once. A process killed between a mail server's “accepted” and the settling sends it
//! again after the lease, with the same Message-ID. Nothing else sends a letter twice: a claim is a guarded
//! update, and a sender whose lease ran out can't finish what another one has claimed since.
//!
//! Every try ends in one of three ways, each of which is counted: sent, later, or set aside for the operator.
//! Senders don't wait for each other, and a letter that hangs holds up none but the next one to the same person: after
//! a few seconds it is waited for beside the next letters ([`Sender`]).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use diesel::QueryResult;
use tokio::sync::watch;

use super::loops::Stop;
use crate::clock::Clock;
use crate::mail::{self, Delivery, Handed, Outgoing, Site, Transport};
use crate::store::outbox::{self, Row, Which};
use crate::store::{Database, Stamp};

mod claims;
mod sender;
mod settle;

use claims::{Claimed, claim};
pub use sender::{Office, PLACES, Sender};
use settle::{Outcome, settle};

/// Letters one sender sends in one run, after which it says what it did.
const PER_RUN: usize = 60;

/// How long a mail server that has the whole letter may take to answer once the process was told to stop.
const ANSWER_MAY_TAKE: Duration = Duration::from_secs(10);

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drained {
    /// Letters accepted by the mail server.
    pub sent: usize,
    /// Letters that were no longer wanted.
    pub dropped: usize,
    /// Letters that were set aside: refused for good, or tried as often as they may be.
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

/// What senders work with.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// The database.
    pub db: &'a Database,
    /// The way out.
    pub transport: &'a Transport,
    /// The site whose letters they are.
    pub site: &'a Site,
    /// The clock.
    pub clock: &'a Clock,
    /// Once it is `true` no letter is begun any more, and one not yet handed over is given back.
    pub stop: &'a Stop,
}

/// Sends the letters that are due, with as many senders as the transport takes, and waits for all of them. At most
/// [`PER_RUN`] letters.
pub async fn drain(db: &Database, transport: &Transport, site: &Site, clock: &Clock) -> QueryResult<Drained> {
    let (_never, stop) = watch::channel(false);
    drain_until(Desk { db, transport, site, clock, stop: &stop }).await
}

/// The same, until it is told to stop.
pub async fn drain_until(desk: Desk<'_>) -> QueryResult<Drained> {
    let budget = AtomicUsize::new(PER_RUN);
    let sender = async |number: usize| {
        if number < desk.transport.senders() {
            send_letters(desk, number, &budget, None).await
        } else {
            Ok(Drained::default())
        }
    };
    let mut drained = Drained::default();
    loop {
        let (first, second, third, fourth) = tokio::join!(sender(0), sender(1), sender(2), sender(3));
        let mut round = Drained::default();
        for part in [first, second, third, fourth] {
            round.add(part?);
        }
        // The first sender may have been the last at work, and not all that is due now is for it.
        if round.is_empty() {
            break;
        }
        drained.add(round);
    }
    report(&drained);
    Ok(drained)
}

/// When the next letter is due: not before the mail server is believed to work again. `None`: none waits.
pub async fn next_due(db: &Database, transport: &Transport, clock: &Clock) -> QueryResult<Option<Stamp>> {
    let now = clock.now();
    let next = blocking(db, move |db| outbox::next_due(&mut *db.connection()?, now, Which::All)).await?;
    let closed_until = transport.closed_until(now);
    Ok(next.map(|next| closed_until.map_or(next, |until| next.max(until))))
}

async fn next_for(desk: Desk<'_>, sender: usize) -> QueryResult<Option<Stamp>> {
    let (now, which) = (desk.clock.now(), which(desk.transport, sender));
    let next = blocking(desk.db, move |db| outbox::next_due(&mut *db.connection()?, now, which)).await?;
    let closed_until = desk.transport.closed_until(now);
    Ok(next.map(|next| closed_until.map_or(next, |until| next.max(until))))
}

/// Of several senders the first takes only letters to people of whom no letter waits that has failed before: then
/// those that fail again and again, however many, never keep all of them.
fn which(transport: &Transport, sender: usize) -> Which {
    if sender == 0 && transport.senders() > 1 { Which::Untried } else { Which::All }
}

fn report(drained: &Drained) {
    let Drained { sent, dropped, dead, waiting, server_fault: _ } = drained;
    if sent + dropped + dead > 0 {
        tracing::info!(sent, dropped, dead, waiting, "Letters were sent.");
    }
}

/// One sender: letter after letter until none is due, the run's share is used up, the server fails, or it is told to
/// stop. With `beside`, letters that take long are left to it.
async fn send_letters(
    desk: Desk<'_>,
    sender: usize,
    budget: &AtomicUsize,
    beside: Option<&Sender>,
) -> QueryResult<Drained> {
    let mut drained = Drained::default();
    let which = which(desk.transport, sender);
    while budget.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
        let now = desk.clock.now();
        if *desk.stop.borrow() || desk.transport.closed_until(now).is_some() {
            break;
        }
        let lease_until = now + desk.transport.lease();
        let site = desk.site.clone();
        let claimed = blocking(desk.db, move |db| {
            if !outbox::any_due(&mut *db.connection()?, now, which)? {
                return Ok(None);
            }
            db.write(|conn| claim(conn, &site, now, lease_until, which))
        });
        let (letter, address) = match claimed.await? {
            None => break,
            Some(Claimed::Unwanted) => {
                drained.dropped += 1;
                continue;
            }
            Some(Claimed::SetAside) => {
                drained.dead += 1;
                continue;
            }
            Some(Claimed::Later) => {
                drained.waiting += 1;
                continue;
            }
            Some(Claimed::Wanted { letter, address }) => (letter, address),
        };
        let done = match beside {
            Some(sender) => sender.deliver(*letter, address).await?,
            None => deliver(desk, *letter, address, &Handed::default()).await?,
        };
        let failed = done.server_fault.is_some();
        drained.add(done);
        if failed {
            break;
        }
    }
    Ok(drained)
}

/// Sends one letter that was claimed, and settles it.
async fn deliver(desk: Desk<'_>, letter: Row, address: String, handed: &Handed) -> QueryResult<Drained> {
    let successes = desk.transport.successes();
    let outcome = match mail::build(desk.site, &letter, &address) {
        Ok(outgoing) => send(desk, &outgoing, handed).await,
        Err(error) => Outcome::Delivered(Delivery::LetterRefused(error.to_string())),
    };
    settle(desk, letter, address, outcome, successes).await
}

/// Hands a letter to the transport, and calls it off when the process is told to stop: at once while the server
/// can't have it, else when the server has not answered for a while.
async fn send(desk: Desk<'_>, outgoing: &Outgoing, handed: &Handed) -> Outcome {
    let outcome = tokio::select! {
        delivery = desk.transport.send_noting(outgoing, handed) => Outcome::Delivered(delivery),
        begun = called_off(desk.stop.clone(), handed) => {
            if begun {
                Outcome::Delivered(Delivery::Broken("this server was stopped before the answer came".to_owned()))
            } else {
                Outcome::CalledOff
            }
        }
    };
    tell(outgoing, &outcome);
    outcome
}

/// Waits until a sending should be called off; returns whether the mail server may have the letter.
async fn called_off(mut stop: Stop, handed: &Handed) -> bool {
    if stop.wait_for(|stopped| *stopped).await.is_err() {
        // Nobody is left who could say so.
        std::future::pending::<()>().await;
    }
    if handed.is_begun() {
        tokio::time::sleep(ANSWER_MAY_TAKE).await;
    }
    handed.is_begun()
}

fn tell(outgoing: &Outgoing, outcome: &Outcome) {
    let to = mail::mask(outgoing.to.as_ref());
    // Servers like to repeat the address in their answer.
    let masked = |why: &str| why.replace(AsRef::<str>::as_ref(&outgoing.to), &to);
    let id = &outgoing.message_id;
    match outcome {
        Outcome::Delivered(Delivery::Accepted) => tracing::debug!(mail.id = id, mail.to = to, "A letter was accepted."),
        Outcome::Delivered(Delivery::PutOff(why) | Delivery::Hung(why) | Delivery::Broken(why)) => {
            tracing::info!(mail.id = id, mail.to = to, why = masked(why), "A letter has to be tried again.");
        }
        Outcome::CalledOff => tracing::info!(mail.id = id, mail.to = to, "A letter waits for the next start."),
        // Told when they are settled: once for all senders, and with how many letters were set aside.
        Outcome::Delivered(Delivery::AddressRefused(_) | Delivery::LetterRefused(_) | Delivery::ServerFault(_)) => {}
    }
}

/// Runs database work off the threads that wait for the network.
async fn blocking<T: Send + 'static>(
    db: &Database,
    work: impl FnOnce(Database) -> QueryResult<T> + Send + 'static,
) -> QueryResult<T> {
    db.run(|db| work(db.clone())).await
}
