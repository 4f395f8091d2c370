//! The MCP server with which an agent in a loop says when it goes on, or that it is done.
//!
//! It has no voice of its own: it posts to the runner's [`bridge`], which tells the
//! host. A call with bad arguments is answered in words, because the agent can do better then.

use std::{
    env,
    io::{self, BufRead, Read as _, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    bridge,
    mcp::{self, Tools, tool},
};

/// The variable that says that the colony is a loop.
pub const LOOP: &str = "COLONIZER_LOOP";
/// The variable that says that the loop paces itself.
pub const SELF_PACED: &str = "COLONIZER_LOOP_SELF_PACED";

/// The shortest and the longest pause of a loop, in minutes.
pub const SOONEST: u32 = 15;
/// See [`SOONEST`].
pub const LATEST: u32 = 1440;

/// How long the runner may take to answer.
const DEADLINE: Duration = Duration::from_secs(10);

/// The most bytes of its answer.
const MAX_ANSWER: u64 = 64 * 1024;

/// Serves an agent until the input ends.
///
/// # Errors
/// The variables of the bridge are not set, or reading or writing failed.
pub fn serve(input: impl BufRead, output: impl Write) -> io::Result<()> {
    let variable = |name: &str| {
        env::var(name)
            .map_err(|_| io::Error::other(format!("{name} is not set; the runner sets it")))
    };
    let mut tools = LoopTools {
        url: variable(bridge::URL)?,
        token: variable(bridge::TOKEN)?,
        is_self_paced: env::var(SELF_PACED).as_deref() == Ok("true"),
    };
    mcp::serve(&mut tools, input, output)
}

struct LoopTools {
    url: String,
    token: String,
    is_self_paced: bool,
}

impl Tools for LoopTools {
    fn name(&self) -> &'static str {
        "colonizer_loop"
    }

    fn list(&self) -> Vec<Value> {
        let reason = ("reason", "string", "why, for the log", true);
        let mut tools = vec![tool(
            "loop_stop",
            "Say that this loop has nothing left to do. It is not started again.",
            &[reason],
        )];
        if self.is_self_paced {
            let delay = ("delay_minutes", "number", "15 to 1440", true);
            tools.push(tool(
                "loop_next",
                "Say in how many minutes this loop is to go on.",
                &[delay, reason],
            ));
        }
        tools
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Option<String> {
        let is_next = name == "loop_next" && self.is_self_paced;
        if !is_next && name != "loop_stop" {
            return None;
        }
        let reason = arguments["reason"].as_str().unwrap_or_default().trim();
        if reason.is_empty() {
            return Some("Refused: a reason is needed.".to_owned());
        }
        if !is_next {
            let done = "The loop is stopped.".to_owned();
            return Some(self.post("/loop_stop", &json!({"reason": reason}), done));
        }
        let Some(minutes) = arguments["delay_minutes"].as_f64() else {
            return Some("Refused: delay_minutes must be a number.".to_owned());
        };
        let minutes = minutes.round().clamp(SOONEST.into(), LATEST.into()) as u32;
        let body = json!({"delay_minutes": minutes, "reason": reason});
        let done = format!("The loop goes on in {minutes} minutes.");
        Some(self.post("/loop_next", &body, done))
    }
}

impl LoopTools {
    /// Tells the runner, and says how that went.
    fn post(&self, path: &str, body: &Value, done: String) -> String {
        match self.try_post(path, body) {
            Ok(answer) => match answer["error"].as_str() {
                Some(error) => format!("Refused: {error}."),
                None => done,
            },
            Err(error) => format!("Failed: the runner cannot be told: {error}."),
        }
    }

    fn try_post(&self, path: &str, body: &Value) -> io::Result<Value> {
        let address = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.set_write_timeout(Some(DEADLINE))?;
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.token,
            body.len()
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.take(MAX_ANSWER).read_to_string(&mut answer)?;
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .ok_or_else(|| io::Error::other("the answer is cut off"))?;
        if !head.starts_with("HTTP/1.1 200") {
            let status = head.lines().next().unwrap_or_default();
            return Err(io::Error::other(status.to_owned()));
        }
        serde_json::from_str(body).map_err(io::Error::other)
    }
}
