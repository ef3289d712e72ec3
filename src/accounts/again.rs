//! When a write is run again.

use diesel::result::{DatabaseErrorKind, Error as QueryError};

use crate::store::Retry;

/// Whether a write is worth running again: after a failure of the database that nobody is to blame for, and
/// after two people took the same name or address at once, when fresh data gives the right answer.
pub(super) fn worth_another_try(error: &QueryError) -> bool {
    error.may_retry() || matches!(error, QueryError::DatabaseError(DatabaseErrorKind::UniqueViolation, _))
}
