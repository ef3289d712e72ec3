//! Accounts on both databases: signing up, in and out, links in letters, settings, deletion; and that nothing
//! tells whether an address is registered.

use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::accounts::{
    self, AddressRefusal, Browser, HashedPassword, LinkRefusal, PasswordRefusal, Purpose, SignInRefusal, SignUp,
    SignUpFault, SignUpForm, SignUpRefusal, SignedIn, Wants,
};
use stardate::store::outbox::Row;
use stardate::store::users::{self, User};
use stardate::store::{Conn, Database, Stamp, UserId, schema};

use crate::harness::{Fresh, on_both};
use crate::mail::{outbox_rows, site, start};

const PASSWORD: &str = "make it so, number one";
const OTHER: &str = "tea, earl grey, hot";

/// A database and what people do with it. Time stands still unless a test moves it.
struct Desk {
    db: Database,
    now: Stamp,
}

fn form<'a>(name: &'a str, email: &'a str) -> SignUpForm<'a> {
    SignUpForm { name, email, password: PASSWORD, zone: "Europe/Berlin" }
}

fn browser(key: &str) -> Browser {
    Browser { key: key.to_owned(), agent: "Lynx\n2.9".to_owned() }
}

impl Desk {
    fn new(fresh: &Fresh) -> Desk {
        Desk { db: fresh.open(), now: start() }
    }

    fn advance(&mut self, by: TimeDelta) {
        self.now += by;
    }

    fn write<T>(&self, work: impl Fn(&mut Conn) -> QueryResult<T>) -> T {
        self.db.write(work).unwrap()
    }

    fn try_sign_up(&self, name: &str, email: &str) -> Result<(), SignUpRefusal> {
        let form = SignUp::check(&form(name, email)).unwrap();
        self.db.write(|conn| accounts::sign_up(conn, &site(), self.now, &form)).map(drop)
    }

    /// Signs up and opens the link of the letter.
    fn join(&self, name: &str) -> User {
        let email = format!("{name}@mail.example");
        self.try_sign_up(name, &email).unwrap();
        self.confirm(&self.link(&email, "confirm")).unwrap()
    }

    fn confirm(&self, token: &str) -> Result<User, LinkRefusal> {
        self.db.write(|conn| accounts::confirm(conn, self.now, token))
    }

    fn sign_in(&self, who: &str, password: &str) -> Result<SignedIn, SignInRefusal> {
        accounts::sign_in(&self.db, self.now, who, password, &browser("lynx"))
    }

    fn is_signed_in(&self, signed_in: &SignedIn) -> bool {
        let mut conn = self.db.connection().unwrap();
        accounts::session(&mut conn, self.now, &signed_in.token).unwrap().is_some()
    }

    fn user(&self, name: &str) -> User {
        users::find_by_name(&mut self.db.connection().unwrap(), name).unwrap().unwrap()
    }

    /// The letters to an address, oldest first.
    fn letters_to(&self, email: &str) -> Vec<Row> {
        outbox_rows(&self.db).into_iter().filter(|row| row.to_address == email).collect()
    }

    fn kinds_to(&self, email: &str) -> Vec<String> {
        self.letters_to(email).into_iter().map(|row| row.letter).collect()
    }

    /// The token in the link of the newest letter of a kind.
    fn link(&self, email: &str, kind: &str) -> String {
        let letter = self.letters_to(email).into_iter().rfind(|row| row.letter == kind).unwrap();
        let url = letter.body_text.split_whitespace().find(|word| word.starts_with("https://play.example/")).unwrap();
        url.rsplit('/').next().unwrap().to_owned()
    }
}

