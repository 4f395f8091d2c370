//! One message to an HTTP server, and what comes back for it.
//!
//! Must stay true: what is said of a failure holds neither the URL nor a header, because both may
//! hold a secret; and no redirect is followed, because the headers would go along.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

use std::{
    error::Error as _,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use rustls::ClientConfig;

use super::super::failure::StartError;
use crate::{acp, http::tls};

/// To the first byte of a connection.
const CONNECT: Duration = Duration::from_secs(10);

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// A server, and what it has told us to repeat with each message.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    repeated: Arc<Mutex<HeaderMap>>,
}

impl Endpoint {
    /// The server at this address, with the headers that the client gave.
    pub(super) fn new(server: &acp::McpServerHttp) -> Result<Self, StartError> {
        let url = Url::parse(&server.url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| StartError::Http("its URL is no http or https URL".to_owned()))?;
        let mut headers = HeaderMap::new();
        for header in &server.headers {
            let name = HeaderName::from_bytes(header.name.as_bytes());
            let value = HeaderValue::from_str(&header.value);
            let (Ok(name), Ok(mut value)) = (name, value) else {
                let name = &header.name;
                return Err(StartError::Http(format!(
                    "the header {name:?} cannot be sent"
                )));
            };
            value.set_sensitive(true);
            headers.append(name, value);
        }
        let client = Client::builder()
            .tls_backend_preconfigured(tls()?)
            .default_headers(headers)
            .connect_timeout(CONNECT)
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| StartError::Http(words(error)))?;
        Ok(Self {
            client,
            url,
            repeated: Arc::default(),
        })
    }

    /// Sends a message.
    pub(super) async fn post(&self, message: String) -> Result<Response, String> {
        let request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .headers(self.repeated())
            .body(message);
        let response = request.send().await.map_err(words)?;
        if let Some(session) = response.headers().get(SESSION) {
            self.repeat(SESSION, session.clone());
        }
        let status = response.status();
        if status.is_success() {
            Ok(response)
        } else {
            Err(refusal(status))
        }
    }

    /// Opens the stream of what the server says unasked; nothing where it has none.
    pub(super) async fn listen(&self) -> Option<Response> {
        let request = self
            .client
            .get(self.url.clone())
            .header(ACCEPT, "text/event-stream")
            .headers(self.repeated());
        let response = request.send().await.ok()?;
        response.status().is_success().then_some(response)
    }

    /// Ends the session at the server, if there is one.
    pub(super) async fn delete(&self) {
        let repeated = self.repeated();
        if repeated.contains_key(SESSION) {
            let request = self.client.delete(self.url.clone()).headers(repeated);
            // Servers may refuse it, and then end it in their own time.
            let _ = request.send().await;
        }
    }

    /// The version that both sides speak, which each further message names.
    pub(super) fn speak(&self, version: &str) {
        if let Ok(version) = HeaderValue::from_str(version) {
            self.repeat(VERSION, version);
        }
    }

    fn repeat(&self, name: &'static str, value: HeaderValue) {
        let mut repeated = self.repeated.lock().unwrap_or_else(PoisonError::into_inner);
        repeated.insert(HeaderName::from_static(name), value);
    }

    fn repeated(&self) -> HeaderMap {
        let repeated = self.repeated.lock().unwrap_or_else(PoisonError::into_inner);
        repeated.clone()
    }
}

/// TLS with the certificates of the system. Read once, and only when a session has such a server.
fn tls() -> Result<ClientConfig, StartError> {
    static CONFIG: OnceLock<Result<ClientConfig, String>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| tls::of_the_system().map_err(|error| error.to_string()));
    config.clone().map_err(StartError::Http)
}

/// What a status means, with what to do.
fn refusal(status: StatusCode) -> String {
    let hint = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            ": it wants other credentials; give them in the headers of the server"
        }
        StatusCode::NOT_FOUND => ": there is no MCP server at this address, or its session is over",
        status if status.is_redirection() => ": it is elsewhere; redirects are not followed",
        _ => "",
    };
    format!("HTTP {status}{hint}")
}

/// A failure down to its first cause.
fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = format!("it cannot be reached: {error}");
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
