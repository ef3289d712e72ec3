//! Letters to a real mail server, a process of its own, that is stopped, killed and started again.

mod awkward;
mod hanging;
mod scripted;
mod server;

use stardate::store::TableId;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use lettre::Address;
use stardate::clock::Clock;
use stardate::jobs::outbox::{Drained, drain, next_due};
use stardate::mail::{Delivery, Encryption, Letter, Outgoing, Server, ServerFault, Smtp, Transport};
use stardate::store::Database;
use stardate::store::users::User;

use crate::harness::{Fresh, on_both};
use crate::mail::{outbox_rows, player, queue, running_table, site, start, table};
use server::{CA, LOGIN, MailServer, SELF_SIGNED};

/// A database with a player, and the way to a mail server.
struct Post {
    db: Database,
    clock: Clock,
    transport: Transport,
    runtime: tokio::runtime::Runtime,
    alice: User,
    table_id: TableId,
}

impl Post {
    fn new(fresh: &Fresh, server: &MailServer) -> Post {
        let db = fresh.open();
        let (alice, table_id) = db
            .write(|conn| {
                let alice = player(conn, "Alice");
                let table_id = running_table(conn, &[&alice]);
                Ok::<_, diesel::result::Error>((alice, table_id))
            })
            .unwrap();
        let transport = Transport::smtp(Smtp::new(plain(server), "play.example").unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Post { db, clock: Clock::manual(start()), transport, runtime, alice, table_id }
    }

    fn queue_letters(&self, first: usize, count: usize) {
        for number in first..first + count {
            let letter = Letter::Cancelled { table: table(self.table_id), why: format!("Letter {number}.") };
            queue(&self.db, self.clock.now(), &self.alice, &letter, &format!("{number}"));
        }
    }

    fn drain(&self) -> Drained {
        self.runtime.block_on(drain(&self.db, &self.transport, &site(), &self.clock)).unwrap()
    }

    /// Drains, moving the clock to the next due time, until nothing waits.
    fn drain_all(&self) {
        let give_up = Instant::now() + Duration::from_secs(120);
        loop {
            self.drain();
            let next = self.runtime.block_on(next_due(&self.db, &self.transport, &self.clock)).unwrap();
            let Some(next) = next else { return };
            self.clock.advance((next - self.clock.now()).max(TimeDelta::zero()));
            assert!(Instant::now() < give_up, "letters still wait: {:?}", outbox_rows(&self.db));
        }
    }

    /// The Message-IDs of all letters ever queued.
    fn queued_ids(&self) -> BTreeSet<String> {
        outbox_rows(&self.db).into_iter().map(|row| row.message_id).collect()
    }

    fn assert_all_sent(&self) {
        let rows = outbox_rows(&self.db);
        assert!(rows.iter().all(|row| row.status == "sent"), "{rows:?}");
    }
}

fn plain(server: &MailServer) -> Server {
    Server {
        host: "localhost".to_owned(),
        port: server.port(),
        encryption: Encryption::None,
        login: None,
        extra_root: None,
    }
}

fn encrypted(server: &MailServer, encryption: Encryption) -> Server {
    let login = Some((LOGIN.0.to_owned(), LOGIN.1.to_owned()));
    Server { encryption, login, extra_root: Some(CA.as_bytes().to_vec()), ..plain(server) }
}

fn outgoing(to: &str) -> Outgoing {
    let from: Address = "referee@play.example".parse().unwrap();
    let to: Address = format!("{to}@mail.example").parse().unwrap();
    let bytes = format!("From: {from}\r\nTo: {to}\r\nMessage-ID: <x@play.example>\r\n\r\n.A dot first.\r\n").into();
    Outgoing { message_id: "<x@play.example>".to_owned(), from, to, bytes }
}

/// Sends one mail after another over the same client.
fn send_each(server: Server, recipients: &[&str]) -> Vec<Delivery> {
    let transport = Transport::smtp(Smtp::new(server, "play.example").unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    recipients.iter().map(|to| runtime.block_on(transport.send(&outgoing(to)))).collect()
}

#[test]
fn letters_wait_for_a_stopped_server_and_arrive_once() {
    on_both(|fresh| {
        let mut server = MailServer::start(&[]);
        let post = Post::new(fresh, &server);
        post.queue_letters(0, 25);
        assert_eq!(post.drain(), Drained { sent: 25, ..Drained::default() });
        assert_eq!(server.mails().len(), 25);

        server.stop();
        post.queue_letters(25, 25);
        let drained = post.drain();
        assert_eq!(drained.sent, 0);
        assert!(drained.server_fault.is_some(), "{drained:?}");
        // The game goes on meanwhile, and more letters come.
        post.clock.advance(TimeDelta::hours(7));
        assert!(post.drain().server_fault.is_some());
        post.queue_letters(50, 10);

        server.start_again(&[]);
        post.drain_all();
        post.assert_all_sent();
        let ids = server.message_ids();
        assert_eq!(ids.len(), 60, "a clean stop repeats nothing");
        assert_eq!(BTreeSet::from_iter(ids), post.queued_ids());
    });
}

#[test]
fn a_server_killed_after_accepting_and_before_saying_so_gets_that_letter_again_and_no_other() {
    on_both(|fresh| {
        let mut server = MailServer::start(&["--die-at", "8"]);
        let post = Post::new(fresh, &server);
        post.queue_letters(0, 30);
        let drained = post.drain();
        assert!(drained.sent < 8 && drained.waiting > 0, "{drained:?}");
        server.wait();
        server.start_again(&[]);
        post.drain_all();
        post.assert_all_sent();
        let ids = server.message_ids();
        let distinct = BTreeSet::from_iter(ids.iter().cloned());
        assert_eq!(distinct, post.queued_ids());
        assert_eq!(ids.len(), 31, "one letter was accepted twice, and is recognisable");
    });
}

#[test]
fn a_server_killed_again_and_again_under_load_gets_every_letter() {
    on_both(|fresh| {
        let mut server = MailServer::start(&[]);
        let post = Post::new(fresh, &server);
        post.queue_letters(0, 200);
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::SeqCst) {
                    let drained = post.drain();
                    if drained.server_fault.is_some() || drained.is_empty() {
                        post.clock.advance(TimeDelta::seconds(15));
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            });
            for round in 0..6 {
                server.wait_for_mails(20 * (round + 1));
                server.kill();
                server.start_again(&[]);
            }
            stop.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        post.drain_all();
        post.assert_all_sent();
        let ids = server.message_ids();
        assert_eq!(BTreeSet::from_iter(ids.iter().cloned()), post.queued_ids());
        // At most the letters under way at each kill, one a sender, come twice.
        assert!(ids.len() <= 200 + 6 * 4, "{} letters for 200", ids.len());
    });
}

#[test]
fn a_connection_is_used_for_many_letters() {
    on_both(|fresh| {
        let server = MailServer::start(&[]);
        let post = Post::new(fresh, &server);
        post.queue_letters(0, 100);
        post.drain_all();
        assert_eq!(server.mails().len(), 100);
        let connections = server.connections().len();
        assert!(connections <= 4, "{connections} connections for one batch of four senders");
    });
}

#[test]
fn letters_travel_encrypted_and_signed_in() {
    for (option, encryption) in [("--starttls", Encryption::StartTls), ("--tls", Encryption::Tls)] {
        let server = MailServer::start(&[option, "--login", "stardate:engage"]);
        let deliveries = send_each(encrypted(&server, encryption), &["alice", "bob"]);
        assert_eq!(deliveries, [Delivery::Accepted, Delivery::Accepted], "{option}");
        assert!(server.connections().iter().any(|how| how == "encrypted"), "{option}");
        assert!(String::from_utf8_lossy(&server.mails()[0]).contains("\r\n.A dot first.\r\n"), "{option}");
        assert_eq!(server.mails().len(), 2);
    }
}

#[test]
fn a_server_that_can_not_be_trusted_gets_nothing() {
    for (option, encryption) in [("--starttls", Encryption::StartTls), ("--tls", Encryption::Tls)] {
        let server = MailServer::start(&[option]);
        let unknown = Server { extra_root: None, login: None, ..encrypted(&server, encryption) };
        let other_name = Server { host: "127.0.0.1".to_owned(), login: None, ..encrypted(&server, encryption) };
        for wrong in [unknown, other_name] {
            let deliveries = send_each(wrong, &["alice"]);
            assert!(matches!(&deliveries[..], [Delivery::ServerFault(_)]), "{option}: {deliveries:?}");
        }
        assert!(server.mails().is_empty());
    }
    let server = MailServer::start(&[]);
    let deliveries = send_each(encrypted(&server, Encryption::StartTls), &["alice"]);
    assert!(matches!(&deliveries[..], [Delivery::ServerFault(_)]), "a server without STARTTLS: {deliveries:?}");
}

#[test]
fn a_self_signed_certificate_that_the_operator_named_is_trusted_and_no_other() {
    for (option, encryption) in [("--starttls", Encryption::StartTls), ("--tls", Encryption::Tls)] {
        let own = MailServer::start_with("own", &[option]);
        let named = Some(SELF_SIGNED.as_bytes().to_vec());
        let trusted = Server { extra_root: named.clone(), login: None, ..encrypted(&own, encryption) };
        assert_eq!(send_each(trusted, &["alice"]), [Delivery::Accepted], "{option}");
        let both = format!("{CA}\n{SELF_SIGNED}").into_bytes();
        let trusted = Server { extra_root: Some(both), login: None, ..encrypted(&own, encryption) };
        assert_eq!(send_each(trusted, &["alice"]), [Delivery::Accepted], "{option}");
        // Naming one server's certificate does not vouch for another server.
        let other = MailServer::start(&[option]);
        let wrong = Server { extra_root: named, login: None, ..encrypted(&other, encryption) };
        assert!(matches!(&send_each(wrong, &["alice"])[..], [Delivery::ServerFault(_)]), "{option}");
        assert!(other.mails().is_empty());
    }
}

#[test]
fn a_wrong_password_is_no_fault_of_the_letters() {
    let server = MailServer::start(&["--login", "stardate:another"]);
    let login = Some((LOGIN.0.to_owned(), LOGIN.1.to_owned()));
    let deliveries = send_each(Server { login, ..plain(&server) }, &["alice"]);
    assert!(matches!(&deliveries[..], [Delivery::ServerFault(why)] if why.contains("535")), "{deliveries:?}");
    let deliveries = send_each(plain(&server), &["alice"]);
    assert!(matches!(&deliveries[..], [Delivery::ServerFault(why)] if why.contains("530")), "{deliveries:?}");
    assert!(server.mails().is_empty());
}

#[test]
fn a_password_never_leaves_the_machine_in_the_open() {
    let server = Server {
        host: "mail.example.org".to_owned(),
        port: 25,
        encryption: Encryption::None,
        login: Some((LOGIN.0.to_owned(), LOGIN.1.to_owned())),
        extra_root: None,
    };
    let fault = Smtp::new(server, "play.example").err().unwrap();
    assert!(matches!(fault, ServerFault::OpenPassword(_)));
    assert!(fault.to_string().contains("mail.tls"), "{fault}");
}

#[test]
fn what_the_server_says_decides_what_becomes_of_a_letter() {
    let server = MailServer::start(&[]);
    let recipients = ["refused", "alice", "busy", "picky", "relayed", "bob"];
    let deliveries = send_each(plain(&server), &recipients);
    let said = |text: &str| text.to_owned();
    assert_eq!(
        deliveries,
        [
            Delivery::AddressRefused(said("550 5.1.1 there is no such mailbox")),
            Delivery::Accepted,
            Delivery::PutOff(said("451 4.2.0 the mailbox is busy")),
            Delivery::LetterRefused(said("552 5.3.4 the mail is not to my taste")),
            Delivery::PutOff(said("554 5.7.1 relaying is denied")),
            Delivery::Accepted,
        ]
    );
    assert_eq!(server.mails().len(), 2);
    assert_eq!(server.connections().len(), 1, "a refused letter costs no connection");
}

#[test]
fn a_server_that_is_not_there_is_told_from_a_letter_that_is_refused() {
    let mut server = MailServer::start(&[]);
    server.stop();
    let deliveries = send_each(plain(&server), &["alice"]);
    assert!(matches!(&deliveries[..], [Delivery::ServerFault(_)]), "{deliveries:?}");
}
