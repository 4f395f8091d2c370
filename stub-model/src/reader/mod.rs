//! Reads a prompt as a list of instructions, the way a careful person would.
//!
//! One file for each family of instructions; this one walks the clauses, asks each family in turn
//! whether a clause is one of its own, and puts in order what was found. A rule looks for a verb,
//! its object and the words around it, never for one whole sentence.
//!
//! Must stay true: what is quoted is an object, never an instruction, and each clause is read once.

mod contents;
mod context;
mod counting;
mod files;
mod image;
mod memory;
mod object;
mod order;
mod passive;
mod plan;
mod plan_fields;
mod question;
mod read;
mod reply;
mod said;
mod search;
mod shell;
mod steps;
mod subordinate;
mod tools;
mod wait;
mod wanted;
mod write;

pub(crate) use context::Reader;
pub(crate) use counting::MAX_NUMBERS;

use crate::conversation::ToolSpec;
use crate::instruction::Request;
use crate::prompt::Prompt;
use crate::text::Words;

/// A rule: reads the clause that starts at a token and says where the next one starts, or that
/// the clause is none of its own.
type Rule = fn(&mut Reader<'_>, usize) -> Option<usize>;

/// The families, the most telling ones first.
const RULES: &[Rule] = &[
    subordinate::read,
    tools::read,
    steps::read,
    plan::read,
    wanted::read,
    memory::read,
    read::read_with_cat,
    wait::wait,
    counting::read,
    files::read,
    write::read,
    search::read,
    shell::read,
    read::read,
    image::read,
    reply::read,
    question::read,
    wait::bare,
];

/// Reads the instructions in `prompt`.
pub(crate) fn read(prompt: &Prompt<'_>, tools: &[ToolSpec]) -> Request {
    let active = passive::active(&prompt.text);
    let words = Words::new(active.as_deref().unwrap_or(&prompt.text));
    let mut reader = Reader::new(&words, prompt, tools);
    let mut at = 0;
    while at < words.len() {
        let start = words.skip_fillers(at);
        if start >= words.len() {
            break;
        }
        reader.begin_clause(at, start);
        let next = RULES.iter().find_map(|rule| rule(&mut reader, start));
        at = match next {
            Some(next) => {
                reader.end_clause();
                next
            }
            None => reader.statement(start),
        }
        .max(start + 1);
    }
    reader.finish()
}
