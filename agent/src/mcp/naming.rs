//! The names under which the tools of all servers of a session are offered to the model.
//!
//! A model sees one flat list, and most model APIs accept only `[A-Za-z0-9_-]{1,64}`. A server may
//! call its tools anything, two servers may use the same names, and either may take the name of a
//! built-in tool. So the name for the model is made here, and the server's own is kept beside it.
//!
//! Must stay true: names are unique, and depend on nothing but the list itself, so a loaded session
//! gets the same ones.

use std::collections::{HashMap, HashSet};

/// The longest name that model APIs accept.
const MAX_NAME: usize = 64;

/// Names for tools, each given as its server and its own name. `taken` are used already.
pub(super) fn offered(tools: &[(&str, &str)], taken: &[&str]) -> Vec<String> {
    let mut used: HashSet<String> = taken.iter().map(|&name| name.to_owned()).collect();
    let own: Vec<String> = tools.iter().map(|(_, tool)| safe(tool)).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in &own {
        *counts.entry(name).or_default() += 1;
    }
    let unique = |name: &String| !used.contains(name) && counts[name.as_str()] == 1;
    // Names that stay as they are come first, so that no made-up name can take one of them.
    let stays: Vec<bool> = own.iter().map(unique).collect();
    used.extend(
        own.iter()
            .zip(&stays)
            .filter(|(_, stays)| **stays)
            .map(|(own, _)| own.clone()),
    );
    let mut names = Vec::with_capacity(tools.len());
    for (index, (server, tool)) in tools.iter().enumerate() {
        if stays[index] {
            names.push(own[index].clone());
            continue;
        }
        let name = free(&safe(&format!("{server}_{tool}")), &used);
        used.insert(name.clone());
        names.push(name);
    }
    names
}

/// Names for servers, so that two of the same name can be told apart.
pub(super) fn servers(given: &[&str]) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(given.len());
    for name in given {
        let mut candidate = (*name).to_owned();
        let mut number = 2;
        while !used.insert(candidate.clone()) {
            candidate = format!("{name} ({number})");
            number += 1;
        }
        names.push(candidate);
    }
    names
}

/// The name with every other character replaced, cut to the bound.
fn safe(name: &str) -> String {
    let mut safe: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .take(MAX_NAME)
        .collect();
    if safe.is_empty() {
        safe.push('_');
    }
    safe
}

/// The name itself, or with the first number that makes it new.
fn free(name: &str, used: &HashSet<String>) -> String {
    if !used.contains(name) {
        return name.to_owned();
    }
    let mut number = 2;
    loop {
        let suffix = format!("_{number}");
        let kept = &name[..name.len().min(MAX_NAME - suffix.len())];
        let candidate = format!("{kept}{suffix}");
        if !used.contains(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_tool() {
        let long = "x".repeat(80);
        let cut = "x".repeat(64);
        let numbered = format!("s_{}_2", "x".repeat(60));
        let filled = format!("s_{}", "x".repeat(62));
        type Row<'a> = (Vec<(&'a str, &'a str)>, Vec<&'a str>);
        let rows: Vec<Row<'_>> = vec![
            (vec![("s", "echo")], vec!["echo"]),
            (vec![("s", "shell")], vec!["s_shell"]),
            (vec![("a", "echo"), ("b", "echo")], vec!["a_echo", "b_echo"]),
            (vec![("a", "x"), ("a", "x")], vec!["a_x", "a_x_2"]),
            (vec![("a b", "c.d/é"), ("s", "")], vec!["c_d__", "_"]),
            // Different names that become the same.
            (vec![("s", "a.b"), ("s", "a b")], vec!["s_a_b", "s_a_b_2"]),
            // A name that looks like a prefixed one keeps its own.
            (
                vec![("s", "shell"), ("t", "s_shell")],
                vec!["s_shell_2", "s_shell"],
            ),
            (vec![("s", &long)], vec![&cut]),
            (vec![("s", &long), ("s", &long)], vec![&filled, &numbered]),
        ];
        for (tools, expected) in rows {
            assert_eq!(offered(&tools, &["shell"]), expected, "{tools:?}");
        }
    }

    #[test]
    fn servers_of_one_name_are_numbered() {
        assert_eq!(servers(&["a", "b", "a", "a"]), ["a", "b", "a (2)", "a (3)"]);
    }
}
