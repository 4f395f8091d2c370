//! Floods over real pipes: whatever a client or a command pours in, memory stays bounded, other
//! sessions go on, and the end of the input is the end of the process.
//!
//! Each test states its bound. The bounds are for a debug build on a busy machine; the figures that
//! were measured are told on stderr.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is how a test fails, and figures are told on stderr"
)]

mod robust;

use std::{
    io::{BufRead, BufReader, Read, Write},
    thread,
    time::{Duration, Instant},
};

use robust::{Scene, number};
use serde_json::{Value, json};
use soak::{
    client::{Client, END_DEADLINE, Next, text},
    finding::Found,
    processes,
    program::Program,
};

const MIB: u64 = 1 << 10; // in KiB, as the kernel counts

/// Tells how much memory the agent has used at most, and holds it against a bound.
fn bounded(what: &str, program: &Program, bound: u64) {
    let figures = program.figures().expect("the agent lives");
    eprintln!("{what}: {figures}");
    assert!(
        figures.peak < bound,
        "{what}: {figures}, and {bound} KiB is the bound"
    );
}

/// Closes the input of an agent whose output nobody reads, and waits for its end.
fn ends(what: &str, program: &mut Program) {
    let (status, took) = program.wait(END_DEADLINE).unwrap();
    eprintln!("{what}: ended with {status} after {took:?}");
}

fn request(id: u64, method: &str, params: &Value) -> String {
    format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    )
}

#[test]
fn a_hundred_thousand_requests_at_once_are_all_answered() -> Found<()> {
    const COUNT: u64 = 100_000;
    let scene = Scene::new()?;
    let (program, mut stdin, stdout) = Program::start(&scene.setup())?;
    let writer = thread::spawn(move || {
        let mut text = String::new();
        for id in 0..COUNT {
            text += &match id % 4 {
                0 => request(id, "_probe/x", &json!({})),
                1 => request(id, "session/list", &json!({})),
                2 => request(
                    id,
                    "session/prompt",
                    &json!({"sessionId": "x", "prompt": []}),
                ),
                _ => request(id, "initialize", &json!({"protocolVersion": 1})),
            };
        }
        stdin.write_all(text.as_bytes()).unwrap();
        stdin
    });
    let mut answered = vec![false; usize::try_from(COUNT).unwrap()];
    for line in BufReader::new(stdout).lines().take(answered.len()) {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let id = usize::try_from(message["id"].as_u64().unwrap()).unwrap();
        assert!(!std::mem::replace(&mut answered[id], true), "{message}");
        if id % 4 == 1 {
            assert_eq!(message["result"]["sessions"], json!([]), "{message}");
        }
    }
    assert!(answered.iter().all(|one| *one));
    bounded("100,000 requests at once", &program, 96 * MIB);
    drop(writer.join().unwrap());
    Ok(())
}

#[test]
fn a_client_that_floods_and_never_reads_is_given_up() -> Found<()> {
    let scene = Scene::new()?;
    let (mut program, mut stdin, stdout) = Program::start(&scene.setup())?;
    let text: String = (0..100_000)
        .map(|id| request(id, "initialize", &json!({"protocolVersion": 1})))
        .collect();
    let (mut given_up, mut peak) = (false, 0);
    for piece in text.as_bytes().chunks(64 << 10) {
        // It fails when the agent gives up.
        given_up |= stdin.write_all(piece).is_err();
        peak = peak.max(program.figures().map_or(0, |figures| figures.peak));
    }
    let (status, took) = program.wait(END_DEADLINE)?;
    eprintln!(
        "a flood without a reader: given up {given_up}, {status} after {took:?}, peak {peak} KiB"
    );
    assert_eq!(status.code(), Some(1));
    assert!(peak < 96 * MIB, "{peak}");
    drop(stdout);
    Ok(())
}

/// The update of a turn waits for the client; the end of the input does not.
#[test]
fn a_client_that_stops_reading_in_a_turn_holds_nothing_up() -> Found<()> {
    let scene = Scene::new()?;
    let (mut program, mut stdin, stdout) = Program::start(&scene.setup())?;
    let mut stdout = BufReader::new(stdout);
    let mut line = String::new();
    let new = json!({"cwd": scene.cwd(), "mcpServers": []});
    stdin
        .write_all(request(1, "session/new", &new).as_bytes())
        .unwrap();
    stdout.read_line(&mut line).unwrap();
    let session = serde_json::from_str::<Value>(&line).unwrap()["result"]["sessionId"].clone();
    let prompt =
        json!([{"type": "text", "text": "print the numbers 1..100000 one per line, then END"}]);
    let params = json!({"sessionId": session, "prompt": prompt});
    stdin
        .write_all(request(2, "session/prompt", &params).as_bytes())
        .unwrap();
    // The pipe and the outbox fill up; then the turn waits.
    settle(|| program.figures().map(|figures| figures.memory));
    bounded("a stalled reader", &program, 256 * MIB);
    drop(stdin);
    ends("a stalled reader", &mut program);
    drop(stdout);
    scene.nothing_left()
}