#[test]
fn somebody_signs_up_confirms_and_signs_in() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        desk.try_sign_up("Alice", "Alice@Mail.example").unwrap();
        assert!(matches!(desk.sign_in("alice", PASSWORD), Err(SignInRefusal::Unconfirmed)));
        assert!(matches!(desk.sign_in("alice", OTHER), Err(SignInRefusal::Wrong)), "without the password no hint");

        let token = desk.link("Alice@Mail.example", "confirm");
        let pending = {
            let mut conn = desk.db.connection().unwrap();
            accounts::look(&mut conn, desk.now, Purpose::Confirm, &token).unwrap().unwrap()
        };
        assert_eq!((pending.name.as_str(), pending.email.as_str()), ("Alice", "Alice@Mail.example"));
        assert!(desk.user("alice").confirmed_at.is_none(), "looking changes nothing");

        assert_eq!(desk.confirm(&token).unwrap().name, "Alice");
        assert!(matches!(desk.confirm(&token), Err(LinkRefusal::Stale)), "a link works once");
        for who in ["Alice", "ALICE", " alice ", "alice@mail.EXAMPLE"] {
            let signed_in = desk.sign_in(who, PASSWORD).unwrap();
            assert_eq!(signed_in.user.zone, "Europe/Berlin");
            assert!(desk.is_signed_in(&signed_in), "{who}");
        }
    });
}

#[test]
fn every_fault_of_the_form_is_told_at_once() {
    let bad = SignUpForm { name: "x", email: "nowhere", password: "short", zone: "Mars/Olympus" };
    let faults = SignUp::check(&bad).unwrap_err();
    let fields: Vec<&str> = faults.iter().map(SignUpFault::field).collect();
    assert_eq!(fields, ["name", "email", "password", "zone"]);
    for fault in faults {
        assert!(fault.to_string().ends_with('.'), "{fault}");
    }
}

#[test]
fn a_taken_name_is_refused_whatever_its_case() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        desk.join("Alice");
        let refusal = desk.try_sign_up("ALICE", "other@mail.example").unwrap_err();
        assert_eq!(refusal.to_string(), "The name “ALICE” is taken; choose another one.");
        assert!(desk.letters_to("other@mail.example").is_empty());
    });
}

#[test]
fn a_sign_up_looks_the_same_whether_the_address_is_known_or_not() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        desk.join("Alice");
        // Known and unknown address: the same answer …
        desk.try_sign_up("Known", "alice@mail.example").unwrap();
        desk.try_sign_up("Unknown", "new@mail.example").unwrap();
        desk.try_sign_up("Known2", "Alice@mail.example").unwrap();
        // … also to the second question of somebody clever: is the name taken now?
        for name in ["Unknown", "Known", "Known2"] {
            let again = desk.try_sign_up(name, "third@mail.example");
            assert!(matches!(again, Err(SignUpRefusal::NameTaken(_))), "{name}");
            assert!(matches!(desk.sign_in(name, PASSWORD), Err(SignInRefusal::Unconfirmed)), "{name}");
            assert!(matches!(desk.sign_in(name, OTHER), Err(SignInRefusal::Wrong)), "{name}");
        }
        // The one who reads the address learns of it.
        let kinds = desk.kinds_to("Alice@mail.example");
        assert_eq!(kinds.iter().filter(|kind| *kind == "already-registered").count(), 1, "but not again and again");
        assert_eq!(desk.kinds_to("new@mail.example"), ["confirm"]);
        assert!(desk.sign_in("Alice", PASSWORD).is_ok(), "the account itself is untouched");
    });
}

#[test]
fn an_address_belongs_to_the_sign_up_that_is_confirmed_first() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.try_sign_up("Squatter", "alice@mail.example").unwrap();
        let old = desk.link("alice@mail.example", "confirm");
        desk.advance(TimeDelta::minutes(5));
        desk.try_sign_up("Alice", "alice@mail.example").unwrap();
        assert_eq!(desk.confirm(&desk.link("alice@mail.example", "confirm")).unwrap().name, "Alice");
        assert!(matches!(desk.confirm(&old), Err(LinkRefusal::Stale)));
        assert!(matches!(desk.sign_in("Squatter", PASSWORD), Err(SignInRefusal::Unconfirmed)));
    });
}

