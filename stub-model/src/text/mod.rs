//! From characters to words: what every reading rule looks at.
//!
//! Apart from the rules, so that quotes, code fences, lists and line ends are understood in one
//! place and the same way for all of them.

mod lexer;
#[cfg(test)]
mod lexer_tests;
mod sentence;
pub(crate) mod shape;
mod vocabulary;
mod words;

pub(crate) use sentence::Range;
pub(crate) use vocabulary::is_listed;
pub(crate) use words::{Kind, Words};
