//! A sender of letters: one loop of its own, that no other one waits for.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use chrono::TimeDelta;
use diesel::QueryResult;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::{Desk, Drained, PER_RUN, deliver, next_for, report, send_letters};
use crate::clock::Clock;
use crate::jobs::loops::{Stop, with_causes};
use crate::jobs::work::Bell;
use crate::mail::{FIRST_WAIT_S, Handed, Site, Transport};
use crate::store::outbox::Row;
use crate::store::{Database, Stamp};

/// Letters that hang of which one sender waits beside its next ones; each keeps a connection to the mail server open.
/// With one more it waits itself. Four senders hold at most 28 connections; Postfix allows 50 to one client.
pub const PLACES: u32 = 6;

/// What all senders of a process share.
pub struct Office {
    /// The database.
    pub db: Database,
    /// The way out.
    pub transport: Arc<Transport>,
    /// The site whose letters they are.
    pub site: Site,
    /// The clock.
    pub clock: Clock,
    /// Once it is `true` no letter is begun any more, and one not yet handed over is given back.
    pub stop: Stop,
    /// Wakes all senders.
    pub bell: Bell,
}

impl Office {
    fn desk(&self) -> Desk<'_> {
        Desk { db: &self.db, transport: &self.transport, site: &self.site, clock: &self.clock, stop: &self.stop }
    }
}

/// One sender. A letter that hangs after its recipient was named holds it for a few seconds only
/// ([`crate::mail::Patience::alone`]); then the letter is waited for beside the next ones. Before that it is the whole
/// server that hangs, and the sender waits with everybody else.
pub struct Sender {
    number: usize,
    office: Arc<Office>,
    /// One permit for each letter that may be waited for beside the others.
    places: Arc<Semaphore>,
    /// While the server does not let this sender in, although it may serve others.
    rests_until: Mutex<Option<Stamp>>,
}

impl Sender {
    /// The sender with this number, counted from 0.
    pub fn new(office: Arc<Office>, number: usize) -> Sender {
        let places = Arc::new(Semaphore::new(PLACES as usize));
        Sender { number, office, places, rests_until: Mutex::default() }
    }

    /// One run of its loop: sends what is due, but what hangs. Returns how long until something is due again.
    pub async fn run(&self) -> QueryResult<Option<Duration>> {
        let desk = self.office.desk();
        let until = |then: Stamp| (then - desk.clock.now()).to_std().unwrap_or_default();
        let rests_until = *self.rests_until.lock();
        if let Some(then) = rests_until.filter(|then| *then > desk.clock.now()) {
            return Ok(Some(until(then)));
        }
        let drained = send_letters(desk, self.number, &AtomicUsize::new(PER_RUN), Some(self)).await?;
        self.tell(&drained);
        if drained.server_fault.is_some() {
            // The others may be let in while this one is not: a server may allow fewer connections than there are
            // senders. A letter that this one took is for the others meanwhile.
            let then = desk.clock.now() + TimeDelta::seconds(FIRST_WAIT_S);
            *self.rests_until.lock() = Some(then);
            self.office.bell.ring();
            return Ok(Some(until(then)));
        }
        Ok(next_for(desk, self.number).await?.map(until))
    }

    /// Waits until no letter is waited for any more; not before it was told to stop.
    pub async fn finish(&self) {
        // It is never closed.
        let _ = self.places.acquire_many(PLACES).await;
    }

    /// Sends a claimed letter. Returns what was done, which is nothing yet if it hangs.
    pub(super) async fn deliver(&self, letter: Row, address: String) -> QueryResult<Drained> {
        let (office, handed) = (Arc::clone(&self.office), Arc::new(Handed::default()));
        let progress = Arc::clone(&handed);
        let mut delivering: Delivering =
            Box::pin(async move { deliver(office.desk(), letter, address, &handed).await });
        let place = async {
            match self.office.transport.alone() {
                Some(alone) => {
                    progress.recipient_named().await;
                    tokio::time::sleep(alone).await;
                    Arc::clone(&self.places).acquire_owned().await.ok()
                }
                None => std::future::pending().await,
            }
        };
        let place = tokio::select! {
            biased;
            done = &mut delivering => return done,
            place = place => place,
        };
        let bell = self.office.bell.clone();
        tokio::spawn(async move {
            match delivering.await {
                Ok(drained) => report(&drained),
                // The letter is claimed again after its lease.
                Err(error) => tracing::error!(error = with_causes(&error), "A letter that hung could not be settled."),
            }
            // The next letter to the same person may go.
            bell.ring();
            drop(place);
        });
        Ok(Drained::default())
    }

    /// Says what was done, and wakes the others: there may be letters now that waited for these, to the same people.
    fn tell(&self, drained: &Drained) {
        report(drained);
        if !drained.is_empty() {
            self.office.bell.ring();
        }
    }
}

type Delivering = Pin<Box<dyn Future<Output = QueryResult<Drained>> + Send>>;