#[test]
fn a_link_ends_after_two_days_and_can_be_sent_again() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.try_sign_up("Alice", "alice@mail.example").unwrap();
        let first = desk.link("alice@mail.example", "confirm");
        let resend = |desk: &Desk, email: &str| desk.write(|conn| accounts::resend(conn, &site(), desk.now, email));
        resend(&desk, "alice@mail.example");
        assert_eq!(desk.letters_to("alice@mail.example").len(), 1, "not twice within a minute");
        desk.advance(TimeDelta::hours(48));
        assert!(matches!(desk.confirm(&first), Err(LinkRefusal::Stale)));
        resend(&desk, "alice@mail.example");
        resend(&desk, "stranger@mail.example");
        assert!(desk.letters_to("stranger@mail.example").is_empty());
        desk.confirm(&desk.link("alice@mail.example", "confirm")).unwrap();
        desk.advance(TimeDelta::hours(1));
        resend(&desk, "alice@mail.example");
        assert_eq!(desk.letters_to("alice@mail.example").len(), 2, "a confirmed address needs no link");
    });
}

#[test]
fn sessions_last_while_they_are_used_and_end_when_told() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        let alice = desk.join("Alice");
        let (phone, desktop) = (desk.sign_in("Alice", PASSWORD).unwrap(), desk.sign_in("Alice", PASSWORD).unwrap());
        assert_ne!(phone.token, desktop.token);
        assert_ne!(phone.session.csrf, desktop.session.csrf);
        assert!(!phone.session.id.contains(&phone.token), "only a hash of the token is stored");
        assert_eq!(phone.session.agent, "Lynx2.9");

        desk.advance(TimeDelta::days(29));
        let signed = {
            let mut conn = desk.db.connection().unwrap();
            accounts::session(&mut conn, desk.now, &phone.token).unwrap().unwrap()
        };
        assert!(signed.touch_due);
        desk.write(|conn| accounts::touch(conn, desk.now, &signed.session.id));
        let fresh_use = {
            let mut conn = desk.db.connection().unwrap();
            accounts::session(&mut conn, desk.now, &phone.token).unwrap().unwrap()
        };
        assert!(!fresh_use.touch_due, "a page view need not write");
        desk.advance(TimeDelta::days(2));
        assert!(desk.is_signed_in(&phone), "used two days ago");
        assert!(!desk.is_signed_in(&desktop), "not used for 31 days");

        let laptop = desk.sign_in("Alice", PASSWORD).unwrap();
        desk.write(|conn| accounts::sign_out(conn, &phone.session.id));
        assert!(!desk.is_signed_in(&phone) && desk.is_signed_in(&laptop));
        let tablet = desk.sign_in("Alice", PASSWORD).unwrap();
        let keep = Some(laptop.session.id.as_str());
        desk.write(|conn| accounts::sign_out_everywhere(conn, alice.id, keep));
        assert!(desk.is_signed_in(&laptop) && !desk.is_signed_in(&tablet));
        desk.write(|conn| accounts::sign_out_everywhere(conn, alice.id, None));
        assert!(!desk.is_signed_in(&laptop));
    });
}

