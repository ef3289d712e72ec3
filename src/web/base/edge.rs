//! The outermost ring round a request: its number, its log lines, and the headers of every answer.

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage};
use tracing::Instrument;

use super::forwarded::{self, REQUEST_ID, RequestId, masked};
use super::route::public_path;
use crate::web::App;

/// Nothing from elsewhere, nothing inline, in no frame of others.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
    connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Numbers the request, logs it, and completes the answer. Every log line written while the request is worked on
/// carries its number, what was asked, and the visitor's
/// address without its last part.
pub async fn edge<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let Some(app) = request.app_data::<Data<App>>().cloned() else {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    };
    let (method, is_health) = (request.method().clone(), request.path() == HEALTH);
    // Pages that can be got can be asked about; the body is left out when the answer is written.
    if method == Method::HEAD {
        request.head_mut().method = Method::GET;
    }
    let path = public_path(app.routes, request.path());
    let trusted_proxies = app.figures.trusted_proxies;
    let id = RequestId::of(request.request(), trusted_proxies);
    let visitor = forwarded::visitor(request.request(), trusted_proxies).map(masked).unwrap_or_default();
    request.extensions_mut().insert(id.clone());
    // At this level it is there whenever any line is.
    let span = tracing::error_span!("request", id = id.text(), visitor, %method, path);
    let answer = async move {
        let response = next.call(request).await?.map_into_boxed_body();
        let status = response.status().as_u16();
        // JSON knows no larger numbers; in milliseconds they last for a while.
        let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if is_health {
            tracing::debug!(status, took_ms, "Answered.");
        } else {
            tracing::info!(status, took_ms, "Answered.");
        }
        Ok::<_, Error>(response)
    };
    let mut response = answer.instrument(span).await?;
    headers(response.headers_mut(), app.secure());
    response.headers_mut().insert(REQUEST_ID, id.header());
    Ok(response)
}

/// Asked every few seconds by supervisors: not worth a line each time.
const HEALTH: &str = "/healthz";

fn headers(headers: &mut header::HeaderMap, secure: bool) {
    let mut put = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    put(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY);
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(header::X_FRAME_OPTIONS, "DENY");
    put(header::REFERRER_POLICY, "same-origin");
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=(), interest-cohort=()");
    // Pages are the visitor's own and change with every phase.
    put(header::CACHE_CONTROL, "private, no-cache");
    if secure {
        put(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
}
