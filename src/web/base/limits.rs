//! Rate limits: how often a visitor may try what costs something or may be abused.
//!
//! Limits are kept per process and in memory: they slow guessing down, nothing more depends on them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::web::PageError;

/// Keys kept by one limiter before those that are full again are forgotten.
const TIDY_ABOVE: usize = 20_000;

/// Longest key: a network address, a blank, and a mail address.
const KEY_CHARS: usize = 300;

/// So many tries at once, and one more every so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Tries at once; at least 1.
    pub burst: u32,
    /// Seconds until one try comes back; at least 1.
    pub every_s: u32,
}

/// How often what may be tried.
///
/// A limit that others can use up for somebody would lock them out. So tries are counted by who tries, or by the pair
/// of who tries and whom it is about; what is counted by a name alone is large, and passed over for browsers that are
/// known to the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitFigures {
    /// Sign-in, by the visitor's network address.
    pub sign_in_by_visitor: Rate,
    /// Sign-in, by the name or address that is tried and the visitor's network address.
    pub sign_in_by_pair: Rate,
    /// Sign-in from browsers not known to the account, by the name or address that is tried: against many visitors.
    pub sign_in_by_name: Rate,
    /// Sign-in from a browser that is known to the account, by browser and account.
    pub sign_in_known: Rate,
    /// The password asked of somebody signed in, by session.
    pub password_check: Rate,
    /// Sign-up, by the visitor's network address.
    pub sign_up_by_visitor: Rate,
    /// Forms that send a letter, by the visitor's network address.
    pub letters_by_visitor: Rate,
    /// Forms that send a letter, by the address written to and the visitor's network address.
    pub letters_by_pair: Rate,
    /// Forms that send a letter to the address of an account that the browser is known to, by browser and account.
    pub letters_known: Rate,
    /// Forms that send a letter, by the player who is signed in.
    pub letters_by_player: Rate,
    /// Invitations, by the player who invites.
    pub invite: Rate,
    /// Invitations, by the player who invites and whom they invite.
    pub invite_pair: Rate,
    /// Reports of messages, by the player who reports.
    pub report: Rate,
    /// Changes of any kind, by the player who makes them.
    pub changes: Rate,
    /// Things said at tables, by the player who says them.
    pub talk: Rate,
}

impl Default for LimitFigures {
    fn default() -> LimitFigures {
        LimitFigures::per(10, 20)
    }
}

impl LimitFigures {
    /// The figures that follow from tries to sign in a minute and forms that send a letter an hour, both by
    /// the visitor's network address.
    pub fn per(sign_in_per_minute: u32, mail_forms_per_hour: u32) -> LimitFigures {
        let by_minute = |count: u32| Rate { burst: count.max(1), every_s: (60 / count.max(1)).max(1) };
        let by_hour = |count: u32| Rate { burst: count.max(1), every_s: (3600 / count.max(1)).max(1) };
        let slowly = |count: u32| Rate { burst: count.max(1), every_s: 60 };
        LimitFigures {
            sign_in_by_visitor: by_minute(sign_in_per_minute),
            sign_in_by_pair: slowly(sign_in_per_minute),
            sign_in_by_name: slowly(sign_in_per_minute.saturating_mul(30)),
            sign_in_known: slowly(sign_in_per_minute),
            password_check: slowly(sign_in_per_minute),
            sign_up_by_visitor: by_hour(mail_forms_per_hour),
            letters_by_visitor: by_hour(mail_forms_per_hour),
            letters_by_pair: by_hour(mail_forms_per_hour.div_ceil(4)),
            letters_known: by_hour(mail_forms_per_hour),
            letters_by_player: by_hour(mail_forms_per_hour),
            invite: by_hour(mail_forms_per_hour),
            invite_pair: Rate { burst: mail_forms_per_hour.div_ceil(5).max(1), every_s: 6 * 3600 },
            report: by_hour(mail_forms_per_hour),
            changes: Rate { burst: 120, every_s: 1 },
            talk: Rate { burst: 20, every_s: 20 },
        }
    }

