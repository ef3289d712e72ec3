//! The way of letters from the outbox, on both databases: claims, leases, faults, and letters nobody wants
//! any more.

use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::jobs::outbox::Drained;
use stardate::mail::{Delivery, Letter};
use stardate::store::Stamp;
use stardate::store::outbox::{self, Again, End, Forget, Which};
use stardate::store::schema::{game_tables, phases, results, users as users_table};
use stardate::store::users::{self, User, Wants};

use super::post::{Post, sent};
use super::{close_phase, hand_in, outbox_rows, queue, site, start};
use crate::harness::on_both;

fn dropped_because(why: &str) -> Vec<(String, Option<String>)> {
    vec![("dropped".to_owned(), Some(why.to_owned()))]
}

#[test]
fn a_letter_is_queued_once_and_sent_once() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "same");
        queue(&post.db, start(), &post.alice, &post.cancelled(), "same");
        queue(&post.db, start(), &post.bob, &post.cancelled(), "other");
        assert_eq!(post.drain(), sent(2));
        assert_eq!(post.drain(), Drained::default());
        assert_eq!(post.next_due(), None);
        let letters = post.memory.letters();
        let mut to: Vec<String> = letters.iter().map(|letter| letter.to.to_string()).collect();
        to.sort_unstable();
        assert_eq!(to, ["alice@mail.example", "bob@mail.example"]);
        assert_ne!(letters[0].message_id, letters[1].message_id);
    });
}

#[test]
fn a_letter_of_a_use_case_that_failed_is_never_sent() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        let to = stardate::mail::Recipient::of(&post.alice).unwrap();
        let failed = post.db.write(|conn| {
            stardate::mail::queue(conn, &site(), start(), &to, &post.cancelled(), "never")?;
            Err::<(), _>(diesel::result::Error::RollbackTransaction)
        });
        assert!(failed.is_err());
        assert_eq!(post.drain(), Drained::default());
    });
}

#[test]
fn a_due_letter_waits_two_minutes_and_is_not_sent_to_someone_who_has_acted() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.due(), "alice");
        queue(&post.db, start(), &post.bob, &post.due(), "bob");
        assert_eq!(post.drain(), Drained::default());
        assert_eq!(post.next_due(), Some(start() + TimeDelta::seconds(120)));
        post.advance(119);
        assert_eq!(post.drain(), Drained::default());
        post.write(|conn| hand_in(conn, post.table_id, 0));
        post.advance(1);
        assert_eq!(post.drain(), Drained { sent: 1, dropped: 1, ..Drained::default() });
        assert_eq!(post.memory.letters()[0].to.to_string(), "bob@mail.example");
        let handed_in = Some("the player has handed in".to_owned());
        assert_eq!(post.statuses(), [("dropped".to_owned(), handed_in), ("sent".to_owned(), None)]);
        let mut conn = post.db.connection().unwrap();
        let told = |conn: &mut _, user: &User, deadline| {
            outbox::told_of_deadline(conn, user.id, post.table_id, deadline).unwrap()
        };
        assert!(told(&mut conn, &post.bob, post.deadline()));
        assert!(!told(&mut conn, &post.alice, post.deadline()), "a dropped letter told nobody anything");
        assert!(!told(&mut conn, &post.bob, post.deadline() + TimeDelta::hours(1)), "of that deadline nobody was told");
    });
}

#[test]
fn letters_about_a_phase_that_is_over_are_dropped() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.reminder(), "reminder");
        queue(&post.db, start(), &post.alice, &post.resolved(), "resolved");
        post.write(|conn| close_phase(conn, post.table_id, start()));
        assert_eq!(post.drain(), Drained { sent: 1, dropped: 1, ..Drained::default() });
        assert_eq!(post.statuses()[0], ("dropped".to_owned(), Some("the phase is over".to_owned())));
        assert!(String::from_utf8_lossy(&post.memory.letters()[0].bytes).contains("is resolved"));
    });
}

#[test]
fn nothing_is_due_from_someone_who_has_left_the_table() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.reminder(), "reminder");
        post.write(|conn| {
            diesel::insert_into(results::table)
                .values((
                    results::table_id.eq(post.table_id),
                    results::seat.eq(0),
                    results::user_id.eq(post.alice.id),
                    results::result.eq("resigned"),
                    results::score_change.eq(-2),
                    results::ranked.eq(true),
                    results::sealed_at.eq(start()),
                ))
                .execute(conn)
                .unwrap();
        });
        assert_eq!(post.drain(), Drained { dropped: 1, ..Drained::default() });
        assert_eq!(post.statuses(), dropped_because("the player has left the table"));
    });
}

#[test]
fn a_reminder_of_a_deadline_that_has_moved_is_dropped_a_due_letter_is_not() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.reminder(), "a reminder");
        queue(&post.db, start(), &post.alice, &post.due(), "b due");
        let later = post.deadline() + TimeDelta::hours(5);
        post.write(|conn| {
            diesel::update(phases::table).set(phases::deadline_at.eq(Some(later))).execute(conn).unwrap();
        });
        post.advance(120);
        assert_eq!(post.drain(), Drained { sent: 1, dropped: 1, ..Drained::default() });
        assert_eq!(post.statuses()[0], ("dropped".to_owned(), Some("the deadline has moved".to_owned())));
    });
}

