//! Ids made by the application: 64 bits, ordered by time, with a random tail.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::str::FromStr;

use data_encoding::{BASE32HEX_NOPAD, BASE64URL_NOPAD};
use parking_lot::Mutex;

use super::Stamp;

/// Bits of the random tail. 2^23 ids a second and more than 30,000 years of seconds remain positive.
const TAIL_BITS: u32 = 23;

/// Bits of the step to an id that must sort after another one of the same second.
const STEP_BITS: u32 = 16;

/// How many ids are remembered, so that none of them is made again: more than any process makes in a second, and
/// those of many minutes, whose seconds come again when the clock is set back. They take about 2 MB.
const REMEMBERED: usize = 65_536;

/// The newest ids of this process. Some hundred letters of one second would meet in one tail once in a hundred such
/// seconds, and the write that made them would fail.
static MADE: Mutex<Made> = Mutex::new(Made { ids: BTreeSet::new(), in_order: VecDeque::new() });

struct Made {
    ids: BTreeSet<i64>,
    /// The same, oldest first.
    in_order: VecDeque<i64>,
}

/// A new id for something made at `now`. Ids made later sort later, to the second; none of this process's newest ones
/// is made again, even if the clock is set back.
pub fn new_id(now: Stamp) -> i64 {
    let second = now.and_utc().timestamp();
    loop {
        let id = (second << TAIL_BITS) | random(TAIL_BITS);
        if reserve(id) {
            return id;
        }
    }
}

/// A new id that sorts after `last` too, also within the same second.
pub fn new_id_after(now: Stamp, last: i64) -> i64 {
    let id = new_id(now);
    if id > last {
        return id;
    }
    loop {
        // A random step keeps ids apart that are made for other lists in this second.
        let id = last + 1 + random(STEP_BITS);
        if reserve(id) {
            return id;
        }
    }
}

/// Notes an id as made; returns whether it was free.
fn reserve(id: i64) -> bool {
    let mut made = MADE.lock();
    if !made.ids.insert(id) {
        return false;
    }
    made.in_order.push_back(id);
    if made.in_order.len() > REMEMBERED
        && let Some(oldest) = made.in_order.pop_front()
    {
        made.ids.remove(&oldest);
    }
    true
}

/// A random number of so many bits, at most 32.
fn random(bits: u32) -> i64 {
    let mut bytes = [0u8; 4];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    i64::from(u32::from_le_bytes(bytes) >> (32 - bits))
}

/// A secret for links and cookies: 32 random bytes as URL-safe text of 43 characters.
pub fn new_token() -> String {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    BASE64URL_NOPAD.encode(&bytes)
}

/// An id as an address has it: 13 characters of lower-case base 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IdText(pub i64);

impl fmt::Display for IdText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE32HEX_NOPAD.encode(&self.0.to_be_bytes()).to_lowercase())
    }
}

/// A text that is no id.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("this is not an id")]
pub struct NoId;

impl FromStr for IdText {
    type Err = NoId;

    fn from_str(text: &str) -> Result<IdText, NoId> {
        let bytes = BASE32HEX_NOPAD.decode(text.to_uppercase().as_bytes()).map_err(|_| NoId)?;
        let bytes: [u8; 8] = bytes.try_into().map_err(|_| NoId)?;
        Ok(IdText(i64::from_be_bytes(bytes)))
    }
}

impl<'de> serde::Deserialize<'de> for IdText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<IdText, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// How a type round one number gets into the database and out again.
macro_rules! stored_as_number {
    ($name:ident, $number:ty, $sql:ty) => {
        impl<DB> diesel::serialize::ToSql<$sql, DB> for $name
        where
            DB: diesel::backend::Backend,
            $number: diesel::serialize::ToSql<$sql, DB>,
        {
            fn to_sql<'b>(&'b self, out: &mut diesel::serialize::Output<'b, '_, DB>) -> diesel::serialize::Result {
                <$number as diesel::serialize::ToSql<$sql, DB>>::to_sql(&self.0, out)
            }
        }

        impl<DB> diesel::deserialize::FromSql<$sql, DB> for $name
        where
            DB: diesel::backend::Backend,
            $number: diesel::deserialize::FromSql<$sql, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> diesel::deserialize::Result<$name> {
                <$number as diesel::deserialize::FromSql<$sql, DB>>::from_sql(bytes).map($name)
            }
        }
    };
}

/// Makes the id of one kind of row a type of its own: stored as a number, shown and read as [`IdText`] is.
macro_rules! id_type {
    ($(#[$meta:meta])* pub struct $name:ident;) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            diesel::expression::AsExpression, diesel::deserialize::FromSqlRow,
        )]
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                IdText(self.0).fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = NoId;

            fn from_str(text: &str) -> Result<$name, NoId> {
                text.parse().map(|IdText(id)| $name(id))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                IdText::deserialize(deserializer).map(|IdText(id)| $name(id))
            }
        }

        stored_as_number!($name, i64, diesel::sql_types::BigInt);
    };
}

id_type! {
    /// The id of a table.
    pub struct TableId;
}

id_type! {
    /// The id of an account: a player's or a bot's.
    pub struct UserId;
}

/// The number of a phase of a table, counted from 1; 0 before the first one.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    diesel::expression::AsExpression,
    diesel::deserialize::FromSqlRow,
)]
#[diesel(sql_type = diesel::sql_types::Integer)]
pub struct PhaseNo(pub i32);

stored_as_number!(PhaseNo, i32, diesel::sql_types::Integer);

impl PhaseNo {
    /// The number of the phase after this one.
    pub fn next(self) -> PhaseNo {
        PhaseNo(self.0 + 1)
    }

    /// The number of the phase before this one.
    pub fn before(self) -> PhaseNo {
        PhaseNo(self.0 - 1)
    }
}

impl fmt::Display for PhaseNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for PhaseNo {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<PhaseNo, std::num::ParseIntError> {
        text.parse().map(PhaseNo)
    }
}

impl<'de> serde::Deserialize<'de> for PhaseNo {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PhaseNo, D::Error> {
        i32::deserialize(deserializer).map(PhaseNo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_survive_the_address() {
        let earlier = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap().naive_utc();
        let later = earlier + chrono::TimeDelta::seconds(1);
        let (first, second) = (new_id(earlier), new_id(later));
        assert!(first > 0 && first < second);
        let mut ids = vec![first];
        for _ in 0..20 {
            ids.push(new_id_after(earlier, *ids.last().unwrap()));
        }
        assert!(ids.is_sorted_by(|before, after| before < after), "{ids:?}");
        // Twenty steps beyond the second at the most.
        let end = (earlier.and_utc().timestamp() + 1) << TAIL_BITS;
        assert!(*ids.last().unwrap() < end + (20 << 16), "{ids:?}");
        // By chance alone every second such run would meet an id twice.
        let many: BTreeSet<i64> = (0..3500).map(|_| new_id(earlier)).collect();
        assert_eq!(many.len(), 3500);
        // Then the clock is set back, and two such lots would meet in about eight ids.
        let mut all: BTreeSet<i64> = (0..8_000).map(|_| new_id(later)).collect();
        new_id(earlier);
        all.extend((0..8_000).map(|_| new_id(later)));
        assert_eq!(all.len(), 16_000);
        let text = IdText(first).to_string();
        assert_eq!(text.len(), 13);
        assert_eq!(text.parse(), Ok(IdText(first)));
        assert_eq!("nonsense".parse::<IdText>(), Err(NoId));
    }
}
