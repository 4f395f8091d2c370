//! What a Plan turn demands, and so the journey `plan`.
//!
//! What was called is read from the tool server's own record. A plan counts if it was saved with the
//! turn's title; its ID is the one that the server answered.

use serde_json::Value;

use super::{Case, Process, holds_if, quote, turn::Turn};
use crate::{
    check::{Check, Finding, Found},
    evidence::{Evidence, Part},
    mode_rule,
    recording::{PlanInputs, ToolServerLog},
    requirements::{
        CREATE_PLAN_HAS_CAT_OUTPUT, CREATE_PLAN_HAS_TITLE, GET_PLAN_HAS_PLAN_ID,
        PLAN_MODE_ADVERTISED, REPLY_HOLDS_PLAN_ID, SET_MODE_ANSWERS, STOP_REASON_END_TURN,
        WORKSPACE_UNCHANGED,
    },
    workspace::Snapshot,
};

pub(super) fn judge(case: &Case<'_>, plan: &PlanInputs) -> Vec<Check> {
    let process = case.first();
    let turn = process.and_then(|process| process.turn(0));
    let turn = turn.as_ref();
    let reached = process.zip(turn);
    let log = process.map(|process| &process.recording.tool_server);
    let saved = log.and_then(|log| saved_plan(log, plan));
    let in_turn = |judge: &dyn Fn(&ToolServerLog) -> Finding, tool| match reached {
        Some((process, _)) => {
            judge(&process.recording.tool_server).seen_in(lines_of(process, tool))
        }
        None => Finding::NotReached(case.trouble.clone()).into(),
    };
    vec![
        case.check(&PLAN_MODE_ADVERTISED, advertised(case)),
        case.check(&SET_MODE_ANSWERS, mode_changes(case, 1)),
        case.check(
            &CREATE_PLAN_HAS_TITLE,
            in_turn(&|log| title(log, plan), "create_plan"),
        ),
        case.check(
            &CREATE_PLAN_HAS_CAT_OUTPUT,
            in_turn(&|log| description(log, plan), "create_plan"),
        ),
        case.check(
            &GET_PLAN_HAS_PLAN_ID,
            in_turn(&|log| read_back(log, plan), "get_plan"),
        ),
        case.check_if(&REPLY_HOLDS_PLAN_ID, turn, |turn| match &saved {
            Some(saved) => turn.reply_holds(&saved.id),
            None => Finding::NotReached("create_plan gave no plan ID".to_owned()).into(),
        }),
        case.check_if(&WORKSPACE_UNCHANGED, reached, |(process, turn)| {
            unchanged(turn, Some(&process.recording.files_at_end))
        }),
        case.check_if(&STOP_REASON_END_TURN, turn, |turn| {
            turn.stops_with("end_turn")
        }),
    ]
}

/// A plan as the server saved it.
struct SavedPlan {
    id: String,
    /// Where the call stands in the record.
    at: usize,
}

/// The plan with this title and the output of cat. The agent may have tried more than once.
fn saved_plan(log: &ToolServerLog, plan: &PlanInputs) -> Option<SavedPlan> {
    let mut calls = calls(log, "create_plan")
        .filter(|(_, call)| has_title(call, plan) && was_saved(call))
        .peekable();
    let first = calls.peek().copied();
    let whole = calls.find(|(_, call)| has_output(call, plan));
    let (at, call) = whole.or(first)?;
    let id = plan_id(&call["result"])?;
    Some(SavedPlan { id, at })
}

