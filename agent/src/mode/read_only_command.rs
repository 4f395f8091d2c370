//! Which commands are known to read only, by their text.
//!
//! It is the fallback of plan mode for kernels that cannot confine a command, so it errs on the
//! side of no: one plain command from a short list, with nothing that a shell could make more of.

/// Programs that only read, whatever their arguments are. Programs with an option that writes or
/// runs something (`find -delete`, `sort -o`, `git`, `env`) are not among them.
const READERS: [&str; 21] = [
    "basename",
    "cat",
    "cksum",
    "cut",
    "df",
    "dirname",
    "du",
    "echo",
    "grep",
    "head",
    "id",
    "ls",
    "md5sum",
    "nl",
    "pwd",
    "readlink",
    "realpath",
    "sha256sum",
    "stat",
    "tail",
    "wc",
];

/// Whether the command is one program of the list, with plain arguments.
#[must_use]
pub fn is_read_only(command: &str) -> bool {
    let mut words = command.split_ascii_whitespace();
    let Some(program) = words.next() else {
        return false;
    };
    READERS.contains(&program) && has_no_syntax(command)
}

/// No expansion, redirection, pipe, list or second line. Quotes are fine: in a text without any
/// of these characters they can only group words.
fn has_no_syntax(command: &str) -> bool {
    !command.chars().any(|c| {
        matches!(
            c,
            '>' | '<'
                | '|'
                | '&'
                | ';'
                | '$'
                | '`'
                | '('
                | ')'
                | '{'
                | '}'
                | '\\'
                | '\n'
                | '\r'
                | '\0'
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_to_read() {
        for (command, reads) in [
            ("cat notes.txt", true),
            ("cat 'a b.txt'", true),
            ("  ls -la /tmp ", true),
            ("grep -rn TODO src", true),
            ("cat a > b", false),
            ("cat a; rm b", false),
            ("cat a\nrm b", false),
            ("cat $(rm b)", false),
            ("cat `rm b`", false),
            ("cat a | tee b", false),
            ("cat a & rm b", false),
            ("rm a", false),
            ("./cat a", false),
            ("find . -delete", false),
            ("A=1 cat a", false),
            ("", false),
        ] {
            assert_eq!(is_read_only(command), reads, "{command:?}");
        }
    }
}
