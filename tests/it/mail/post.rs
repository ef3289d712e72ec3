//! What tests of the outbox stand on.

use chrono::TimeDelta;
use stardate::clock::Clock;
use stardate::jobs::outbox::{Drained, drain, next_due};
use stardate::mail::{Letter, Memory, Recipient, Transport};
use stardate::store::users::{self, User};
use stardate::store::{Database, PhaseNo, Stamp, TableId};

use super::{outbox_rows, player, queue, running_table, site, start, table};
use crate::harness::Fresh;

/// A database with two players at a running table, and a way out for letters that can be made to fail.
pub struct Post {
    pub db: Database,
    pub clock: Clock,
    pub memory: Memory,
    pub transport: Transport,
    pub runtime: tokio::runtime::Runtime,
    pub alice: User,
    pub bob: User,
    pub table_id: TableId,
}

impl Post {
    pub fn new(fresh: &Fresh) -> Post {
        let db = fresh.open();
        let (alice, bob, table_id) = db
            .write(|conn| {
                let (alice, bob) = (player(conn, "Alice"), player(conn, "Bob"));
                let table_id = running_table(conn, &[&alice, &bob]);
                Ok::<_, diesel::result::Error>((alice, bob, table_id))
            })
            .unwrap();
        let memory = Memory::default();
        let transport = Transport::memory(memory.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Post { db, clock: Clock::manual(start()), memory, transport, runtime, alice, bob, table_id }
    }

    pub fn due(&self) -> Letter {
        Letter::Due {
            table: table(self.table_id),
            phase_no: PhaseNo(1),
            phase: "Turn 1, Deploy".to_owned(),
            deadline: self.deadline(),
            since: Vec::new(),
            at_deadline: "You are dropped.".to_owned(),
            position: "A1 at home".to_owned(),
            at_once: false,
        }
    }

    pub fn reminder(&self) -> Letter {
        Letter::Reminder {
            table: table(self.table_id),
            phase_no: PhaseNo(1),
            phase: "Turn 1, Deploy".to_owned(),
            deadline: self.deadline(),
            at_deadline: "You are dropped.".to_owned(),
            position: "A1 at home".to_owned(),
        }
    }

    pub fn resolved(&self) -> Letter {
        Letter::Resolved {
            table: table(self.table_id),
            phase_no: PhaseNo(1),
            phase: "Turn 1, Deploy".to_owned(),
            what: Vec::new(),
            position: "A1 at home".to_owned(),
            next: "Bob is due.".to_owned(),
        }
    }

    pub fn cancelled(&self) -> Letter {
        Letter::Cancelled { table: table(self.table_id), why: "No reason.".to_owned() }
    }

    pub fn deadline(&self) -> Stamp {
        start() + TimeDelta::days(1)
    }

    /// Queues letters of `count` different keys for Alice, all due now.
    pub fn queue_many(&self, count: usize) {
        for number in 0..count {
            queue(&self.db, self.clock.now(), &self.alice, &self.cancelled(), &format!("letter {number:03}"));
        }
    }

    /// Queues a letter each for `count` people without an account, all due now.
    pub fn queue_to_many(&self, count: usize) {
        for number in 0..count {
            let to = Recipient::stranger(&format!("friend{number}@mail.example"));
            let key = format!("letter {number:03}");
            let queued = self
                .db
                .write(|conn| stardate::mail::queue(conn, &site(), self.clock.now(), &to, &self.cancelled(), &key));
            queued.unwrap();
        }
    }

    pub fn drain(&self) -> Drained {
        self.runtime.block_on(drain(&self.db, &self.transport, &site(), &self.clock)).unwrap()
    }

    pub fn next_due(&self) -> Option<Stamp> {
        self.runtime.block_on(next_due(&self.db, &self.transport, &self.clock)).unwrap()
    }

    pub fn advance(&self, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
    }

    pub fn statuses(&self) -> Vec<(String, Option<String>)> {
        outbox_rows(&self.db).into_iter().map(|row| (row.status, row.last_error)).collect()
    }

    pub fn write(&self, work: impl Fn(&mut stardate::store::Conn)) {
        self.db
            .write(|conn| {
                work(conn);
                Ok::<_, diesel::result::Error>(())
            })
            .unwrap();
    }

    pub fn mail_fault(&self, user: &User) -> Option<String> {
        users::find(&mut self.db.connection().unwrap(), user.id).unwrap().unwrap().mail_fault
    }
}

/// A run in which every letter was sent.
pub fn sent(count: usize) -> Drained {
    Drained { sent: count, ..Drained::default() }
}
