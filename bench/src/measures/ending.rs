//! How long it takes until nothing is left of an agent: after its input was closed, and after a
//! SIGTERM; idle, after a turn, and with commands that run.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::{
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use super::cancel;
use crate::{
    contender::Contender,
    effort::Rounds,
    fault::Fault,
    folders::Place,
    machine,
    row::{Row, Series, Target},
    series::Field,
    session::{SHORT, Session},
    stop,
    tree::{Shape, Tree},
};

/// How long an agent may take to end.
const GONE: Duration = Duration::from_secs(10);

/// What lives so long after the agent has ended was left behind.
const LEFT: Duration = Duration::from_secs(1);

/// How often it is looked whether something lives on.
const LOOK: Duration = Duration::from_micros(200);

/// How an agent is told to end.
#[derive(Debug, Clone, Copy)]
enum Told {
    EndOfInput,
    Terminate,
    /// Not told at all: what it started has to notice.
    Killed,
}

impl Told {
    fn name(self) -> &'static str {
        match self {
            Told::EndOfInput => "end of input",
            Told::Terminate => "SIGTERM",
            Told::Killed => "SIGKILL",
        }
    }
}

/// What it does when it is told.
#[derive(Debug, Clone, Copy)]
enum Doing {
    Nothing,
    NothingAfterATurn,
    Running(Shape),
}

impl Doing {
    fn name(self) -> &'static str {
        match self {
            Doing::Nothing => "idle",
            Doing::NothingAfterATurn => "after a turn",
            Doing::Running(shape) => shape.name(),
        }
    }

    /// What the agent has to reach.
    fn target(self) -> Target {
        Target::AtMost(match self {
            Doing::Nothing | Doing::NothingAfterATurn => 5.0,
            Doing::Running(Shape::Sleep | Shape::Tree) => 50.0,
            Doing::Running(Shape::Stubborn) => 1_000.0,
        })
    }

    fn rounds(self) -> usize {
        match self {
            Doing::Nothing | Doing::NothingAfterATurn => 50,
            Doing::Running(Shape::Sleep | Shape::Tree) => 20,
            Doing::Running(Shape::Stubborn) => 5,
        }
    }
}

/// Each way to be told, in each state.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    let (tree, stubborn) = (Doing::Running(Shape::Tree), Doing::Running(Shape::Stubborn));
    let all = [Doing::Nothing, Doing::NothingAfterATurn, tree, stubborn];
    let told = |told: Told| all.map(|doing| (told, doing));
    let mut series = Vec::new();
    for (told, doing) in told(Told::EndOfInput)
        .into_iter()
        .chain(told(Told::Terminate))
    {
        series.extend(of(field, told, doing, field.effort.rounds(doing.rounds())));
    }
    // The floor fails here, and each failure is waited for.
    series.extend(of(field, Told::Killed, tree, field.effort.rounds(5)));
    series
}

fn of(field: &Field, told: Told, doing: Doing, rounds: Rounds) -> Vec<Series> {
    let what = format!("{}, {}:", told.name(), doing.name());
    field.alternate(
        [
            Row::time(format!("{what} to all gone"), doing.target()),
            Row::count(format!("{what} processes left"), Target::Never),
        ],
        rounds,
        |_| Ok(()),
        |contender, ()| trial(contender, field.folders.in_memory()?, told, doing),
    )
}

fn trial(contender: &Contender, place: Place, told: Told, doing: Doing) -> Result<[f64; 2], Fault> {
    let mut session = Session::start(contender, place)?;
    let _tree = match doing {
        Doing::Nothing => None,
        Doing::NothingAfterATurn => {
            session.turn(SHORT)?;
            None
        }
        Doing::Running(shape) => {
            let mut tree = Tree::new(&session.place().workspace(), shape)?;
            cancel::start(&mut session, &mut tree)?;
            Some(tree)
        }
    };
    let pid = session.connection.pid();
    let below = machine::descendants(pid);
    let exit = session.connection.watch_exit();
    let start = Instant::now();
    let signalled = match told {
        Told::EndOfInput => {
            session.connection.close_input();
            Ok(())
        }
        Told::Terminate => kill(pid, Signal::SIGTERM),
        Told::Killed => kill(pid, Signal::SIGKILL),
    };
    signalled.map_err(Fault::machine("kill"))?;
    let Some(ended) = exit.wait(GONE) else {
        return Err(Fault::TimedOut {
            what: "end of the process",
            after: GONE,
        });
    };
    let (gone, left) = until_gone(&below, ended)?;
    Ok([gone.duration_since(start).as_secs_f64() * 1e3, left as f64])
}

/// When the last of the processes was gone, at the earliest `ended`, and how many live on.
fn until_gone(below: &[Pid], ended: Instant) -> Result<(Instant, usize), Fault> {
    let mut gone = ended;
    loop {
        let left = below.iter().filter(|pid| machine::is_alive(**pid)).count();
        if left == 0 || ended.elapsed() > LEFT {
            return Ok((gone, left));
        }
        stop::check()?;
        thread::sleep(LOOK);
        gone = Instant::now();
    }
}
