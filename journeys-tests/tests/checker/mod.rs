//! Runs the built checker on the built `faulty-agent` and compares its verdict with what is expected.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, OnceLock, PoisonError},
    thread,
};

use serde_json::Value;

pub const CHECKER: &str = env!("CARGO_BIN_EXE_acp-journeys");
pub const AGENT: &str = env!("CARGO_BIN_EXE_faulty-agent");

/// Runs at once. Most of a run is waiting, so more than the processors; few enough that an agent
/// that is right stays far within the limits.
const RUNS_AT_ONCE: usize = 4;

/// The two tests of this file share the machine: one after the other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// One run of the checker.
#[derive(Debug)]
pub struct Case {
    /// `--fault` or `--variant`.
    pub option: &'static str,
    /// Its name.
    pub name: String,
    /// The journey.
    pub journey: String,
    /// The factor for the limits of the checker and the waits of the agent.
    pub scale: &'static str,
    /// Checks that must fail or warn.
    pub caught: BTreeSet<String>,
    /// Checks that may fail or warn as a consequence; `*` is all.
    pub dependents: BTreeSet<String>,
}

/// A list of the agent, as JSON.
pub fn list(option: &str) -> Vec<Value> {
    let output = Command::new(AGENT).args([option, "--json"]).output();
    let output = output.expect("faulty-agent cannot be started");
    serde_json::from_slice(&output.stdout).expect("the list is no JSON array")
}

/// Runs the checker on the `faulty-agent` with this option, in one journey; returns the result.
pub fn drive(option: &str, name: &str, journey: &str, scale: &str) -> Result<Value, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("result.json");
    let output = checker()
        .args(["run", "--only", journey, "--scale", scale, "--json"])
        .arg(&file)
        .args(["--", AGENT, option, name, "--scale", scale, "--state"])
        .arg(folder.path().join("state"))
        .output()
        .map_err(|error| error.to_string())?;
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    let result = std::fs::read(&file).map_err(|error| format!("{error}: {}", said()))?;
    serde_json::from_slice(&result).map_err(|error| error.to_string())
}

/// The one journey of a result.
pub fn journey(result: &Value) -> &Value {
    match result["journeys"].as_array().map(Vec::as_slice) {
        Some([journey]) => journey,
        _ => &result["stand_ins"][0],
    }
}

/// A command of the checker, with the tool server where it looks for it.
pub fn checker() -> Command {
    build_tool_server();
    let mut checker = Command::new(CHECKER);
    checker
        .stdin(Stdio::null())
        .env_remove("ACP_JOURNEYS_ISOLATION");
    checker
}

/// Runs all cases, a few at a time, and panics with all that went wrong.
pub fn run_all(cases: Vec<Case>) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let open = Mutex::new(cases);
    let wrong = Mutex::new(String::new());
    thread::scope(|scope| {
        for _ in 0..RUNS_AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = next(&open) {
                    // A machine that is busy with other tests can lose a race that a case is
                    // about. What goes wrong twice is wrong.
                    if let Err(reason) = case.run().or_else(|_| case.run()) {
                        let title = format!("{} {} in {}", case.option, case.name, case.journey);
                        let mut wrong = wrong.lock().unwrap();
                        let _ = writeln!(wrong, "\n{title}:\n{reason}");
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong}");
}

fn next(open: &Mutex<Vec<Case>>) -> Option<Case> {
    open.lock().unwrap().pop()
}

impl Case {
    /// Runs the checker; an error is what differs from what is expected.
    fn run(&self) -> Result<(), String> {
        let result = drive(self.option, &self.name, &self.journey, self.scale)?;
        let checks = journey(&result)["checks"].as_array();
        self.compare(checks.ok_or("the result has no checks")?)
    }

    fn compare(&self, checks: &[Value]) -> Result<(), String> {
        let not_passed = checks.iter().filter(|check| check["verdict"] != "pass");
        let found: BTreeSet<String> = not_passed.filter_map(id).collect();
        let allowed = |id: &&String| {
            self.caught.contains(*id)
                || self.dependents.contains(*id)
                || self.dependents.contains("*")
        };
        let missed = self.caught.difference(&found);
        let unrelated = found.iter().filter(|id| !allowed(id));
        let mut wrong = String::new();
        for id in missed {
            let _ = writeln!(wrong, "  not caught: {id}{}", came(checks, id));
        }
        for id in unrelated {
            let _ = writeln!(wrong, "  caught without cause: {id}{}", came(checks, id));
        }
        if checks.is_empty() {
            wrong.push_str("  nothing was checked\n");
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

fn id(check: &Value) -> Option<String> {
    check["id"].as_str().map(str::to_owned)
}

/// What the checker saw, for each process.
fn came(checks: &[Value], wanted: &str) -> String {
    let checks = checks.iter().filter(|check| check["id"] == wanted);
    let seen: Vec<_> = checks
        .map(|check| format!("\n      {}: {}", check["verdict"], check["came"]))
        .collect();
    if seen.is_empty() {
        return "\n      there is no such check in this journey".to_owned();
    }
    seen.concat()
}

/// The checker looks for `mcp-tools` beside itself; `cargo test -p` does not build it.
fn build_tool_server() {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(CHECKER).parent().unwrap();
        let program = folder.join("mcp-tools");
        if program.is_file() {
            return;
        }
        let target: PathBuf = folder.parent().unwrap().to_owned();
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "--package", "mcp-tools", "--target-dir"])
            .arg(target);
        if folder.ends_with("release") {
            build.arg("--release");
        }
        let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(
            built.is_ok_and(|status| status.success()) && program.is_file(),
            "{} is not there and cannot be built: run `cargo build -p mcp-tools` first",
            program.display()
        );
    });
}
