//! The scenario commands: what a harness developer wants to see at once, and no model does on demand.
//!
//! The checker's stand-in journeys are made of them.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/elicitation>

use std::{
    process::{Command, Stdio},
    sync::mpsc::RecvTimeoutError,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    faults::Fault,
    shell::ProcessGroup,
    tools::Ended,
    turn::{Turn, Work},
};

/// Between two looks at the stop of the turn.
const LOOK: Duration = Duration::from_millis(5);

/// How long a process that a fault leaves lives when nobody ends it.
const LEFT_SECONDS: &str = "30";

/// A scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// Asks for permission to change something.
    Permission,
    /// Takes its time.
    Slow(Duration),
    /// Fails.
    Error,
    /// Asks the user something.
    Ask,
}

impl Scenario {
    /// The scenario of a command like `/slow 2s`.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        Some(match words.next()? {
            "/permission" => Self::Permission,
            "/slow" => {
                let seconds = words.next()?.strip_suffix('s')?.parse().ok()?;
                Self::Slow(Duration::from_secs(seconds))
            }
            "/error" => Self::Error,
            "/ask" => Self::Ask,
            _ => return None,
        })
    }
}

impl Turn {
    /// Plays a scenario.
    pub fn play(&self, scenario: Scenario) -> Work {
        match scenario {
            Scenario::Permission => self.ask_to_change(),
            Scenario::Slow(time) => self.take_time(time),
            Scenario::Error => self.fail(),
            Scenario::Ask => self.ask_the_user(),
        }
    }

    fn ask_to_change(&self) -> Work {
        match self.run_command("touch permitted.txt") {
            Ended::Done(_) => Work::Reply("It is done.".to_owned()),
            Ended::Failed(_) if self.behaviour().has(Fault::RefusalCancels) => Work::Cancelled,
            Ended::Failed(reason) => Work::Reply(format!("It was not done: {reason}.")),
            Ended::Cancelled => Work::Cancelled,
        }
    }

    fn take_time(&self, time: Duration) -> Work {
        if self.behaviour().has(Fault::SlowIsFast) {
            return Work::Reply("Here already.".to_owned());
        }
        if self.behaviour().has(Fault::ChildSurvivesKill) {
            let mut child = Command::new("sleep");
            child.arg(LEFT_SECONDS).stdin(Stdio::null());
            self.agent
                .remember_left(ProcessGroup::start(&mut child).ok());
        }
        self.chunk("agent_message_chunk", "One moment.");
        let deadline = Instant::now() + time;
        while Instant::now() < deadline {
            if self.stop.asked() {
                return Work::Cancelled;
            }
            thread::sleep(LOOK);
        }
        Work::Reply("Here it is.".to_owned())
    }

    fn fail(&self) -> Work {
        match self.behaviour().fault {
            Some(Fault::FailureEndsTurn) => Work::Reply(String::new()),
            _ => Work::Failed("the model is gone".to_owned()),
        }
    }

    /// By a form where the client has forms, in words where it has none.
    fn ask_the_user(&self) -> Work {
        if self.behaviour().has(Fault::QuestionUnasked) {
            return Work::Reply("I need to know nothing.".to_owned());
        }
        if !self.agent.may_elicit() {
            return Work::Reply("Which colour do you like?".to_owned());
        }
        let form = json!({
            "sessionId": self.session.id,
            "mode": "form",
            "message": "Which colour do you like?",
            "requestedSchema": {
                "type": "object",
                "properties": {"colour": {"type": "string"}},
                "required": ["colour"],
            },
        });
        let agent = &self.agent;
        let answer = agent.client.ask(&agent.output, "elicitation/create", form);
        loop {
            match answer.recv_timeout(LOOK) {
                Ok(answer) => return Work::Reply(self.answered(&answer["result"]["content"])),
                Err(RecvTimeoutError::Timeout) if !self.stop.asked() => {}
                Err(_) => return Work::Cancelled,
            }
        }
    }

    fn answered(&self, content: &Value) -> String {
        match content["colour"].as_str() {
            Some(colour) => self.uses_answer(colour),
            None => "You gave no answer.".to_owned(),
        }
    }

    /// The reply to the user's answer.
    pub fn uses_answer(&self, answer: &str) -> String {
        if self.behaviour().has(Fault::AnswerIgnored) {
            return "Thank you.".to_owned();
        }
        format!("You like {answer}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let slow = |seconds| Some(Scenario::Slow(Duration::from_secs(seconds)));
        let table = [
            ("/permission", Some(Scenario::Permission)),
            ("/slow 20s", slow(20)),
            ("/slow", None),
            ("/slow fast", None),
            ("/error", Some(Scenario::Error)),
            (" /ask ", Some(Scenario::Ask)),
            ("/other", None),
            ("ask", None),
        ];
        for (text, wanted) in table {
            assert_eq!(Scenario::of(text), wanted, "{text}");
        }
    }
}
