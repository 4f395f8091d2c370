//! Asking a model at the seam, without an agent around it.

use std::{path::Path, time::Duration};

use acp_agent::model::{
    Conversation, Event, Message, Model, Part, Stop,
    remote::{Key, Patience, Remote, Settings, Wire},
};
use futures::StreamExt;
use tokio::time::timeout;

/// Only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(60);

/// A patience that no test waits for: what is to run out is set in the test.
pub fn patience() -> Patience {
    Patience {
        pause: Duration::from_millis(1),
        ..Patience::default()
    }
}

/// The model `m` of a server, with the key `sk-test-key`.
pub fn model(wire: Wire, url: &str, patience: Patience) -> Remote {
    let base = match wire {
        Wire::OpenAi => format!("{url}/v1"),
        Wire::Anthropic => url.to_owned(),
    };
    Remote::new(Settings {
        wire,
        name: "m".into(),
        url: base.parse().unwrap(),
        key: Key::new("sk-test-key"),
        context: Some(1000),
        max_tokens: None,
        patience,
    })
    .unwrap()
}

/// A model that speaks OpenAI's wire.
pub fn openai(url: &str) -> Remote {
    model(Wire::OpenAi, url, patience())
}

/// All that the model says to `hello`.
pub async fn reply(model: &impl Model) -> Vec<Event> {
    let messages = [Message::User(vec![Part::Text("hello".into())])];
    let conversation = Conversation {
        cwd: Path::new("/w"),
        mode: "default",
        tools: &[],
        messages: &messages,
    };
    let events = model.next(conversation).collect();
    timeout(DEADLINE, events).await.expect("an end in time")
}

/// The words of the failure that the model's reply ends with.
pub async fn failure(model: &impl Model) -> String {
    match reply(model).await.pop() {
        Some(Event::Stop(Stop::Failed(why))) => why,
        other => panic!("no failure but {other:?}"),
    }
}