/// Whether the plan was saved with its content and read back, in one sentence.
pub(super) fn saved_and_read_back(process: &Process<'_>, plan: &PlanInputs) -> Found {
    let log = &process.recording.tool_server;
    let finding = [
        title(log, plan),
        description(log, plan),
        read_back(log, plan),
    ]
    .into_iter()
    .find(|finding| !matches!(finding, Finding::Holds(_)))
    .unwrap_or_else(|| {
        Finding::Holds(format!("the plan {:?} was saved and read back", plan.title))
    });
    let about_it = calls(log, "create_plan").filter(|(_, call)| has_title(call, plan));
    let lines = about_it.map(|(at, _)| at);
    let read = saved_plan(log, plan).into_iter().flat_map(|saved| {
        let reads = calls(log, "get_plan").filter(move |(_, call)| names(call, &saved.id));
        reads.map(|(at, _)| at)
    });
    finding.seen_in(
        lines
            .chain(read)
            .map(|at| Part::ToolServerLine(at).of(process.index)),
    )
}

/// The calls of this tool in the server's record, as evidence.
fn lines_of(process: &Process<'_>, tool: &str) -> Vec<Evidence> {
    let calls = calls(&process.recording.tool_server, tool);
    calls
        .map(|(at, _)| Part::ToolServerLine(at).of(process.index))
        .collect()
}

fn title(log: &ToolServerLog, plan: &PlanInputs) -> Finding {
    let titles: Vec<&Value> = calls(log, "create_plan")
        .map(|(_, call)| &call["arguments"]["title"])
        .collect();
    holds_if(
        titles.iter().any(|title| **title == plan.title.as_str()),
        match titles.as_slice() {
            [] => no_calls(log, "create_plan"),
            titles => format!(
                "create_plan with the title {titles:?}; wanted {:?}",
                plan.title
            ),
        },
    )
}

fn description(log: &ToolServerLog, plan: &PlanInputs) -> Finding {
    let mut titled = calls(log, "create_plan")
        .filter(|(_, call)| has_title(call, plan))
        .peekable();
    let Some((_, first)) = titled.peek() else {
        return Finding::NotReached(format!(
            "create_plan was not called with the title {:?}",
            plan.title
        ));
    };
    let came = format!(
        "the description {}",
        quote(&first["arguments"]["description"].to_string())
    );
    holds_if(
        titled.any(|(_, call)| has_output(call, plan)),
        format!("{came}; wanted in it {:?}", plan.text),
    )
}

fn read_back(log: &ToolServerLog, plan: &PlanInputs) -> Finding {
    let Some(saved) = saved_plan(log, plan) else {
        return Finding::NotReached("create_plan gave no plan ID".to_owned());
    };
    let asked: Vec<&Value> = calls(log, "get_plan")
        .filter(|(at, _)| *at > saved.at)
        .map(|(_, call)| call)
        .collect();
    let has_id = asked.iter().any(|call| names(call, &saved.id));
    let asked: Vec<&Value> = asked.iter().map(|call| &call["arguments"]).collect();
    let came = match asked.as_slice() {
        [] => no_calls(log, "get_plan"),
        asked => format!("get_plan with {asked:?}; wanted {:?}", saved.id),
    };
    holds_if(has_id, came)
}

/// A call that the server refused saved nothing.
fn was_saved(call: &Value) -> bool {
    call.get("error").is_none() && call["result"]["isError"] != true
}

/// Whether any argument of the call is this ID.
fn names(call: &Value, id: &str) -> bool {
    let arguments = call["arguments"].as_object();
    arguments.is_some_and(|arguments| arguments.values().any(|value| value == id))
}

fn has_title(call: &Value, plan: &PlanInputs) -> bool {
    call["arguments"]["title"] == plan.title.as_str()
}

fn has_output(call: &Value, plan: &PlanInputs) -> bool {
    call["arguments"]["description"]
        .as_str()
        .is_some_and(|text| text.contains(&plan.text))
}

fn calls<'l>(log: &'l ToolServerLog, tool: &str) -> impl Iterator<Item = (usize, &'l Value)> {
    let lines = log.lines.iter().enumerate();
    lines.filter(move |(_, line)| line["tool"] == tool)
}

fn no_calls(log: &ToolServerLog, tool: &str) -> String {
    let started = log.lines.iter().any(|line| line["event"] == "started");
    let cause = match (&log.fault, started) {
        (Some(fault), _) => format!("the tool server's record is damaged: {fault}"),
        (None, true) => "the tool server was started but got no such call".to_owned(),
        (None, false) => "the tool server was never started".to_owned(),
    };
    format!("no call of {tool}: {cause}")
}

