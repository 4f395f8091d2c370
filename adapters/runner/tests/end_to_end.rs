//! The reference agent behind the runner: the prompts of the journeys, as runner commands.
//!
//! What a host cannot send is left out: images, and tool servers of its own. Plan mode is the mode
//! that the agent is started in.
//!
//! Needs `acp-agent` beside `acp-runner`: `cargo build --workspace --bins`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use std::{fs, path::Path};

use serde_json::{Value, json};
use support::{Scene, processes, runner::Runner};

/// A workspace, and the reference agent in a mode.
fn scene(mode: &str) -> Scene {
    let agent = Path::new(env!("CARGO_BIN_EXE_acp-runner")).with_file_name("acp-agent");
    assert!(
        agent.exists(),
        "{} is missing; run `cargo build --workspace --bins`",
        agent.display()
    );
    let scene = Scene::new(&json!({}));
    let state = scene.at("state");
    let command = format!(
        "{} --acp --mode {mode} --state-dir {}",
        agent.display(),
        state.display()
    );
    scene.env("COLONIZER_ACP_COMMAND", command)
}

/// Waits for the next question, and answers it by the kind of an option.
fn answer_next(runner: &mut Runner, kind: &str) -> Value {
    let question = runner.until_type("question");
    let options = question["questions"][0]["options"]
        .as_array()
        .unwrap()
        .clone();
    let option = options.iter().find(|option| option["description"] == kind);
    let option = option.unwrap_or_else(|| panic!("no {kind} in {question}"));
    runner.answer(&question, option["label"].clone());
    question
}

fn result(end: &Value) -> &str {
    assert_eq!(end["is_error"], false, "{end}");
    end["result"].as_str().unwrap_or_default()
}

#[test]
fn a_reply_and_a_word_remembered() {
    let scene = scene("default");
    let mut runner = scene.start();
    let end = runner.turn("Reply with exactly REPLY-1234 and nothing else.");
    assert_eq!(result(&end), "REPLY-1234");
    let end = runner.turn("Remember this word: WORD-77. Reply with exactly ACK and nothing else.");
    assert_eq!(result(&end), "ACK");
    let end = runner.turn("Which word did I ask you to remember?");
    assert!(result(&end).contains("WORD-77"), "{end}");
    let ended = runner.shut_down();
    assert_eq!(ended.log("warn"), Vec::<&str>::new());
    assert_eq!(ended.log("error"), Vec::<&str>::new());
}

#[test]
fn a_session_that_goes_on_in_another_run() {
    let scene = scene("default");
    let mut runner = scene.start();
    let session = runner.until_type("agent_session")["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    runner.turn("Remember this word: WORD-78. Reply with exactly ACK and nothing else.");
    runner.shut_down();
    let scene = scene.env("COLONIZER_RESUME_SESSION", session.clone());
    let mut runner = scene.start();
    let end = runner.turn("Which word did I ask you to remember?");
    assert!(result(&end).contains("WORD-78"), "{end}");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("agent_session")[0]["session_id"], session);
    assert_eq!(ended.of_type("turn_end").len(), 1);
}

#[test]
fn a_file_is_read() {
    let scene = scene("default");
    fs::write(scene.at("ws/note.txt"), "The word is HERON-5.\n").unwrap();
    let mut runner = scene.start();
    let path = scene.workspace().join("note.txt");
    let prompt = format!(
        "Read the file {} and reply with its content.",
        path.display()
    );
    let end = runner.turn(&prompt);
    assert!(result(&end).contains("HERON-5"), "{end}");
    let ended = runner.shut_down();
    assert!(!ended.of_type("tool_call").is_empty());
}

#[test]
fn an_interrupt_ends_the_command() {
    let scene = scene("default");
    let mut runner = scene.start();
    let command = format!("sleep {}", scene.token);
    runner.say(
        "1",
        &format!("Run the shell command {command} and wait for it."),
    );
    let question = answer_next(&mut runner, "allow_once");
    assert_eq!(question["risk"], "workspace_write");
    let sleeps = || {
        processes::alive(&scene.token)
            .iter()
            .any(|stat| stat.contains("(sleep)"))
    };
    processes::until("it runs", sleeps);
    runner.interrupt();
    let end = runner.until_type("turn_end");
    assert_eq!(
        (&end["is_error"], &end["result"]),
        (&json!(true), &json!("interrupted by the user"))
    );
    assert!(!sleeps());
    runner.until_state("idle");
    let end = runner.turn("Reply with exactly ON and nothing else.");
    assert_eq!(result(&end), "ON");
    runner.shut_down();
}

