//! Which agent is driven: the settings, checked before anything is started.
//!
//! Must stay true: a refusal names what is missing and the way out, and nothing is ever replaced by
//! a guess. A credential is only looked at for being there; its value may be a placeholder.
//!
//! Pure but for the look at the file system for `gemini`.

use std::{
    env,
    ffi::OsString,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::named_error::{Code, NamedError};

/// The version of the Gemini CLI that the preset was checked with, as `module.json` pins it.
const GEMINI_VERSION: &str = "0.61.0";

/// An agent that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// A path, or a name to look up on `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What is added to its environment.
    pub env: Vec<(OsString, OsString)>,
    /// A variable that must name a fresh folder, which is removed with the run.
    pub fresh_folder: Option<&'static str>,
    /// The preset's credential, if it has one: the variable's name.
    pub credential: Option<&'static str>,
    /// Which preset.
    pub preset: Preset,
}

/// The agents that are known by name, and any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Google's CLI.
    Gemini,
    /// xAI's CLI.
    Grok,
    /// A command line from the settings.
    Custom,
}

/// The variable that names the preset.
const AGENT: &str = "COLONIZER_ACP_AGENT";
/// The variable with the command line of `custom`.
const COMMAND: &str = "COLONIZER_ACP_COMMAND";

/// Finds out what to start. `variable` looks into the environment.
///
/// # Errors
/// What is missing, with its name.
pub fn resolve(variable: impl Fn(&str) -> Option<OsString>) -> Result<Launch, NamedError> {
    let text = |name: &str| {
        variable(name)
            .map(|value| value.to_string_lossy().trim().to_owned())
            .unwrap_or_default()
    };
    let name = text(AGENT);
    match name.as_str() {
        "" | "gemini" => gemini(&variable, text),
        "grok" => grok(text),
        "custom" => custom(&text(COMMAND)),
        unknown => {
            let message = format!(
                "no agent is known as {unknown:?}; set {AGENT} to gemini, grok or custom (with \
                 the command line in {COMMAND})"
            );
            Err(NamedError::new(Code::AgentUnknown, message))
        }
    }
}

fn gemini(
    variable: impl Fn(&str) -> Option<OsString>,
    text: impl Fn(&str) -> String,
) -> Result<Launch, NamedError> {
    let credential = credential("gemini", "GEMINI_API_KEY", text)?;
    let mut command = gemini_program(variable)?;
    let program = command.remove(0);
    command.push("--experimental-acp".into());
    Ok(Launch {
        program,
        args: command,
        env: Vec::new(),
        fresh_folder: None,
        credential: Some(credential),
        preset: Preset::Gemini,
    })
}

fn grok(text: impl Fn(&str) -> String) -> Result<Launch, NamedError> {
    Ok(Launch {
        program: "grok".into(),
        args: vec!["agent".into(), "stdio".into()],
        env: GROK
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        // So that nothing of an earlier login is found.
        fresh_folder: Some("GROK_HOME"),
        credential: Some(credential("grok", "XAI_API_KEY", text)?),
        preset: Preset::Grok,
    })
}

fn custom(command: &str) -> Result<Launch, NamedError> {
    let mut command = split_command(command);
    if command.is_empty() {
        let message = format!(
            "the custom command is empty; set {COMMAND} to the command line that starts the agent \
             in ACP mode"
        );
        return Err(NamedError::new(Code::AgentUnknown, message));
    }
    Ok(Launch {
        program: command.remove(0).into(),
        args: command.into_iter().map(Into::into).collect(),
        env: Vec::new(),
        fresh_folder: None,
        credential: None,
        preset: Preset::Custom,
    })
}

/// Checks that a preset's credential is there.
fn credential(
    preset: &str,
    name: &'static str,
    text: impl Fn(&str) -> String,
) -> Result<&'static str, NamedError> {
    if !text(name).is_empty() {
        return Ok(name);
    }
    let message = format!(
        "{name} is not set, and {preset} needs it; add it as a colony secret (the interactive \
         login is never run here)"
    );
    Err(NamedError::new(Code::CredentialMissing, message))
}

/// What keeps grok from opening a browser, asking, remembering and reporting.
const GROK: [(&str, &str); 5] = [
    ("BROWSER", "/bin/false"),
    ("GROK_FOLDER_TRUST", "1"),
    ("GROK_MEMORY", "0"),
    ("GROK_TELEMETRY_ENABLED", "0"),
    ("GROK_DISABLE_AUTOUPDATER", "1"),
];

