//! Housekeeping: what has expired and what nobody will ask for again is deleted. Several processes may do it
//! at the same time; what one has deleted the other does not find.

use chrono::TimeDelta;

use super::loops::with_causes;
use super::work::Work;
use crate::accounts;
use crate::store::{Database, writes};
use crate::tables::{self, Refused};

/// How long it can be asked what became of a form.
const KEPT: TimeDelta = TimeDelta::days(2);

/// One run. Failures are logged and the next run makes up for it.
pub(super) async fn run(work: Work) {
    if work.readiness.reason().is_some() {
        return;
    }
    let Work { db, clock, ctx, .. } = work;
    let keep = move |db: &Database| -> Result<_, Refused> {
        let now = clock.now();
        let purged = db.write(|conn| accounts::purge(conn, now))?;
        db.write(|conn| writes::purge(conn, now - KEPT))?;
        Ok((purged, tables::wait_for_all(db, &ctx, now)?))
    };
    match db.run(keep).await {
        Ok((purged, waiting)) => tracing::debug!(?purged, waiting, "Upkeep is done."),
        Err(error) => tracing::error!(error = with_causes(&error), "The upkeep failed; it runs again in an hour."),
    }
}
