//! The loop of the runner: everything that can happen, one thing after the other.
//!
//! ```text
//! Starting --session--> Idle --message--> Turn --answer--> Idle ...
//!    any of them --shutdown, end of input, signal--> Closing --> exit 0
//!    any of them --the agent has ended, or shook no hands-----> exit 1
//! ```
//!
//! One loop owns all state, so nothing is locked and the order of events is the order of this code.
//! What takes time (the handshake, files, terminals, the choice of a model) runs beside it and
//! comes back as something that happened.
//!
//! Must stay true:
//!
//! - The loop never waits for the agent: a command is served whatever the agent does.
//! - Updates that were sent before an answer are taken before the answer is.
//! - Every way out ends the agent and the terminals first.

mod calls;
mod commands;
mod ending;
mod permissions;
mod turns;

pub use commands::ignored_set_model;
pub use ending::report;

use std::{
    collections::VecDeque,
    future::{Future, pending},
    pin::Pin,
    sync::Arc,
};

use futures::FutureExt as _;
use process_tree::Ended;
use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep_until},
};
use wire::{Call, Incoming, Peer, RequestError};

use crate::{
    agent::{Agent, Started},
    deadlines::Deadlines,
    event::Event,
    exec_policy::{ExecPolicy, Hit},
    files::{Files, confine::Workspace},
    handshake::{self, Failure, Session, Wanted},
    input::Input,
    model::Model,
    outlet::Outlet,
    path_policy::PathPolicy,
    preset::{Launch, Preset},
    terminal::Terminals,
    turn::{Memory, Turn},
};
use permissions::Open;

/// What the runner was started with.
#[derive(Debug)]
pub struct Setup {
    /// The agent.
    pub launch: Launch,
    /// Where it works.
    pub workspace: Arc<Workspace>,
    /// The MCP servers for its session.
    pub mcp_servers: Value,
    /// Text that stands in front of the first prompt of a fresh session.
    pub preamble: Option<String>,
    /// The session to go on with.
    pub resume: Option<String>,
    /// The model to use.
    pub model: Option<String>,
    /// What commands are allowed.
    pub exec_policy: ExecPolicy,
    /// What paths are reported.
    pub path_policy: PathPolicy,
    /// Whether failed tool calls are looked at for refusals of the colony.
    pub is_denial_layer_off: bool,
    /// How long things may take.
    pub deadlines: Deadlines,
}

/// Something that ran beside the loop and is done.
#[derive(Debug)]
enum Happened {
    Handshake(Result<Session, Failure>),
    /// The agent took the model, or said why not.
    ModelSet(String, Result<Value, String>),
    /// The agent does not want an answer to this question any more.
    Withdrawn(String),
}

/// What comes next.
enum Next {
    Input(Option<Input>),
    Happened(Happened),
    Answer(Result<Value, RequestError>),
    Call(Option<Call>),
    Stray(String),
    Died(Ended),
    /// A turn that was interrupted still runs.
    Unheeded,
    /// The time for a turn to end at a shutdown is over.
    Closed,
}

/// How the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// As it was asked to.
    Clean,
    /// The agent failed.
    Failed,
}

/// The answer to a prompt, still to come.
type Answer = Pin<Box<dyn Future<Output = Result<Value, RequestError>> + Send>>;

struct Runner {
    outlet: Outlet,
    inputs: mpsc::Receiver<Input>,
    happened: mpsc::Receiver<Happened>,
    /// For tasks beside the loop.
    tell: mpsc::Sender<Happened>,
    agent: Agent,
    peer: Peer,
    incoming: Incoming,
    strays: mpsc::Receiver<String>,
    files: Files,
    terminals: Terminals,
    preset: Preset,
    credential: Option<&'static str>,
    preamble: Option<String>,
    exec_policy: Arc<ExecPolicy>,
    /// A judgement that does not end.
    stuck: Option<JoinHandle<Option<Hit>>>,
    /// Commands that a person was asked about: what they said.
    asked_before: permissions::Remembered,
    /// Nothing until the agent has shaken hands.
    session: Option<String>,
    model: Model,
    /// What the host wants before the agent has shaken hands.
    early_model: Option<String>,
    /// How many choices of a model wait for the agent's answer.
    choosing: usize,
    /// Accepted messages that wait for their turn.
    queue: VecDeque<String>,
    turns: u64,
    memory: Memory,
    turn: Option<(Turn, Answer)>,
    /// In the order in which they were asked.
    questions: Vec<Open>,
    asked: u64,
    made_ids: u64,
    deadlines: Deadlines,
    /// When an interrupted turn is found to go on.
    unheeded: Option<Instant>,
    /// When a shutdown stops to wait for the turn.
    closing: Option<Instant>,
}

