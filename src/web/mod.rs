//! The site: one file a page, get and post together. Knows HTTP and HTML, and leaves every decision
//! about tables and accounts to the use cases it calls.

pub mod accounts;
pub mod base;
pub mod boards;
pub mod library;
pub mod lobby;
pub mod play;
mod routes;

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use actix_web::HttpServer;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Data, ServiceConfig};
use diesel::QueryResult;
use diesel::result::Error as QueryError;

use crate::accounts::is_signed_in;
use crate::clock::Clock;
use crate::jobs::{Readiness, Wakers};
use crate::mail::Site;
use crate::store::{Conn, Database, Retry, Stamp, Wait};
use crate::tables::{self, Ctx, Marks, Refused};

pub use base::error::PageError;
pub use base::forms::Form;
pub use base::hashing::Hashing;
pub use base::limits::{LimitFigures, Limits};
pub use base::page::{Notice, Page, render};
pub use base::posted::Posted;
pub use base::visitor::{Me, SignedIn, Visitor};
pub use routes::ROUTES;

use play::checked::Checked;

/// Most bytes a form may send. The longest plot and the longest loadout are far below it.
pub const BODY_LIMIT: usize = 128 * 1024;

/// What the site needs to know from the configuration.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Proxies of the operator's that each request passes through: what they say of it is believed (see
    /// [`base::forwarded`]).
    pub trusted_proxies: usize,
    /// Folder of the folder transport, whose letters `/mail` shows; `None` with SMTP, and there is no such page.
    pub mail_folder: Option<PathBuf>,
    /// How often what may be tried.
    pub limits: LimitFigures,
    /// How requests may take their time.
    pub bodies: base::body::BodyFigures,
    /// Ranked games a player has to finish before the leaderboards list them.
    pub least_games: u32,
}

/// Everything a page needs besides the request. One for the process, shared by all workers.
pub struct App {
    /// The database.
    pub db: Database,
    /// The clock. A request's time is taken once, when all of it is here, and decides whether it is in time; what it
    /// sets going starts at the time of its transaction.
    pub clock: Clock,
    /// The site's name and address. With `https` cookies are marked secure and browsers told to stay on https.
    pub site: Site,
    /// All pages and forms.
    pub routes: &'static [base::route::Route],
    /// What the configuration says.
    pub figures: Figures,
    /// Style sheets and scripts with their addresses.
    pub assets: Arc<base::assets::Assets>,
    /// Wakes the loops after a write that set a timer or queued a letter.
    pub wakers: Wakers,
    /// Rate limits.
    pub limits: Limits,
    /// Whose turn it is to have a password hashed.
    pub hashing: Hashing,
    /// Requests that have not arrived whole yet.
    pub unfinished: base::body::Unfinished,
    /// Checks of finished tables.
    pub checked: play::checked::Checked,
    /// What the use cases of tables need: the games of this server and the site.
    pub ctx: Ctx,
    /// What players have seen and what is not noted yet; the loop that fires deadlines notes it first.
    pub marks: Marks,
    /// Whether the loops of this process are ready, for the health check.
    pub readiness: Readiness,
}

impl App {
    /// Puts the parts together.
    pub fn new(db: Database, clock: Clock, wakers: Wakers, ctx: Ctx, figures: Figures) -> App {
        let limits = Limits::new(&figures.limits);
        let assets = Arc::new(base::assets::Assets::new());
        let (hashing, checked, unfinished) = (Hashing::new(), Checked::default(), base::body::Unfinished::default());
        let (marks, readiness) = (Marks::default(), Readiness::default());
        let (site, routes) = (ctx.site.clone(), ROUTES);
        App {
            db,
            clock,
            site,
            routes,
            figures,
            assets,
            wakers,
            limits,
            hashing,
            checked,
            unfinished,
            ctx,
            marks,
            readiness,
        }
    }

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

    /// Runs one write transaction off the reactor; `work` may be called more than once.
    pub async fn write<T, E>(&self, work: impl FnMut(&mut Conn) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<QueryError> + Retry + Send + 'static,
    {
        self.block(move |db| db.write(work)).await
    }
}

/// All routes, with what stands before each page: the request log, the security headers, the visitor and
/// the error pages. Expects the [`App`] as application data.
pub fn configure(config: &mut ServiceConfig) {
    config.service(
        web::scope("")
            .wrap(from_fn(base::shell::shell))
            .wrap(Compress::default())
            .wrap(from_fn(base::edge::edge))
            .configure(|config| base::route::configure(ROUTES, config))
            .default_service(web::to(base::route::nothing_here)),
    );
}

/// Serves the site on a bound listener until it is told to stop by its handle; running requests are finished
/// then. Signals are the caller's business.
pub fn serve(app: Data<App>, listener: TcpListener, workers: usize) -> std::io::Result<actix_web::dev::Server> {
    let server = HttpServer::new(move || {
        actix_web::App::new().app_data(app.clone()).app_data(web::PayloadConfig::new(BODY_LIMIT)).configure(configure)
    })
    .workers(workers.max(1))
    // A compressed page is written in pieces; held back for the other side's acknowledgement, the last would wait.
    .tcp_nodelay(true)
    .disable_signals()
    .worker_max_blocking_threads(16)
    .shutdown_timeout(10)
    .listen(listener)?;
    Ok(server.run())
}
