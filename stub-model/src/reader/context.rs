//! What is known while a prompt is read: the tokens, what was found so far, what was mentioned.
//!
//! Apart from the rules, because it is what they share: one clause names a file, the next says
//! what to do with it.

use crate::conversation::ToolSpec;
use crate::instruction::{Action, Content, Request, Via, Want};
use crate::prompt::Prompt;
use crate::text::shape::{is_command, is_marker, is_path, shell_quoted};
use crate::text::{Kind, Range, Words};

/// How many actions one prompt may ask for.
pub(super) const MAX_ACTIONS: usize = 100;

/// How many things one prompt may ask to be told; each may mean a walk through the conversation.
pub(super) const MAX_WANTS: usize = 16;

/// The state of reading one prompt.
pub(crate) struct Reader<'a> {
    pub(super) words: &'a Words,
    pub(super) prompt: &'a Prompt<'a>,
    pub(super) tools: &'a [ToolSpec],
    pub(super) request: Request,
    /// Files that were named so far, the newest last.
    pub(super) paths: Vec<String>,
    /// Questions about things that may come later in the text; their place in `request.wants`.
    pub(super) asks: Vec<(usize, Range)>,
    /// The sentence up to this token is to be done with the shell.
    pub(super) shell_until: usize,
    /// `Use a shell command for it` and `use cat`, as sentences of their own.
    pub(super) by_shell: bool,
    pub(super) by_cat: bool,
    /// Title and description that were named apart from the plan.
    pub(super) title: Option<String>,
    pub(super) description: Option<Content>,
    /// The latest piece of code that nothing was done with.
    pub(super) loose_code: Option<String>,
    /// The latest marker that was only mentioned.
    pub(super) marker: Option<String>,
    clause: Clause,
}

/// Where the actions of a clause go when it says that they come before those of the last one.
#[derive(Debug, Default, Clone, Copy)]
struct Clause {
    first_action: usize,
    previous_first: usize,
    goes_before: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(words: &'a Words, prompt: &'a Prompt<'a>, tools: &'a [ToolSpec]) -> Self {
        Self {
            words,
            prompt,
            tools,
            request: Request::default(),
            paths: prompt
                .files
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
            asks: Vec::new(),
            shell_until: 0,
            by_shell: false,
            by_cat: false,
            title: None,
            description: None,
            loose_code: None,
            marker: None,
            clause: Clause::default(),
        }
    }

    /// Notes that a clause starts, and whether it says `after …` behind another one.
    pub(super) fn begin_clause(&mut self, joint: usize, start: usize) {
        let words = self.words;
        let behind = joint > 1
            && words.is(joint - 1, "after")
            && !words.ends_sentence(joint - 1)
            && !words.ends_sentence(joint - 2);
        let after = behind
            || (joint..=start).any(|at| words.is(at, "after")) && !words.is(joint + 1, "that this");
        let same_sentence = joint > 0 && !words.ends_sentence(joint);
        let known = self.request.actions.len();
        self.clause = Clause {
            first_action: known,
            previous_first: if known > self.clause.first_action {
                self.clause.first_action
            } else {
                self.clause.previous_first
            },
            goes_before: after && same_sentence,
        };
    }

    /// Notes that a clause was understood, and moves its actions where it says.
    pub(super) fn end_clause(&mut self) {
        self.request.understood = true;
        let Clause {
            first_action,
            previous_first,
            goes_before,
        } = self.clause;
        if goes_before && first_action < self.request.actions.len() {
            let moved = self.request.actions.split_off(first_action);
            self.request
                .actions
                .splice(previous_first..previous_first, moved);
        }
    }

    /// A sentence that asks for nothing: only what it names is kept in mind. Material in front of
    /// a demand, on the same line, is passed over.
    pub(super) fn statement(&mut self, start: usize) -> usize {
        let end = self.words.clause_end(start).max(start + 1);
        let demand = (start + 1..end).find(|at| {
            self.words.is(*at, "reply respond answer")
                && (self.words.is(at + 1, "with exactly only just") || at + 2 == end)
                && !self
                    .words
                    .is(at - 1, "the your my a an to not will i this of")
                || matches!(self.words.kind(*at), Kind::Mark(':'))
                    && self.words.starts_action(self.words.skip_fillers(at + 1))
        });
        let end = demand.unwrap_or(end);
        self.mention(Range::new(start, end));
        self.mention_command(Range::new(start, end));
        end
    }

