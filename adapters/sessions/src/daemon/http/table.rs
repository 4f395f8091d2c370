//! The table of all requests: what serves each, and what it takes and answers. The router and the
//! document of the contract are both made from it, so they cannot differ.

use axum::routing::{MethodRouter, get, post};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::{Shared, create, lifecycle, read, turns, work, workspaces};
use crate::api::{
    Acknowledged, CreateSession, DaemonInfo, Destroy, Diff, DiffQuery, Export, Exported, Interrupt,
    NewWorkspace, Options, Prompt, PromptAccepted, SearchAnswer, SearchQuery, Session,
    SessionCreated, Sessions, SessionsQuery, Suspend, TranscriptPage, TranscriptQuery, Wait,
    WaitAnswer, Workspace, Workspaces, routes,
};

/// Makes the schema of a type.
pub(super) type Make = fn(&mut SchemaGenerator) -> Schema;

/// A request.
pub(super) struct Entry {
    /// In lower case, as the document writes it.
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) serves: MethodRouter<Shared>,
    pub(super) query: Option<Make>,
    pub(super) body: Option<Make>,
    pub(super) status: u16,
    pub(super) answer: Make,
    /// Beside those that every request may get.
    pub(super) refusals: &'static [u16],
}

impl Entry {
    fn get<A: JsonSchema>(
        path: &'static str,
        summary: &'static str,
        serves: MethodRouter<Shared>,
    ) -> Self {
        Self {
            method: "get",
            path,
            summary,
            serves,
            query: None,
            body: None,
            status: 200,
            answer: SchemaGenerator::subschema_for::<A>,
            refusals: &[],
        }
    }

    fn post<A: JsonSchema>(
        path: &'static str,
        summary: &'static str,
        serves: MethodRouter<Shared>,
    ) -> Self {
        Self {
            method: "post",
            ..Self::get::<A>(path, summary, serves)
        }
    }

    /// The query. Its members become parameters, so the type stands by itself.
    fn asks<Q: JsonSchema>(mut self) -> Self {
        self.query = Some(Q::json_schema);
        self
    }

    fn takes<B: JsonSchema>(mut self) -> Self {
        self.body = Some(SchemaGenerator::subschema_for::<B>);
        self
    }

    const fn with(mut self, status: u16, refusals: &'static [u16]) -> Self {
        self.status = status;
        self.refusals = refusals;
        self
    }
}

/// All requests but the one for the document.
pub(super) fn table() -> Vec<Entry> {
    let mut entries = of_the_daemon();
    entries.extend(of_a_session());
    entries.extend(of_its_life());
    entries
}

fn of_the_daemon() -> Vec<Entry> {
    vec![
        Entry::get::<DaemonInfo>(routes::INFO, "Which daemon this is.", get(read::info)),
        Entry::get::<Options>(
            routes::OPTIONS,
            "What a session can be made of.",
            get(read::options),
        )
        .with(200, &[409]),
        Entry::get::<Workspaces>(
            routes::WORKSPACES,
            "All workspaces, the most recently opened first.",
            get(workspaces::list),
        ),
        Entry::post::<Workspace>(
            routes::WORKSPACES,
            "Make a workspace, or find it by its name.",
            post(workspaces::create),
        )
        .takes::<NewWorkspace>(),
        Entry::get::<Sessions>(
            routes::SESSIONS,
            "All sessions, the newest first.",
            get(read::sessions),
        )
        .asks::<SessionsQuery>(),
        Entry::post::<SessionCreated>(
            routes::SESSIONS,
            "Make a session. Answered when it is stored; whether it starts is seen at the session.",
            post(create::create),
        )
        .takes::<CreateSession>()
        .with(201, &[404, 409, 429]),
        Entry::get::<SearchAnswer>(
            routes::SEARCH,
            "Search in everything that was said.",
            get(read::search),
        )
        .asks::<SearchQuery>(),
    ]
}

fn of_a_session() -> Vec<Entry> {
    vec![
        Entry::get::<Session>(routes::SESSION, "One session.", get(read::session))
            .with(200, &[404]),
        Entry::post::<PromptAccepted>(
            routes::PROMPT,
            "Queue a prompt. Held until the session has started.",
            post(turns::prompt),
        )
        .takes::<Prompt>()
        .with(202, &[404, 409]),
        Entry::post::<WaitAnswer>(
            routes::WAIT,
            "Wait for the end of a turn. It may be repeated.",
            post(turns::wait),
        )
        .takes::<Wait>()
        .with(200, &[404, 409]),
        Entry::post::<Acknowledged>(
            routes::INTERRUPT,
            "Interrupt a turn, or withdraw the held prompts.",
            post(turns::interrupt),
        )
        .takes::<Interrupt>()
        .with(202, &[404, 409]),
        Entry::get::<TranscriptPage>(
            routes::TRANSCRIPT,
            "A page of what was said.",
            get(read::transcript),
        )
        .asks::<TranscriptQuery>()
        .with(200, &[404]),
        Entry::get::<Diff>(
            routes::DIFF,
            "What was changed: text, or JSON if asked for.",
            get(work::diff),
        )
        .asks::<DiffQuery>()
        .with(200, &[404, 409]),
        Entry::post::<Exported>(
            routes::EXPORT,
            "The commits, in a file of the daemon's machine.",
            post(work::export),
        )
        .takes::<Export>()
        .with(200, &[404, 409]),
    ]
}

fn of_its_life() -> Vec<Entry> {
    const REFUSALS: &[u16] = &[404, 409, 429];
    vec![
        Entry::post::<Acknowledged>(
            routes::SUSPEND,
            "Save the work and give the environment back. 202: admitted, not done.",
            post(lifecycle::suspend),
        )
        .takes::<Suspend>()
        .with(202, REFUSALS),
        Entry::post::<Acknowledged>(
            routes::RESUME,
            "Bring a session back. 202: admitted, not done.",
            post(lifecycle::resume),
        )
        .takes::<lifecycle::Nothing>()
        .with(202, REFUSALS),
        Entry::post::<Acknowledged>(
            routes::DESTROY,
            "Remove a session. 202: admitted; done when it is unknown.",
            post(lifecycle::destroy),
        )
        .takes::<Destroy>()
        .with(202, REFUSALS),
        Entry::post::<Acknowledged>(
            routes::CHECKPOINT,
            "Save the work and go on. 202: admitted, not done.",
            post(lifecycle::checkpoint),
        )
        .takes::<lifecycle::Nothing>()
        .with(202, REFUSALS),
    ]
}
