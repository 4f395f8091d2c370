//! The fake daemon: an HTTP server on loopback that is found like a real one.

use std::{
    fs::File,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use acp_sessions::api::{SessionId, Workspace};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::State as Extract,
    http::{HeaderMap, Method, Response, Uri},
};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{
    handlers,
    state::{Call, Reply, Route, Shared, State, Turn},
};

const TOKEN: &str = "the token of the fake daemon";

/// A running fake daemon. Dropped, it is gone, and with it all its connections.
pub struct Fake {
    shared: Arc<Shared>,
    data: PathBuf,
    runtime: Option<Runtime>,
    /// Held as a daemon that is alive holds it.
    owner: File,
}

impl Fake {
    /// A daemon with the workspace `editor`, published in the data directory `data`.
    pub fn start(data: &Path) -> Self {
        let shared = Arc::new(Shared::default());
        shared.with(|state| state.workspaces.push(workspace("editor")));
        let owner = File::create(data.join("owner.lock")).unwrap();
        owner.lock().unwrap();
        let data = data.to_owned();
        let mut fake = Self {
            shared,
            data,
            runtime: None,
            owner,
        };
        fake.restart(Some("1"));
        fake
    }

    /// Ends the server, with all its connections, and starts another one elsewhere that knows the
    /// same. `version` is what it says of itself.
    pub fn restart(&mut self, version: Option<&'static str>) {
        self.stop();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let shared = Arc::clone(&self.shared);
        let address = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let router = Router::new().fallback(
                move |method: Method,
                      uri: Uri,
                      headers: HeaderMap,
                      Extract(shared),
                      body: Bytes| {
                    serve(version, shared, method, uri, headers, body)
                },
            );
            let router = router.with_state(shared);
            tokio::spawn(async move { axum::serve(listener, router).await });
            address
        });
        self.publish(address);
        self.runtime = Some(runtime);
    }

    fn publish(&self, address: SocketAddr) {
        std::fs::write(self.data.join("token"), TOKEN).unwrap();
        let endpoint = serde_json::json!(
            {"pid": std::process::id(), "address": address, "version": "0"});
        std::fs::write(self.data.join("daemon.json"), endpoint.to_string()).unwrap();
    }

    /// Ends the server, with all its connections. It still holds its lock, as a daemon that hangs.
    pub fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    /// Answers on, but is no owner of the store any more.
    pub fn let_go(&self) {
        self.owner.unlock().unwrap();
    }

    /// Reads or changes what it knows.
    pub fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        self.shared.with(act)
    }

    /// Waits until it knows what is wanted.
    pub fn until(&self, what: &str, wanted: impl Fn(&State) -> bool) {
        self.shared.until(what, wanted);
    }

    /// Waits until this was asked so often.
    pub fn until_asked(&self, route: Route, times: usize) {
        self.until(&format!("{times} times {route:?}"), |state| {
            state.count(route) >= times
        });
    }

    /// The next requests of this kind are answered like this.
    pub fn script(&self, route: Route, replies: impl IntoIterator<Item = Reply>) {
        self.with(|state| state.replies.entry(route).or_default().extend(replies));
    }

    /// The next turns go like this.
    pub fn turns(&self, turns: impl IntoIterator<Item = Turn>) {
        self.with(|state| state.turns.extend(turns));
    }

    /// Lets through who waits at this gate.
    pub fn open(&self, gate: &'static str) {
        self.with(|state| state.open_gates.push(gate));
    }

    /// How often this was asked.
    pub fn count(&self, route: Route) -> usize {
        self.with(|state| state.count(route))
    }

    /// The latest request of this kind.
    pub fn last(&self, route: Route) -> Call {
        self.with(|state| state.last(route))
    }

    /// The session that was made as the `index`-th one.
    pub fn made(&self, index: usize) -> SessionId {
        self.with(|state| state.order[index].clone())
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A workspace of this name.
pub fn workspace(name: &str) -> Workspace {
    Workspace {
        id: format!("id-of-{name}"),
        name: name.to_owned(),
        session_count: 0,
        opened_at: "2026-01-01T00:00:00Z".to_owned(),
    }
}

async fn serve(
    version: Option<&'static str>,
    shared: Arc<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let (status, body) = if headers["authorization"] == format!("Bearer {TOKEN}") {
        match scripted(&shared, &method, uri.path(), &body).await {
            Some(said) => said,
            // The head is written, then the connection breaks.
            None => return respond(version, 200, broken()),
        }
    } else {
        (401, serde_json::json!({"error": "no or a wrong token"}))
    };
    respond(version, status, Body::from(body.to_string()))
}

fn respond(version: Option<&str>, status: u16, body: Body) -> Response<Body> {
    let mut response = Response::builder().status(status);
    if let Some(version) = version {
        response = response.header(acp_sessions::api::VERSION_HEADER, version);
    }
    response.body(body).unwrap()
}

fn broken() -> Body {
    let fault = std::io::Error::other("the connection breaks");
    Body::from_stream(futures::stream::once(async { Err::<Bytes, _>(fault) }))
}

/// What is answered; none if the answer is lost.
async fn scripted(
    shared: &Arc<Shared>,
    method: &Method,
    path: &str,
    body: &[u8],
) -> Option<(u16, Value)> {
    let (route, session) = route(method, path);
    let body = serde_json::from_slice(body).unwrap_or(Value::Null);
    let reply = shared.with(|state| {
        state.calls.push(Call {
            route,
            body: body.clone(),
        });
        state
            .replies
            .get_mut(&route)
            .and_then(|replies| replies.pop_front())
    });
    match reply {
        Some(Reply::Say(status, said)) => Some((status, said)),
        Some(Reply::Lost) => {
            handlers::answer(shared, route, session, body).await;
            None
        }
        Some(Reply::Gate(gate)) => {
            while !shared.lock().open_gates.contains(&gate) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let withdrawn = shared.with(|state| state.withdrawn.take());
            match withdrawn {
                Some(said) => Some((409, said)),
                None => Some(handlers::answer(shared, route, session, body).await),
            }
        }
        Some(Reply::Usual) | None => Some(handlers::answer(shared, route, session, body).await),
    }
}

fn route(method: &Method, path: &str) -> (Route, Option<SessionId>) {
    let parts: Vec<_> = path.trim_start_matches("/api/v1/").split('/').collect();
    let id = parts.get(1).and_then(|id| id.parse().ok());
    let route = match (method.as_str(), parts.as_slice()) {
        ("GET", ["info"]) => Route::Info,
        ("GET", ["workspaces"]) => Route::Workspaces,
        ("POST", ["sessions"]) => Route::Create,
        ("GET", ["sessions", _]) => Route::Look,
        ("POST", ["sessions", _, "prompt"]) => Route::Prompt,
        ("POST", ["sessions", _, "wait"]) => Route::Wait,
        ("POST", ["sessions", _, "interrupt-turn"]) => Route::Interrupt,
        ("POST", ["sessions", _, "suspend"]) => Route::Suspend,
        ("POST", ["sessions", _, "destroy"]) => Route::Destroy,
        _ => Route::Other,
    };
    (route, id)
}
