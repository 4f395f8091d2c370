//! One life after the other, each ended in one of the three ways an agent can end, with everything
//! counted in between.

use std::{
    fmt, mem,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;

use crate::{
    client::{Client, END_DEADLINE},
    figures::Figures,
    finding::{Finding, Found, must},
    life::Life,
    processes,
    program::Setup,
    world::World,
};

/// A life lasts at most so long.
const LONGEST_LIFE: Duration = Duration::from_secs(6);

/// How often a life comes to rest, to be counted.
const REST: Duration = Duration::from_secs(2);

/// What the agent promises: how long it takes from the end of its input to its own end. It is held
/// by [`END_DEADLINE`], twice that, because the machine may be busy; the report tells both.
const END_BUDGET: Duration = Duration::from_secs(5);

/// What it promises: how long its processes take to be gone, also after a SIGKILL.
const GONE_BUDGET: Duration = Duration::from_secs(2);

/// How long processes may take to be gone, on a busy machine.
const GONE: Duration = Duration::from_secs(10);

/// How much memory an agent at rest may have more than at its first rest, in KiB. An allocator
/// keeps some of what it had at the busiest moment.
const GROWTH: u64 = 24 << 10;

/// How often to look again at an agent that comes to rest.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Threads that an agent at rest may have: its own few, and those for the disk, which linger.
const THREADS: u64 = 32;

/// What was done.
#[derive(Debug, Default)]
pub struct Totals {
    lives: u64,
    kills: u64,
    rests: u64,
    prompts: u64,
    answered: u64,
    sessions: u64,
    files: u64,
    peak: u64,
    slowest_end: Duration,
    slowest_gone: Duration,
}

impl fmt::Display for Totals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "lives of an agent       {}", self.lives)?;
        writeln!(out, "  ended by SIGKILL      {}", self.kills)?;
        let (end, gone) = (self.slowest_end, self.slowest_gone);
        writeln!(
            out,
            "  slowest clean end     {end:.1?}, {END_BUDGET:?} are promised"
        )?;
        writeln!(
            out,
            "  slowest to leave none {gone:.1?}, {GONE_BUDGET:?} are promised"
        )?;
        writeln!(out, "sessions at the end     {}", self.sessions)?;
        writeln!(out, "prompts                 {}", self.prompts)?;
        writeln!(out, "  ended by themselves   {}", self.answered)?;
        writeln!(out, "times at rest, counted  {}", self.rests)?;
        writeln!(out, "  most files open then  {}", self.files)?;
        write!(out, "most memory             {} KiB", self.peak)
    }
}

/// Soaks the reference agent at `program` for that long. `told` hears of each life.
///
/// # Errors
/// The first finding.
pub fn run(program: &Path, time: Duration, seed: u64, told: impl Fn(&Totals)) -> Found<Totals> {
    let folder = || tempfile::tempdir().map_err(Finding::cannot("make a folder"));
    let (state, workspace) = (folder()?, folder()?);
    let mut world = World {
        cwd: workspace.path().to_owned(),
        mark: processes::mark(),
        ..World::default()
    };
    let setup = Setup::reference(program, state.path(), &world.mark);
    let mut random = StdRng::seed_from_u64(seed);
    let mut totals = Totals::default();
    let mut looked_at = Vec::new();
    let end = Instant::now() + time;
    while Instant::now() < end {
        looked_at = one_life(&setup, &mut world, &mut random, &looked_at, &mut totals)?;
        (totals.prompts, totals.answered) = (world.prompts, world.answered);
        totals.lives += 1;
        told(&totals);
    }
    look_at_everything(&setup, &mut world, &mut totals)?;
    Ok(totals)
}

