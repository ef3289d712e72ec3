//! The queue before the hashing of passwords. A hash takes all of a core for a while and 19 MiB; more at once than there
//! are cores would make each slower, and hold the threads that other pages need.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::accounts;

/// So many may wait for each hash that is computed: about two seconds' worth.
const WAITING_EACH: usize = 64;

/// Who hashes and who waits.
pub struct Hashing {
    /// Free turns.
    turns: Arc<Semaphore>,
    /// Free places, of those who hash and those who wait.
    places: Arc<Semaphore>,
}

/// A turn to hash; the next one's begins when it is dropped.
pub struct Turn {
    _turn: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

/// There is no place left to wait at.
#[derive(Debug, thiserror::Error)]
#[error("too many passwords wait to be checked")]
pub struct Full;

impl Hashing {
    /// A queue for as many hashes at once as there are cores.
    pub fn new() -> Hashing {
        Hashing::of(accounts::hashes_at_once(), WAITING_EACH)
    }

    fn of(at_once: usize, waiting_each: usize) -> Hashing {
        let places = at_once.saturating_mul(waiting_each.saturating_add(1));
        Hashing { turns: Arc::new(Semaphore::new(at_once)), places: Arc::new(Semaphore::new(places)) }
    }

    /// Waits for a turn, in the order of coming; refuses at once when too many wait already.
    pub async fn turn(&self) -> Result<Turn, Full> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Full)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Full)?;
        Ok(Turn { _turn: turn, _place: place })
    }
}

impl Default for Hashing {
    fn default() -> Hashing {
        Hashing::new()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn some_hash_some_wait_and_the_rest_are_told_at_once() {
        let queue = Hashing::of(2, 1);
        let (one, two) = (queue.turn().await.unwrap(), queue.turn().await.unwrap());
        let (mut third, mut fourth) = (Box::pin(queue.turn()), Box::pin(queue.turn()));
        assert!(polled(third.as_mut()).await.is_pending(), "two hash, so the third waits");
        assert!(polled(fourth.as_mut()).await.is_pending());
        assert!(queue.turn().await.is_err(), "there is no fifth place");
        drop(one);
        assert!(third.await.is_ok(), "a turn that ends is the next one's");
        // Whoever goes away leaves their place to somebody else.
        drop(fourth);
        drop(two);
        assert!(queue.turn().await.is_ok());
    }

    async fn polled<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
    }
}