#[test]
fn only_wanted_letters_are_sent() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        let all = Wants { due: true, resolved: true, reminders: true, news: true, talk: true };
        let cases = [
            (post.due(), Wants { due: false, ..all }),
            (post.reminder(), Wants { reminders: false, ..all }),
            (post.resolved(), Wants { resolved: false, ..all }),
            (post.cancelled(), Wants { news: false, ..all }),
        ];
        for (letter, wants) in cases {
            post.write(|conn| users::set_wants(conn, post.alice.id, wants).unwrap());
            queue(&post.db, post.clock.now(), &post.alice, &letter, letter.kind().as_str());
            post.advance(120);
            assert_eq!(post.drain(), Drained { dropped: 1, ..Drained::default() }, "{}", letter.kind().as_str());
            post.write(|conn| users::set_wants(conn, post.alice.id, all).unwrap());
            queue(&post.db, post.clock.now(), &post.alice, &letter, &format!("{} wanted", letter.kind().as_str()));
            post.advance(120);
            assert_eq!(post.drain(), sent(1), "{}", letter.kind().as_str());
        }
    });
}

#[test]
fn table_letters_follow_the_player_to_a_new_address() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "key");
        post.write(|conn| users::set_email(conn, post.alice.id, "new@mail.example").unwrap());
        assert_eq!(post.drain(), sent(1));
        assert_eq!(post.memory.letters()[0].to.to_string(), "new@mail.example");
    });
}

#[test]
fn nothing_goes_to_a_deleted_account() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "key");
        post.write(|conn| users::erase(conn, post.alice.id, start()).unwrap());
        assert_eq!(post.drain(), Drained { dropped: 1, ..Drained::default() });
        assert_eq!(post.statuses(), dropped_because("the account was deleted"));
    });
}

#[test]
fn links_that_are_dead_are_not_sent_and_secrets_are_forgotten() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        let link = |hours| Letter::Reset {
            url: "https://play.example/reset/SECRET".to_owned(),
            expires: start() + TimeDelta::hours(hours),
        };
        queue(&post.db, start(), &post.alice, &link(1), "a dies");
        queue(&post.db, start(), &post.alice, &link(3), "b lives");
        assert!(outbox_rows(&post.db).iter().all(|row| row.body_text.contains("SECRET")));
        post.advance(3_600);
        assert_eq!(post.drain(), Drained { sent: 1, dropped: 1, ..Drained::default() });
        assert!(String::from_utf8_lossy(&post.memory.letters()[0].bytes).contains("SECRET"));
        assert!(outbox_rows(&post.db).iter().all(|row| row.body_text.is_empty() && row.body_html.is_empty()));
    });
}

#[test]
fn a_claimed_letter_belongs_to_its_sender_until_the_lease_ends() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "key");
        let lease = TimeDelta::seconds(300);
        let claim = |now: Stamp| post.db.write(|conn| outbox::claim(conn, now, now + lease, Which::All)).unwrap();
        let first = claim(start()).unwrap();
        assert_eq!(first.attempts, 1);
        assert_eq!(claim(start() + TimeDelta::seconds(299)), None);
        // The first sender was killed or is very slow: the letter is sent again.
        let second = claim(start() + lease).unwrap();
        assert_eq!((second.id, second.attempts), (first.id, 2));
        let finish = |row: &outbox::Row, end| {
            post.db.write(|conn| outbox::finish(conn, row, end, None, Forget::Nothing, start())).unwrap()
        };
        let again = Again { put_offs: 0, breaks: 0, not_before: Some(start()), why: "slow" };
        let release = |row: &outbox::Row| post.db.write(|conn| outbox::release(conn, row, again)).unwrap();
        assert!(!finish(&first, End::Dead), "a late finish holds an old token");
        assert!(!release(&first), "so does a late release");
        assert_eq!(post.statuses(), [("queued".to_owned(), None)]);
        assert!(finish(&second, End::Sent));
        assert!(!finish(&second, End::Sent), "an end is final");
        assert_eq!(claim(start() + TimeDelta::days(1)), None);
    });
}

#[test]
fn many_senders_share_the_letters_and_send_each_once() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        // To a person each: of those to one person only one is on its way.
        post.queue_to_many(40);
        let claimed: Mutex<Vec<i64>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let lease = start() + TimeDelta::seconds(300);
                    // Others may be faster with all candidates of a look: ask until nothing is left for sure.
                    let mut empty = 0;
                    while empty < 3 {
                        match post.db.write(|conn| outbox::claim(conn, start(), lease, Which::All)).unwrap() {
                            Some(row) => claimed.lock().unwrap().push(row.id),
                            None => empty += 1,
                        }
                    }
                });
            }
        });
        let mut claimed = claimed.into_inner().unwrap();
        claimed.sort_unstable();
        let mut ids: Vec<i64> = outbox_rows(&post.db).iter().map(|row| row.id).collect();
        ids.sort_unstable();
        assert_eq!(claimed, ids);
    });
}

