//! Checks of records: each finished table once, a few at a time, and never while a connection is held.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::web::{Data, block};
use parking_lot::Mutex;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};

use super::table_frame;
use crate::tables::verify::{Check, verify};
use crate::tables::{self, RecordRows};
use crate::web::{App, PageError};

/// Records that are written or checked at the same time. Playing a long game again keeps a core busy for seconds.
const AT_ONCE: usize = 2;
/// Visitors who may wait for that; whoever comes then is asked to come again.
const MOST_WAITING: usize = 20;
/// Tables whose checks are remembered.
const MOST_KEPT: usize = 2000;

/// What checking a record came to: the checks, or why it could not even be read.
pub type Outcome = Arc<Result<Vec<Check>, String>>;

/// The checks of this process. A finished table never changes and neither does the program, so what was found once
/// stays true until the next start.
pub struct Checked {
    kept: Mutex<BTreeMap<i64, Arc<OnceCell<Outcome>>>>,
    turns: Semaphore,
    waiting: AtomicUsize,
    done: AtomicUsize,
}

impl Default for Checked {
    fn default() -> Checked {
        Checked {
            kept: Mutex::default(),
            turns: Semaphore::new(AT_ONCE),
            waiting: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        }
    }
}

impl Checked {
    /// How many records have been checked.
    pub fn count(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Waits for a turn to do something as dear as writing or checking a record.
    ///
    /// # Errors
    /// When too many wait already.
    pub async fn turn(&self) -> Result<SemaphorePermit<'_>, PageError> {
        let busy = || PageError::Unavailable("too many records are asked for at once".to_owned());
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let _place = Place::take(&self.waiting).ok_or_else(busy)?;
        self.turns.acquire().await.map_err(|_| busy())
    }

    /// Where the checks of a table are kept, or will be: whoever comes while they are made waits for them.
    fn of(&self, table_id: i64) -> Arc<OnceCell<Outcome>> {
        let mut kept = self.kept.lock();
        if kept.len() >= MOST_KEPT && !kept.contains_key(&table_id) {
            // The oldest table: ids grow with time.
            kept.pop_first();
        }
        Arc::clone(kept.entry(table_id).or_default())
    }
}

/// A place among those who wait; given back also when the visitor goes away.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Option<Place<'a>> {
        let place = Place(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The record of a finished table that this visitor may see, as text.
pub async fn text(app: &Data<App>, table_id: i64, viewer: Option<i64>) -> Result<String, PageError> {
    let _turn = app.checked.turn().await?;
    let rows = rows(app, table_id, viewer).await?;
    let text = block(move || rows.text()).await.map_err(PageError::internal)?;
    text.map_err(|error| table_frame::refused(error, table_id))
}

/// The checks of a finished table that this visitor may see: [`tables::table_page`] has said so.
pub async fn checks(app: &Data<App>, table_id: i64, viewer: Option<i64>) -> Result<Outcome, PageError> {
    let cell = app.checked.of(table_id);
    let outcome = cell.get_or_try_init(|| async {
        let _turn = app.checked.turn().await?;
        let rows = rows(app, table_id, viewer).await?;
        let ctx = app.ctx.clone();
        let work = move || Ok(verify(&rows.text()?, ctx.games.engines()).map_err(|fault| fault.to_string()));
        let checked = block(work).await.map_err(PageError::internal)?;
        app.checked.done.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(checked.map_err(|error| table_frame::refused(error, table_id))?))
    });
    outcome.await.cloned()
}

async fn rows(app: &Data<App>, table_id: i64, viewer: Option<i64>) -> Result<RecordRows, PageError> {
    let ctx = app.ctx.clone();
    table_frame::read(app, table_id, move |conn| tables::record_rows(conn, &ctx, table_id, viewer)).await
}