#[test]
fn a_forgotten_password_is_set_anew_by_letter() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.join("Alice");
        let old = desk.sign_in("Alice", PASSWORD).unwrap();
        let ask = |desk: &Desk, email: &str| {
            desk.write(|conn| accounts::request_reset(conn, &site(), desk.now, email));
        };
        ask(&desk, "ALICE@mail.example");
        ask(&desk, "alice@mail.example");
        ask(&desk, "stranger@mail.example");
        assert!(desk.letters_to("stranger@mail.example").is_empty());
        let count = |desk: &Desk| desk.kinds_to("Alice@mail.example").iter().filter(|kind| *kind == "reset").count();
        assert_eq!(count(&desk), 1, "not twice within a minute");

        let token = desk.link("Alice@mail.example", "reset");
        desk.advance(TimeDelta::minutes(2));
        ask(&desk, "alice@mail.example");
        let second = desk.link("Alice@mail.example", "reset");
        let hashed = HashedPassword::new(OTHER, &[]).unwrap();
        let finish = |desk: &Desk, token: &str| {
            desk.db.write(|conn| accounts::finish_reset(conn, &site(), desk.now, token, &hashed))
        };
        assert!(matches!(finish(&desk, "nonsense"), Err(LinkRefusal::Stale)));
        finish(&desk, &token).unwrap();
        assert!(matches!(finish(&desk, &token), Err(LinkRefusal::Stale)), "a link works once");
        assert!(matches!(finish(&desk, &second), Err(LinkRefusal::Stale)), "and ends the others");
        assert!(!desk.is_signed_in(&old), "signed out everywhere");
        assert!(matches!(desk.sign_in("Alice", PASSWORD), Err(SignInRefusal::Wrong)));
        assert!(desk.sign_in("Alice", OTHER).is_ok());
        assert!(desk.kinds_to("Alice@mail.example").contains(&"password-changed".to_owned()));

        desk.advance(TimeDelta::minutes(2));
        ask(&desk, "alice@mail.example");
        let late = desk.link("Alice@mail.example", "reset");
        desk.advance(TimeDelta::days(1));
        assert!(matches!(finish(&desk, &late), Err(LinkRefusal::Stale)), "after a day the link is dead");
    });
}

#[test]
fn asking_for_a_new_password_before_confirming_sends_the_first_link_again() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.try_sign_up("Alice", "alice@mail.example").unwrap();
        desk.advance(TimeDelta::minutes(5));
        desk.write(|conn| accounts::request_reset(conn, &site(), desk.now, "alice@mail.example"));
        assert_eq!(desk.kinds_to("alice@mail.example"), ["confirm", "confirm"]);
    });
}

#[test]
fn a_password_is_changed_by_whoever_knows_it() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let alice = desk.join("Alice");
        let (here, there) = (desk.sign_in("Alice", PASSWORD).unwrap(), desk.sign_in("Alice", PASSWORD).unwrap());
        let change = |current: &str, new: &str| {
            let keep = Some(here.session.id.as_str());
            accounts::change_password(
                &desk.db,
                &site(),
                desk.now,
                alice.id,
                accounts::PasswordChange { current, new, keep_session: keep },
            )
        };
        assert!(matches!(change(OTHER, OTHER), Err(PasswordRefusal::Wrong)));
        assert!(matches!(change(PASSWORD, "short"), Err(PasswordRefusal::Bad(_))));
        assert!(matches!(change(PASSWORD, "alice@mail.example"), Err(PasswordRefusal::Bad(_))));
        change(PASSWORD, OTHER).unwrap();
        assert!(desk.is_signed_in(&here) && !desk.is_signed_in(&there));
        assert!(desk.sign_in("Alice", OTHER).is_ok());
        assert!(accounts::check_password(&desk.db, alice.id, OTHER).is_ok());
        assert!(matches!(accounts::check_password(&desk.db, alice.id, PASSWORD), Err(PasswordRefusal::Wrong)));
    });
}

