//! Invitations by name, by mail address and by link.

use chrono::TimeDelta;

use crate::mail::{self, Letter, Recipient};
use crate::store::seats::{self, InvitationRow};
use crate::store::users::{self, User};
use crate::store::{Conn, TableId, UserId, game_tables, new_id};

use crate::tables::{At, Ctx, FieldFault, Refused, access, letters, terms};

/// Most invitations to one table, so that it is no engine for unwanted mail.
const MOST_INVITED: usize = 20;

/// Most letters of invitation that somebody gets a day, whoever invites them and to whatever tables.
const LETTERS_A_DAY: i64 = 10;

/// Invites somebody to an open table by letter: `whom` is a player's name or a mail address. Whether an
/// address has an account is never told. Seated players and the creator may invite; somebody the creator took from a
/// seat is invited again by the creator only. Anyone who has had many invitations today gets no letter of this one; players
/// find the table among their own all the same.
pub fn invite(conn: &mut Conn, ctx: &Ctx, at: At, whom: &str) -> Result<(), Refused> {
    let At { now, table: table_id, user: user_id } = at;
    let table = access::lock(conn, ctx, table_id)?;
    if !access::may_see(conn, &table.row, Some(user_id), None)? {
        return Err(Refused::NoTable);
    }
    let seated = seats::of_table(conn, table_id)?;
    let sits = |id: UserId| seated.iter().any(|seated| seated.row.user_id == id);
    if !sits(user_id) && table.row.creator_id != user_id {
        return Err(Refused::NoSeat);
    }
    table.must_wait()?;
    let invited = seats::invitations(conn, table_id)?;
    if invited.len() >= MOST_INVITED {
        return Err(Refused::TooManyInvited(MOST_INVITED));
    }
    let guest = guest(conn, whom)?;
    if guest.user_id.is_some_and(sits) {
        return Err(Refused::AlreadySeated);
    }
    let mut barred = false;
    if let Some(account) = guest.account {
        if table.row.creator_id == user_id {
            seats::readmit(conn, table_id, account)?;
        }
        barred = seats::was_removed(conn, table_id, account)?;
    }
    if barred && guest.user_id.is_some() {
        return Err(Refused::HostInvites(whom.trim().to_owned()));
    }
    let again = invited.iter().any(|row| match (guest.user_id, &guest.email_key) {
        (Some(user_id), _) => row.user_id == Some(user_id),
        (None, key) => row.email_key == *key,
    });
    // Of an address it is not told either: the answer would differ for anyone who sat here and was taken from the seat.
    if again && guest.user_id.is_none() {
        return Ok(());
    }
    if again {
        return Err(Refused::Form(vec![FieldFault {
            field: "whom".to_owned(),
            message: format!("{} is already invited; the letter is on its way or has arrived.", whom.trim()),
        }]));
    }
    let row = InvitationRow {
        id: new_id(now),
        table_id,
        user_id: guest.user_id,
        email_key: guest.email_key.clone(),
        invited_by: user_id,
        created_at: now,
    };
    let lately = seats::invited_since(conn, guest.user_id, guest.email_key.as_deref(), now - TimeDelta::days(1))?;
    seats::invite(conn, &row)?;
    if lately >= LETTERS_A_DAY {
        return Ok(());
    }
    // An address must not be told to belong to somebody who sits here, or who was taken from a seat: as with any other,
    // and no letter.
    if barred || guest.account.is_some_and(sits) {
        return Ok(());
    }
    let by = users::find(conn, user_id)?.map_or_else(String::new, |user| user.name);
    let letter = Letter::Invitation {
        table: letters::table_ref(&table),
        by,
        url: ctx.site.url(&format!("/i/{}", table.row.invite_key)),
        options: terms::of_table(&table),
    };
    // By the invitation, not by the person: whoever was taken from a seat and is invited again hears of it.
    mail::queue(conn, &ctx.site, now, &guest.to, &letter, &format!("invitation:{}", row.id))?;
    Ok(())
}

/// Whom an invitation goes to.
struct Guest {
    to: Recipient,
    /// The account, when invited by name.
    user_id: Option<UserId>,
    /// The address, when invited by address.
    email_key: Option<String>,
    /// The account behind either; never told.
    account: Option<UserId>,
}

fn guest(conn: &mut Conn, whom: &str) -> Result<Guest, Refused> {
    let whom = whom.trim();
    if !whom.contains('@') {
        let unknown = || Refused::NoPlayer(whom.to_owned());
        let user = users::find_by_name(conn, whom)?.filter(User::is_active).ok_or_else(unknown)?;
        let to = Recipient::of(&user).ok_or_else(unknown)?;
        return Ok(Guest { to, user_id: Some(user.id), email_key: None, account: Some(user.id) });
    }
    let address = mail::check_address(whom)
        .map_err(|fault| Refused::Form(vec![FieldFault { field: "whom".to_owned(), message: fault.to_string() }]))?;
    let user = users::find_by_email(conn, &address)?.filter(User::is_active);
    let to = user.as_ref().and_then(Recipient::of).unwrap_or_else(|| Recipient::stranger(&address));
    let account = user.map(|user| user.id);
    Ok(Guest { to, user_id: None, email_key: Some(users::key(&address)), account })
}

/// The table an invitation link belongs to. A link that was changed since leads only those to the table who may see it
/// without; to everybody else it says the same, signed in or not.
pub fn by_invite_key(conn: &mut Conn, key: &str, viewer: Option<UserId>) -> Result<TableId, Refused> {
    if let Some(row) = game_tables::find_by_invite(conn, key)? {
        return Ok(row.id);
    }
    let row = game_tables::find_by_former_key(conn, key)?.ok_or(Refused::NoTable)?;
    if access::may_see(conn, &row, viewer, None)? { Ok(row.id) } else { Err(Refused::OldLink) }
}
