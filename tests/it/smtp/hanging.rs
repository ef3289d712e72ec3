//! Mail servers that hang, with one letter or altogether: nobody else waits for it.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use stardate::jobs::outbox::{Drained, PLACES};
use stardate::mail::{Letter, Recipient};
use stardate::store::outbox::{self, Again, Which};

use super::awkward::{LONG, Post, SHORT, good, once};
use super::scripted::{Act, Moment, Scripted, Step};
use crate::harness::on_both;
use crate::mail::{outbox_rows, site, table};

#[test]
fn letters_queued_while_one_hangs_leave_before_it() {
    on_both(|fresh| {
        let hung = |moment: &Moment| match (moment.step, moment.to.as_str()) {
            (Step::Recipient, "alice") => Act::Hang,
            _ => Act::Go,
        };
        let server = Scripted::start(hung);
        let names = ["alice", "bob", "cid", "dan", "eve"];
        let post = Post::new(fresh, &server, LONG, &names);
        post.queue("alice", "one");
        let senders = post.start_senders();
        server.wait_for(Step::Recipient, "alice");
        // One after the other, so that no sender of an earlier run takes them along.
        for (count, name) in names.iter().skip(1).enumerate() {
            post.queue(name, "two");
            senders.wakers.wake();
            server.wait_for_taken(count + 1);
        }
        assert_eq!(server.taken_by(), ["bob", "cid", "dan", "eve"]);
        assert_eq!(server.times(Step::Recipient, "alice"), 1, "it hangs still");

        // An orderly stop gives back what the server can't have: it goes at once after the restart.
        post.stop(senders);
        let row = post.row("alice one");
        assert_eq!((row.status.as_str(), row.leased_until, row.put_offs, row.breaks), ("queued", None, 0, 0));
        server.play(good);
        assert_eq!(post.drain(), Drained { sent: 1, ..Drained::default() });
    });
}

/// A script that does `act` with each letter to a `hung…` at this step.
fn each_hung(at: Step, act: &Act) -> impl FnMut(&Moment) -> Act + Send + 'static {
    let act = act.clone();
    move |moment| if moment.step == at && moment.to.starts_with("hung") { act.clone() } else { Act::Go }
}

#[test]
fn twelve_letters_that_hang_delay_no_other() {
    for step in [Step::Recipient, Step::Data, Step::Content] {
        on_both(|fresh| {
            let server = Scripted::start(each_hung(step, &Act::Hang));
            let hung: Vec<String> = (0..12).map(|number| format!("hung{number}")).collect();
            let names: Vec<&str> = hung.iter().map(String::as_str).chain(["bob", "cid"]).collect();
            let post = Post::new(fresh, &server, LONG, &names);
            for name in &hung {
                post.queue(name, "one");
            }
            post.queue("bob", "one");
            let senders = post.start_senders();
            // All have begun, and bob's with them, before any has ended.
            for name in &hung {
                server.wait_for(step, name);
            }
            server.wait_for_taken(1);
            post.queue("cid", "one");
            senders.wakers.wake();
            server.wait_for_taken(2);
            assert_eq!(server.taken_by(), ["bob", "cid"], "{step:?}");
            for name in &hung {
                assert_eq!(server.times(step, name), 1, "it hangs still: {name} at {step:?}");
            }
            if step == Step::Content {
                // A stop would wait ten seconds for the server's answers.
                return;
            }
            post.stop(senders);
            for name in &hung {
                let row = post.row(&format!("{name} one"));
                let known = (row.status.as_str(), row.leased_until, row.put_offs, row.breaks);
                assert_eq!(known, ("queued", None, 0, 0), "{name} at {step:?}");
            }
        });
    }
}

#[test]
fn letters_that_hang_again_and_again_never_keep_all_senders() {
    on_both(|fresh| {
        let server = Scripted::start(each_hung(Step::Recipient, &Act::Say("451 4.2.0 later")));
        // Three senders may take them: each waits for so many beside the next one.
        let most = 3 * (usize::try_from(PLACES).unwrap() + 1);
        let hung: Vec<String> = (0..most + 4).map(|number| format!("hung{number}")).collect();
        let names: Vec<&str> = hung.iter().map(String::as_str).chain(["bob", "cid"]).collect();
        let post = Post::new(fresh, &server, LONG, &names);
        for name in &hung {
            post.queue(name, "one");
        }
        assert_eq!(post.drain(), Drained { waiting: hung.len(), ..Drained::default() });
        post.clock.advance(TimeDelta::minutes(2));
        server.play(each_hung(Step::Recipient, &Act::Hang));
        let senders = post.start_senders();
        server.wait_for_count(Step::Recipient, hung.len() + most);
        // Now three are held; what they have not taken, and news for the same people, is not for the fourth.
        for name in &hung {
            post.queue(name, "two");
        }
        for (count, name) in ["bob", "cid"].into_iter().enumerate() {
            post.queue(name, "one");
            senders.wakers.wake();
            server.wait_for_taken(count + 1);
        }
        assert_eq!(server.taken_by(), ["bob", "cid"]);
        assert_eq!(server.count(Step::Recipient), hung.len() + most + 2);
        post.stop(senders);
    });
}

