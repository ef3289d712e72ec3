//! How a signed-in player changes something: in a transaction that looks at their session once more.

use super::app::App;
use super::visitor::SignedIn;
use crate::accounts::is_signed_in;
use crate::store::{Conn, Stamp};
use crate::tables::{self, Ctx, Refused};

impl App {
    /// Runs a use case that changes something for a signed-in player, off the reactor. `work` gets the time of its
    /// transaction, from which clocks start. In the same transaction the session is looked at once more: a player who
    /// has signed out everywhere or deleted the account meanwhile changes nothing any more.
    pub async fn act<T: Send + 'static>(
        &self,
        me: &SignedIn,
        mut work: impl FnMut(&mut Conn, &Ctx, Stamp) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        let (ctx, enter) = (self.ctx.clone(), self.enter(me));
        self.block(move |db| {
            tables::run(db, |conn| {
                let now = enter(conn)?;
                work(conn, &ctx, now)
            })
        })
        .await
    }

    /// What begins each transaction of a signed-in player, see [`App::act`]: refuses when the session is over, and
    /// returns the time.
    pub fn enter(&self, me: &SignedIn) -> impl Fn(&mut Conn) -> Result<Stamp, Refused> + Send + Sync + 'static {
        let (clock, session_id, user_id) = (self.clock.clone(), me.me.session_id.clone(), me.me.user_id);
        move |conn| match is_signed_in(conn, &session_id, user_id)? {
            true => Ok(clock.now()),
            false => Err(Refused::SignedOut),
        }
    }
}
