//! The globs of `touches`: matched on whole components, anywhere in a path.
//!
//! `*` is any run without a slash, `?` one such character; nothing else is special.

/// Whether the components of `glob` match consecutive components of `path`.
pub(super) fn is_in(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.trim_end_matches('/').split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    path.windows(glob.len()).any(|part| {
        glob.iter()
            .zip(part)
            .all(|(glob, part)| matches(glob, part))
    })
}

/// Whether a glob without slashes matches a whole component.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut g, mut t) = (0, 0);
    // Where to go on when the run of the last `*` must be longer.
    let mut longer: Option<(usize, usize)> = None;
    while t < text.len() {
        match glob.get(g) {
            Some('*') => {
                longer = Some((g + 1, t));
                g += 1;
            }
            Some(one) if *one == '?' || *one == text[t] => (g, t) = (g + 1, t + 1),
            _ => match longer {
                Some((after, from)) => {
                    longer = Some((after, from + 1));
                    (g, t) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_components_anywhere() {
        let table = [
            (".env", ".env", true),
            (".env", "a/.env/b", true),
            (".env", ".envrc", false),
            (".env.*", "x/.env.local", true),
            (".env.*", ".env", false),
            ("*.example", ".env.example", true),
            ("/root/.ssh", "/root/.ssh/id", true),
            ("/root/.ssh", "/home/root/.ssh", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("a*b*c", "aXbYbc", true),
            ("a*", "a", true),
        ];
        for (glob, path, expected) in table {
            assert_eq!(is_in(glob, path), expected, "{glob} {path}");
        }
    }
}
