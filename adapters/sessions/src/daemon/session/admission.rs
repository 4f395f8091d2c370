//! How a prompt becomes a turn.
//!
//! Must stay true: a prompt is stored before anybody is told that it was accepted; the order of
//! acceptance is the order of the turns; a prompt that was withdrawn while it was held never runs.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::{Known, Session, rules::Gate, turns::Queued};
use crate::{
    api::{ErrorCode, Prompt},
    daemon::{Daemon, harness::identity, refusal::Refusal},
    limits,
};

/// The longest prompt, in characters.
const LONGEST: usize = 65_536;

/// The longest name that a client may give a command.
const LONGEST_COMMAND_ID: usize = 128;

/// How much of the first prompt becomes the title.
const TITLE: usize = 80;

/// Refuses what could be no prompt of any session.
pub(crate) fn check(prompt: &Prompt) -> Result<(), Refusal> {
    let length = prompt.text.chars().count();
    if length > LONGEST {
        let error = format!("the text has {length} characters, at most {LONGEST} are allowed");
        return Err(Refusal::malformed(error));
    }
    if prompt.text.trim().is_empty() {
        return Err(Refusal::malformed("the text is blank"));
    }
    if prompt.text.starts_with('!') {
        let error = "a text that begins with \"!\" is reserved for commands of a shell";
        return Err(Refusal::malformed(error));
    }
    match &prompt.command_id {
        Some(id) => check_name("command_id", id, LONGEST_COMMAND_ID),
        None => Ok(()),
    }
}

/// Refuses a name that a client has made up badly.
pub(crate) fn check_name(member: &str, name: &str, longest: usize) -> Result<(), Refusal> {
    let is_allowed =
        (1..=longest).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
    match is_allowed {
        true => Ok(()),
        false => Err(Refusal::malformed(format!(
            "{member} must be 1 to {longest} printable ASCII characters without blanks"
        ))),
    }
}

/// Counts a prompt that is held, however the hold ends.
struct Held<'a>(&'a Session);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.update(|known| known.held -= 1);
    }
}

impl Session {
    /// Accepts a prompt, once the session has started. Dropped before it is ready, it may have
    /// accepted nothing.
    pub(crate) async fn prompt(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        prompt: Prompt,
    ) -> Result<u64, Refusal> {
        check(&prompt)?;
        if let Some(command) = &prompt.command_id {
            let earlier = daemon
                .store
                .turn_of_command(self.id.clone(), command.clone());
            if let Some(ordinal) = earlier.await? {
                return Ok(ordinal);
            }
        }
        let deadline = Instant::now() + limits::prompt_hold();
        loop {
            self.hold(daemon, deadline).await?;
            let (session, daemon, prompt) = (Arc::clone(self), Arc::clone(daemon), prompt.clone());
            // A task: a client that goes now must not leave half a prompt.
            let accepting = tokio::spawn(async move { session.accept(&daemon, prompt).await });
            let accepted = accepting
                .await
                .map_err(|error| Refusal::fault(error.to_string()))?;
            if let Some(ordinal) = accepted? {
                return Ok(ordinal);
            }
        }
    }

    /// Waits until a prompt would be accepted.
    async fn hold(&self, daemon: &Daemon, deadline: Instant) -> Result<(), Refusal> {
        if let Some(looked) = self.lock().look() {
            return looked;
        }
        let withdrawals = self.update(|known| {
            known.held += 1;
            known.withdrawals
        });
        let _held = Held(self);
        let opened = self.until(|known| {
            if known.withdrawals != withdrawals {
                return Some(Err(withdrawn()));
            }
            known.look()
        });
        tokio::select! {
            opened = timeout_at(deadline, opened) => opened.unwrap_or_else(|_| {
                let seconds = limits::prompt_hold().as_secs_f32();
                let state = self.lock().row.state.lifecycle().as_str();
                Err(Refusal::conflict(format!(
                    "session {} did not take a prompt within {seconds} seconds; it is {state}",
                    self.id
                )))
            }),
            () = daemon.ending.cancelled() => Err(Refusal::shutting_down()),
        }
    }

