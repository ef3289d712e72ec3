//! Why a use case did nothing.

use crate::rules::{Fault, StateFault};
use crate::store::game_tables::Status;
use crate::store::{PhaseNo, Retry, Stamp};

/// A fault of one field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    /// Name of the field: `title`, `time_limit`, or a key of the game's fields.
    pub field: String,
    /// A sentence: what is wrong and what to do.
    pub message: String,
}

/// Two texts for the same plot, from two places at once. Nothing is lost: both are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoTabs {
    /// What is stored.
    pub stored: String,
    /// Whether the stored text is handed in; otherwise it is a draft.
    pub stored_is_plot: bool,
    /// What came now and was not stored.
    pub yours: String,
    /// Version to hand in with to replace what is stored; `None` when nothing is stored any more.
    pub version: Option<i64>,
}

/// Two texts for the same note, from two places at once. Nothing is lost: both are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoNotes {
    /// What is stored.
    pub stored: String,
    /// What came now and was not stored.
    pub yours: String,
    /// Version to save with to replace what is stored.
    pub version: i64,
}

/// What is wrong with the choices of a form. No page sends such ones; nothing has been worked out when they are
/// refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceFault {
    /// More choices than there are controls.
    #[error("The form has {sent} choices, but this phase has only {offered}.")]
    TooMany {
        /// How many came.
        sent: usize,
        /// How many there can be.
        offered: usize,
    },
    /// One control twice.
    #[error("The form has two choices for “{0}”, but there can be only one.")]
    Twice(String),
    /// A control that this phase does not have.
    #[error("The form has a choice for “{0}”, but this phase has no such choice.")]
    Unknown(String),
}

