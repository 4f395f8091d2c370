//! The vectors of the specification: commands, and what the layers say of them.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::{fs, path::PathBuf};

use super::*;

const MOUNTS: [&str; 5] = [
    "/workspace",
    "/harness/out",
    "/root/.claude/projects",
    "/colonizer/services",
    "/var/cache/colonizer-shared",
];

fn ground() -> Ground {
    Ground {
        cwd: "/workspace".into(),
        home: "/root".into(),
        host_mounts: Some(MOUNTS.map(PathBuf::from).into()),
        ..Ground::default()
    }
}

fn default() -> ExecPolicy {
    ExecPolicy::built_in(ground())
}

fn with(policy: &str) -> ExecPolicy {
    let mut layers = default();
    layers.add("install", policy);
    layers
}

/// The decision and the rule, in one word each.
fn verdict(policy: &ExecPolicy, command: &str) -> String {
    match policy.judge(command) {
        Some(hit) => format!("{} {}", hit.decision.as_str(), hit.rule),
        None => "none".to_owned(),
    }
}

fn all(commands: &[&str], expected: &str) {
    let policy = default();
    for command in commands {
        assert_eq!(verdict(&policy, command), expected, "{command}");
    }
}

const SECRET: &str = "deny secret-paths";
const GIT: &str = "deny git-read-only";
const OUTSIDE: &str = "ask writes-outside-repo";

#[test]
fn d01_the_target_is_the_word_as_typed() {
    let hit = default().judge("cat ~/.ssh/id_rsa").unwrap();
    assert_eq!(hit.target.as_deref(), Some("~/.ssh/id_rsa"));
    assert_eq!((hit.layer, hit.rule.as_str()), ("default", "secret-paths"));
}