/// One life, and what it had open at its end.
fn one_life(
    setup: &Setup,
    world: &mut World,
    random: &mut StdRng,
    looked_at: &[String],
    totals: &mut Totals,
) -> Found<Vec<String>> {
    let time = random.random_range(Duration::ZERO..LONGEST_LIFE);
    let way = random.random_range(0..4);
    let mark = world.mark.clone();
    let mut life = Life::begin(setup, world, random, looked_at)?;
    let mut first: Option<Figures> = None;
    let end = Instant::now() + time;
    while Instant::now() < end {
        life.work(end.min(Instant::now() + REST))?;
        if Instant::now() < end {
            life.come_to_rest()?;
            count(&life.client, &mark, &mut first, totals)?;
        }
    }
    let figures = life.client.program.figures().unwrap_or_default();
    totals.peak = totals.peak.max(figures.peak);
    let left = match way {
        0 => {
            life.client.program.kill()?;
            life.hear_the_rest()?;
            totals.kills += 1;
            life.apart().1
        }
        1 => {
            life.client.program.signal(Signal::SIGTERM)?;
            life.client.is_to_end();
            end_of(life, totals)?
        }
        _ => {
            life.client.close();
            end_of(life, totals)?
        }
    };
    let gone = processes::wait_until_gone(&mark, GONE)
        .map_err(|left| Finding(format!("these processes are left: {left:?}")))?;
    totals.slowest_gone = totals.slowest_gone.max(gone);
    Ok(left)
}

/// The end of a life that may end well, and was asked for.
fn end_of(mut life: Life<'_>, totals: &mut Totals) -> Found<Vec<String>> {
    let begin = Instant::now();
    life.hear_the_rest()?;
    let (client, open) = life.apart();
    let ended = client.end()?;
    let took = begin.elapsed();
    must(ended.status.success(), || {
        format!("the agent ended with {}", ended.status)
    })?;
    must(took < END_DEADLINE, || format!("the end took {took:?}"))?;
    totals.slowest_end = totals.slowest_end.max(took);
    Ok(open)
}

/// Counts what an agent at rest holds: no process but itself, and no more than at its first rest.
fn count(
    client: &Client,
    mark: &str,
    first: &mut Option<Figures>,
    totals: &mut Totals,
) -> Found<()> {
    let id = client.program.id();
    // Tool servers that were starting are ended behind the answer to a close.
    let begin = Instant::now();
    let others = loop {
        let mut others = processes::alive(mark);
        others.retain(|(pid, _)| *pid != id);
        if others.is_empty() || begin.elapsed() > GONE {
            break others;
        }
    };
    must(others.is_empty(), || {
        format!("at rest there are {others:?}")
    })?;
    // Files are closed, and memory is given back, behind the answers too.
    let begin = Instant::now();
    loop {
        let figures = client
            .program
            .figures()
            .ok_or_else(|| Finding("the agent has ended by itself".to_owned()))?;
        let before = *first.get_or_insert(figures);
        if has_not_grown(before, figures) {
            totals.rests += 1;
            totals.files = totals.files.max(figures.files);
            return Ok(());
        }
        must(begin.elapsed() < GONE, || {
            format!("at rest there were {before}, and now {figures}")
        })?;
        thread::sleep(LOOK_AGAIN);
    }
}

/// Whether an agent at rest holds no more than at its first rest. Each session that is open holds a
/// file.
fn has_not_grown(before: Figures, now: Figures) -> bool {
    now.files <= before.files && now.memory <= before.memory + GROWTH && now.threads <= THREADS
}

/// A last agent, which must find everything.
fn look_at_everything(setup: &Setup, world: &mut World, totals: &mut Totals) -> Found<()> {
    let mut client = Client::start(setup)?;
    client.judge();
    totals.sessions = world.sessions.len() as u64;
    let sessions = mem::take(&mut world.sessions);
    let ids: Vec<_> = sessions.keys().cloned().collect();
    world.sessions = sessions;
    for id in ids {
        if world.look_at(&mut client, &id)? {
            client.call("session/close", json!({"sessionId": id}))?;
        }
    }
    let ended = client.end()?;
    must(ended.status.success(), || {
        format!("the agent ended with {}", ended.status)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_seen_in_each_figure() {
        let before = Figures {
            memory: 30_000,
            peak: 40_000,
            files: 12,
            threads: 9,
        };
        let table = [
            (before, true),
            (
                Figures {
                    peak: 90_000,
                    ..before
                },
                true,
            ),
            (
                Figures {
                    files: 11,
                    memory: 20_000,
                    ..before
                },
                true,
            ),
            (
                Figures {
                    files: 13,
                    ..before
                },
                false,
            ),
            (
                Figures {
                    memory: 30_000 + GROWTH,
                    ..before
                },
                true,
            ),
            (
                Figures {
                    memory: 30_001 + GROWTH,
                    ..before
                },
                false,
            ),
            (
                Figures {
                    threads: THREADS + 1,
                    ..before
                },
                false,
            ),
        ];
        for (now, fits) in table {
            assert_eq!(has_not_grown(before, now), fits, "{now}");
        }
    }
}
