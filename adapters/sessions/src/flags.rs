//! From the words of the API to the words of the command line.
//!
//! The daemon names the members of requests, such as `profile_id`; whoever started the front knows
//! only flags.

/// The members of a request for a session, and the flags that set them.
const FLAGS: [(&str, &str); 9] = [
    ("workspace_id", "--workspace"),
    ("profile_id", "--profile"),
    ("target_id", "--target"),
    ("bundle_id", "--bundle"),
    ("at", "--at"),
    ("branch", "--branch"),
    ("base", "--base"),
    ("project_directory", "--project-directory"),
    ("expected_runtime_identity", "--expected-runtime-identity"),
];

/// The same text with flags instead of members.
///
/// A name with an underscore is a member wherever it stands as a word of its own. The others are
/// English words too: they are members where they are quoted, or begin the text before a colon.
pub fn in_flags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..]
            .find(|c| !is_word(c))
            .map_or(rest.len(), |length| start + length);
        let (before, word, after) = (&rest[..start], &rest[start..end], &rest[end..]);
        out.push_str(before);
        let quoted = [('`', '`'), ('"', '"'), ('\'', '\'')]
            .iter()
            .any(|(open, close)| before.ends_with(*open) && after.starts_with(*close));
        let heads = out.is_empty() && after.starts_with(':');
        let flag = FLAGS.iter().find(|(member, _)| *member == word);
        match flag {
            Some((_, flag)) if word.contains('_') || quoted || heads => out.push_str(flag),
            _ => out.push_str(word),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::in_flags;

    #[test]
    fn case_25_members_become_flags() {
        let table = [
            ("unknown profile_id \"x\"", "unknown --profile \"x\""),
            ("`at` needs a `bundle_id`", "`--at` needs a `--bundle`"),
            ("at: not a full object id", "--at: not a full object id"),
            ("look at the branch", "look at the branch"),
            ("my_profile_id_2 stays", "my_profile_id_2 stays"),
            ("target_id", "--target"),
            ("\"base\" does not resolve", "\"--base\" does not resolve"),
            ("", ""),
            ("über project_directory.", "über --project-directory."),
        ];
        for (text, expected) in table {
            assert_eq!(in_flags(text), expected);
        }
    }
}
