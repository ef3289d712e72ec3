//! What letters tell. The words are chosen in `compose`.

use chrono_tz::Tz;

use crate::store::users::User;
use crate::store::{LetterKind, PhaseNo, Stamp, TableId, UserId};

/// Whom a letter is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// The account, if there is one; then its current address and wishes count when the letter leaves.
    pub user_id: Option<UserId>,
    /// How the letter greets.
    pub name: String,
    /// The address.
    pub address: String,
    /// The zone that times are told in.
    pub zone: Tz,
    /// The secret of the link that stops letters.
    pub unsubscribe_key: Option<String>,
}

impl Recipient {
    /// A player as recipient; `None` when the account has no address.
    pub fn of(user: &User) -> Option<Recipient> {
        Some(Recipient {
            user_id: Some(user.id),
            name: user.name.clone(),
            address: user.email.clone()?,
            zone: user.tz(),
            unsubscribe_key: Some(user.unsubscribe_key.clone()),
        })
    }

    /// Somebody known by address alone, such as a friend who is invited.
    pub fn stranger(address: &str) -> Recipient {
        Recipient {
            user_id: None,
            name: String::new(),
            address: address.to_owned(),
            zone: Tz::UTC,
            unsubscribe_key: None,
        }
    }
}

/// The table a letter is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRef {
    /// The id.
    pub id: TableId,
    /// The title its creator gave it.
    pub title: String,
    /// The name of the game, for people.
    pub game: String,
}

impl TableRef {
    /// The title as a part of a sentence, whichever way it is written.
    pub(super) fn title(&self) -> String {
        super::isolated(&self.title)
    }
}

/// A phase and what happened in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The phase, such as “Turn 3, Deploy”.
    pub heading: String,
    /// What happened, one sentence a line.
    pub lines: Vec<String>,
}

/// Something said at a table, as letters tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who said it, such as “Ben (B)”.
    pub who: String,
    /// Whether it was said to the reader alone.
    pub alone: bool,
    /// When.
    pub at: Stamp,
    /// The text, with its line breaks.
    pub text: String,
}

/// A table's talk that a letter carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableTalk {
    /// What was said, oldest first.
    pub said: Vec<Said>,
    /// How many messages before these the letter has no room for.
    pub left_out: usize,
    /// Number of the last of these messages at the table; `None`: nothing was said.
    pub up_to: Option<i32>,
}

/// A letter's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the words of the design; those that need it are explained")]
pub enum Letter {
    /// The table is full and has begun.
    Started {
        table: TableRef,
        /// Who sits where, such as “A: Alice”.
        players: Vec<String>,
        seat: char,
        opening: Vec<Section>,
        dice_hash: String,
    },
    /// Orders are due. Waits two minutes, and is not sent if the seat has acted by then.
    Due {
        table: TableRef,
        phase_no: PhaseNo,
        /// “Turn 3, Deploy”.
        phase: String,
        deadline: Stamp,
        /// What happened since the player's last orders.
        since: Vec<Section>,
        /// What happens when the deadline passes, in a sentence.
        at_deadline: String,
        /// The position as text, as this player may see it.
        position: String,
        /// Whether what is handed in is carried out at once; else when everybody's orders are in.
        at_once: bool,
    },
    /// The deadline is near and nothing is handed in.
    Reminder {
        table: TableRef,
        phase_no: PhaseNo,
        phase: String,
        deadline: Stamp,
        at_deadline: String,
        position: String,
    },
    /// A phase was resolved, and no orders are due from this player.
    Resolved {
        table: TableRef,
        /// The phase that was resolved.
        phase_no: PhaseNo,
        phase: String,
        what: Vec<Section>,
        position: String,
        /// What comes next, in a sentence.
        next: String,
    },
    /// The player's time ran out.
    Dropped {
        table: TableRef,
        phase_no: PhaseNo,
        phase: String,
        /// The deadline that passed.
        deadline: Stamp,
        /// `None` at a table without score.
        score_change: Option<i32>,
        /// What becomes of the table, in a sentence.
        after: String,
    },
    /// The player was beaten, and the others play on.
    Beaten {
        table: TableRef,
        phase_no: PhaseNo,
        phase: String,
        /// `None` at a table without score.
        score_change: Option<i32>,
        what: Vec<Section>,
        position: String,
    },
    /// The table has ended.
    Over {
        table: TableRef,
        /// The player's own result, such as “You won.”.
        result: String,
        /// Why it ended, in a sentence.
        reason: String,
        score_change: Option<i32>,
        /// Why the result does not count for the score, though the table is ranked, in a sentence.
        not_counted: Option<String>,
        /// The score after it.
        score: i32,
        what: Vec<Section>,
        position: String,
    },
    /// Somebody asks to play.
    Invitation {
        table: TableRef,
        by: String,
        url: String,
        /// The table's terms: what and how, such as (“Time limit”, “72 h”).
        options: Vec<(String, String)>,
    },
    /// A table that had not started was called off.
    Cancelled { table: TableRef, why: String },
    /// The player was taken from a seat before the table started.
    Removed { table: TableRef },
    /// The player looks after a waiting table now, because whoever made it left.
    HandedOn { table: TableRef },
    /// Something was said at a table, and no other letter carries it. Waits a while for more, and for the player
    /// to read it on the page.
    Talk { table: TableRef },
    /// To the operator: a player reported a message.
    Reported {
        /// Id of the report, for the command line.
        report: String,
        title: String,
        table_url: String,
        author: String,
        text: String,
        reporter: String,
        reason: String,
    },
    /// Checks the address of a sign-up.
    Confirm { url: String, expires: Stamp },
    /// Somebody signed up with an address that has an account, or wanted to move an account to it.
    AlreadyRegistered { sign_in_url: String, reset_url: String },
    /// A link to set a new password.
    Reset { url: String, expires: Stamp },
    /// The password was changed.
    PasswordChanged { reset_url: String },
    /// Checks a new address.
    ChangeAddress { url: String, expires: Stamp },
    /// To the old address: the account has moved to another.
    AddressChanged { contact_url: String },
    /// The account was deleted.
    AccountDeleted,
}