/// Why a use case did nothing. Each is a sentence for the person who asked.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Somebody else changed the table at the same moment; see [`super::run`].
    #[error("Somebody else changed this table at the same moment. Please try again.")]
    Conflict,
    /// The database failed.
    #[error("The database gave an unexpected answer. Please try again.")]
    Database(#[from] diesel::result::Error),
    /// A stored table can't be read: a fault of the server, shown to its operator.
    #[error("This table cannot go on at the moment because of an error on the server. ({0})")]
    Broken(String),
    /// There is no such table, or it is none of this person's business.
    #[error("There is no such table.")]
    NoTable,
    /// There is no such phase.
    #[error("This table has no such phase.")]
    NoPhase,
    /// There is no such player.
    #[error("There is no player called “{0}”. Check the spelling, or invite by mail address.")]
    NoPlayer(String),
    /// There is no such game.
    #[error("There is no game “{0}” on this server.")]
    NoGame(String),
    /// The session ended, or the account was deleted, while the request was under way.
    #[error("You are no longer signed in, so nothing was changed.")]
    SignedOut,
    /// The person has no seat at the table.
    #[error("You have no seat at this table.")]
    NoSeat,
    /// Answers of a form that cannot be used; all of them at once.
    #[error("{}", sentences(.0))]
    Form(Vec<FieldFault>),
    /// The table no longer waits for players.
    #[error("This table no longer waits for players: {0}.")]
    NotOpen(&'static str),
    /// The table is not being played.
    #[error("This table is not being played: {0}.")]
    NotRunning(&'static str),
    /// The table is still being played, so its secrets stay secret.
    #[error("This table is still being played. You can get its record when it is over.")]
    NotOver,
    /// The table has no game: it has not begun, or was called off before it did.
    #[error("{0}")]
    NothingPlayed(&'static str),
    /// The person already sits there.
    #[error("You already have a seat at this table.")]
    AlreadySeated,
    /// The table is for invited people.
    #[error("This table is for invited players. Ask its host for the link.")]
    NotInvited,
    /// A joining rule by drops.
    #[error("{0}")]
    TooManyDrops(String),
    /// A joining rule by score.
    #[error("{0}")]
    TooLow(String),
    /// The person was taken from a seat of this table.
    #[error(
        "The host of this table freed your seat. You can sit down here again only if they invite you again, by name or \
         by mail address. Other tables are waiting for players."
    )]
    Removed,
    /// Somebody else than the player who made the table invites a player who was taken from a seat.
    #[error(
        "The host of this table freed the seat of {0}. Only the host can invite {0} again; ask them if you want that."
    )]
    HostInvites(String),
    /// The link of a private table, which was changed since.
    #[error(
        "This link no longer opens a table. Ask for the new link; if you are invited by name or by mail address, sign \
         in and look at your tables."
    )]
    OldLink,
    /// Whom to take from a seat does not sit there.
    #[error("This player no longer has a seat at this table.")]
    NotSeated,
    /// Somebody has sat down or left since the page was opened.
    #[error(
        "Somebody has sat down or left in the meantime: {sitting} sit at this table now, so it was not started. Look \
         who is there, and start it again if you still want to."
    )]
    SeatsChanged {
        /// How many sit there.
        sitting: usize,
    },
    /// Too few players to start with.
    #[error("This table can start with {least} players; {sitting} sit here. Invite somebody, or wait.")]
    TooFew {
        /// How many sit there.
        sitting: usize,
        /// How many it takes.
        least: usize,
    },
    /// The game has no such bot.
    #[error("This game has no bot “{0}”. Choose one of those listed.")]
    NoBot(String),
    /// No seats for so many bots.
    #[error("{}", free_seats(*.free))]
    NoFreeSeats {
        /// How many are free.
        free: usize,
    },
    /// Bots at a table that others have joined for the score.
    #[error(
        "This table is ranked, and others sat down for the score; a table with bots is never ranked. To play with bots, \
         make another table that is not ranked."
    )]
    RankedTable,
    /// Only the player who made the table may do this.
    #[error("Only the host of this table can do that.")]
    NotCreator,
    /// The player who made the table can cancel it, not leave it.
    #[error("You are the host, and nobody else sits here. Call the table off instead of leaving it.")]
    CreatorStays,
    /// The same, with bots beside them: those cannot look after a table.
    #[error("You are the host, and only bots sit here with you. Call the table off instead of leaving it.")]
    OnlyBotsStay,
    /// Nobody takes themself from a seat.
    #[error("This is your own seat. To free it, leave the table or call it off.")]
    OwnSeat,
    /// Too many people are invited already.
    #[error("{0} people have already been invited to this table, which is the limit. Share its link instead.")]
    TooManyInvited(usize),
    /// The form belongs to a phase that is over; nothing was applied.
    #[error("{}", phase_over(*.current, *.ended))]
    PhaseOver {
        /// Number of the open phase; the last one when the table has ended.
        current: PhaseNo,
        /// Whether the game is over, so that no phase is open.
        ended: bool,
    },
    /// The clock had run out when the request arrived.
    #[error("The time for this phase ran out at {deadline} UTC, before this arrived. Nothing was changed.")]
    TooLate {
        /// When it ran out.
        deadline: Stamp,
    },
    /// The seat owes nothing in this phase.
    #[error("You owe no orders in this phase.")]
    NotDue,
    /// The seat's part in the game is over.
    #[error("You are already out of this game.")]
    AlreadyOut,
    /// The plot has faults; all of them by line. The earlier plot counts.
    #[error("{}", fault_sentences(.0))]
    Faulty(Vec<Fault>),
    /// The text is longer than any plot.
    #[error("This text is too long for a plot: at most {0} bytes are read.")]
    TooLong(usize),
    /// Choices that no page sends.
    #[error("{0} Open the table’s page again and choose there.")]
    Choices(#[from] ChoiceFault),
    /// The text was changed from somewhere else in the meantime.
    #[error("These orders were changed from another page in the meantime. Both texts were kept; choose one.")]
    TwoTabs(Box<TwoTabs>),
    /// There is no such message, or it is for others.
    #[error("There is no such message at this table.")]
    NoMessage,
    /// The person has reported the message before.
    #[error("You have already reported this message. The people who run the site will look at it.")]
    AlreadyReported,
    /// The note was changed from somewhere else in the meantime.
    #[error("These notes were changed from another page in the meantime. Both texts were kept; choose one.")]
    TwoNotes(Box<TwoNotes>),
    /// There is no plot to take back.
    #[error("You have not handed in anything, so there is nothing to withdraw.")]
    NothingIn,
}

impl Refused {
    /// Why a table with this status, which is not over, has no record.
    pub fn no_record(status: Status) -> Refused {
        match status {
            Status::Running => Refused::NotOver,
            Status::Open => {
                Refused::NothingPlayed("This table has not begun yet. You can get its record when the game is over.")
            }
            Status::Over => Refused::NothingPlayed("This table is over and has a record."),
            Status::Cancelled => {
                Refused::NothingPlayed("This table was called off before it began, so there is no record of a game.")
            }
        }
    }
}

impl From<StateFault> for Refused {
    fn from(fault: StateFault) -> Refused {
        Refused::Broken(fault.to_string())
    }
}

impl Retry for Refused {
    fn may_retry(&self) -> bool {
        matches!(self, Refused::Database(error) if error.may_retry())
    }
}

fn phase_over(current: PhaseNo, ended: bool) -> String {
    match ended {
        true => "This game is over. Your orders were not applied.".to_owned(),
        false => format!("This phase is over. Your orders were not applied; phase {current} is open now."),
    }
}

fn free_seats(free: usize) -> String {
    match free {
        0 => "There is no free seat left at this table.".to_owned(),
        1 => "One seat is free at this table, for one bot.".to_owned(),
        _ => format!("{free} seats are free at this table. Choose from 1 to {free} bots."),
    }
}

fn sentences(faults: &[FieldFault]) -> String {
    faults.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join(" ")
}

fn fault_sentences(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join(" ")
}
