//! A contender with a session in it, and the few things that are said to it.
//!
//! All words are the bench's own, and need no escaping.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup>

use std::time::Duration;

use serde::Deserialize;

use crate::{
    connection::Connection,
    contender::{Contender, Role},
    deadline::Deadline,
    fault::Fault,
    folders::Place,
};

/// How long any answer may take. Products that start a runtime for each session take seconds.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A prompt whose answer costs a model next to nothing.
pub const SHORT: &str = "Reply with exactly OK and nothing else.";

/// A connection that is initialized, with one session.
#[derive(Debug)]
pub struct Session {
    /// The contender.
    pub connection: Connection,
    /// The session's id.
    pub id: String,
    // Removed last: the contender works in it.
    place: Place,
}

impl Session {
    /// Starts a contender and makes a session.
    ///
    /// # Errors
    /// It does not come to that.
    pub fn start(contender: &Contender, place: Place) -> Result<Self, Fault> {
        let mut connection = Connection::start(contender, &place)?;
        initialize(&mut connection)?;
        let id = new(&mut connection, &place)?;
        Ok(Self {
            connection,
            id,
            place,
        })
    }

    /// Where the contender works.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Goes on in a new session of the same process.
    ///
    /// # Errors
    /// It is refused.
    pub fn renew(&mut self) -> Result<(), Fault> {
        self.id = new(&mut self.connection, &self.place)?;
        Ok(())
    }

    /// One whole turn.
    ///
    /// # Errors
    /// It does not end with `end_turn`.
    pub fn turn(&mut self, words: &str) -> Result<(), Fault> {
        let request = self.send_prompt(words)?;
        let deadline = Deadline::after("answer to session/prompt", PATIENCE);
        let answer = self
            .connection
            .answer(request, "session/prompt", deadline)?;
        expect_stop(&answer, "end_turn")
    }

    /// Sends a prompt and returns the request's id.
    ///
    /// # Errors
    /// The contender does not read any more.
    pub fn send_prompt(&mut self, words: &str) -> Result<u64, Fault> {
        self.connection
            .send("session/prompt", &prompt(&self.id, words))
    }

    /// Asks for the end of the turn.
    ///
    /// # Errors
    /// The contender does not read any more.
    pub fn cancel(&mut self) -> Result<(), Fault> {
        let params = format!("{{\"sessionId\":\"{}\"}}", self.id);
        self.connection.notify("session/cancel", &params)
    }
}

/// The params of a prompt.
pub fn prompt(session: &str, words: &str) -> String {
    format!(
        "{{\"sessionId\":\"{session}\",\"prompt\":[{{\"type\":\"text\",\"text\":\"{words}\"}}]}}"
    )
}

/// The words that have a command run.
pub fn run(command: &str) -> String {
    format!("Run the shell command `{command}` and wait for it.")
}

/// The words that have numbers counted, each a chunk of its own.
pub fn count_to(last: usize) -> String {
    format!("Print the numbers from 1 to {last}, one per line.")
}

/// Says hello, as a client that can do nothing.
///
/// # Errors
/// It is not answered.
pub fn initialize(connection: &mut Connection) -> Result<String, Fault> {
    let params = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";
    connection.request("initialize", params, PATIENCE)
}

/// Makes a session and returns its id.
///
/// # Errors
/// It is refused.
pub fn new(connection: &mut Connection, place: &Place) -> Result<String, Fault> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Made {
        session_id: String,
    }
    let answer = connection.request("session/new", &setup(place), PATIENCE)?;
    match serde_json::from_str::<Made>(&answer) {
        Ok(made) => Ok(made.session_id),
        Err(_) => Err(Fault::Unexpected {
            what: "the answer to session/new",
            expected: "a sessionId".to_owned(),
            got: answer,
        }),
    }
}

/// Loads a session.
///
/// # Errors
/// It is refused.
pub fn load(connection: &mut Connection, place: &Place, id: &str) -> Result<(), Fault> {
    let setup = setup(place);
    let params = format!("{{\"sessionId\":\"{id}\",{}", &setup[1..]);
    connection
        .request("session/load", &params, PATIENCE)
        .map(drop)
}

fn setup(place: &Place) -> String {
    format!(
        "{{\"cwd\":\"{}\",\"mcpServers\":[]}}",
        place.workspace().display()
    )
}

/// Makes a stored session of so many turns, and returns its id.
///
/// The contender makes it itself, by living through the turns: so it is what it would be, whatever
/// the contender's format. The floor keeps nothing; with it the id says how long the session is.
///
/// # Errors
/// The turns do not all succeed, or take more than `budget`.
pub fn store(
    contender: &Contender,
    place: Place,
    turns: usize,
    budget: Duration,
) -> Result<(Place, String), Fault> {
    if contender.role == Role::Floor {
        return Ok((place, format!("turns-{turns}")));
    }
    let mut session = Session::start(contender, place)?;
    let deadline = Deadline::after("turns", budget);
    for _ in 0..turns {
        deadline.left().map_err(|_| Fault::TooSlow {
            what: format!("making {turns} turns"),
            budget,
        })?;
        session.turn(SHORT)?;
    }
    Ok((session.place, session.id))
}

/// Checks the answer to a prompt.
///
/// # Errors
/// It has another stop reason.
pub fn expect_stop(answer: &str, reason: &str) -> Result<(), Fault> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Stopped {
        stop_reason: String,
    }
    match serde_json::from_str::<Stopped>(answer) {
        Ok(stopped) if stopped.stop_reason == reason => Ok(()),
        _ => Err(Fault::Unexpected {
            what: "the answer to session/prompt",
            expected: format!("stopReason {reason}"),
            got: answer.to_owned(),
        }),
    }
}