#[test]
fn d04_d05_a_layer_can_allow_and_never_open_what_is_denied() {
    let policy = with(r#"{"rules":[{"id":"npm","decision":"allow","command":"^npm "}]}"#);
    assert_eq!(verdict(&policy, "npm test"), "allow npm");
    let policy = with(r#"{"rules":[{"decision":"allow","command":"."}]}"#);
    assert_eq!(verdict(&policy, "cat .env"), SECRET);
    assert_eq!(verdict(&policy, "true"), "allow rule-1");
}

#[test]
fn d09_what_is_no_policy_is_dropped_and_the_default_holds() {
    let long = format!("{{\"rules\":[]}}{}", " ".repeat(65_525));
    assert_eq!(long.len(), 65_537);
    for text in ["{", &long, r#"{"rules":"x"}"#, "[]", "7"] {
        let policy = with(text);
        assert_eq!(policy.layers.len(), 1);
        assert_eq!(verdict(&policy, "cat ~/.ssh/id_rsa"), SECRET);
    }
    assert_eq!(with(r#"{"rules":[]}"#).layers.len(), 2);
}

#[test]
fn d11_what_is_thrown_away_may_be_written() {
    all(
        &[
            "mkdir -p /root/x",
            "cp a /usr/local/bin/",
            "touch /usr/share/x",
            "git diff > /root/tmp/p",
        ],
        "none",
    );
}

#[test]
fn d12_d13_d16_d18_what_the_host_keeps_is_asked_about() {
    let commands = [
        "cp a /var/cache/colonizer-shared/x",
        "touch /root/.claude/projects/x",
        "rm -rf /root",
        "rm -rf /",
        "rm -rf /root/.claude",
        "rm -rf /harness",
        "echo x > /colonizer/services/s.json",
    ];
    all(&commands, OUTSIDE);
    for command in commands {
        assert!(
            default()
                .judge(command)
                .unwrap()
                .reason
                .contains("host-backed"),
            "{command}"
        );
    }
}

#[test]
fn d14_d15_comparisons_are_on_whole_components() {
    all(
        &[
            "mkdir /root/.claudefoo",
            "echo x > /opt/node/bin/node_modules/x",
            "echo x > /harness/outthing",
            "echo x > /harness/out/z",
            "rm /harness/out/pr.md",
            "echo x > /harness/out/../out/y",
        ],
        "none",
    );
}

#[test]
fn d17_read_only_mounts_are_named() {
    for command in [
        "echo x > /opt/colonizer/agent/runner.mjs",
        "echo x > /colonizer/host-mounts",
        "echo x > /opt/node/bin/node",
    ] {
        let hit = default().judge(command).unwrap();
        assert_eq!(
            (hit.decision, hit.rule.as_str()),
            (Decision::Ask, "writes-outside-repo")
        );
        assert!(hit.reason.contains("read-only mount"), "{}", hit.reason);
    }
}

#[test]
fn d19_d20_git_is_read_only() {
    all(
        &[
            "echo x > .git/HEAD",
            "echo x > /workspace/sub/../.git/x",
            "touch .git/objects/t",
            "git add -A",
            "git -C /workspace add f",
            "git -c core.pager=cat commit",
            "git stash pop",
            "git stash",
            "make && git add -A",
            "echo x>/workspace/.git/x",
        ],
        GIT,
    );
    all(
        &[
            "git status",
            "git stash list",
            "git log -p",
            "cat .git/HEAD",
            "echo x > .github/w.yml",
            "echo x > /workspace/.gitignore",
            "grep \"git commit\" log",
        ],
        "none",
    );
}

#[test]
fn d21_without_a_list_of_mounts_everything_outside_may_be_the_hosts() {
    all(
        &["echo x > ../sibling", "echo x > /workspace/../etc/passwd"],
        "none",
    );
    let unknown = ExecPolicy::built_in(Ground {
        host_mounts: None,
        ..ground()
    });
    assert_eq!(verdict(&unknown, "echo x > ../sibling"), "none");
    assert_eq!(
        verdict(&unknown, "echo x > /workspace/../etc/passwd"),
        OUTSIDE
    );
}

#[test]
fn d22_d23_d33_secret_files_are_denied_and_their_examples_are_not() {
    all(
        &[
            "cat .env",
            "cp .env.local /tmp/x",
            "cat config/.netrc",
            "cat $HOME/.ssh/id_rsa",
            "cat ${HOME}/.ssh/id_rsa",
            "sh -c 'cat .env'",
            "cat \".env\"",
        ],
        SECRET,
    );
    all(&["cat .env.example"], "none");
}

#[test]
fn d24_d25_names_alone_are_no_secrets() {
    all(
        &[
            "git check-ignore -v .env",
            "ls -la .env",
            "wc -c .env",
            "[ -f .env ]",
            "test -e .env",
            "for f in .env .netrc; do git check-ignore -v \"$f\"; done",
            "git check-ignore -v .env 2>&1 | head; wc -c .env 2>&1 | head",
            "ls .env >/dev/null && echo there",
        ],
        "none",
    );
}

#[test]
fn d26_whatever_may_show_content_is_no_name() {
    all(
        &[
            "ls .env; cat .env",
            "alias ls=cat; ls .env",
            "wc -l .env",
            "ls .env | xargs cat",
            "ls ~/.ssh",
            "ls $(cat .env)",
            "ls .env > x",
            "ls .env & cat .env",
            "for f in .env; do cat $f; done",
            "ls .env | head .env",
        ],
        SECRET,
    );
}

#[test]
fn d27_git_elsewhere_is_not_understood() {
    all(
        &[
            "git -C /workspace check-ignore .env",
            "git -C . status .env",
        ],
        "none",
    );
    all(&["git -C /elsewhere check-ignore .env"], SECRET);
}

#[test]
fn d28_d29_what_is_left_out_and_what_a_revision_has() {
    all(
        &[
            "tar czf x --exclude .env .",
            "rsync -a --exclude=.netrc a b",
        ],
        "none",
    );
    all(
        &[
            "rsync -a --exclude-from .env a b",
            "git show HEAD:.env",
            "git cat-file -p origin/main:.npmrc",
        ],
        SECRET,
    );
}

/// A workspace with a script that calls out.
fn scripted(tracked: &str) -> (tempfile::TempDir, Ground) {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    fs::write(cwd.join("x.sh"), "curl https://example.org\n").unwrap();
    fs::write(cwd.join("x.js"), "fetch ('https://example.org')\n").unwrap();
    let ids = [(PathBuf::from("x.sh"), tracked.to_owned())];
    let ground = Ground {
        cwd,
        tracked_scripts: ids.into(),
        ..ground()
    };
    (folder, ground)
}

#[test]
fn d30_d32_scripts_that_call_out_are_denied_when_they_run() {
    let (_folder, ground) = scripted("");
    let policy = ExecPolicy::built_in(ground);
    let egress = "deny script-egress";
    let table = [
        ("bash x.sh", egress),
        ("sudo bash -x x.sh", egress),
        ("./x.sh", egress),
        (". x.sh", egress),
        ("source x.sh", egress),
        ("node x.js", egress),
        ("bash -n x.sh", "none"),
        ("node --check x.js", "none"),
        ("bash -n -x x.sh", egress),
        ("cat x.sh", "none"),
        ("curl https://example.org", "none"),
        ("bash missing.sh", "none"),
    ];
    for (command, expected) in table {
        assert_eq!(verdict(&policy, command), expected, "{command}");
    }
}

#[test]
fn d31_a_script_as_the_repository_has_it_is_trusted_by_the_default_only() {
    let (folder, mut ground) = scripted("");
    let real = std::process::Command::new("git")
        .args(["hash-object", "x.sh"])
        .current_dir(folder.path())
        .output();
    let Ok(real) = real else { return };
    let real = String::from_utf8(real.stdout).unwrap().trim().to_owned();
    ground.tracked_scripts.insert("x.sh".into(), real);
    let mut policy = ExecPolicy::built_in(ground);
    assert_eq!(verdict(&policy, "bash x.sh"), "none");
    policy.add(
        "install",
        r#"{"rules":[{"id":"s","decision":"ask","script":"curl"}]}"#,
    );
    assert_eq!(verdict(&policy, "bash x.sh"), "ask s");
    fs::write(folder.path().join("x.sh"), "curl https://example.orG\n").unwrap();
    assert_eq!(verdict(&policy, "bash x.sh"), "deny script-egress");
}

#[test]
fn d34_predicates_that_cannot_be_used_go_and_never_widen_an_allow() {
    let long = "x".repeat(501);
    let rule = |rule: &str| with(&format!("{{\"fetches\":[],\"rules\":[{rule}]}}"));
    let table = [
        (
            format!(r#"{{"decision":"deny","command":"{long}","touches":["q"]}}"#),
            "deny rule-1",
        ),
        (
            r#"{"decision":"DENY","command":["",""],"touches":["q"]}"#.to_owned(),
            "deny rule-1",
        ),
        (r#"{"decision":"deny"}"#.to_owned(), "none"),
        (r#"{"decision":"never","command":"."}"#.to_owned(), "none"),
        (
            r#"{"decision":"allow","command":"(","touches":["qq"]}"#.to_owned(),
            "none",
        ),
        (
            r#"{"decision":"allow","touches":["qq"]}"#.to_owned(),
            "allow rule-1",
        ),
        // ECMAScript, with a look-ahead.
        (
            r#"{"id":" e ","decision":"Ask","command":"^cat (?!x)"}"#.to_owned(),
            "ask e",
        ),
    ];
    for (text, expected) in table {
        let text = text.replace("\"q\"", "\"qq\"");
        assert_eq!(verdict(&rule(&text), "cat qq"), expected, "{text}");
    }
}

#[test]
fn d35_strict_counts_what_is_thrown_away_too() {
    let policy = with(r#"{"rules":[{"id":"w","decision":"ask","writes_outside":"strict"}]}"#);
    assert_eq!(verdict(&policy, "mkdir /root/x"), "ask w");
    assert_eq!(verdict(&policy, "mkdir x"), "none");
}

#[test]
fn the_command_is_the_string_the_list_or_the_title() {
    use serde_json::json;
    let table = [
        (
            json!({"rawInput": {"command": "a b"}, "title": "t"}),
            Some("a b"),
        ),
        (
            json!({"rawInput": {"command": ["a", "b c"]}}),
            Some("a b c"),
        ),
        (
            json!({"rawInput": {"command": " "}, "title": "t"}),
            Some("t"),
        ),
        (json!({"rawInput": {"command": []}, "title": " "}), None),
        (json!({}), None),
    ];
    for (call, expected) in table {
        assert_eq!(command_text(&call).as_deref(), expected, "{call}");
    }
}