/// Waits until what is looked at stays the same for a while.
fn settle<T: PartialEq>(look: impl Fn() -> T) {
    let (mut last, mut same) = (look(), 0);
    let deadline = Instant::now() + Duration::from_secs(20);
    while same < 10 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(30));
        let now = look();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
}

#[test]
fn a_reader_of_single_bytes_gets_every_byte_and_the_agent_ends() -> Found<()> {
    let scene = Scene::new()?;
    let (mut program, mut stdin, mut stdout) = Program::start(&scene.setup())?;
    let text: String = (0..200)
        .map(|id| request(id, "initialize", &json!({"protocolVersion": 1})))
        .collect();
    stdin.write_all(text.as_bytes()).unwrap();
    let (mut bytes, mut one) = (Vec::new(), [0]);
    while bytes.iter().filter(|byte| **byte == b'\n').count() < 100 {
        assert_eq!(stdout.read(&mut one).unwrap(), 1);
        bytes.push(one[0]);
    }
    for line in String::from_utf8(bytes).unwrap().lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    drop(stdin);
    ends("a reader of single bytes", &mut program);
    Ok(())
}

#[test]
fn a_line_of_300_megabytes_gets_an_error_and_the_connection_lives() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let piece = vec![b'x'; 1 << 20];
    client
        .raw(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"session/prompt\",\"params\":{\"x\":\"")?;
    for _ in 0..300 {
        client.raw(&piece)?;
    }
    client.raw(b"\"}}\n")?;
    let refused = client.until(|message| message.get("error").is_some())?;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    // The line is bounded at 256 MiB, in a buffer that doubles; it is given back.
    bounded("a line of 300 MB", &client.program, 600 * MIB);
    let session = client.session(scene.cwd())?;
    assert_eq!(client.turn(&session, "reply MARK")?, "end_turn");
    assert!(client.program.figures().unwrap().memory < 64 * MIB);
    scene.end(client).map(drop)
}

#[test]
fn a_prompt_of_24_megabytes_is_answered_and_does_not_stop_the_others() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let (big, small) = (client.session(scene.cwd())?, client.session(scene.cwd())?);
    let text = format!("{} reply BIG", "word ".repeat(5 << 20));
    let first = client.prompt(&big, &text)?;
    let begin = Instant::now();
    assert_eq!(client.turn(&small, "reply SMALL")?, "end_turn");
    eprintln!(
        "beside a prompt of 24 MB another takes {:?}",
        begin.elapsed()
    );
    assert_eq!(client.answer(first)?["result"]["stopReason"], "end_turn");
    // Its line, its text, and the copies for the conversation and the store.
    bounded("a prompt of 24 MB", &client.program, 16 * 24 * MIB);
    scene.end(client).map(drop)
}

#[test]
fn json_of_a_hundred_thousand_levels_is_refused_everywhere() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let mut id = 1_000;
    for deep in [&deep, &objects] {
        for line in [
            deep.clone(),
            format!(r#"{{"jsonrpc":"2.0","id":ID,"method":"session/prompt","params":{deep}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":ID,"method":"session/prompt","params":{{"sessionId":"{session}","prompt":[{deep}]}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":ID,"method":"session/prompt","params":{{"sessionId":"{session}","prompt":[{{"type":"text","text":"x","_meta":{{"m":{deep}}}}}]}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":ID,"method":"session/new","params":{{"cwd":"/","mcpServers":[],"_meta":{{"m":{deep}}}}}}}"#
            ),
            format!(r#"{{"jsonrpc":"2.0","id":{deep},"method":"_x"}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{deep}}}"#),
            deep[..50_000].to_owned(),
        ] {
            id += 1;
            client.raw(line.replace("ID", &id.to_string()).as_bytes())?;
            client.raw(b"\n")?;
            assert_eq!(
                client.turn(&session, "reply MARK")?,
                "end_turn",
                "{}",
                &line[..90]
            );
        }
    }
    let errors = client
        .seen()
        .iter()
        .filter(|m| m.get("error").is_some())
        .count();
    assert!(errors >= 12, "{errors} errors");
    bounded("deep JSON", &client.program, 64 * MIB);
    scene.end(client).map(drop)
}

