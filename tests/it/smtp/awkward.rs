//! Mail servers that refuse, hang, hang up and talk nonsense at every step: no letter is lost, none comes twice but
//! one whose answer was lost, and nobody else waits for it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use stardate::clock::Clock;
use stardate::jobs::outbox::{Desk, Drained, drain, drain_until, next_due};
use stardate::jobs::{Readiness, Wakers, Work, start_senders};
use stardate::mail::{Encryption, Letter, Patience, Server, Smtp, Transport};
use stardate::store::outbox::{self, Row, Which};
use stardate::store::users::User;
use stardate::store::{Database, Stamp, TableId};
use stardate::tables::Marks;
use tokio::sync::watch;

use super::scripted::{Act, Moment, STEPS, Scripted, Step};
use crate::harness::{Fresh, on_both};
use crate::mail::{outbox_rows, player, queue, running_table, site, start, table};

/// A database with people, and the way to a scripted mail server.
pub struct Post {
    pub db: Database,
    pub clock: Clock,
    pub transport: Arc<Transport>,
    pub runtime: tokio::runtime::Runtime,
    pub people: BTreeMap<String, User>,
    pub table_id: TableId,
    port: u16,
    patience: Patience,
}

/// Short, and yet more than a server on this machine needs for an answer.
pub const SHORT: Patience = Patience {
    command: Duration::from_millis(1_500),
    content: Duration::from_millis(1_500),
    alone: Duration::from_millis(100),
};

/// So long that a test that waits for it has failed. No sender waits with one letter alone.
pub const LONG: Patience =
    Patience { command: Duration::from_secs(90), content: Duration::from_secs(90), alone: Duration::from_millis(100) };

impl Post {
    pub fn new(fresh: &Fresh, server: &Scripted, patience: Patience, names: &[&str]) -> Post {
        let db = fresh.open();
        let (people, table_id) = db
            .write(|conn| {
                let people: Vec<User> = names.iter().map(|name| player(conn, name)).collect();
                let table_id = running_table(conn, &[&people[0]]);
                let named = names.iter().map(|name| (*name).to_owned()).zip(people);
                Ok::<_, diesel::result::Error>((named.collect(), table_id))
            })
            .unwrap();
        let transport = transport(server.port(), patience);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let clock = Clock::manual(start());
        Post { db, clock, transport, runtime, people, table_id, port: server.port(), patience }
    }

    /// Forgets all connections.
    fn connect_anew(&mut self) {
        self.transport = transport(self.port, self.patience);
    }

    pub fn queue(&self, to: &str, what: &str) {
        let letter = Letter::Cancelled { table: table(self.table_id), why: format!("Because of {what}.") };
        queue(&self.db, self.clock.now(), &self.people[to], &letter, &format!("{to} {what}"));
    }

    pub fn drain(&self) -> Drained {
        self.runtime.block_on(drain(&self.db, &self.transport, &site(), &self.clock)).unwrap()
    }

    /// Drains, moving the clock to the next due time, until nothing waits.
    pub fn drain_all(&self) {
        for _ in 0..200 {
            self.drain();
            let Some(next) = self.next_due() else { return };
            self.clock.advance((next - self.clock.now()).max(TimeDelta::zero()));
        }
        panic!("letters wait for ever: {:?}", outbox_rows(&self.db));
    }

    pub fn start_senders(&self) -> Senders {
        let (stopper, stop) = watch::channel(false);
        let wakers = Wakers::default();
        let work = Work {
            db: self.db.clone(),
            clock: self.clock.clone(),
            ctx: crate::tables::world::ctx(),
            wakers: wakers.clone(),
            transport: Arc::clone(&self.transport),
            marks: Marks::default(),
            readiness: Readiness::default(),
        };
        let loops = self.runtime.block_on(async { start_senders(&work, &stop) });
        Senders { loops, wakers, stopper }
    }

    /// Stops in order.
    pub fn stop(&self, senders: Senders) {
        senders.stopper.send(true).unwrap();
        self.runtime.block_on(async {
            for sender in senders.loops {
                sender.await.unwrap();
            }
        });
    }

    fn next_due(&self) -> Option<Stamp> {
        self.runtime.block_on(next_due(&self.db, &self.transport, &self.clock)).unwrap()
    }

    pub fn row(&self, key: &str) -> Row {
        outbox_rows(&self.db).into_iter().find(|row| row.dedupe_key == key).unwrap()
    }
}

/// The loops of the server's senders.
pub struct Senders {
    loops: Vec<tokio::task::JoinHandle<()>>,
    pub wakers: Wakers,
    stopper: watch::Sender<bool>,
}

fn transport(port: u16, patience: Patience) -> Arc<Transport> {
    let server = Server {
        host: "127.0.0.1".to_owned(),
        port,
        encryption: Encryption::None,
        login: Some(("stardate".to_owned(), "engage".to_owned())),
        extra_root: None,
    };
    Arc::new(Transport::smtp(Smtp::new(server, "play.example").unwrap().with_patience(patience)))
}

