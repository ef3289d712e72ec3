//! For load balancers and supervisors: whether this process does its work.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::store::Health;
use crate::web::App;

/// How long the database may take to answer.
const LIMIT: Duration = Duration::from_secs(2);

/// `GET /healthz`: 200 and `ok`, or 503 and a line that says what is wrong.
pub async fn get(app: Data<App>) -> HttpResponse {
    let limit = LIMIT.min(app.db.patience());
    let fault = match app.db.health(limit).await {
        Health::Well => app.readiness.reason().map(|reason| format!("not ready: {reason}")),
        Health::Busy => Some(
            "busy: another program holds the write lock of the database; pages can be read, nothing can be stored"
                .to_owned(),
        ),
        Health::Silent => Some("the database does not answer".to_owned()),
        Health::Away(why) => {
            tracing::warn!(why, "The health check found no database.");
            Some("the database does not answer".to_owned())
        }
    };
    let mut response = if fault.is_none() { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    response.content_type("text/plain; charset=utf-8").body(format!("{}\n", fault.as_deref().unwrap_or("ok")))
}
