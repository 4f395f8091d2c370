//! `search`: lines of files that match a pattern.
//!
//! It looks where a developer would look: `.gitignore` is honoured, binary files and `.git` are
//! passed over.
//!
//! Must stay true: matches, files and bytes are bounded, and symbolic links are not followed, so a
//! search stays in the folder that it was allowed for. The walk is the one access by path; the files
//! that it finds are opened through `anchor.rs`.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Value, json};
use stub_model::ToolSpec;
use tokio_util::sync::CancellationToken;

use super::{
    Effect, Prepared, Scope, Tool, ToolError, ToolOutcome, anchor,
    arguments::{Arguments, argument},
    headline, job,
};
use crate::{acp, roots::Located};

const NAME: &str = "search";

/// Matches in one answer.
const MAX_MATCHES: usize = 200;

/// How much of each file is searched, in bytes. Larger files are data, not source.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// Files and folders that one search walks over.
const MAX_WALKED: usize = 200_000;

/// Characters that are shown of a matching line.
const MAX_LINE: usize = 300;

/// Places that the client is pointed to.
const MAX_LOCATIONS: usize = 20;

/// Memory that a pattern may take once it is compiled, in bytes.
const MAX_PATTERN: usize = 1024 * 1024;

/// The tool.
pub struct Search {
    spec: ToolSpec,
}

impl Search {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Searches the text files of a folder, line by line. Files that .gitignore names are \
             left out.",
            json!({
                "pattern": {
                    "type": "string",
                    "description": "A regular expression; searched for as plain text if it is none"
                },
                "path": {
                    "type": "string",
                    "description": "The folder or file to search, by default the working directory"
                },
                "glob": {
                    "type": "string",
                    "description": "Only files of this name, for example *.rs, or, with a slash, \
                                    of this path below the folder, for example src/**/*.rs"
                },
                "case": {
                    "type": "string",
                    "enum": CASES,
                    "description": "Whether capital letters matter, by default sensitive"
                },
            }),
            &["pattern"],
        );
        Self { spec }
    }
}

const CASES: [&str; 2] = ["sensitive", "insensitive"];

impl Default for Search {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Search {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, scope: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let pattern = arguments.text("pattern")?;
        let path = arguments.optional_path("path")?.unwrap_or(".");
        let glob = arguments.optional_text("glob")?;
        let case = arguments.choice("case", &CASES)?;
        arguments.finish()?;
        if pattern.is_empty() {
            return Err(argument(NAME, "pattern", "must not be empty"));
        }
        let (regex, literal) = compile(pattern, case == Some("insensitive"))?;
        let glob = glob.map(Glob::new).transpose()?;
        let located = scope.roots.locate(path.as_ref())?;
        let quest = Quest {
            regex,
            literal,
            glob,
            cwd: scope.cwd.clone(),
        };
        Ok(Prepared {
            title: format!(
                "Search for {} in {}",
                headline(pattern, 80),
                headline(path, 120)
            ),
            kind: acp::ToolKind::Search,
            effect: Effect::reading(&located),
            locations: vec![acp::ToolCallLocation::new(&located.shown)],
            content: Vec::new(),
            grant: format!("{NAME}: {}", located.path.display()),
            session: None,
            job: job::looking(move |cancel| quest.run(&located, cancel)),
        })
    }
}

/// The pattern, and whether it is taken as plain text because it is no regular expression.
fn compile(pattern: &str, insensitive: bool) -> Result<(Regex, bool), ToolError> {
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .case_insensitive(insensitive)
            .size_limit(MAX_PATTERN)
            .build()
    };
    if let Ok(regex) = build(pattern) {
        return Ok((regex, false));
    }
    match build(&regex::escape(pattern)) {
        Ok(regex) => Ok((regex, true)),
        Err(_) => Err(argument(NAME, "pattern", "is too long")),
    }
}

/// Which files are meant.
struct Glob {
    matcher: GlobMatcher,
    /// Against the path below the folder, not the name alone.
    on_path: bool,
}