#[test]
fn ten_thousand_cancels_hit_the_turn_once_and_stay_no_longer() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let (one, other) = (client.session(scene.cwd())?, client.session(scene.cwd())?);
    let id = client.prompt(&one, &format!("Run the shell command sleep {}", scene.mark))?;
    client.running(&one)?;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": one}});
    let flood = format!("{cancel}\n").repeat(5_000);
    client.raw(flood.as_bytes())?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    client.raw(flood.as_bytes())?;
    assert_eq!(client.turn(&one, "reply AFTER")?, "end_turn");
    assert_eq!(client.turn(&other, "reply OTHER")?, "end_turn");
    bounded("10,000 cancels", &client.program, 48 * MIB);
    scene.end(client).map(drop)
}

/// Notifications that cannot be understood are logged, and nobody reads the log.
#[test]
fn an_unread_stderr_holds_nothing_up() -> Found<()> {
    let scene = Scene::new()?;
    let mut setup = scene.setup();
    setup.read_stderr = false;
    setup.args.extend(["--log".into(), "trace".into()]);
    let mut client = Client::start(&setup)?;
    let session = client.session(scene.cwd())?;
    let bad = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {}});
    client.raw(format!("{bad}\n").repeat(5_000).as_bytes())?;
    assert_eq!(client.turn(&session, "reply MARK")?, "end_turn");
    scene.end(client).map(drop)
}

#[test]
fn many_sessions_are_opened_or_refused_with_a_clear_error() -> Found<()> {
    let scene = Scene::new()?;
    let count = usize::try_from(number("ROBUST_SESSIONS", 10_000)).unwrap();
    // A careless launcher: the shell's limit is what many systems start with.
    let mut setup = scene.setup();
    let program = std::mem::take(&mut setup.command);
    setup.command = ["sh", "-c", "ulimit -S -n 1024; exec \"$@\"", "sh"]
        .map(Into::into)
        .into();
    setup.command.extend(program);
    let mut client = Client::start(&setup)?;
    let first = client.session(scene.cwd())?;
    let begin = Instant::now();
    let params = json!({"cwd": scene.cwd(), "mcpServers": []});
    let (mut opened, mut refused) = (Vec::new(), 0);
    let mut asked = 0;
    while opened.len() + refused < count {
        while asked < count && asked - opened.len() - refused < 64 {
            client.request("session/new", params.clone())?;
            asked += 1;
        }
        let answer = client.until(|message| message.get("method").is_none())?;
        match answer["result"]["sessionId"].as_str() {
            Some(id) => opened.push(id.to_owned()),
            None => {
                let message = answer["error"]["message"].as_str().unwrap();
                assert!(message.contains("sessions are open"), "{answer}");
                refused += 1;
            }
        }
    }
    eprintln!(
        "{} sessions opened, {refused} refused, in {:?}",
        opened.len(),
        begin.elapsed()
    );
    bounded("10,000 sessions", &client.program, 128 * MIB);
    // Commands run as ever, with the limit that the agent was started with.
    assert_eq!(
        client.turn(&first, "Run the shell command: ulimit -n")?,
        "end_turn"
    );
    assert!(text(&client.updates()).contains("1024"));
    let last = opened.last().unwrap().clone();
    assert_eq!(client.turn(&last, "reply LAST")?, "end_turn");
    let begin = Instant::now();
    scene.end(client)?;
    eprintln!("their end took {:?}", begin.elapsed());
    Ok(())
}

/// Where files are few, sessions are refused long before a command cannot be started.
#[test]
fn a_session_too_many_is_refused_and_one_that_is_closed_makes_room() -> Found<()> {
    let scene = Scene::new()?;
    let mut setup = scene.setup();
    let program = std::mem::take(&mut setup.command);
    setup.command = ["sh", "-c", "ulimit -n 80; exec \"$@\"", "sh"]
        .map(Into::into)
        .into();
    setup.command.extend(program);
    let mut client = Client::start(&setup)?;
    let params = json!({"cwd": scene.cwd(), "mcpServers": []});
    let mut opened = Vec::new();
    let refused = loop {
        let answer = client.call("session/new", params.clone())?;
        match answer["result"]["sessionId"].as_str() {
            Some(id) => opened.push(id.to_owned()),
            None => break answer,
        }
    };
    assert_eq!(opened.len(), 60);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("60 sessions are open"), "{refused}");
    assert_eq!(
        client.turn(&opened[59], "Run the shell command: echo hi | cat")?,
        "end_turn"
    );
    client.call("session/close", json!({"sessionId": opened[0]}))?;
    assert!(
        client
            .load(&opened[0], scene.cwd())?
            .get("result")
            .is_some()
    );
    let refused = client.call("session/new", params)?;
    assert!(refused.get("error").is_some(), "{refused}");
    scene.end(client).map(drop)
}