pub fn good(_: &Moment) -> Act {
    Act::Go
}

/// Does `act` the first time that `step` comes (for this recipient, where the recipient is known), and all is well
/// from then on.
pub fn once(step: Step, to: &'static str, act: Act) -> impl FnMut(&Moment) -> Act + Send + 'static {
    let mut left = Some(act);
    move |moment| {
        let here = moment.step == step && (step < Step::Recipient || moment.to == to);
        if here { left.take().unwrap_or(Act::Go) } else { Act::Go }
    }
}

#[test]
fn whatever_a_server_does_once_no_letter_is_lost_and_only_a_lost_answer_repeats_one() {
    on_both(|fresh| {
        let server = Scripted::start(good);
        let mut post = Post::new(fresh, &server, SHORT, &["alice", "bob"]);
        let acts = [
            Act::Say("421 4.3.2 closing down"),
            Act::Say("451 4.3.0 not now"),
            Act::Say("530 5.7.0 sign in first"),
            Act::Say("354 go on"),
            Act::Say("999 what"),
            Act::Hang,
            Act::HangUp,
            Act::TakeAndHangUp,
            Act::Babble,
            Act::Endless,
            Act::Half,
        ];
        for (step, act) in STEPS.iter().flat_map(|step| acts.iter().map(move |act| (*step, act.clone()))) {
            let expected = step == Step::Data && act == Act::Say("354 go on");
            let much_the_same = act == Act::Half && !matches!(step, Step::Recipient | Step::Content);
            if expected || much_the_same {
                continue;
            }
            let case = format!("{act:?} at {step:?}");
            let before = server.taken().len();
            server.play(once(step, "alice", act.clone()));
            post.connect_anew();
            post.queue("alice", &case);
            post.queue("bob", &case);
            let drained = post.drain();
            if step >= Step::Recipient {
                assert_eq!(drained, Drained { sent: 1, waiting: 1, ..Drained::default() }, "{case}");
                assert_eq!(post.row(&format!("bob {case}")).status, "sent", "{case}");
                assert_eq!(post.transport.closed_until(post.clock.now()), None, "the server is not to blame: {case}");
            }
            post.drain_all();
            assert_eq!(post.row(&format!("alice {case}")).status, "sent", "{case}");
            assert_eq!(post.row(&format!("bob {case}")).status, "sent", "{case}");
            let mut taken = server.taken_by().split_off(before);
            taken.sort_unstable();
            let twice = step == Step::Content && act == Act::TakeAndHangUp;
            let all = if twice { vec!["alice", "alice", "bob"] } else { vec!["alice", "bob"] };
            assert_eq!(taken, all, "{case}");
        }
    });
}

#[test]
fn a_refusal_for_good_sets_one_letter_aside_and_blames_nobody_else() {
    on_both(|fresh| {
        let server = Scripted::start(good);
        let mut post = Post::new(fresh, &server, SHORT, &["alice", "bob"]);
        for step in [Step::Recipient, Step::Data, Step::Content] {
            let case = format!("refused at {step:?}");
            server.play(once(step, "alice", Act::Say("550 5.1.1 never")));
            post.connect_anew();
            post.queue("alice", &case);
            post.queue("bob", &case);
            assert_eq!(post.drain(), Drained { sent: 1, dead: 1, ..Drained::default() }, "{case}");
            assert_eq!(post.row(&format!("alice {case}")).last_error.as_deref(), Some("550 5.1.1 never"), "{case}");
        }
        assert_eq!(server.taken_by(), ["bob", "bob", "bob"]);
    });
}

#[test]
fn a_letter_whose_answer_is_always_lost_is_set_aside_after_five_and_can_be_sent_again() {
    on_both(|fresh| {
        let lost = |moment: &Moment| match (moment.step, moment.to.as_str()) {
            (Step::Content, "alice") => Act::TakeAndHangUp,
            _ => Act::Go,
        };
        let server = Scripted::start(lost);
        let post = Post::new(fresh, &server, SHORT, &["alice", "bob"]);
        post.queue("alice", "one");
        post.queue("bob", "one");
        assert_eq!(post.drain(), Drained { sent: 1, waiting: 1, ..Drained::default() });
        post.drain_all();
        assert_eq!(server.taken_by().iter().filter(|to| *to == "alice").count(), 5);
        let aside = post.db.read(|conn| outbox::set_aside(conn, 10)).unwrap();
        assert_eq!(aside.iter().map(|row| row.dedupe_key.as_str()).collect::<Vec<_>>(), ["alice one"]);
        let why = aside[0].last_error.clone().unwrap();
        assert!(why.starts_with("sent 5 times without an answer"), "{why}");
        let user = stardate::store::users::find(&mut post.db.connection().unwrap(), post.people["alice"].id);
        let told = user.unwrap().unwrap().mail_fault.unwrap();
        assert!(told.contains("never said that it arrived"), "{told}");

        server.play(good);
        let again = |id| post.db.write(|conn| outbox::send_again(conn, id, post.clock.now())).unwrap();
        assert!(again(aside[0].id));
        assert!(!again(aside[0].id), "it waits already");
        assert_eq!(post.drain(), Drained { sent: 1, ..Drained::default() });
        assert_eq!(post.row("alice one").status, "sent");
    });
}

#[test]
fn a_letter_that_is_with_the_server_at_a_stop_is_waited_for() {
    on_both(|fresh| {
        let (stopper, stop) = watch::channel(false);
        // The stop comes when the server has the letter and has not answered.
        let server = Scripted::start(move |moment| {
            if moment.step == Step::Content {
                stopper.send(true).unwrap();
            }
            Act::Go
        });
        let post = Post::new(fresh, &server, LONG, &["alice", "bob"]);
        post.queue("alice", "one");
        post.queue("alice", "two");
        let site = site();
        let desk = Desk { db: &post.db, transport: &post.transport, site: &site, clock: &post.clock, stop: &stop };
        let drained = post.runtime.block_on(drain_until(desk)).unwrap();
        // The other one is not begun any more: looked at or not, it waits.
        assert_eq!((drained.sent, drained.dead, drained.dropped), (1, 0, 0), "{drained:?}");
        server.play(good);
        post.drain_all();
        assert_eq!(server.taken_by(), ["alice", "alice"]);
    });
}

#[test]
fn the_operator_reads_whether_a_letter_was_refused_put_off_or_hung() {
    on_both(|fresh| {
        let server = Scripted::start(|moment: &Moment| match (moment.step, moment.to.as_str()) {
            (Step::Recipient, "refused") => Act::Say("550 5.1.1 never"),
            (Step::Recipient, "later") => Act::Say("451 4.2.0 not now"),
            (Step::Recipient, "hung") => Act::HangUp,
            _ => Act::Go,
        });
        let post = Post::new(fresh, &server, LONG, &["refused", "later", "hung"]);
        for name in post.people.keys() {
            post.queue(name, "one");
        }
        post.drain_all();
        let cases = [
            ("refused", "550 5.1.1 never", "refused a letter"),
            (
                "later",
                "tried 24 times and never taken; the last time the mail server said “later”: 451 4.2.0 not now",
                "was put off",
            ),
            (
                "hung",
                "tried 24 times and never taken; the last time there was no answer: after the recipient was named",
                "gave no answer",
            ),
        ];
        for (name, why, told) in cases {
            let row = post.row(&format!("{name} one"));
            assert_eq!(row.status, "dead", "{name}");
            assert!(row.last_error.as_deref().is_some_and(|error| error.starts_with(why)), "{:?}", row.last_error);
            let user = stardate::store::users::find(&mut post.db.connection().unwrap(), post.people[name].id);
            let fault = user.unwrap().unwrap().mail_fault.unwrap();
            assert!(fault.contains(told), "{fault}");
        }
    });
}

#[test]
fn letters_of_one_second_to_one_person_leave_in_the_order_of_what_happened() {
    on_both(|fresh| {
        // The server is away at first, and forgets one letter on the way: neither changes the order.
        let mut first = true;
        let server = Scripted::start(move |moment| {
            if moment.step == Step::Greeting && std::mem::take(&mut first) { Act::HangUp } else { Act::Go }
        });
        let post = Post::new(fresh, &server, LONG, &["alice", "bob"]);
        let mut wanted: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for number in 0..14 {
            for name in ["alice", "bob"] {
                let what = format!("number {number}");
                post.queue(name, &what);
                wanted.entry(name).or_default().push(what);
            }
        }
        post.drain_all();
        for (name, wanted) in wanted {
            let came: Vec<String> = server.taken().into_iter().filter(|(to, _)| to == name).map(number_of).collect();
            assert_eq!(came, wanted, "{name}");
        }
    });
}

/// “number 3” of a letter's text.
fn number_of((_, letter): (String, String)) -> String {
    let (_, rest) = letter.split_once("Because of ").unwrap();
    rest.split_once('.').unwrap().0.to_owned()
}

#[test]
fn a_letter_whose_senders_are_killed_again_and_again_is_set_aside() {
    on_both(|fresh| {
        let server = Scripted::start(good);
        let post = Post::new(fresh, &server, LONG, &["alice"]);
        post.queue("alice", "one");
        for _ in 0..5 {
            let now = post.clock.now();
            let until = now + post.transport.lease();
            let claimed = post.db.write(|conn| outbox::claim(conn, now, until, Which::All)).unwrap();
            assert!(claimed.is_some());
            post.clock.advance(post.transport.lease());
        }
        assert_eq!(post.drain(), Drained { dead: 1, ..Drained::default() });
        assert!(server.taken().is_empty());
    });
}
