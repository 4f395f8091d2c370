//! The document for users says what is there.

use std::path::Path;

use acp_sessions::{
    cli::arguments::Arguments,
    config::{Config, TargetKind},
};
use clap::CommandFactory;

const DOCUMENT: &str = include_str!("../../../../docs/sessions.md");

#[test]
fn the_example_of_a_configuration_is_one() {
    let (_, rest) = DOCUMENT.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let config = Config::parse(Path::new("docs/sessions.md"), example).unwrap();
    assert_eq!(config.default_target, "box");
    assert_eq!(config.bundles["product"].repositories.len(), 2);
    let kinds = config.targets.values().map(|target| target.kind_name());
    let kinds: std::collections::BTreeSet<_> = kinds.collect();
    assert_eq!(kinds.len(), 4, "an example of each kind of target");
    let TargetKind::Container(container) = &config.targets["box"].kind else {
        panic!("the box is a container");
    };
    assert_eq!(container.options, ["--memory", "4g"]);
}

#[test]
fn every_command_and_every_flag_of_the_front_is_named() {
    let program = Arguments::command();
    for command in program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        let name = format!("`{}", command.get_name());
        let named = DOCUMENT.contains(&name)
            || DOCUMENT.contains(&format!("acp-sessions {}", command.get_name()));
        assert!(named, "{name} is not in docs/sessions.md");
    }
    let front = program.find_subcommand("acp").unwrap();
    for flag in front.get_arguments().filter_map(|flag| flag.get_long()) {
        if !["help", "instance"].contains(&flag) {
            assert!(
                DOCUMENT.contains(&format!("--{flag}")),
                "--{flag} is not in docs/sessions.md"
            );
        }
    }
}
