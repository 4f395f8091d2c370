//! One request and its answer, on a connection of their own.
//!
//! Apart from the calls because these are bytes and bounds: nothing here knows what is asked.
//!
//! Must stay true: it connects to loopback addresses only; an answer without our version header,
//! or with another major version, is never used, whatever its status; an answer has a bound and a
//! deadline; dropped before it is ready, it closes its connection.

use std::{net::SocketAddr, time::Duration};

use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::{Bytes, Incoming},
    client::conn::http1,
    header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, time::timeout};

use super::ClientError;
use crate::api::{VERSION, VERSION_HEADER};

/// The longest answer that is read, in bytes: a diff of a whole repository fits.
const LONGEST_ANSWER: usize = 64 << 20;

/// What is asked.
pub(super) struct Ask {
    pub(super) method: Method,
    /// With the query.
    pub(super) path: String,
    /// JSON.
    pub(super) body: Option<Vec<u8>>,
    /// How long the answer may take.
    pub(super) within: Duration,
}

impl Ask {
    /// As it is named in messages.
    pub(super) fn name(&self) -> String {
        let path = self.path.split('?').next().unwrap_or_default();
        format!("{} {path}", self.method)
    }
}

/// What came back, from a daemon of ours.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

/// Asks, and waits for the whole answer.
pub(super) async fn exchange(
    address: SocketAddr,
    token: &str,
    ask: &Ask,
) -> Result<Answer, ClientError> {
    let silent = |_| ClientError::TimedOut {
        request: ask.name(),
        seconds: ask.within.as_secs_f64(),
    };
    let within = timeout(ask.within, unbounded(address, token, ask));
    let (status, headers, body) = within.await.map_err(silent)??;
    ours(&headers).map_err(|found| ClientError::Foreign {
        address: address.to_string(),
        found,
    })?;
    Ok(Answer { status, body })
}

async fn unbounded(
    address: SocketAddr,
    token: &str,
    ask: &Ask,
) -> Result<(StatusCode, HeaderMap, Bytes), ClientError> {
    let unreachable = |source| ClientError::Unreachable {
        address: address.to_string(),
        source,
    };
    let lost = |reason: String| ClientError::Lost {
        request: ask.name(),
        reason,
    };
    let stream = TcpStream::connect(address).await.map_err(unreachable)?;
    // One small write and one small read: waiting to fill a packet would only cost time.
    stream.set_nodelay(true).map_err(unreachable)?;
    let request = request(address, token, ask).map_err(|error| lost(error.to_string()))?;
    let opened = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = opened.map_err(|error| lost(words(&error)))?;
    let answer = async move {
        let answer = sender.send_request(request).await;
        let (head, body) = answer.map_err(|error| words(&error))?.into_parts();
        let body = read(body).await?;
        // The connection ends when the sender is dropped, at the end of this block.
        drop(sender);
        Ok::<_, String>((head.status, head.headers, body))
    };
    // How the connection ends matters only as far as the answer is concerned.
    let (answer, _) = tokio::join!(answer, connection);
    answer.map_err(lost)
}

fn request(
    address: SocketAddr,
    token: &str,
    ask: &Ask,
) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
    Request::builder()
        .method(ask.method.clone())
        .uri(&ask.path)
        .header(HOST, address.to_string())
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header(CONTENT_TYPE, "application/json")
        .header(CONNECTION, "close")
        .body(Full::new(Bytes::from(ask.body.clone().unwrap_or_default())))
}

async fn read(body: Incoming) -> Result<Bytes, String> {
    let whole = Limited::new(body, LONGEST_ANSWER).collect().await;
    Ok(whole.map_err(|error| error.to_string())?.to_bytes())
}

/// Whether the answer is of a daemon with which we can talk; if not, what it says instead.
fn ours(headers: &HeaderMap) -> Result<(), String> {
    let Some(value) = headers.get(VERSION_HEADER) else {
        return Err(format!("its answer has no {VERSION_HEADER} header"));
    };
    let version = String::from_utf8_lossy(value.as_bytes());
    match version.trim().split('.').next() {
        Some(VERSION) => Ok(()),
        _ => Err(format!(
            "it speaks version {version:?} of the API, this program version {VERSION}"
        )),
    }
}

/// An error with its causes, as hyper hides them.
fn words(error: &hyper::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_major_version_is_ours() {
        let table = [
            (None, false),
            (Some("1"), true),
            (Some("1.4"), true),
            (Some("2"), false),
            (Some("10"), false),
            (Some(""), false),
        ];
        for (version, expected) in table {
            let mut headers = HeaderMap::new();
            if let Some(version) = version {
                headers.insert(VERSION_HEADER, version.parse().unwrap());
            }
            assert_eq!(ours(&headers).is_ok(), expected, "{version:?}");
        }
    }
}
