//! Answers that take the same time whatever they found.

use std::time::Duration;

/// Longer than hashing a password and writing a letter take on a machine that isn't overloaded.
const LEAST: Duration = Duration::from_millis(400);

/// Runs `work` and returns its result no sooner than 400 ms after the start, so that the time of an answer
/// tells nothing of whether an address is known. For the pages that sign up, reset and send links again.
pub async fn evenly<T>(work: impl Future<Output = T>) -> T {
    let (result, ()) = tokio::join!(work, tokio::time::sleep(LEAST));
    result
}
