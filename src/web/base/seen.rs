//! Notes what a player has seen on a page, without holding the page up.

use std::time::Duration;

use actix_web::web::Data;
use diesel::QueryResult;

use crate::store::Stamp;
use crate::tables::Mark;
use crate::web::App;

/// How long a page waits for the note at most. What is not noted by then is noted before the next deadline fires.
const AT_MOST: Duration = Duration::from_millis(500);

/// Keeps the mark, and notes it at once if nobody else is writing.
pub async fn note(app: &Data<App>, mark: Mark, now: Stamp) {
    app.marks.keep(mark, now);
    let marks = app.marks.clone();
    let noting = app.block(move |db| -> QueryResult<()> { marks.try_note(db) });
    if let Ok(Err(error)) = tokio::time::timeout(AT_MOST, noting).await {
        tracing::debug!(%error, ?mark, "What a player has seen is noted later.");
    }
}
