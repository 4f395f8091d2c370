//! The seven journeys, with the stub model behind both wires.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use stub_model::serve::{Server, Wires};

/// The folder of programs that the agent's own program lies in.
fn programs() -> PathBuf {
    let agent = Path::new(env!("CARGO_BIN_EXE_acp-agent"));
    agent.parent().unwrap().to_owned()
}

/// The checker, which `cargo test -p` does not build: it is built where it is missing.
fn checker() -> PathBuf {
    let program = programs().join("acp-journeys");
    if !program.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args([
            "build",
            "--quiet",
            "-p",
            "journeys-tests",
            "-p",
            "mcp-tools",
            "--bins",
        ]);
        if programs().ends_with("release") {
            build.arg("--release");
        }
        assert!(
            build.status().unwrap().success(),
            "the checker is not built"
        );
    }
    program
}

async fn journeys(model: &str, path: &str) {
    let both = Wires {
        openai: true,
        anthropic: true,
    };
    let server = Server::bind(0, both, None).await.unwrap();
    let url = format!("{}{path}", server.url());
    tokio::spawn(server.run());
    let model = model.to_owned();
    let run = tokio::task::spawn_blocking(move || {
        let results = tempfile::tempdir().unwrap();
        Command::new(checker())
            .arg("run")
            .arg("--json")
            .arg(results.path().join("result.json"))
            .arg("--")
            .arg(env!("CARGO_BIN_EXE_acp-agent"))
            .args(["--acp", "--model", &model, "--model-url", &url])
            .output()
            .unwrap()
    });
    let run = run.await.unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(said.contains("7 of 7 journeys pass"), "{said}");
    assert!(run.status.success(), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_openais_wire() {
    journeys("openai:stub", "/v1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn over_anthropics_wire() {
    journeys("anthropic:stub", "").await;
}
