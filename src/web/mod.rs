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
use std::sync::Arc;

use actix_web::HttpServer;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Data, ServiceConfig};

use crate::clock::Clock;
use crate::jobs::{Readiness, Wakers};
use crate::store::Database;
use crate::tables::{Ctx, Marks};
use play::checked::Checked;

pub use base::app::{App, BODY_LIMIT, Figures};
pub use base::error::PageError;
pub use base::forms::Form;
pub use base::hashing::Hashing;
pub use base::limits::{LimitFigures, Limits};
pub use base::page::{Notice, Page, render};
pub use base::posted::Posted;
pub use base::visitor::{Me, SignedIn, Visitor};
pub use routes::ROUTES;

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
}

/// All routes, with what comes before each page: the request log, the security headers, the visitor and
/// the error pages. Expects the [`App`] as application data.
pub fn configure(config: &mut ServiceConfig) {
    config.service(
        web::scope("")
            .wrap(from_fn(base::shell::shell))
            .wrap(Compress::default())
            .wrap(from_fn(base::edge::edge))
            .configure(|config| base::routing::configure(ROUTES, config))
            .default_service(web::to(base::routing::nothing_here)),
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