#[test]
fn an_account_moves_to_an_address_that_was_checked() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let alice = desk.join("Alice");
        let ask = |password: &str, email: &str| {
            accounts::request_address(&desk.db, &site(), desk.now, alice.id, password, email)
        };
        assert!(matches!(ask(OTHER, "new@mail.example"), Err(AddressRefusal::WrongPassword)));
        assert!(matches!(ask(PASSWORD, "nowhere"), Err(AddressRefusal::Bad(_))));
        assert!(matches!(ask(PASSWORD, "ALICE@mail.example"), Err(AddressRefusal::Same)));
        ask(PASSWORD, "New@mail.example").unwrap();
        assert_eq!(desk.user("Alice").email.as_deref(), Some("Alice@mail.example"), "not before it is checked");
        let token = desk.link("New@mail.example", "change-address");
        let confirm = || desk.db.write(|conn| accounts::confirm_address(conn, &site(), desk.now, &token));
        confirm().unwrap();
        assert!(matches!(confirm(), Err(LinkRefusal::Stale)));
        assert_eq!(desk.user("Alice").email.as_deref(), Some("New@mail.example"));
        assert!(desk.sign_in("new@mail.example", PASSWORD).is_ok());
        assert!(matches!(desk.sign_in("alice@mail.example", PASSWORD), Err(SignInRefusal::Wrong)));
        assert!(desk.kinds_to("Alice@mail.example").contains(&"address-changed".to_owned()));
    });
}

#[test]
fn moving_to_an_address_tells_nothing_about_who_has_it() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let (alice, bob) = (desk.join("Alice"), desk.join("Bob"));
        accounts::request_address(&desk.db, &site(), desk.now, alice.id, PASSWORD, "bob@mail.example").unwrap();
        assert_eq!(desk.kinds_to("Bob@mail.example"), ["already-registered", "confirm"].map(str::to_owned));
        assert!(desk.letters_to("bob@mail.example").is_empty(), "no link went to Bob");
        // Taken between the letter and its link.
        accounts::request_address(&desk.db, &site(), desk.now, alice.id, PASSWORD, "carol@mail.example").unwrap();
        let token = desk.link("carol@mail.example", "change-address");
        desk.try_sign_up("Carol", "carol@mail.example").unwrap();
        desk.confirm(&desk.link("carol@mail.example", "confirm")).unwrap();
        let late = desk.db.write(|conn| accounts::confirm_address(conn, &site(), desk.now, &token));
        assert!(matches!(late, Err(LinkRefusal::Stale)));
        assert_eq!(desk.user("Bob").id, bob.id);
    });
}

#[test]
fn zone_and_letters_are_chosen_and_one_link_stops_them_all() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let alice = desk.join("Alice");
        desk.db.write(|conn| accounts::set_zone(conn, alice.id, "pacific/auckland")).unwrap();
        assert_eq!(desk.user("Alice").tz(), chrono_tz::Pacific::Auckland);
        let refusal = desk.db.write(|conn| accounts::set_zone(conn, alice.id, "Mars/Olympus")).unwrap_err();
        assert!(refusal.to_string().contains("“Mars/Olympus” is not a time zone"), "{refusal}");
        let wants = Wants { due: true, resolved: false, reminders: true, news: true, talk: true };
        desk.write(|conn| accounts::set_wants(conn, alice.id, wants));
        assert!(!desk.user("Alice").wants_resolved && desk.user("Alice").wants_due);
        let stopped = desk.write(|conn| accounts::unsubscribe(conn, &alice.unsubscribe_key)).unwrap();
        assert_eq!(stopped.id, alice.id);
        let user = desk.user("Alice");
        assert!(!(user.wants_due || user.wants_resolved || user.wants_reminders || user.wants_news));
        assert!(desk.write(|conn| accounts::unsubscribe(conn, "no such key")).is_none());
    });
}

