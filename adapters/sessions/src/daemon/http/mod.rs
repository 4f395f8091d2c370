//! The HTTP interface: who may ask, what they ask, and what they get. What is done about it is in
//! [`session`](super::session).
//!
//! Must stay true: every answer carries the version header, also a refusal; without the token nothing
//! is told but the contract itself; a request that begins something finishes it also if the client
//! goes away.

mod create;
mod extract;
mod guard;
mod lifecycle;
mod openapi;
mod read;
mod table;
mod turns;
mod work;
mod workspaces;

use std::sync::Arc;

use axum::{Router, extract::Request, middleware, routing::get};
use tokio::{net::TcpListener, task::JoinHandle};

use super::{Daemon, refusal::Refusal};
use crate::api::{BASE, routes};

/// What handlers get.
type Shared = Arc<Daemon>;

/// Serves until the daemon ends and all requests are answered.
pub(super) fn serve(daemon: &Shared, listener: TcpListener, token: &str) -> JoinHandle<()> {
    let ending = daemon.ending.clone();
    let router = router(daemon, token);
    tokio::spawn(async move {
        let served = axum::serve(listener, router).with_graceful_shutdown(ending.cancelled_owned());
        if let Err(error) = served.await {
            tracing::error!(%error, "the listener failed");
        }
    })
}

fn router(daemon: &Shared, token: &str) -> Router {
    let entries = table::table().into_iter();
    let api = entries
        .fold(Router::new(), |router, entry| {
            router.route(entry.path, entry.serves)
        })
        .fallback(unknown)
        .method_not_allowed_fallback(unknown)
        .layer(middleware::from_fn_with_state(
            guard::Token::new(token),
            guard::authorise,
        ))
        .layer(middleware::from_fn_with_state(
            Arc::clone(daemon),
            guard::while_serving,
        ))
        .route(routes::OPENAPI, get(openapi::document))
        .with_state(Arc::clone(daemon));
    Router::new()
        .nest(BASE, api)
        // The page holds nothing; what it shows it asks for with the token of its user.
        .merge(crate::web::router())
        .fallback(unknown)
        .layer(middleware::from_fn(guard::version))
}

async fn unknown(request: Request) -> Refusal {
    Refusal::no_route(request.method().as_str(), request.uri().path())
}
