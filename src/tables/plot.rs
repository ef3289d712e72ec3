//! Handing in, saving and taking back orders.

use crate::rules::Examined;
use crate::store::{Conn, Stamp};

use super::{Ctx, Refused};

/// The longest text that is read as a plot, in bytes.
pub const MAX_PLOT_BYTES: usize = 32 * 1024;

/// A plot that is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedIn {
    /// The salted hash that everybody may see at once.
    pub seal: String,
    /// Version to send along with the next change.
    pub version: i64,
    /// Whether it was the last one awaited, so that the phase has resolved.
    pub resolved: bool,
}

/// Reads and checks a text for the open phase without storing anything.
pub fn examine(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: i64,
    user_id: i64,
    phase_no: i32,
    text: &str,
) -> Result<Examined, Refused> {
    let _ = (conn, ctx, table_id, user_id, phase_no, text);
    Err(Refused::NoTable)
}

/// Hands in a plot in place of the seat's earlier one; the last one awaited resolves the phase at once.
///
/// `now` is when the request was received: from the deadline on it is too late. `phase_no`: the phase the form
/// was made for. `base`: the version the form was made from ([`super::Turn::version`]); when another text is
/// stored by now nothing is lost and both are given back ([`Refused::TwoTabs`]).
#[expect(clippy::too_many_arguments, reason = "a form has that many parts")]
pub fn hand_in(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table_id: i64,
    user_id: i64,
    phase_no: i32,
    base: Option<i64>,
    text: &str,
) -> Result<HandedIn, Refused> {
    let _ = (conn, ctx, now, table_id, user_id, phase_no, base, text);
    Err(Refused::NoTable)
}

/// Saves a draft, legal or not. Gives the version to send along with the next change. A plot that is in stands.
#[expect(clippy::too_many_arguments, reason = "a form has that many parts")]
pub fn save_draft(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table_id: i64,
    user_id: i64,
    phase_no: i32,
    base: Option<i64>,
    text: &str,
) -> Result<i64, Refused> {
    let _ = (conn, ctx, now, table_id, user_id, phase_no, base, text);
    Err(Refused::NoTable)
}

/// Takes the plot back; its text stays as a draft. Gives the version to send along with the next change.
pub fn withdraw(
    conn: &mut Conn,
    ctx: &Ctx,
    now: Stamp,
    table_id: i64,
    user_id: i64,
    phase_no: i32,
    base: Option<i64>,
) -> Result<i64, Refused> {
    let _ = (conn, ctx, now, table_id, user_id, phase_no, base);
    Err(Refused::NoTable)
}