/// Loads that wait for a client which does not read must not keep the threads that save turns.
#[test]
fn loads_without_a_reader_do_not_stop_the_end() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let mut sessions = Vec::new();
    for _ in 0..24 {
        let id = client.session(scene.cwd())?;
        assert_eq!(
            client.turn(&id, "Run the shell command: yes x | head -c 100000")?,
            "end_turn"
        );
        client.seen();
        sessions.push(id);
    }
    scene.end(client)?;
    let (mut program, mut stdin, mut stdout) = Program::start(&scene.setup())?;
    let new = json!({"cwd": scene.cwd(), "mcpServers": []});
    let mut text = request(1, "session/new", &new);
    for (id, session) in (2..).zip(&sessions) {
        text += &request(
            id,
            "session/load",
            &json!({"sessionId": session, "cwd": "/", "mcpServers": []}),
        );
    }
    stdin.write_all(text.as_bytes()).unwrap();
    let mut some = [0; 1000];
    stdout.read_exact(&mut some).unwrap();
    settle(|| program.figures().map(|figures| figures.memory));
    bounded("24 loads without a reader", &program, 256 * MIB);
    drop(stdin);
    ends("24 loads without a reader", &mut program);
    drop(stdout);
    scene.nothing_left()
}

/// 2,048 requests, or 64 MiB of them, may be worked on. The next is refused at once, since what
/// stands behind it may be the cancel that would make room; and a refused one can be sent again.
#[test]
fn requests_beyond_the_bound_are_refused_and_a_cancel_behind_them_is_heard() -> Found<()> {
    const AT_ONCE: u64 = 2_048;
    let loads = acp_agent::limits::LOADS_AT_ONCE;
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let mut stored = Vec::new();
    for _ in 0..loads {
        let id = client.session(scene.cwd())?;
        // More than the pipe and the outbox take, so that a load of it waits for its reader.
        for _ in 0..5 {
            client.turn(&id, "Run the shell command: yes x | head -c 100000")?;
        }
        client.seen();
        stored.push(id);
    }
    scene.end(client)?;

    let (mut program, mut stdin, stdout) = Program::start(&scene.setup())?;
    let mut stdout = BufReader::new(stdout).lines();
    let mut receive =
        || -> Value { serde_json::from_str(&stdout.next().unwrap().unwrap()).unwrap() };
    let mut send = |text: &str| stdin.write_all(text.as_bytes()).unwrap();
    let folder = json!({"cwd": scene.cwd(), "mcpServers": []});
    send(&request(0, "session/new", &folder));
    let session = receive()["result"]["sessionId"].clone();
    let sleep = format!("Run the shell command sleep {}", scene.mark);
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": sleep}]});
    send(&request(1, "session/prompt", &prompt));
    while receive()["params"]["update"]["status"] != "in_progress" {}

    // Nobody reads from here on: these wait for their reader, and those behind them for these.
    let load = |id: u64, session: &str| {
        let params = json!({"sessionId": session, "cwd": scene.cwd(), "mcpServers": []});
        request(id, "session/load", &params)
    };
    let mut ids = 100..;
    let mut accepted = Vec::new();
    for session in &stored {
        accepted.extend(ids.next());
        send(&load(accepted[accepted.len() - 1], session));
    }
    settle(|| program.figures().map(|figures| figures.memory));
    // It would fit, were nothing else worked on.
    let large = json!({"_meta": {"x": "x".repeat(64 << 20)}});
    send(&request(2, "session/list", &large));
    while (accepted.len() as u64) < AT_ONCE {
        accepted.extend(ids.next());
        let id = accepted[accepted.len() - 1];
        send(&load(id, &format!("none{id}")));
    }
    for id in 3..6 {
        send(&request(id, "session/list", &json!({})));
    }
    let cancel =
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    send(&format!("{cancel}\n"));
    let sleeps = |(_, line): &(u32, String)| line.starts_with("sleep");
    let deadline = Instant::now() + END_DEADLINE;
    while processes::alive(&scene.mark).iter().any(sleeps) {
        assert!(Instant::now() < deadline, "the cancel was not heard");
    }
    bounded("2,048 requests at once", &program, 512 * MIB);

    // Whoever reads again finds each answered.
    let (mut answered, mut refused) = (Vec::new(), Vec::new());
    while answered.len() + refused.len() < accepted.len() + 5 {
        let message = receive();
        let Some(id) = message["id"].as_u64() else {
            continue;
        };
        match message["error"]["message"].as_str() {
            Some(why) if why.contains("too many requests at once") => refused.push(id),
            _ => answered.push(id),
        }
    }
    refused.sort_unstable();
    answered.sort_unstable();
    accepted.insert(0, 1);
    assert_eq!(refused, [2, 3, 4, 5]);
    assert!(answered == accepted, "each of the others has one answer");
    send(&request(2, "session/list", &large));
    let listed = loop {
        let message = receive();
        // Loads are followed by a word on the commands of their session.
        if message["id"] == 2 {
            break message;
        }
    };
    let listed = listed["result"]["sessions"].as_array().unwrap().len();
    assert_eq!(listed, loads + 1);
    drop(stdin);
    ends("2,048 requests at once", &mut program);
    scene.nothing_left()
}

