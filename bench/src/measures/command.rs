//! What it costs to run a shell command in a turn.

use std::time::Instant;

use super::start::millis;
use crate::{
    row::{Row, Series, Target},
    series::Field,
    session::{Session, run},
};

/// How many commands are run in one session; see the same in `turn`.
const TURNS_OF_A_SESSION: usize = 20;

/// A turn that runs `true`.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    field.alternate(
        [Row::time("a turn that runs the command true", Target::None)],
        field.effort.rounds(200),
        |contender| Ok((Session::start(contender, field.folders.in_memory()?)?, 0)),
        |_, (session, turns)| {
            if *turns == TURNS_OF_A_SESSION {
                session.renew()?;
                *turns = 0;
            }
            *turns += 1;
            let start = Instant::now();
            session.turn(&run("true"))?;
            Ok([millis(start)])
        },
    )
}