#[test]
fn a_letter_to_somebody_whose_letters_fail_is_not_for_the_sender_kept_for_others() {
    on_both(|fresh| {
        let server = Scripted::start(good);
        let post = Post::new(fresh, &server, LONG, &["alice", "bob"]);
        let now = post.clock.now();
        let claim = |which| {
            let until = now + post.transport.lease();
            post.db.write(|conn| outbox::claim(conn, now, until, which)).unwrap()
        };
        post.queue("alice", "one");
        post.db
            .write(|conn| {
                // To somebody without an account.
                let to = Recipient { user_id: None, ..Recipient::of(&post.people["alice"]).unwrap() };
                let letter = Letter::Cancelled { table: table(post.table_id), why: "Because of nothing.".to_owned() };
                stardate::mail::queue(conn, &site(), now, &to, &letter, "stranger one")
            })
            .unwrap();
        for _ in ["alice", "a stranger"] {
            let row = claim(Which::Untried).unwrap();
            assert!(row.dedupe_key.ends_with(" one"), "{}", row.dedupe_key);
            let again = Again { put_offs: 1, breaks: 0, not_before: Some(now + TimeDelta::minutes(2)), why: "it hung" };
            assert!(post.db.write(|conn| outbox::release(conn, &row, again)).unwrap());
        }
        post.queue("alice", "two");
        post.queue("bob", "one");
        assert_eq!(claim(Which::Untried).map(|row| row.dedupe_key).as_deref(), Some("bob one"));
        assert_eq!(claim(Which::Untried), None);
        let due = post.db.read(|conn| outbox::next_due(conn, now, Which::Untried)).unwrap();
        assert_eq!(due, Some(now + post.transport.lease()), "only what is on its way is looked at again");
        assert_eq!(claim(Which::All).map(|row| row.dedupe_key).as_deref(), Some("alice two"));
    });
}

#[test]
fn a_server_that_hangs_before_the_recipient_is_asked_once_by_each_sender() {
    for step in [Step::Greeting, Step::Hello, Step::SignIn, Step::Sender] {
        on_both(|fresh| {
            let server = Scripted::start(move |moment| if moment.step == step { Act::Hang } else { Act::Go });
            let names: Vec<String> = (0..12).map(|number| format!("player{number}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let post = Post::new(fresh, &server, SHORT, &names);
            for name in &names {
                post.queue(name, "one");
            }
            let senders = post.start_senders();
            let end = Instant::now() + Duration::from_secs(60);
            let is_closed = || post.transport.closed_until(post.clock.now()).is_some();
            let any_leased = || outbox_rows(&post.db).iter().any(|row| row.leased_until.is_some());
            while !is_closed() || any_leased() {
                assert!(Instant::now() < end, "the senders did not see that the server hangs at {step:?}");
                std::thread::sleep(Duration::from_millis(20));
            }
            assert!(server.count(step) <= 4, "{step:?}: {}", server.count(step));
            for row in outbox_rows(&post.db) {
                assert_eq!((row.status.as_str(), row.put_offs, row.breaks), ("queued", 0, 0), "{step:?}");
            }
            server.play(good);
            post.clock.advance(TimeDelta::seconds(15));
            senders.wakers.wake();
            server.wait_for_taken(names.len());
            post.stop(senders);
        });
    }
}

#[test]
fn a_letter_that_was_put_off_does_not_hold_the_next_one_to_the_same_person() {
    on_both(|fresh| {
        let server = Scripted::start(once(Step::Recipient, "alice", Act::Hang));
        let post = Post::new(fresh, &server, SHORT, &["alice"]);
        post.queue("alice", "one");
        post.queue("alice", "two");
        assert_eq!(post.drain(), Drained { sent: 1, waiting: 1, ..Drained::default() });
        assert_eq!(post.row("alice two").status, "sent");
        post.drain_all();
        assert_eq!(server.taken_by(), ["alice", "alice"]);
    });
}
