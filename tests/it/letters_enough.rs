//! Letters that anybody can cause to be sent to somebody: never so many that they fill a mailbox, and never so few that
//! whoever reads it is shut out. On both databases.

use chrono::TimeDelta;
use stardate::accounts::{self, CorrectRefusal, HashedPassword, SignUp, SignUpForm};
use stardate::store::{Database, Stamp, UserId, users};

use crate::harness::{Fresh, on_both};
use crate::mail::{outbox_rows, site, start};

const PASSWORD: &str = "make it so, number one";

struct Desk {
    db: Database,
    now: Stamp,
}

impl Desk {
    fn new(fresh: &Fresh) -> Desk {
        Desk { db: fresh.open(), now: start() }
    }

    fn sign_up(&self, name: &str, email: &str) -> UserId {
        let form = SignUp::check(&SignUpForm { name, email, password: PASSWORD, zone: "" }).unwrap();
        self.db.write(|conn| accounts::sign_up(conn, &site(), self.now, &form)).unwrap()
    }

    fn confirm(&self, token: &str) -> Result<String, accounts::LinkRefusal> {
        self.db.write(|conn| accounts::confirm(conn, self.now, token)).map(|user| user.name)
    }

    /// A confirmed account.
    fn join(&self, name: &str, email: &str) -> UserId {
        let id = self.sign_up(name, email);
        self.confirm(self.links(email, "confirm").last().unwrap()).unwrap();
        id
    }

    fn reset(&self, email: &str) {
        self.db.write(|conn| accounts::request_reset(conn, &site(), self.now, email)).unwrap();
    }

    fn finish(&self, token: &str) -> bool {
        let hashed = HashedPassword::new("tea, earl grey, hot", &[]).unwrap();
        self.db.write(|conn| accounts::finish_reset(conn, &site(), self.now, token, &hashed)).is_ok()
    }

    /// How many letters went to an address, whatever the case of its letters.
    fn count(&self, email: &str) -> usize {
        outbox_rows(&self.db).iter().filter(|row| row.to_address.eq_ignore_ascii_case(email)).count()
    }

    /// The tokens in the links of the letters of a kind, oldest first.
    fn links(&self, email: &str, kind: &str) -> Vec<String> {
        let of_kind =
            |row: &stardate::store::outbox::Row| row.letter == kind && row.to_address.eq_ignore_ascii_case(email);
        let rows = outbox_rows(&self.db).into_iter().filter(of_kind);
        let link = |text: String| {
            let url =
                text.split_whitespace().find(|word| word.starts_with("https://play.example/")).unwrap().to_owned();
            url.rsplit('/').next().unwrap().to_owned()
        };
        rows.map(|row| link(row.body_text)).collect()
    }
}

#[test]
fn whoever_keeps_asking_for_resets_fills_no_mailbox_and_shuts_nobody_out() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.join("Kira", "Kira@mail.example");
        let before = desk.count("kira@mail.example");
        // Two days long, every minute, as a crowd of visitors would.
        for minute in 0..2 * 24 * 60 {
            desk.reset(if minute % 2 == 0 { "kira@mail.example" } else { "KIRA@mail.example" });
            desk.now += TimeDelta::minutes(1);
        }
        let letters = desk.count("kira@mail.example") - before;
        assert!((4..=20).contains(&letters), "{letters} letters in two days");
        // Kira asks once more and gets no letter of her own; the one that is there works.
        desk.reset("kira@mail.example");
        let newest = desk.links("kira@mail.example", "reset").pop().unwrap();
        assert!(desk.finish(&newest));
    });
}

#[test]
fn sign_ups_in_somebodys_address_fill_no_mailbox_and_the_first_to_confirm_has_it() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        for number in 0..50 {
            desk.sign_up(&format!("Squatter{number}"), "kira@mail.example");
            desk.now += TimeDelta::minutes(1);
        }
        let letters = desk.count("kira@mail.example");
        assert!((1..=8).contains(&letters), "{letters} letters in an hour");
        // Her own sign-up waits a little for its letter, then it is sent, and works beside theirs.
        desk.sign_up("Kira", "kira@mail.example");
        desk.now += TimeDelta::hours(2);
        desk.db.write(|conn| accounts::resend(conn, &site(), desk.now, "kira@mail.example")).unwrap();
        let links = desk.links("kira@mail.example", "confirm");
        desk.sign_up("Latecomer", "kira@mail.example");
        assert_eq!(desk.confirm(links.last().unwrap()).unwrap(), "Kira");
        assert!(desk.confirm(&links[0]).is_err(), "the address is taken now");
    });
}

