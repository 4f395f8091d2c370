//! The program `acp-agent`: arguments, logs, signals, and the exit status.

use std::{fs::File, future::Future, io, os::fd::AsFd, process::ExitCode, sync::Arc};

use acp_agent::{
    cli::{Arguments, Config},
    files, limits, log, login,
    model::{Model, Source},
    proc::{self, Supervisor},
    serve::{self, Outcome},
    supervise,
};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// Threads of the runtime. Turns hardly compute; two keep one that does from holding up the rest.
const WORKERS: usize = 2;

/// Threads for the disk, a few: more would only queue at the same disk.
const DISK_THREADS: usize = 16;

/// Bad usage, by the convention that clap follows too.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    // Every command runs under this same program. It must start fast, so it is looked for first.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == supervise::SUBCOMMAND)
    {
        return supervise::main();
    }
    let arguments = Arguments::parse();
    let filter = match EnvFilter::builder().parse(&arguments.log) {
        Ok(filter) => filter,
        Err(error) => return refuse(&format!("--log {}: {error}", arguments.log)),
    };
    log::init(filter);
    let env = |name: &str| std::env::var_os(name).map(Into::into);
    let (login, model) = (arguments.login, arguments.model(env));
    match arguments.resolve(env) {
        // A client adds it to the arguments with which it speaks ACP, so it comes first.
        Ok(config) if login => log_in(&config),
        Ok(config) => match model.and_then(Source::open) {
            Ok(model) => run(config, model),
            Err(error) => refuse(&error.to_string()),
        },
        Err(error) => refuse(&error.to_string()),
    }
}

/// Status 0 says that somebody is logged in.
fn log_in(config: &Config) -> ExitCode {
    match login::in_terminal(&config.state_dir, io::stdin().lock(), io::stderr()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => refuse(&format!("the login failed: {error}")),
    }
}

fn run(config: Config, model: Arc<dyn Model>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(DISK_THREADS)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&format!("the runtime could not be started: {error}")),
    };
    let outcome = runtime.block_on(async {
        proc::init();
        files::raise_limit();
        let signals = signals()?;
        // The handle of the standard library would split what is written at each line.
        let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let wire = wire::connect_threads(io::stdin(), output, wire::Limits::default())?;
        // A task: this thread is none of the workers', and each message would have to wake it first.
        let serve = serve::serve(config, wire, model, Supervisor::new(), signals);
        let served = tokio::spawn(serve).await;
        proc::sweep().await;
        Ok::<_, io::Error>(served.unwrap_or_else(|error| {
            tracing::error!(%error, "the connection was given up");
            Outcome::Failed
        }))
    });
    runtime.shutdown_timeout(limits::LAST_THREADS);
    match outcome {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Err(error) => refuse(&format!("the agent could not be started: {error}")),
    }
}

/// Ready when a signal asks for the end.
fn signals() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

/// Says on stderr why nothing was started.
fn refuse(reason: &str) -> ExitCode {
    use io::Write;
    let _ = writeln!(io::stderr(), "acp-agent: {reason}");
    ExitCode::from(USAGE)
}