/// The ID in the result of an MCP tool call: in its structured content, or in its text.
fn plan_id(result: &Value) -> Option<String> {
    let structured = result["structuredContent"]["id"]
        .as_str()
        .map(str::to_owned);
    structured.or_else(|| {
        let text = result["content"][0]["text"].as_str()?;
        let parsed: Value = serde_json::from_str(text).unwrap_or_default();
        Some(parsed["id"].as_str().unwrap_or(text).to_owned())
    })
}

/// Whether `session/new` offers a Plan mode.
pub(super) fn advertised(case: &Case<'_>) -> Found {
    let opened = case.first().and_then(|process| {
        let exchange = process.transcript.exchanges("session/new").next()?;
        Some((exchange, exchange.result()?))
    });
    let Some((exchange, opened)) = opened else {
        return Finding::NotReached(case.trouble.clone()).into();
    };
    let finding = match mode_rule::find(opened) {
        Some(switches) => Finding::Holds(format!("{:?}", switches.plan)),
        None => Finding::Breach(format!(
            "modes {}, configOptions {}",
            quote(&opened["modes"].to_string()),
            quote(&opened["configOptions"].to_string())
        )),
    };
    finding.seen_in(exchange.evidence())
}

/// Whether that many changes of mode were made and each was answered with a result.
pub(super) fn mode_changes(case: &Case<'_>, wanted: usize) -> Found {
    let changes: Vec<_> = case
        .first()
        .into_iter()
        .flat_map(|process: &Process<'_>| process.transcript.requests())
        .filter(|exchange| {
            matches!(
                exchange.request["method"].as_str(),
                Some("session/set_mode" | "session/set_config_option")
            )
        })
        .collect();
    if let Some(refused) = changes.iter().find(|change| change.result().is_none()) {
        return Finding::Breach(format!(
            "{}: {}",
            refused.request["params"],
            refused.in_words()
        ))
        .seen_in(refused.evidence());
    }
    if changes.len() < wanted {
        return Finding::NotReached(case.trouble.clone()).into();
    }
    Finding::Holds(format!("{} answered with a result", changes.len()))
        .seen_in(changes.iter().flat_map(|change| change.evidence()))
}

/// Whether the workspace is the same after the turn, and at the end if nothing else came between.
///
/// A file that was written and put back is a blemish: the contract compares files, but Plan mode means
/// not to write them.
pub(super) fn unchanged(turn: &Turn<'_>, at_end: Option<&Snapshot>) -> Found {
    files_unchanged(turn, at_end).seen_in([turn.files_evidence()])
}

fn files_unchanged(turn: &Turn<'_>, at_end: Option<&Snapshot>) -> Finding {
    let files = turn
        .files
        .and_then(|files| Some((&files.before, files.after.as_ref()?)));
    let Some((before, after)) = files else {
        return Finding::NotReached("the workspace was not looked at after the turn".to_owned());
    };
    let later = [Some(after), at_end].into_iter().flatten();
    let differences: Vec<_> = later.map(|later| before.difference(later)).collect();
    if let Some(changed) = differences
        .iter()
        .find(|difference| !difference.changed.is_empty())
    {
        return Finding::Breach(changed.changed.join(", "));
    }
    if let Some(touched) = differences
        .iter()
        .find(|difference| !difference.touched.is_empty())
    {
        return Finding::Blemish(format!(
            "written or replaced, and put back: {}",
            touched.touched.join(", ")
        ));
    }
    let beside = turn.files.map(|files| files.beside.as_slice());
    if let Some(beside @ [_, ..]) = beside {
        return Finding::Blemish(format!("made beside the workspace: {}", beside.join(", ")));
    }
    Finding::Holds(format!("{} entries unchanged", before.entries.len()))
}
