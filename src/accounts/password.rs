//! Passwords: their rules, their hashes, and changing one's own.

use std::fmt;

use argon2::password_hash::phc::PasswordHash;
use diesel::result::Error as QueryError;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::hashing;
use crate::mail::{self, Letter, Recipient, Site};
use crate::store::users::{self, User};
use crate::store::{Conn, Database, Retry, Stamp, UserId, known_browsers, mail_tokens, new_id, sessions};

const SHORTEST: usize = 10;
const LONGEST: usize = 200;

/// What a password is compared with when there is no account: made like the real ones, of a password that
/// nobody knows, so that the answer takes as long.
const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$asIv4w08gv0l/yNDB1loCw$i4WzUk9vrelTUWZKSN2XR3qousuYjq6z4fLh1R9dEIU";

/// A text that can't be a password.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadPassword {
    /// Too short.
    #[error("A password must have at least {SHORTEST} characters; a few words in a row are easy to remember.")]
    TooShort,
    /// Longer than anybody types.
    #[error("A password may have at most {LONGEST} characters.")]
    TooLong,
    /// One character over and over.
    #[error("This password repeats one character; choose one that is hard to guess.")]
    Monotonous,
    /// The player's own name or address.
    #[error("This password is your name or address; choose one that is hard to guess.")]
    Own,
}

/// The argon2id hash of a password that keeps the rules.
#[derive(Clone)]
pub struct HashedPassword(String);

impl HashedPassword {
    /// Checks and hashes a password. `known` are the name and address that it must not be. Slow on purpose:
    /// never called inside a transaction.
    pub fn new(password: &str, known: &[&str]) -> Result<HashedPassword, BadPassword> {
        let password = composed(password);
        check(&password, known)?;
        Ok(HashedPassword(hashing::hash(&password)))
    }

    /// The hash as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

// By hand: hashes have no place in logs.
impl fmt::Debug for HashedPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashedPassword(…)")
    }
}

/// A password in the one form that is hashed (Unicode NFC): keyboards write “ü” as one character or as two, and people
/// can't tell which.
fn composed(password: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(password).into_owned()
}

/// The texts whose hash may be stored for a password: its one form first; then, where they differ, the other Unicode
/// form and the text as it was typed, because passwords were once hashed as they came.
fn forms(password: &str) -> Vec<String> {
    let mut forms = vec![composed(password)];
    for other in [DecomposingNormalizerBorrowed::new_nfd().normalize(password).into_owned(), password.to_owned()] {
        if !forms.contains(&other) {
            forms.push(other);
        }
    }
    forms
}

fn check(password: &str, known: &[&str]) -> Result<(), BadPassword> {
    let length = password.chars().count();
    if length < SHORTEST {
        return Err(BadPassword::TooShort);
    }
    if length > LONGEST {
        return Err(BadPassword::TooLong);
    }
    let first = password.chars().next();
    if password.chars().all(|c| Some(c) == first) {
        return Err(BadPassword::Monotonous);
    }
    let lowered = users::key(password);
    if known.iter().any(|known| users::key(known) == lowered) {
        return Err(BadPassword::Own);
    }
    Ok(())
}

/// Whether the password is the account's. Takes as long without an account as with one.
pub(super) fn is_password_of(user: Option<&User>, password: &str) -> bool {
    // An erased account has an empty hash, which is none: it is nobody's as well.
    let stored = user.and_then(|user| PasswordHash::new(&user.password_hash).ok());
    let real = stored.is_some();
    let hash = stored.or_else(|| PasswordHash::new(NOBODYS).ok());
    // No password of that length can have been set; hashing it would only cost time.
    let sensible = password.len() <= 8 * LONGEST;
    let fits = |hash: PasswordHash| forms(password).iter().any(|form| hashing::is_hash_of(&hash, form));
    real & hash.filter(|_| sensible).is_some_and(fits)
}