/// What the agent receives is written down on the way.
#[test]
fn a034_a_stop_loses_neither_the_agent_nor_what_it_knows() {
    let scene = scene("full-access");
    let (inner, agent) = (scene.at("inner"), scene.agent_command());
    let command = format!("sh -c 'tee -a {} | {agent}'", inner.display());
    let scene = scene.env("COLONIZER_ACP_COMMAND", command);
    let mut runner = scene.start();
    runner.turn("Remember this word: WORD-42. Reply with exactly ACK and nothing else.");
    let command = format!("sleep {}", scene.token);
    runner.say(
        "2",
        &format!("Run the shell command {command} and wait for it."),
    );
    processes::until("it runs", || {
        let alive = processes::alive(&scene.token);
        alive.iter().any(|stat| stat.contains("(sleep)"))
    });
    runner.interrupt();
    let end = runner.until_type("turn_end");
    assert_eq!(end["result"], "interrupted by the user");
    runner.until_state("idle");
    let end = runner.turn("Which word did I ask you to remember?");
    assert!(result(&end).contains("WORD-42"), "{end}");
    runner.shut_down();
    let lines = fs::read_to_string(inner).unwrap();
    let count = |method: &str| lines.matches(&format!("\"method\":\"{method}\"")).count();
    assert_eq!((count("initialize"), count("session/new")), (1, 1));
    assert_eq!((count("session/prompt"), count("session/cancel")), (3, 1));
}

#[test]
fn a_question_is_answered_both_ways() {
    let scene = scene("default");
    let mut runner = scene.start();
    runner.say("1", "Run the shell command touch first.txt");
    answer_next(&mut runner, "reject_once");
    // A refusal is told to the model, and ends nothing.
    assert_eq!(runner.until_type("turn_end")["is_error"], false);
    assert!(!scene.at("ws/first.txt").exists());
    runner.say("2", "Run the shell command touch second.txt");
    answer_next(&mut runner, "allow_once");
    assert_eq!(runner.until_type("turn_end")["is_error"], false);
    assert!(scene.at("ws/second.txt").exists());
    let ended = runner.shut_down();
    let results: Vec<&Value> = ended
        .of_type("tool_result")
        .iter()
        .map(|event| &event["is_error"])
        .collect();
    assert_eq!(results, [&json!(true), &json!(false)]);
}

#[test]
fn plan_mode_reads_and_changes_nothing() {
    let scene = scene("plan");
    fs::write(scene.at("ws/note.txt"), "HERON-6\n").unwrap();
    let mut runner = scene.start();
    runner.say(
        "1",
        "Run the shell command cat note.txt and reply with its output.",
    );
    answer_next(&mut runner, "allow_once");
    let end = runner.until_type("turn_end");
    assert!(result(&end).contains("HERON-6"), "{end}");
    runner.say("2", "Run the shell command rm note.txt");
    let next = runner.until(|event| event["type"] == "question" || event["type"] == "turn_end");
    if next["type"] == "question" {
        runner.answer(&next, "Allow");
        runner.until_type("turn_end");
    }
    runner.shut_down();
    assert!(scene.at("ws/note.txt").exists());
}

#[test]
fn the_exec_policy_stands_before_the_person() {
    let scene = scene("default");
    fs::write(scene.at("ws/.env"), "SECRET=1\n").unwrap();
    let mut runner = scene.start();
    runner.turn("Run the shell command cat .env");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("question").len(), 0);
    assert_eq!(
        ended.of_type("boundary")[0]["control"],
        "exec_policy:secret-paths"
    );
}

#[test]
fn the_shared_memory_reaches_the_agent() {
    let scene = scene("full-access");
    fs::create_dir_all(scene.at("memory/repo")).unwrap();
    let notes = json!([{"id": "n1", "title": "Birds", "content": "the heron is HERON-9"}]);
    fs::write(scene.at("memory/repo/notes.json"), notes.to_string()).unwrap();
    let memory = scene.at("memory").display().to_string();
    let scene = scene.env("COLONIZER_MEMORY_DIR", memory);
    let mut runner = scene.start();
    runner.turn("Reply with exactly ACK and nothing else.");
    runner.turn("Call the tool memory_search with query heron and reply with its result.");
    let ended = runner.shut_down();
    let outputs: Vec<&str> = ended
        .of_type("tool_result")
        .iter()
        .map(|event| event["output"].as_str().unwrap())
        .collect();
    assert!(
        outputs.iter().any(|output| output.contains("HERON-9")),
        "{:#?}",
        ended.events
    );
}

#[test]
fn nothing_is_left_of_agent_and_commands_when_the_runner_is_killed() {
    let scene = scene("full-access");
    let mut runner = scene.start();
    let command = format!("sleep {}", scene.token);
    runner.say(
        "1",
        &format!("Run the shell command {command} and wait for it."),
    );
    let sleeps = || {
        processes::alive(&scene.token)
            .iter()
            .any(|stat| stat.contains("(sleep)"))
    };
    processes::until("it runs", sleeps);
    runner.child.kill().unwrap();
    processes::none_left(&scene.token);
}