impl Glob {
    fn new(glob: &str) -> Result<Self, ToolError> {
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        let matcher = built
            .map_err(|error| argument(NAME, "glob", format!("is not valid: {}", error.kind())))?
            .compile_matcher();
        Ok(Self {
            matcher,
            on_path: glob.contains('/'),
        })
    }

    fn accepts(&self, below: &Path) -> bool {
        let subject = match below.file_name() {
            Some(name) if !self.on_path => Path::new(name),
            _ => below,
        };
        self.matcher.is_match(subject)
    }
}

/// A found file's path below the folder that is searched, and its path for the client. A file that
/// is searched by itself has only a name.
fn place(file: &Path, located: &Located) -> (PathBuf, PathBuf) {
    match file.strip_prefix(&located.path) {
        Ok(below) if !below.as_os_str().is_empty() => (below.to_owned(), located.shown.join(below)),
        _ => {
            let name = file.file_name().map(PathBuf::from).unwrap_or_default();
            (name, located.shown.clone())
        }
    }
}

/// A search that was asked for.
struct Quest {
    regex: Regex,
    literal: bool,
    glob: Option<Glob>,
    cwd: PathBuf,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    lines: Vec<String>,
    locations: Vec<acp::ToolCallLocation>,
    /// Why the search ended early.
    stopped: Option<&'static str>,
}

impl Quest {
    fn run(&self, located: &Located, cancel: &CancellationToken) -> Result<ToolOutcome, ToolError> {
        let path = &located.path;
        if std::fs::symlink_metadata(path).is_err() {
            return Err(ToolError::Missing(located.shown.clone()));
        }
        let mut found = Found::default();
        let walk = WalkBuilder::new(path)
            .follow_links(false)
            .hidden(false)
            .git_global(false)
            .require_git(false)
            .sort_by_file_name(std::ffi::OsStr::cmp)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        for (walked, entry) in walk.enumerate() {
            if cancel.is_cancelled() {
                return Ok(ToolOutcome::cancelled("cancelled"));
            }
            if walked >= MAX_WALKED {
                found.stopped = Some("too many files; search a smaller folder");
            }
            if found.stopped.is_some() {
                break;
            }
            // What cannot be read is passed over, as in every search.
            let Ok(entry) = entry else { continue };
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let (below, shown) = place(entry.path(), located);
            if self.glob.as_ref().is_none_or(|glob| glob.accepts(&below)) {
                self.search(entry.path(), &shown, &mut found);
            }
        }
        Ok(self.answer(found))
    }

    fn search(&self, path: &Path, shown: &Path, found: &mut Found) {
        let Ok((file, _)) = anchor::file(path) else {
            return;
        };
        let mut content = Vec::new();
        let read = file.take(MAX_FILE).read_to_end(&mut content);
        if read.is_err() || content.contains(&0) {
            return;
        }
        let place = shown.strip_prefix(&self.cwd).unwrap_or(shown);
        for (index, line) in content.split(|byte| *byte == b'\n').enumerate() {
            if !self.regex.is_match(line) {
                continue;
            }
            if found.lines.len() >= MAX_MATCHES {
                found.stopped = Some("there are more matches; search more narrowly");
                return;
            }
            let number = index + 1;
            let text = headline(&String::from_utf8_lossy(line), MAX_LINE);
            found
                .lines
                .push(format!("{}:{number}: {text}", place.display()));
            if found.locations.len() < MAX_LOCATIONS {
                let line = u32::try_from(number).ok();
                found
                    .locations
                    .push(acp::ToolCallLocation::new(shown).line(line));
            }
        }
    }

    fn answer(&self, found: Found) -> ToolOutcome {
        let mut lines = found.lines;
        if lines.is_empty() {
            lines.push("[no matches]".to_owned());
        }
        if self.literal {
            lines.push("[the pattern is no regular expression: searched as plain text]".to_owned());
        }
        if let Some(why) = found.stopped {
            lines.push(format!("[{why}]"));
        }
        let mut outcome = ToolOutcome::completed(lines.join("\n"));
        if !found.locations.is_empty() {
            outcome.locations = Some(found.locations);
        }
        outcome
    }
}