    fn of(&self, limit: Limit) -> Rate {
        match limit {
            Limit::SignInByVisitor => self.sign_in_by_visitor,
            Limit::SignInByPair => self.sign_in_by_pair,
            Limit::SignInByName => self.sign_in_by_name,
            Limit::SignInKnown => self.sign_in_known,
            Limit::PasswordCheck => self.password_check,
            Limit::SignUpByVisitor => self.sign_up_by_visitor,
            Limit::LettersByVisitor => self.letters_by_visitor,
            Limit::LettersByPair => self.letters_by_pair,
            Limit::LettersKnown => self.letters_known,
            Limit::LettersByPlayer => self.letters_by_player,
            Limit::Invite => self.invite,
            Limit::InvitePair => self.invite_pair,
            Limit::Report => self.report,
            Limit::Changes => self.changes,
            Limit::Talk => self.talk,
        }
    }
}

/// What a limit is about: the field of [`LimitFigures`] of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// See [`LimitFigures::sign_in_by_visitor`].
    SignInByVisitor,
    /// See [`LimitFigures::sign_in_by_pair`].
    SignInByPair,
    /// See [`LimitFigures::sign_in_by_name`].
    SignInByName,
    /// See [`LimitFigures::sign_in_known`].
    SignInKnown,
    /// See [`LimitFigures::password_check`].
    PasswordCheck,
    /// See [`LimitFigures::sign_up_by_visitor`].
    SignUpByVisitor,
    /// See [`LimitFigures::letters_by_visitor`].
    LettersByVisitor,
    /// See [`LimitFigures::letters_by_pair`].
    LettersByPair,
    /// See [`LimitFigures::letters_known`].
    LettersKnown,
    /// See [`LimitFigures::letters_by_player`].
    LettersByPlayer,
    /// See [`LimitFigures::invite`].
    Invite,
    /// See [`LimitFigures::invite_pair`].
    InvitePair,
    /// See [`LimitFigures::report`].
    Report,
    /// See [`LimitFigures::changes`].
    Changes,
    /// See [`LimitFigures::talk`].
    Talk,
}

impl Limit {
    /// All limits.
    pub const ALL: [Limit; 15] = [
        Limit::SignInByVisitor,
        Limit::SignInByPair,
        Limit::SignInByName,
        Limit::SignInKnown,
        Limit::PasswordCheck,
        Limit::SignUpByVisitor,
        Limit::LettersByVisitor,
        Limit::LettersByPair,
        Limit::LettersKnown,
        Limit::LettersByPlayer,
        Limit::Invite,
        Limit::InvitePair,
        Limit::Report,
        Limit::Changes,
        Limit::Talk,
    ];

    /// What was counted, as a sentence that is true for whoever is refused.
    pub fn reason(self) -> &'static str {
        match self {
            Limit::SignInByVisitor => "There were many attempts to sign in from your network address.",
            Limit::SignInByPair => {
                "There were many attempts to sign in with this name or address from your network address."
            }
            Limit::SignInByName => {
                "There were very many attempts to sign in with this name or address, from many places. Browsers that were \
                 signed in to the account before can still sign in, and you can get a new password by letter: see \
                 “Forgot your password?” on the sign-in page."
            }
            Limit::SignInKnown => "There were many attempts to sign in from this browser.",
            Limit::PasswordCheck => "There were many attempts with your password from this browser.",
            Limit::SignUpByVisitor => "There were many sign-ups from your network address.",
            Limit::LettersByVisitor => "Many letters were requested from your network address.",
            Limit::LettersByPair => {
                "Several letters to this address were requested from your network address. A link that came within the \
                 last day still works unless it was used."
            }
            Limit::LettersKnown => {
                "Many letters were requested from this browser. A link that came within the last day still works \
                 unless it was used."
            }
            Limit::LettersByPlayer => "You have requested many letters in a short time.",
            Limit::Invite => "You have invited many people in a short time.",
            Limit::InvitePair => "You have invited this person several times today.",
            Limit::Report => "You have reported many messages in a short time.",
            Limit::Changes => "You have made many changes in a short time.",
            Limit::Talk => "You have said a lot in a short time.",
        }
    }
}

/// The limiters of one process.
pub struct Limits {
    clock: DefaultClock,
    limiters: BTreeMap<Limit, Limiter>,
}

struct Limiter {
    rates: DefaultKeyedRateLimiter<String>,
    /// Keys are tidied when there are more than this.
    tidy_above: AtomicUsize,
}

impl Limits {
    /// Limiters by these figures.
    pub fn new(figures: &LimitFigures) -> Limits {
        let limiters = Limit::ALL.map(|limit| (limit, limiter(figures.of(limit)))).into();
        Limits { clock: DefaultClock::default(), limiters }
    }

