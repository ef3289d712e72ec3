//! Who is signed in.

use crate::store::UserId;

/// The signed-in player of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Me {
    /// The player.
    pub user_id: UserId,
    /// Their name.
    pub name: String,
    /// Their time zone.
    pub zone: chrono_tz::Tz,
    /// Id of the session, for the list of sessions and for signing out.
    pub session_id: String,
    /// Tables at which they owe orders.
    pub due: usize,
    /// Why their address gets no letters, when a mail server refused it.
    pub mail_fault: Option<String>,
}
