//! Why the database could not do something now, told apart by what it means for what was asked.

use diesel::result::{DatabaseErrorKind, Error as QueryError};

/// Why an answer of the database did not come. Travels inside a [`QueryError`]; [`trouble`] finds it there.
#[derive(Debug, thiserror::Error)]
pub enum Wait {
    /// Somebody else holds what is needed: another program the write lock, or other requests all connections.
    #[error("the database is busy: {0}")]
    Busy(String),
    /// There is no connection, and none can be made.
    #[error("the database cannot be reached: {0}")]
    Away(String),
    /// The database takes what it is sent and does not answer. Nothing of this request can be stored any more.
    #[error("the database has not answered for {0:?}")]
    Silent(std::time::Duration),
    /// The answer to the COMMIT of this write was lost, and nobody could be asked what became of it.
    #[error("the COMMIT of the write {0} was not answered; whether it was stored is not known yet")]
    NotKnown(String),
    /// The work itself failed in the middle.
    #[error("work on the database ended in the middle; see the panic above")]
    Panicked,
}

impl From<Wait> for QueryError {
    fn from(wait: Wait) -> QueryError {
        QueryError::QueryBuilderError(Box::new(wait))
    }
}

/// What is in the way, when it is not the fault of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Somebody else is at it; later it works.
    Busy,
    /// The database is away, or silent.
    Away,
    /// Whether the write was stored is not known.
    NotKnown,
}

/// The trouble that an error of the database tells of; `None` for a fault of ours.
pub fn trouble(error: &QueryError) -> Option<Trouble> {
    match error {
        QueryError::QueryBuilderError(why) => match why.downcast_ref::<Wait>()? {
            Wait::Busy(_) => Some(Trouble::Busy),
            Wait::Away(_) | Wait::Silent(_) => Some(Trouble::Away),
            Wait::NotKnown(_) => Some(Trouble::NotKnown),
            Wait::Panicked => None,
        },
        // Writers that collided again and again.
        QueryError::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => Some(Trouble::Busy),
        QueryError::DatabaseError(DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand, _)
        | QueryError::BrokenTransactionManager
        | QueryError::RollbackErrorOnCommit { .. } => Some(Trouble::Away),
        QueryError::DatabaseError(_, details) => {
            let message = details.message();
            if is_lock(message) || message.contains("deadlock detected") {
                Some(Trouble::Busy)
            } else if AWAY.iter().any(|part| message.contains(part)) {
                Some(Trouble::Away)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// What both databases say when somebody else holds a lock for longer than is waited for it.
fn is_lock(message: &str) -> bool {
    message.contains("database is locked") || message.contains("due to lock timeout")
}

/// What PostgreSQL says while it starts, stops or has ended a connection.
const AWAY: [&str; 4] =
    ["the database system is", "terminating connection", "server closed the connection", "idle-in-transaction timeout"];

/// Whether somebody else held a lock.
pub(super) fn held_elsewhere(error: &QueryError) -> bool {
    matches!(error, QueryError::DatabaseError(_, details) if is_lock(details.message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: DatabaseErrorKind, message: &str) -> QueryError {
        QueryError::DatabaseError(kind, Box::new(message.to_owned()))
    }

    #[test]
    fn a_busy_database_an_absent_one_and_a_fault_of_ours_are_told_apart() {
        let cases = [
            (said(DatabaseErrorKind::Unknown, "database is locked"), Some(Trouble::Busy)),
            (said(DatabaseErrorKind::Unknown, "canceling statement due to lock timeout"), Some(Trouble::Busy)),
            (said(DatabaseErrorKind::SerializationFailure, "could not serialize"), Some(Trouble::Busy)),
            (said(DatabaseErrorKind::Unknown, "the database system is shutting down"), Some(Trouble::Away)),
            (said(DatabaseErrorKind::ClosedConnection, "gone"), Some(Trouble::Away)),
            (said(DatabaseErrorKind::Unknown, "no such table: x"), None),
            (QueryError::from(Wait::NotKnown("x".to_owned())), Some(Trouble::NotKnown)),
            (QueryError::from(Wait::Panicked), None),
            (QueryError::QueryBuilderError("a query that cannot be built".into()), None),
        ];
        for (error, expected) in cases {
            assert_eq!(trouble(&error), expected, "{error}");
        }
    }
}
