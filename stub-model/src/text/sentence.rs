//! Where an instruction begins and ends.
//!
//! Apart from the lexer, because these are rules of English and not of writing: sentence ends,
//! `then`, lists, and the polite words in front of a verb.
//!
//! Must stay true: every question is answered by looking at a bounded number of tokens, or once
//! along the clause.

use std::borrow::Cow;

use super::vocabulary::{FILLER, GREETING, NOUN_VERB, OPENINGS, OPENS, VERB, class, is_listed};
use super::words::{Gap, Kind, Words};

/// A stretch of tokens, `from` up to but not including `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// How far into a range words are looked for: nobody's sentence is longer, and a text without an
/// end must not be walked for each of its clauses.
const MAX_LOOK: usize = 1_000;

impl Range {
    /// From one token up to another.
    pub(crate) fn new(from: usize, to: usize) -> Self {
        Self { from, to }
    }

    /// The positions in the range that are looked at.
    pub(crate) fn near(self) -> std::ops::Range<usize> {
        self.from..self.to.min(self.from.saturating_add(MAX_LOOK))
    }
}

/// What may stand between `would you` and the verb.
const AFTER_YOU: &str = "be so kind as to|be so kind to|be kind enough to|be able to|need to|\
    have to|want to|please";

/// Longer openings of a sentence that change nothing.
const OPENED_WITH: &str = "i'd appreciate it if you could|i'd appreciate it if you|\
    i would appreciate it if you could|i would appreciate it if you|i'd be grateful if you could|\
    i would be grateful if you could|it would be great if you could|it would be nice if you could|\
    in your reply|in your answer|in your response|in your final message|in your final answer|\
    in this turn|in this session|as your answer|as your reply|as your final answer";

/// Longer words than this are not words of an instruction.
const MAX_WORD: usize = 400;

