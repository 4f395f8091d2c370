//! The requests of the API, with their types.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use hyper::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    ClientError,
    exchange::{Ask, exchange},
    full::{self, Pauses},
};
use crate::{
    api::{
        self, Acknowledged, CreateSession, DaemonInfo, Destroy, Diff, ErrorBody, ErrorCode,
        Exported, Interrupt, Lifecycle, Options, Prompt, PromptAccepted, SearchAnswer, Session,
        SessionCreated, SessionId, Sessions, SessionsQuery, Suspend, TranscriptPage,
        TranscriptQuery, Wait, WaitAnswer, Workspace, Workspaces, routes,
    },
    limits,
};

/// A daemon that answered at this address. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    token: Arc<str>,
}

impl Client {
    /// For the daemon at this loopback address. Nothing is sent yet.
    pub fn new(address: SocketAddr, token: &str) -> Self {
        Self {
            address,
            token: token.into(),
        }
    }

    /// Where the daemon is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Which daemon it is, as long as it says so within `within`.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn info(&self, within: Duration) -> Result<DaemonInfo, ClientError> {
        self.once(&ask(Method::GET, routes::INFO, within)).await
    }

    /// All workspaces, the most recently opened first, within `within`.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn workspaces(&self, within: Duration) -> Result<Vec<Workspace>, ClientError> {
        let answer: Workspaces = self
            .once(&ask(Method::GET, routes::WORKSPACES, within))
            .await?;
        Ok(answer.workspaces)
    }

    /// Makes a workspace, or finds the one of this name.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn create_workspace(&self, name: &str) -> Result<Workspace, ClientError> {
        self.post(routes::WORKSPACES, &json!({ "name": name }))
            .await
    }

    /// Makes a session. It is stored when this answers; that it is ready is another question.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn create(&self, session: &CreateSession) -> Result<SessionId, ClientError> {
        let ask = with_body(routes::SESSIONS, session, limits::create_timeout())?;
        let answer: SessionCreated = self.patiently(&ask).await?;
        Ok(answer.session_id)
    }

    /// A session; none if there is none.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn session(&self, id: &SessionId) -> Result<Option<Session>, ClientError> {
        match self.get(&of(routes::SESSION, id)).await {
            Err(ClientError::Refused { status: 404, .. }) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// The sessions, the newest first.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn sessions(&self, query: &SessionsQuery) -> Result<Vec<Session>, ClientError> {
        let answer: Sessions = self.get(&queried(routes::SESSIONS, query)?).await?;
        Ok(answer.sessions)
    }

    /// Queues a prompt, and answers with its turn.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn prompt(&self, id: &SessionId, prompt: &Prompt) -> Result<u64, ClientError> {
        let answer: PromptAccepted = self.post(&of(routes::PROMPT, id), prompt).await?;
        Ok(answer.turn_id)
    }

    /// Waits for the end of a turn.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn wait(&self, id: &SessionId, wait: &Wait) -> Result<WaitAnswer, ClientError> {
        let longest = wait
            .timeout_secs
            .map_or_else(limits::wait_default, Duration::from_secs);
        let within = longest + limits::wait_margin();
        self.patiently(&with_body(&of(routes::WAIT, id), wait, within)?)
            .await
    }

    /// Interrupts what runs, or withdraws what is held. `false` when there is neither.
    ///
    /// # Errors
    /// See [`ClientError`]. A refusal that is not about this session's turns is one.
    pub async fn interrupt(
        &self,
        id: &SessionId,
        interrupt: Interrupt,
    ) -> Result<bool, ClientError> {
        match self.admitted(&of(routes::INTERRUPT, id), &interrupt).await {
            Err(ClientError::Refused { status: 409, .. }) => Ok(false),
            answer => answer.map(|()| true),
        }
    }

    /// Asks for a suspension; answers with the state right after its admission.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn suspend(
        &self,
        id: &SessionId,
        suspend: Suspend,
    ) -> Result<Lifecycle, ClientError> {
        let answer: Acknowledged = self.post(&of(routes::SUSPEND, id), &suspend).await?;
        Ok(answer.lifecycle)
    }

    /// Asks for a destruction; answers with the state right after its admission, none if there is
    /// no such session.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn destroy(&self, id: &SessionId) -> Result<Option<Lifecycle>, ClientError> {
        let keep_branch = Destroy {
            delete_branch: false,
        };
        let answer = self.post(&of(routes::DESTROY, id), &keep_branch).await;
        match answer {
            Err(ClientError::Refused { status: 404, .. }) => Ok(None),
            answer => answer.map(|Acknowledged { lifecycle }| Some(lifecycle)),
        }
    }

    /// Asks for a resumption; answers when it is admitted.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn resume(&self, id: &SessionId) -> Result<(), ClientError> {
        self.admitted(&of(routes::RESUME, id), &json!({})).await
    }

    /// Asks for a checkpoint; answers when it is admitted.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn checkpoint(&self, id: &SessionId) -> Result<(), ClientError> {
        self.admitted(&of(routes::CHECKPOINT, id), &json!({})).await
    }

    /// A page of what was said.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn transcript(
        &self,
        id: &SessionId,
        query: &TranscriptQuery,
    ) -> Result<TranscriptPage, ClientError> {
        self.get(&queried(&of(routes::TRANSCRIPT, id), query)?)
            .await
    }

    /// What was changed, against the session's base or another revision.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn diff(&self, id: &SessionId, base: Option<&str>) -> Result<Diff, ClientError> {
        let query = api::DiffQuery {
            base: base.map(str::to_owned),
            json: true,
        };
        self.get(&queried(&of(routes::DIFF, id), &query)?).await
    }

    /// The commits of a session as a git bundle, in a file of the daemon's.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn export(&self, id: &SessionId) -> Result<Exported, ClientError> {
        let kind = api::ExportKind::Bundle;
        self.post(&of(routes::EXPORT, id), &api::Export { kind })
            .await
    }

    /// Sessions in which these words stand.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn search(&self, words: &str) -> Result<SearchAnswer, ClientError> {
        let query = api::SearchQuery {
            q: words.to_owned(),
            limit: None,
        };
        self.get(&queried(routes::SEARCH, &query)?).await
    }

    /// What a session can be made of.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn options(&self) -> Result<Options, ClientError> {
        self.get(routes::OPTIONS).await
    }

    async fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, ClientError> {
        self.patiently(&ask(Method::GET, path, limits::request_timeout()))
            .await
    }

    async fn post<A: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, ClientError> {
        let ask = with_body(path, body, limits::request_timeout())?;
        self.patiently(&ask).await
    }

    /// A request of whose answer only the success matters.
    async fn admitted(&self, path: &str, body: &impl Serialize) -> Result<(), ClientError> {
        let _: serde::de::IgnoredAny = self.post(path, body).await?;
        Ok(())
    }

    /// Asks, and asks again while the daemon is full.
    async fn patiently<A: DeserializeOwned>(&self, ask: &Ask) -> Result<A, ClientError> {
        let mut pauses = Pauses::new();
        loop {
            match self.once(ask).await {
                Err(ClientError::Refused { status, body }) if is_full(status, &body) => {
                    let Some(pause) = pauses.next() else {
                        return Err(ClientError::Refused { status, body });
                    };
                    full::say(&body);
                    tokio::time::sleep(pause).await;
                }
                answer => return answer,
            }
        }
    }

    async fn once<A: DeserializeOwned>(&self, ask: &Ask) -> Result<A, ClientError> {
        let answer = exchange(self.address, &self.token, ask).await?;
        if !answer.status.is_success() {
            return Err(refusal(answer.status, &answer.body));
        }
        // Some answers say nothing but that it worked.
        let body: &[u8] = if answer.body.is_empty() {
            b"null"
        } else {
            &answer.body
        };
        serde_json::from_slice(body).map_err(|error| ClientError::Unreadable {
            request: ask.name(),
            reason: error.to_string(),
        })
    }
}