/// Looks for the Gemini CLI: where a variable says, on `PATH`, in the cache of its bundle. It is
/// not downloaded: what runs here is what the image or the operator put there.
fn gemini_program(
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<OsString>, NamedError> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(program) = set("COLONIZER_GEMINI_BIN") {
        if is_program(Path::new(&program)) {
            return Ok(vec![program]);
        }
        let message = format!(
            "COLONIZER_GEMINI_BIN names {program:?}, which is no executable file; correct or unset it"
        );
        return Err(NamedError::new(Code::AgentFailed, message));
    }
    let path = set("PATH").unwrap_or_default();
    if let Some(program) = env::split_paths(&path)
        .map(|folder| folder.join("gemini"))
        .find(|program| is_program(program))
    {
        return Ok(vec![program.into()]);
    }
    let cache = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")))
        .unwrap_or_else(env::temp_dir)
        .join("colonizer/gemini");
    let bundle = cache.join(GEMINI_VERSION).join("package/bundle/gemini.js");
    if bundle.is_file() {
        return Ok(vec!["node".into(), bundle.into()]);
    }
    let message = format!(
        "the program gemini is not on PATH and not in {}; install it with `npm install -g \
         @google/gemini-cli@{GEMINI_VERSION}`, or name it in COLONIZER_GEMINI_BIN",
        bundle.display()
    );
    Err(NamedError::new(Code::AgentFailed, message))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Splits a command line at white space. A quote at the start of an argument makes everything up to
/// the next such quote one argument; there are no escapes.
pub fn split_command(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '"' | '\'')
            .then(|| rest[1..].split_once(first))
            .flatten();
        let (argument, after) = match quoted {
            Some(parts) => parts,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        arguments.push(argument.to_owned());
        rest = after.trim_start();
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Result<Launch, NamedError> {
        resolve(|name| {
            variables
                .iter()
                .find(|(other, _)| *other == name)
                .map(|(_, value)| value.into())
        })
    }

    #[test]
    fn a_command_line_is_split_at_spaces_outside_quotes() {
        let table: [(&str, &[&str]); 7] = [
            ("", &[]),
            ("  ", &[]),
            (" a  b\tc ", &["a", "b", "c"]),
            ("\"a b\" 'c \" d'", &["a b", "c \" d"]),
            ("a\"b c\"", &["a\"b", "c\""]),
            ("'open", &["'open"]),
            ("'' x", &["", "x"]),
        ];
        for (line, expected) in table {
            assert_eq!(split_command(line), expected, "{line}");
        }
    }

    #[test]
    fn refusals_name_what_is_missing() {
        type Row<'a> = (&'a [(&'a str, &'a str)], Code, &'a str);
        let table: [Row; 6] = [
            (&[(AGENT, "claude")], Code::AgentUnknown, "custom"),
            (
                &[(AGENT, "custom"), (COMMAND, "  ")],
                Code::AgentUnknown,
                "the custom command is empty",
            ),
            (&[], Code::CredentialMissing, "GEMINI_API_KEY"),
            (&[(AGENT, "grok")], Code::CredentialMissing, "XAI_API_KEY"),
            (
                &[("GEMINI_API_KEY", "k"), ("HOME", "/nowhere")],
                Code::AgentFailed,
                "npm install",
            ),
            (
                &[
                    ("GEMINI_API_KEY", "k"),
                    ("COLONIZER_GEMINI_BIN", "/nowhere"),
                ],
                Code::AgentFailed,
                "COLONIZER_GEMINI_BIN",
            ),
        ];
        for (variables, code, words) in table {
            let error = with(variables).unwrap_err();
            assert_eq!(error.code, code, "{variables:?}");
            assert!(error.message.contains(words), "{error}");
        }
    }

    #[test]
    fn grok_is_started_as_it_wants_to_be() {
        let launch = with(&[(AGENT, " grok "), ("XAI_API_KEY", "k")]).unwrap();
        assert_eq!(launch.args, ["agent", "stdio"]);
        assert_eq!(launch.env.len(), 5);
        assert_eq!(launch.fresh_folder, Some("GROK_HOME"));
    }
}