    /// Takes one try from this limit for this key; refuses with the time to wait when none is left.
    pub fn take(&self, limit: Limit, key: &str) -> Result<(), PageError> {
        let Some(limiter) = self.limiters.get(&limit) else { return Ok(()) };
        limiter.tidy();
        // Long names cost no memory: nobody has a name or an address of more than this.
        let key: String = key.trim().to_lowercase().chars().take(KEY_CHARS).collect();
        limiter.rates.check_key(&key).map_err(|refused| {
            let wait = refused.wait_time_from(self.clock.now());
            PageError::TooMany { wait_s: wait.as_secs() + 1, reason: limit.reason() }
        })
    }

    /// Takes one try for a pair: who tries, and whom it is about.
    pub fn take_pair(&self, limit: Limit, who: &str, about: &str) -> Result<(), PageError> {
        // No network address and no id has a blank.
        self.take(limit, &format!("{who} {}", about.trim()))
    }

    /// Takes one try to sign in. `known` is what [`crate::accounts::known_as`] says of the browser.
    pub fn sign_in(&self, who: &str, visitor: &str, known: Option<&str>) -> Result<(), PageError> {
        if let Some(known) = known {
            return self.take(Limit::SignInKnown, known);
        }
        self.take(Limit::SignInByVisitor, visitor)?;
        self.take_pair(Limit::SignInByPair, visitor, who)?;
        self.take(Limit::SignInByName, who)
    }

    /// Takes one letter that a visitor asks for. `known` is what [`crate::accounts::known_as`] says of the browser.
    /// How many go to one address whoever asks is counted where letters are made.
    pub fn letter(&self, address: &str, visitor: &str, known: Option<&str>) -> Result<(), PageError> {
        if let Some(known) = known {
            return self.take(Limit::LettersKnown, known);
        }
        self.take(Limit::LettersByVisitor, visitor)?;
        self.take_pair(Limit::LettersByPair, visitor, address)
    }
}

impl Limiter {
    /// Forgets the keys that are full again, each time their number has doubled: looking at all of them at every try
    /// would make each of many tries slower.
    fn tidy(&self) {
        let count = self.rates.len();
        if count > self.tidy_above.load(Ordering::Relaxed) {
            self.rates.retain_recent();
            self.tidy_above.store(TIDY_ABOVE.max(2 * self.rates.len()), Ordering::Relaxed);
        }
    }
}

fn limiter(rate: Rate) -> Limiter {
    let every = Duration::from_secs(u64::from(rate.every_s.max(1)));
    let burst = NonZeroU32::new(rate.burst.max(1)).unwrap_or(NonZeroU32::MIN);
    let quota = Quota::with_period(every).expect("a period of a second or more is one").allow_burst(burst);
    Limiter { rates: RateLimiter::keyed(quota), tidy_above: AtomicUsize::new(TIDY_ABOVE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_own_tries_and_is_told_how_long_to_wait() {
        let figures = LimitFigures { invite: Rate { burst: 2, every_s: 60 }, ..LimitFigures::default() };
        let limits = Limits::new(&figures);
        assert!(limits.take(Limit::Invite, "Ann").is_ok());
        assert!(limits.take(Limit::Invite, " ann").is_ok());
        let refused = limits.take(Limit::Invite, "ANN").unwrap_err();
        assert!(matches!(refused, PageError::TooMany { wait_s: 55..=61, .. }), "{refused:?}");
        assert!(limits.take(Limit::Invite, "ben").is_ok());
    }
    #[test]
    fn others_use_up_neither_a_pair_nor_a_known_browser() {
        let two = Rate { burst: 2, every_s: 600 };
        let figures = LimitFigures { sign_in_by_pair: two, sign_in_by_name: two, ..LimitFigures::per(1000, 1000) };
        let limits = Limits::new(&figures);
        let tries = [(); 3].map(|()| limits.sign_in("Ann", "192.0.2.1", None).is_ok());
        assert_eq!(tries, [true, true, false]);
        assert!(limits.sign_in("Ben", "192.0.2.1", None).is_ok(), "another name");
        let refused = limits.sign_in("Ann", "192.0.2.2", None).unwrap_err();
        assert!(refused.words().contains("from many places"), "the figure by name is reached: {}", refused.words());
        assert!(limits.sign_in("Ann", "192.0.2.1", Some("a browser")).is_ok(), "whoever has tried before");
    }

    #[test]
    fn every_reason_is_a_sentence() {
        for limit in Limit::ALL {
            assert!(limit.reason().ends_with('.'), "{limit:?}");
        }
    }
}
