//! Rate limits: how often a visitor may try what costs something or may be abused.
//!
//! Limits are kept per process and in memory: they slow guessing down, nothing more depends on them.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::web::PageError;

/// Keys kept by one limiter before those that are full again are forgotten.
const TIDY_ABOVE: usize = 20_000;

/// So many tries at once, and one more every so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Tries at once; at least 1.
    pub burst: u32,
    /// Seconds until one try comes back; at least 1.
    pub every_s: u32,
}

/// How often what may be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitFigures {
    /// Sign-in, by the visitor's network address.
    pub sign_in_by_visitor: Rate,
    /// Sign-in, by the name or address that is tried.
    pub sign_in_by_name: Rate,
    /// Sign-up, by the visitor's network address.
    pub sign_up_by_visitor: Rate,
    /// Forms that send a letter, by the visitor's network address.
    pub letters_by_visitor: Rate,
    /// Forms that send a letter, by the address written to.
    pub letters_by_address: Rate,
    /// Invitations, by the player who invites.
    pub invite: Rate,
    /// Reports of messages, by the player who reports.
    pub report: Rate,
    /// Changes of any kind, by the player who makes them.
    pub changes: Rate,
    /// Things said at tables, by the player who says them.
    pub talk: Rate,
}

impl Default for LimitFigures {
    fn default() -> LimitFigures {
        LimitFigures {
            sign_in_by_visitor: Rate { burst: 20, every_s: 10 },
            sign_in_by_name: Rate { burst: 8, every_s: 60 },
            sign_up_by_visitor: Rate { burst: 6, every_s: 300 },
            letters_by_visitor: Rate { burst: 8, every_s: 120 },
            letters_by_address: Rate { burst: 3, every_s: 600 },
            invite: Rate { burst: 20, every_s: 120 },
            report: Rate { burst: 20, every_s: 120 },
            changes: Rate { burst: 120, every_s: 1 },
            talk: Rate { burst: 20, every_s: 20 },
        }
    }
}

impl LimitFigures {
    /// The figures that follow from tries to sign in a minute and forms that send a letter an hour, both by
    /// the visitor's network address. What goes by name or address is stricter.
    pub fn per(sign_in_per_minute: u32, mail_forms_per_hour: u32) -> LimitFigures {
        let by_minute = |count: u32| Rate { burst: count.max(1), every_s: (60 / count.max(1)).max(1) };
        let by_hour = |count: u32| Rate { burst: count.max(1), every_s: (3600 / count.max(1)).max(1) };
        LimitFigures {
            sign_in_by_visitor: by_minute(sign_in_per_minute),
            sign_in_by_name: Rate { burst: sign_in_per_minute.max(1), every_s: 60 },
            sign_up_by_visitor: by_hour(mail_forms_per_hour),
            letters_by_visitor: by_hour(mail_forms_per_hour),
            letters_by_address: by_hour(mail_forms_per_hour.div_ceil(4)),
            invite: by_hour(mail_forms_per_hour),
            report: by_hour(mail_forms_per_hour),
            changes: LimitFigures::default().changes,
            talk: LimitFigures::default().talk,
        }
    }
}

/// What a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// See [`LimitFigures::sign_in_by_visitor`].
    SignInByVisitor,
    /// See [`LimitFigures::sign_in_by_name`].
    SignInByName,
    /// See [`LimitFigures::sign_up_by_visitor`].
    SignUpByVisitor,
    /// See [`LimitFigures::letters_by_visitor`].
    LettersByVisitor,
    /// See [`LimitFigures::letters_by_address`].
    LettersByAddress,
    /// See [`LimitFigures::invite`].
    Invite,
    /// See [`LimitFigures::report`].
    Report,
    /// See [`LimitFigures::changes`].
    Changes,
    /// See [`LimitFigures::talk`].
    Talk,
}

/// The limiters of one process.
pub struct Limits {
    clock: DefaultClock,
    sign_in_by_visitor: DefaultKeyedRateLimiter<String>,
    sign_in_by_name: DefaultKeyedRateLimiter<String>,
    sign_up_by_visitor: DefaultKeyedRateLimiter<String>,
    letters_by_visitor: DefaultKeyedRateLimiter<String>,
    letters_by_address: DefaultKeyedRateLimiter<String>,
    invite: DefaultKeyedRateLimiter<String>,
    report: DefaultKeyedRateLimiter<String>,
    changes: DefaultKeyedRateLimiter<String>,
    talk: DefaultKeyedRateLimiter<String>,
}

impl Limits {
    /// Limiters by these figures.
    pub fn new(figures: &LimitFigures) -> Limits {
        Limits {
            clock: DefaultClock::default(),
            sign_in_by_visitor: limiter(figures.sign_in_by_visitor),
            sign_in_by_name: limiter(figures.sign_in_by_name),
            sign_up_by_visitor: limiter(figures.sign_up_by_visitor),
            letters_by_visitor: limiter(figures.letters_by_visitor),
            letters_by_address: limiter(figures.letters_by_address),
            invite: limiter(figures.invite),
            report: limiter(figures.report),
            changes: limiter(figures.changes),
            talk: limiter(figures.talk),
        }
    }

    /// Takes one try from this limit for this key; refuses with the time to wait when none is left.
    pub fn take(&self, limit: Limit, key: &str) -> Result<(), PageError> {
        let limiter = self.of(limit);
        if limiter.len() > TIDY_ABOVE {
            limiter.retain_recent();
        }
        // Long names cost no memory: nobody has a name or an address of more than this.
        let key: String = key.trim().to_lowercase().chars().take(254).collect();
        limiter.check_key(&key).map_err(|refused| {
            let wait = refused.wait_time_from(self.clock.now());
            PageError::TooMany { wait_s: wait.as_secs() + 1 }
        })
    }

    fn of(&self, limit: Limit) -> &DefaultKeyedRateLimiter<String> {
        match limit {
            Limit::SignInByVisitor => &self.sign_in_by_visitor,
            Limit::SignInByName => &self.sign_in_by_name,
            Limit::SignUpByVisitor => &self.sign_up_by_visitor,
            Limit::LettersByVisitor => &self.letters_by_visitor,
            Limit::LettersByAddress => &self.letters_by_address,
            Limit::Invite => &self.invite,
            Limit::Report => &self.report,
            Limit::Changes => &self.changes,
            Limit::Talk => &self.talk,
        }
    }
}

fn limiter(rate: Rate) -> DefaultKeyedRateLimiter<String> {
    let every = Duration::from_secs(u64::from(rate.every_s.max(1)));
    let burst = NonZeroU32::new(rate.burst.max(1)).unwrap_or(NonZeroU32::MIN);
    let quota = Quota::with_period(every).expect("a period of a second or more is one").allow_burst(burst);
    RateLimiter::keyed(quota)
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
        assert!(matches!(refused, PageError::TooMany { wait_s: 55..=61 }), "{refused:?}");
        assert!(limits.take(Limit::Invite, "ben").is_ok());
    }
}
