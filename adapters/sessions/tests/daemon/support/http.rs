//! The least HTTP client: it shares no code with the product's own.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// Longer than any wait of a test.
const DEADLINE: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// The value of the version header.
    pub version: Option<String>,
    /// The body as it came.
    pub text: String,
}

impl Answer {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The text of a refusal with this status.
    #[track_caller]
    pub fn refusal(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        self.json()["error"].as_str().unwrap().to_owned()
    }
}

/// Sends a request and reads the whole answer. An error is a daemon that is gone.
pub fn ask(
    address: SocketAddr,
    token: Option<&str>,
    method: &str,
    path: &str,
    body: &str,
) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, DEADLINE)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let authorization = token.map_or(String::new(), |token| {
        format!("authorization: Bearer {token}\r\n")
    });
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{authorization}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::other(format!("no answer: {line:?}")))?;
    let (mut version, mut length) = (None, None);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name {
            "acp-sessions-api-version" => version = Some(value.to_owned()),
            "content-length" => length = value.parse().ok(),
            _ => {}
        }
    }
    let mut body = Vec::new();
    reader.read_to_end(&mut body)?;
    if length.is_some_and(|length: usize| length != body.len()) {
        return Err(std::io::Error::other("the answer was cut off"));
    }
    let text = String::from_utf8(body).map_err(std::io::Error::other)?;
    Ok(Answer {
        status,
        version,
        text,
    })
}