    /// Stores a prompt and queues it; nothing if the session does not take one any more.
    async fn accept(&self, daemon: &Daemon, prompt: Prompt) -> Result<Option<u64>, Refusal> {
        let _admission = self.admission.lock().await;
        let is_idle = {
            let known = self.lock();
            if daemon.ending.is_cancelled() {
                return Err(Refusal::shutting_down());
            }
            match known.look() {
                Some(looked) => looked?,
                None => return Ok(None),
            }
            identity::admit(
                known.row.asked.expected_runtime.as_deref(),
                known.runtime.as_ref(),
            )?;
            known.facts().is_idle()
        };
        let Prompt { text, command_id } = prompt;
        let id = self.id.clone();
        // What begins at once is noted as started in the same write.
        let accepting = daemon
            .store
            .accept_turn(id, text.clone(), command_id, is_idle);
        let accepted = accepting.await?;
        if accepted.is_new {
            let queued = Queued {
                ordinal: accepted.ordinal,
                text: text.clone(),
                is_started: is_idle,
            };
            let is_untitled = self.update(|known| {
                known.turns.accept(queued);
                known.row.title.is_empty()
            });
            if is_untitled {
                let title = title(&text);
                self.save(&daemon.store, |known| known.row.title = title)
                    .await?;
            }
        }
        Ok(Some(accepted.ordinal))
    }
}

impl Known {
    /// Whether a prompt is accepted or refused now; nothing if it is held.
    fn look(&self) -> Option<Result<(), Refusal>> {
        let id = &self.row.id;
        if self.is_gone {
            return Some(Err(Refusal::unknown_session(id)));
        }
        let error = || {
            let known = self
                .row
                .error
                .as_ref()
                .map(|(_, sentence)| sentence.as_str());
            known.unwrap_or("nobody knows why")
        };
        let refused = match self.facts().gate() {
            Gate::Open => return Some(Ok(())),
            Gate::Hold => return None,
            Gate::Retiring => format!("session {id} is being suspended or destroyed"),
            Gate::Suspended if self.row.checkpoint.is_some() => {
                format!(
                    "session {id} is suspended; acp-sessions resume --session {id} brings it back"
                )
            }
            Gate::Suspended => {
                format!(
                    "session {id} is suspended and has no checkpoint; only destroying it is left"
                )
            }
            Gate::Failed => {
                let facts = self.facts();
                let remedy = match facts.has_checkpoint || facts.has_environment {
                    true => "resume or destroy it",
                    false => "destroy it and make another one",
                };
                format!("session {id} failed: {}; {remedy}", error())
            }
        };
        Some(Err(Refusal::conflict(refused)))
    }
}

fn withdrawn() -> Refusal {
    let error = "the prompt was withdrawn by an interrupt before the session had started";
    Refusal::conflict_because(ErrorCode::Withdrawn, error)
}

/// The first line of a prompt, or as much of it as fits.
fn title(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(TITLE).collect()
}

#[cfg(test)]
mod tests {
    use super::{check, title};
    use crate::api::Prompt;

    #[test]
    fn what_could_be_no_prompt_is_refused() {
        let long = "é".repeat(65_537);
        let allowed = "é".repeat(65_536);
        //  text              refused because of
        let table = [
            ("do it", None),
            (allowed.as_str(), None),
            (long.as_str(), Some("65537 characters, at most 65536")),
            ("", Some("blank")),
            (" \n\t", Some("blank")),
            ("!ls", Some("\"!\"")),
            (" !ls", None),
        ];
        for (text, expected) in table {
            let prompt = Prompt {
                text: text.to_owned(),
                command_id: None,
            };
            let refused = check(&prompt)
                .err()
                .map(|refusal| format!("{refusal:?}").replace('\\', ""));
            match (refused, expected) {
                (None, None) => {}
                (Some(text), Some(part)) => assert!(text.contains(part), "{text}"),
                other => panic!("{other:?}"),
            }
        }
        for (id, allowed) in [("a-1", true), ("", false), ("a b", false), ("é", false)] {
            let prompt = Prompt {
                text: "t".to_owned(),
                command_id: Some(id.to_owned()),
            };
            assert_eq!(check(&prompt).is_ok(), allowed, "{id}");
        }
    }

    #[test]
    fn the_title_is_the_beginning_of_the_first_line() {
        assert_eq!(title("\n Fix it.\nAnd more"), "Fix it.");
        assert_eq!(title(&"x".repeat(100)).len(), 80);
    }
}
