//! Secrets sent by letter that prove who reads an address. Only their hashes are stored, each works once.

use diesel::prelude::*;

use super::dialect::Keep;
use super::schema::mail_tokens;
use super::users::key;
use super::word::word_enum;
use super::{Conn, Stamp, UserId};

diesel::define_sql_function! {
    /// A text in lower case; of ASCII alone, as addresses are stored.
    fn lower(text: diesel::sql_types::Text) -> diesel::sql_types::Text;
}

word_enum! {
    /// What a token allows.
    pub enum Purpose in "mail_tokens.purpose" {
        /// Confirming the address of a sign-up.
        Confirm = "confirm",
        /// Setting a new password.
        Reset = "reset",
        /// Moving the account to another address.
        Change = "change",
    }
}

/// A token that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = mail_tokens)]
pub struct MailToken {
    /// The hash of the secret.
    pub id: String,
    /// Whose account it is for.
    pub user_id: UserId,
    /// The address it was sent to.
    pub email: String,
    /// When it was made.
    pub created_at: Stamp,
    /// When it stops working.
    pub expires_at: Stamp,
}

/// Stores a token.
pub fn insert(conn: &mut Conn, token: &MailToken, purpose: Purpose) -> QueryResult<()> {
    diesel::insert_into(mail_tokens::table)
        .values((
            mail_tokens::id.eq(&token.id),
            mail_tokens::purpose.eq(purpose),
            mail_tokens::user_id.eq(token.user_id),
            mail_tokens::email.eq(&token.email),
            mail_tokens::created_at.eq(token.created_at),
            mail_tokens::expires_at.eq(token.expires_at),
        ))
        .kept()
        .execute(conn)
        .map(drop)
}

/// The token with this hash, if it still works.
pub fn find(conn: &mut Conn, id: &str, purpose: Purpose, now: Stamp) -> QueryResult<Option<MailToken>> {
    mail_tokens::table
        .filter(mail_tokens::id.eq(id))
        .filter(mail_tokens::purpose.eq(purpose))
        .filter(mail_tokens::expires_at.gt(now))
        .select(MailToken::as_select())
        .first(conn)
        .optional()
}

/// Uses a token up: returns it, if it still worked, and removes it. Of two that come at once one gets it.
pub fn take(conn: &mut Conn, id: &str, purpose: Purpose, now: Stamp) -> QueryResult<Option<MailToken>> {
    let Some(token) = find(conn, id, purpose, now)? else { return Ok(None) };
    let removed = diesel::delete(mail_tokens::table.find(id)).execute(conn)?;
    Ok((removed == 1).then_some(token))
}

/// The tokens of a purpose that were sent to an address since `since` and still work, the newest first: whose account
/// they are for, and when they were sent. The case of the address's letters doesn't matter.
pub fn sent_to(
    conn: &mut Conn,
    email: &str,
    purpose: Purpose,
    now: Stamp,
    since: Stamp,
) -> QueryResult<Vec<(UserId, Stamp)>> {
    mail_tokens::table
        .filter(lower(mail_tokens::email).eq(key(email)))
        .filter(mail_tokens::purpose.eq(purpose))
        .filter(mail_tokens::expires_at.gt(now))
        .filter(mail_tokens::created_at.gt(since))
        .order((mail_tokens::created_at.desc(), mail_tokens::id))
        .select((mail_tokens::user_id, mail_tokens::created_at))
        .load(conn)
}

/// Makes the tokens of a purpose for an account useless that were sent to another address than `email`.
pub fn revoke_elsewhere(conn: &mut Conn, user_id: UserId, purpose: Purpose, email: &str) -> QueryResult<()> {
    diesel::delete(
        mail_tokens::table
            .filter(mail_tokens::user_id.eq(user_id))
            .filter(mail_tokens::purpose.eq(purpose))
            .filter(mail_tokens::email.ne(email)),
    )
    .execute(conn)
    .map(drop)
}

/// Makes all tokens of a purpose for an account useless.
pub fn revoke(conn: &mut Conn, user_id: UserId, purpose: Purpose) -> QueryResult<()> {
    diesel::delete(mail_tokens::table.filter(mail_tokens::user_id.eq(user_id)).filter(mail_tokens::purpose.eq(purpose)))
        .execute(conn)
        .map(drop)
}

/// Makes all tokens for an account useless.
pub fn revoke_all(conn: &mut Conn, user_id: UserId) -> QueryResult<()> {
    diesel::delete(mail_tokens::table.filter(mail_tokens::user_id.eq(user_id))).execute(conn).map(drop)
}

/// Removes tokens that have stopped working; returns how many.
pub fn purge(conn: &mut Conn, now: Stamp) -> QueryResult<usize> {
    diesel::delete(mail_tokens::table.filter(mail_tokens::expires_at.le(now))).execute(conn)
}
