//! The program `stub-model`: the model as a server on this machine.

use std::{
    error::Error,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use stub_model::{
    Scenario,
    serve::{Server, Wires},
};

/// The deterministic model of the ACP reference agent.
#[derive(Debug, Parser)]
#[command(name = "stub-model", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answers requests of the two common model APIs on 127.0.0.1, without a network or a key.
    ///
    /// The base URL is written to stdout once it listens. The same request has the same answer.
    /// Clients of OpenAI's API take that URL with /v1 behind it, clients of Anthropic's take it as
    /// it is; any key and any name of a model will do. See the slash commands of the reference
    /// agent for what can be had: a prompt /refuse is refused, /slow 2s is slow.
    Serve(Serve),
}

#[derive(Debug, clap::Args)]
struct Serve {
    /// The port to listen on; a free one for 0.
    #[arg(long, default_value_t = 0)]
    port: u16,

    /// Speak OpenAI's chat completions, and Anthropic's messages only where that is said too.
    #[arg(long)]
    openai: bool,

    /// Speak Anthropic's messages, and OpenAI's chat completions only where that is said too.
    #[arg(long)]
    anthropic: bool,

    /// Follow the rules of this scenario file before anything else.
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Command::Serve(serve) = Arguments::parse().command;
    match run(&serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "stub-model: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(serve: &Serve) -> Result<(), Box<dyn Error>> {
    let scenario = serve.scenario.as_deref().map(Scenario::load).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let both = serve.openai == serve.anthropic;
    let wires = Wires {
        openai: both || serve.openai,
        anthropic: both || serve.anthropic,
    };
    runtime.block_on(async {
        let server = Server::bind(serve.port, wires, scenario)
            .await
            .map_err(|error| format!("port {}: {error}", serve.port))?;
        let mut out = io::stdout();
        writeln!(out, "{}", server.url())?;
        out.flush()?;
        Ok(server.run().await?)
    })
}