#[test]
fn a_confirmed_holder_is_told_of_sign_ups_a_few_times_a_day_at_most() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.join("Kira", "kira@mail.example");
        let before = desk.count("kira@mail.example");
        for number in 0..48 {
            desk.sign_up(&format!("Squatter{number}"), "kira@mail.example");
            desk.now += TimeDelta::minutes(30);
        }
        let letters = desk.count("kira@mail.example") - before;
        assert!((1..=5).contains(&letters), "{letters} letters in a day");
    });
}

#[test]
fn only_the_browser_that_signed_up_corrects_the_address() {
    on_both(|fresh| {
        let mut desk = Desk::new(fresh);
        desk.join("Odo", "odo@mail.example");
        let slip = desk.sign_up("Kira", "kira@mial.example");
        desk.db.write(|conn| accounts::remember(conn, desk.now, slip, "her browser")).unwrap();
        let correct = |desk: &Desk, key: &str, email: &str| {
            desk.db.write(|conn| accounts::correct_address(conn, &site(), desk.now, (slip, key), email))
        };
        assert!(matches!(correct(&desk, "another", "x@mail.example"), Err(CorrectRefusal::Over)));
        assert!(matches!(correct(&desk, "her browser", "nowhere"), Err(CorrectRefusal::Bad(_))));
        let old = desk.links("kira@mial.example", "confirm").pop().unwrap();
        correct(&desk, "her browser", "kira@mail.example").unwrap();
        assert!(desk.confirm(&old).is_err(), "whoever reads the wrong address has no say any more");
        // An address that somebody has: the same answer, a letter to its holder, and the sign-up can be corrected on.
        correct(&desk, "her browser", "odo@mail.example").unwrap();
        assert_eq!(desk.links("odo@mail.example", "confirm").len(), 1, "the one Odo signed up with");
        desk.now += TimeDelta::minutes(5);
        correct(&desk, "her browser", "kira@mail.example").unwrap();
        let link = desk.links("kira@mail.example", "confirm").pop().unwrap();
        assert_eq!(desk.confirm(&link).unwrap(), "Kira");
        assert!(matches!(correct(&desk, "her browser", "new@mail.example"), Err(CorrectRefusal::Over)));
        let kira = users::find_by_name(&mut desk.db.connection().unwrap(), "Kira").unwrap().unwrap();
        assert_eq!(kira.email.as_deref(), Some("kira@mail.example"));
    });
}

#[test]
fn a_browser_is_known_until_the_password_changes_or_the_account_goes() {
    on_both(|fresh| {
        let desk = Desk::new(fresh);
        let kira = desk.join("Kira", "kira@mail.example");
        desk.join("Odo", "odo@mail.example");
        let known = |who: &str, key: &str| desk.db.read(|conn| accounts::known_as(conn, who, key)).unwrap();
        let sign_in = |password: &str| {
            let browser = accounts::Browser { key: "hers".to_owned(), agent: String::new() };
            accounts::sign_in(&desk.db, desk.now, "Kira", password, &browser)
        };
        assert!(sign_in("not it at all").is_err());
        assert_eq!(known("Kira", "hers"), None, "a wrong password makes no browser known");
        sign_in(PASSWORD).unwrap();
        assert!(known("kira", "hers").is_some());
        assert_eq!(known("KIRA", "hers"), known("kira@mail.example", "hers"), "one account, one count");
        for (who, key) in [("Odo", "hers"), ("Kira", "another"), ("Nobody", "hers"), ("", "hers")] {
            assert_eq!(known(who, key), None, "{who}, {key}");
        }
        desk.reset("kira@mail.example");
        assert!(desk.finish(&desk.links("kira@mail.example", "reset").pop().unwrap()));
        assert_eq!(known("Kira", "hers"), None, "whoever knew the old password");
        desk.db.write(|conn| accounts::remember(conn, desk.now, kira, "hers")).unwrap();
        for number in 0..25 {
            desk.db.write(|conn| accounts::remember(conn, desk.now, kira, &format!("one of many {number}"))).unwrap();
        }
        let many = (0..25).filter(|number| known("Kira", &format!("one of many {number}")).is_some()).count();
        assert!(many + usize::from(known("Kira", "hers").is_some()) == 20, "the newest twenty are known, here {many}");
        let gone = desk.db.write(|conn| {
            accounts::delete_account::<diesel::result::Error>(conn, &site(), desk.now, kira, |_, _| Ok(()))?;
            stardate::store::known_browsers::is_known(conn, "")
        });
        assert!(!gone.unwrap());
        assert_eq!(known("Kira", "one of many 24"), None);
    });
}
