//! Commands that only say something *about* a file: whether it is there, ignored, how large.
//!
//! They may name a secret file, because none of its content comes out. Strict on purpose: whatever
//! is not understood here counts as reaching for the file.

use super::Ground;

/// Filters that only pass on or count lines.
const FILTERS: [&str; 5] = ["head", "tail", "sort", "uniq", "wc"];

/// The tests of a file that `test` and `[` know.
const TESTS: [&str; 8] = ["-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L"];

/// Whether the whole command is of this kind.
pub(super) fn is_name_only(text: &str, ground: &Ground) -> bool {
    let text = text.trim();
    // Not even the names of keys are listed.
    if text.is_empty() || text.contains(".ssh") {
        return false;
    }
    let text = text.replace("2>&1", " ");
    let text = without_null_redirections(&text);
    if text.contains(['\\', '`', '{', '}', '(', ')', '<', '>']) || text.contains("$(") {
        return false;
    }
    match for_loop(&text) {
        Some((list, body)) => {
            !text.contains('\n') && plain_words(list).is_some() && is_list(body, ground)
        }
        None => is_list(&text, ground),
    }
}

/// Removes `>/dev/null`, with or without a descriptor and a space.
fn without_null_redirections(text: &str) -> String {
    let mut text = text.replace("> /dev/null", ">/dev/null");
    for redirection in ["2>/dev/null", "1>/dev/null", "&>/dev/null", ">/dev/null"] {
        text = text
            .split(redirection)
            .collect::<Vec<_>>()
            // What stood glued to it stays apart.
            .join(" ");
    }
    text
}

/// The list and the body of `for NAME in LIST; do BODY; done`.
fn for_loop(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim().strip_prefix("for ")?;
    let (name, rest) = rest.trim_start().split_once(" in ")?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (list, rest) = rest.split_once(';')?;
    let body = rest.trim_start().strip_prefix("do ")?;
    let body = body
        .trim_end()
        .strip_suffix("done")?
        .trim_end()
        .strip_suffix(';')?;
    is_name.then_some((list, body))
}

/// Commands one after the other, each perhaps through filters.
fn is_list(text: &str, ground: &Ground) -> bool {
    let text = text.replace("&&", ";").replace("||", ";");
    !text.contains('&')
        && text
            .split([';', '\n'])
            .filter(|part| !part.trim().is_empty())
            .all(|part| {
                let mut pipeline = part.split('|');
                let first = pipeline.next().and_then(plain_words);
                first.is_some_and(|words| is_command(&words, ground)) && pipeline.all(is_filter)
            })
}

/// The words of a command, without the quotes around whole words. Nothing if quotes enclose spaces
/// or stand inside a word: then it takes a shell to read it.
fn plain_words(text: &str) -> Option<Vec<&str>> {
    text.split_whitespace()
        .map(|word| {
            let inner = ['"', '\'']
                .into_iter()
                .find_map(|quote| word.strip_prefix(quote)?.strip_suffix(quote));
            let word = inner.unwrap_or(word);
            (!word.contains(['"', '\''])).then_some(word)
        })
        .collect()
}

fn is_filter(text: &str) -> bool {
    let Some(words) = plain_words(text) else {
        return false;
    };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    words.split_first().is_some_and(|(program, rest)| {
        FILTERS.contains(program) && rest.iter().all(|word| is_flag(word) || is_number(word))
    })
}

/// `-x`, `-20`, `--long` or `--long=value`.
fn is_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| {
        rest.chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '=' | '_' | '%' | ','))
    })
}

fn is_command(words: &[&str], ground: &Ground) -> bool {
    let is_path = |word: &str| !word.starts_with('-');
    match words {
        ["git", rest @ ..] => is_git(rest, ground),
        ["ls" | "stat", rest @ ..] => rest.iter().all(|word| is_path(word) || is_flag(word)),
        ["echo", ..] => true,
        ["wc", "-c" | "--bytes", rest @ ..] => rest.iter().all(|word| is_path(word)),
        ["test", test, path] | ["[", test, path, "]"] => {
            (TESTS.contains(test) || *test == "-h") && is_path(path)
        }
        _ => false,
    }
}

fn is_git(words: &[&str], ground: &Ground) -> bool {
    let words = match words {
        ["-C", folder, rest @ ..] if *folder == "." || ground.cwd.as_os_str() == *folder => rest,
        ["-C", ..] => return false,
        words => words,
    };
    match words {
        ["check-ignore" | "status", rest @ ..] => rest
            .iter()
            .all(|word| !word.starts_with('-') || is_flag(word)),
        _ => false,
    }
}
