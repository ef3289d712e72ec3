//! A deleted account's score and drops, kept for a year for anyone who signs up with the same address again: deleting the
//! account is no way to a clean record.
//!
//! What is kept of the address is a hash that only this database can make, of the address in lower case and without
//! what follows a plus. Signing up looks at nothing here; only whoever confirms the address gets the record back, so
//! nobody learns from outside whether there is one.

use chrono::TimeDelta;
use data_encoding::HEXLOWER;
use diesel::QueryResult;
use sha2::{Digest, Sha256};

use crate::store::users::{User, key};
use crate::store::{Conn, Stamp, UserId, departures, results, settings};

/// How long a record waits.
pub const KEPT: TimeDelta = TimeDelta::days(365);

/// Name of the setting with the key of the hashes.
const KEY: &str = "address_hash_key";

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// Keeps the way back to the record of an account that is being deleted, in the same transaction.
pub fn keep(conn: &mut Conn, now: Stamp, user: &User) -> QueryResult<()> {
    let Some(email) = user.email.as_deref().filter(|_| user.confirmed_at.is_some()) else { return Ok(()) };
    let hash = hashed(conn, email)?;
    departures::insert(conn, user.id, &hash, now + KEPT)
}

/// How an account came to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It was signed up with it.
    New,
    /// It moved there from another one.
    Moved,
}

/// Gives an account whose address has just been confirmed the records that wait for this address, each to the first who
/// confirms it.
///
/// A new account takes the latest record, whatever it is, and all others that are not above the start. One that has
/// moved here takes only the latter: it has a record of its own, and two good ones would add up to what nobody has
/// played for under one name.
pub fn take_back(conn: &mut Conn, now: Stamp, user_id: UserId, email: &str, arrival: Arrival) -> QueryResult<()> {
    let hash = hashed(conn, email)?;
    for (index, gone) in departures::of(conn, &hash, now)?.into_iter().enumerate() {
        let latest = index == 0 && arrival == Arrival::New;
        if (latest || results::booked_change(conn, gone)? <= 0) && departures::take(conn, gone)? {
            results::hand_over(conn, gone, user_id)?;
        }
    }
    Ok(())
}

/// The keyed hash of an address.
fn hashed(conn: &mut Conn, email: &str) -> QueryResult<String> {
    let secret = secret(conn)?;
    Ok(HEXLOWER.encode(&hmac(secret.as_bytes(), mailbox(email).as_bytes())))
}

/// The key of this database, made at first use. Two who make it at the same moment keep the same one.
fn secret(conn: &mut Conn) -> QueryResult<String> {
    if let Some(secret) = settings::get(conn, KEY)? {
        return Ok(secret);
    }
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    settings::keep_first(conn, KEY, &HEXLOWER.encode(&bytes))?;
    Ok(settings::get(conn, KEY)?.unwrap_or_default())
}

/// The address in lower case and without what follows a plus in its first part.
fn mailbox(email: &str) -> String {
    let email = key(email);
    match email.rsplit_once('@') {
        Some((name, domain)) => format!("{}@{domain}", name.split('+').next().unwrap_or(name)),
        None => email,
    }
}

/// HMAC-SHA-256 (RFC 2104). `key` is no longer than a block.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let padded = |with: u8| -> [u8; BLOCK] { std::array::from_fn(|index| key.get(index).copied().unwrap_or(0) ^ with) };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_for_the_mailbox_it_reaches() {
        for same in ["Ann@Mail.Example", " ann+stardate@mail.example ", "ann+a+b@mail.example"] {
            assert_eq!(mailbox(same), "ann@mail.example");
        }
        assert_eq!(mailbox("+x@mail.example"), "@mail.example");
        assert_ne!(mailbox("anna@mail.example"), mailbox("ann@mail.example"));
    }

    #[test]
    fn the_hash_is_that_of_rfc_4231() {
        let hash = hmac(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(HEXLOWER.encode(&hash), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