/// 2 GB in CI, 10 GB and more on demand.
#[test]
fn a_command_that_prints_gigabytes_is_bounded_and_its_ends_are_kept() -> Found<()> {
    let bytes = number("ROBUST_OUTPUT", 2 << 30);
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let (flood, other) = (client.session(scene.cwd())?, client.session(scene.cwd())?);
    let command = format!("echo FIRST; head -c {bytes} /dev/zero; echo; echo LAST");
    let begin = Instant::now();
    let id = client.prompt(&flood, &format!("Run the shell command: {command}"))?;
    client.running(&flood)?;
    // Others make progress meanwhile.
    let mut turns = Vec::new();
    for _ in 0..20 {
        let begin = Instant::now();
        assert_eq!(client.turn(&other, "reply MEANWHILE")?, "end_turn");
        turns.push(begin.elapsed());
    }
    turns.sort();
    client.answer(id)?;
    eprintln!(
        "{bytes} bytes in {:?}; other turns meanwhile: median {:?}, worst {:?}",
        begin.elapsed(),
        turns[10],
        turns[19]
    );
    let updates = client.updates();
    let last = updates
        .iter()
        .rev()
        .find(|u| u["status"] == "completed")
        .unwrap();
    let shown = last["content"][0]["content"]["text"].as_str().unwrap();
    assert!(
        shown.starts_with("FIRST\n") && shown.ends_with("LAST\n"),
        "{}",
        shown.len()
    );
    assert!(
        shown.contains("bytes omitted") && shown.len() < 140_000,
        "{}",
        shown.len()
    );
    let omitted = last["rawOutput"]["omittedBytes"].as_u64().unwrap();
    assert!(
        omitted > bytes - 140_000 && omitted < bytes + 20,
        "{omitted}"
    );
    bounded("a command that floods", &client.program, 64 * MIB);
    scene.end(client).map(drop)
}

#[test]
fn binary_and_one_endless_line_become_valid_text() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    for command in [
        "head -c 3000000 /dev/urandom",
        "head -c 100000000 /dev/zero | tr '\\\\0' x",
        "yes é | tr -d '\\\\n' | head -c 30000000",
    ] {
        let id = client.prompt(
            &session,
            &format!("Run the shell command: {}", command.replace("\\\\", "\\")),
        )?;
        client.answer(id)?;
        let updates = client.updates();
        let calls = updates
            .iter()
            .filter(|u| u["sessionUpdate"] != "agent_message_chunk");
        let sent: usize = calls.map(|u| u.to_string().len()).sum();
        // Live updates come ten times a second and are short; the end comes once.
        assert!(sent < 10 << 20, "{command}: {sent} bytes of updates");
        assert!(
            updates.iter().any(|u| u["status"] == "completed"),
            "{command}"
        );
        if !command.contains("urandom") {
            assert!(
                !updates.iter().any(|u| u.to_string().contains('\u{fffd}')),
                "{command}"
            );
        }
    }
    bounded("binary and endless lines", &client.program, 64 * MIB);
    scene.end(client).map(drop)
}

/// The client looks away while a turn streams: the turn waits, nothing is lost, others are told.
#[test]
fn a_slow_reader_loses_nothing() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let id = client.prompt(
        &session,
        "print the numbers 1..100000 one per line, then END",
    )?;
    settle(|| client.program.figures().map(|figures| figures.memory));
    client.answer(id)?;
    let said = text(&client.updates());
    assert_eq!(said.lines().count(), 100_001);
    assert!(said.ends_with("100000\nEND"));
    assert!(matches!(
        client.receive_within(Duration::ZERO)?,
        Next::Nothing
    ));
    bounded("a slow reader", &client.program, 96 * MIB);
    scene.end(client).map(drop)
}
