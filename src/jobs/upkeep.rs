//! Housekeeping: what has expired and what nobody will ask for again is deleted. Several processes may do it
//! at the same time; what one has deleted the other does not find.

use super::Work;
use crate::accounts;

/// One run. Failures are logged and the next run makes up for it.
pub(super) async fn run(work: Work) {
    let purge = move || work.db.write(|conn| accounts::purge(conn, work.clock.now()));
    match tokio::task::spawn_blocking(purge).await {
        Ok(Ok(purged)) => tracing::debug!(?purged, "Upkeep is done."),
        Ok(Err(error)) => tracing::error!(%error, "The upkeep failed; it runs again in an hour."),
        Err(error) => tracing::error!(%error, "The upkeep ended in the middle; it runs again in an hour."),
    }
}