#[test]
fn while_the_server_is_away_letters_wait_and_none_is_given_up() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        post.queue_many(3);
        let tries = Arc::new(Mutex::new(0));
        let count = Arc::clone(&tries);
        post.memory.answer_with(move |_| {
            *count.lock().unwrap() += 1;
            Delivery::ServerFault("connection refused".to_owned())
        });
        let away_until = start() + TimeDelta::hours(30);
        while post.clock.now() < away_until {
            let drained = post.drain();
            assert_eq!(drained.server_fault.as_deref(), Some("connection refused"));
            assert_eq!(drained.waiting, 1, "one failure is enough to know");
            assert_eq!(post.drain(), Drained::default(), "nothing is tried before its time");
            let wait = (post.next_due().unwrap() - post.clock.now()).num_seconds();
            assert!((15..=300).contains(&wait), "{wait}");
            post.advance(wait);
        }
        assert!(*tries.lock().unwrap() > 300);
        assert_eq!(post.mail_fault(&post.alice), None, "the address is not to blame");
        post.memory.accept_all();
        assert_eq!(post.drain(), sent(3));
        assert_eq!(post.memory.letters().len(), 3);
    });
}

#[test]
fn a_letter_put_off_is_tried_less_and_less_often_and_at_last_given_up() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "a");
        queue(&post.db, start(), &post.bob, &post.cancelled(), "b");
        post.memory.answer_with(|letter| match letter.to.user() {
            "alice" => Delivery::PutOff("451 mailbox is busy".to_owned()),
            _ => Delivery::Accepted,
        });
        assert_eq!(post.drain(), Drained { sent: 1, waiting: 1, ..Drained::default() });
        let mut waits = Vec::new();
        while let Some(next) = post.next_due() {
            let wait = (next - post.clock.now()).num_seconds();
            waits.push(wait / 60);
            post.advance(wait);
            post.drain();
        }
        assert_eq!(waits[..9], [2, 4, 8, 16, 32, 64, 128, 256, 360]);
        assert!(waits[9..].iter().all(|minutes| *minutes == 360));
        assert!(post.clock.now() - start() > TimeDelta::days(3));
        let why = "tried 24 times and never taken; the last time the mail server said “later”: 451 mailbox is busy";
        assert_eq!(post.statuses()[0], ("dead".to_owned(), Some(why.to_owned())));
        assert!(post.mail_fault(&post.alice).unwrap().contains("451 mailbox is busy"));
    });
}

#[test]
fn a_refused_address_is_told_on_the_site_until_a_letter_arrives() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "first");
        post.memory.answer_with(|_| Delivery::AddressRefused("550 5.1.1 no such mailbox".to_owned()));
        assert_eq!(post.drain(), Drained { dead: 1, ..Drained::default() });
        let fault = post.mail_fault(&post.alice).unwrap();
        assert!(fault.contains("alice@mail.example") && fault.contains("550 5.1.1 no such mailbox"), "{fault}");
        post.memory.accept_all();
        queue(&post.db, start(), &post.alice, &post.cancelled(), "second");
        assert_eq!(post.drain(), sent(1));
        assert_eq!(post.mail_fault(&post.alice), None);
    });
}

#[test]
fn a_letter_that_breaks_every_connection_does_not_hold_up_the_others() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "a");
        queue(&post.db, start(), &post.bob, &post.cancelled(), "b");
        post.memory.answer_with(|letter| match letter.to.user() {
            "alice" => Delivery::Broken("reset by peer".to_owned()),
            _ => Delivery::Accepted,
        });
        assert_eq!(post.drain(), Drained { sent: 1, waiting: 1, ..Drained::default() });
        assert_eq!(post.next_due(), Some(start() + TimeDelta::seconds(15)));
        post.memory.accept_all();
        post.advance(15);
        assert_eq!(post.drain(), sent(1));
    });
}

#[test]
fn an_address_that_is_none_ends_the_letter_and_is_told() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "a");
        post.write(|conn| {
            diesel::update(users_table::table.find(post.alice.id))
                .set(users_table::email.eq(Some("not an address")))
                .execute(conn)
                .unwrap();
        });
        assert_eq!(post.drain(), Drained { dead: 1, ..Drained::default() });
        assert!(post.mail_fault(&post.alice).is_some());
    });
}

#[test]
fn a_run_takes_its_share_and_the_next_one_goes_on() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        post.queue_many(70);
        assert_eq!(post.drain(), sent(60));
        assert_eq!(post.next_due(), Some(start()));
        assert_eq!(post.drain(), sent(10));
    });
}

#[test]
fn a_table_that_goes_takes_its_letters_along() {
    on_both(|fresh| {
        let post = Post::new(fresh);
        queue(&post.db, start(), &post.alice, &post.cancelled(), "a");
        post.write(|conn| {
            diesel::delete(game_tables::table.find(post.table_id)).execute(conn).unwrap();
        });
        assert!(outbox_rows(&post.db).is_empty());
    });
}
