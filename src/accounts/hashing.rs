//! Argon2id with a bound on the memory it takes: at most as many hashes at once as there are cores, and their buffers
//! (19 MiB each) go from one to the next while there are more to come. More at once would not be faster.

use std::thread;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use parking_lot::{Condvar, Mutex};
use subtle::ConstantTimeEq;

/// Bytes of salt.
const SALT: usize = 16;

/// What the hashes of this process share.
struct Turns {
    /// Hashes that are computed now.
    running: usize,
    /// Threads that wait for their turn.
    waiting: usize,
    /// Buffers that nobody uses now. Empty while nothing is hashed: the allocator returns the memory.
    free: Vec<Vec<Block>>,
}

static TURNS: Mutex<Turns> = Mutex::new(Turns { running: 0, waiting: 0, free: Vec::new() });
static ENDED: Condvar = Condvar::new();

/// How many passwords are hashed at once: as many as there are cores.
pub fn hashes_at_once() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A turn to hash, with its buffer. Both go to the next one who waits when it is dropped.
struct Turn(Vec<Block>);

impl Turn {
    fn wait() -> Turn {
        let mut turns = TURNS.lock();
        turns.waiting += 1;
        while turns.running >= hashes_at_once() {
            ENDED.wait(&mut turns);
        }
        turns.waiting -= 1;
        turns.running += 1;
        Turn(turns.free.pop().unwrap_or_default())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = TURNS.lock();
        turns.running -= 1;
        if turns.waiting > 0 {
            turns.free.push(std::mem::take(&mut self.0));
        } else {
            turns.free.clear();
        }
        drop(turns);
        ENDED.notify_one();
    }
}

fn hash_into(argon2: &Argon2<'_>, password: &[u8], salt: &[u8], out: &mut [u8]) -> argon2::Result<()> {
    let mut turn = Turn::wait();
    let blocks = argon2.params().block_count();
    if turn.0.len() < blocks {
        turn.0.resize(blocks, Block::new());
    }
    argon2.hash_password_into_with_memory(password, salt, out, &mut turn.0)
}

/// The hash of a password under a fresh salt, as it is stored.
pub(super) fn hash(password: &str) -> String {
    let mut salt = [0u8; SALT];
    getrandom::fill(&mut salt).expect("the operating system gives random bytes");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::default());
    let mut out = [0u8; Params::DEFAULT_OUTPUT_LEN];
    hash_into(&argon2, password.as_bytes(), &salt, &mut out)
        .expect("the default parameters and a fresh salt are valid");
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(argon2.params()).expect("the default parameters can be written down"),
        salt: Some(Salt::new(&salt).expect("the salt is of a usual length")),
        hash: Some(Output::new(&out).expect("the output is of a usual length")),
    };
    hash.to_string()
}

/// Whether a stored hash is that of this password. Compares in constant time.
pub(super) fn is_hash_of(stored: &PasswordHash, password: &str) -> bool {
    let check = || {
        let argon2 = Argon2::new(
            Algorithm::try_from(stored.algorithm.as_str()).ok()?,
            stored.version.map_or(Ok(Version::V0x10), Version::try_from).ok()?,
            Params::try_from(stored).ok()?,
        );
        let (salt, expected) = (stored.salt.as_ref()?, stored.hash.as_ref()?);
        let mut found = vec![0u8; expected.len()];
        hash_into(&argon2, password.as_bytes(), salt, &mut found).ok()?;
        Some(bool::from(found.ct_eq(expected.as_ref())))
    };
    check().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use argon2::PasswordVerifier;

    use super::*;

    #[test]
    fn hashes_are_those_of_everybody_else() {
        let hash = hash("make it so");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let parsed = PasswordHash::new(&hash).unwrap();
        assert!(Argon2::default().verify_password(b"make it so", &parsed).is_ok());
        assert!(is_hash_of(&parsed, "make it so") && !is_hash_of(&parsed, "make it sO"));
    }

    #[test]
    fn at_most_as_many_at_once_as_there_are_cores_and_no_buffer_stays() {
        let most = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..3 * hashes_at_once() + 2 {
                scope.spawn(|| {
                    let turn = Turn::wait();
                    let turns = TURNS.lock();
                    let mut most = most.lock();
                    *most = turns.running.max(*most);
                    assert!(turns.running + turns.free.len() <= hashes_at_once(), "no more buffers than turns");
                    drop((turns, most));
                    thread::yield_now();
                    drop(turn);
                });
            }
        });
        assert!((1..=hashes_at_once()).contains(&*most.lock()));
        // Other tests of this process may hash at the same time; without them nothing is left.
        let turns = TURNS.lock();
        assert!(turns.running > 0 || turns.free.is_empty());
    }
}