impl Letter {
    /// Its kind.
    pub fn kind(&self) -> LetterKind {
        match self {
            Letter::Started { .. } => LetterKind::Started,
            Letter::Due { .. } => LetterKind::Due,
            Letter::Reminder { .. } => LetterKind::Reminder,
            Letter::Resolved { .. } => LetterKind::Resolved,
            Letter::Dropped { .. } => LetterKind::Dropped,
            Letter::Beaten { .. } => LetterKind::Beaten,
            Letter::Over { .. } => LetterKind::Over,
            Letter::Invitation { .. } => LetterKind::Invitation,
            Letter::Cancelled { .. } => LetterKind::Cancelled,
            Letter::Removed { .. } => LetterKind::Removed,
            Letter::HandedOn { .. } => LetterKind::HandedOn,
            Letter::Talk { .. } => LetterKind::Talk,
            Letter::Reported { .. } => LetterKind::Reported,
            Letter::Confirm { .. } => LetterKind::Confirm,
            Letter::AlreadyRegistered { .. } => LetterKind::AlreadyRegistered,
            Letter::Reset { .. } => LetterKind::Reset,
            Letter::PasswordChanged { .. } => LetterKind::PasswordChanged,
            Letter::ChangeAddress { .. } => LetterKind::ChangeAddress,
            Letter::AddressChanged { .. } => LetterKind::AddressChanged,
            Letter::AccountDeleted => LetterKind::AccountDeleted,
        }
    }

    /// The table it is about.
    pub fn table(&self) -> Option<&TableRef> {
        match self {
            Letter::Started { table, .. }
            | Letter::Due { table, .. }
            | Letter::Reminder { table, .. }
            | Letter::Resolved { table, .. }
            | Letter::Dropped { table, .. }
            | Letter::Beaten { table, .. }
            | Letter::Over { table, .. }
            | Letter::Invitation { table, .. }
            | Letter::Cancelled { table, .. }
            | Letter::Removed { table }
            | Letter::HandedOn { table }
            | Letter::Talk { table } => Some(table),
            Letter::Reported { .. }
            | Letter::Confirm { .. }
            | Letter::AlreadyRegistered { .. }
            | Letter::Reset { .. }
            | Letter::PasswordChanged { .. }
            | Letter::ChangeAddress { .. }
            | Letter::AddressChanged { .. }
            | Letter::AccountDeleted => None,
        }
    }

    /// The phase it is about.
    pub fn phase_no(&self) -> Option<PhaseNo> {
        match self {
            Letter::Due { phase_no, .. }
            | Letter::Reminder { phase_no, .. }
            | Letter::Resolved { phase_no, .. }
            | Letter::Dropped { phase_no, .. }
            | Letter::Beaten { phase_no, .. } => Some(*phase_no),
            _ => None,
        }
    }

    /// The deadline it warns of, or the moment from which its link is useless.
    pub fn deadline(&self) -> Option<Stamp> {
        match self {
            Letter::Due { deadline, .. } | Letter::Reminder { deadline, .. } => Some(*deadline),
            Letter::Confirm { expires, .. } | Letter::Reset { expires, .. } | Letter::ChangeAddress { expires, .. } => {
                Some(*expires)
            }
            _ => None,
        }
    }
}