#[test]
fn a_deleted_account_leaves_a_former_player_and_a_free_address() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        let alice = desk.join("Alice");
        let session = desk.sign_in("Alice", PASSWORD).unwrap();
        desk.advance(TimeDelta::minutes(5));
        desk.write(|conn| accounts::request_reset(conn, &site(), desk.now, "alice@mail.example"));
        let link = desk.link("Alice@mail.example", "reset");
        let left = std::cell::Cell::new(UserId(0));
        let delete = || {
            desk.db.write(|conn| {
                accounts::delete_account::<diesel::result::Error>(conn, &site(), desk.now, alice.id, |_, user_id| {
                    left.set(user_id);
                    Ok(())
                })
            })
        };
        delete().unwrap();
        assert_eq!(left.get(), alice.id, "tables were left");
        let former = users::find(&mut desk.db.connection().unwrap(), alice.id).unwrap().unwrap();
        assert_eq!((former.name.as_str(), &former.email), ("former player", &None));
        assert!(!desk.is_signed_in(&session));
        for who in ["Alice", "former player", "alice@mail.example"] {
            for password in [PASSWORD, ""] {
                assert!(matches!(desk.sign_in(who, password), Err(SignInRefusal::Wrong)), "{who}");
            }
        }
        let hashed = HashedPassword::new(OTHER, &[]).unwrap();
        let reset = desk.db.write(|conn| accounts::finish_reset(conn, &site(), desk.now, &link, &hashed));
        assert!(matches!(reset, Err(LinkRefusal::Stale)));
        let letters = desk.letters_to("Alice@mail.example");
        let waiting: Vec<&Row> = letters.iter().filter(|row| row.status == "queued").collect();
        assert!(
            matches!(&waiting[..], [row] if row.letter == "account-deleted" && row.user_id.is_none()),
            "{waiting:?}"
        );
        desk.join("Alice");
    });
}

#[test]
fn a_deletion_that_cannot_leave_the_tables_changes_nothing() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let alice = desk.join("Alice");
        let failed = desk.db.write(|conn| {
            accounts::delete_account(conn, &site(), desk.now, alice.id, |_, _| Err(diesel::result::Error::NotFound))
        });
        assert!(failed.is_err());
        assert!(desk.sign_in("Alice", PASSWORD).is_ok());
    });
}

#[test]
fn what_is_no_longer_needed_is_removed() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.join("Alice");
        desk.sign_in("Alice", PASSWORD).unwrap();
        desk.try_sign_up("Nobody-came", "gone@mail.example").unwrap();
        desk.write(|conn| {
            diesel::update(schema::outbox::table)
                .set((schema::outbox::status.eq("sent"), schema::outbox::finished_at.eq(Some(desk.now))))
                .execute(conn)
        });
        let purge = |desk: &Desk| desk.write(|conn| accounts::purge(conn, desk.now));
        assert_eq!(purge(&desk), accounts::Purged::default());
        desk.advance(TimeDelta::days(8));
        assert_eq!(purge(&desk), accounts::Purged { links: 1, sign_ups: 1, ..Default::default() });
        desk.advance(TimeDelta::days(53));
        assert_eq!(purge(&desk), accounts::Purged { sessions: 1, letters: 1, ..Default::default() });
        assert!(desk.sign_in("Alice", PASSWORD).is_ok());
        desk.try_sign_up("Nobody-came", "gone@mail.example").unwrap();
    });
}

#[test]
fn two_who_take_one_name_at_once_get_it_once() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let results: Vec<Result<(), SignUpRefusal>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6)
                .map(|number| {
                    let desk = &desk;
                    scope.spawn(move || desk.try_sign_up("Alice", &format!("alice{number}@mail.example")))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
        let refused = |result: &&Result<(), SignUpRefusal>| matches!(result, Err(SignUpRefusal::NameTaken(_)));
        assert_eq!(results.iter().filter(refused).count(), 5, "{results:?}");
        assert_eq!(outbox_rows(&desk.db).len(), 1);
    });
}

#[test]
fn a_demonstration_enrols_players_without_letters() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let form = SignUp::check(&form("Alice", "alice@mail.example")).unwrap();
        let user_id = desk.db.write(|conn| accounts::enroll(conn, desk.now, &form)).unwrap();
        assert_eq!(desk.sign_in("Alice", PASSWORD).unwrap().user.id, user_id);
        assert!(outbox_rows(&desk.db).is_empty());
    });
}

#[test]
fn an_even_answer_takes_its_time() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let before = std::time::Instant::now();
        assert_eq!(accounts::evenly(async { 7 }).await, 7);
        assert!(before.elapsed() >= std::time::Duration::from_millis(400));
    });
}
