//! What a browser keeps for longer than a session: its own secret, by which accounts know it again, and a sign-up that
//! was made in it and waits for its address to be confirmed.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use data_encoding::BASE64URL_NOPAD;

use super::cookies::{self, Name};
use super::page::own_path;
use crate::accounts;
use crate::store::{UserId, new_token};
use crate::web::{App, PageError};

/// The browser of a request.
pub struct Device {
    /// Its own secret; a new one when it brought none.
    pub key: String,
    /// The sign-up that was made in it and waits, as far as the browser says.
    pub waiting: Option<WaitingHere>,
    fresh: bool,
    secure: bool,
}

/// A sign-up as the browser remembers it. Whether it still waits is in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingHere {
    /// The account.
    pub user_id: UserId,
    /// The address as it was typed.
    pub address: String,
    /// Where the visitor wanted to go when they signed up: a path of this site.
    pub next: String,
}

impl Device {
    /// Under which name the tries of this browser for an account are counted; see [`accounts::known_as`].
    pub async fn known_as(&self, app: &App, name_or_address: &str) -> Result<Option<String>, PageError> {
        if self.fresh {
            return Ok(None);
        }
        let (key, who) = (self.key.clone(), name_or_address.to_owned());
        Ok(app.read(move |conn| accounts::known_as(conn, &who, &key)).await?)
    }

    /// Lets the browser keep its secret for another while.
    pub fn keep(&self, response: &mut HttpResponse) -> Result<(), PageError> {
        let cookie = cookies::make(Name::Browser, self.key.clone(), self.secure);
        response.add_cookie(&cookie).map_err(PageError::internal)
    }

    /// Lets the browser remember a sign-up, or forget it.
    pub fn remember(&self, response: &mut HttpResponse, waiting: Option<&WaitingHere>) -> Result<(), PageError> {
        let cookie = match waiting {
            Some(waiting) => cookies::make(Name::Waiting, waiting.write(), self.secure),
            None => cookies::clear(Name::Waiting, self.secure),
        };
        response.add_cookie(&cookie).map_err(PageError::internal)
    }
}

impl WaitingHere {
    fn write(&self) -> String {
        let address: String = self.address.chars().take(254).collect();
        // A long way back is not worth a cookie that the server would refuse.
        let next = if self.next.len() <= 1000 { self.next.as_str() } else { "/" };
        BASE64URL_NOPAD.encode(format!("{}\n{next}\n{address}", self.user_id).as_bytes())
    }

    fn read(value: &str) -> Option<WaitingHere> {
        let text = String::from_utf8(BASE64URL_NOPAD.decode(value.as_bytes()).ok()?).ok()?;
        let mut lines = text.splitn(3, '\n');
        let user_id = lines.next()?.parse().ok()?;
        let next = own_path(lines.next()?)?.to_owned();
        Some(WaitingHere { user_id, next, address: lines.next()?.to_owned() })
    }
}

impl FromRequest for Device {
    type Error = PageError;
    type Future = Ready<Result<Device, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let secure = request.app_data::<Data<App>>().is_some_and(|app| app.secure());
        let made = new_token();
        let brought = cookies::read(request, Name::Browser, secure).filter(|key| key.len() == made.len());
        let waiting = cookies::read(request, Name::Waiting, secure).and_then(|value| WaitingHere::read(&value));
        ready(Ok(Device { fresh: brought.is_none(), key: brought.unwrap_or(made), waiting, secure }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_up_survives_its_cookie() {
        let waiting =
            WaitingHere {
                user_id: UserId(77), address: "kira@müller.example".to_owned(), next: "/i/x?y=1".to_owned()
            };
        assert_eq!(WaitingHere::read(&waiting.write()), Some(waiting.clone()));
        let elsewhere = WaitingHere { next: "//evil.example".to_owned(), ..waiting };
        assert_eq!(WaitingHere::read(&elsewhere.write()), None);
        assert_eq!(WaitingHere::read("nonsense?"), None);
        assert_eq!(WaitingHere::read(""), None);
    }
}
