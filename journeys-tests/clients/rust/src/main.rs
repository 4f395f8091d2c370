//! The seven journeys' prompts through the client role of the Rust SDK.
//!
//! `acp-client-rust AGENT [ARGS]...`: each journey starts an agent of its own. The SDK reads every
//! message by the schema, so a journey that passes here also says that the messages are right.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

use std::{
    env,
    error::Error,
    fs,
    future::Future,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use agent_client_protocol::{
    AcpAgent, Agent, Client,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo,
        schema::{
            AgentCapabilities, CancelNotification, ContentBlock, ImageContent, InitializeRequest,
            LoadSessionRequest, McpServer, McpServerStdio, NewSessionRequest, PermissionOptionKind,
            PromptRequest, RequestPermissionOutcome, RequestPermissionRequest,
            RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionModeId,
            SessionNotification, SessionUpdate, SetSessionModeRequest, StopReason, TextContent,
            ToolCallStatus,
        },
    },
};
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use tokio::{sync::Notify, time::timeout};

/// Only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(60);

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// What the client was told.
#[derive(Default)]
struct Seen {
    updates: Mutex<Vec<SessionUpdate>>,
    running: Notify,
}

impl Seen {
    fn hear(&self, update: SessionUpdate) {
        if let SessionUpdate::ToolCallUpdate(call) = &update
            && call.fields.status == Some(ToolCallStatus::InProgress)
        {
            self.running.notify_one();
        }
        self.updates.lock().unwrap().push(update);
    }

