//! The ways letters leave: a folder of files, a mail server, or a list in memory for tests.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use parking_lot::Mutex;

use super::folder::Folder;
use super::message::Outgoing;
use super::smtp::{Handed, Smtp};
use crate::store::Stamp;

/// What became of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It is in the hands of a mail server, or on disk.
    Accepted,
    /// The address is refused for good.
    AddressRefused(String),
    /// This letter is refused for good.
    LetterRefused(String),
    /// The server said “later” to this letter.
    PutOff(String),
    /// The server gave no answer to be understood after the recipient was named and before it had the letter.
    Hung(String),
    /// The connection ended after the server may have had the whole letter; whether it was accepted is not known.
    Broken(String),
    /// No letter can be sent now: the server is away, or refuses us.
    ServerFault(String),
}

/// A way out for letters, and whether it is believed to work. Shared by all senders of a process.
pub struct Transport {
    way: Way,
    gate: Mutex<Gate>,
}

enum Way {
    Folder(Folder),
    Smtp(Box<Smtp>),
    Memory(Memory),
}

/// While a server is away nothing is tried before this moment.
#[derive(Default)]
struct Gate {
    failures: u32,
    closed_until: Option<Stamp>,
    /// How often the server has dealt with a letter.
    successes: u64,
}

/// First and longest wait after a failure of the whole server, in seconds.
pub(crate) const FIRST_WAIT_S: i64 = 15;
const LONGEST_WAIT_S: i64 = 300;

/// What a lease is longer than the sending, for the database's part.
const LEASE_MARGIN: TimeDelta = TimeDelta::seconds(30);

/// The most letters that may be on their way at once.
pub(crate) const SENDERS: usize = 4;

/// The wait after so many failures in a row: it doubles from 15 s to 5 min.
fn server_wait(failures: u32) -> TimeDelta {
    let doublings = failures.saturating_sub(1).min(5);
    TimeDelta::seconds((FIRST_WAIT_S << doublings).min(LONGEST_WAIT_S))
}

impl Transport {
    /// Letters become files.
    pub fn folder(folder: Folder) -> Transport {
        Transport::new(Way::Folder(folder))
    }

    /// Letters go to a mail server.
    pub fn smtp(smtp: Smtp) -> Transport {
        Transport::new(Way::Smtp(Box::new(smtp)))
    }

    /// Letters stay in memory, for tests and simulation.
    pub fn memory(memory: Memory) -> Transport {
        Transport::new(Way::Memory(memory))
    }

    fn new(way: Way) -> Transport {
        Transport { way, gate: Mutex::default() }
    }

    /// Sends one letter. Takes less time than [`Transport::lease`].
    pub async fn send(&self, letter: &Outgoing) -> Delivery {
        self.send_noting(letter, &Handed::default()).await
    }

    /// The same, noting in `handed` when it begins to hand the letter over. May be dropped at any time.
    pub(crate) async fn send_noting(&self, letter: &Outgoing, handed: &Handed) -> Delivery {
        match &self.way {
            Way::Folder(folder) => {
                handed.begin();
                folder.send(letter).await
            }
            Way::Smtp(smtp) => smtp.send(letter, handed).await,
            Way::Memory(memory) => {
                handed.begin();
                memory.send(letter)
            }
        }
    }

    /// How long a claimed letter belongs to its sender. Longer than any sending takes; after a kill the
    /// letter waits this long to be sent again.
    pub fn lease(&self) -> TimeDelta {
        match &self.way {
            Way::Smtp(smtp) => TimeDelta::from_std(smtp.longest()).unwrap_or(TimeDelta::hours(1)) + LEASE_MARGIN,
            Way::Folder(_) | Way::Memory(_) => LEASE_MARGIN,
        }
    }

    /// How many letters may be on their way at once; at most [`SENDERS`].
    pub(crate) fn senders(&self) -> usize {
        match &self.way {
            Way::Smtp(_) => SENDERS,
            Way::Folder(_) | Way::Memory(_) => 1,
        }
    }

