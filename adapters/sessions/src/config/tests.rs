//! What a configuration says, and where an error of it stands.

use std::path::Path;

use super::{Config, Permissions, REFERENCE_PROFILE, TargetKind};

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(Path::new("c.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn without_a_file_there_are_the_reference_agent_and_this_machine() {
    let config = Config::load(Path::new("/nowhere/config.toml")).unwrap();
    assert_eq!(config, parse("").unwrap());
    assert_eq!(config.default_profile, REFERENCE_PROFILE);
    assert!(!config.targets[&config.default_target].needs_bundle());
    let profile = &config.profiles[REFERENCE_PROFILE];
    assert!(
        profile.command[0].ends_with("acp-agent"),
        "{:?}",
        profile.command
    );
    assert_eq!(profile.harness_kind(), "acp-agent");
}

#[test]
fn everything_can_be_said() {
    let config = parse(
        r#"
        [defaults]
        profile = "other"
        target = "box"

        [profiles.other]
        command = ["/opt/some-agent", "--acp"]
        env = { A = "1" }
        permissions = "reject"
        files = [{ from = "/a", to = "b" }]

        [targets.box]
        kind = "container"
        image = "i"
        engine = "podman"
        options = ["--network=none"]

        [targets.builder]
        kind = "ssh"
        destination = "me@builder"
        options = ["-p", "2222"]

        [targets.fleet]
        kind = "kubernetes"
        image = "i"
        namespace = "n"

        [bundles.product]
        primary_repo = "app"

        [[bundles.product.repositories]]
        id = "app"
        source = "https://example.org/app.git"

        [[bundles.product.repositories]]
        id = "lib"
        source = "/srv/lib.git"
        destination = "vendor/lib"
        "#,
    );
    let config = config.unwrap();
    let other = &config.profiles["other"];
    assert_eq!(
        (other.harness_kind().as_str(), other.permissions),
        ("some-agent", Permissions::Reject)
    );
    let kinds: Vec<_> = config
        .targets
        .values()
        .map(|target| (target.kind_name(), target.needs_bundle()))
        .collect();
    let expected = [
        ("container", true),
        ("ssh", false),
        ("kubernetes", true),
        ("local", false),
    ];
    assert_eq!(kinds, expected);
    assert!(
        matches!(&config.targets["builder"].kind, TargetKind::Ssh(ssh) if ssh.options.len() == 2)
    );
    let product = &config.bundles["product"];
    assert_eq!(product.primary().unwrap().destination, Path::new("app"));
    assert_eq!(product.repositories[1].destination, Path::new("vendor/lib"));
}

#[test]
fn an_error_names_its_line_and_what_would_be_right() {
    let bundle = |repositories: &str| format!("\n[bundles.b]\nrepositories = [{repositories}]");
    //  text                                              line  words
    let table = [
        ("x = ".to_owned(), 1, ""),
        ("\nx = 1".to_owned(), 2, "unknown field `x`"),
        (
            "[defaults]\n\nprofile = \"p\"".to_owned(),
            3,
            "the default profile \"p\" does not exist; there are: reference",
        ),
        (
            "[defaults]\ntarget = \"t\"".to_owned(),
            2,
            "the default target \"t\" does not exist; there are: local",
        ),
        ("[profiles.p]\n\ncommand = 1".to_owned(), 3, "invalid type"),
        (
            "\n[profiles.p]\ncommand = []".to_owned(),
            2,
            "empty command",
        ),
        (
            "\n[profiles.\"a/b\"]\ncommand = [\"x\"]".to_owned(),
            2,
            "cannot be the id of a profile",
        ),
        (
            "[profiles.p]\ncommand = [\"x\"]\npermissions = \"maybe\"".to_owned(),
            3,
            "unknown variant `maybe`",
        ),
        (
            "\n[targets.t]\nkind = \"moon\"".to_owned(),
            3,
            "unknown variant `moon`",
        ),
        (
            "\n[targets.t]\nkind = \"container\"".to_owned(),
            2,
            "missing field `image`",
        ),
        (
            "\n[targets.t]\nkind = \"container\"\nimage = \"-i\"".to_owned(),
            2,
            "needs a image",
        ),
        (
            "\n[targets.t]\nkind = \"ssh\"\ndestination = \"-o\"".to_owned(),
            2,
            "needs a destination",
        ),
        (
            "\n[targets.t]\nkind = \"local\"\nx = 1".to_owned(),
            2,
            "unknown field `x`",
        ),
        (bundle(""), 3, "has no repositories"),
        (bundle("{ id = \"a\", source = \"\" }"), 3, "needs a source"),
        (
            bundle("{ id = \"a\", source = \"s\", destination = \"../a\" }"),
            3,
            "without \"..\"",
        ),
        (
            bundle("{ id = \"a\", source = \"s\", destination = \"/a\" }"),
            3,
            "without \"..\"",
        ),
        (
            bundle("{ id = \"a\", source = \"s\" }, { id = \"a\", source = \"s\" }"),
            3,
            "two repositories \"a\"",
        ),
        (
            bundle("{ id = \"a\", source = \"s\" }, { id = \"b\", source = \"s\" }"),
            3,
            "needs a primary_repo",
        ),
        (
            bundle(
                "{ id = \"a\", source = \"s\" }, { id = \"b\", source = \"s\", destination = \"a/b\" }",
            ),
            3,
            "overlap",
        ),
        (
            "\n[bundles.b]\nprimary_repo = \"x\"\nrepositories = [{ id = \"a\", source = \"s\" }]"
                .to_owned(),
            3,
            "primary_repo \"x\" of bundle \"b\" is not one of its repositories: a",
        ),
    ];
    for (text, line, words) in table {
        let error = parse(&text).unwrap_err();
        assert!(
            error.starts_with(&format!("c.toml:{line}: ")),
            "{text}: {error}"
        );
        assert!(error.contains(words), "{text}: {error}");
    }
}
