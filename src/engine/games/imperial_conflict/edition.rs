//! What the editions of the rules decide differently. A phase is resolved by the edition it is given, so that a
//! record of any edition can be played again; nothing but the policies in here tells editions apart.

/// The newest edition.
pub const CURRENT: u32 = 2;

/// What an edition decides.
#[derive(Debug, PartialEq, Eq)]
pub struct Policy {
    /// What armies have to be placed before, once an attack was made: part of a reason that reports keep.
    pub next_attack: &'static str,
    /// What three cards that do not make a set are called, also part of such a reason.
    pub no_set: &'static str,
}

static FIRST: Policy = Policy { next_attack: "the first attack", no_set: "are no set" };
static SECOND: Policy = Policy { next_attack: "the next attack", no_set: "are not a set" };

impl Policy {
    /// The policy of an edition. One that is newer than this program is taken for the newest it knows.
    pub fn of(edition: u32) -> &'static Policy {
        match edition {
            0 | 1 => &FIRST,
            _ => &SECOND,
        }
    }

    /// The policy orders are checked by before they are taken.
    pub fn current() -> &'static Policy {
        Policy::of(CURRENT)
    }
}
