//! Accounts: signing up with an address that is checked by letter, signing in, and all that people change
//! about themselves.
//!
//! Nothing here tells whether an address has an account: the answers are the same, and what differs is said
//! by letter to the one who reads the address. Names are public, so a taken name is named.
//!
//! Functions that hash a password take the [`crate::store::Database`] or no connection at all: hashing takes
//! tens of milliseconds, and no transaction may wait for it.

mod address;
mod again;
mod departure;
mod even;
mod farewell;
mod hashing;
mod known;
mod link;
mod name;
mod password;
mod purge;
mod reset;
mod session;
mod settings;
mod sign_up;
mod waiting;

pub use address::{AddressRefusal, confirm_address, request_address};
pub use even::evenly;
pub use farewell::delete_account;
pub use hashing::hashes_at_once;
pub use known::{Browser, known_as, remember};
pub use link::{LinkRefusal, Pending, look};
pub use name::{BadName, check_name};
pub use password::{BadPassword, HashedPassword, PasswordChange, PasswordRefusal, change_password, check_password};
pub use purge::{Purged, purge};
pub use reset::{finish_reset, request_reset};
pub use session::{
    SignInRefusal, Signed, SignedIn, is_signed_in, session, sign_in, sign_out, sign_out_everywhere, touch,
};
pub use settings::{NoZone, ZoneRefusal, set_wants, set_zone, unsubscribable, unsubscribe};
pub use sign_up::{SignUp, SignUpFault, SignUpForm, SignUpRefusal, confirm, enroll, resend, sign_up};
pub use waiting::{CorrectRefusal, Waiting, correct_address, sign_up_again, waiting};

pub use crate::store::mail_tokens::Purpose;
pub use crate::store::users::Wants;
