//! The stub model over both wires says what it says in the same process.
//!
//! That is a test of both ends at once: what one wire loses on the way there or back, the model
//! cannot answer to.

use acp_agent::{
    mode::Mode,
    model::{
        Model, Stub,
        remote::{Remote, Wire},
    },
};
use serde_json::{Value, json};
use stub_model::serve::{Server, Wires};

use crate::{
    asking::{model, patience},
    support::client::{Client, Setup},
};

/// What a client sees of a turn, as far as it is the same everywhere.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    stop: Value,
    said: String,
    thought: String,
    plans: Vec<Value>,
    calls: Vec<(String, String)>,
}

/// The stub model over a wire, at a server that ends with the test.
async fn served(wire: Wire) -> Remote {
    let both = Wires {
        openai: true,
        anthropic: true,
    };
    let server = Server::bind(0, both, None).await.unwrap();
    let url = server.url();
    tokio::spawn(server.run());
    model(wire, &url, patience())
}

/// All turns of a session with these prompts.
async fn session(model: impl Model + 'static, prompts: &[Value]) -> Vec<Seen> {
    let setup = Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    };
    let mut client = Client::start_with(model, setup);
    client.initialize().await;
    let session = client.session().await;
    std::fs::write(client.workspace.path().join("note.txt"), "a line\n").unwrap();
    let mut turns = Vec::new();
    for prompt in prompts {
        let id = client
            .request(
                "session/prompt",
                json!({"sessionId": session, "prompt": prompt}),
            )
            .await;
        let answer = client.answer(id).await;
        let stop = match answer.get("result") {
            Some(result) => result["stopReason"].clone(),
            None => json!("an error"),
        };
        let mut turn = seen(stop, &client.updates());
        let workspace = client.workspace.path().to_str().unwrap();
        turn.said = turn.said.replace(workspace, "WORKSPACE");
        turns.push(turn);
    }
    turns
}

fn seen(stop: Value, updates: &[Value]) -> Seen {
    let mut seen = Seen {
        stop,
        ..Seen::default()
    };
    let mut titles = Vec::new();
    for update in updates {
        let text = update["content"]["text"].as_str().unwrap_or_default();
        let id = &update["toolCallId"];
        match update["sessionUpdate"].as_str().unwrap() {
            "agent_message_chunk" => seen.said.push_str(text),
            "agent_thought_chunk" => seen.thought.push_str(text),
            "plan" => seen.plans.push(update["entries"].clone()),
            "tool_call" => titles.push((id.clone(), update["title"].to_string())),
            "tool_call_update"
                if update["status"].is_string() && update["status"] != "in_progress" =>
            {
                let title = titles.iter().find(|(known, _)| known == id);
                let title = title.map(|(_, title)| title.clone()).unwrap_or_default();
                seen.calls.push((title, update["status"].to_string()));
            }
            _ => {}
        }
    }
    // On a wire a plan is a call of this tool.
    seen.calls
        .retain(|(title, _)| title != "\"Update the plan\"");
    seen
}

fn words(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

async fn compare(prompts: &[Value]) {
    let expected = session(Stub, prompts).await;
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let turns = session(served(wire).await, prompts).await;
        for ((prompt, turn), expected) in prompts.iter().zip(&turns).zip(&expected) {
            assert_eq!(turn, expected, "{wire:?}: {prompt}");
        }
    }
}

#[tokio::test]
async fn instructions() {
    let prompts = [
        "Remember this word: zebra-7.",
        "Run the command `echo out; exit 3` and tell me what it printed.",
        "Read the file note.txt and reply with its content.",
        "Write the file b.txt with the content `x`, then read it.",
        "Which word did I ask you to remember?",
        "What is the current mode?",
        "What is your working directory?",
    ];
    compare(&prompts.map(words)).await;
}

#[tokio::test]
async fn slash_commands() {
    let prompts = [
        "/stream 20",
        "/think",
        "/plan",
        "/error broken",
        "hello",
        "/max-tokens",
        "/refuse",
        "/terminal echo x",
        "/parallel 3",
        "/diff",
        "/slow 1ms",
    ];
    compare(&prompts.map(words)).await;
}

#[tokio::test]
async fn attachments() {
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
    let resource = json!({"uri": "file:///x/a%20b.txt", "text": "the word is <kiwi> & \"more\""});
    let prompts = [
        json!([
            {"type": "image", "mimeType": "image/png", "data": pixel},
            {"type": "text", "text": "What colour is this image?"},
        ]),
        json!([
            {"type": "text", "text": "Reply with the content of the attached file."},
            {"type": "resource", "resource": resource},
        ]),
        json!([
            {"type": "text", "text": "Reply with the content of the linked file."},
            {"type": "resource_link", "name": "note & more.txt", "uri": "file:///none/such%20file"},
        ]),
    ];
    compare(&prompts).await;
}

#[tokio::test]
async fn a_crash_is_an_error_and_no_end() {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let mut client = Client::start(served(wire).await);
        client.initialize().await;
        let session = client.session().await;
        let answer = client.turn(&session, "/crash").await;
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("the model server"), "{message}");
    }
}
