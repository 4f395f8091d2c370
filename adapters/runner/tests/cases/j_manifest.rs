//! J: the checker of manifests, as a program. Each violation is tested beside the code.

use std::{fs, path::Path, process::Command};

fn check(folder: &Path) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_acp-runner"))
        .arg("check-module")
        .arg(folder)
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn j_our_own_module_is_in_order() {
    let (is_good, text) = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("module"));
    assert!(is_good && text.ends_with("module: ok\n"), "{text}");
}

#[test]
fn j_a_violation_is_a_line_and_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("module.json"),
        r#"{"id":"m","entry":[]}"#,
    )
    .unwrap();
    let (is_good, text) = check(folder.path());
    let file = folder.path().join("module.json");
    let cause = "\"entry\" must be a non-empty array of strings";
    assert_eq!(
        (is_good, text),
        (false, format!("{}: {cause}\n", file.display()))
    );
}

#[test]
fn j_a_folder_that_is_not_there() {
    let (is_good, text) = check(Path::new("/no/such/folder"));
    assert!(!is_good && text.contains("/no/such/folder: "), "{text}");
}
