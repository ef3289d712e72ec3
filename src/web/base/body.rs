//! Reads what a request brings with it, whole and in time, before anybody looks at the request.
//!
//! Who sends a body decides when its headers arrive and when its last byte does. So a request counts as received when
//! it is here whole, and who sent it is looked up only then: a form held back for minutes must neither pass as early
//! nor be carried out for somebody who has signed out meanwhile. A visitor may have a few unfinished requests at a
//! time, each for a short while, so that nobody can hold all of the server's connections.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpMessage};
use parking_lot::Mutex;

use crate::web::PageError;

/// The whole body of a request, kept in its extensions for the form that is read from it.
#[derive(Clone, Debug, Default)]
pub struct Body(pub Bytes);

const TOO_MANY: &str = "Too many things were being sent from here at once.";

/// How requests may take their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyFigures {
    /// The longest that a whole body may take to arrive.
    pub patience: Duration,
    /// Most unfinished requests of one visitor.
    pub unfinished: usize,
}

impl Default for BodyFigures {
    fn default() -> BodyFigures {
        BodyFigures { patience: Duration::from_secs(15), unfinished: 32 }
    }
}

/// Counts unfinished requests by visitor.
#[derive(Clone, Debug, Default)]
pub struct Unfinished(Arc<Mutex<HashMap<String, usize>>>);

impl Unfinished {
    /// One more of this visitor; `None` when there are `most` already.
    fn begin(&self, visitor: String, most: usize) -> Option<Begun> {
        let mut counts = self.0.lock();
        let count = counts.entry(visitor.clone()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Begun { counts: self.clone(), visitor })
    }
}

/// An unfinished request; it is finished, in whatever way, when this is dropped.
struct Begun {
    counts: Unfinished,
    visitor: String,
}

impl Drop for Begun {
    fn drop(&mut self) {
        let mut counts = self.counts.0.lock();
        let left = counts.get_mut(&self.visitor).map_or(0, |count| {
            *count = count.saturating_sub(1);
            *count
        });
        if left == 0 {
            counts.remove(&self.visitor);
        }
    }
}

/// Reads the body of a request. `visitor`: as limits count them.
///
/// # Errors
/// [`PageError::TooSlow`] when it did not arrive in time, [`PageError::TooLarge`], [`PageError::Malformed`] when it
/// broke off, [`PageError::TooMany`] when the visitor has too many unfinished requests.
pub async fn read(
    request: &mut ServiceRequest,
    visitor: String,
    unfinished: &Unfinished,
    figures: BodyFigures,
) -> Result<Body, PageError> {
    let wait_s = figures.patience.as_secs().max(1);
    let begun = unfinished.begin(visitor, figures.unfinished).ok_or(PageError::TooMany { wait_s, reason: TOO_MANY })?;
    let mut payload: Payload = request.take_payload();
    let body = Bytes::from_request(request.request(), &mut payload);
    let body = actix_web::rt::time::timeout(figures.patience, body).await;
    drop(begun);
    match body {
        Ok(Ok(bytes)) => Ok(Body(bytes)),
        Ok(Err(error)) => Err(match error.as_error::<PayloadError>() {
            Some(PayloadError::Overflow) => PageError::TooLarge,
            _ => PageError::Malformed("The form arrived incompletely.".to_owned()),
        }),
        Err(_) => Err(PageError::TooSlow { limit_s: figures.patience.as_secs() }),
    }
}

/// A network address as limits count visitors: of IPv6 the half that belongs to one household.
pub fn counted(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.to_string(),
            None => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_requests_are_counted_by_visitor_and_forgotten_when_they_end() {
        let unfinished = Unfinished::default();
        let one = unfinished.begin("a".to_owned(), 2);
        let two = unfinished.begin("a".to_owned(), 2);
        assert!(one.is_some() && two.is_some());
        assert!(unfinished.begin("a".to_owned(), 2).is_none());
        assert!(unfinished.begin("b".to_owned(), 2).is_some());
        drop(one);
        assert!(unfinished.begin("a".to_owned(), 2).is_some());
        drop(two);
        assert!(unfinished.0.lock().is_empty(), "nothing is kept of who has finished");
    }

    #[test]
    fn visitors_of_one_household_are_one() {
        let counted = |text: &str| counted(text.parse().unwrap());
        assert_eq!(counted("203.0.113.7"), "203.0.113.7");
        assert_eq!(counted("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(counted("2001:db8:1:2:3::4"), counted("2001:db8:1:2:ffff::1"));
    }
}
