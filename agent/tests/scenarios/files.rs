//! The files themselves: those of the documents, and one that is wrong.

use acp_agent::model::{Model, Stub, StubScenario};

use crate::scene::{docs, example};

/// All that is written as an example is read here, and each file is followed by a test above.
#[test]
fn every_example_is_sound_and_has_a_test() {
    let tests = concat!(include_str!("examples.rs"), include_str!("steps.rs"));
    for entry in std::fs::read_dir(docs().join("scenarios")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        example(&name).unwrap_or_else(|error| panic!("{error}"));
        assert!(
            tests.contains(&format!("\"{name}\"")),
            "{name} is not followed"
        );
    }
    let mut blocks = 0;
    for page in ["scenarios.md", "for-harness-developers.md"] {
        let text = std::fs::read_to_string(docs().join(page)).unwrap();
        for block in text.split("```yaml\n").skip(1) {
            let block = block.split("```").next().unwrap();
            // Some show a step alone.
            let whole = match block.contains("rules:") {
                true => block.to_owned(),
                false => format!("rules:\n- when: '(?<what>x)'\n  do:\n{block}"),
            };
            let scenario = stub_model::Scenario::parse(&whole, page);
            scenario.unwrap_or_else(|error| panic!("{error}"));
            blocks += 1;
        }
    }
    assert!(blocks > 3, "{blocks}");
}

#[test]
fn a_file_that_is_wrong_ends_the_start_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.yaml");
    std::fs::write(&file, "rules:\n- when: x\n  do:\n  - sya: hello\n").unwrap();
    let error = StubScenario::load(&file)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("wrong.yaml:4:5") && error.contains("expected one of say, think"),
        "{error}"
    );
    let agent = std::process::Command::new(env!("CARGO_BIN_EXE_acp-agent"))
        .args(["--acp", "--model"])
        .arg(format!("stub:{}", file.display()))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&agent.stderr);
    assert_eq!(agent.status.code(), Some(2), "{said}");
    assert!(said.contains("wrong.yaml:4:5"), "{said}");
}

/// The commands of the stub are those of the stub with a scenario.
#[test]
fn the_commands_stay() {
    let names = |model: &dyn Model| -> Vec<_> {
        model
            .commands()
            .iter()
            .map(|command| command.name)
            .collect()
    };
    assert_eq!(names(&example("first.yaml").unwrap()), names(&Stub));
}