/// Why a password was not changed, or something that asks for it not done.
#[derive(Debug, thiserror::Error)]
pub enum PasswordRefusal {
    /// The password typed is not the account's.
    #[error("This is not your password. If you forgot it, sign out and ask for a new one by letter.")]
    Wrong,
    /// The new one breaks the rules.
    #[error(transparent)]
    Bad(#[from] BadPassword),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] QueryError),
}

impl Retry for PasswordRefusal {
    fn may_retry(&self) -> bool {
        matches!(self, PasswordRefusal::Database(error) if error.may_retry())
    }
}

/// Checks the password of somebody signed in, before something that can't be undone.
pub fn check_password(db: &Database, user_id: UserId, password: &str) -> Result<User, PasswordRefusal> {
    let user = users::find(&mut *db.connection()?, user_id)?;
    match user {
        Some(user) if is_password_of(Some(&user), password) => Ok(user),
        _ => Err(PasswordRefusal::Wrong),
    }
}

/// What somebody signed in asks for who wants another password.
#[derive(Clone, Copy)]
pub struct PasswordChange<'a> {
    /// The password that is to be replaced.
    pub current: &'a str,
    /// The one they want.
    pub new: &'a str,
    /// The session that stays.
    pub keep_session: Option<&'a str>,
}

/// Changes the password of somebody signed in. All other browsers are signed out.
pub fn change_password(
    db: &Database,
    site: &Site,
    now: Stamp,
    user_id: UserId,
    change: PasswordChange<'_>,
) -> Result<(), PasswordRefusal> {
    let PasswordChange { current, new, keep_session } = change;
    let user = check_password(db, user_id, current)?;
    let hashed = HashedPassword::new(new, &[&user.name, user.email.as_deref().unwrap_or_default()])?;
    db.write(|conn| store_new(conn, site, now, &user, &hashed, keep_session))
}

/// Stores a new password, signs out everywhere else, forgets the browsers that were known to the account, makes links
/// sent before useless, and tells the player.
pub(super) fn store_new<E: From<QueryError>>(
    conn: &mut Conn,
    site: &Site,
    now: Stamp,
    user: &User,
    hashed: &HashedPassword,
    keep_session: Option<&str>,
) -> Result<(), E> {
    users::set_password(conn, user.id, hashed.as_str())?;
    sessions::delete_all(conn, user.id, keep_session)?;
    known_browsers::forget_all(conn, user.id)?;
    mail_tokens::revoke_all(conn, user.id)?;
    if let Some(to) = Recipient::of(user) {
        let letter = Letter::PasswordChanged { reset_url: site.url("/reset") };
        let key = format!("password-changed:{}:{}", user.id, new_id(now));
        mail::queue(conn, site, now, &to, &letter, &key)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_checked() {
        let known = ["Alice", "alice@example.org"];
        assert_eq!(check("short", &known), Err(BadPassword::TooShort));
        assert_eq!(check("zzzzzzzzzzzz", &known), Err(BadPassword::Monotonous));
        assert_eq!(check("Alice@Example.org", &known), Err(BadPassword::Own));
        assert_eq!(check(&"ab".repeat(101), &known), Err(BadPassword::TooLong));
        assert_eq!(check("make it so, number one", &known), Ok(()));
    }

    #[test]
    fn an_umlaut_is_the_same_in_both_unicode_forms() {
        let (one, two) = ("Grüße an Bord", "Gru\u{308}ße an Bord");
        for (set, typed) in [(one, two), (two, one), (one, one)] {
            let hashed = HashedPassword::new(set, &[]).unwrap();
            let hash = PasswordHash::new(hashed.as_str()).unwrap();
            assert!(forms(typed).iter().any(|form| hashing::is_hash_of(&hash, form)), "{set} and {typed}");
        }
        // Hashes from before passwords had one form.
        for (set, typed) in [(two, one), (two, two)] {
            let hash = hashing::hash(set);
            let hash = PasswordHash::new(&hash).unwrap();
            assert!(forms(typed).iter().any(|form| hashing::is_hash_of(&hash, form)), "{set} and {typed}");
        }
        assert_eq!(forms("make it so"), ["make it so"], "an ordinary password is hashed once");
    }

    #[test]
    fn nobodys_hash_is_a_hash_like_the_real_ones() {
        let hash = PasswordHash::new(NOBODYS).unwrap();
        let real = HashedPassword::new("make it so", &[]).unwrap();
        let real = PasswordHash::new(real.as_str()).unwrap();
        assert_eq!((hash.algorithm, hash.version, hash.params), (real.algorithm, real.version, real.params));
        assert!(!is_password_of(None, "make it so"));
    }
}