    /// How long a sender waits with one letter alone; `None`: until it is done.
    pub(crate) fn alone(&self) -> Option<Duration> {
        match &self.way {
            Way::Smtp(smtp) => Some(smtp.alone()),
            Way::Folder(_) | Way::Memory(_) => None,
        }
    }

    /// Until when nothing should be tried, if that lies after `now`.
    pub fn closed_until(&self, now: Stamp) -> Option<Stamp> {
        self.gate.lock().closed_until.filter(|until| *until > now)
    }

    /// How often the server has dealt with a letter. Asked before a try, for [`Transport::note_fault`].
    pub(crate) fn successes(&self) -> u64 {
        self.gate.lock().successes
    }

    /// Notes that the whole server failed in a try that began when there had been so many successes. Failures of
    /// several senders at the same time count once; returns whether this one was the first of them. If another
    /// sender was served since, the server works, and only this one was not let in.
    pub(crate) fn note_fault(&self, now: Stamp, successes: u64) -> bool {
        let mut gate = self.gate.lock();
        if gate.successes != successes || gate.closed_until.is_some_and(|until| until > now) {
            return false;
        }
        gate.failures += 1;
        gate.closed_until = Some(now + server_wait(gate.failures));
        true
    }

    /// Notes that the server works.
    pub(crate) fn note_success(&self) {
        let mut gate = self.gate.lock();
        *gate = Gate { successes: gate.successes + 1, ..Gate::default() };
    }
}

type Answer = Box<dyn FnMut(&Outgoing) -> Delivery + Send>;

/// Letters kept in memory. Clones share them.
#[derive(Clone, Default)]
pub struct Memory {
    accepted: Arc<Mutex<Vec<Outgoing>>>,
    answer: Arc<Mutex<Option<Answer>>>,
}

impl Memory {
    /// The letters accepted so far, in order.
    pub fn letters(&self) -> Vec<Outgoing> {
        self.accepted.lock().clone()
    }

    /// From now on `answer` decides what becomes of each letter.
    pub fn answer_with(&self, answer: impl FnMut(&Outgoing) -> Delivery + Send + 'static) {
        *self.answer.lock() = Some(Box::new(answer));
    }

    /// From now on every letter is accepted, as in the beginning.
    pub fn accept_all(&self) {
        *self.answer.lock() = None;
    }

    fn send(&self, letter: &Outgoing) -> Delivery {
        let delivery = self.answer.lock().as_mut().map_or(Delivery::Accepted, |answer| answer(letter));
        if delivery == Delivery::Accepted {
            self.accepted.lock().push(letter.clone());
        }
        delivery
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_away_is_tried_less_and_less_often_up_to_a_limit() {
        let waits: Vec<i64> = (1..=8).map(|failures| server_wait(failures).num_seconds()).collect();
        assert_eq!(waits, [15, 30, 60, 120, 240, 300, 300, 300]);
    }

    #[test]
    fn the_gate_counts_a_fault_once_and_opens_with_success() {
        let transport = Transport::memory(Memory::default());
        let now = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap().naive_utc();
        let until = now + TimeDelta::seconds(15);
        assert!(transport.note_fault(now, 0));
        assert!(!transport.note_fault(now, 0), "four senders that fail together are one failure");
        assert_eq!(transport.closed_until(now), Some(until));
        assert_eq!(transport.closed_until(until), None);
        assert!(transport.note_fault(until, 0));
        assert_eq!(transport.closed_until(until), Some(until + TimeDelta::seconds(30)));
        transport.note_success();
        assert_eq!(transport.closed_until(now), None);
        assert!(!transport.note_fault(now, 0), "another sender was served since this try began");
        assert_eq!(transport.closed_until(now), None);
        assert!(transport.note_fault(now, transport.successes()));
    }
}
