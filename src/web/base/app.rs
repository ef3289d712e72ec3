//! What every page needs apart from the request: the database, the clock, the settings, the limits.

use std::path::PathBuf;
use std::sync::Arc;

use diesel::QueryResult;
use diesel::result::Error as QueryError;

use super::hashing::Hashing;
use super::limits::{LimitFigures, Limits};
use super::{assets, body, route};
use crate::clock::Clock;
use crate::jobs::{Readiness, Wakers};
use crate::mail::Site;
use crate::store::{Conn, Database, Retry, Wait};
use crate::tables::{Ctx, Marks};
use crate::web::play::checked::Checked;

/// Most bytes a form may send. The longest plot and the longest loadout are far below it.
pub const BODY_LIMIT: usize = 128 * 1024;

/// What the site needs to know from the configuration.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Proxies of the operator's that each request passes through: what they say of it is believed (see
    /// [`super::forwarded`]).
    pub trusted_proxies: usize,
    /// Folder of the folder transport, whose letters `/mail` shows; `None` with SMTP, and there is no such page.
    pub mail_folder: Option<PathBuf>,
    /// How often what may be tried.
    pub limits: LimitFigures,
    /// How requests may take their time.
    pub bodies: body::BodyFigures,
    /// Ranked games a player has to finish before the leaderboards list them.
    pub least_games: u32,
}

/// Everything a page needs apart from the request. One for the process, shared by all workers.
pub struct App {
    /// The database.
    pub db: Database,
    /// The clock. A request's time is taken once, when all of it is here, and decides whether it is in time; what it
    /// sets going starts at the time of its transaction.
    pub clock: Clock,
    /// The site's name and address. With `https` cookies are marked secure and browsers told to stay on https.
    pub site: Site,
    /// All pages and forms.
    pub routes: &'static [route::Route],
    /// What the configuration says.
    pub figures: Figures,
    /// Style sheets and scripts with their addresses.
    pub assets: Arc<assets::Assets>,
    /// Wakes the loops after a write that set a timer or queued a letter.
    pub wakers: Wakers,
    /// Rate limits.
    pub limits: Limits,
    /// Whose turn it is to have a password hashed.
    pub hashing: Hashing,
    /// Requests that have not arrived whole yet.
    pub unfinished: body::Unfinished,
    /// Checks of finished tables.
    pub checked: Checked,
    /// What the use cases of tables need: the games of this server and the site.
    pub ctx: Ctx,
    /// What players have seen and what is not noted yet; the loop that fires deadlines notes it first.
    pub marks: Marks,
    /// Whether the loops of this process are ready, for the health check.
    pub readiness: Readiness,
}

impl App {
    /// Whether visitors reach the site by https.
    pub fn secure(&self) -> bool {
        self.site.base_url.starts_with("https://")
    }

    /// Runs database work off the reactor, as long as the database answers (see [`Database::run`]). A handler does this
    /// once: read what it needs, or one use case.
    pub async fn block<T, E>(&self, work: impl FnOnce(&Database) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<QueryError> + Send + 'static,
    {
        let span = tracing::Span::current();
        // So that what is logged meanwhile says to which request it belongs.
        self.db.run(move |db| span.in_scope(|| work(db))).await
    }

    /// Runs database work that hashes a password off the reactor, when its turn comes. When too many wait already the
    /// visitor is asked to try again: the error is that of a busy database.
    pub async fn block_hashing<T, E>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<QueryError> + Send + 'static,
    {
        let turn = self.hashing.turn().await.map_err(|full| E::from(QueryError::from(Wait::Busy(full.to_string()))))?;
        self.block(move |db| {
            // Until the work is done, also when nobody waits for the answer any more.
            let _turn = turn;
            work(db)
        })
        .await
    }

    /// Runs a read off the reactor.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> QueryResult<T> + Send + 'static,
    ) -> QueryResult<T> {
        self.block(move |db| db.read(work)).await
    }

    /// Runs one write transaction off the reactor; `work` may be called more than once.
    pub async fn write<T, E>(&self, work: impl FnMut(&mut Conn) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<QueryError> + Retry + Send + 'static,
    {
        self.block(move |db| db.write(work)).await
    }
}
