//! How a command ends by itself, what is told of it, and what it starts with.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod proc_support;

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use acp_agent::proc::{Capture, Ended, RunLimits, SpawnError, Supervisor, run};
use proc_support::{LONG, alive, finish, limits, sh, sleeps, spec, supervisor, token};
use tokio_util::sync::CancellationToken;

const ROOT: &str = "/";

/// The end and the whole output of a script.
async fn outcome(script: &str) -> (Ended, String) {
    let finished = finish(sh(script, &token(), Path::new(ROOT))).await;
    (finished.ended, finished.output.text())
}

async fn error(program: &str, cwd: &Path) -> String {
    let cancel = CancellationToken::new();
    let spec = spec(program, &[], &token(), cwd);
    run(&supervisor(), spec, &limits(LONG), &cancel, &mut |_| {})
        .await
        .unwrap_err()
        .to_string()
}

#[tokio::test]
async fn the_exit_status_is_told() {
    for code in [0, 1, 42, 255] {
        assert_eq!(
            outcome(&format!("exit {code}")).await,
            (Ended::Exited(code), String::new())
        );
    }
}

#[tokio::test]
async fn the_signal_is_told() {
    // The last one is a real-time signal, which has no name.
    for signal in [9, 15, 34] {
        let script = format!("kill -{signal} $$");
        assert_eq!(outcome(&script).await.0, Ended::Signaled(signal));
    }
}

#[tokio::test]
async fn standard_output_and_error_come_in_their_true_order() {
    let script = "for i in 1 2 3 4; do echo out$i; echo err$i >&2; done";
    let lines: String = (1..=4).map(|i| format!("out{i}\nerr{i}\n")).collect();
    assert_eq!(outcome(script).await.1, lines);
}

#[tokio::test]
async fn standard_input_is_empty() {
    assert_eq!(
        outcome("cat; echo end").await,
        (Ended::Exited(0), "end\n".into())
    );
}

#[tokio::test]
async fn there_is_no_terminal() {
    assert_eq!(
        outcome("(: </dev/tty) 2>/dev/null || echo none").await.1,
        "none\n"
    );
}

#[tokio::test]
async fn only_the_given_environment_is_there() {
    let (_, text) = outcome("env").await;
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    assert!(
        names.contains(&"ACP_TEST") && names.contains(&"PATH"),
        "{text}"
    );
    assert!(
        !names.iter().any(|name| name.starts_with("CARGO")),
        "{text}"
    );
}

/// Runs a command below a supervisor that was started with ignored signals and a descriptor that
/// it should not have, and returns the output.
async fn below_a_careless_launcher(program: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let launcher = folder.path().join("launcher");
    let agent = env!("CARGO_BIN_EXE_acp-agent");
    let script = format!("#!/bin/sh\ntrap '' HUP INT CHLD USR1\nexec {agent} \"$@\" 9</dev/null\n");
    fs::write(&launcher, script).unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    let supervisor = Supervisor::at(launcher);
    let cancel = CancellationToken::new();
    let spec = spec(program, args, &token(), Path::new(ROOT));
    let finished = run(&supervisor, spec, &limits(LONG), &cancel, &mut |_| {})
        .await
        .unwrap();
    finished.output.text()
}

#[tokio::test]
async fn no_descriptor_of_the_agent_is_inherited() {
    let text = below_a_careless_launcher("ls", &["/proc/self/fd"]).await;
    // The last one is the list itself.
    assert_eq!(text, "0\n1\n2\n3\n");
}

#[tokio::test]
async fn signals_start_at_their_defaults() {
    let arguments = ["-E", "SigIgn|SigBlk", "/proc/self/status"];
    let text = below_a_careless_launcher("grep", &arguments).await;
    assert_eq!(text.lines().count(), 2);
    for line in text.lines() {
        let mask = u64::from_str_radix(line.split_once('\t').unwrap().1, 16).unwrap();
        // Signals 32 and 33 belong to the C library, and some launchers ignore them.
        assert_eq!(mask & !(0b11 << 31), 0, "{text}");
    }
}

#[tokio::test]
async fn a_background_job_does_not_hold_the_command() {
    let token = token();
    let finished = finish(sh("echo started; sleep TOKEN &", &token, Path::new(ROOT))).await;
    assert_eq!(finished.ended, Ended::Exited(0));
    assert_eq!(finished.output.text(), "started\n");
    assert_eq!(finished.left_behind, 1);
    assert!(!sleeps(&token));
}

#[tokio::test]
async fn what_ends_by_itself_after_the_leader_is_not_cut_off() {
    // What is left has a moment, which a busy machine may use up: one of many has to make it.
    let mut text = String::new();
    for _ in 0..20 {
        let (ended, said) = outcome("(sleep 0.01; echo late) & echo early").await;
        assert_eq!(ended, Ended::Exited(0));
        text = said;
        if text == "early\nlate\n" {
            return;
        }
    }
    panic!("the background job was cut off each time: {text:?}");
}

