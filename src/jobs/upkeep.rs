//! Housekeeping: what has expired and what nobody will ask for again is deleted. Several processes may do it
//! at the same time; what one has deleted the other does not find.

use super::Work;
use super::loops::with_causes;
use crate::accounts;
use crate::tables::{self, Refused};

/// One run. Failures are logged and the next run makes up for it.
pub(super) async fn run(work: Work) {
    let keep = move || -> Result<_, Refused> {
        let now = work.clock.now();
        let purged = work.db.write(|conn| accounts::purge(conn, now))?;
        Ok((purged, tables::wait_for_all(&work.db, &work.ctx, now)?))
    };
    match tokio::task::spawn_blocking(keep).await {
        Ok(Ok((purged, waiting))) => tracing::debug!(?purged, waiting, "Upkeep is done."),
        Ok(Err(error)) => {
            tracing::error!(error = with_causes(&error), "The upkeep failed; it runs again in an hour.");
        }
        Err(error) => tracing::error!(%error, "The upkeep ended in the middle; it runs again in an hour."),
    }
}
