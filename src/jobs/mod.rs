//! What the server does by itself: run due timers, send letters, keep house. Loops sleep until something is
//! due and are woken when something new comes in; a scheduler beats the time for the safety sweep and the
//! upkeep. A failed run is logged and tried again, it never ends a loop.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use diesel::QueryResult;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};

use crate::clock::Clock;
use crate::store::{Database, Stamp, Wait};
use crate::tables::{Ctx, Marks, Refused};

mod heartbeat;
pub mod loops;
pub mod outbox;
mod readiness;
pub mod timers;
mod upkeep;
mod work;

pub use heartbeat::{ASKS_AFTER, BEAT, Heartbeat, OUTAGE, Reference, TOLERANCE};
use loops::Stop;
pub use loops::with_causes;
pub use readiness::Readiness;
pub use work::{Bell, Wakers, Work};

/// When the safety sweep wakes the loops: every minute. It finds what another process has set.
const SWEEP: &str = "0 * * * * *";

/// When the upkeep runs: once an hour, not on the hour like everybody's.
const UPKEEP: &str = "20 17 * * * *";

/// The loops and the scheduler at work.
pub struct Running {
    loops: Vec<JoinHandle<()>>,
    scheduler: JobScheduler,
}

/// Starts everything. `heartbeat` has beaten once, before anything else was started.
pub async fn start(work: Work, heartbeat: Heartbeat, stop: Stop) -> Result<Running, JobSchedulerError> {
    let heartbeat = Arc::new(Mutex::new(heartbeat));
    let mut loops = vec![tokio::spawn(loops::keep_running("timers", Arc::clone(&work.wakers.timers), stop.clone(), {
        let work = work.clone();
        move || run_timers(work.clone(), Arc::clone(&heartbeat))
    }))];
    loops.extend(start_senders(&work, &stop));
    let scheduler = JobScheduler::new().await?;
    let wakers = work.wakers.clone();
    let sweep = move || {
        let wakers = wakers.clone();
        async move { wakers.wake() }
    };
    scheduler.add(one_at_a_time(SWEEP, sweep)?).await?;
    scheduler.add(one_at_a_time(UPKEEP, move || upkeep::run(work.clone()))?).await?;
    scheduler.start().await?;
    Ok(Running { loops, scheduler })
}

/// Starts the loops that send letters, each independent of the others.
pub fn start_senders(work: &Work, stop: &Stop) -> Vec<JoinHandle<()>> {
    let Work { db, clock, ctx, wakers, transport, readiness, .. } = work.clone();
    let office = outbox::Office { db, transport, site: ctx.site, clock, stop: stop.clone(), bell: wakers.outbox };
    let office = Arc::new(office);
    let wakes = office.bell.0.iter().enumerate().take(office.transport.senders());
    wakes
        .map(|(number, wake)| {
            let sender = Arc::new(outbox::Sender::new(Arc::clone(&office), number));
            let (wake, stop, readiness) = (Arc::clone(wake), stop.clone(), readiness.clone());
            tokio::spawn(async move {
                let run = || run_sender(Arc::clone(&sender), readiness.clone());
                loops::keep_running("outbox", wake, stop, run).await;
                sender.finish().await;
            })
        })
        .collect()
}

impl Running {
    /// Waits until the loops have finished the run they are in; `stop` has been given before.
    pub async fn finish(mut self, patience: Duration) {
        if let Err(error) = self.scheduler.shutdown().await {
            tracing::warn!(%error, "The scheduler did not stop in order.");
        }
        let all = async {
            for running in self.loops {
                if let Err(error) = running.await {
                    tracing::error!(%error, "A loop had ended before its time.");
                }
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::warn!("A loop did not finish in time; what it was doing is done again at the next start.");
        }
    }
}

/// One run of the loop that carries out due timers.
async fn run_timers(work: Work, heartbeat: Arc<Mutex<Heartbeat>>) -> Result<Option<Duration>, Refused> {
    let Work { db, clock, ctx, wakers, marks, .. } = work;
    let timed = clock.clone();
    let run = move |db: &Database| -> Result<(timers::Swept, Option<Stamp>), Refused> {
        // Taken while a run that was given up still hangs; that one must come to its end first.
        let Some(mut heartbeat) = heartbeat.try_lock() else {
            return Err(Refused::Database(Wait::Busy("the last run has not ended yet".to_owned()).into()));
        };
        let swept = sweep(db, &ctx, &timed, &marks, &mut heartbeat);
        if swept.is_err() {
            heartbeat.doubt();
        }
        swept
    };
    let (swept, next) = db.run(run).await?;
    if swept.done > 0 {
        wakers.outbox.ring();
    }
    Ok(if swept.more { Some(Duration::ZERO) } else { next.map(|next| until(next, &clock)) })
}

/// One sweep, and when the next timer is due after it.
fn sweep(
    db: &Database,
    ctx: &Ctx,
    clock: &Clock,
    marks: &Marks,
    heartbeat: &mut Heartbeat,
) -> Result<(timers::Swept, Option<Stamp>), Refused> {
    if !heartbeat.keep(db, clock)? {
        return Ok((timers::Swept::default(), None));
    }
    // What was seen before a deadline counts at it.
    marks.note(db)?;
    let swept = timers::run_due(db, ctx, clock)?;
    Ok((swept, timers::next_due(&mut *db.connection()?)?))
}

/// One run of the loop of one sender of letters.
async fn run_sender(sender: Arc<outbox::Sender>, readiness: Readiness) -> QueryResult<Option<Duration>> {
    // By a wrong clock a letter would be taken from another process, or seem too old to leave.
    if readiness.reason().is_some() {
        return Ok(None);
    }
    sender.run().await
}

/// How long until `then`; the system's clock is read to the millisecond, so that nothing is a second late.
fn until(then: Stamp, clock: &Clock) -> Duration {
    let now = match clock {
        Clock::System => chrono::Utc::now().naive_utc(),
        Clock::Manual(_) => clock.now(),
    };
    (then - now).to_std().unwrap_or_default()
}

/// A scheduled job that is skipped while its last run has not ended; the scheduler itself would start another.
fn one_at_a_time<F, R>(times: &str, run: F) -> Result<Job, JobSchedulerError>
where
    F: Fn() -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let running = Arc::new(tokio::sync::Mutex::new(()));
    Job::new_async(times, move |_, _| {
        let running = Arc::clone(&running);
        let work = run();
        Box::pin(async move {
            // Not taken while another run holds it; the future that was made is dropped without having begun.
            if let Ok(_turn) = running.try_lock() {
                work.await;
            }
        })
    })
}
