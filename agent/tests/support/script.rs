//! A model that does what a test tells it: each step is a closure from the conversation to events,
//! and a step may wait at a gate that the test opens.

use std::sync::{Arc, Mutex};

use acp_agent::model::{Conversation, Event, Model, Stop, ToolCall};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use serde_json::Value;
use tokio::sync::Semaphore;

/// A place where the model waits until the test lets it on.
#[derive(Clone)]
pub struct Gate {
    reached: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Gate {
    pub fn new() -> Self {
        Self {
            reached: Arc::new(Semaphore::new(0)),
            open: Arc::new(Semaphore::new(0)),
        }
    }

    /// Waits until the model has come here.
    pub async fn reached(&self) {
        self.reached.acquire().await.unwrap().forget();
    }

    /// Lets the model go on.
    pub fn open(&self) {
        self.open.add_permits(1);
    }

    async fn pass(&self) {
        self.reached.add_permits(1);
        self.open.acquire().await.unwrap().forget();
    }
}

/// One thing that the scripted model does.
#[derive(Clone)]
pub enum Do {
    Say(&'static str),
    Call(&'static str, Value),
    Wait(Gate),
    Emit(Event),
    End,
}

/// A model with one list of things to do for each step; the last list is repeated.
pub struct Script {
    steps: Mutex<Vec<Vec<Do>>>,
}

impl Script {
    pub fn new(steps: impl IntoIterator<Item = Vec<Do>>) -> Self {
        let mut steps: Vec<_> = steps.into_iter().collect();
        steps.reverse();
        Self {
            steps: Mutex::new(steps),
        }
    }
}

impl Model for Script {
    fn next<'a>(&'a self, _: Conversation<'a>) -> BoxStream<'a, Event> {
        let mut steps = self.steps.lock().unwrap();
        let step = match steps.len() {
            1 => steps[0].clone(),
            _ => steps.pop().unwrap(),
        };
        let event = |(index, one): (usize, Do)| async move {
            match one {
                Do::Say(text) => Some(Event::Text(text.to_owned())),
                Do::Call(name, arguments) => Some(Event::ToolCall(ToolCall {
                    id: format!("model-call-{index}"),
                    name: name.to_owned(),
                    arguments,
                })),
                Do::Wait(gate) => {
                    gate.pass().await;
                    None
                }
                Do::Emit(event) => Some(event),
                Do::End => Some(Event::Stop(Stop::EndTurn)),
            }
        };
        stream::iter(step.into_iter().enumerate())
            .filter_map(event)
            .boxed()
    }
}
