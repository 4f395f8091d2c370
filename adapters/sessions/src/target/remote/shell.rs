//! Giving a command to a shell far away, byte for byte.
//!
//! Every client of a target (`ssh`, `podman exec`, `kubectl exec`) is told the same fixed words: a
//! launcher. What is to run comes over its standard input, as two lines of shell code. So a command,
//! its environment and its working directory stand on no command line, whatever the client does
//! with words, and there is one function that quotes.
//!
//! What must stay true: a line holds no newline, because the launcher reads lines; and the launcher
//! reads not one byte beyond its line, because the rest of the input is the command's (POSIX: `read`
//! from a pipe takes a byte at a time).

use std::path::Path;

use crate::target::TargetCommand;

/// Reads a line and does what it says. It holds no quote and no newline, so that it passes through
/// every login shell.
pub(super) const LAUNCHER: &str =
    r#"acp_n=$(printf "\nx"); acp_n=${acp_n%x}; IFS= read -r acp_l && eval "$acp_l""#;

/// What a command says before it begins, followed by its mark.
pub(super) const READY: &str = "acp-sessions-ready ";

/// Variables that no command should do without: nobody can answer a question there.
const FIXED: [(&str, &str); 4] = [
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// A word that a shell takes for exactly these bytes, on one line. A newline stands as a variable
/// of the launcher's.
pub(super) fn quote(word: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for byte in word {
        match byte {
            b'\'' => quoted.extend_from_slice(br"'\''"),
            b'\n' => quoted.extend_from_slice(br#"'"$acp_n"'"#),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

/// The first line: sets the variable that marks everything that follows, and begins anew, so that
/// the mark is in the environment of a process from its start.
pub(super) fn marking(variable: &str, mark: &str) -> Vec<u8> {
    let launcher = quote(LAUNCHER.as_bytes());
    let mut line = format!("{variable}={mark}; export {variable}; exec sh -c ").into_bytes();
    line.extend(launcher);
    line.push(b'\n');
    line
}

/// The second line for a command: says that it begins, and becomes it.
pub(super) fn starting(command: &TargetCommand, root: &Path, mark: &str) -> Vec<u8> {
    let mut line = Vec::new();
    let fixed = FIXED.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let own = command.env.iter();
    let own = own.map(|(name, value)| (name.as_encoded_bytes(), value.as_encoded_bytes()));
    for (name, value) in fixed.into_iter().chain(own) {
        line.extend_from_slice(b"export ");
        line.extend_from_slice(name);
        line.push(b'=');
        line.extend(quote(value));
        line.extend_from_slice(b"; ");
    }
    let cwd = command.cwd.as_deref().unwrap_or(root);
    let program = quote(command.program().as_encoded_bytes());
    line.extend_from_slice(b"cd -- ");
    line.extend(quote(cwd.as_os_str().as_encoded_bytes()));
    line.extend_from_slice(b" || exit 126; command -v ");
    line.extend_from_slice(&program);
    line.extend_from_slice(b" >/dev/null || { echo no such program >&2; exit 127; }; echo ");
    line.extend_from_slice(format!("{READY}{mark}; exec").as_bytes());
    for word in &command.argv {
        line.push(b' ');
        line.extend(quote(word.as_encoded_bytes()));
    }
    line.push(b'\n');
    line
}

/// The second line for a script, with variables set for it.
pub(super) fn script(variables: &[(&str, &[u8])], text: &str) -> Vec<u8> {
    let mut line = Vec::new();
    for (name, value) in variables {
        line.extend_from_slice(name.as_bytes());
        line.push(b'=');
        line.extend(quote(value));
        line.extend_from_slice(b"; ");
    }
    line.extend_from_slice(b"eval ");
    line.extend(quote(text.as_bytes()));
    line.push(b'\n');
    line
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{
        io::Write as _,
        process::{Command, Stdio},
    };

    use super::*;

    /// What a shell that is told the launcher's words on one string makes of the lines.
    fn through(shell: &str, lines: &[u8], input: &[u8]) -> Vec<u8> {
        let once_more = format!("exec sh -c '{LAUNCHER}'");
        let mut child = Command::new(shell)
            .args(["-c", &once_more])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(lines).unwrap();
        stdin.write_all(input).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap().stdout
    }

    #[test]
    fn every_word_arrives_byte_for_byte() {
        let mut every: Vec<u8> = (1..=255).collect();
        every.extend(b"''\n\n\\\"$(x)`x`$acp_n -- ");
        let odd = std::ffi::OsString::from("\u{e9} 'a'\n\"b\" $HOME \\");
        use std::os::unix::ffi::OsStringExt as _;
        let words = [
            std::ffi::OsString::from_vec(every.clone()),
            odd.clone(),
            "".into(),
            "-n".into(),
        ];
        let mut command =
            TargetCommand::new(["sh", "-c", r#"printf '<%s>' "$ODD" "$PWD" "$@"; cat"#, "sh"])
                .env("ODD", odd.clone())
                .cwd("/tmp");
        command.argv.extend(words.clone());
        let mut lines = marking("MARK", "a.b.7.");
        lines.extend(starting(&command, Path::new("/"), "a.b.7."));
        for shell in ["sh", "bash"] {
            let said = through(shell, &lines, b"and\nthe input");
            let mut expected = format!("{READY}a.b.7.\n").into_bytes();
            let shown = [odd.clone(), "/tmp".into()]
                .into_iter()
                .chain(words.clone());
            for word in shown {
                expected.push(b'<');
                expected.extend(word.as_encoded_bytes());
                expected.push(b'>');
            }
            expected.extend(b"and\nthe input");
            assert_eq!(
                String::from_utf8_lossy(&said),
                String::from_utf8_lossy(&expected),
                "{shell}"
            );
            assert!(said == expected);
        }
    }

    #[test]
    fn what_cannot_begin_says_so_instead() {
        let root = Path::new("/");
        for command in [
            TargetCommand::new(["true"]).cwd("/no/such"),
            TargetCommand::new(["no-such-program"]),
        ] {
            let mut lines = marking("MARK", "x");
            lines.extend(starting(&command, root, "x"));
            assert_eq!(through("sh", &lines, b""), b"");
        }
        // Half a line is nothing.
        assert_eq!(through("sh", b"echo half", b""), b"");
    }

    #[test]
    fn a_script_has_its_variables() {
        let variables: [(&str, &[u8]); 1] = [("a", b"'x'\ny")];
        let line = script(&variables, "printf '%s' \"$a\"\nprintf ' end'\n");
        assert_eq!(through("sh", &line, b""), b"'x'\ny end");
    }
}
