//! What the user wants, found in the words of the prompt. This is all the "model" there is.
//!
//! Pure: the text of the prompt in, one request out. Words that are not understood are said so in
//! the reply, never guessed.

use super::scenario::Scenario;

/// What a prompt asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Keep a word, and reply with other words.
    Remember {
        /// The word to keep.
        word: String,
        /// The exact reply.
        reply: String,
    },
    /// Reply with exactly this.
    Reply(String),
    /// Reply with the word that is kept.
    Recall,
    /// Reply with the word in a file and the colour of the image.
    Look {
        /// The absolute path of the file.
        file: String,
    },
    /// Run a shell command.
    Run(String),
    /// Run a command, save a plan with its output, read it back, reply with its ID.
    Plan {
        /// The command, always a `cat`.
        command: String,
        /// The plan's title.
        title: String,
    },
    /// Play a scenario.
    Play(Scenario),
    /// None of these.
    Unknown,
}

/// The request in the text of a prompt.
#[must_use]
pub fn understand(text: &str) -> Request {
    if let Some(scenario) = Scenario::of(text) {
        return Request::Play(scenario);
    }
    let lower = text.to_lowercase();
    if lower.contains("create_plan") {
        let title = after(text, "title").and_then(quoted);
        return match (cat(text), title) {
            (Some(command), Some(title)) => Request::Plan { command, title },
            _ => Request::Unknown,
        };
    }
    let exact = between(text, "Reply with exactly ", " and nothing else");
    if let Some(word) = after(text, "Remember this word: ").and_then(first_word) {
        let reply = exact.unwrap_or("ACK").to_owned();
        return Request::Remember { word, reply };
    }
    if let Some(reply) = exact {
        return Request::Reply(reply.to_owned());
    }
    if let Some(command) = shell_command(text) {
        return Request::Run(command);
    }
    if lower.contains("colo") && lower.contains("image") {
        return absolute_path(text).map_or(Request::Unknown, |file| Request::Look { file });
    }
    if lower.contains("word") {
        return Request::Recall;
    }
    Request::Unknown
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.split_once(mark).map(|(_, rest)| rest)
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    after(text, start)?
        .split_once(end)
        .map(|(inside, _)| inside)
}

/// The next text in double quotes or backticks.
fn quoted(text: &str) -> Option<String> {
    let start = text.find(['"', '`'])?;
    let mark = text[start..].chars().next()?;
    let rest = &text[start + 1..];
    rest.split_once(mark).map(|(inside, _)| inside.to_owned())
}

/// The first word, without the punctuation of the sentence around it.
fn first_word(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?;
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    (!word.is_empty()).then(|| word.to_owned())
}

/// `cat FILE`, where FILE ends at a space or the end of a quote.
fn cat(text: &str) -> Option<String> {
    let file = text.split("cat ").skip(1).find_map(|rest| {
        let file = rest.split([' ', '\n', '"', '`', ',']).next()?;
        let file = file.trim_end_matches(['.', ';', ')']);
        file.contains(['.', '/']).then_some(file)
    })?;
    Some(format!("cat {file}"))
}

/// The command after the words "shell command": quoted, or up to the end of its sentence.
fn shell_command(text: &str) -> Option<String> {
    let rest = after(text, "shell command")?.trim_start_matches([':', ' ']);
    if rest.starts_with(['"', '`']) || rest.contains('`') {
        return quoted(rest);
    }
    let end = [" and wait", ". ", "\n"];
    let end = end.iter().filter_map(|mark| rest.find(mark)).min();
    let command = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
    (!command.is_empty()).then(|| command.to_owned())
}

fn absolute_path(text: &str) -> Option<String> {
    text.split([' ', '\n', '"', '`', ',', '(', ')'])
        .find(|word| word.len() > 1 && word.starts_with('/'))
        .map(|word| word.trim_end_matches(['.', '?', ':']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests() {
        let table = [
            (
                "Reply with exactly REPLY-7F3A and nothing else.",
                Request::Reply("REPLY-7F3A".to_owned()),
            ),
            (
                "Remember this word: WORD-7F3A. Reply with exactly ACK and nothing else.",
                Request::Remember {
                    word: "WORD-7F3A".to_owned(),
                    reply: "ACK".to_owned(),
                },
            ),
            (
                "Which word did I ask you to remember? Reply with the word.",
                Request::Recall,
            ),
            (
                "Read the text file /tmp/.rondar-session-files/note.txt and look at the attached image. \
                 Reply with the word that is in the file and the name of the colour of the image.",
                Request::Look {
                    file: "/tmp/.rondar-session-files/note.txt".to_owned(),
                },
            ),
            (
                "Run the shell command sleep 120 and wait for it.",
                Request::Run("sleep 120".to_owned()),
            ),
            (
                "Now create a file: run the shell command `echo created > new.txt`. \
                 Reply with DONE when the file is there.",
                Request::Run("echo created > new.txt".to_owned()),
            ),
            (
                "First run the shell command `cat notes.txt` and note what it prints. \
                 Then call the tool create_plan with the title \"Tea 1\" and with a description \
                 that holds the whole output of the cat command.",
                Request::Plan {
                    command: "cat notes.txt".to_owned(),
                    title: "Tea 1".to_owned(),
                },
            ),
            ("/error", Request::Play(Scenario::Error)),
            ("Good morning.", Request::Unknown),
        ];
        for (text, expected) in table {
            assert_eq!(understand(text), expected, "{text}");
        }
    }
}