/// Runs an agent that was started, to its end.
pub async fn run(
    started: Started,
    setup: Setup,
    terminals: Terminals,
    outlet: Outlet,
    inputs: mpsc::Receiver<Input>,
) -> Exit {
    let (tell, happened) = mpsc::channel(64);
    let wanted = Wanted {
        workspace: setup.workspace.root().to_owned(),
        mcp_servers: setup.mcp_servers,
        resume: setup.resume,
        model: setup.model,
        deadline: setup.deadlines.handshake,
    };
    let handshake = handshake::shake(started.peer.clone(), wanted, outlet.clone());
    let tell_handshake = tell.clone();
    tokio::spawn(async move {
        let session = match tokio::spawn(handshake).await {
            Ok(session) => session,
            Err(fault) => Err(Failure::Refused(format!("the runner failed: {fault}"))),
        };
        let _ = tell_handshake.send(Happened::Handshake(session)).await;
    });
    let runner = Runner {
        files: Files::start(setup.workspace, setup.path_policy, outlet.clone()),
        outlet,
        inputs,
        happened,
        tell,
        agent: started.agent,
        peer: started.peer,
        incoming: started.incoming,
        strays: started.strays,
        terminals,
        preset: setup.launch.preset,
        credential: setup.launch.credential,
        preamble: setup.preamble,
        exec_policy: Arc::new(setup.exec_policy),
        stuck: None,
        asked_before: permissions::Remembered::default(),
        session: None,
        model: Model::default(),
        early_model: None,
        choosing: 0,
        queue: VecDeque::new(),
        turns: 0,
        memory: Memory::new(setup.is_denial_layer_off),
        turn: None,
        questions: Vec::new(),
        asked: 0,
        made_ids: 0,
        deadlines: setup.deadlines,
        unheeded: None,
        closing: None,
    };
    runner.run().await
}

impl Runner {
    async fn run(mut self) -> Exit {
        let failure = loop {
            if self.closing.is_some() && self.turn.is_none() {
                break None;
            }
            self.begin_turn().await;
            match self.next().await {
                Next::Input(input) => self.input(input).await,
                Next::Happened(Happened::Handshake(Ok(session))) => self.shaken(session).await,
                // The agent has closed its output: its end is about to be seen, and tells more.
                Next::Happened(Happened::Handshake(Err(Failure::Closed))) => {}
                Next::Happened(Happened::Handshake(Err(failure))) => {
                    break Some(failure.named(self.credential));
                }
                Next::Happened(Happened::ModelSet(model, outcome)) => {
                    self.model_set(&model, outcome).await;
                }
                Next::Happened(Happened::Withdrawn(id)) => self.withdrawn(&id).await,
                Next::Answer(Err(RequestError::Closed)) => {
                    self.lose_answer();
                    break Some(self.closed().await);
                }
                Next::Answer(answer) => self.answered(answer).await,
                Next::Call(Some(call)) => self.call(call).await,
                Next::Call(None) => break Some(self.closed().await),
                Next::Stray(line) => self.stray(&line).await,
                Next::Died(ended) => break Some(self.died(&ended).await),
                Next::Unheeded => self.unheeded().await,
                Next::Closed => break None,
            }
        };
        match failure {
            // A failure while the runner ends anyway is no news.
            Some(error) if self.closing.is_none() => self.fail(error).await,
            _ => self.close().await,
        }
    }

    /// Waits for what comes next. Commands first: a flood of the agent must not hold them up.
    async fn next(&mut self) -> Next {
        let answer = async {
            match &mut self.turn {
                Some((_, answer)) => answer.await,
                None => pending().await,
            }
        };
        let call = async {
            // A disk that is slow holds back the agent, and not this loop.
            self.files.room().await;
            self.incoming.next().await
        };
        tokio::select! {
            biased;
            input = self.inputs.recv(), if self.closing.is_none() => Next::Input(input),
            // Nobody reads what happens any more: that is a shutdown too.
            () = self.outlet.closed(), if self.closing.is_none() => Next::Input(None),
            () = at(self.closing) => Next::Closed,
            Some(happened) = self.happened.recv() => Next::Happened(happened),
            answer = answer => Next::Answer(answer),
            Some(line) = self.strays.recv() => Next::Stray(line),
            call = call => Next::Call(call),
            ended = self.agent.ended() => Next::Died(ended),
            () = at(self.unheeded) => Next::Unheeded,
        }
    }

    /// The agent has a session.
    async fn shaken(&mut self, session: Session) {
        // What it told of the history of a loaded session is no part of the first turn.
        self.take_calls().await;
        self.session = Some(session.id);
        self.model = session.model;
        if !session.is_fresh {
            self.preamble = None;
        }
        if let Some(model) = self.early_model.take() {
            self.set_model(model).await;
        }
    }

    /// The agent has said something that is no message.
    pub(super) async fn stray(&self, line: &str) {
        let warning = format!("the agent emitted a line that is not JSON: {line}");
        self.outlet.send(Event::warn(warning)).await;
    }

    /// Takes the calls, and the lines that are none, that came before what was just learnt.
    async fn take_calls(&mut self) {
        while let Ok(line) = self.strays.try_recv() {
            self.stray(&line).await;
        }
        // As many as the queue of the connection holds, and one that waits for its place. Not more,
        // or a flood behind the answer would go on for ever.
        for _ in 0..=wire::Limits::default().incoming {
            // Not on the runtime's budget, which could say "nothing there" too early.
            let next = tokio::task::unconstrained(self.incoming.next()).now_or_never();
            match next {
                Some(Some(call)) => self.call(call).await,
                _ => return,
            }
        }
    }
}

/// Waits until then; for ever if there is no then.
async fn at(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => pending().await,
    }
}