    /// `The command is sleep 120.`: it may be said later to run it.
    fn mention_command(&mut self, range: Range) {
        let words = self.words;
        let named = words.position(
            Range::new(range.from, range.to.min(range.from + 4)),
            "command",
        );
        let Some(is) = named.map(|named| named + 1) else {
            return;
        };
        let says = words.is(is, "is") || matches!(words.kind(is), Kind::Mark(':'));
        if says && words.kind(is + 1) == Kind::Word && is_command(&words.word(is + 1)) {
            let command = words.trimmed(Range::new(is + 1, words.sentence_end(is + 1)));
            self.loose_code = Some(words.raw(command.from, command.to).to_owned());
        }
    }

    /// Keeps in mind the files and the code that a stretch of text names.
    pub(super) fn mention(&mut self, range: Range) {
        for at in range.near() {
            if let Some(path) = self.path_at(at) {
                self.paths.push(path);
            } else if matches!(self.words.kind(at), Kind::Code | Kind::Fence) {
                self.loose_code = Some(self.words.inner(at).into_owned());
            } else if self.words.kind(at) == Kind::Word && is_marker(&self.words.inner(at)) {
                self.marker = Some(self.words.inner(at).into_owned());
            }
        }
    }

    /// The path at a token, when it looks like one or stands where one belongs.
    pub(super) fn path_at(&self, at: usize) -> Option<String> {
        let words = self.words;
        let inner = words.inner(at);
        // `file / folder`: a stroke between two words.
        let stroke =
            inner == "/" && words.kind(at + 1) == Kind::Word && !words.is(at + 1, NOT_NAMES);
        if stroke && !words.is_quoted(at) {
            return None;
        }
        let named = at > 0
            && !(at > 1 && words.inner(at - 2) == "/")
            && (words.is(at - 1, "file folder directory path document") && self.may_be_name(at)
                || self.is_named(at));
        match words.kind(at) {
            Kind::Quoted | Kind::Code
                if named || (is_path(&inner) && !inner.trim().contains(' ')) => {}
            Kind::Quoted | Kind::Code
                if is_path(&inner) && !inner.contains('\n') && !is_sentence(&inner) => {}
            Kind::Word if is_path(&inner) && !words.is(at, "e.g. i.e.") => {}
            Kind::Word if named && !words.is(at, NOT_NAMES) => {}
            _ => return None,
        }
        let path = inner.strip_prefix("file://").unwrap_or(&inner);
        (!path.trim().is_empty()).then(|| path.trim().to_owned())
    }

    /// Whether the word behind `file` may be its name: `the file data`, not `the file says`.
    fn may_be_name(&self, at: usize) -> bool {
        let words = self.words;
        let telling = words.inner(at).contains(|c: char| !c.is_lowercase());
        words.is_quoted(at)
            || telling
            || words.ends_sentence(at + 1)
            || matches!(words.kind(at + 1), Kind::Mark('(' | ','))
                && words.is(at - 1, "file folder")
            || words.is(at + 1, "with containing and using in to that")
    }

    /// `file named X`, `file called X`, `a folder at X`, with a colon or without.
    fn is_named(&self, at: usize) -> bool {
        let words = self.words;
        let label = if matches!(words.kind(at - 1), Kind::Mark(':')) {
            at.saturating_sub(2)
        } else {
            at - 1
        };
        let by_name = words.is(label, "named called filename")
            || words.is(label, "name") && words.is(label.saturating_sub(1), "the file with");
        let place = words.is(label, "at") && words.is_quoted(at);
        let near = Range::new(label.saturating_sub(6), label);
        (by_name || place)
            && words.has(near, "file folder directory document it note")
            && !words.has(near, "plan tool")
            || label != at - 1 && words.is(label, "file path folder directory")
    }

