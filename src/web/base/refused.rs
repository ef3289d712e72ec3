//! How refusals of the table use cases become error pages, where a page has no better place for them.

use super::error::WayOn;
use crate::tables::Refused;
use crate::web::PageError;

impl From<Refused> for PageError {
    fn from(refused: Refused) -> PageError {
        match refused {
            Refused::NoTable | Refused::NoPhase | Refused::NoPlayer(_) | Refused::NoGame(_) | Refused::NoMessage => {
                PageError::NotFound
            }
            Refused::SignedOut => PageError::SignIn { next: "/".to_owned() },
            Refused::Database(error) => PageError::from(error),
            Refused::Broken(why) => PageError::Internal(why),
            Refused::NoSeat
            | Refused::NotInvited
            | Refused::TooManyDrops(_)
            | Refused::TooLow(_)
            | Refused::Removed
            | Refused::HostInvites(_)
            | Refused::NotCreator
            | Refused::CreatorStays
            | Refused::OnlyBotsStay
            | Refused::OwnSeat => PageError::Forbidden(refused.to_string()),
            Refused::NotOver | Refused::NothingPlayed(_) | Refused::OldLink => {
                PageError::Nothing { message: refused.to_string(), way_on: WayOn::new("/", "My tables") }
            }
            Refused::Form(_) | Refused::Faulty(_) | Refused::TooLong(_) | Refused::Choices(_) | Refused::NoBot(_) => {
                PageError::Malformed(refused.to_string())
            }
            Refused::Conflict
            | Refused::NotOpen(_)
            | Refused::NotRunning(_)
            | Refused::AlreadySeated
            | Refused::TooManyInvited(_)
            | Refused::NotSeated
            | Refused::NoFreeSeats { .. }
            | Refused::RankedTable
            | Refused::SeatsChanged { .. }
            | Refused::TooFew { .. }
            | Refused::PhaseOver { .. }
            | Refused::TooLate { .. }
            | Refused::NotDue
            | Refused::AlreadyOut
            | Refused::TwoTabs(_)
            | Refused::TwoNotes(_)
            | Refused::AlreadyReported
            | Refused::NothingIn => PageError::conflict(refused.to_string(), "/", "My tables"),
        }
    }
}

impl PageError {
    /// The same with a link to a page where one sees how things are now; errors without a link stay as they are.
    pub fn leading_to(self, href: impl Into<String>, label: impl Into<String>) -> PageError {
        match self {
            PageError::Conflict { message, .. } => PageError::Conflict { message, way_on: WayOn::new(href, label) },
            PageError::Nothing { message, .. } => PageError::Nothing { message, way_on: WayOn::new(href, label) },
            other => other,
        }
    }
}