impl Words {
    /// The base form of the verb at `at`: `run` for `running`. Empty when it is not a word.
    pub(crate) fn verb(&self, at: usize) -> Cow<'_, str> {
        let word = self.word(at);
        // `a command that creates …`: the third person, where nothing else can be meant.
        if let Some(stem) = word.strip_suffix('s')
            && at > 0
            && self.is(at - 1, "that which")
            && class(stem) & VERB != 0
        {
            return Cow::Owned(stem.to_owned());
        }
        // `if you replied with …`: the past, where a wish is meant.
        if at > 0 && self.is(at - 1, "you") {
            match word.as_ref() {
                "replied" => return Cow::Borrowed("reply"),
                "answered" => return Cow::Borrowed("answer"),
                "responded" => return Cow::Borrowed("respond"),
                _ => {}
            }
        }
        let Some(stem) = word.strip_suffix("ing").filter(|stem| stem.len() > 1) else {
            return word;
        };
        let known = |verb: &str| class(verb) & (VERB | NOUN_VERB) != 0;
        let with_e = format!("{stem}e");
        let mut single = stem.to_owned();
        single.pop();
        match () {
            () if known(stem) => Cow::Owned(stem.to_owned()),
            () if known(&with_e) => Cow::Owned(with_e),
            () if known(&single) => Cow::Owned(single),
            () => word,
        }
    }

    /// Whether the verb at `at`, in its base form, is one of `list`.
    pub(crate) fn verb_is(&self, at: usize, list: &str) -> bool {
        let verb = self.verb(at);
        is_listed(list, &verb)
    }

    /// Where the next word is, from `at` on, that is no polite word, connective or list marker.
    pub(crate) fn skip_fillers(&self, at: usize) -> usize {
        self.filled.get(at).copied().unwrap_or(at)
    }

    /// For each token, where the fillers that start with it end.
    pub(super) fn find_fillers(&self) -> Vec<usize> {
        let mut filled: Vec<usize> = (0..self.len()).collect();
        for at in (0..self.len()).rev() {
            let mut next = None;
            if at > 0 && self.is(at - 1, "you will") {
                next = self.any_phrase(at, AFTER_YOU);
            } else if self.is(at, "i'd i it in as") {
                next = self.any_phrase(at, OPENED_WITH);
            }
            if self.is_class(at, OPENS) {
                next = next.or_else(|| self.any_phrase(at, OPENINGS));
            }
            let skip = self.kind(at) == Kind::Bullet
                || matches!(self.kind(at), Kind::Mark(_))
                || self.is_numbered_step(at)
                || self.is_bracketed_number(at)
                || self.is_class(at, FILLER)
                || (self.is_class(at, GREETING) && !self.ends_sentence(at + 1))
                || self.word(at).len() > MAX_WORD;
            if let Some(next) = next.or_else(|| skip.then_some(at + 1)) {
                let end = filled.get(next).copied().unwrap_or(next);
                if let Some(place) = filled.get_mut(at) {
                    *place = end;
                }
            }
        }
        filled
    }

    /// `Step 1:`, where the number is a word of its own.
    fn is_numbered_step(&self, at: usize) -> bool {
        at > 0
            && self.is(at - 1, "step task")
            && self.word(at).bytes().all(|byte| byte.is_ascii_digit())
    }

    /// `(2)`, in front of what it numbers.
    fn is_bracketed_number(&self, at: usize) -> bool {
        let word = self.word(at);
        (1..=2).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && at > 0
            && matches!(self.kind(at - 1), Kind::Mark('('))
            && matches!(self.kind(at + 1), Kind::Mark(')'))
    }

    /// Where the words of `phrase` end if they stand at `at`, looking past commas between them.
    pub(crate) fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let mut place = at;
        for word in phrase.split(' ') {
            if self.word(place) != word {
                return None;
            }
            place += 1;
        }
        Some(place)
    }

    /// Where any of `phrases` ends if it stands at `at`. The longest should come first.
    pub(crate) fn any_phrase(&self, at: usize, phrases: &str) -> Option<usize> {
        phrases
            .split('|')
            .find_map(|phrase| self.phrase(at, phrase))
    }

    /// Whether `phrase` stands somewhere in `range`.
    pub(crate) fn has_phrase(&self, range: Range, phrase: &str) -> bool {
        range
            .near()
            .any(|at| self.phrase(at, phrase).is_some_and(|end| end <= range.to))
    }

    /// Whether one of `list` is a bare word in `range`.
    pub(crate) fn has(&self, range: Range, list: &str) -> bool {
        self.position(range, list).is_some()
    }

    /// Where the first of `list` stands in `range`.
    pub(crate) fn position(&self, range: Range, list: &str) -> Option<usize> {
        range.near().find(|at| self.is(*at, list))
    }

    /// Whether a sentence ends in front of the token at `at`.
    pub(crate) fn ends_sentence(&self, at: usize) -> bool {
        match self.kind(at) {
            Kind::End | Kind::Bullet | Kind::Mark('.' | '!' | '?') => true,
            _ => self.is_new_line(at),
        }
    }

    /// Whether the token at `at` starts a line, and not one that only wraps around.
    pub(crate) fn is_new_line(&self, at: usize) -> bool {
        match self.gap(at) {
            Gap::None => false,
            Gap::Paragraph => true,
            Gap::Line => at == 0 || !self.wraps(at),
        }
    }

    fn wraps(&self, at: usize) -> bool {
        const DANGLING: &str = "with exactly the a an to and of is in for that this my your \
            command only file named called titled from or as by its me";
        if self.kind(at) == Kind::Bullet {
            return false;
        }
        if self.is(at - 1, DANGLING) {
            return true;
        }
        let open = matches!(
            self.kind(at - 1),
            Kind::Word | Kind::Quoted | Kind::Code | Kind::Mark(',')
        );
        let starts_low =
            self.inner(at).starts_with(char::is_lowercase) && self.kind(at) == Kind::Word;
        open && starts_low
            && !self.starts_action(at)
            && !matches!(self.kind(at + 1), Kind::Mark(':' | '='))
    }

    /// Whether the token at `at` joins another instruction to what came before.
    pub(crate) fn starts_next(&self, at: usize) -> bool {
        match self.kind(at) {
            Kind::Mark(';' | '—' | '–' | '→') => true,
            Kind::Mark(',') | Kind::Mark(':') => {
                let after = self.skip_joint(at + 1);
                self.kind(at) == Kind::Mark(',')
                    && (self.starts_action(after) || self.is(at + 1, "then but"))
            }
            Kind::Word if self.is(at, "then afterwards") => true,
            Kind::Word if self.is(at, "and but before after &") => {
                self.is(at + 1, "then finally afterwards lastly")
                    || self.starts_action(self.skip_joint(at + 1))
                    || self.is(at, "before after") && self.is(at + 1, "that this")
            }
            _ => false,
        }
    }

    /// Skips what may stand between `and` and the verb.
    fn skip_joint(&self, at: usize) -> usize {
        let after = self.skip_fillers(at);
        if self.is(after, "you i we") && self.is(after + 1, "must should will can may want") {
            return self.skip_fillers(after + 2);
        }
        after
    }

    /// Whether an instruction starts with the word at `at`.
    pub(crate) fn starts_action(&self, at: usize) -> bool {
        if matches!(self.kind(at), Kind::Code) {
            return false;
        }
        if self.is_class(at, VERB) {
            return true;
        }
        if self.is(at, "do did") && self.is(at + 1, "not nothing")
            || self.is(at, "don't dont never")
        {
            return true;
        }
        // Words that are a verb only in front of an object, and a noun elsewhere.
        self.is_class(at, NOUN_VERB)
            && !self.ends_sentence(at + 1)
            && !self.is(at + 1, "of is was in to must should and or as for from")
            && !matches!(self.kind(at + 1), Kind::Mark(','))
    }

    /// Whether a command that is not quoted cannot go on at `at`: a new line, unless the one before
    /// ends with a backslash.
    pub(crate) fn is_new_command_line(&self, at: usize) -> bool {
        self.gap(at) != Gap::None && !(at > 0 && self.inner(at - 1).ends_with('\\'))
    }

    /// Skips `about` and the like in front of a number or a name.
    pub(crate) fn about(&self, at: usize) -> usize {
        at + usize::from(self.is(at, "about for around roughly at exactly least"))
    }

    /// The range without punctuation at its end.
    pub(crate) fn trimmed(&self, range: Range) -> Range {
        let mut to = range.to;
        while to > range.from
            && matches!(
                self.kind(to - 1),
                Kind::Mark('.' | ',' | ';' | '!' | '?' | ':' | '—' | '–' | '…')
            )
        {
            to -= 1;
        }
        Range::new(range.from, to)
    }
}