fn is_full(status: u16, body: &ErrorBody) -> bool {
    status == 429 || body.code == Some(ErrorCode::Full)
}

/// What the daemon says of a refusal, also when it says it badly.
fn refusal(status: StatusCode, body: &[u8]) -> ClientError {
    let body = serde_json::from_slice(body).unwrap_or_else(|_| ErrorBody {
        error: format!("the daemon answered {status}"),
        code: None,
        running_actions: None,
        action_limit: None,
    });
    ClientError::Refused {
        status: status.as_u16(),
        body,
    }
}

fn ask(method: Method, path: &str, within: Duration) -> Ask {
    let path = format!("{}{path}", api::BASE);
    Ask {
        method,
        path,
        body: None,
        within,
    }
}

fn with_body(path: &str, body: &impl Serialize, within: Duration) -> Result<Ask, ClientError> {
    let mut ask = ask(Method::POST, path, within);
    let body = serde_json::to_vec(body).map_err(|error| unwritable(&ask, &error))?;
    ask.body = Some(body);
    Ok(ask)
}

fn of(route: &str, id: &SessionId) -> String {
    route.replace("{id}", id.as_str())
}

/// A route with the members of `query` that are there.
fn queried(route: &str, query: &impl Serialize) -> Result<String, ClientError> {
    let value = serde_json::to_value(query)
        .map_err(|error| unwritable(&ask(Method::GET, route, Duration::ZERO), &error))?;
    let pairs = value.as_object().into_iter().flatten();
    let pairs = pairs
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            format!("{name}={}", utf8_percent_encode(&text, NON_ALPHANUMERIC))
        });
    let pairs: Vec<_> = pairs.collect();
    Ok(match pairs.is_empty() {
        true => route.to_owned(),
        false => format!("{route}?{}", pairs.join("&")),
    })
}

fn unwritable(ask: &Ask, error: &serde_json::Error) -> ClientError {
    ClientError::Unreadable {
        request: ask.name(),
        reason: format!("the request cannot be written as JSON: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_holds_what_is_there() {
        let none = SessionsQuery::default();
        assert_eq!(queried("/sessions", &none).unwrap(), "/sessions");
        let some = SessionsQuery {
            workspace_id: Some("a&b=ü".to_owned()),
            request_id: None,
        };
        assert_eq!(
            queried("/sessions", &some).unwrap(),
            "/sessions?workspace_id=a%26b%3D%C3%BC"
        );
        let page = TranscriptQuery {
            after_seq: 7,
            ..TranscriptQuery::default()
        };
        assert_eq!(queried("/t", &page).unwrap(), "/t?after_seq=7");
    }
}
