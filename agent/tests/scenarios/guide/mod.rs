//! `docs/for-agent-authors.md`: the wire lines in it are those of a real run.
//!
//! The prose is written by hand; between `<!-- wire: NAME -->` and `<!-- end -->` stands what the scene
//! of that name ([`scenes::SCENES`]) recorded. After a change of what the agent says,
//! `GUIDE=write cargo test -p acp-agent --test scenarios guide` writes the lines anew.

mod render;
mod scenes;
mod wire;

use std::fs;

use crate::scene::docs;

const BEGIN: &str = "<!-- wire: ";
const END: &str = "<!-- end -->";

#[test]
fn the_wire_lines_of_the_guide_are_those_of_a_run() {
    let path = docs().join("for-agent-authors.md");
    let found = fs::read_to_string(&path).unwrap();
    let made = with_scenes(&found);
    if std::env::var_os("GUIDE").is_some_and(|value| value == "write") {
        fs::write(&path, &made).unwrap();
        return;
    }
    for (line, (found, made)) in found.lines().zip(made.lines()).enumerate() {
        assert_eq!(
            found,
            made,
            "docs/for-agent-authors.md is stale in line {}: run this test with GUIDE=write",
            line + 1
        );
    }
    assert_eq!(
        found.len(),
        made.len(),
        "docs/for-agent-authors.md is stale at its end"
    );
}

/// Every file that the guide points at is there, and every scene is shown.
#[test]
fn what_the_guide_points_at_is_there() {
    for page in [
        "for-agent-authors.md",
        "for-harness-developers.md",
        "scenarios.md",
    ] {
        let text = fs::read_to_string(docs().join(page)).unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            let there = match link.strip_prefix('#') {
                Some(anchor) => anchors(&text).any(|known| known == anchor),
                None => link.contains("://") || docs().join(link).exists(),
            };
            assert!(there, "{page}: {link} is not there");
        }
    }
    let guide = fs::read_to_string(docs().join("for-agent-authors.md")).unwrap();
    for (name, _) in scenes::SCENES {
        assert!(
            guide.contains(&format!("{BEGIN}{name} -->")),
            "{name} is not shown"
        );
    }
}

/// The headings of a page, as links name them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix("##"));
    headings.map(|heading| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    })
}

/// The guide with what the scenes record now.
fn with_scenes(text: &str) -> String {
    let mut parts = text.split(BEGIN);
    let mut made = parts.next().unwrap().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->").unwrap();
        let (_, behind) = rest.split_once(END).expect("each block has an end");
        let scene = scenes::SCENES.iter().find(|(known, _)| *known == name);
        let (_, scene) = scene.unwrap_or_else(|| panic!("there is no scene {name}"));
        made.push_str(&format!(
            "{BEGIN}{name} -->\n```json\n{}```\n{END}{behind}",
            scene()
        ));
    }
    made
}