#[tokio::test]
async fn the_time_of_a_command_is_limited_and_its_output_kept() {
    let token = token();
    let cancel = CancellationToken::new();
    let spec = sh("echo before; sleep TOKEN", &token, Path::new(ROOT));
    let limits = limits(Duration::from_millis(300));
    let finished = run(&supervisor(), spec, &limits, &cancel, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(finished.ended, Ended::TimedOut);
    assert_eq!(finished.output.text(), "before\n");
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[tokio::test]
async fn a_flood_is_bounded_and_its_ends_are_kept() {
    let script = "echo first; yes x | head -c 200000000; echo last";
    let cancel = CancellationToken::new();
    let spec = sh(script, &token(), Path::new(ROOT));
    let limits = RunLimits {
        timeout: LONG,
        head: 1000,
        tail: 1000,
    };
    let mut shown = Vec::new();
    let mut progress = |output: &Capture| shown.push(output.total());
    let finished = run(&supervisor(), spec, &limits, &cancel, &mut progress)
        .await
        .unwrap();
    let text = finished.output.text();
    assert_eq!(finished.output.total(), 200_000_011);
    assert!(text.starts_with("first\nx\n") && text.ends_with("x\nlast\n"));
    assert!(
        text.contains("\n[... 199998011 bytes omitted ...]\n"),
        "{}",
        text.len()
    );
    assert!(shown.is_sorted(), "{shown:?}");
}

#[tokio::test]
async fn characters_stay_whole_over_the_borders_of_reads() {
    let script = r#"python3 -c 'import sys;sys.stdout.buffer.write((chr(120)*4095+chr(128512)*3000).encode())'"#;
    let (_, text) = outcome(script).await;
    assert_eq!(text, "x".repeat(4095) + &"😀".repeat(3000));
}

#[tokio::test]
async fn a_command_cannot_find_its_own_supervisor_by_its_arguments() {
    let token = token();
    // It never finds itself, so what it could find is only its supervisor.
    let finished = finish(spec("pkill", &["-f", &token], "", Path::new(ROOT))).await;
    assert_eq!(finished.ended, Ended::Exited(1), "something was found");
}

#[tokio::test]
async fn many_commands_run_at_once() {
    let runs = (0..64).map(|i| async move {
        finish(sh(
            &format!("echo {i}; exit {i}"),
            &token(),
            Path::new(ROOT),
        ))
        .await
    });
    for (i, finished) in futures::future::join_all(runs)
        .await
        .into_iter()
        .enumerate()
    {
        assert_eq!(finished.ended, Ended::Exited(i.try_into().unwrap()));
        assert_eq!(finished.output.text(), format!("{i}\n"));
    }
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let text = error("no-such-program", Path::new(ROOT)).await;
    assert_eq!(
        text,
        r#"cannot start "no-such-program" in "/": No such file or directory (os error 2)"#
    );
}

#[tokio::test]
async fn a_missing_working_directory_is_named() {
    let text = error("true", Path::new("/no/such/folder")).await;
    assert!(
        text.contains(r#""/no/such/folder" cannot be entered: No such file"#),
        "{text}"
    );
}

#[tokio::test]
async fn a_file_that_is_not_executable_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script"), "#!/bin/sh\n").unwrap();
    let text = error("./script", folder.path()).await;
    assert!(
        text.contains("it is not executable: Permission denied"),
        "{text}"
    );
}

#[tokio::test]
async fn a_missing_interpreter_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let text = error("./script", folder.path()).await;
    assert!(text.contains("its interpreter (the #! line)"), "{text}");
}

#[tokio::test]
async fn too_large_arguments_are_explained() {
    let cancel = CancellationToken::new();
    let spec = spec("true", &[&"x".repeat(300_000)], &token(), Path::new(ROOT));
    let error = run(&supervisor(), spec, &limits(LONG), &cancel, &mut |_| {})
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("arguments and environment are too large"),
        "{error}"
    );
}

#[tokio::test]
async fn a_nul_in_an_argument_is_refused() {
    let cancel = CancellationToken::new();
    let spec = spec("true", &["a\0b"], &token(), Path::new(ROOT));
    let result = run(&supervisor(), spec, &limits(LONG), &cancel, &mut |_| {}).await;
    assert!(matches!(result, Err(SpawnError::Nul { .. })));
}

#[tokio::test]
async fn a_missing_supervisor_is_named() {
    let cancel = CancellationToken::new();
    let spec = spec("true", &[], &token(), Path::new(ROOT));
    let missing = Supervisor::at("/no/such/agent".into());
    let error = run(&missing, spec, &limits(LONG), &cancel, &mut |_| {})
        .await
        .unwrap_err();
    assert!(error.to_string().contains("/no/such/agent"), "{error}");
}
