//! The shape of a loop: do what is due, sleep until the next thing is due, wake early when told.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};

/// The longest a loop sleeps, in case a wake-up was missed (another process set the timer).
pub const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// The shortest, so that a run that fails at once, or finds work it cannot do yet, does not spin.
const SHORTEST_SLEEP: Duration = Duration::from_millis(50);

/// How long to wait after a failed run, with the database away for example.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// What stops the loops: `true` once the server shuts down.
pub type Stop = watch::Receiver<bool>;

/// An error with everything that led to it. What it says by itself is often worded for players; the operator needs the
/// cause.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !words.contains(&next) {
            words = format!("{words} Cause: {next}");
        }
        cause = error.source();
    }
    words
}

/// Runs `body` again and again until `stop`. A run returns how long until something is due (`None`: nothing is
/// known to be); an error is logged with its loop's name. A run that has begun is always finished.
pub async fn keep_running<F, R, E>(name: &'static str, wake: Arc<Notify>, mut stop: Stop, mut body: F)
where
    F: FnMut() -> R,
    R: Future<Output = Result<Option<Duration>, E>>,
    E: std::error::Error,
{
    while !*stop.borrow() {
        let sleep = match body().await {
            Ok(next) => next.unwrap_or(LONGEST_SLEEP).clamp(SHORTEST_SLEEP, LONGEST_SLEEP),
            Err(error) => {
                let error = with_causes(&error);
                tracing::error!(error, "The {name} loop failed; it tries again in {} s.", AFTER_FAILURE.as_secs());
                AFTER_FAILURE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(sleep) => {}
            () = wake.notified() => {}
            // An error means that the sender is gone, which is a shutdown as well.
            _ = stop.wait_for(|stopped| *stopped) => {}
        }
        if stop.has_changed().is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use tokio::time::timeout;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("Nothing was changed; please try again.")]
    struct ForPlayers(#[source] std::io::Error);

    #[test]
    fn the_operator_reads_the_cause_beside_the_sentence_for_players() {
        let error = ForPlayers(std::io::Error::other("disk full"));
        assert_eq!(with_causes(&error), "Nothing was changed; please try again. Cause: disk full");
        assert_eq!(with_causes(&std::io::Error::other("disk full")), "disk full");
    }

    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn runs_when_due_when_woken_and_until_stopped() {
        let (ran, mut runs) = mpsc::unbounded_channel();
        let (sender, stop) = watch::channel(false);
        let wake = Arc::new(Notify::new());
        let mut count = 0;
        let running = tokio::spawn(keep_running("test", Arc::clone(&wake), stop, move || {
            count += 1;
            ran.send(count).unwrap();
            let run = count;
            async move {
                match run {
                    1 => Ok(Some(Duration::ZERO)),
                    2 => Err(std::io::Error::other("the database is away")),
                    _ => Ok(None),
                }
            }
        }));
        assert_eq!(timeout(PATIENCE, runs.recv()).await.unwrap(), Some(1), "a loop looks at once");
        assert_eq!(timeout(PATIENCE, runs.recv()).await.unwrap(), Some(2), "something was due");
        wake.notify_one();
        assert_eq!(timeout(PATIENCE, runs.recv()).await.unwrap(), Some(3), "a failed run does not end the loop");
        sender.send(true).unwrap();
        timeout(PATIENCE, running).await.unwrap().unwrap();
        assert_eq!(runs.recv().await, None, "nothing runs after the stop");
    }
}
