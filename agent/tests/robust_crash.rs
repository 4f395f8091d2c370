//! The agent is killed with SIGKILL at random moments, again and again, while turns run and
//! sessions are made, loaded, listed, closed and deleted.
//!
//! After each kill: nothing that the agent started is left; every session whose prompt was
//! answered loads with that prompt and its answer; none is damaged; no lock of a dead process
//! blocks.
//!
//! `ROBUST_KILLS` says how often, `ROBUST_SEED` with which seed. A failure prints the seed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is how a test fails, and figures are told on stderr"
)]

mod robust;

use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use robust::{Scene, number, program};
use soak::{
    finding::{Found, must},
    life::{COMMANDS, Life},
    processes, run,
    world::World,
};

/// A kill comes at a random moment of this time.
const LONGEST_LIFE: Duration = Duration::from_millis(120);

fn kill_again_and_again(kills: u64, random: &mut StdRng) -> Found<()> {
    let scene = Scene::new()?;
    let mut world = World {
        cwd: scene.cwd().to_owned(),
        mark: scene.mark.clone(),
        ..World::default()
    };
    let (mut slowest, mut used) = (Duration::ZERO, Vec::new());
    for _ in 0..kills {
        let time = random.random_range(Duration::ZERO..LONGEST_LIFE);
        let mut life = Life::begin(&scene.setup(), &mut world, random, &used)?;
        life.work(Instant::now() + time)?;
        life.client.program.kill()?;
        let killed = Instant::now();
        life.hear_the_rest()?;
        used = life.apart().1;
        scene.nothing_left()?;
        slowest = slowest.max(killed.elapsed());
    }
    let mut client = scene.client()?;
    for id in world.sessions.keys() {
        world.look_at(&mut client, id)?;
    }
    eprintln!(
        "{kills} kills, {} sessions, {} prompts, {} of them ended by themselves; after a kill all was gone within {slowest:?}",
        world.sessions.len(),
        world.prompts,
        world.answered,
    );
    scene.end(client).map(drop)
}

#[test]
fn what_was_answered_survives_every_kill_and_nothing_else_does() {
    let kills = number("ROBUST_KILLS", 60);
    let seed = number("ROBUST_SEED", rand::random());
    eprintln!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    if let Err(finding) = kill_again_and_again(kills, &mut random) {
        panic!("ROBUST_SEED={seed} ROBUST_KILLS={kills}: {finding}");
    }
}

/// The forms of commands one by one, so that each is seen to run before the kill.
#[test]
fn every_form_of_a_command_is_gone_after_a_kill() -> Found<()> {
    let scene = Scene::new()?;
    for command in COMMANDS {
        let mut client = scene.client()?;
        let session = client.session(scene.cwd())?;
        let command = command.replace("MARK", &scene.mark);
        client.prompt(&session, &format!("Run this command and wait: `{command}`"))?;
        client.running(&session)?;
        let sleeps = |(_, line): &(u32, String)| line.starts_with("sleep");
        let deadline = Instant::now() + robust::GONE;
        while !processes::alive(&scene.mark).iter().any(sleeps) {
            must(Instant::now() < deadline, || format!("{command} never ran"))?;
        }
        client.program.kill()?;
        scene.nothing_left()?;
    }
    Ok(())
}

/// `make soak`, for a few seconds. It looks for growth, which other tests beside it can feign.
#[test]
#[ignore = "run `make soak`, or this alone"]
fn a_short_soak_finds_nothing() {
    let time = Duration::from_secs(number("ROBUST_SOAK", 15));
    let seed = number("ROBUST_SEED", rand::random());
    match run::run(&program(), time, seed, |_| ()) {
        Ok(totals) => eprintln!("{totals}"),
        Err(finding) => panic!("ROBUST_SEED={seed}: {finding}"),
    }
}
