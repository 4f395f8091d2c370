//! Rows that are left out of a diagram: a long run of chunks, and the middle of a very long recording.
//!
//! What must stay true: what a check points at is always shown, and what is left out is counted.

use std::collections::HashSet;

use super::sequence::{Kind, Row};
use crate::evidence::Part;

/// Rows of one process; more make a page that no browser likes. The result file has all of them.
pub(super) const MAX_ROWS: usize = 400;

/// Chunks of one kind in a row that are shown each; more are counted.
pub(super) const MAX_CHUNKS: usize = 4;

/// The rows without what is too much of them. Those that are `marked` stay.
pub(super) fn fold(rows: Vec<Row>, marked: &HashSet<Part>) -> Vec<Row> {
    without_middle(without_chunks(rows, marked), marked)
}

/// A reply in a thousand chunks is a reply.
fn without_chunks(rows: Vec<Row>, marked: &HashSet<Part>) -> Vec<Row> {
    let kind_of = |row: &Row| {
        let first = row.label.split(' ').next().unwrap_or_default().to_owned();
        (row.kind == Kind::ToClient && first.ends_with("_chunk")).then_some(first)
    };
    let is_marked = |row: &Row| row.part.is_some_and(|part| marked.contains(&part));
    let mut kept: Vec<Row> = Vec::new();
    let (mut run, mut previous) = (0, None);
    let mut left_out = 0;
    for row in rows {
        let kind = kind_of(&row);
        run = if kind.is_some() && kind == previous {
            run + 1
        } else {
            1
        };
        if kind.is_some() && run > MAX_CHUNKS && !is_marked(&row) {
            left_out += 1;
            previous = kind;
            continue;
        }
        if left_out > 0 {
            kept.push(Row::new(None, Kind::Gap, format!("{left_out} more chunks")));
            left_out = 0;
        }
        previous = kind;
        kept.push(row);
    }
    if left_out > 0 {
        kept.push(Row::new(None, Kind::Gap, format!("{left_out} more chunks")));
    }
    kept
}

/// The beginning, the end and what is marked.
fn without_middle(rows: Vec<Row>, marked: &HashSet<Part>) -> Vec<Row> {
    let count = rows.len();
    if count <= MAX_ROWS {
        return rows;
    }
    let half = MAX_ROWS / 2;
    let mut kept = Vec::new();
    let mut left_out = 0;
    for (at, row) in rows.into_iter().enumerate() {
        let is_marked = row.part.is_some_and(|part| marked.contains(&part));
        if at < half || at >= count - half || is_marked {
            if left_out > 0 {
                kept.push(Row::new(None, Kind::Gap, format!("{left_out} more rows")));
                left_out = 0;
            }
            kept.push(row);
        } else {
            left_out += 1;
        }
    }
    kept
}