    /// The joined text of the agent's message, or of the user's.
    fn said(&self, by_user: bool) -> String {
        let updates = self.updates.lock().unwrap();
        let chunks = updates.iter().filter_map(|update| match update {
            SessionUpdate::AgentMessageChunk(chunk) if !by_user => Some(chunk),
            SessionUpdate::UserMessageChunk(chunk) if by_user => Some(chunk),
            _ => None,
        });
        let texts = chunks.filter_map(|chunk| match &chunk.content {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

/// An agent that was initialized, in a folder.
struct Scene {
    agent: ConnectionTo<Agent>,
    seen: Arc<Seen>,
    folder: PathBuf,
    capabilities: AgentCapabilities,
}

/// Runs `drive` with an agent.
async fn with_agent<F>(folder: &Path, drive: impl FnOnce(Scene) -> F + Send) -> Outcome
where
    F: Future<Output = Outcome> + Send,
{
    let seen = Arc::new(Seen::default());
    let (heard, folder) = (Arc::clone(&seen), folder.to_owned());
    let mut driven: Outcome = Ok(());
    let outcome = &mut driven;
    Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _| {
                heard.hear(notification.update);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                let mut options = request.options.iter();
                let allow = options.find(|option| option.kind == PermissionOptionKind::AllowOnce);
                let outcome = match allow {
                    Some(option) => RequestPermissionOutcome::Selected(
                        SelectedPermissionOutcome::new(option.option_id.clone()),
                    ),
                    None => RequestPermissionOutcome::Cancelled,
                };
                responder.respond(RequestPermissionResponse::new(outcome))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(
            AcpAgent::from_args(env::args().skip(1))?,
            async move |agent: ConnectionTo<Agent>| {
                let initialized = agent
                    .send_request(InitializeRequest::new(ProtocolVersion::V1))
                    .block_task()
                    .await?;
                let capabilities = initialized.agent_capabilities;
                *outcome = drive(Scene {
                    agent,
                    seen,
                    folder,
                    capabilities,
                })
                .await;
                Ok(())
            },
        )
        .await?;
    driven
}

impl Scene {
    async fn open(&self, servers: Vec<McpServer>) -> Outcome<(SessionId, Option<SessionModeId>)> {
        let new = NewSessionRequest::new(self.folder.clone()).mcp_servers(servers);
        let opened = self.agent.send_request(new).block_task().await?;
        let mode = opened.modes.map(|modes| modes.current_mode_id);
        Ok((opened.session_id, mode))
    }

    async fn turn(&self, session: &SessionId, words: &str) -> Outcome<(StopReason, String)> {
        let blocks = vec![ContentBlock::Text(TextContent::new(words))];
        self.turn_of(session, blocks).await
    }

    async fn turn_of(
        &self,
        session: &SessionId,
        blocks: Vec<ContentBlock>,
    ) -> Outcome<(StopReason, String)> {
        self.seen.updates.lock().unwrap().clear();
        let prompt = PromptRequest::new(session.clone(), blocks);
        let answer = self.agent.send_request(prompt).block_task().await?;
        Ok((answer.stop_reason, self.seen.said(false)))
    }

    async fn mode(&self, session: &SessionId, mode: SessionModeId) -> Outcome {
        let request = SetSessionModeRequest::new(session.clone(), mode);
        self.agent.send_request(request).block_task().await?;
        Ok(())
    }

    async fn remember(&self, session: &SessionId, word: &str) -> Outcome {
        let words = format!("Remember this word: {word}. Reply with exactly ACK and nothing else.");
        let answered = self.turn(session, &words).await?;
        expect(answered == (StopReason::EndTurn, "ACK".into()), &answered)
    }

    async fn recall(&self, session: &SessionId, word: &str) -> Outcome {
        let words = "Which word did I ask you to remember? Reply with the word.";
        let (_, said) = self.turn(session, words).await?;
        expect(said.contains(word), &said)
    }

    async fn plan(&self, session: &SessionId, rondar: &Rondar) -> Outcome {
        let (title, words) = (marker("TITLE"), marker("TIDE"));
        fs::write(self.folder.join("plan.txt"), format!("{words}\n"))?;
        let before = rondar.calls().len();
        let prompt = format!(
            "Please save a plan, and change no file. First run the shell command `cat plan.txt` and \
             note what it prints. Then call the tool create_plan with the title \"{title}\" and \
             with a description that holds the whole output of the cat command. After that call \
             the tool get_plan with the ID of that plan, to read it back. At the end reply with \
             the plan ID."
        );
        let (stop, _) = self.turn(session, &prompt).await?;
        expect(stop == StopReason::EndTurn, &stop)?;
        let made = &rondar.calls()[before..];
        let created = made.iter().any(|call| call.contains(&title) && call.contains(&words));
        let read = made.iter().any(|call| call.contains("get_plan"));
        expect(created && read, &made)
    }
}

/// The server of the plan tools, and what it was asked.
struct Rondar {
    record: PathBuf,
}

impl Rondar {
    fn new(folder: &Path) -> Self {
        let record = folder.join("record.jsonl");
        Self { record }
    }

    fn server(&self) -> Outcome<McpServer> {
        let record = self.record.display().to_string();
        let server = McpServerStdio::new("rondar", env::var("RONDAR")?);
        Ok(McpServer::Stdio(server.args(vec!["--record".into(), record])))
    }

    fn calls(&self) -> Vec<String> {
        let record = fs::read_to_string(&self.record).unwrap_or_default();
        let calls = record.lines().filter(|line| line.contains("_plan"));
        calls.map(str::to_owned).collect()
    }
}

fn expect(holds: bool, seen: &impl std::fmt::Debug) -> Outcome {
    if holds {
        Ok(())
    } else {
        Err(format!("{seen:?}").into())
    }
}

/// A word that nobody has said yet.
fn marker(kind: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{kind}-{:x}{next:x}", std::process::id())
}

async fn reply(folder: &Path) -> Outcome {
    with_agent(folder, async |scene: Scene| {
        let (session, _) = scene.open(Vec::new()).await?;
        let word = marker("WORD");
        let prompt = format!("Reply with exactly {word} and nothing else.");
        let answered = scene.turn(&session, &prompt).await?;
        expect(answered == (StopReason::EndTurn, word), &answered)
    })
    .await
}

async fn memory(folder: &Path) -> Outcome {
    with_agent(folder, async |scene: Scene| {
        let (session, _) = scene.open(Vec::new()).await?;
        let word = marker("WORD");
        scene.remember(&session, &word).await?;
        scene.recall(&session, &word).await
    })
    .await
}

async fn load(folder: &Path) -> Outcome {
    let word = marker("WORD");
    let opened = Arc::new(Mutex::new(None));
    let (said, kept) = (word.clone(), Arc::clone(&opened));
    with_agent(folder, async move |scene: Scene| {
        let (session, _) = scene.open(Vec::new()).await?;
        scene.remember(&session, &said).await?;
        *kept.lock().unwrap() = Some(session);
        Ok(())
    })
    .await?;
    let session = opened.lock().unwrap().take().ok_or("no session")?;
    with_agent(folder, async move |scene: Scene| {
        expect(scene.capabilities.load_session, &scene.capabilities)?;
        let load = LoadSessionRequest::new(session.clone(), scene.folder.clone());
        scene.agent.send_request(load).block_task().await?;
        let replayed = scene.seen.said(true);
        expect(replayed.contains(&word), &replayed)?;
        scene.recall(&session, &word).await
    })
    .await
}

async fn image(folder: &Path) -> Outcome {
    with_agent(folder, async |scene: Scene| {
        let takes_images = scene.capabilities.prompt_capabilities.image;
        expect(takes_images, &scene.capabilities)?;
        let (session, _) = scene.open(Vec::new()).await?;
        let word = marker("WORD");
        let file = scene.folder.join("word.txt");
        fs::write(&file, format!("{word}\n"))?;
        let prompt = format!(
            "Read the text file {} and look at the attached image. Reply with the word that is in \
             the file and the name of the colour of the image.",
            file.display()
        );
        let png = BASE64.encode(fs::read(env::var("RED_PNG")?)?);
        let blocks = vec![
            ContentBlock::Text(TextContent::new(prompt)),
            ContentBlock::Image(ImageContent::new(png, "image/png")),
        ];
        let (_, said) = scene.turn_of(&session, blocks).await?;
        let is_red = said.to_ascii_lowercase().contains("red");
        expect(said.contains(&word) && is_red, &said)
    })
    .await
}

async fn cancel(folder: &Path) -> Outcome {
    with_agent(folder, async |scene: Scene| {
        let (session, _) = scene.open(Vec::new()).await?;
        let prompt = "Run the shell command sleep 120 and wait for it.";
        let cancel = async {
            scene.seen.running.notified().await;
            let cancel = CancelNotification::new(session.clone());
            scene.agent.send_notification(cancel)
        };
        let (answered, cancelled) = tokio::join!(scene.turn(&session, prompt), cancel);
        cancelled?;
        let (stop, _) = answered?;
        expect(stop == StopReason::Cancelled, &stop)
    })
    .await
}

async fn plan(folder: &Path) -> Outcome {
    with_agent(folder, async |scene: Scene| {
        let rondar = Rondar::new(&scene.folder);
        let (session, _) = scene.open(vec![rondar.server()?]).await?;
        scene.mode(&session, "plan".into()).await?;
        scene.plan(&session, &rondar).await
    })
    .await
}

async fn modes(folder: &Path) -> Outcome {
    with_agent(folder, async |scene: Scene| {
        let rondar = Rondar::new(&scene.folder);
        let (session, start) = scene.open(vec![rondar.server()?]).await?;
        let created = scene.folder.join("created.txt");
        let create = "Now create a file: run the shell command `echo created > created.txt`. Reply \
                      with DONE when the file is there.";
        scene.mode(&session, "plan".into()).await?;
        scene.plan(&session, &rondar).await?;
        scene.turn(&session, create).await?;
        expect(!created.exists(), &"a file was written in plan mode")?;
        scene.mode(&session, start.ok_or("no modes")?).await?;
        scene.turn(&session, create).await?;
        expect(created.exists(), &"the file is not there")?;
        scene.mode(&session, "plan".into()).await?;
        scene.plan(&session, &rondar).await
    })
    .await
}

/// Runs one journey in a folder of its own and prints how it went.
async fn run<F: Future<Output = Outcome>>(name: &str, journey: impl FnOnce(PathBuf) -> F) -> Outcome {
    let folder = tempfile::Builder::new().prefix("acp-client-").tempdir()?;
    match timeout(DEADLINE, journey(folder.path().to_owned())).await {
        Ok(Ok(())) => println!("pass {name}"),
        Ok(Err(error)) => println!("fail {name}: {}", error.to_string().replace('\n', " ")),
        Err(_) => println!("fail {name}: it did not end"),
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome {
    run("reply", async |folder| reply(&folder).await).await?;
    run("memory", async |folder| memory(&folder).await).await?;
    run("load", async |folder| load(&folder).await).await?;
    run("image", async |folder| image(&folder).await).await?;
    run("cancel", async |folder| cancel(&folder).await).await?;
    run("plan", async |folder| plan(&folder).await).await?;
    run("modes", async |folder| modes(&folder).await).await
}
