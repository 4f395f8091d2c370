//! One request to a model server, until its reply begins.
//!
//! Must stay true: no redirect is followed, because the key would go along; and an error holds
//! neither the URL nor a header.

use std::{error::Error as _, net::IpAddr, time::Duration};

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{
        ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
    },
    redirect,
};
use tokio::time::{Instant, timeout, timeout_at};
use url::Host;

use super::{
    Settings, Wire, anthropic,
    failure::Failure,
    key::Key,
    limits::{MAX_ERROR, Patience},
    words::{self, Words},
};
use crate::http::tls;

/// By which servers of both makers say whether asking again makes sense.
const SHOULD_RETRY: &str = "x-should-retry";

/// How long the text of an error may take to come.
const ERROR_TEXT: Duration = Duration::from_secs(10);

/// Where a model is.
#[derive(Debug)]
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    key: Option<Key>,
    patience: Patience,
}

/// A reply that has begun, or none because the prompt was refused as a whole.
pub(super) enum Answer {
    Reply(Response),
    Refused,
}

impl Endpoint {
    /// The server of these settings. Nothing is sent.
    pub(super) fn new(settings: &Settings) -> Result<Self, String> {
        let url = place(settings.wire, &settings.url);
        let tls = match url.scheme() {
            "https" => tls::of_the_system(),
            _ => tls::none(),
        };
        let mut client = Client::builder()
            .tls_backend_preconfigured(tls.map_err(|error| error.to_string())?)
            .default_headers(headers(settings.wire, settings.key.as_ref()))
            .connect_timeout(settings.patience.connect)
            .redirect(redirect::Policy::none());
        if is_local(&url) {
            // A proxy for the world outside does not know what is on this machine.
            client = client.no_proxy();
        }
        Ok(Self {
            client: client.build().map_err(|error| causes(&error))?,
            url,
            key: settings.key.clone(),
            patience: settings.patience,
        })
    }

    /// Asks for a reply.
    pub(super) async fn ask(&self, body: Vec<u8>) -> Result<Answer, Failure> {
        let request = self.client.post(self.url.clone()).body(body);
        let waited = self.patience.answer;
        let response = match timeout(waited, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(Failure::Unreachable(causes(&error.without_url()))),
            Err(_) => {
                let what = "did not answer";
                return Err(Failure::Late { what, waited });
            }
        };
        let status = response.status();
        if status.is_success() {
            return match kind(&response) {
                "" | "text/event-stream" => Ok(Answer::Reply(response)),
                _ => Err(Failure::Garbage("it is no stream of events".to_owned())),
            };
        }
        let retry_after = retry_after(response.headers());
        let hopeless = response
            .headers()
            .get(SHOULD_RETRY)
            .is_some_and(|no| no == "false");
        let words = error_words(response).await;
        if status.is_client_error() && words.refusing {
            return Ok(Answer::Refused);
        }
        Err(Failure::Status {
            status,
            words: words.text,
            retry_after,
            lasting: words.lasting || hopeless || status == StatusCode::NOT_IMPLEMENTED,
        })
    }

    /// A text of the server, without the key.
    pub(super) fn redact(&self, text: &str) -> String {
        match &self.key {
            Some(key) => key.redact(text),
            None => text.to_owned(),
        }
    }
}

/// The address for replies, below the base that was given. Anthropic's has no version in its base,
/// and many people write one all the same.
fn place(wire: Wire, base: &Url) -> Url {
    let mut url = base.clone();
    let path = base.path().trim_end_matches('/');
    let path = match wire {
        Wire::OpenAi => format!("{path}/chat/completions"),
        Wire::Anthropic if path.ends_with("/v1") => format!("{path}/messages"),
        Wire::Anthropic => format!("{path}/v1/messages"),
    };
    url.set_path(&path);
    url
}

fn headers(wire: Wire, key: Option<&Key>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let (name, scheme) = match wire {
        Wire::OpenAi => (AUTHORIZATION, "Bearer "),
        Wire::Anthropic => {
            let version = HeaderValue::from_static(anthropic::VERSION);
            headers.insert(HeaderName::from_static("anthropic-version"), version);
            (HeaderName::from_static("x-api-key"), "")
        }
    };
    if let Some(value) = key.and_then(|key| key.header(scheme)) {
        headers.insert(name, value);
    }
    headers
}

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    }
}

/// The type of a body, without its parameters.
fn kind(response: &Response) -> &str {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim()
}

/// How long the server wants us to wait: so many seconds, or until a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    // A date that has passed is no wait at all.
    let wait = date.duration_since(std::time::SystemTime::now());
    Some(wait.unwrap_or_default())
}

/// What the body of an error says, as far as it comes.
async fn error_words(mut response: Response) -> Words {
    let deadline = Instant::now() + ERROR_TEXT;
    let mut body = Vec::new();
    while let Ok(Ok(Some(chunk))) = timeout_at(deadline, response.chunk()).await {
        let room = MAX_ERROR - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == MAX_ERROR {
            break;
        }
    }
    words::of_body(&body)
}

/// An error down to its first cause, each in a few words.
pub(super) fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_replies_are() {
        for (wire, base, expected) in [
            (Wire::OpenAi, "http://h/v1", "http://h/v1/chat/completions"),
            (Wire::OpenAi, "http://h/v1/", "http://h/v1/chat/completions"),
            (
                Wire::OpenAi,
                "http://h/v1?a=b",
                "http://h/v1/chat/completions?a=b",
            ),
            (Wire::Anthropic, "http://h", "http://h/v1/messages"),
            (Wire::Anthropic, "http://h/v1/", "http://h/v1/messages"),
            (Wire::Anthropic, "http://h/x", "http://h/x/v1/messages"),
        ] {
            let place = place(wire, &Url::parse(base).unwrap());
            assert_eq!(place.as_str(), expected);
        }
    }

    #[test]
    fn how_long_to_wait() {
        let wait = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(text).unwrap());
            retry_after(&headers)
        };
        assert_eq!(wait("3"), Some(Duration::from_secs(3)));
        assert_eq!(wait("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("-1"), None);
        assert_eq!(wait("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new()), None);
        let later = std::time::SystemTime::now() + Duration::from_secs(3600);
        assert!(wait(&httpdate::fmt_http_date(later)) > Some(Duration::from_secs(3500)));
    }

    #[test]
    fn what_is_on_this_machine() {
        for (url, local) in [
            ("http://127.0.0.1:1/", true),
            ("http://localhost/", true),
            ("http://[::1]/", true),
            ("http://192.0.2.1/", false),
            ("http://localhost.example/", false),
        ] {
            assert_eq!(is_local(&Url::parse(url).unwrap()), local, "{url}");
        }
    }
}
