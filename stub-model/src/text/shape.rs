//! What a word looks like: a path, a marker, a command.
//!
//! Apart from the reading rules, because several of them ask the same questions of a word.

/// Files that are well known without an extension.
const KNOWN_FILES: &[&str] = &[
    "readme",
    "makefile",
    "dockerfile",
    "license",
    "licence",
    "changelog",
    "justfile",
];

/// Programs that people name without saying that they mean a command.
const KNOWN_COMMANDS: &[&str] = &[
    "ls", "cat", "echo", "pwd", "sleep", "printf", "touch", "mkdir", "rm", "cp", "mv", "grep",
    "find", "seq", "true", "false", "date", "whoami", "uname", "env", "head", "tail", "wc", "sort",
    "git", "python3", "python", "node", "npm", "cargo", "make", "sh", "bash", "curl", "ps", "kill",
    "id", "test", "tee", "sed", "awk", "exit", "cd", "which", "du", "df", "hostname", "stat",
    "diff", "chmod", "ln", "tree", "file", "basename", "dirname", "xargs", "yes", "timeout",
    "nohup", "export", "jq", "tar",
];

/// Whether `word` names a file or folder by its looks alone.
pub(crate) fn is_path(word: &str) -> bool {
    if word.contains("://") {
        return word.starts_with("file://");
    }
    if word.is_empty() || word.contains(['{', '}', '<', '>', '|', '"']) {
        return false;
    }
    let name = word
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(word);
    if word.contains('/') {
        let letters = word.chars().any(char::is_alphanumeric) || word.starts_with("..");
        return letters && !matches!(word, "and/or" | "input/output" | "yes/no" | "n/a");
    }
    has_extension(name) || KNOWN_FILES.contains(&name.to_ascii_lowercase().as_str())
}

fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    if stem.is_empty() {
        return extension.len() > 1 && extension.chars().all(|c| c.is_alphanumeric() || c == '_');
    }
    let known =
        (1..=8).contains(&extension.len()) && extension.chars().all(|c| c.is_ascii_alphanumeric());
    known && extension.contains(|c: char| c.is_ascii_alphabetic()) && !matches!(name, "e.g" | "i.e")
}

/// Whether `word` looks made up to be recognised: `WORD-1A2B`, `MARK4`, `K=42`, `LYNX`.
pub(crate) fn is_marker(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let capitals = bare.chars().filter(|c| c.is_uppercase()).count();
    let digits = bare.chars().any(|c| c.is_ascii_digit());
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    digits || (capitals >= 2 && capitals == letters) || bare.contains(['_', '-']) && capitals > 0
}

/// Whether `word` is the name of a program, or a path to one.
pub(crate) fn is_command(word: &str) -> bool {
    KNOWN_COMMANDS.contains(&word)
        || word.starts_with("./")
        || (word.starts_with('/') && word.len() > 1)
}

/// Quotes `word` for a POSIX shell where that is needed. Leading `~/` and `$NAME/` keep their
/// meaning, because the user wrote them to have it.
pub(crate) fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./-+:@%,=~".contains(c);
    let (prefix, rest) = expansion(word);
    let rest = match rest {
        "" => {
            if prefix.is_empty() {
                "''".to_owned()
            } else {
                String::new()
            }
        }
        rest if rest.chars().all(plain) && !rest.starts_with('~') => rest.to_owned(),
        rest => format!("'{}'", rest.replace('\'', r"'\''")),
    };
    let dashed = if prefix.is_empty() && rest.starts_with('-') {
        "./"
    } else {
        ""
    };
    format!("{prefix}{dashed}{rest}")
}

fn expansion(word: &str) -> (&str, &str) {
    if let Some(rest) = word.strip_prefix("~/") {
        return ("~/", rest);
    }
    let Some(name) = word.strip_prefix('$') else {
        return ("", word);
    };
    let length = name
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    if length > 0 && (name.len() == length || name[length..].starts_with('/')) {
        word.split_at(length + 1)
    } else {
        ("", word)
    }
}