    /// The first path in a stretch of text, and where it stands.
    pub(super) fn path_in(&self, range: Range) -> Option<(usize, String)> {
        range
            .near()
            .find_map(|at| self.path_at(at).map(|path| (at, path)))
    }

    /// The file that `it` or `the file` means.
    pub(super) fn last_path(&self) -> Option<String> {
        self.paths.last().cloned()
    }

    /// Puts an action at the end of the list.
    pub(super) fn act(&mut self, action: Action) {
        if self.request.actions.len() < MAX_ACTIONS {
            self.request.actions.push(action);
        } else if self.request.actions.len() == MAX_ACTIONS {
            let problem =
                format!("I do the first {MAX_ACTIONS} things of a request and leave the rest.");
            if !self.request.problems.contains(&problem) {
                self.request.problems.push(problem);
            }
        }
    }

    /// Puts a shell command at the end of the list.
    pub(super) fn shell(&mut self, command: impl Into<String>) {
        let command = command.into();
        if !command.trim().is_empty() {
            self.act(Action::Shell {
                command,
                timeout: None,
            });
        }
    }

    /// Whether there is a step yet that reads something.
    pub(super) fn reads(&self) -> bool {
        self.request.actions.iter().any(is_read)
    }

    /// Makes sure that `path` is read, unless a step does so already.
    pub(super) fn ensure_read(&mut self, path: &str) {
        let known = self.request.actions.iter().any(|action| match action {
            Action::Read { path: read, .. } => read == path,
            Action::Shell { command, .. } => {
                command.contains(path) || command.contains(&shell_quoted(path))
            }
            _ => false,
        });
        if !known {
            let via = if self.by_cat { Via::Shell } else { Via::Tool };
            self.act(Action::Read {
                path: path.to_owned(),
                via,
                lines: None,
            });
        }
    }

    /// Keeps a question for when the whole text is known.
    pub(super) fn ask(&mut self, range: Range) {
        if self.asks.len() < MAX_WANTS {
            self.asks.push((self.request.wants.len(), range));
        }
    }

    /// Whether the sentence, or the clause, is to be done with the shell.
    pub(super) fn via(&self, start: usize, range: Range) -> Via {
        let named = self.words.has(
            range,
            "shell terminal bash command printf touch console command-line cli",
        );
        if start < self.shell_until || named {
            Via::Shell
        } else {
            Via::Tool
        }
    }

    /// Whether a plan is saved or read.
    pub(super) fn has_plan(&self) -> bool {
        let mut actions = self.request.actions.iter();
        actions.any(|action| matches!(action, Action::CreatePlan { .. } | Action::GetPlan { .. }))
    }

    /// Whether words to say were found.
    pub(super) fn has_literal(&self) -> bool {
        let wants = &self.request.wants;
        wants.iter().any(|want| matches!(want, Want::Literal(_)))
    }

    /// Answers the questions that were kept, and puts everything in order.
    pub(super) fn finish(mut self) -> Request {
        super::plan::finish(&mut self);
        super::question::finish(&mut self);
        super::order::finish(&mut self);
        self.request.understood |= self.has_literal();
        self.request
    }
}

/// Whether an action reads something that a later one may use.
pub(super) fn is_read(action: &Action) -> bool {
    matches!(action, Action::Read { .. } | Action::Shell { .. })
}

/// Words that follow `file` or `named` without being a name.
const NOT_NAMES: &str = "and or with in at to that which is of from for by on using named \
    called contains containing has into the a its it as now please back again contents content \
    then says exists there was i you via path name whose should must saying only through system \
    inside if when but holding here above below does not will can contain attached once after \
    before so tool are first list tree where this these were under structure listing i've say \
    hold mean look include includes tell tells state states which what both read reads needs \
    called anywhere";

/// Whether some quoted text is prose rather than the name of a file with blanks.
fn is_sentence(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or("");
    text.split(' ').count() > 6 || crate::text::shape::is_command(first) && !first.contains('/')
}
